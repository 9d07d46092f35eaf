/**
 * A node of the engine that is there to be killed: `node crashing-node.ts <database> <hook> <run> [merchant]`.
 *
 * It runs the dispatcher, makes movements without end, and prints a line for each that was acknowledged: its id. The
 * first line is the merchant's id and the wallet's; given a merchant, it goes on as that one.
 */
import { Effect } from "effect"
import { PgliteStorage } from "../../../src/adapters/storage/pglite.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { HttpWebhookSink } from "../../../src/adapters/webhook/http.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { merchantAtWork, movementsOf } from "../merchants/merchant-at-work.ts"
import { makeSimulatedEngine } from "../engines/simulated-engine.ts"

export const storageOf = (database: string) =>
  database.startsWith("postgres:")
    ? PostgresStorage.layer({ url: database, connections: 4, clock: "caller" })
    : PgliteStorage.layer({ directory: database })

/** The engine that crashes and the one that comes after it: outcomes follow soon, events go out over HTTP. */
export const crashingEngine = (database: string) =>
  makeSimulatedEngine({
    mode: "auto",
    delay_ms: 50,
    storage: storageOf(database),
    webhooks: HttpWebhookSink.layer({ environment: "test", user_agent: "Corridor/test", timeout_ms: 2000 })
  })

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

/** Half of them transfers; of the offramps some are answered too late, taken or not. */
const accounts = ["0123456789", "0123450004", "0123450005"]

const node = Effect.fnUntraced(function* (
  hook: string,
  run: string,
  known: { readonly merchant_id: string; readonly wallet_id: string } | undefined
) {
  let who = known
  if (who === undefined) {
    const endpoints = yield* WebhookEndpoints
    const m = yield* merchantAtWork("100000")
    const { id } = yield* endpoints.create(m.caller, { url: hook })
    yield* endpoints.update(m.caller, id, { active: true })
    who = { merchant_id: m.merchant_id, wallet_id: m.wallet.id }
    say(who)
  }
  yield* Effect.flatMap(Dispatcher, ({ start }) => start())
  const make = yield* movementsOf(who.merchant_id, who.wallet_id)
  yield* Effect.forEach(
    Array.from({ length: 10_000 }, (_, n) => n),
    (n) =>
      Effect.map(make(n % 2 === 0 ? null : accounts[(n >> 1) % accounts.length]!, `run${run}-${n}`), ({ id }) =>
        say({ id })
      ),
    { concurrency: 8, discard: true }
  )
})

if (process.argv[1]?.endsWith("crashing-node.ts") === true) {
  const [database = "", hook = "", run = "", merchant_id, wallet_id] = process.argv.slice(2)
  const known = merchant_id === undefined || wallet_id === undefined ? undefined : { merchant_id, wallet_id }
  await Effect.runPromise(Effect.scoped(node(hook, run, known).pipe(Effect.provide(crashingEngine(database)))))
}
