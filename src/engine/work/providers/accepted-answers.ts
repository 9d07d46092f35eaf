/** Answers to submissions that a provider has accepted. An outcome that comes within a moment is committed with the answer. */
import { Deferred, Duration, Effect, Exit } from "effect"
import type { HandlerResult } from "../../commit/call.ts"
import type { CallRecord } from "../../ports/Storage.ts"
import { acquireUseReleaseSync } from "../../ports/when-ended.ts"
import { OutcomeWindow } from "../../settings/settings.ts"

interface Waiting {
  readonly record: CallRecord
  /** Whether the step of the outcome has the answer in its history. */
  readonly told: Deferred.Deferred<boolean>
  /** Whether an outcome is being committed with it. */
  isTaken: boolean
}

export interface AcceptedAnswers {
  /** Keeps an answer by `keep`, unless the outcome of its command comes within the window and has it. */
  readonly keep: (record: CallRecord, keep: Effect.Effect<void>) => Effect.Effect<void>
  /** Applies the outcome of a command, with the answer that waits for it. */
  readonly telling: <E>(
    command: string,
    apply: (calls: ReadonlyArray<CallRecord>) => Effect.Effect<HandlerResult, E>
  ) => Effect.Effect<HandlerResult, E>
}

export const makeAcceptedAnswers = Effect.map(OutcomeWindow, (window_ms): AcceptedAnswers => {
  const waits = new Map<string, Waiting>()

  const isTold = (command: string, record: CallRecord): Effect.Effect<boolean> =>
    acquireUseReleaseSync(
      () => {
        const waiting: Waiting = { record, told: Deferred.makeUnsafe<boolean>(), isTaken: false }
        waits.set(command, waiting)
        return waiting
      },
      (waiting) =>
        Effect.timeoutOrElse(Deferred.await(waiting.told), {
          duration: Duration.millis(window_ms),
          orElse: () => (waiting.isTaken ? Deferred.await(waiting.told) : Effect.succeed(false))
        }),
      () => void waits.delete(command)
    )

  return {
    keep: (record, keep) =>
      window_ms === 0 || record.command === null
        ? keep
        : Effect.flatMap(isTold(record.command, record), (told) => (told ? Effect.void : keep)),
    telling: (command, apply) =>
      // The call that keeps the answer waits for the one that has taken it: an interruption must not come between.
      Effect.uninterruptibleMask((restore) => {
        const waiting = waits.get(command)
        if (waiting === undefined || waiting.isTaken) return restore(apply([]))
        waiting.isTaken = true
        return Effect.onExit(restore(apply([waiting.record])), (exit) =>
          Deferred.succeed(waiting.told, Exit.isSuccess(exit) && exit.value === "applied")
        )
      })
  }
})
