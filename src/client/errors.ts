/** What a call rejects with. */
import type { ErrorCode, FieldFault, NextSteps, Warning } from "./generated/resources.ts"

/**
 * Whether the request had an effect. `none`: it had none. `unknown`: it may have had one. Repeat the call with the same
 * idempotency key to learn the outcome; without a key, read the resource first.
 */
export type Outcome = "none" | "unknown"

/**
 * The service has refused the call, or failed.
 *
 * `code`: decide by it, never by `message`. `status`: the HTTP status. `requestId`: for questions to the operator of the service.
 * `errors`: the invalid fields, if any. `nextSteps`: what a developer can do. `retryAfterMs`: when a repeat can help, if it can.
 * `idempotencyKey`: the key of the call, if it has one. `outcome`: `unknown` when the service failed, or when an earlier attempt
 * of the same call was lost and no later one has learned its outcome.
 */
export class CorridorError extends Error {
  override readonly name = "CorridorError"
  readonly code!: ErrorCode
  readonly status!: number
  readonly requestId!: string
  readonly errors!: ReadonlyArray<FieldFault>
  readonly warnings!: ReadonlyArray<Warning>
  readonly nextSteps!: NextSteps | undefined
  readonly retryAfterMs!: number | undefined
  readonly idempotencyKey!: string | undefined
  readonly outcome!: Outcome

  constructor(message: string, about: Omit<CorridorError, keyof Error>) {
    super(message)
    Object.assign(this, about)
  }
}

/**
 * Why there is no response of the service. `network`: the connection failed or ended early. `timeout`: the attempt took longer
 * than `timeoutMs`. `aborted`: the caller's signal. `invalid_response`: something else has responded, such as a proxy.
 */
export type ConnectionFault = "network" | "timeout" | "aborted" | "invalid_response"

/**
 * The service has not responded. `outcome` is `unknown` for every call but a read: never treat it as a failure. `attempts`: how
 * many requests were sent. `status`: the HTTP status of an invalid response.
 */
export class CorridorConnectionError extends Error {
  override readonly name = "CorridorConnectionError"
  readonly reason!: ConnectionFault
  readonly status!: number | undefined
  readonly attempts!: number
  readonly idempotencyKey!: string | undefined
  readonly outcome!: Outcome

  constructor(
    message: string,
    { cause, ...about }: Omit<CorridorConnectionError, keyof Error> & { readonly cause: unknown }
  ) {
    super(message, { cause })
    Object.assign(this, about)
  }
}

/** Says what to do about an unknown outcome, as the end of a message. */
export const adviseOnOutcome = (outcome: Outcome, idempotencyKey: string | undefined): string => {
  if (outcome === "none") return ""
  return idempotencyKey === undefined
    ? " The outcome is unknown: read the resource before you repeat the call."
    : ` The outcome is unknown: repeat the call with the same idempotency key, ${idempotencyKey}.`
}
