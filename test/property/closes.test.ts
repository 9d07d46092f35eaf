/** In whatever order the days of an account are closed, and whatever people decide before and after: no open break is hidden (CLOSE-5). */
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { triesOf } from "../support/properties/tries.ts"
import { covers } from "../support/repository/covers.ts"
import { atDesk } from "../support/statements/day-desk.ts"

const acts = ["dismiss", "explain", "close", "reopen", "reverse"] as const

interface Case {
  /** The lines of the days: what each takes, in cents. */
  readonly lines: ReadonlyArray<{ readonly day: number; readonly cents: number }>
  readonly steps: ReadonlyArray<{ readonly act: (typeof acts)[number]; readonly nth: number }>
}

const arbitrary: fc.Arbitrary<Case> = fc.record({
  lines: fc.array(fc.record({ day: fc.integer({ min: 0, max: 4 }), cents: fc.integer({ min: 101, max: 9999 }) }), {
    minLength: 1,
    maxLength: 3
  }),
  steps: fc.array(fc.record({ act: fc.constantFrom(...acts, "close"), nth: fc.nat(99) }), {
    minLength: 3,
    maxLength: 12
  })
})

const history = ({ lines, steps }: Case) =>
  atDesk((own) =>
    Effect.gen(function* () {
      for (const [n, { cents, day }] of lines.entries())
        yield* own.says(own.days[day]!, [{ amount: (cents / 100).toFixed(2), remittance: `Nobody knows ${n}` }])
      const sealed = new Set<string>()
      const story: Array<string> = []
      for (const { act, nth } of steps) {
        const pick = <A>(all: ReadonlyArray<A>): A | undefined => all[nth % Math.max(1, all.length)]
        if (act === "close") {
          // Without `accept`: what is open counts on no sealed day.
          const date = pick(own.days)!
          const closed = yield* Effect.exit(own.close(date))
          if (closed._tag === "Success") sealed.add(date)
          story.push(`${act} ${date} ${closed._tag}`)
        } else if (act === "dismiss" || act === "explain") {
          const one = pick(yield* own.open)
          const accounts = act === "explain" ? { from: "costs:simulated", to: "world:simulated" } : {}
          if (one !== undefined) yield* own.resolve(one.id, { action: act, ...accounts })
          story.push(`${act} ${one?.amount}`)
        } else {
          const isReversed = act === "reverse"
          const ended = (yield* own.resolved).filter(({ adjusting_entry_id: id }) => !isReversed || id !== null)
          const one = pick(ended)
          if (one !== undefined)
            yield* isReversed
              ? Effect.exit(own.reverse(one.adjusting_entry_id!))
              : Effect.exit(own.resolve(one.id, { action: "reopen" }))
          story.push(`${act} ${one?.amount}`)
        }
        yield* own.match
        let counted = 0n
        for (const day of [...own.days, own.next(own.days[6])])
          if (!sealed.has(day)) counted += yield* own.unexplained(day)
        assert.strictEqual(counted, yield* own.inBreaks, story.join(", "))
      }
    })
  )

describe("days that are closed in any order", () => {
  covers("CLOSE-5", "CLOSE-3")
  it("count what is open, each once, on days that are open", () =>
    fc.assert(
      fc.asyncProperty(arbitrary, (one) =>
        Effect.runPromise(Effect.provide(history(one), Layer.fresh(makeSimulatedEngine())) as Effect.Effect<void>)
      ),
      { numRuns: triesOf(60) }
    ))
})
