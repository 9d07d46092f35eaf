/** Laws of a verification: what a verdict takes, and which held deposits an approval releases, against a model. */
import fc from "fast-check"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Verification, type VerificationData, type VerificationEvent } from "../../src/machines/parties/verification.ts"
import { specimens, T0 } from "../support/machines/specimens.ts"
import { verifying } from "../support/merchants/verification.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { triesOf } from "../support/properties/tries.ts"

const specimen = specimens["verification"]!
const isOver = (state: string): boolean => state === "approved" || state === "rejected"

describe("a verification, whatever it hears and whenever,", () => {
  const runs = fc.array(fc.constantFrom(...specimen.events), { maxLength: 30 })

  it("ends by one verdict, given while its link held or on what was submitted by then, and has a link exactly until then", () => {
    fc.assert(
      fc.property(runs, (events) => {
        let { state, data } = Verification.begin(specimen.inputs["new"] as VerificationData)
        let verdicts = 0
        for (const event of events) {
          const before = data
          const next = Verification.step(state, data, event as unknown as VerificationEvent)
          if (next === undefined) continue
          if (isOver(next.state)) {
            verdicts++
            if (state !== "in_review") expect(Number(event["at"])).toBeLessThan(before.link!.expires_at)
            expect(event.type).toBe(`provider.${next.state}`)
          }
          ;({ state, data } = next)
          expect(data.link === null).toBe(isOver(state))
          expect(data.submission !== null).toBe(state === "in_review")
          expect(data.approval !== null).toBe(state === "approved")
          expect(data.failure_reason !== null).toBe(state === "rejected")
        }
        expect(verdicts).toBe(isOver(state) ? 1 : 0)
      }),
      { numRuns: triesOf(400) }
    )
  })

  it("never loses its deadline: without a verdict and with a link that holds, a timer is armed for the link's lapse", () => {
    fc.assert(
      fc.property(runs, (events) => {
        const begun = Verification.begin(specimen.inputs["new"] as VerificationData)
        let { state, data } = begun
        let armed: number | null = begun.outcome.timers[0]?.at ?? null
        for (const event of events) {
          const next = Verification.step(state, data, event as unknown as VerificationEvent)
          if (next === undefined) continue
          if (event.type === "timer.link_expiry" || next.outcome.cancels.includes("link_expiry")) armed = null
          for (const timer of next.outcome.timers) if (timer.name === "link_expiry") armed = timer.at ?? null
          ;({ state, data } = next)
          if (state === "pending" || state === "in_progress") expect(armed).toBe(data.link!.expires_at)
          else expect(armed).toBeNull()
        }
      }),
      { numRuns: triesOf(400) }
    )
    expect(T0).toBeLessThan((specimen.inputs["new"] as VerificationData).link!.expires_at)
  })
})

/** Whole cents as USDC. */
const usdc = (cents: number): string => `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`

/** The oldest first, each that fits: which of them, and what they come to. */
const model = (
  amounts: ReadonlyArray<number>,
  room: number
): { readonly released: ReadonlyArray<boolean>; readonly sum: number } => {
  let sum = 0
  const released = amounts.map((amount) => {
    if (sum + amount > room) return false
    sum += amount
    return true
  })
  return { released, sum }
}

describe("an approval", () => {
  it("releases of any held deposits the oldest first, each that fits, and the next tier the rest", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.integer({ min: 1, max: 6_000_000 }), fc.integer({ min: 1, max: 500_000 })), {
          minLength: 1,
          maxLength: 10
        }),
        (amounts) =>
          Effect.runPromise(
            Effect.gen(function* () {
              const m = yield* verifying()
              const { balance, pay, status } = yield* m.payer()
              yield* pay("1000")
              const ids = yield* Effect.forEach(amounts, (amount) => pay(usdc(amount)))
              const { released, sum } = model(amounts, 4_900_000)
              yield* m.says((yield* m.start()).id, "approved")
              const total = amounts.reduce((all, amount) => all + amount, 0)
              expect(yield* Effect.forEach(ids, status)).toEqual(
                released.map((one) => (one ? "success" : "processing"))
              )
              expect(yield* balance).toEqual({
                available: usdc(100_000 + sum),
                reserved: "0.00",
                held: usdc(total - sum)
              })
              yield* m.says((yield* m.start()).id, "approved")
              expect(yield* balance).toEqual({ available: usdc(100_000 + total), reserved: "0.00", held: "0.00" })
            }).pipe(Effect.provide(makeSimulatedEngine()))
          )
      ),
      { numRuns: triesOf(40) }
    ))
})
