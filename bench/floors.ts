/** The hand-written contenders, by row of the results. */
import { createHash, randomBytes } from "node:crypto"
import { deliveryBody } from "./bodies.ts"
import { poster } from "./floor/deliveries.ts"
import { type Database, onPGlite, onPostgres } from "./floor/drivers.ts"
import { serve } from "./floor/http.ts"
import { create, fund, merchantOf, type Order, walletOf } from "./floor/transfers.ts"
import type { Asked } from "./load.ts"
import { calls, type Contender, loaded } from "./measure.ts"
import { startSink } from "./sink.ts"

const serialOf = (n: number): string => n.toString(36).padStart(26, "0")

const orderOf = (n: number, wallets: number): Order => ({
  merchant_id: merchantOf(n % wallets),
  wallet_id: walletOf(n % wallets),
  serial: serialOf(n)
})

const funded = async (database: Database, wallets: number): Promise<Database> => {
  await fund(database.transact, wallets)
  return database
}

export const createOnPostgres = async (url: string, wallets: number, inFlight: number): Promise<Contender> => {
  const { transact, close } = await funded(await onPostgres(url), wallets)
  return calls((n) => create(transact, orderOf(n, wallets)), inFlight, close)
}

export const createOnPGlite = async (wallets: number, inFlight: number): Promise<Contender> => {
  const { transact, close } = await funded(await onPGlite(), wallets)
  return calls((n) => create(transact, orderOf(n, wallets)), inFlight, close)
}

/** Creates `before` transfers first, for reading. */
const overHttp = async (
  url: string,
  wallets: number,
  connections: number,
  before: number,
  asked: (n: number) => Pick<Asked, "method" | "path" | "body">
): Promise<Contender> => {
  const database = await funded(await onPostgres(url), wallets)
  for (let n = 0; n < before; n++) await create(database.transact, orderOf(n, wallets))
  const key = randomBytes(32).toString("base64url")
  const server = await serve(database, createHash("sha256").update(key).digest("hex"))
  const headers = { authorization: `Bearer ${key}` }
  return loaded(
    server.url,
    connections,
    (n) => ({ ...asked(n), headers }),
    async () => {
      await server.close()
      await database.close()
    }
  )
}

export const createOverHttp = (url: string, wallets: number, connections: number): Promise<Contender> =>
  overHttp(url, wallets, connections, 0, (n) => {
    const { merchant_id, wallet_id, serial } = orderOf(n, wallets)
    return {
      method: "POST",
      path: "/",
      body: JSON.stringify({ merchant_id, wallet_id, reference: serial, amount: "1.00" })
    }
  })

export const readOverHttp = (url: string, wallets: number, connections: number): Promise<Contender> =>
  overHttp(url, wallets, connections, wallets, (n) => {
    const { merchant_id, serial } = orderOf(n % wallets, wallets)
    return { method: "GET", path: `/${merchant_id}/tfr_${serial}`, body: null }
  })

export const deliver = async (inFlight: number): Promise<Contender> => {
  const sink = await startSink()
  const { post: send, close } = poster(sink.url, randomBytes(32), inFlight)
  return calls(
    (n) => send(serialOf(n), deliveryBody(serialOf(n))),
    inFlight,
    async () => {
      close()
      await sink.close()
    }
  )
}
