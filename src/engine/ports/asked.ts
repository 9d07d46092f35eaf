/**
 * The questions that a request asks of providers and of the market before it writes. What it writes keeps them in its history
 * (TIMELINE-6). Jobs record their own calls.
 */
import { Cause, Clock, Context, Effect, Exit } from "effect"
import type { AskedOperation, CallRecord } from "./storage-records.ts"
import { onExitSync } from "./when-ended.ts"

/** A request that asks more has a history of the first of them. */
const questionsMax = 20

/** The answers to what the request that a fiber serves has asked. `undefined`: nothing is recorded. */
export const Asked = Context.Reference<Array<CallRecord> | undefined>("corridor/engine/Asked", {
  defaultValue: () => undefined
})

export interface Question<A> {
  readonly provider: string
  readonly operation: AskedOperation
  /** The provider's idempotency key, if the question has one. */
  readonly command: string | null
  /** The answer in one word. It has nothing that identifies a person. */
  readonly answerOf: (answer: A) => string
}

/** Asks, and records the answer for the history of what the request writes. The time is the service's. */
export const recordAnswer = <A, E>(
  { answerOf, command, operation, provider }: Question<A>,
  ask: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const asked = fiber.getRef(Asked)
    if (asked === undefined || asked.length >= questionsMax) return ask
    return Clock.clockWith((clock) => {
      const began = clock.monotonicTimeNanosUnsafe()
      return onExitSync(ask, (exit) => {
        const latency_ms = Math.round(Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6)
        const answer = Exit.isSuccess(exit)
          ? answerOf(exit.value)
          : Cause.hasInterruptsOnly(exit.cause)
            ? "given_up"
            : "fault"
        const at = clock.currentTimeMillisUnsafe()
        asked.push({ command, provider, operation, attempt: 1, at, latency_ms, answer })
      })
    })
  })
