/** The kinds of values in messages that only the protocol has. Instants are RFC 3339 texts in UTC. */
import { Schema } from "effect"
import { amountPattern, textOfForm, Kept, positiveSample } from "../engine/ports/provider-fields.ts"
import { isAmount } from "../machines/kernel/money.ts"

/** The longest id of a command, in characters. */
export const ID_MAX = 200
/** The longest cursor, in characters. */
export const CURSOR_MAX = 8192

export const ConnectorId = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9][A-Za-z0-9._:-]{0,99}$/, {
    expected: "1 to 100 letters, digits, `.`, `_`, `:` and `-`, the first a letter or digit"
  })
)
export const Id = Kept.check(Schema.isMinLength(1), Schema.isMaxCodePoints(ID_MAX))
export const Cursor = Kept.check(Schema.isMaxCodePoints(CURSOR_MAX))

/** An amount that may be negative, such as the balance of an overdrawn account. */
export const SignedAmount = textOfForm(
  (text) => isAmount(text.replace(/^-/, "")),
  "a decimal string such as -100.25, with at most 18 digits on each side of the point",
  `^-?${amountPattern}$`,
  `^-?${positiveSample}$`
)

const instantPattern = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|\+00:00)$/

/**
 * Parses an RFC 3339 instant in UTC to epoch milliseconds, rounded down. Undefined for any other text, such as one with an offset
 * or a day that the month does not have.
 */
export const parseEpoch = (text: string): number | undefined => {
  const [, day] = instantPattern.exec(text) ?? []
  const at = day === undefined ? Number.NaN : Date.parse(text)
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(`${day}T`) ? undefined : at
}

/** Formats epoch milliseconds as an instant. Throws `RangeError` for a time that a date cannot represent. */
export const formatInstant = (epoch_ms: number): string => new Date(epoch_ms).toISOString()

/** An RFC 3339 instant in UTC: `2026-05-04T09:30:00Z`, with at most nine decimals of a second. */
export const Instant = textOfForm(
  (text) => parseEpoch(text) !== undefined,
  "an RFC 3339 instant in UTC such as 2026-05-04T09:30:00Z",
  instantPattern.source,
  "^20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?Z$"
)
