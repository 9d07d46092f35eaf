/** Every report that a movement does not accept, in every status, from its provider and from another: how urgent it is, and why. */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { type MovementEvent, type MovementOutcomeType, movementOutcomes } from "../../../src/engine/ports/Provider.ts"
import type { ExceptionBody } from "../../../src/engine/resources/deposits/exceptions.ts"
import { listReports } from "../../../src/engine/commit/reported-outcomes.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { findExceptions } from "../../support/merchants/payins.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

type Kind = "transfer" | "offramp" | "conversion" | "onramp"

/** How a movement comes to a status: what its provider says after it was submitted. `unsubmitted`: it was not. */
const ways = {
  unsubmitted: [],
  processing: [],
  success: ["success"],
  failed: ["failed"],
  "success, returned": ["success", "returned"],
  returned: ["returned"],
  refund_failed: ["refund_failed"]
} as const satisfies Readonly<Record<string, ReadonlyArray<MovementOutcomeType>>>
type Way = keyof typeof ways

const reached: ReadonlyArray<readonly [Kind, ReadonlyArray<Way>]> = [
  ["transfer", ["processing", "success", "failed", "refund_failed"]],
  ["offramp", Object.keys(ways) as ReadonlyArray<Way>],
  ["conversion", ["processing", "success", "failed", "returned", "refund_failed"]],
  ["onramp", ["unsubmitted", "processing", "success", "failed", "returned", "refund_failed"]]
]

/** What a success pays out of each movement. */
const paid: Readonly<Record<Kind, string>> = {
  transfer: "10.00 USDC",
  offramp: "14100.37 NGN",
  conversion: "9.97 USDC",
  onramp: "149250.00 NGN"
}

/** An onramp without funds has nothing to exchange yet: what was quoted is at risk. */
const paidOf = (kind: Kind, way: Way): string =>
  kind === "onramp" && way === "unsubmitted" ? "98.90 USDC" : paid[kind]

/** `high`, with all that was paid as exposure. */
const high = "high"
/** `high`, and all that was paid is in suspense. */
const held = "held"
const low = "low"
/** The report is applied, or repeats what is known. */
const none = "none"

/** In the order of `outcomes`. */
type Expected = readonly [string, string, string, string, string, string, string]
const outcomes = [
  "success",
  "failed",
  "cancelled",
  "reversed",
  "returned",
  "refund_failed",
  "temporarily_unavailable"
] as const satisfies ReadonlyArray<MovementOutcomeType>

/** Of the movement's own provider. */
const expected: Readonly<Record<Way, Expected | Readonly<Partial<Record<Kind, Expected>>>>> = {
  unsubmitted: {
    offramp: [high, low, low, low, none, low, low],
    onramp: [high, low, low, low, low, low, low]
  },
  processing: [none, none, none, none, none, none, none],
  success: {
    transfer: [none, high, high, held, held, high, low],
    offramp: [none, high, high, none, none, high, low],
    conversion: [none, high, high, high, high, high, low],
    onramp: [none, high, high, high, high, high, low]
  },
  failed: {
    transfer: [high, none, none, none, low, high, low],
    offramp: [high, none, none, low, low, high, low],
    conversion: [high, none, none, low, low, high, low],
    // What its provider returns has gone to the payer, who has had it from us.
    onramp: [high, none, none, high, high, high, low]
  },
  "success, returned": [high, low, low, low, low, high, low],
  returned: [high, low, low, low, low, high, low],
  refund_failed: {
    transfer: [high, low, low, low, low, none, low],
    offramp: [high, low, low, low, low, none, low],
    conversion: [high, low, low, low, low, none, low],
    onramp: [high, low, low, high, high, none, low]
  }
}
const ofAnother: Expected = [high, low, low, low, low, high, low]

const expectedOf = (kind: Kind, way: Way): Expected => {
  const found = expected[way]
  return Array.isArray(found) ? (found as unknown as Expected) : (found as Partial<Record<Kind, Expected>>)[kind]!
}

const cases = reached.flatMap(([kind, those]) =>
  those.flatMap((way) => [
    [kind, way, "simulated", expectedOf(kind, way)] as const,
    [kind, way, "another", ofAnother] as const
  ])
)

const submitted = Effect.fnUntraced(function* (kind: Kind, way: Way) {
  const m = yield* merchantConverting()
  const ramps = yield* onrampsOf(m)
  if (way === "unsubmitted") yield* m.behaves("hold")
  const { id } =
    kind === "onramp"
      ? yield* ramps.onramp()
      : yield* { transfer: m.transfer("10"), offramp: m.offramp("10"), conversion: m.conversion("10") }[kind]
  if (kind === "onramp" && way !== "unsubmitted") yield* ramps.pays(id, "150000")
  yield* m.settle
  for (const outcome of ways[way]) {
    yield* m.says(id, outcome)
    yield* m.settle
  }
  return { m, id }
})

let serial = 0

const reports = Effect.fnUntraced(function* (
  sender: string,
  resource_id: string,
  outcome: MovementOutcomeType,
  more: Partial<MovementEvent> = {},
  name = String(++serial)
) {
  yield* (yield* Inbox).receive(sender, {
    _tag: "movement",
    event_id: `${resource_id} ${name}`,
    merchant_id: null,
    resource_id,
    outcome,
    reason: null,
    transaction_hash: null,
    ...more
  })
})

const verdictOf = (raised: ExceptionBody | undefined, whole: string): string => {
  if (raised === undefined) return none
  const { amount, currency, exposure, severity } = raised
  const exposed = exposure === null ? "" : `${exposure.amount} ${exposure.currency}`
  if (severity === "low") return exposed === "" && amount === null ? low : `low, ${exposed}`
  if (exposed === whole && amount === null) return high
  return exposed === "" && `${amount} ${currency}` === whole ? held : `high, ${exposed}, ${amount}`
}

onMemory("a report that contradicts a movement", (run) => {
  covers("EXCEPTION-5", "ONRAMP-9")
  it("is asserted for every outcome", () => assert.sameMembers([...outcomes], [...movementOutcomes]))

  it.each(cases)("%s, %s, by the provider %s", (kind, way, sender, verdicts) =>
    run(
      Effect.gen(function* () {
        const found: Array<string> = []
        for (const outcome of outcomes) {
          const { id, m } = yield* submitted(kind, way)
          const known = new Set((yield* m.exceptions).map((one) => one.id))
          const raised = Effect.map(m.exceptions, (open) =>
            // The money of a refund that failed is told of by an exception of its own (PAYOUT-2).
            open.filter((one) => !known.has(one.id) && one.reason !== "refund_failed")
          )
          yield* reports(sender, id, outcome)
          const [first, ...more] = yield* raised
          assert.deepEqual(more, [], outcome)
          found.push(verdictOf(first, paidOf(kind, way)))
          yield* m.behaves("accept")
          yield* m.settle
          if (["submitting", "waiting"].includes((yield* m.rowOf(id)).state)) yield* m.says(id, "success")
        }
        assert.deepEqual(found, [...verdicts])
      })
    )
  )

  it("has what is stated as exposure, or what is missing of it", () =>
    run(
      Effect.gen(function* () {
        const parts = [
          ["failed", "simulated", "success", "4", "4.00"],
          ["failed", "simulated", "reversed", "4", "6.00"],
          ["failed", "simulated", "returned", "4", "6.00"],
          ["failed", "another", "returned", "4", "6.00"],
          ["success", "another", "success", "4", "4.00"],
          ["success", "simulated", "failed", "4", "10.00"],
          ["success", "simulated", "reversed", "4", "6.00"]
        ] as const
        for (const [way, sender, outcome, amount, exposure] of parts) {
          const { id, m } = yield* submitted("transfer", way)
          yield* reports(sender, id, outcome, { amount, currency: "USDC" })
          const [raised] = yield* m.exceptions
          assert.deepEqual(
            [way, sender, outcome, raised?.severity, raised?.exposure],
            [way, sender, outcome, "high", { amount: exposure, currency: "USDC" }]
          )
        }
      })
    ))

  it("is as urgent under the id of another event, and of a movement that the books do not know", () =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* submitted("transfer", "processing")
        yield* reports("simulated", id, "success", {}, "one")
        yield* reports("simulated", id, "failed", {}, "one")
        yield* reports("simulated", id, "temporarily_unavailable", {}, "one")
        const [later, first] = yield* m.exceptions
        assert.deepInclude(first, { reason: "event_id_reused", severity: "high" })
        assert.deepEqual(first?.exposure, { amount: "10.00", currency: "USDC" })
        assert.deepInclude(later, { reason: "event_id_reused", severity: "low", exposure: null })

        const unknown = `tfr_${id.slice(4, -6)}zzzzzz`
        yield* reports("simulated", unknown, "success", { amount: "7", currency: "USDC" })
        yield* reports("simulated", unknown, "success", {})
        yield* reports("simulated", unknown, "failed", { amount: "7", currency: "USDC" })
        const raised = yield* findExceptions(unknown)
        assert.deepEqual(
          raised.map(({ exposure, reason, severity }) => [reason, severity, exposure?.amount ?? null]),
          [
            ["unknown_resource", "high", "7.00"],
            ["unknown_resource", "high", null],
            ["unknown_resource", "low", null]
          ]
        )
      })
    ))

  it("is high where the payer of an onramp has the money back and its exchange was made after all", () =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* submitted("onramp", "processing")
        yield* m.says(id, "failed")
        // The provider accepts the refund: that is a success too, and not one of the exchange.
        yield* m.advance(60)
        const outcomes = listReports(yield* m.rowOf(id))
        assert.deepEqual(
          outcomes.map(({ command_id, outcome }) => [command_id.replace(id, ""), outcome]),
          [
            [".payout", "failed"],
            [".refund", "success"]
          ]
        )
        yield* reports("simulated", id, "success")
        const [raised] = yield* m.exceptions
        assert.deepEqual(
          [raised?.reason, raised?.severity, raised?.exposure],
          ["contradicts_state", "high", { amount: "149250.00", currency: "NGN" }]
        )
      })
    ))

  it("is told once: a second reversal of the same money is low and holds none", () =>
    run(
      Effect.gen(function* () {
        const { id, m } = yield* submitted("transfer", "success")
        yield* reports("simulated", id, "reversed")
        yield* reports("simulated", id, "reversed", {}, "again")
        assert.deepEqual(
          (yield* m.exceptions).map(({ amount, severity }) => [severity, amount]),
          [
            ["low", null],
            ["high", "10.00"]
          ]
        )
      })
    ))
})
