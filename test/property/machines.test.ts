/** What holds of every machine, whatever it hears, however often and in whatever order. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { sumChanges, isGuarded, type Posting } from "../../src/machines/kernel/ledger.ts"
import type { Outcome } from "../../src/machines/kernel/lifecycle.ts"
import { kinds } from "../../src/engine/registry.ts"
import {
  type MachineEvent,
  restingStates,
  type Specimen,
  specimens,
  T0,
  walkMachine
} from "../support/machines/specimens.ts"
import { covers } from "../support/repository/covers.ts"
import { triesOf } from "../support/properties/tries.ts"

const all = Object.entries(specimens)
const moving = ["transfer", "offramp", "conversion", "deposit"] as const

interface Stop {
  readonly state: string
  readonly data: any
  readonly ended: boolean
  readonly event: MachineEvent | null
  readonly outcome: Outcome
}

/** Every step of a run that was accepted, the beginning first. */
const run = (
  { kind: { lifecycle } }: Specimen,
  input: object,
  events: ReadonlyArray<MachineEvent>
): ReadonlyArray<Stop> => {
  const begun = lifecycle.begin(input)
  const stops: Array<Stop> = [{ ...begun, event: null }]
  for (const event of events) {
    const { state, data } = stops.at(-1)!
    const next = lifecycle.step(state, data, event)
    if (next !== undefined) stops.push({ ...next, event })
  }
  return stops
}

const handled = (specimen: Specimen): fc.Arbitrary<ReadonlyArray<MachineEvent>> =>
  // A machine may hear nothing at all.
  specimen.events.length === 0 ? fc.constant([]) : fc.array(fc.constantFrom(...specimen.events), { maxLength: 24 })

/** Inputs and what they hear: any events, some of them again, later. */
const runs = (specimen: Specimen) =>
  fc
    .record({
      input: fc.constantFrom(...Object.values(specimen.inputs)),
      events: handled(specimen),
      again: handled(specimen)
    })
    .chain(({ input, events, again }) =>
      fc
        .shuffledSubarray([...events, ...events, ...again], { minLength: 0 })
        .map((rest) => ({ input, events: [...events, ...rest] }))
    )

const postingsOf = (stops: ReadonlyArray<Stop>): ReadonlyArray<Posting> =>
  stops.flatMap(({ outcome }) => outcome.postings)

const classOf = (account: string): string => account.split(":")[0]!.split("/")[0]!

/** What stands in each account of a class after some postings, without those that are empty. */
const accountsOf = (postings: ReadonlyArray<Posting>, name: string): ReadonlyArray<string> =>
  [...sumChanges(postings)].filter(([key, amount]) => classOf(key) === name && amount !== 0n).map(([key]) => key)

/** What stands in a class of accounts after some postings, by currency. */
const balancesOf = (postings: ReadonlyArray<Posting>, name: string): Record<string, bigint> => {
  const sums: Record<string, bigint> = {}
  for (const [key, amount] of sumChanges(postings)) {
    if (classOf(key) !== name || amount === 0n) continue
    const currency = key.slice(key.lastIndexOf("/") + 1)
    sums[currency] = (sums[currency] ?? 0n) + amount
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0n))
}

/** Where nothing further is expected to happen: the final states, and those that only a correction leaves. */
const isOver = (specimen: Specimen, { state }: Stop): boolean => specimen.kind.lifecycle.hasEnded(state)

it("every kind of resource has a specimen here", () => {
  expect(Object.keys(specimens).toSorted()).toEqual([...kinds.byName.keys()].toSorted())
})

describe.each(all)("the %s machine", (name, specimen) => {
  const { lifecycle } = specimen.kind

  it("can reach every state it names", () => {
    expect([...walkMachine(specimen).snapshots.keys()].toSorted()).toEqual([...restingStates(specimen)].toSorted())
  })

  it("takes or leaves any event in any state, and never throws", () => {
    const alphabet = [
      ...all.flatMap(([, { events }]) => events),
      { type: "nonsense" },
      { type: "" },
      { type: "xstate.init" }
    ]
    for (const [state, { data }] of walkMachine(specimen).snapshots) {
      for (const event of alphabet) {
        const next = lifecycle.step(state, data, event)
        if (next !== undefined) expect(restingStates(specimen), `${state} on ${event.type}`).toContain(next.state)
      }
    }
  })

  it("keeps its data as JSON, and never changes what it was given", () => {
    fc.assert(
      fc.property(runs(specimen), ({ input, events }) => {
        const before = JSON.stringify([input, events])
        for (const { data } of run(specimen, input, events)) expect(JSON.parse(JSON.stringify(data))).toEqual(data)
        expect(JSON.stringify([input, events])).toBe(before)
      }),
      { numRuns: triesOf(60) }
    )
  })

  covers("MOVEMENT-3")
  it("publishes no type of event twice", () => {
    fc.assert(
      fc.property(runs(specimen), ({ input, events }) => {
        const published = run(specimen, input, events).flatMap(({ outcome }) => outcome.events.map(({ type }) => type))
        expect(new Set(published).size, published.join(" ")).toBe(published.length)
      }),
      { numRuns: triesOf(150) }
    )
  })

  covers("MOVEMENT-2")
  it("hears nothing once it has ended", () => {
    fc.assert(
      fc.property(runs(specimen), ({ input, events }) => {
        const stops = run(specimen, input, events)
        const over = stops.findIndex((stop) => isOver(specimen, stop))
        if (over < 0) return
        // That its pay-in was recalled, or is no more, or its provider has nothing to say yet, is noted, and moves nothing.
        const isNote = ({ event, outcome, state }: (typeof stops)[number]): boolean =>
          ["recalled", "recall.over", "provider.pending"].includes(event?.type ?? "") &&
          state === stops[over]!.state &&
          outcome.postings.length + outcome.events.length === 0
        const later = stops.slice(over + 1).filter((stop) => !isNote(stop))
        // What failed of its deadline may be revived, by the operator alone.
        if (later[0]?.event?.type === "payin.applied") return
        // An adjusting entry that is reversed opens its exception again, and a line that people held and a statement has again, its break.
        const reopened = later.findIndex(
          ({ event }) => event?.type === "reopened" || (name === "break" && event?.type === "found")
        )
        const after = later
          .slice(0, reopened < 0 ? later.length : reopened)
          .map(({ event, state }) => `${event?.type} to ${state}`)
        const allowed =
          name === "offramp" && stops[over]!.state === "success"
            ? 1
            : name === "adjusting_entry" && stops[over]!.state === "posted"
              ? 1
              : // The lines of its match are taken from it; and what is ended by itself may be what somebody adopts at that moment.
                name === "break"
                ? 2
                : /^deposit_address$|^wallet_credential$|^exception$/.test(name)
                  ? after.length
                  : 0
        expect(after.length, after.join(", ")).toBeLessThanOrEqual(allowed)
        for (const move of after)
          expect(move).toMatch(
            /^provider\.(returned|reversed) to returned$|^provider.issued to disabled$|^(part|resolved|unsettled|not_adopted) to resolved$|^reversed to reversed$/
          )
      }),
      { numRuns: triesOf(150) }
    )
  })
})

describe.each(moving.map((name) => [name, specimens[name]!] as const))(
  "the money of the %s machine",
  (name, specimen) => {
    const funding = ({
      amount,
      currency,
      entry,
      exchange,
      source_account,
      source_amount,
      source_currency
    }: any): ReadonlyArray<Posting> =>
      name === "deposit"
        ? entry === "credited" && exchange !== undefined
          ? [{ debit: "world", credit: "credential:wcr_1", amount, currency }]
          : []
        : [
            {
              debit: "world",
              credit: source_account ?? "available:wal_1",
              amount: amount ?? source_amount,
              currency: currency ?? source_currency
            }
          ]

    it("moves whole positive amounts, in one currency a posting, and never takes an account below zero", () => {
      fc.assert(
        fc.property(runs(specimen), ({ input, events }) => {
          const balances = new Map<string, bigint>()
          for (const postings of [
            funding(input),
            ...run(specimen, input, events).map(({ outcome }) => outcome.postings)
          ]) {
            for (const p of postings) {
              expect(p.amount).toMatch(/^[1-9]\d*$/)
              expect(p.debit).not.toBe(p.credit)
            }
            const sums: Record<string, bigint> = {}
            for (const [key, change] of sumChanges(postings)) {
              balances.set(key, (balances.get(key) ?? 0n) + change)
              if (isGuarded(key) || classOf(key) === "clearing") expect(balances.get(key)! >= 0n, key).toBe(true)
              const currency = key.slice(key.lastIndexOf("/") + 1)
              sums[currency] = (sums[currency] ?? 0n) + change
            }
            for (const sum of Object.values(sums)) expect(sum).toBe(0n)
          }
        }),
        { numRuns: triesOf(300) }
      )
    })

    covers("LEDGER-1", "PAYOUT-2")
    it("is given back or spent exactly once, and leaves nothing in clearing when it has ended", () => {
      fc.assert(
        fc.property(runs(specimen), ({ input, events }) => {
          const stops = run(specimen, input, events)
          const last = stops.at(-1)!
          const postings = [...funding(input), ...postingsOf(stops)]
          const available = { ...balancesOf(postings, "credential"), ...balancesOf(postings, "available") }
          const suspense = balancesOf(postings, "suspense")
          const { amount: plain, source_amount, currency, source_currency, failure_reason } = last.data
          const amount = BigInt(plain ?? source_amount)
          const code: string = currency ?? source_currency
          if (!isOver(specimen, last)) {
            // What is under way stands in exactly one place, and is not the wallet's to spend.
            const places = ["reserved", "held", "clearing"].map((one) => balancesOf(postings, one)[code] ?? 0n)
            expect(places.filter((sum) => sum !== 0n)).toEqual(
              name === "deposit" && /^(detected|detected_unpriced|waiting)$/.test(last.state) ? [] : [amount]
            )
            expect(available).toEqual({})
            return
          }
          for (const place of ["reserved", "held", "clearing"]) expect(accountsOf(postings, place), place).toEqual([])
          if (name === "deposit") {
            // In another currency it is the credential's to be converted; a forward has bought the wallet its own.
            const credited = last.state === "confirmed" || last.state === "received"
            const forwarded =
              last.data.source_type === "deposit_forward"
                ? { NGN: BigInt(last.data.exchange.price.received_amount) }
                : {}
            expect(available).toEqual(credited ? { [code]: amount } : forwarded)
            const lost = stops.some(({ event }) => event?.type === "refund.rejected")
            expect(suspense).toEqual(lost ? { [code]: amount } : {})
            return
          }
          const spent = last.state === "success"
          const unapplied = failure_reason === "refund_failed"
          // What did not arrive is in suspense (OUTCOME-2); what did not come back is lost (OUTCOME-4).
          const { destination_currency = code, discrepancy, lost: missing = "0" } = last.data
          const short = stops.findLast(({ data }) => data.discrepancy?.reason === "short_settlement")
          const shortage = short === undefined ? 0n : BigInt(short.data.discrepancy.amount)
          const kept = shortage === 0n ? {} : { [destination_currency]: shortage }
          const lost = BigInt(missing)
          const losses = balancesOf(postings, "losses")
          expect(losses).toEqual(lost === 0n ? {} : { [name === "offramp" ? "NGN" : code]: -lost })
          if (discrepancy?.reason === "partial_return") expect(lost).toBe(BigInt(discrepancy.amount) + shortage)
          const bought = name === "conversion" && spent ? { NGN: BigInt(last.data.received_amount) } : {}
          if (spent && name !== "transfer")
            expect(BigInt(last.data.received_amount) + shortage).toBe(BigInt(last.data.quoted_received_amount))
          expect(available).toEqual(spent || unapplied ? bought : { [code]: amount })
          expect(suspense).toEqual(unapplied ? { [code]: amount } : kept)
          // Money goes out once or not at all: what is outside is what came in, less what was paid.
          const world = balancesOf(postings, "world")
          if (name === "transfer") expect(world[code] ?? 0n).toBe(spent ? -shortage : lost - amount)
          else if (name === "conversion") expect(world).toEqual({ [code]: lost - amount })
          else {
            expect(world[code]).toBe(-amount)
            const paid = spent ? BigInt(last.data.quoted_received_amount) : lost
            expect(world["NGN"] ?? 0n).toBe(paid - shortage)
          }
        }),
        { numRuns: triesOf(400) }
      )
    })
  }
)

describe.each(["transfer", "offramp", "conversion"].map((name) => [name, specimens[name]!] as const))(
  "the %s machine's work",
  (_, specimen) => {
    /** Which job brings an event, where one does: it is settled by the step. */
    const brings: Readonly<Record<string, string>> = {
      "payout.begun": "submit",
      "provider.absent": "lookup",
      "provider.pending": "lookup",
      "timer.quote_expiry": "quote_expiry"
    }

    covers("OPERATOR-4")
    it("always has something due until it has ended, and nothing afterwards", () => {
      fc.assert(
        fc.property(runs(specimen), ({ input, events }) => {
          const due = new Map<string, string>()
          const advance = ({ commands, timers, cancels }: Outcome): void => {
            for (const name of cancels) due.delete(name)
            for (const { name, operation } of commands) due.set(name, operation)
            for (const { name } of timers) due.set(name, name)
          }
          const { lifecycle } = specimen.kind
          let here = lifecycle.begin(input)
          advance(here.outcome)
          for (const event of events) {
            const needs = brings[event.type]
            const job = [...due].find(([, operation]) => operation === needs)
            // A job that is not due cannot speak.
            if (needs !== undefined && job === undefined) continue
            const next = lifecycle.step(here.state, here.data, event)
            if (job !== undefined) due.delete(job[0])
            if (next !== undefined) {
              here = next
              advance(next.outcome)
            }
            const over = specimen.kind.lifecycle.hasEnded(here.state)
            // What is due then is the timer of its approval.
            if (here.state === "approving") continue
            expect([...due].length > 0, `${here.state} after ${event.type}`).toBe(!over)
          }
        }),
        { numRuns: triesOf(400) }
      )
    })

    covers("PAYOUT-1")
    it("frees no money while the outcome is unknown, but on the provider's own word", () => {
      const words = new Set([
        "provider.unavailable",
        "provider.failed",
        "provider.cancelled",
        "provider.reversed",
        "provider.returned",
        "provider.absent"
      ])
      fc.assert(
        fc.property(runs(specimen), ({ input, events }) => {
          const stops = run(specimen, input, events)
          for (const [index, { outcome, event }] of stops.entries()) {
            const before = stops[index - 1]?.state
            if (before !== "unknown" && before !== "submitting") continue
            const freed = outcome.postings.some(
              ({ debit, credit }) => classOf(debit) === "clearing" && isGuarded(credit)
            )
            if (freed) expect(words.has(event!.type), event!.type).toBe(true)
          }
        }),
        { numRuns: triesOf(200) }
      )
    })

    it("hears a refusal of an earlier submission as no word on the one under way", () => {
      const { lifecycle } = specimen.kind
      for (const input of Object.values(specimen.inputs)) {
        let here = lifecycle.begin(input)
        while (here.state === "approving")
          here = lifecycle.step(here.state, here.data, { type: "approval.approved", at: T0, until: T0 })!
        here = lifecycle.step(here.state, here.data, { type: "payout.begun", at: T0 })!
        here = lifecycle.step(here.state, here.data, { type: "provider.absent", at: T0 })!
        here = lifecycle.step(here.state, here.data, { type: "payout.begun", at: T0 })!
        expect(
          lifecycle.step(here.state, here.data, { type: "provider.unavailable", at: T0, attempt: 1 })
        ).toBeUndefined()
        expect(
          lifecycle.step(here.state, here.data, { type: "provider.unavailable", at: T0, attempt: 2 })?.state
        ).not.toBe(here.state)
      }
    })

    covers("PAYOUT-2")
    it("submits again under one name for ever, at 5 seconds doubling to 10 minutes", () => {
      const { lifecycle } = specimen.kind
      let here = lifecycle.begin((specimen.inputs["retrying"] ?? specimen.inputs["plain"])!)
      const waits: Array<number | undefined> = []
      for (let attempt = 1; attempt <= 10; attempt++) {
        here = lifecycle.step(here.state, here.data, { type: "payout.begun", at: T0 })!
        here = lifecycle.step(here.state, here.data, { type: "provider.unavailable", at: T0, attempt })!
        expect(here.outcome.commands.map(({ name }) => name)).toEqual(["payout"])
        waits.push(here.outcome.commands[0]?.after_ms)
      }
      expect(waits).toEqual([5, 10, 20, 40, 80, 160, 320, 600, 600, 600].map((seconds) => seconds * 1000))
    })

    covers("PAYOUT-1")
    it("asks about an unknown outcome after 10 s, 1 min, 5 min, 1 h, 6 h and then daily", () => {
      const { lifecycle } = specimen.kind
      let here = lifecycle.begin(specimen.inputs["plain"]!)
      here = lifecycle.step(here.state, here.data, { type: "payout.begun", at: T0 })!
      const waits: Array<number | undefined> = []
      for (let asked = 0; asked < 8; asked++) {
        here = lifecycle.step(here.state, here.data, { type: "provider.unknown", at: T0 })!
        expect(here.outcome.commands.map(({ operation }) => operation)).toEqual(["lookup"])
        waits.push(here.outcome.commands[0]?.after_ms)
      }
      expect(waits).toEqual([10, 60, 300, 3600, 21_600, 86_400, 86_400, 86_400].map((seconds) => seconds * 1000))
    })
  }
)

describe.each(["transfer", "offramp", "conversion", "onramp"].map((name) => [name, specimens[name]!] as const))(
  "the %s machine with several providers",
  (name, specimen) => {
    const funded = name === "onramp" ? [{ type: "payin.confirmed", at: T0, payin_id: "p", amount: "15000000" }] : []

    const likely: ReadonlyArray<MachineEvent> = [
      { type: "payout.begun", at: T0 },
      { type: "provider.unavailable", at: T0, attempt: 1, next: "second" },
      { type: "provider.unavailable", at: T0, attempt: 2, next: "third" }
    ]
    const routedEvents = fc.array(
      fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...likely) }, fc.constantFrom(...specimen.events)),
      { maxLength: 16 }
    )

    covers("ROUTE-2", "ROUTE-3", "ROUTE-4")
    it("moves on after the provider's own word on a submission alone, in the order of its route, and its money with it", () => {
      let moves = 0
      fc.assert(
        fc.property(routedEvents, (events) => {
          const stops = run(specimen, specimen.inputs["routed"]!, [...funded, ...events])
          const postings: Array<Posting> = []
          const had: Array<string> = [stops[0]!.data.provider]
          let uncertain = false
          for (const [index, { data, event, outcome, state }] of stops.entries()) {
            postings.push(...outcome.postings)
            const before = stops[index - 1]
            if (data.provider !== had.at(-1)) {
              moves++
              expect(uncertain, `moved to ${data.provider} on ${event!.type}`).toBe(false)
              expect(event).toMatchObject({ type: "provider.unavailable", attempt: before!.data.attempts })
              expect(before!.data.route).toContain(data.provider)
              expect(had).not.toContain(data.provider)
              had.push(data.provider)
            } else if (before?.state === "submitting" && event?.type.startsWith("recall") !== true) uncertain = true
            if (/^(submitting|unknown|waiting|rerouted)$/.test(state))
              expect(accountsOf(postings, "clearing")).toEqual([expect.stringContaining(`clearing:${data.provider}/`)])
            if (isOver(specimen, stops[index]!)) expect(accountsOf(postings, "clearing")).toEqual([])
          }
        }),
        { numRuns: triesOf(600) }
      )
      expect(moves).toBeGreaterThan(triesOf(600) / 40)
    })
  }
)
