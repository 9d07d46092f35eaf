/** Endpoints beside each other, in a dispatcher that works (decisions 11): who does not answer keeps nobody else waiting. */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { MemoryWebhookSink } from "../../src/adapters/webhook/memory.ts"
import { bounds, Dispatcher } from "../../src/engine/Dispatcher.ts"
import { WebhookEndpoints } from "../../src/engine/resources/webhook-endpoint.ts"
import { merchantAtWork, type MerchantAtWork } from "../support/actors.ts"
import { world } from "../support/world.ts"

const opened = Effect.fnUntraced(function* (m: MerchantAtWork, url: string) {
  const endpoints = yield* WebhookEndpoints
  const { id } = yield* endpoints.create(m.caller, { url })
  yield* endpoints.update(m.caller, id, { active: true })
})

/** One endpoint that answers, beside the dead ones of `merchants`, twenty each, which have much to get. */
const beside = (
  { merchants, timeout_ms }: { readonly merchants: number; readonly timeout_ms: number },
  /** How long each transfer's event may take to be answered, one after the other. */
  most_ms: ReadonlyArray<number>
) => {
  const answered: Array<number> = []
  const webhooks = MemoryWebhookSink.layer({
    answer: ({ url }) => {
      if (url.includes("dead")) {
        return new Promise((done) => setTimeout(() => done({ response_status: null }), timeout_ms))
      }
      answered.push(performance.now())
      return {}
    }
  })
  return Effect.gen(function* () {
    const alive = yield* merchantAtWork()
    yield* opened(alive, "https://alive.example/")
    for (let merchant = 0; merchant < merchants; merchant++) {
      const m = yield* merchantAtWork("10000")
      for (let n = 0; n < 20; n++) yield* opened(m, `https://dead${n}.example/`)
      for (let n = 0; n < 40; n++) yield* m.transfer("10")
    }
    yield* (yield* Dispatcher).start({ graceMs: 0 })
    yield* Effect.sleep(500)
    for (const most of most_ms) {
      const [began, before] = [performance.now(), answered.length]
      yield* alive.transfer("10")
      while (answered.length === before && performance.now() - began < 2 * timeout_ms) yield* Effect.sleep(10)
      assert.isAbove(answered.length, before)
      assert.isBelow(answered[before]! - began, most)
    }
  }).pipe(Effect.scoped, Effect.provide(world({ webhooks })), Effect.runPromise)
}

it("one endpoint that is far behind is sent a bounded number of events at once, each once", async () => {
  const { perLane } = bounds.delivery
  const sent: Array<string> = []
  let [now, most] = [0, 0]
  const webhooks = MemoryWebhookSink.layer({
    answer: async ({ message_id }) => {
      sent.push(message_id)
      most = Math.max(most, ++now)
      await new Promise((done) => setTimeout(done, 50))
      now--
    }
  })
  await Effect.gen(function* () {
    const m = yield* merchantAtWork("10000")
    yield* opened(m, "https://slow.example/")
    for (let n = 0; n < 5 * perLane; n++) yield* m.transfer("1")
    yield* (yield* Dispatcher).start({ graceMs: 0 })
    while (new Set(sent).size < 5 * perLane) yield* Effect.sleep(10)
  }).pipe(Effect.scoped, Effect.provide(world({ webhooks })), Effect.runPromise)
  assert.strictEqual(most, 2 * perLane)
  assert.lengthOf(new Set(sent), sent.length)
})

it(
  "the dead endpoints of several merchants, with much to get, delay nothing for one that answers",
  {
    timeout: 60_000
  },
  () => beside({ merchants: 3, timeout_ms: 4000 }, [1500, 1500, 1500, 1500, 1500])
)

// The first may have to wait for the first of the dead to be given up; from then on none does.
it(
  "more dead endpoints than a node has room for hold up one that answers until they are known for what they are",
  {
    timeout: 60_000
  },
  () => beside({ merchants: 12, timeout_ms: 2000 }, [4000, 2000, 2000])
)
