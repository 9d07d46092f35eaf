/** The kinds of values in messages. Amounts are decimal strings; instants are RFC 3339 texts in UTC. */
import { Effect, Schema } from "effect"
import { isStorable } from "../engine/ports/storable.ts"
import { isAmount } from "../machines/kernel/money.ts"

/** The longest text, in characters. */
export const TEXT_MAX = 500
/** The longest id of a command, in characters. */
export const ID_MAX = 200
/** The longest cursor, in characters. */
export const CURSOR_MAX = 8192

/** A text that a store keeps unchanged. */
const Stored = Schema.String.check(
  Schema.makeFilter(isStorable, { expected: "a text without NUL or unpaired surrogates" })
)

/** A text of 1 to 500 characters. */
export const Text = Stored.check(Schema.isMinLength(1), Schema.isMaxLength(TEXT_MAX))
/** A text that may be empty. */
export const Reported = Stored.check(Schema.isMaxLength(TEXT_MAX))
/** The id of a connector. */
export const ConnectorId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/, {
    expected: "1 to 100 letters, digits, `.`, `_`, `:` and `-`, the first a letter or digit"
  })
)
/** The id of a command. */
export const Id = Stored.check(Schema.isMinLength(1), Schema.isMaxLength(ID_MAX))
export const Cursor = Stored.check(Schema.isMaxLength(CURSOR_MAX))

/**
 * A text of a form. `pattern` is for the published document, where the form is looser than the check, and `sample` matches only
 * valid texts, for generated ones.
 */
const formed = (isValid: (text: string) => boolean, expected: string, pattern: string, sample: string) =>
  Schema.String.check(
    Schema.makeFilter(isValid, {
      expected,
      toJsonSchema: () => ({ pattern }),
      arbitraryConstraint: { patterns: [{ source: sample, flags: "" }] }
    })
  )

const amountPattern = "\\d{1,18}(\\.\\d{1,18})?"
const positiveSample = "[1-9][0-9]{0,17}(\\.[0-9]{1,18})?"

/** Zero or more. */
export const Amount = formed(
  isAmount,
  "a decimal string such as 100.25, with at most 18 digits on each side of the point",
  `^${amountPattern}$`,
  "^[0-9]{1,18}(\\.[0-9]{1,18})?$"
)

/** More than zero. */
export const PositiveAmount = formed(
  (text) => isAmount(text) && /[1-9]/.test(text),
  "a positive decimal string such as 100.25, with at most 18 digits on each side of the point",
  `^${amountPattern}$`,
  `^${positiveSample}$`
)

/** An amount that may be negative, such as the balance of an overdrawn account. */
export const SignedAmount = formed(
  (text) => isAmount(text.replace(/^-/, "")),
  "a decimal string such as -100.25, with at most 18 digits on each side of the point",
  `^-?${amountPattern}$`,
  `^-?${positiveSample}$`
)

const instantPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|\+00:00)$/

/**
 * The epoch milliseconds of an instant, rounded down. Undefined for a text that is not an RFC 3339 instant in UTC, such as
 * one with an offset or a day that the month does not have.
 */
export const epochOf = (text: string): number | undefined => {
  const [, day] = instantPattern.exec(text) ?? []
  const at = day === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(`${day}T`) ? undefined : at
}

/** The instant of epoch milliseconds. Throws `RangeError` for a time that a date cannot represent. */
export const instantOf = (epoch_ms: number): string => new Date(epoch_ms).toISOString()

/** An RFC 3339 instant in UTC: `2026-05-04T09:30:00Z`, with at most nine decimals of a second. */
export const Instant = formed(
  (text) => epochOf(text) !== undefined,
  "an RFC 3339 instant in UTC such as 2026-05-04T09:30:00Z",
  instantPattern.source,
  "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?Z$"
)

/** A member that may be null or absent. It is null after decoding. */
export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.NullOr(schema)
    .annotate({ description })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/** A member that must be present. */
export const required = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })
