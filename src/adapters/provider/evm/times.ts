/**
 * The times that the parts of a call have. Law: together they end before the engine gives the call up, so that a reading tells what is
 * in the books, and a submission says what it knows.
 */
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { providerTimeoutMs } from "../../../engine/ports/Provider.ts"

const computeCallTimeShare = (share: number): number => providerTimeoutMs * share

/** The time limits of the parts of one chain reading. */
export const readingParts = {
  view: computeCallTimeShare(0.2),
  deposits: computeCallTimeShare(0.45),
  upkeep: computeCallTimeShare(0.25)
} as const

/** The parts of a submission, before it signs: its turn among the others of the process, and what it reads of the chain. */
export const submissionParts = { turn: computeCallTimeShare(0.3), chain: computeCallTimeShare(0.25) } as const

/** Stops an effect after `ms`. Errors: `ProviderFault` when it stops it. */
export const limitTime = <A>(ms: number, what: string, effect: Effect.Effect<A, ProviderFault>) =>
  Effect.timeoutOrElse(effect, {
    duration: ms,
    orElse: () => Effect.fail(new ProviderFault({ message: `${what}: no answer within ${ms} ms` }))
  })

/** Starts a timer. The returned effect says whether less than `ms` milliseconds have passed, so that more work may begin. */
export const startTimer = (ms: number): Effect.Effect<Effect.Effect<boolean>> =>
  Effect.map(Clock.currentTimeMillis, (began) => Effect.map(Clock.currentTimeMillis, (now) => now - began < ms))
