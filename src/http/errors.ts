/** The documentation of each error code. A missing code does not compile. */
import { type Code, retryAfterMs, statuses } from "../engine/calls/codes.ts"
import type { Fault, Refusal } from "../engine/ports/errors.ts"

export { type Code, codeOf, codes, isKept, describeError, statuses } from "../engine/calls/codes.ts"

/** `action`: a short imperative for the developer (ENVELOPE-12). `about`: the description of the code in the documentation. */
export interface WireError {
  readonly action: string
  readonly about: string
}

export const wire = {
  bad_request: {
    action: "Correct the fields in meta.errors and send the request again.",
    about: "A required field is missing, or a field has the wrong type, format, length or value."
  },
  invalid_input: {
    action: "Correct the values in meta.errors or in the message and send the request again.",
    about: "The request is well-formed, but a value in it is not valid for the operation."
  },
  invalid_amount_precision: {
    action: "Send the amount with at most as many decimals as the currency has.",
    about: "The amount has more decimals than its currency. Trailing zeros do not count."
  },
  prohibited_country: {
    action: "Use a country that is not on the compliance list of prohibited countries.",
    about: "The country is on the compliance list of prohibited countries."
  },
  account_resolution_failed: {
    action: "Check the account number and the bank with the account holder.",
    about: "The provider could not resolve the bank account."
  },
  authentication_failed: {
    action: "Send a valid API key of this environment as Authorization: Bearer <API_KEY>.",
    about: "The API key is missing, malformed, unknown, revoked or belongs to another environment."
  },
  merchant_inactive: {
    action: "Complete the verification of the merchant, or ask the operator to activate the merchant.",
    about: "The API key is valid, but its merchant is not active."
  },
  forbidden: {
    action: "Use a key whose role allows the operation, or ask the operator to enable the feature.",
    about: "The role of the key does not allow the operation, or the feature is disabled."
  },
  forbidden_key_role: {
    action: "Request a role that is not above the role of the calling key.",
    about: "A key cannot create a key with a role above its own."
  },
  resource_access_required: {
    action: "Request access with POST /v1/currencies/{code}/access-requests.",
    about: "The currency is gated, and the merchant has no active grant for it."
  },
  not_found: {
    action: "Check the id and the path.",
    about: "The resource does not exist for this merchant, or the route does not exist."
  },
  invalid_status: {
    action: "Read the resource and act on its current status.",
    about: "The current status of the resource does not allow the operation."
  },
  conflict: {
    action: "Read the resource again and repeat the change with its current version.",
    about: "The resource was modified after you read it."
  },
  duplicate_resource: {
    action: "Use a new value, or read the resource that has this value.",
    about: "A unique value is already in use: a reference, or a quote that was executed."
  },
  idempotency_conflict: {
    action: "Use a new Idempotency-Key for a new request.",
    about: "The Idempotency-Key was used with another method, path or body."
  },
  idempotency_in_progress: {
    action: "Wait a moment and repeat the request with the same Idempotency-Key.",
    about: "The first request with this Idempotency-Key is still running."
  },
  api_key_limit_exceeded: {
    action: "Revoke an unused key, then create the new key.",
    about: "The merchant has the maximum number of active API keys."
  },
  access_already_granted: {
    action: "Use the currency. Access is granted.",
    about: "The merchant already has an active grant for the currency."
  },
  ledger_insufficient_funds: {
    action: "Fund the wallet or lower the amount.",
    about: "The available balance of the wallet is below the amount."
  },
  rate_limited: {
    action: "Wait for the time in Retry-After, then retry with backoff, jitter and the same Idempotency-Key.",
    about:
      "The merchant exceeds its rate of money-movement writes, or the service has reached its limit of concurrent requests."
  },
  internal_error: {
    action: "Retry with backoff and the same Idempotency-Key. If the error persists, report the request_id.",
    about: "An internal error occurred."
  },
  external_service_unavailable: {
    action: "Retry later with backoff and the same Idempotency-Key.",
    about: "An external service, such as payshap, does not respond."
  }
} as const satisfies Record<Code, WireError>

export const toHttpStatus = (code: string): number => (code === "ok" ? 200 : (statuses[code as Code] ?? 500))

/** Seconds for which a client should wait before it retries; `undefined` if a retry does not help. */
export const retryAfter = (error: Refusal | Fault): number | undefined => {
  const wait = retryAfterMs(error)
  return wait === undefined ? undefined : Math.max(1, Math.ceil(wait / 1000))
}
