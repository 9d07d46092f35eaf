/** The error of the promise API. */
import { Cause, Option } from "effect"
import {
  type Code,
  codeOf,
  listFieldFaults,
  describeError,
  retryAfterMs,
  type Status,
  statuses
} from "../engine/calls/codes.ts"
import type { Fault, FieldFault, Refusal } from "../engine/ports/errors.ts"

/**
 * The reason why a call was refused or failed.
 *
 * `code`: one of the codes of `/v1`. `status`: its HTTP status. `errors`: the invalid fields, if any. `retryAfterMs`: how long to wait before a retry, if
 * a retry can help. `cause`: for an `internal_error`, the underlying error, for logs.
 */
export class CorridorError extends Error {
  override readonly name = "CorridorError"
  readonly code: Code
  readonly status: Status
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
    this.status = statuses[code]
    this.errors = about.errors ?? []
    this.retryAfterMs = about.retryAfterMs
  }
}

export const toCorridorError = (cause: Cause.Cause<Refusal | Fault>): CorridorError => {
  const failure = Cause.findErrorOption(cause)
  if (Option.isNone(failure))
    return new CorridorError("internal_error", "An internal error occurred.", { cause: Cause.squash(cause) })
  const error = failure.value
  const code = codeOf(error)
  return new CorridorError(code, describeError(error), {
    errors: listFieldFaults(error),
    retryAfterMs: retryAfterMs(error),
    ...(code === "internal_error" ? { cause: error } : {})
  })
}
