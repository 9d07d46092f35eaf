/**
 * Endpoints beside each other, in a dispatcher that works (DELIVERY-9): who does not answer keeps nobody else waiting.
 */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { bounds, Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { merchantAtWork, type MerchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const opened = Effect.fnUntraced(function* (m: MerchantAtWork, url: string) {
  const endpoints = yield* WebhookEndpoints
  const { id } = yield* endpoints.create(m.caller, { url })
  yield* endpoints.update(m.caller, id, { active: true })
})

/** A pause in which everything else goes on. */
const breath = Effect.sleep(10)

/**
 * One endpoint that answers, beside the dead ones of `merchants`, twenty each, which have much to get. An attempt at a dead
 * one hangs until it is given up, which happens when nothing else goes on, and only so often (`rounds`): while the first
 * event waits. Those after it are waited for beside attempts that all hang for ever.
 */
const beside = ({ merchants, rounds }: { readonly merchants: number; readonly rounds: number }, events: number) => {
  let answered = 0
  let hanging: Array<() => void> = []
  const webhooks = MemoryWebhookSink.layer({
    timeout_ms: 3_600_000,
    answer: ({ url }) => {
      if (url.includes("dead")) return new Promise((done) => hanging.push(() => done({ response_status: null })))
      answered++
      return {}
    }
  })
  const full = Effect.gen(function* () {
    for (let still = 0, before = -1; still < 20; still = hanging.length === before ? still + 1 : 0) {
      before = hanging.length
      yield* breath
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
    yield* full
    assert.isAtLeast(hanging.length, merchants * 20)
    yield* alive.transfer("10")
    for (let round = 0; round < rounds && answered === 0; round++) {
      const given = hanging
      hanging = []
      for (const done of given) done()
      yield* full
    }
    while (answered === 0) yield* breath
    for (let event = 2; event <= events; event++) {
      yield* alive.transfer("10")
      while (answered < event) yield* breath
    }
  }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ webhooks })), Effect.runPromise)
}

it("one endpoint that is far behind is sent a bounded number of events at once, each once", async () => {
  const { perPartition } = bounds.delivery
  const sent: Array<string> = []
  let most = 0
  let waiting: Array<() => void> = []
  const webhooks = MemoryWebhookSink.layer({
    answer: ({ message_id }) => {
      sent.push(message_id)
      return new Promise<void>((done) => {
        waiting.push(done)
        most = Math.max(most, waiting.length)
      })
    }
  })
  await Effect.gen(function* () {
    const m = yield* merchantAtWork("10000")
    yield* opened(m, "https://slow.example/")
    for (let n = 0; n < 5 * perPartition; n++) yield* m.transfer("1")
    yield* (yield* Dispatcher).start({ graceMs: 0 })
    // None is answered before no further one is sent.
    while (new Set(sent).size < 5 * perPartition) {
      for (let still = 0, before = -1; still < 20; still = sent.length === before ? still + 1 : 0) {
        before = sent.length
        yield* breath
      }
      const answered = waiting
      waiting = []
      for (const done of answered) done()
    }
  }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ webhooks })), Effect.runPromise)
  assert.strictEqual(most, 2 * perPartition)
  assert.lengthOf(new Set(sent), sent.length)
})

it(
  "the dead endpoints of several merchants, with much to get, delay nothing for one that answers",
  () => beside({ merchants: 3, rounds: 0 }, 5),
  60_000
)

// The first may have to wait until those were given up that are not known yet; from then on none does.
it(
  "more dead endpoints than a node has room for hold up one that answers until they are known for what they are",
  () => beside({ merchants: 12, rounds: 5 }, 3),
  60_000
)
