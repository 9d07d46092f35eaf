/**
 * The members of `/v1` shapes, each with its description and an example. The OpenAPI document, the documentation pages and
 * the types of the embedded calls show these words.
 */
import { Schema } from "effect"
import { describe, Timestamp } from "../input/schemas.ts"
import type { Row } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"

/** What follows the prefix of an id in examples. */
const EXAMPLE_ULID = "01j9z3k4m5n6p7q8r9s0t1v2w3"

const textOfPattern = (pattern: string) =>
  Schema.String.check(Schema.isPattern(new RegExp(pattern), { toJsonSchema: () => ({ pattern }) }))

/** An id with a prefix: `wal_` and 26 characters of Crockford's base32, lower case. */
export const idOf = (prefix: string, description: string) =>
  describe(textOfPattern(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`), description, `${prefix}_${EXAMPLE_ULID}`)

/** An id of a resource of any type. */
export const anyIdOf = (description: string, prefix: string) =>
  describe(textOfPattern("^[a-z]{2,5}_.+$"), description, `${prefix}_${EXAMPLE_ULID}`)

export const textOf = (description: string, ...examples: readonly [string, ...ReadonlyArray<string>]) =>
  describe(Schema.String, description, ...examples)

const AmountText = textOfPattern("^-?\\d+(\\.\\d+)?$")

/** An amount: a decimal string with the decimal places of its currency, or more if the exact amount has more. */
export const amountOf = (description: string, example = "10.00") => describe(AmountText, description, example)

export const timeOf = (description: string, example = "2026-01-31T09:30:00.000Z") =>
  describe(Timestamp, description, example)

export const countOf = (description: string, example: number) => describe(Schema.Int, description, example)

export const flagOf = (description: string, example = true) => describe(Schema.Boolean, description, example)

export const urlOf = (description: string, example: string) =>
  describe(Schema.String.annotate({ format: "uri" }), description, example)

/** An address as the caller gave it: browsers and `fetch` accept more than RFC 3986, so that it has no format. */
export const givenUrlOf = (description: string, example: string) => describe(Schema.String, description, example)

export const emailOf = (description: string, example = "ada@example.com") =>
  describe(Schema.String.annotate({ format: "email" }), description, example)

export const countryOf = (description: string, example = "NG") =>
  describe(textOfPattern("^[A-Z]{2}$"), description, example)

export const currencyCodeOf = (description: string, example = "USDC") =>
  describe(textOfPattern("^[A-Z0-9]{2,12}$"), description, example)

export const networkOf = (description: string, example = "base") => textOf(description, example)

/** One of several words. `meanings` explains those that do not explain themselves. Default example: the first word. */
export const wordOf = <const L extends ReadonlyArray<string>>(
  words: L,
  description: string,
  meanings: { readonly [W in L[number]]?: string } = {},
  ...example: readonly [] | readonly [L[number]]
) =>
  describe(
    Schema.Literals(words),
    [
      description,
      ...words.flatMap((word: L[number]) => (meanings[word] === undefined ? [] : [`\`${word}\`: ${meanings[word]}.`]))
    ].join(" "),
    ...example
  )

/** A member that may be null. Its words are those of the member. */
export const orNull = <S extends Schema.Top>(schema: S) =>
  Schema.NullOr(schema).annotateKey({ ...schema.ast.context?.annotations })

type Present<F extends { readonly [name: string]: Schema.NullOr<Schema.Top> }> = {
  readonly [K in keyof F]: Schema.optionalKey<F[K]["members"][0]>
}

/** Members that are absent where others would be null, with the same words. */
export const presentFields = <const F extends { readonly [name: string]: Schema.NullOr<Schema.Top> }>(
  fields: F
): Present<F> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, { ast, members }]) => {
      const words = ast.context?.annotations as { readonly description: string }
      const description = words.description.replaceAll(/Null (if|unless|until)/g, "Absent $1")
      return [name, Schema.optionalKey(members[0].annotateKey({ ...words, description }))]
    })
  ) as Present<F>

export const createdAt = timeOf("When it was created.")
export const updatedAt = timeOf("When it last changed.", "2026-01-31T09:30:04.000Z")
export const times = { created_at: createdAt, updated_at: updatedAt }

export const timesOf = ({ created_at, updated_at }: Pick<Row, "created_at" | "updated_at">) => ({
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
