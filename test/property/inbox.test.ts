/** The provider's words on one movement, in any order and any number of times, through the Inbox. */
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Clock, Effect, ManagedRuntime } from "effect"
import { Inbox } from "../../src/engine/Inbox.ts"
import type { MovementEvent, MovementOutcomeType, PayinEvent } from "../../src/engine/Provider.ts"
import { Storage } from "../../src/engine/Storage.ts"
import { merchantAtWork, type MerchantAtWork } from "../support/actors.ts"
import type { World } from "../support/stores.ts"
import { world } from "../support/world.ts"
import { covers } from "../support/covers.ts"

type Words = ReadonlyArray<MovementOutcomeType>

/** Runs as a provider may tell them in order. */
const transfers: ReadonlyArray<Words> = [
  ["success"],
  ["failed"],
  ["cancelled", "reversed"],
  ["temporarily_unavailable", "success"],
  ["refund_failed"]
]
const offramps: ReadonlyArray<Words> = [...transfers, ["success", "returned"], ["returned"], ["failed", "cancelled"]]

/** A run, and an order in which it may arrive, with repeats under the same ids. */
const arrivals = (runs: ReadonlyArray<Words>) =>
  fc.constantFrom(...runs).chain((run) => {
    const indices = run.map((_, index) => index)
    return fc
      .array(fc.constantFrom(...indices), { maxLength: 4 })
      .chain((more) => fc.shuffledSubarray([...indices, ...more], { minLength: indices.length + more.length }))
      .map((order) => ({ run, order }))
  })

const word = (resource_id: string, outcome: MovementOutcomeType, index: number): MovementEvent => ({
  _tag: "movement",
  event_id: `${resource_id}.${index}`,
  merchant_id: null,
  resource_id,
  outcome,
  reason: null,
  transaction_hash: outcome === "success" ? "0xfeed" : null
})

const standing = Effect.fnUntraced(function* (m: MerchantAtWork, id: string) {
  const { status, data } = yield* m.rowOf(id)
  return {
    status,
    reason: (data as { failure_reason: string | null }).failure_reason,
    balance: yield* m.balance,
    events: (yield* m.published(id)).map(({ type }) => type)
  }
})

/** A fresh movement of 10 that is submitted, told `words` in that order. */
const after = Effect.fnUntraced(function* (
  kind: "transfer" | "offramp",
  words: ReadonlyArray<readonly [MovementOutcomeType, number]>
) {
  const inbox = yield* Inbox
  const m = yield* merchantAtWork("10")
  const { id } = yield* kind === "transfer"
    ? m.transfer("10", { retry_on_failure: true })
    : m.offramp("10", { retry_on_failure: true })
  yield* m.settle
  for (const [outcome, index] of words) yield* inbox.receive(word(id, outcome, index))
  return { ...(yield* standing(m, id)), exceptions: yield* m.exceptions }
})

/** What the wallet has of its 10 when a movement of all of it has ended so. */
const left = (status: string, reason: string | null): string =>
  status === "success" || reason === "refund_failed" ? "0.00" : "10.00"

describe.each([
  ["transfer", transfers],
  ["offramp", offramps]
] as const)("the words on a %s", (kind, runs) => {
  const runtime = ManagedRuntime.make(world())
  const run = <A, E>(effect: Effect.Effect<A, E, World>): Promise<A> => runtime.runPromise(effect)

  it("end as in their own order, or what does not fit is kept for a person; the money follows the status", async () => {
    await fc.assert(
      fc.asyncProperty(arrivals(runs), async ({ run: words, order }) => {
        const expected = await run(
          after(
            kind,
            words.map((outcome, index) => [outcome, index] as const)
          )
        )
        const actual = await run(
          after(
            kind,
            order.map((index) => [words[index]!, index] as const)
          )
        )
        const { exceptions, ...end } = actual
        if (exceptions.length === 0) {
          const { exceptions: none, ...same } = expected
          assert.deepEqual({ ...end, reason: null }, { ...same, reason: null })
          assert.deepEqual(none, [])
        }
        assert.strictEqual(new Set(end.events).size, end.events.length)
        if (!["success", "failed", "returned"].includes(end.status)) return
        assert.strictEqual(end.balance.available, left(end.status, end.reason), JSON.stringify(end))
      }),
      { numRuns: 120 }
    )
    await runtime.dispose()
  })
})

describe("the words on a pay-in", () => {
  const runtime = ManagedRuntime.make(world())
  const runs: ReadonlyArray<ReadonlyArray<PayinEvent["stage"]>> = [
    ["detected", "confirmed"],
    ["confirmed"],
    ["detected", "failed"],
    ["detected", "confirmed", "failed"]
  ]

  const told = Effect.fnUntraced(function* (stages: ReadonlyArray<readonly [PayinEvent["stage"], number]>) {
    const inbox = yield* Inbox
    const storage = yield* Storage
    const m = yield* merchantAtWork("0")
    yield* m.deposit({ amount: "1", stage: "failed" })
    const { items } = yield* storage.list({
      merchant_id: m.merchant_id,
      kinds: ["deposit_address"],
      facets: [],
      offset: 0,
      limit: 1
    })
    const { address, network } = items[0]!.data as { address: string; network: string }
    const observed_at = yield* Clock.currentTimeMillis
    for (const [stage, index] of stages) {
      yield* inbox.receive({
        _tag: "payin",
        event_id: `${m.merchant_id}.${index}`,
        payin_id: m.merchant_id,
        stage,
        target: address,
        amount: "5",
        currency: "USDC",
        network,
        transaction_hash: null,
        from_address: null,
        sender: null,
        narration: null,
        observed_at
      })
    }
    const deposits = (yield* m.transactions).filter(({ source_amount }) => source_amount === "5.00")
    return {
      statuses: deposits.map(({ status }) => status),
      balance: yield* m.balance,
      exceptions: (yield* m.exceptions).length
    }
  })

  covers("decisions/10/1")
  it("credit it once, or fail it, or are kept for a person, in any order", async () => {
    const arrival = fc.constantFrom(...runs).chain((stages) => {
      const indices = stages.map((_, index) => index)
      return fc
        .array(fc.constantFrom(...indices), { maxLength: 4 })
        .chain((more) => fc.shuffledSubarray([...indices, ...more], { minLength: indices.length + more.length }))
        .map((order) => ({ stages, order }))
    })
    await fc.assert(
      fc.asyncProperty(arrival, async ({ stages, order }) => {
        const expected = await runtime.runPromise(told(stages.map((stage, index) => [stage, index] as const)))
        const actual = await runtime.runPromise(told(order.map((index) => [stages[index]!, index] as const)))
        if (actual.exceptions === 0) assert.deepEqual(actual, expected)
        assert.strictEqual(actual.statuses.length, 1)
        assert.strictEqual(actual.balance.available, actual.statuses[0] === "success" ? "5.00" : "0.00")
      }),
      { numRuns: 120 }
    )
    await runtime.dispose()
  })
})
