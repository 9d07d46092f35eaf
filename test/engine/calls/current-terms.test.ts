/** Which fee schedule decides the fee of a quote (FEE-2): a law against the sentence of the rule, over schedules that are equal in all but one. */
import fc from "fast-check"
import { expect, it } from "vitest"
import { chooseSchedule } from "../../../src/engine/calls/CurrentTerms.ts"
import type { PricingRequest } from "../../../src/engine/ports/Pricing.ts"
import { requireCurrency } from "../../../src/engine/reference/currencies.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"

type Schedule = Parameters<typeof chooseSchedule>[0][number]

const request: PricingRequest = {
  merchant_id: "mer_1",
  operation: "offramp",
  source: requireCurrency("USDC"),
  destination: requireCurrency("NGN"),
  network: "bank"
}
const NOW = 2

const drawn = fc.record({
  id: fc.constantFrom("fee_a", "fee_b", "fee_c", "fee_d"),
  created_at: fc.nat(2),
  merchant_id: fc.constantFrom(null, "mer_1"),
  source_currency: fc.constantFrom(null, "USDC", "USDT"),
  destination_currency: fc.constantFrom(null, "NGN", "KES"),
  valid_from: fc.nat(NOW + 1)
})
type Drawn = typeof drawn extends fc.Arbitrary<infer A> ? A : never

const scheduleOf = ({ created_at, id, ...named }: Drawn): Schedule => ({
  ...{ merchant_id: named.merchant_id ?? "platform", kind: "fee_schedule", id, version: 1, machine: "1" },
  ...{ state: "active", status: "active", customer_id: null, root_id: null, created_at, updated_at: created_at },
  ...{ hidden: false, event_count: 0, index_keys: [] },
  data: {
    ...{ ...named, operation: "offramp", fixed: "0", bps: "0", min: null, max: null, tiers: [] },
    ...{ note: null, ended_at: null }
  }
})

/** What makes a schedule go before others, in the order in which it counts. The last: of two of one millisecond, the later id. */
const precedenceOf = (one: Drawn): ReadonlyArray<number> => [
  Number(one.merchant_id !== null),
  Number(one.source_currency !== null),
  Number(one.destination_currency !== null),
  one.valid_from,
  one.created_at,
  one.id.charCodeAt(4)
]

const goesBefore = (a: Drawn, b: Drawn): boolean => {
  const [one, other] = [precedenceOf(a), precedenceOf(b)]
  const at = one.findIndex((each, n) => each !== other[n])
  return at >= 0 && one[at]! > other[at]!
}

covers("FEE-2")
it("the most specific valid schedule decides, of equals the newest date, then the newest, in whichever order they are read", () => {
  const some = fc.uniqueArray(drawn, { selector: ({ id }) => id, maxLength: 4 })
  fc.assert(
    fc.property(some, (all) => {
      const valid = all.filter(
        (one) => one.valid_from <= NOW && one.source_currency !== "USDT" && one.destination_currency !== "KES"
      )
      const first = valid.find((one) => valid.every((other) => other === one || goesBefore(one, other)))
      expect(chooseSchedule(all.map(scheduleOf), request, NOW)?.id).toBe(first?.id)
      expect(chooseSchedule(all.map(scheduleOf).toReversed(), request, NOW)?.id).toBe(first?.id)
    }),
    { numRuns: triesOf(2_000) }
  )
})

covers("FEE-2")
it("of two schedules of one date the newer decides, whichever has the later id", () => {
  const same = { merchant_id: null, source_currency: null, destination_currency: null, valid_from: 0 }
  const [older, newer] = [
    { ...same, created_at: 0 },
    { ...same, created_at: 1 }
  ]
  for (const [a, b] of [
    ["fee_a", "fee_b"],
    ["fee_b", "fee_a"]
  ] as const) {
    const both = [scheduleOf({ ...older, id: a }), scheduleOf({ ...newer, id: b })]
    expect([chooseSchedule(both, request, NOW)?.id, chooseSchedule(both.toReversed(), request, NOW)?.id]).toEqual([
      b,
      b
    ])
  }
})
