/** An accepted submission and the outcome that comes within a moment are one commit; otherwise each is its own. */
import { Context, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { assert, it } from "vitest"
import type { HandlerResult } from "../../../src/engine/commit/call.ts"
import type { CallRecord } from "../../../src/engine/ports/Storage.ts"
import { OutcomeWindow } from "../../../src/engine/settings/settings.ts"
import { type AcceptedAnswers, makeAcceptedAnswers } from "../../../src/engine/work/providers/accepted-answers.ts"
import { interruptAnywhere } from "../../support/faults/interrupted.ts"
import { covers } from "../../support/repository/covers.ts"

const WINDOW_MS = 5

const record: CallRecord = {
  command: "tfr_1.payout",
  provider: "alpha",
  operation: "submit",
  attempt: 1,
  at: 1,
  latency_ms: 2,
  answer: "accepted"
}

/** What one story leaves: how often the answer was kept alone, and the calls that each outcome was applied with. */
interface Story {
  readonly answers: AcceptedAnswers
  readonly keep: Effect.Effect<void>
  readonly outcome: (result: Effect.Effect<HandlerResult, string>, command?: string) => Effect.Effect<unknown>
}

const leaves = (window_ms: number, story: (given: Story) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const answers = yield* makeAcceptedAnswers
    let kept = 0
    const outcomes: Array<number> = []
    const keep = answers.keep(
      record,
      Effect.sync(() => void kept++)
    )
    yield* story({
      answers,
      keep,
      outcome: (result, command = "tfr_1.payout") =>
        Effect.exit(
          answers.telling(command, (calls) => {
            assert.deepEqual(calls, calls.length === 0 ? [] : [record])
            outcomes.push(calls.length)
            return result
          })
        )
    })
    return [kept, outcomes]
  }).pipe(Effect.provideService(OutcomeWindow, window_ms), Effect.provide(TestClock.layer()), Effect.runPromise)

const waited = (keep: Effect.Effect<void>, meanwhile: Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(keep, { startImmediately: true })
    yield* meanwhile
    yield* TestClock.adjust(WINDOW_MS)
    yield* Fiber.join(fiber)
  })

covers("TIMELINE-5")
it.each<[string, Effect.Effect<HandlerResult, string>, number]>([
  ["that is applied has the answer", Effect.succeed("applied"), 0],
  ["that is ignored leaves it alone", Effect.succeed("ignored"), 1],
  ["that was known leaves it alone", Effect.succeed("duplicate"), 1],
  ["that could not be written leaves it alone", Effect.fail("no store"), 1]
])("an outcome within the window %s", async (_, result, kept) => {
  assert.deepEqual(await leaves(WINDOW_MS, ({ keep, outcome }) => waited(keep, outcome(result))), [kept, [1]])
})

it("an outcome of another command, one before the answer and one after the window are without it", async () => {
  const applied = Effect.succeed<HandlerResult>("applied")
  const story = ({ keep, outcome }: Story) =>
    outcome(applied).pipe(
      Effect.andThen(waited(keep, outcome(applied, "tfr_2.payout"))),
      Effect.andThen(outcome(applied))
    )
  assert.deepEqual(await leaves(WINDOW_MS, story), [1, [0, 0, 0]])
})

it("one of two outcomes has the answer", async () => {
  const applied = Effect.succeed<HandlerResult>("applied")
  const story = ({ keep, outcome }: Story) => waited(keep, Effect.andThen(outcome(applied), outcome(applied)))
  assert.deepEqual(await leaves(WINDOW_MS, story), [0, [1, 0]])
})

it.each<[HandlerResult, number]>([
  ["applied", 0],
  ["ignored", 1]
])("an outcome that is being written when the window ends is waited for: %s", async (result, kept) => {
  const story = ({ keep, outcome }: Story) =>
    Effect.gen(function* () {
      const written = yield* Deferred.make<HandlerResult>()
      const waiting = yield* Effect.forkChild(keep, { startImmediately: true })
      const writing = yield* Effect.forkChild(outcome(Deferred.await(written)), { startImmediately: true })
      yield* TestClock.adjust(2 * WINDOW_MS)
      yield* Deferred.succeed(written, result)
      yield* Fiber.join(writing)
      yield* Fiber.join(waiting)
    })
  assert.deepEqual(await leaves(WINDOW_MS, story), [kept, [1]])
})

it("without a window the answer is kept at once", async () => {
  assert.deepEqual(await leaves(0, ({ keep }) => keep), [1, []])
  assert.equal(Context.get(Context.empty(), OutcomeWindow), 0)
})

covers("TIMELINE-5")
it("an outcome that is interrupted, wherever that is, leaves the answer alone", async () => {
  assert.deepEqual(
    await leaves(WINDOW_MS, ({ answers, keep }) =>
      waited(keep, interruptAnywhere(answers.telling("tfr_1.payout", () => Effect.never)))
    ),
    [1, []]
  )
})

covers("TIMELINE-5")
it("an answer that is interrupted, wherever that is, waits for no outcome", async () => {
  const [kept, outcomes] = await leaves(WINDOW_MS, ({ keep, outcome }) =>
    interruptAnywhere(keep, outcome(Effect.succeed("applied")))
  )
  assert.deepEqual([kept, new Set(outcomes as ReadonlyArray<number>)], [0, new Set([0])])
})
