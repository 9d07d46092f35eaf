/**
 * A provider that refuses a repeated request: what the first one led to may be why, so no money is given back before a
 * look-up says that nothing was executed (PAYOUT-1).
 */
import { withMethods } from "../../support/engines/provider-methods.ts"
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { type SubmissionResult, type CommandStatus } from "../../../src/engine/ports/Provider.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const silence = Effect.fail(new ProviderFault({ message: "no answer" }))
const settled = (outcome: "success" | "failed"): CommandStatus & { readonly _tag: "settled" } => ({
  _tag: "settled",
  outcome: { outcome, reason: null, transaction_hash: null }
})

/** Answers requests in turn, and look-ups in turn; the last of each for ever. */
const scripted = (
  answers: ReadonlyArray<SubmissionResult | "silence">,
  statuses: ReadonlyArray<CommandStatus | "silence">,
  asked: Array<string>
) => {
  const turn = <A>(list: ReadonlyArray<A | "silence">, what: string) => {
    let n = 0
    return () =>
      Effect.suspend(() => {
        asked.push(what)
        const next = list[Math.min(n++, list.length - 1)]!
        return next === "silence" ? silence : Effect.succeed(next as A)
      })
  }
  return {
    request: turn(answers, "request"),
    lookup: turn(statuses, "lookup")
  }
}

const accepted: SubmissionResult = { _tag: "accepted" }
const rejected: SubmissionResult = { _tag: "rejected", reason: "duplicate", refundable: true }
const kept: SubmissionResult = { _tag: "rejected", reason: "gone", refundable: false }
const unavailable: SubmissionResult = { _tag: "unavailable" }
const absent: CommandStatus = { _tag: "absent" }
const pending: CommandStatus = { _tag: "pending" }

const kinds = ["transfer", "offramp", "conversion", "onramp"] as const

/** A movement of the kind, and what became of it after the hour; its books balance and nothing is left in clearing. */
const movement = (
  kind: (typeof kinds)[number],
  answers: ReadonlyArray<SubmissionResult | "silence">,
  statuses: ReadonlyArray<CommandStatus | "silence">
) => {
  const asked: Array<string> = []
  const { lookup, request } = scripted(answers, statuses, asked)
  const refunds = scripted([settled("success")], [absent], [])
  return Effect.runPromise(
    Effect.gen(function* () {
      const m = yield* merchantConverting()
      const ramps = yield* onrampsOf(m)
      const more = { retry_on_failure: true }
      const id =
        kind === "transfer"
          ? (yield* m.transfer("10", more)).id
          : kind === "offramp"
            ? (yield* m.offramp("10", more)).id
            : kind === "conversion"
              ? (yield* m.conversion("10")).id
              : (yield* ramps.onramp()).id
      if (kind === "onramp") yield* ramps.pays(id, "150000")
      yield* m.advance(3600)
      const { data, state } = yield* m.rowOf(id)
      const { failure_reason } = data as { readonly failure_reason: string | null }
      const exceptions = (yield* m.exceptions).map(({ reason }) => reason)
      return { state, failure_reason, asked, exceptions, available: (yield* m.balance).available }
    }).pipe(
      Effect.provide(
        makeSimulatedEngine({
          around: (inner) => withMethods(inner, { submit: request, lookup, refund: refunds.request })
        })
      )
    )
  )
}

describe.each(kinds)("%s: a refusal", (kind) => {
  const before = "1000.00"

  it("of the first submission is believed at once", async () => {
    const { asked, available, state } = await movement(kind, [rejected], [absent])
    assert.deepEqual({ asked, available, state }, { asked: ["request"], available: before, state: "failed" })
  })

  it("of the second, after the first was executed unheard, frees no money: a look-up tells of the success", async () => {
    const found = await movement(kind, ["silence", rejected], [absent, settled("success")])
    assert.deepEqual(found.asked, ["request", "lookup", "request", "lookup"])
    assert.strictEqual(found.state, "success")
    if (kind !== "onramp") assert.strictEqual(found.available, "990.00")
  })

  it("of the second, after the first was refused for want of capacity, waits for a look-up too", async () => {
    const found = await movement(kind, [unavailable, rejected], [pending, settled("success")])
    assert.deepEqual(found.asked, ["request", "request", "lookup", "lookup"])
    assert.strictEqual(found.state, "success")
  })

  it("of the second is believed once a look-up has found nothing, and nothing is submitted again", async () => {
    const found = await movement(kind, ["silence", rejected, accepted], [absent, "silence", pending, absent])
    assert.deepEqual(found.asked, ["request", "lookup", "request", "lookup", "lookup", "lookup"])
    const { available, exceptions, state } = found
    assert.deepEqual({ available, exceptions, state }, { available: before, exceptions: [], state: "failed" })
  })

  it("that keeps the money is believed then too, and the operator has it", async () => {
    const found = await movement(kind, ["silence", kept], [absent, absent])
    const { exceptions, failure_reason, state } = found
    assert.deepEqual(
      { exceptions, failure_reason, state },
      { exceptions: ["refund_failed"], failure_reason: "refund_failed", state: "failed" }
    )
  })
})

const dropped = {
  _tag: "settled",
  outcome: { outcome: "temporarily_unavailable", reason: null, transaction_hash: null }
} as const satisfies SubmissionResult

it.each(kinds)(
  "%s: a result that settles a submission as temporarily unavailable is about that one: no look-up",
  async (kind) => {
    const { asked, state } = await movement(kind, [unavailable, dropped, settled("success")], [absent])
    assert.deepEqual({ asked, state }, { asked: ["request", "request", "request"], state: "success" })
  }
)

it("onramp: a compliance refusal in doubt goes back as returned once it is believed", async () => {
  const compliance: SubmissionResult = { _tag: "rejected", reason: "compliance_payer", refundable: true }
  const { state } = await movement("onramp", ["silence", compliance], [absent, absent])
  assert.strictEqual(state, "returned")
})

describe("a refund that is refused", () => {
  /** An onramp that is paid too little sends it back. */
  const refund = (
    answers: ReadonlyArray<SubmissionResult | "silence">,
    statuses: ReadonlyArray<CommandStatus | "silence">
  ) => {
    const asked: Array<string> = []
    const { lookup, request } = scripted(answers, statuses, asked)
    return Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const ramps = yield* onrampsOf(m)
        const { id } = yield* ramps.onramp()
        yield* ramps.pays(id, "1")
        yield* m.advance(3600)
        const { state } = yield* m.rowOf(id)
        return { state, asked, exceptions: (yield* m.exceptions).map(({ reason }) => reason) }
      }).pipe(
        Effect.provide(
          makeSimulatedEngine({ around: (inner) => withMethods(inner, { refund: request, lookupRefund: lookup }) })
        )
      )
    )
  }
  const unapplied = { state: "failed", exceptions: ["refund_failed"] }
  const returned = { state: "returned", exceptions: [] }

  it.each([
    ["at the first request: believed", [kept], [absent], ["request"], unapplied],
    ["at the second, sent back by the first", ["silence", kept], [settled("success")], ["request", "lookup"], returned],
    [
      "at the second, and nothing was sent back",
      ["silence", kept],
      [absent],
      ["request", "lookup", "request", "lookup"],
      unapplied
    ],
    [
      "at the second, and the look-up fails, then finds it on its way, then done",
      ["silence", kept],
      ["silence", pending, settled("success")],
      ["request", "lookup", "lookup", "lookup"],
      returned
    ]
  ] as const)("%s", async (_, answers, statuses, asked, ended) => {
    const found = await refund(answers, statuses)
    assert.deepEqual(found, { ...ended, asked: [...asked], exceptions: [...ended.exceptions] })
  })
})
