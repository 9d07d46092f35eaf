/**
 * How every entry point reports a refusal or a fault: its `/v1` code and the HTTP status of that code, its message, when to
 * retry, and whether it is stored for repeats of the idempotency key.
 */
import type { Fault, FieldFault, Refusal } from "../ports/errors.ts"

/** The error codes (ERROR-1 to ERROR-23). */
export const codes = [
  "bad_request",
  "invalid_input",
  "invalid_amount_precision",
  "prohibited_country",
  "account_resolution_failed",
  "authentication_failed",
  "merchant_inactive",
  "forbidden",
  "forbidden_key_role",
  "resource_access_required",
  "not_found",
  "invalid_status",
  "conflict",
  "duplicate_resource",
  "idempotency_conflict",
  "idempotency_in_progress",
  "api_key_limit_exceeded",
  "access_already_granted",
  "ledger_insufficient_funds",
  "rate_limited",
  "internal_error",
  "external_service_unavailable"
] as const
export type Code = (typeof codes)[number]

/** The HTTP status of each code. A missing code does not compile. */
export const statuses = {
  bad_request: 400,
  invalid_input: 400,
  invalid_amount_precision: 400,
  prohibited_country: 400,
  account_resolution_failed: 400,
  authentication_failed: 401,
  merchant_inactive: 401,
  forbidden: 403,
  forbidden_key_role: 403,
  resource_access_required: 403,
  not_found: 404,
  invalid_status: 409,
  conflict: 409,
  duplicate_resource: 409,
  idempotency_conflict: 409,
  idempotency_in_progress: 409,
  api_key_limit_exceeded: 409,
  access_already_granted: 409,
  ledger_insufficient_funds: 422,
  rate_limited: 429,
  internal_error: 500,
  external_service_unavailable: 500
} as const satisfies Record<Code, number>
export type Status = (typeof statuses)[Code]

const table = {
  BadRequest: "bad_request",
  InvalidInput: "invalid_input",
  InvalidAmountPrecision: "invalid_amount_precision",
  ProhibitedCountry: "prohibited_country",
  AccountResolutionFailed: "account_resolution_failed",
  AuthenticationFailed: "authentication_failed",
  MerchantInactive: "merchant_inactive",
  Forbidden: "forbidden",
  ForbiddenKeyRole: "forbidden_key_role",
  ResourceAccessRequired: "resource_access_required",
  NotFound: "not_found",
  InvalidStatus: "invalid_status",
  Conflict: "conflict",
  DuplicateResource: "duplicate_resource",
  IdempotencyConflict: "idempotency_conflict",
  IdempotencyInProgress: "idempotency_in_progress",
  ApiKeyLimitExceeded: "api_key_limit_exceeded",
  AccessAlreadyGranted: "access_already_granted",
  InsufficientFunds: "ledger_insufficient_funds",
  RateLimited: "rate_limited",
  ExternalServiceUnavailable: "external_service_unavailable",
  StorageFault: "internal_error",
  ProviderFault: "internal_error"
} as const satisfies Record<(Refusal | Fault)["_tag"], Code>

export const codeOf = (error: Refusal | Fault): Code => table[error._tag]

/** The refusals of a call with an idempotency key that are not stored for a repeat (IDEM-7, IDEM-9). */
const unkept: ReadonlySet<Code> = new Set([
  "authentication_failed",
  "merchant_inactive",
  "forbidden_key_role",
  "rate_limited",
  "idempotency_conflict",
  "idempotency_in_progress",
  "internal_error",
  "external_service_unavailable"
] satisfies ReadonlyArray<Code>)

/** Whether a refusal with this code is stored for repeats of the idempotency key. */
export const isKept = (code: Code): boolean => !unkept.has(code)

/** Whether a call failed because other writes kept changing its rows. Sent again, it may succeed. */
export const isContended = (error: Refusal | Fault): boolean => error._tag === "Conflict" && error.contended === true

/** The time that a caller should wait before it retries, in milliseconds; `undefined` if a retry does not help. */
export const retryAfterMs = (error: Refusal | Fault): number | undefined => {
  switch (error._tag) {
    case "RateLimited":
      return error.retry_after_ms
    case "IdempotencyInProgress":
      return 1000
    case "StorageFault":
      return error.retryable ? 1000 : undefined
    case "ProviderFault":
    case "ExternalServiceUnavailable":
      return 5000
    default:
      return undefined
  }
}

/** The message for a caller. The details of a fault are logged only (HTTP-13). */
export const describeError = (error: Refusal | Fault): string =>
  error._tag === "StorageFault" || error._tag === "ProviderFault"
    ? "The request could not be completed. Repeat it to learn its outcome."
    : error.message

/** Lists the invalid fields that a refusal names; empty if it names none. */
export const listFieldFaults = (error: Refusal | Fault): ReadonlyArray<FieldFault> =>
  "errors" in error ? error.errors : []
