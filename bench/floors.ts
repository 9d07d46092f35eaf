/** The hand-written contenders, by the row they stand in. */
import { createHash, randomBytes } from "node:crypto"
import { Agent, request } from "node:http"
import { deliveryBody } from "./bodies.ts"
import { poster } from "./floor/deliveries.ts"
import { type Database, onPGlite, onPostgres } from "./floor/drivers.ts"
import { serve } from "./floor/http.ts"
import { create, fund, merchantOf, type Order, submit, succeed, walletOf } from "./floor/transfers.ts"
import { calls, type Contender } from "./measure.ts"
import { startSink } from "./sink.ts"

const serialOf = (n: number): string => n.toString(36).padStart(26, "0")

const orderOf = (n: number, wallets: number, subscribed = true): Order => ({
  merchant_id: merchantOf(n % wallets),
  wallet_id: walletOf(n % wallets),
  serial: serialOf(n),
  subscribed
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

/** Created, submitted and succeeded: the three writes of a transfer's life. */
export const lifeOnPostgres = async (url: string, wallets: number, inFlight: number): Promise<Contender> => {
  const { transact, close } = await funded(await onPostgres(url), wallets)
  const live = async (n: number): Promise<void> => {
    const order = orderOf(n, wallets, false)
    await create(transact, order)
    await submit(transact, order)
    await succeed(transact, order)
  }
  return calls(live, inFlight, close)
}

export const createOverHttp = async (url: string, wallets: number, inFlight: number): Promise<Contender> => {
  const database = await funded(await onPostgres(url), wallets)
  const key = randomBytes(32).toString("base64url")
  const server = await serve(database.transact, createHash("sha256").update(key).digest("hex"))
  const client = post(server.url, { authorization: `Bearer ${key}` }, inFlight)
  return calls(
    (n) => {
      const { merchant_id, wallet_id, serial } = orderOf(n, wallets)
      return client.send("/", JSON.stringify({ merchant_id, wallet_id, reference: serial, amount: "1.00" }))
    },
    inFlight,
    async () => {
      client.close()
      await server.close()
      await database.close()
    }
  )
}

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

/** A client that keeps its connections, the same for ours and for the floor. */
export const post = (url: string, headers: Readonly<Record<string, string>>, connections: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  return {
    send: (path: string, body: string, more: Readonly<Record<string, string>> = {}): Promise<string> =>
      new Promise((resolve, reject) => {
        const sent = request(
          new URL(path, url),
          {
            agent,
            method: "POST",
            headers: {
              ...headers,
              ...more,
              "content-type": "application/json",
              "content-length": Buffer.byteLength(body)
            }
          },
          (response) => {
            const chunks: Array<Buffer> = []
            response.on("data", (chunk: Buffer) => chunks.push(chunk))
            response.once("end", () => {
              const text = Buffer.concat(chunks).toString()
              if (response.statusCode === 200) resolve(text)
              else reject(new Error(`answered ${response.statusCode}: ${text}`))
            })
          }
        )
        sent.once("error", reject)
        sent.end(body)
      }),
    close: () => agent.destroy()
  }
}
