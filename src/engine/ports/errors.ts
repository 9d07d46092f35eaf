/**
 * The errors of the engine, in three groups.
 *
 * *Refusals* concern the caller: they are typed, carry data only, and there is one class for each `/v1` error code;
 * `http/envelope.ts` decides their HTTP form. *Faults* concern the environment: a store or a provider that cannot be
 * reached. *Defects* are bugs of the engine, and are never caught by type.
 */
import { Schema } from "effect"
import { iso } from "./Time.ts"

/** What a refusal by a limit says of it (LIMITS-5). */
export const limitMembers = {
  limit_id: Schema.optionalKey(Schema.String).annotateKey({
    description: "With `limit_exceeded`: the limit.",
    examples: ["lim_01j9z3k4m5n6p7q8r9s0t1v2w3"]
  }),
  max: Schema.optionalKey(Schema.Union([Schema.String, Schema.Int])).annotateKey({
    description: "With `limit_exceeded`: its `max_amount`, or its `max_count` as a number.",
    examples: ["10000.00"]
  }),
  used: Schema.optionalKey(Schema.Union([Schema.String, Schema.Int])).annotateKey({
    description: "With `limit_exceeded`: what is used of the maximum.",
    examples: ["9950.00"]
  }),
  resets_at: Schema.optionalKey(Schema.NullOr(Schema.String.annotate({ format: "date-time" }))).annotateKey({
    description: "With `limit_exceeded`: when its window has room again. Null where it never has.",
    examples: ["2026-02-01T00:00:00.000Z"]
  })
}

/**
 * One invalid field: its dotted path, the kind of error, and a sentence that says what was found and what is accepted.
 */
export const FieldFault = Schema.Struct({
  field: Schema.String.annotateKey({
    description: "The dotted path of the field, such as `details.account_number`, or the name of the parameter.",
    examples: ["details.account_number"]
  }),
  code: Schema.Literals([
    "required",
    "invalid_type",
    "invalid_format",
    "invalid_value",
    "too_long",
    "unknown_field",
    "limit_exceeded"
  ]).annotateKey({
    description:
      "What is wrong. `invalid_type`: another JSON type. `invalid_format`: not written as it has to be. `invalid_value`: written well, but not accepted. `too_long`: over its length. `unknown_field`: no field of this request has this name, with `Prefer: handling=strict`. `limit_exceeded`: a limit has no room for it; `limit_id`, `max`, `used` and `resets_at` say which and when."
  }),
  message: Schema.String.annotateKey({
    description: "A sentence that says what was found and what is accepted.",
    examples: ["name is missing; it takes a string of 1 to 200 characters"]
  }),
  place: Schema.optionalKey(Schema.String).annotateKey({
    description: "Of a file: where it is, a line or the path of an element.",
    examples: ["line 12"]
  }),
  found: Schema.optionalKey(Schema.String).annotateKey({
    description: "Of a file: what stands at the place.",
    examples: ["the amount 1.234"]
  }),
  taken: Schema.optionalKey(Schema.String).annotateKey({
    description: "Of a file: what is accepted instead.",
    examples: ["at most 2 decimals in EUR"]
  }),
  ...limitMembers
})
export type FieldFault = typeof FieldFault.Type

/** Makes the base class of a refusal with a message. */
const refusal =
  <Self>() =>
  <const Tag extends string>(tag: Tag) =>
    Schema.TaggedError<Self>()(tag, { message: Schema.String })

/** Makes the base class of a refusal with a message and the fields at fault. */
const refusalOfFields =
  <Self>() =>
  <const Tag extends string>(tag: Tag) =>
    Schema.TaggedError<Self>()(tag, { message: Schema.String, errors: Schema.Array(FieldFault) })

/**
 * The body does not match its schema: a required field is missing, or a field has a wrong type, format, length or enum
 * value.
 */
export class BadRequest extends refusalOfFields<BadRequest>()("BadRequest") {}
/**
 * The body matches its schema, but a value has no valid meaning: a mismatch, an amount out of range, an id of another
 * type.
 */
export class InvalidInput extends refusalOfFields<InvalidInput>()("InvalidInput") {}
/** The amount has more decimals than the currency settles. */
export class InvalidAmountPrecision extends refusalOfFields<InvalidAmountPrecision>()("InvalidAmountPrecision") {}
/** The country is on the list of prohibited countries. */
export class ProhibitedCountry extends refusalOfFields<ProhibitedCountry>()("ProhibitedCountry") {}
/** The provider does not recognise the bank account. */
export class AccountResolutionFailed extends refusalOfFields<AccountResolutionFailed>()("AccountResolutionFailed") {}
/** The API key is missing or invalid. */
export class AuthenticationFailed extends refusal<AuthenticationFailed>()("AuthenticationFailed") {}
/** The API key is valid, but its merchant is not active. */
export class MerchantInactive extends refusal<MerchantInactive>()("MerchantInactive") {}
/** The role of the key does not allow the call, or the feature is switched off. */
export class Forbidden extends refusal<Forbidden>()("Forbidden") {}
/** The requested role is above the caller's own. */
export class ForbiddenKeyRole extends refusal<ForbiddenKeyRole>()("ForbiddenKeyRole") {}
/** The currency is gated and the merchant has no grant. */
export class ResourceAccessRequired extends refusal<ResourceAccessRequired>()("ResourceAccessRequired") {}
/** The id is unknown, or belongs to another merchant. */
export class NotFound extends refusal<NotFound>()("NotFound") {}
/** The state of the resource does not allow the action. */
export class InvalidStatus extends refusal<InvalidStatus>()("InvalidStatus") {}
/**
 * The resource was modified after the caller read it. With `contended`, other requests kept changing its rows while this
 * one was decided: sent again, it may succeed, also with its `If-Match`.
 */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  message: Schema.String,
  contended: Schema.optionalKey(Schema.Literal(true))
}) {}
/** A value that must be unique is already in use. */
export class DuplicateResource extends refusal<DuplicateResource>()("DuplicateResource") {}
/** The idempotency key was used for another request. */
export class IdempotencyConflict extends refusal<IdempotencyConflict>()("IdempotencyConflict") {}
/** The first request with this idempotency key is still running. */
export class IdempotencyInProgress extends refusal<IdempotencyInProgress>()("IdempotencyInProgress") {}
/** The merchant has the maximum number of active keys. */
export class ApiKeyLimitExceeded extends refusal<ApiKeyLimitExceeded>()("ApiKeyLimitExceeded") {}
/** The merchant already has access to the currency. */
export class AccessAlreadyGranted extends refusal<AccessAlreadyGranted>()("AccessAlreadyGranted") {}
/** The wallet's available balance is below the amount. */
export class InsufficientFunds extends refusal<InsufficientFunds>()("InsufficientFunds") {}
/** Too many requests. The next one is accepted after `retry_after_ms`. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: Schema.String,
  retry_after_ms: Schema.Number
}) {}
/** An external service does not respond: the provider (payshap) or the rate source. */
export class ExternalServiceUnavailable extends refusal<ExternalServiceUnavailable>()("ExternalServiceUnavailable") {}

/** All refusals: the errors that a caller can get, and that are stored for a repeat. */
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

/**
 * The store could not be reached or did not respond. `retryable` is false for an error that would occur again (invalid
 * SQL, a missing permission).
 */
export class StorageFault extends Schema.TaggedError<StorageFault>()("StorageFault", {
  message: Schema.String,
  retryable: Schema.Boolean,
  cause: Schema.optional(Schema.Defect())
}) {}

/**
 * The cause of a `StorageFault` for data that a newer release has written. The data stays unchanged, for a node of that
 * release.
 */
export class NewerRelease extends Error {
  override readonly name = "NewerRelease"
}

/** A fault for data of a newer release than this node. Another node may not have it. */
export const makeNewerReleaseFault = (what: string): StorageFault => {
  const cause = new NewerRelease(`${what} was written by a newer release than this node runs`)
  return new StorageFault({ message: cause.message, retryable: true, cause })
}

/** The cause of a `StorageFault` for data that is under an encryption key which is not configured. `key`: its id. */
export class MissingKey extends Error {
  override readonly name = "MissingKey"
  readonly key: string
  constructor(key: string, message: string) {
    super(message)
    this.key = key
  }
}

/** A fault for a text that another node has sealed under a key that this one lacks. That node can open it. */
export const makeMissingKeyFault = (key: string): StorageFault => {
  const message = `a stored text is under the encryption key ${key}, which this node does not have`
  return new StorageFault({ message, retryable: true, cause: new MissingKey(key, message) })
}

/**
 * The provider did not give a definite answer: a timeout, a 5xx, a dropped connection. The outcome is unknown, never
 * failed.
 */
export class ProviderFault extends Schema.TaggedError<ProviderFault>()("ProviderFault", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect())
}) {}

export type Fault = StorageFault | ProviderFault

/** Errors that postpone a decision: the store, or an external service that it needs, does not respond. */
export type Unavailable = StorageFault | ExternalServiceUnavailable

/** A violated invariant of the engine: a bug. It is raised as a defect, and the resource stays unchanged. */
export class InvariantViolation extends Error {
  override readonly name = "InvariantViolation"
  readonly rule: string
  constructor(rule: string, options?: ErrorOptions) {
    super(rule, options)
    this.rule = rule
  }
}

/** The members of a refusal of one field: its message, and `errors` with that field. */
export const makeFieldRefusal = (
  name: string,
  code: FieldFault["code"],
  message: string
): { message: string; errors: Array<FieldFault> } => ({ message, errors: [{ field: name, code, message }] })

export const invalid = (name: string, message: string): InvalidInput =>
  new InvalidInput(makeFieldRefusal(name, "invalid_value", message))

/** Refuses a range whose start is not before its end. Both fields are at fault. */
export const makeRangeError = (from: string, to: string, message: string): InvalidInput =>
  new InvalidInput({
    message,
    errors: [from, to].map((name): FieldFault => ({ field: name, code: "invalid_value", message }))
  })

/** Refuses a range without an end that starts after now. Its start is at fault. */
export const refuseFuture = (name: string, at: number, now: number): InvalidInput =>
  invalid(name, `${name} is ${iso(at)}, and it is ${iso(now)} now. ${name} takes a time that has passed.`)
