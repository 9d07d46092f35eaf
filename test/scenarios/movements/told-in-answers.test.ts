/** A word of a provider is one report: in an answer or a look-up it leads to what it leads to in an event (OUTCOME-10). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { CommandStatus, SubmissionResult } from "../../../src/engine/ports/Provider.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

/** How the second word is told, while the first comes as an event. */
type How = "submission" | "look-up" | "event"

let serial = 0
/** What comes while the provider is being asked, once. */
let meanwhile: Effect.Effect<unknown> = Effect.void

const states = (outcome: string, more: object = {}) => ({ outcome, reason: null, transaction_hash: null, ...more })

/** A provider that is told of, by its event, while it answers. */
const answering = (answer: SubmissionResult | CommandStatus) => () =>
  Effect.suspend(() => {
    const first = meanwhile
    meanwhile = Effect.void
    return Effect.as(first, answer as never)
  })

const settled = (outcome: string) => ({ _tag: "settled", outcome: states(outcome) }) as SubmissionResult
const accepted = { _tag: "accepted" } as SubmissionResult

const methodsOf = (how: How, word: string, isRefund: boolean) => {
  const asked = answering(how === "submission" ? settled(word) : accepted)
  const lookedUp = answering(how === "look-up" ? settled(word) : ({ _tag: "pending" } as CommandStatus))
  return isRefund ? { refund: asked, lookupRefund: lookedUp } : { submit: asked, lookup: lookedUp }
}

/** What is made, and whether its refund is what is told of. */
const subjects = {
  transfer: Effect.gen(function* () {
    const m = yield* merchantConverting()
    return { m, id: (yield* m.transfer("10")).id }
  }),
  offramp: Effect.gen(function* () {
    const m = yield* merchantConverting()
    return { m, id: (yield* m.offramp("10")).id }
  }),
  onramp: Effect.gen(function* () {
    const m = yield* merchantConverting()
    const ramps = yield* onrampsOf(m)
    const { id } = yield* ramps.onramp()
    yield* ramps.pays(id, "150000")
    return { m, id }
  }),
  refund: Effect.gen(function* () {
    const m = yield* merchantAtWork("0", "tier_0")
    const { transaction_id } = yield* m.deposit({ amount: "1500" })
    yield* (yield* Deposits).reject(m.operator, transaction_id!, "sanctioned")
    return { m, id: transaction_id! }
  })
} as const
type Subject = keyof typeof subjects

const words: Readonly<Record<Subject, ReadonlyArray<string>>> = {
  transfer: ["success", "failed", "reversed", "refund_failed"],
  offramp: ["success", "failed", "returned"],
  onramp: ["success", "failed", "returned"],
  refund: ["success", "failed"]
}

const pairs = Object.entries(words).flatMap(([subject, all]) =>
  all.flatMap((first) =>
    all.filter((one) => one !== first).map((second) => [subject as Subject, first, second] as const)
  )
)

/** Where it ends, and how urgent what its exceptions say is. */
const endOf = (subject: Subject, first: string, second: string, how: How) =>
  Effect.gen(function* () {
    const context = yield* Effect.context<any>()
    const { m, id } = yield* subjects[subject] as Effect.Effect<any, any, any>
    const tells = (outcome: string) =>
      Inbox.use((inbox) =>
        inbox.receive("simulated", {
          _tag: subject === "refund" ? "refund" : "movement",
          event_id: `${id} ${++serial}`,
          merchant_id: null,
          resource_id: id,
          ...(subject === "refund" ? { command_id: `${id}.refund` } : {}),
          ...states(outcome)
        } as never)
      )
    const event = Effect.orDie(Effect.provideContext(tells(first) as Effect.Effect<unknown, any, any>, context as any))
    meanwhile = how === "submission" ? (event as Effect.Effect<unknown>) : Effect.void
    yield* m.settle
    if (how === "look-up") {
      meanwhile = event as Effect.Effect<unknown>
      yield* m.advance(70)
    } else if (how === "event") {
      yield* tells(first)
      yield* tells(second)
    }
    yield* m.settle
    const { state } = yield* m.rowOf(id)
    const all: ReadonlyArray<any> = yield* m.exceptions
    // Whatever brought it, an exception is about the resource, and shows an event of it.
    for (const one of all) assert.deepEqual([one.resource_id, one.provider_event?.resource_id ?? id], [id, id])
    return {
      state,
      exceptions: all
        .map(({ amount, exposure, reason, severity }) => `${reason} ${severity} ${amount} ${exposure?.amount ?? null}`)
        .sort()
    }
  })

onMemory("what contradicts a recorded end", (run) => {
  covers("OUTCOME-10", "EXCEPTION-5", "REFUND-6")
  it.each(pairs)("is recorded however it is told: %s, %s and then %s", async (subject, first, second) => {
    const ends: Partial<Record<How, unknown>> = {}
    for (const how of ["event", "submission", "look-up"] as const)
      await run(
        Effect.gen(function* () {
          ends[how] = yield* endOf(subject, first, second, how)
        }) as Effect.Effect<void, any, any>,
        { around: (provider) => withMethods(provider, methodsOf(how, second, subject === "refund")) }
      )
    assert.deepEqual(ends["submission"], ends["event"], "in the answer of the submission")
    assert.deepEqual(ends["look-up"], ends["event"], "in the answer of a look-up")
  })

  it.each(Object.keys(words) as ReadonlyArray<Subject>)(
    "is nothing where a look-up repeats the event: %s",
    async (subject) => {
      for (const word of words[subject])
        await run(
          Effect.gen(function* () {
            const { exceptions } = (yield* endOf(subject, word, word, "look-up")) as {
              exceptions: ReadonlyArray<string>
            }
            // A refund that failed has the exception of its money.
            assert.deepEqual(
              exceptions.filter((one) => !one.startsWith("refund_failed")),
              [],
              word
            )
          }) as Effect.Effect<void, any, any>,
          { around: (provider) => withMethods(provider, methodsOf("look-up", word, subject === "refund")) }
        )
    }
  )
})
