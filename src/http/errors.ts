/**
 * What refusals and faults look like on the wire: one row for each, and leaving one out does not compile.
 */
import { type Code, retryAfterMs } from "../engine/calls/codes.ts"
import type { Fault, Refusal } from "../engine/ports/errors.ts"

export { type Code, codeOf, codes, isKept, messageOf } from "../engine/calls/codes.ts"

/** `action` is a short imperative for the developer (ENVELOPE-12); `about` is the first sentence of the code's page. */
export interface WireError {
  readonly status: 400 | 401 | 403 | 404 | 409 | 422 | 429 | 500
  readonly action: string
  readonly about: string
}

export const wire = {
  bad_request: {
    status: 400,
    action: "Correct the fields named in meta.errors and send the request again.",
    about: "A required field is missing, or a field has the wrong type, format, length or value."
  },
  invalid_input: {
    status: 400,
    action: "Correct the values named in meta.errors or in the message and send the request again.",
    about: "The request has the right form, but a value in it does not make sense here."
  },
  invalid_amount_precision: {
    status: 400,
    action: "Send the amount with no more decimals than the currency settles.",
    about: "The amount has more decimals than its currency settles. Trailing zeros do not count."
  },
  prohibited_country: {
    status: 400,
    action: "Use a country that is not on the compliance list.",
    about: "The country is on the compliance list and cannot be served."
  },
  account_resolution_failed: {
    status: 400,
    action: "Check the account number and the bank with the account's holder.",
    about: "The bank account could not be verified with the provider."
  },
  authentication_failed: {
    status: 401,
    action: "Send a valid API key of this environment as Authorization: Bearer <API_KEY>.",
    about: "The API key is missing, malformed, unknown, revoked or of another environment."
  },
  merchant_inactive: {
    status: 401,
    action: "Finish the merchant's verification, or ask the operator to activate it.",
    about: "The API key is valid, but its merchant is not active."
  },
  forbidden: {
    status: 403,
    action: "Use a key whose role allows this call, or ask the operator to switch the feature on.",
    about: "The key's role does not allow the call, or the feature is switched off."
  },
  forbidden_key_role: {
    status: 403,
    action: "Ask for a role that is not above the calling key's own.",
    about: "A key cannot create a key of a role above its own."
  },
  resource_access_required: {
    status: 403,
    action: "Request access with POST /v1/currencies/{code}/access-requests.",
    about: "The currency is gated and the merchant has no approved grant for it."
  },
  not_found: {
    status: 404,
    action: "Check the id and the path.",
    about: "There is no such resource or route for this merchant."
  },
  invalid_status: {
    status: 409,
    action: "Read the resource and act on its current status.",
    about: "The resource's current state does not allow the action."
  },
  conflict: {
    status: 409,
    action: "Read the resource again and repeat the change on its current version.",
    about: "The resource has changed since it was last read."
  },
  duplicate_resource: {
    status: 409,
    action: "Use a new value, or read the resource that holds this one.",
    about: "A value that must be unique is in use: a reference, or a quote that was executed already."
  },
  idempotency_conflict: {
    status: 409,
    action: "Use a new Idempotency-Key for a new request.",
    about: "The Idempotency-Key was used before with another method, path or body."
  },
  idempotency_in_progress: {
    status: 409,
    action: "Wait a moment and repeat the request with the same Idempotency-Key.",
    about: "The first request with this Idempotency-Key is still running."
  },
  api_key_limit_exceeded: {
    status: 409,
    action: "Revoke a key that is no longer used, then create the new one.",
    about: "The merchant has as many active API keys as it may have."
  },
  access_already_granted: {
    status: 409,
    action: "Use the currency: access to it is granted.",
    about: "The merchant has an active grant for this currency already."
  },
  ledger_insufficient_funds: {
    status: 422,
    action: "Fund the wallet or lower the amount.",
    about: "The wallet's available balance is below the amount."
  },
  rate_limited: {
    status: 429,
    action: "Wait as Retry-After says, then retry with backoff, jitter and the same Idempotency-Key.",
    about:
      "The merchant has made too many money-movement writes, or the service is answering as many requests as it takes."
  },
  internal_error: {
    status: 500,
    action: "Retry with backoff and the same Idempotency-Key; if it persists, report the request_id.",
    about: "Something failed on our side."
  },
  external_service_unavailable: {
    status: 500,
    action: "Retry later with backoff and the same Idempotency-Key.",
    about: "A service outside, such as payshap, does not answer."
  }
} as const satisfies Record<Code, WireError>

export const statusOf = (code: string): number => (code === "ok" ? 200 : (wire[code as Code]?.status ?? 500))

/** Seconds a client is asked to wait before it retries; `undefined` where a retry does not help. */
export const retryAfter = (error: Refusal | Fault): number | undefined => {
  const wait = retryAfterMs(error)
  return wait === undefined ? undefined : Math.max(1, Math.ceil(wait / 1000))
}
