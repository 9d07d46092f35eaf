/** Every POST of the service, from several merchants, all at once: each ends, none with a defect, and then nothing runs on. */
import { setTimeout as pause } from "node:timers/promises"
import { Context, Effect, Layer, Scope } from "effect"
import { expect, it } from "vitest"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { entries } from "../../../src/engine/operations.ts"
import { type Answer, type Api as Server, operatorToken, startApi } from "../../support/http/server.ts"
import { catalogue } from "../../support/http/successful-requests.ts"
import { stockOf } from "../../support/http/stocked-server.ts"
import { stores, storesHere } from "../../support/engines/every-store.ts"

const MERCHANTS = 4

const posts = entries.flatMap(({ operation: { id, method } }) => (method === "POST" ? [id] : []))

/** The server as another merchant's client sees it; every answer is told. */
const as = (
  server: Server,
  key: string,
  merchant_id: string,
  received: (path: string, answer: Answer) => void
): Server => ({
  ...server,
  key,
  merchant_id,
  // A service that is slow admits fewer calls at once, and the others come again.
  ask: async (path, options = {}) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await server.ask(path, { ...options, key: options.key ?? key })
      received(path, answer)
      if (answer.status !== 429 || attempt === 100) return answer
      await pause(200)
    }
  }
})

/** The part of a core that this process takes. */
const load = async (): Promise<number> => {
  const [began, before] = [performance.now(), process.cpuUsage()]
  await pause(250)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / (performance.now() - began)
}

it.each(Object.entries(stores).filter(([name]) => storesHere().includes(name)))(
  "four merchants call everything at once, on %s: all are answered, and the process is idle again",
  async (_, open) => {
    const scope = Effect.runSync(Scope.make())
    const context = await Effect.runPromise(Layer.buildWithScope(await open(), scope))
    const storage = Layer.succeed(Storage, Context.get(context, Storage))
    const server = await startApi({ rate_per_second: 0 }, storage, { dispatcher: true })
    try {
      const defects: Array<string> = []
      let answers = 0
      const received = (path: string, { status, text }: Answer): void => {
        answers++
        if (status >= 500) defects.push(`${path}: ${status} ${text.slice(0, 300)}`)
      }
      const operate = as(server, operatorToken, "", received)
      const stocks = await Promise.all(
        Array.from({ length: MERCHANTS }, async (__, n) => {
          const body = { name: `Merchant ${n}`, country_code: "NG", status: "active" }
          const { json } = await operate.ask("/operator/v1/merchants", { body })
          return stockOf(as(server, json.data.api_key.secret, json.data.merchant.id, received))
        })
      )
      const began = answers
      // What one call prepares another may have used up or moved: then it is refused, which is an answer too.
      const called = stocks.flatMap((stock) =>
        posts.map(async (id) => {
          const { path, ...request } = await catalogue[id]!(stock)
          return stock.api.ask(path, request)
        })
      )
      const ended = await Promise.allSettled(called)
      expect(defects).toEqual([])
      const refused = ended.filter((one) => one.status === "rejected").map(({ reason }) => String(reason))
      expect(refused.filter((reason) => !/a call of the stock was refused|reading 'id'/.test(reason))).toEqual([])
      expect(answers - began).toBeGreaterThan(MERCHANTS * posts.length)
      expect(refused.length).toBeLessThan(ended.length / 4)

      let busy = 1
      for (let asked = 0; asked < 8 && busy > 0.3; asked++) busy = await load()
      expect(busy).toBeLessThan(0.3)

      for (const { settle } of stocks) await settle()
      const { json } = await operate.ask("/operator/v1/ledger/trial-balance")
      for (const { currency, difference } of json.data.currencies)
        expect([currency, Number(difference)]).toEqual([currency, 0])
      expect(defects).toEqual([])
    } finally {
      await server.close()
      await Effect.runPromise(Scope.close(scope, Effect.runSync(Effect.exit(Effect.void))))
    }
  }
)
