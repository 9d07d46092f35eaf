/**
 * Errors in three rings.
 *
 * *Refusals* are the caller's business: typed, data only, one class for each `/v1` error code; what they look like on the
 * wire is decided in `http/errors.ts`. *Faults* are the world's: a store or a provider that cannot be reached.
 * *Defects* are ours, and never caught by type.
 */
import { Schema } from "effect"

/** One offending field: its dotted path, what is wrong with it, and a sentence that says what was found and what is taken. */
export const FieldFault = Schema.Struct({
  field: Schema.String,
  code: Schema.Literals(["required", "invalid_type", "invalid_format", "invalid_value", "too_long", "unknown_field"]),
  message: Schema.String
})
export type FieldFault = typeof FieldFault.Type

const withMessage = { message: Schema.String }
const fields = { message: Schema.String, errors: Schema.Array(FieldFault) }

/** The body does not have the form asked for (a field missing, of another type, format, length or enum). */
export class BadRequest extends Schema.TaggedError<BadRequest>()("BadRequest", fields) {}
/** The form is right and the meaning is not: a mismatch, an amount out of range, an id of another type. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", fields) {}
/** More decimals than the currency settles. */
export class InvalidAmountPrecision extends Schema.TaggedError<InvalidAmountPrecision>()(
  "InvalidAmountPrecision",
  fields
) {}
/** The country is on the compliance list. */
export class ProhibitedCountry extends Schema.TaggedError<ProhibitedCountry>()("ProhibitedCountry", fields) {}
/** The provider does not know the bank account. */
export class AccountResolutionFailed extends Schema.TaggedError<AccountResolutionFailed>()(
  "AccountResolutionFailed",
  fields
) {}
/** No key, or not one that is in use here. */
export class AuthenticationFailed extends Schema.TaggedError<AuthenticationFailed>()(
  "AuthenticationFailed",
  withMessage
) {}
/** The key is right and its merchant is not active. */
export class MerchantInactive extends Schema.TaggedError<MerchantInactive>()("MerchantInactive", withMessage) {}
/** The key's role does not allow it, or the feature is switched off. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", withMessage) {}
/** A key of a role above the caller's own. */
export class ForbiddenKeyRole extends Schema.TaggedError<ForbiddenKeyRole>()("ForbiddenKeyRole", withMessage) {}
/** The currency is gated and the merchant has no grant. */
export class ResourceAccessRequired extends Schema.TaggedError<ResourceAccessRequired>()(
  "ResourceAccessRequired",
  withMessage
) {}
/** No such id, or another merchant's. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", withMessage) {}
/** The resource's state does not allow it. */
export class InvalidStatus extends Schema.TaggedError<InvalidStatus>()("InvalidStatus", withMessage) {}
/** It was changed since it was read. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", withMessage) {}
/** A value that must be unique is taken. */
export class DuplicateResource extends Schema.TaggedError<DuplicateResource>()("DuplicateResource", withMessage) {}
/** An idempotency key used before for another request. */
export class IdempotencyConflict extends Schema.TaggedError<IdempotencyConflict>()(
  "IdempotencyConflict",
  withMessage
) {}
/** An idempotency key whose first request is still running. */
export class IdempotencyInProgress extends Schema.TaggedError<IdempotencyInProgress>()(
  "IdempotencyInProgress",
  withMessage
) {}
/** The cap on active keys is reached. */
export class ApiKeyLimitExceeded extends Schema.TaggedError<ApiKeyLimitExceeded>()(
  "ApiKeyLimitExceeded",
  withMessage
) {}
/** The currency is open to the merchant already. */
export class AccessAlreadyGranted extends Schema.TaggedError<AccessAlreadyGranted>()(
  "AccessAlreadyGranted",
  withMessage
) {}
/** The wallet's available balance is below the amount. */
export class InsufficientFunds extends Schema.TaggedError<InsufficientFunds>()("InsufficientFunds", withMessage) {}
/** Too many requests; `retry_after_ms` until the next is taken. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: Schema.String,
  retry_after_ms: Schema.Number
}) {}
/** A service outside does not answer: the provider (payshap), the rate source. */
export class ExternalServiceUnavailable extends Schema.TaggedError<ExternalServiceUnavailable>()(
  "ExternalServiceUnavailable",
  withMessage
) {}

/** Every refusal: what a caller may be told, and what is kept of it for a repeat. */
export const Refusal = Schema.Union([
  BadRequest,
  InvalidInput,
  InvalidAmountPrecision,
  ProhibitedCountry,
  AccountResolutionFailed,
  AuthenticationFailed,
  MerchantInactive,
  Forbidden,
  ForbiddenKeyRole,
  ResourceAccessRequired,
  NotFound,
  InvalidStatus,
  Conflict,
  DuplicateResource,
  IdempotencyConflict,
  IdempotencyInProgress,
  ApiKeyLimitExceeded,
  AccessAlreadyGranted,
  InsufficientFunds,
  RateLimited,
  ExternalServiceUnavailable
])
export type Refusal = typeof Refusal.Type

/** The store could not be asked or did not answer. `retryable` is false for what would fail again (bad SQL, no permission). */
export class StorageFault extends Schema.TaggedError<StorageFault>()("StorageFault", {
  message: Schema.String,
  retryable: Schema.Boolean,
  cause: Schema.optional(Schema.Defect())
}) {}

/**
 * The cause of a `StorageFault` where what is stored was written by a newer release: it is left as it is, for a node that
 * knows it.
 */
export class NewerRelease extends Error {
  override readonly name = "NewerRelease"
}

/** A fault that another node may not have: this one is of an older release than what it was to read. */
export const newerRelease = (what: string): StorageFault => {
  const cause = new NewerRelease(`${what} is of a newer release than this node`)
  return new StorageFault({ message: cause.message, retryable: true, cause })
}

/** The provider did not give a definite answer: a timeout, a 5xx, a dropped connection. The outcome is unknown, never failed. */
export class ProviderFault extends Schema.TaggedError<ProviderFault>()("ProviderFault", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export type Fault = StorageFault | ProviderFault

/** What ends a decision that is to be made again later: the store, or a service outside that it asks, does not answer. */
export type Unavailable = StorageFault | ExternalServiceUnavailable

/** A rule of ours that does not hold: a bug. Raised as a defect; the resource is left as it was. */
export class InvariantViolation extends Error {
  override readonly name = "InvariantViolation"
  readonly rule: string
  constructor(rule: string, options?: ErrorOptions) {
    super(rule, options)
    this.rule = rule
  }
}

/** A refusal of one field. */
export const field = (
  name: string,
  code: FieldFault["code"],
  message: string
): { message: string; errors: Array<FieldFault> } => ({
  message,
  errors: [{ field: name, code, message }]
})

export const invalid = (name: string, message: string): InvalidInput =>
  new InvalidInput(field(name, "invalid_value", message))
