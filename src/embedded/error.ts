/** The one error of the promise API. */
import { Cause, Option } from "effect"
import { type Code, codeOf, faultsOf, messageOf, retryAfterMs } from "../engine/calls/codes.ts"
import type { Fault, FieldFault, Refusal } from "../engine/ports/errors.ts"

/**
 * Why a call was refused or could not be answered.
 *
 * `code`: one of the codes of `/v1`. `errors`: the offending fields, where there are any. `retryAfterMs`: how long to wait
 * before trying again, where that can help. `cause`: of an `internal_error`, what happened, for a log.
 */
export class CorridorError extends Error {
  override readonly name = "CorridorError"
  readonly code: Code
  readonly errors: ReadonlyArray<FieldFault>
  readonly retryAfterMs: number | undefined

  constructor(
    code: Code,
    message: string,
    about: {
      readonly errors?: ReadonlyArray<FieldFault>
      readonly retryAfterMs?: number | undefined
      readonly cause?: unknown
    } = {}
  ) {
    super(message, about.cause === undefined ? undefined : { cause: about.cause })
    this.code = code
    this.errors = about.errors ?? []
    this.retryAfterMs = about.retryAfterMs
  }
}

/** What a failed Effect is told as. */
export const errorOf = (cause: Cause.Cause<Refusal | Fault>): CorridorError => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure)) {
    return new CorridorError("internal_error", "Something failed on our side.", { cause: Cause.squash(cause) })
  }
  const error = failure.value
  const code = codeOf(error)
  return new CorridorError(code, messageOf(error), {
    errors: faultsOf(error),
    retryAfterMs: retryAfterMs(error),
    ...(code === "internal_error" ? { cause: error } : {})
  })
}
