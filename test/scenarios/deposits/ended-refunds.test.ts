/** A refund that has ended is never submitted again, and what is told of one refund says nothing of a later one (REFUND-1, REFUND-5). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { CommandStatus, SubmissionResult } from "../../../src/engine/ports/Provider.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { findLatestRefund } from "../../../src/engine/resources/deposits/refund-reports.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
import { overtaken } from "../../support/stores/overtaken.ts"
import { covers } from "../../support/repository/covers.ts"

/** What comes while the provider is asked about a refund, or is about to be told of it, once. */
let meanwhile: Effect.Effect<unknown> = Effect.void
let submitted: Array<string> = []
let ofTest: { readonly m: MerchantAtWork } | undefined
/** What a look-up finds of a refund. Of any other it finds that it is pending. */
const found = new Map<string, CommandStatus>()

const settled = (outcome: "success" | "failed" | "cancelled"): CommandStatus => ({
  _tag: "settled",
  outcome: { outcome, reason: null, transaction_hash: null }
})

const bank = {
  refund: ({ id }: { readonly id: string }) =>
    Effect.sync((): SubmissionResult => {
      submitted.push(id)
      return { _tag: "accepted" }
    }),
  lookupRefund: ({ id }: { readonly id: string }) =>
    Effect.suspend(() => {
      const now = meanwhile
      meanwhile = Effect.void
      return Effect.map(now, (): CommandStatus => found.get(id) ?? { _tag: "pending" })
    })
}

const report = (resource_id: string, command_id: string, outcome: "success" | "failed") =>
  Inbox.use((inbox) =>
    inbox.receive("simulated", {
      ...{ _tag: "refund", event_id: `${command_id} ${outcome}`, merchant_id: null, resource_id, command_id },
      ...{ outcome, reason: null, transaction_hash: null }
    })
  )

interface Of {
  readonly id: string
  readonly first: string
}

const decidedAgain = Effect.fnUntraced(function* (id: string) {
  yield* (yield* Exceptions).resolve(yield* call(PLATFORM_MERCHANT), id, { action: "refund", note: "again" })
})

const paid = { exception: { amount: "700", currency: "USDT" }, deposit: { amount: "1500" } } as const

const payinOf = ({ merchant_id }: { readonly merchant_id: string }) => ({ payin_id: `payin_${merchant_id}` })

/** What is being refunded, by its id. */
const subjects = {
  exception: Effect.gen(function* () {
    const m = yield* merchantAtWork("0")
    yield* m.deposit({ ...paid.exception, ...payinOf(m) })
    const [{ id } = { id: "" }] = yield* m.exceptions
    yield* m.resolve(id, "refund")
    return { m, id }
  }),
  deposit: Effect.gen(function* () {
    const m = yield* merchantAtWork("0", "tier_0")
    const { transaction_id } = yield* m.deposit({ ...paid.deposit, ...payinOf(m) })
    yield* (yield* Deposits).reject(m.operator, transaction_id!, "sanctioned")
    return { m, id: transaction_id! }
  }),
  onramp: Effect.gen(function* () {
    const m = yield* merchantAtWork("0")
    const ramps = yield* onrampsOf(m)
    const { id } = yield* ramps.onramp()
    yield* ramps.pays(id, "90", payinOf(m))
    return { m, id }
  })
}

/** Its first refund is submitted, and `next` comes while that is looked up. */
const lookedUp = Effect.fnUntraced(function* (
  subject: keyof typeof subjects,
  next: (of: Of) => Effect.Effect<unknown, unknown, SimulatedEngine>,
  status: CommandStatus
) {
  submitted = []
  found.clear()
  meanwhile = Effect.void
  const { id, m } = yield* subjects[subject]
  ofTest = { m }
  yield* m.settle
  const first = findLatestRefund(yield* m.rowOf(id))
  assert.deepEqual(submitted, [first])
  found.set(first, status)
  const context = yield* Effect.context<SimulatedEngine>()
  meanwhile = Effect.orDie(Effect.provideContext(next({ id, first }), context))
  yield* m.advance(15)
  yield* m.settle
  return { m, id, first }
})

const asBank = { around: (provider: Parameters<typeof withMethods>[0]) => withMethods(provider, bank) }

onMemory("a refund that has ended while it is looked up", (run) => {
  covers("REFUND-9", "REFUND-1", "REFUND-3", "REFUND-5")
  it.each(["exception", "deposit", "onramp"] as const)(
    "is not submitted again, whatever is found: of a %s",
    (subject) =>
      run(
        Effect.gen(function* () {
          const { first, id, m } = yield* lookedUp(subject, ({ first, id }) => report(id, first, "failed"), {
            _tag: "absent"
          })
          assert.notStrictEqual((yield* m.rowOf(id)).state, "refunding")
          assert.deepEqual(submitted, [first])
        }),
        asBank
      )
  )

  it("is not submitted again where the operator has decided on another, which is", () =>
    run(
      Effect.gen(function* () {
        const again = ({ first, id }: Of) => Effect.andThen(report(id, first, "failed"), decidedAgain(id))
        const { first, id, m } = yield* lookedUp("exception", again, { _tag: "absent" })
        assert.deepEqual(submitted, [first, findLatestRefund(yield* m.rowOf(id))])
        assert.lengthOf(new Set(submitted), 2)
      }),
      asBank
    ))
})

covers("REFUND-9", "REFUND-8")
it.each(
  (["deposit", "onramp", "exception"] as const).flatMap((subject) =>
    (["ended", "recalled"] as const).map((how) => [subject, how] as const)
  )
)("a refund of a %s that is %s before its submission is committed is not submitted", async (subject, how) => {
  const { first: commit, layer } = overtaken()
  await Effect.gen(function* () {
    const ends = ({ first, id }: Of) =>
      Effect.gen(function* () {
        const context = yield* Effect.context<SimulatedEngine>()
        const { m } = ofTest!
        const payin = { ...payinOf(m), stage: "failed" } as const
        const ramps = yield* onrampsOf(m)
        const recall = Effect.asVoid(
          subject === "onramp" ? ramps.pays(id, "90", payin) : m.deposit({ ...paid[subject], ...payin })
        )
        // What is found is read, and the intent is not committed.
        commit.before = Effect.orDie(
          Effect.provideContext(how === "ended" ? Effect.asVoid(report(id, first, "failed")) : recall, context)
        )
      })
    const { first, id, m } = yield* lookedUp(subject, ends, { _tag: "absent" })
    yield* m.advance(200)
    assert.deepEqual(submitted, [first])
    assert.notStrictEqual((yield* m.rowOf(id)).state, "refunding")
  }).pipe(Effect.provide(makeSimulatedEngine({ ...asBank, storage: layer })), Effect.runPromise)
})

onMemory("what a look-up of an earlier refund finds", (run) => {
  covers("REFUND-9", "REFUND-5", "REFUND-6", "OUTCOME-10")
  it.each(["success", "failed", "cancelled"] as const)(
    "does not end the later refund, and only a success is an exception: %s",
    (outcome) =>
      run(
        Effect.gen(function* () {
          const again = ({ first, id }: Of) => Effect.andThen(report(id, first, "failed"), decidedAgain(id))
          const { first, id, m } = yield* lookedUp("exception", again, settled(outcome))
          const row = yield* m.rowOf(id)
          const second = findLatestRefund(row)
          assert.deepEqual([row.state, submitted], ["refunding", [first, second]])
          const raised = () =>
            Effect.map(m.exceptions, (all) =>
              all.filter((one) => one.id !== id).map(({ exposure, reason }) => [reason, exposure?.amount])
            )
          const expected = outcome === "success" ? [["contradicts_state", "700.00"]] : []
          assert.deepEqual(yield* raised(), expected)
          yield* report(id, second, "success")
          assert.strictEqual((yield* m.rowOf(id)).state, "resolved")
          assert.deepEqual(yield* raised(), expected)
        }),
        asBank
      )
  )
})
