/** A server with the console, whose merchants have something of everything. */
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { launchBrowser } from "../http/browser.ts"
import { type Stock, startStocked, type StockOptions } from "../http/stocked-server.ts"
import { type Complaints, visit } from "./pages.ts"

export interface Served {
  readonly stock: Stock
  /** Where the console is: `${base}/console`. */
  readonly base: string
  /** A browser context of its own on this server; see `visit`. */
  readonly visit: <A>(
    options: BrowserContextOptions,
    use: (page: Page, complaints: Complaints) => Promise<A>
  ) => Promise<A>
  readonly close: () => Promise<void>
}

/** Starts a stocked server and a browser. */
export const serveConsole = async (options: StockOptions = {}): Promise<Served> => {
  const stock = await startStocked(options)
  const browser: Browser = await launchBrowser()
  return {
    stock,
    base: stock.api.base,
    visit: (context, use) => visit(browser, stock.api.base, context, use),
    close: () => stock.api.close()
  }
}
