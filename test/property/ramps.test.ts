/** Onramps and conversions, whatever the bank reports and the provider says, however often and in whatever order. */
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Onramp, type OnrampData, type OnrampEvent } from "../../src/machines/movements/onramp.ts"
import { sumChanges } from "../../src/machines/kernel/ledger.ts"
import type { Outcome } from "../../src/machines/kernel/lifecycle.ts"
import { readFigures, priceActual } from "../../src/machines/kernel/pricing.ts"
import { merchantConverting, onrampsOf } from "../support/merchants/ramps.ts"
import { specimens } from "../support/machines/specimens.ts"
import { booksBalance } from "../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { triesOf } from "../support/properties/tries.ts"

const specimen = specimens["onramp"]!
const start = specimen.inputs["plain"] as OnrampData

interface Stop {
  readonly state: string
  readonly data: OnrampData
  readonly outcome: Outcome
  readonly ended: boolean
  readonly event: OnrampEvent | null
}

const run = (events: ReadonlyArray<OnrampEvent>): ReadonlyArray<Stop> => {
  const stops: Array<Stop> = [{ ...Onramp.begin(start), event: null }]
  for (const event of events) {
    const { state, data } = stops.at(-1)!
    const next = Onramp.step(state, data, event)
    if (next !== undefined) stops.push({ ...next, event })
  }
  return stops
}

/** Where nothing is due any more; what failed of its deadline may be funded yet, by the operator. */
const over: ReadonlySet<string> = new Set(["success", "failed", "failed_again", "returned"])

const at = start.rate_locked_until - 1000
const amounts = fc.oneof(
  fc.bigInt({ min: 1n, max: 40_000n }),
  fc.bigInt({ min: 1n, max: 10n ** 9n }),
  fc.constant(15_000_000n),
  fc.bigInt({ min: 10n ** 9n, max: 10n ** 14n })
)

const handled = fc
  .record({
    amount: amounts,
    before: fc.array(fc.constantFrom(...specimen.events), { maxLength: 3 }),
    after: fc.array(fc.constantFrom(...specimen.events), { maxLength: 16 })
  })
  .map(({ amount, before, after }) => {
    const funding = { type: "payin.confirmed", at, payin_id: "payin_2", amount: amount.toString() } as const
    return [...before, funding, ...after] as unknown as ReadonlyArray<OnrampEvent>
  })

/** What stands in every account after some steps, but for nothing. */
const balances = (stops: ReadonlyArray<Stop>): Record<string, bigint> =>
  Object.fromEntries([...sumChanges(stops.flatMap(({ outcome }) => outcome.postings))].filter(([, sum]) => sum !== 0n))

describe("the money of the onramp machine", () => {
  it("stands in clearing while it is under way, and afterwards with the wallet, the payer or the operator, once", () => {
    fc.assert(
      fc.property(handled, (events) => {
        const stops = run(events)
        const { state, data } = stops.at(-1)!
        const funded = BigInt(data.funded_amount ?? "0")
        const books = balances(stops)
        // What the provider kept of a return is in suspense (OUTCOME-5).
        const { discrepancy } = data
        const missing = discrepancy?.reason === "partial_return" ? BigInt(discrepancy.amount) : 0n
        expect(missing >= 0n && missing <= funded).toBe(true)
        // So is what was recalled and not executed: the recall keeps it (ONRAMP-9).
        const isKept = stops.some(
          ({ data, event }, n) =>
            data.recalled_by !== undefined &&
            ["provider.unavailable", "provider.absent"].includes(event?.type ?? "") &&
            over.has(stops[n]!.state)
        )
        const suspended =
          isKept || data.failure_reason === "refund_failed" ? funded : state === "returned" ? missing : 0n
        const clear = suspended === 0n ? {} : { "world:simulated/NGN": -suspended, "suspense/NGN": suspended }
        if (funded === 0n) expect(books).toEqual({})
        else if (!over.has(state))
          expect(books).toEqual({ "world:simulated/NGN": -funded, "clearing:simulated/NGN": funded })
        else if (state !== "success") expect(books).toEqual(clear)
        else {
          const priced = priceActual(data.terms, readFigures(data.quoted), funded)
          if (priced._tag !== "priced") throw new Error("what succeeded had a price")
          const short = discrepancy?.reason === "short_settlement" ? BigInt(discrepancy.amount) : 0n
          expect(data.received_amount).toBe((priced.received_amount - short).toString())
          expect(books["available:wal_1/USDC"] ?? 0n).toBe(priced.received_amount - short)
          expect(books["suspense/USDC"] ?? 0n).toBe(short)
          expect(books["world:simulated/NGN"]).toBe(-funded)
          expect((books["fees/NGN"] ?? 0n) + (books["fx/NGN"] ?? 0n)).toBe(funded)
          expect(books["fx/USDC"]).toBe(-(priced.received_amount + priced.network_fee + priced.residue))
          expect(books["clearing:simulated/NGN"]).toBeUndefined()
        }
      }),
      { numRuns: triesOf(2000) }
    )
  })

  it("never buys more at another amount than the locked rate gives, nor what may not be paid out", () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const { state, data } = Onramp.step("awaiting_deposit", start, {
          type: "payin.confirmed",
          at,
          payin_id: "p",
          amount: amount.toString()
        })!
        expect(data.actual === null).toBe(state === "refunding")
        if (data.actual === null) return
        const { received_amount, gateway_fee, source_amount, network_fee } = data.actual
        expect(source_amount).toBe(amount.toString())
        // 0.000663349917081 USDC for a naira: 6.63349917081 of its minor units for one of the naira's.
        const most = ((amount - BigInt(gateway_fee)) * 663_349_917_081n) / 10n ** 11n
        expect(BigInt(received_amount) + BigInt(network_fee) <= most).toBe(true)
        expect(BigInt(gateway_fee) * 200n >= amount).toBe(true)
        expect(BigInt(received_amount) > 0n && BigInt(received_amount) <= BigInt(data.terms.maximum!)).toBe(true)
      }),
      { numRuns: triesOf(500) }
    )
  })
})

describe("the onramp machine's work", () => {
  const brings: Readonly<Record<string, string>> = {
    "payout.begun": "submit",
    "provider.absent": "lookup",
    "provider.pending": "lookup",
    "timer.quote_expiry": "quote_expiry",
    "refund.accepted": "refund",
    "refund.rejected": "refund"
  }

  it("always has something due until it has ended, and nothing afterwards", () => {
    fc.assert(
      fc.property(handled, (events) => {
        const due = new Map<string, string>()
        const carry = ({ commands, timers, cancels }: Outcome): void => {
          for (const name of cancels) due.delete(name)
          for (const { name, operation } of commands) due.set(name, operation)
          for (const { name } of timers) due.set(name, name)
        }
        let here = Onramp.begin(start)
        carry(here.outcome)
        for (const event of events) {
          const job = [...due].find(([, operation]) => operation === brings[event.type])
          if (brings[event.type] !== undefined && job === undefined) continue
          const next = Onramp.step(here.state, here.data, event)
          if (job !== undefined) due.delete(job[0])
          if (next !== undefined) {
            here = next
            carry(next.outcome)
          }
          expect([...due].length > 0, `${here.state} after ${event.type}`).toBe(!over.has(here.state))
        }
      }),
      { numRuns: triesOf(1000) }
    )
  })
})

/** What may happen to a merchant's onramps and conversions; `which` picks one of those there are. */
const happenings = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("onramp" as const),
      amount: fc.constantFrom("150000", "3000", "99999.99")
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant("conversion" as const), amount: fc.constantFrom("10", "33.33", "400") })
  },
  {
    weight: 10,
    arbitrary: fc.record({
      does: fc.constant("pays" as const),
      which: fc.nat(7),
      payin: fc.nat(11),
      stage: fc.constantFrom("detected" as const, "confirmed" as const, "confirmed" as const, "failed" as const),
      amount: fc.constantFrom("150000", "3000", "99999.99", "10", "2000000000", "75000.5")
    })
  },
  {
    weight: 8,
    arbitrary: fc.record({
      does: fc.constant("says" as const),
      which: fc.nat(15),
      outcome: fc.constantFrom(
        "success" as const,
        "success" as const,
        "failed" as const,
        "cancelled" as const,
        "reversed" as const,
        "returned" as const,
        "temporarily_unavailable" as const,
        "refund_failed" as const
      ),
      reason: fc.constantFrom(null, "compliance", "weather")
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("behaves" as const),
      as: fc.constantFrom("accept" as const, "hold" as const, "unavailable" as const, "timeout" as const)
    })
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant("advance" as const),
      seconds: fc.constantFrom(0, 1, 5, 10, 60, 60, 700, 1900)
    })
  }
)
type Happening = typeof happenings extends fc.Arbitrary<infer H> ? H : never

const lived = (story: ReadonlyArray<Happening>) =>
  Effect.gen(function* () {
    const c = yield* merchantConverting("1000")
    const o = yield* onrampsOf(c)
    const onramps: Array<string> = []
    const conversions: Array<string> = []
    for (const event of story) {
      switch (event.does) {
        case "onramp":
          onramps.push((yield* o.onramp(event.amount)).id)
          break
        case "conversion": {
          const made = yield* Effect.result(c.conversion(event.amount))
          if (made._tag === "Success") conversions.push(made.success.id)
          break
        }
        case "pays": {
          const id = onramps[event.which % onramps.length]
          if (id !== undefined)
            yield* o.pays(id, event.amount, { payin_id: `payin-${event.payin}`, stage: event.stage })
          break
        }
        case "says": {
          const all = [...onramps, ...conversions]
          const id = all[event.which % all.length]
          if (id !== undefined) yield* c.says(id, event.outcome, event.reason === null ? {} : { reason: event.reason })
          break
        }
        case "behaves":
          yield* c.behaves(event.as)
          break
        case "advance":
          yield* c.advance(event.seconds)
      }
    }
    // In the end the provider takes what there is, and says yes to what it has.
    yield* c.behaves("accept")
    yield* c.advance(2 * 86_400)
    for (const id of [...onramps, ...conversions]) {
      const status = yield* c.status(id)
      if (status === "processing" || status === "temporary_failure") yield* c.says(id, "success")
    }
    yield* c.settle

    let credited = 0n
    let spent = 0n
    let naira = 0n
    const hundredths = (text: string | null): bigint => BigInt((text ?? "0.00").replace(".", ""))
    /** The pay-ins that were booked, wherever: each once. What was recalled was its onramp's before it was in suspense. */
    const booked = (yield* c.exceptions).flatMap(({ amount, provider_event, reason }) =>
      amount === null || provider_event === null || reason === "recalled"
        ? []
        : [(provider_event as { readonly payin_id?: string }).payin_id]
    )
    for (const id of onramps) {
      const { payin_id } = (yield* c.rowOf(id)).data as OnrampData
      if (payin_id !== null) booked.push(payin_id)
      const body = yield* o.collected(id)
      expect(["success", "failed", "failed_again", "returned"]).toContain(body.status)
      expect(body.received_amount !== null).toBe(body.status === "success")
      credited += hundredths(body.received_amount)
    }
    expect(new Set(booked).size, booked.join(" ")).toBe(booked.length)
    for (const id of conversions) {
      const body = yield* c.converted(id)
      expect(["success", "failed", "failed_again", "returned"]).toContain(body.status)
      if (body.status === "success" || body.failure_reason === "refund_failed") spent += hundredths(body.source_amount)
      naira += hundredths(body.received_amount)
    }
    for (const id of [...onramps, ...conversions]) {
      const published = yield* c.published(id)
      expect(new Set(published.map(({ type }) => type)).size).toBe(published.length)
      expect(yield* c.executions(id)).toBeLessThanOrEqual(1)
    }
    expect(hundredths((yield* c.balance).available)).toBe(100_000n + credited - spent)
    expect(hundredths((yield* c.balanceOf(c.naira.id)).available)).toBe(naira)
    const classes = yield* booksBalance
    for (const [key, balance] of classes) if (/^(clearing|reserved)\//.test(key)) expect(balance, key).toBe("0")
  })

it("whatever the bank reports and the provider says, all ends, once, and every kobo is somewhere", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happenings, { minLength: 4, maxLength: 24 }), (story) =>
      Effect.runPromise(Effect.provide(lived(story), makeSimulatedEngine()))
    ),
    { numRuns: triesOf(150) }
  )
})
