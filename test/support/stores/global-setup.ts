/** For the whole test run: the built console, a browser, and one Postgres with a migrated template that each file's database is copied from. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { TestProject } from "vitest/node"
import { buildConsole } from "../../../scripts/console.ts"
import { unpackBrowser } from "../http/chromium.ts"
import { startMigratedServer } from "./migrated-server.ts"
import type { PostgresServer } from "./postgres-server.ts"

declare module "vitest" {
  export interface ProvidedContext {
    /** Where the URL of the run's server is answered, once it is there: `serverUrl` asks. */
    readonly postgres: string
  }
}

/** A server that another run has started, with the template: it is used, and left running. */
const GIVEN = "CORRIDOR_TEST_POSTGRES"

/** Answers with the URL of the server, which the first request starts. */
const startOnDemand = async (): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> => {
  const given = process.env[GIVEN]
  let server: Promise<PostgresServer> | undefined
  const answers = createServer((_, response) => {
    const url = given === undefined ? (server ??= startMigratedServer()).then(({ url }) => url) : Promise.resolve(given)
    url.then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(`The run's Postgres does not start: ${String(error)}`)
    )
  })
  await new Promise<void>((resolve) => answers.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(answers.address() as AddressInfo).port}`,
    stop: async () => {
      answers.closeAllConnections()
      answers.close()
      await (await server)?.stop()
    }
  }
}

/** `npm run build` has built the console too. */
const isBuilt = process.env["CORRIDOR_BUILT"] === "1"

export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const [{ stop, url }] = await Promise.all([startOnDemand(), isBuilt || buildConsole(), unpackBrowser()])
  project.provide("postgres", url)
  return stop
}
