/** What a provider reports about the end of a movement, besides the outcome itself: it is kept, and the operator sees it. */
import { assert, it } from "vitest"
import { Effect } from "effect"
import type { MovementOutcome } from "../../../src/engine/ports/Provider.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

const kinds = ["transfer", "offramp", "conversion", "onramp"] as const

const figures = { fee: "1.5", fee_currency: "NGN", provider_reference: "NIP/42" } as const
const paid: MovementOutcome = { outcome: "success", reason: null, transaction_hash: "0xabc", ...figures }

/** A submitted movement of the kind. */
const submitted = Effect.fnUntraced(function* (kind: (typeof kinds)[number]) {
  const m = yield* merchantConverting()
  const ramps = yield* onrampsOf(m)
  const { id } =
    kind === "onramp"
      ? yield* ramps.onramp()
      : yield* { transfer: m.transfer("10"), offramp: m.offramp("10"), conversion: m.conversion("10") }[kind]
  if (kind === "onramp") yield* ramps.pays(id, "150000")
  yield* m.settle
  return { m, id, ramps }
})

const reports = Effect.fnUntraced(function* (resource_id: string, event_id: string, outcome: MovementOutcome) {
  const inbox = yield* Inbox
  return yield* inbox.receive("simulated", { _tag: "movement", event_id, merchant_id: null, resource_id, ...outcome })
})

const historyOf = (id: string) => LedgerReports.use((books) => books.history(id))

onMemory("what a provider reports", (run) => {
  covers("OUTCOME-1")

  it.each(kinds)("%s: is in its history, in the provider's words, and its reference in its data", (kind) =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* submitted(kind)
        assert.deepEqual((yield* historyOf(id)).outcomes, [])
        yield* reports(id, `${id}.1`, paid)
        const { outcomes, provider, provider_reference } = yield* historyOf(id)
        assert.deepEqual([provider, provider_reference], ["simulated", "NIP/42"])
        const { at, ...said } = outcomes[0]!
        assert.deepEqual(said, {
          outcome: "success",
          provider: "simulated",
          command_id: `${id}.payout`,
          reason: null,
          amount: null,
          currency: null,
          transaction_hash: "0xabc",
          parts: null,
          complete: null,
          ...figures
        })
        const { data, updated_at } = yield* m.rowOf(id)
        assert.strictEqual(Date.parse(at), updated_at)
        assert.strictEqual((data as { readonly provider_reference: string }).provider_reference, "NIP/42")
      })
    )
  )

  it.each([["the result of a submission"], ["a look-up"]])("%s is kept as an event is", (how) =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* submitted("offramp")
        yield* m.advance(120)
        const { outcomes } = yield* historyOf(id)
        assert.deepEqual(
          outcomes.map(({ outcome, provider_reference }) => [outcome, provider_reference]),
          [["success", "NIP/42"]]
        )
      }),
      {
        around: (inner) =>
          withMethods(inner, {
            submit: () =>
              Effect.succeed(
                how === "a look-up" ? ({ _tag: "accepted" } as const) : ({ _tag: "settled", outcome: paid } as const)
              ),
            lookup: () => Effect.succeed({ _tag: "settled", outcome: paid } as const)
          })
      }
    )
  )

  it("a return adds to what was reported of the payment, whose reference stays", () =>
    run(
      Effect.gen(function* () {
        const { id } = yield* submitted("offramp")
        yield* reports(id, `${id}.1`, paid)
        const back = { ...paid, outcome: "returned", reason: "account closed", provider_reference: "RTN/7" } as const
        yield* reports(id, `${id}.2`, back)
        const { outcomes, provider_reference } = yield* historyOf(id)
        assert.deepEqual(
          outcomes.map((one) => [one.outcome, one.provider_reference, one.reason]),
          [
            ["success", "NIP/42", null],
            ["returned", "RTN/7", "account closed"]
          ]
        )
        assert.strictEqual(provider_reference, "NIP/42")
      })
    ))

  it("the reason of a rejection is kept as the bank states it, and a report that does not count is not", () =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* submitted("transfer")
        const { outcomes } = yield* historyOf(id)
        assert.deepEqual(
          outcomes.map(({ outcome, reason }) => [outcome, reason]),
          [["failed", `${"long ".repeat(99)}long `]]
        )
        yield* reports(id, `${id}.late`, paid)
        assert.strictEqual((yield* historyOf(id)).outcomes.length, 1)
        assert.deepEqual(
          (yield* m.exceptions).map(({ reason }) => reason),
          ["contradicts_state"]
        )
      }),
      {
        around: (inner) =>
          withMethods(inner, {
            submit: () => Effect.succeed({ _tag: "rejected", reason: "long ".repeat(200), refundable: true } as const)
          })
      }
    ))

  it("a refund is reported beside the payment, under its own command", () =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* submitted("onramp")
        yield* reports(id, `${id}.1`, { outcome: "failed", reason: "no", transaction_hash: null })
        yield* m.settle
        yield* m.advance(60)
        const { outcomes } = yield* historyOf(id)
        assert.deepEqual(
          outcomes.map(({ command_id, outcome, provider_reference }) => [command_id, outcome, provider_reference]),
          [
            [`${id}.payout`, "failed", null],
            [`${id}.refund`, "success", "RFD/1"]
          ]
        )
      }),
      {
        around: (inner) =>
          withMethods(inner, {
            refund: () =>
              Effect.succeed({
                _tag: "settled",
                outcome: { outcome: "success", reason: null, transaction_hash: null, provider_reference: "RFD/1" }
              } as const)
          })
      }
    ))
})
