/** The kinds of values in messages with providers. Amounts are decimal strings. */
import { Effect, Schema } from "effect"
import { isAmount } from "../../machines/kernel/money.ts"

/** Whether every store keeps a text unchanged: it contains no NUL and no unpaired surrogate. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

/** The longest text, in characters. */
export const TEXT_MAX = 500

/** A text that every store keeps unchanged: two different ids must not become one. */
export const Kept = Schema.String.check(
  Schema.makeFilter(isStorable, { expected: "a text without NUL or unpaired surrogates" })
)

export const Text = Kept.check(Schema.isMinLength(1), Schema.isMaxCodePoints(TEXT_MAX))
/** A text that may be empty. */
export const Reported = Kept.check(Schema.isMaxCodePoints(TEXT_MAX))

/**
 * A schema of texts that pass `isValid`. `pattern` is for the published document, and may be looser than the check. `sample` matches only
 * valid texts, for generated ones.
 */
export const textOfForm = (isValid: (text: string) => boolean, expected: string, pattern: string, sample: string) =>
  Schema.String.check(
    Schema.makeFilter(isValid, {
      expected,
      toJsonSchema: () => ({ pattern }),
      arbitraryConstraint: { patterns: [{ source: sample, flags: "" }] }
    })
  )

export const amountPattern = "\\d{1,18}(\\.\\d{1,18})?"
export const positiveSample = "[1-9][0-9]{0,17}(\\.[0-9]{1,18})?"

/** Zero or more. */
export const Amount = textOfForm(
  isAmount,
  "a decimal string such as 100.25, with at most 18 digits on each side of the point",
  `^${amountPattern}$`,
  "^[0-9]{1,18}(\\.[0-9]{1,18})?$"
)

/** More than zero. */
export const PositiveAmount = textOfForm(
  (text) => isAmount(text) && /[1-9]/.test(text),
  "a positive decimal string such as 100.25, with at most 18 digits on each side of the point",
  `^${amountPattern}$`,
  `^${positiveSample}$`
)

/** A member that may be null or absent. It is null after decoding. */
export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.NullOr(schema)
    .annotate({ description })
    .pipe(Schema.withDecodingDefaultKey(Effect.succeed(null)))

/** A member that must be present. */
export const required = <S extends Schema.Top>(schema: S, description: string) => schema.annotate({ description })

// The person for whom a command waits at a provider.

export const personParties = ["operator", "provider", "customer"] as const
/**
 * A person without whom a command does not go on. `operator`: one of the platform's, who acts at the provider. `provider`: one of the
 * provider's, who reviews it. `customer`: the payer or the recipient. `action`: what the person does, in the imperative, without a full stop.
 */
export type AwaitedPerson = typeof AwaitedPerson.Type
export const AwaitedPerson = Schema.Struct({ party: Schema.Literals(personParties), action: Text })
