/** What the peers share: orders, a provider, a receiver of events, and where a package of theirs is loaded from. */
import { randomBytes } from "node:crypto"
import { existsSync } from "node:fs"
import { poster } from "../floor/deliveries.ts"
import { type Order, merchantOf, walletOf } from "../floor/transfers.ts"
import { startSink } from "../sink.ts"

/** Whether a package is installed: by install.sh, never with those of the repository. */
export const isInstalled = (name: string): boolean => existsSync(new URL(`node_modules/${name}`, import.meta.url))

/** Loads a package that is installed beside this file only. Its members are typed by the caller. */
export const load = async <A>(name: string): Promise<A> => {
  const found = (await import(name)) as { readonly default?: A } & A
  return found.default ?? found
}

export const orderOf = (n: number, wallets: number): Order => ({
  merchant_id: merchantOf(n % wallets),
  wallet_id: walletOf(n % wallets),
  serial: n.toString(36).padStart(26, "0")
})

/** A provider that accepts at once, under the id of the payout. */
export const pay = ({ serial }: Order): Promise<string> => Promise.resolve(`0x${serial}`)

/** Events to a receiver in another thread, signed, over as many connections as there are lives at once. */
export const receiver = async (inFlight: number) => {
  const sink = await startSink()
  const { post, close } = poster(sink.url, randomBytes(32), inFlight)
  return {
    post,
    close: async (): Promise<void> => {
      close()
      await sink.close()
    }
  }
}
