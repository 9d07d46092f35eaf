/**
 * The members of `/v1` shapes, each with its description and an example. The OpenAPI document, the documentation pages and
 * the types of the embedded calls show these words.
 */
import { Schema } from "effect"
import type { Payout } from "../../machines/kernel/payout.ts"
import { describe, Timestamp } from "../input/schemas.ts"
import type { Row } from "../ports/Storage.ts"
import { iso } from "../ports/Time.ts"
import { displayAmount, displayAmountOrNull } from "../reference/currencies.ts"

/** What follows the prefix of an id in examples. */
const EXAMPLE_ULID = "01j9z3k4m5n6p7q8r9s0t1v2w3"

const patternText = (pattern: string) =>
  Schema.String.check(Schema.isPattern(new RegExp(pattern), { toJsonSchema: () => ({ pattern }) }))

/** An id with a prefix: `wal_` and 26 characters of Crockford's base32, lower case. */
export const idOf = (prefix: string, description: string) =>
  describe(patternText(`^${prefix}_[0-9a-hjkmnp-tv-z]{26}$`), description, `${prefix}_${EXAMPLE_ULID}`)

/** An id of a resource of any type. */
export const anyIdOf = (description: string, prefix: string) =>
  describe(patternText("^[a-z]{2,5}_.+$"), description, `${prefix}_${EXAMPLE_ULID}`)

export const textOf = (description: string, ...examples: readonly [string, ...ReadonlyArray<string>]) =>
  describe(Schema.String, description, ...examples)

const AmountText = patternText("^-?\\d+(\\.\\d+)?$")

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
  describe(patternText("^[A-Z]{2}$"), description, example)

export const currencyCodeOf = (description: string, example = "USDC") =>
  describe(patternText("^[A-Z0-9]{2,12}$"), description, example)

export const networkOf = (description: string, example = "base") => textOf(description, example)

/** Makes the schema of one of several words. `meanings` explains those that do not explain themselves. Default example: the first. */
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

/** Makes a member nullable. It keeps its description and example. */
export const orNull = <S extends Schema.Top>(schema: S) =>
  Schema.NullOr(schema).annotateKey({ ...schema.ast.context?.annotations })

type Present<F extends { readonly [name: string]: Schema.NullOr<Schema.Top> }> = {
  readonly [K in keyof F]: Schema.optionalKey<F[K]["members"][0]>
}

/** Makes members absent that would be null elsewhere, with the same descriptions. */
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

export const metadataBody = describe(
  Schema.Record(Schema.String, Schema.String),
  "Your own data, as you sent it. Empty if you sent none.",
  { order: "1042" }
)

export const partyTypes = ["individual", "business"] as const
export const tiers = ["tier_0", "tier_1", "tier_2"] as const

/** The limits that tiers stand for (TIER-1). */
export const tierOf = <const T extends ReadonlyArray<(typeof tiers)[number]>>(words: T, description: string) =>
  wordOf(
    words,
    `${description} By default \`tier_0\` can receive deposits of 1,000 USD in all, \`tier_1\` of 50,000 USD, \`tier_2\` without a limit.`
  )

export const referenceBody = textOf(
  "Your own name for it, unique among all your movements; `ref_` and 26 characters if you sent none.",
  "INV/2026/1042"
)
export const merchantReferenceBody = orNull(textOf("Your own name for it. Null if you sent none.", "crm-88121"))
export const labelBody = orNull(textOf("A name for people. Null if you sent none.", "treasury"))

export const rateBody = textOf(
  "The price of one unit of `source_currency` in `destination_currency`: a decimal string with up to 12 significant digits, the spread included.",
  "1492.5"
)

/** Why a movement did not succeed (FAILURE-8). */
export const failureFields = {
  failure_reason: orNull(
    textOf(
      "Why it failed or was returned; null otherwise. Branch on it, not on the message. `quote_expired`: not funded or not started in time, no money moved. `temporarily_unavailable`: the route was unavailable, nothing was paid. `cancelled`, `reversed`: undone by the provider or the recipient's bank. `returned`: accompanies the status `returned`. `refund_failed`: the money could not be given back, support investigates. `failed`: every other reason.",
      "temporarily_unavailable"
    )
  ),
  failure_reason_message: orNull(
    textOf(
      "`failure_reason` as a sentence, for people. Null without a reason.",
      "The payout route was unavailable, and no payout was made. The full source amount was returned to the wallet."
    )
  )
}
export const providerResourceBody = orNull(
  textOf("The provider's own id of it. Null until it is issued.", "cdw_9f2c41d07be35a8c6e10f4b7d8")
)

/** Makes the schema of a member with a transaction hash. */
export const transactionHashText = (description: string) =>
  textOf(description, "0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52")

export const terminalAtBody = orNull(
  timeOf("When it reached its terminal status. Null before.", "2026-01-31T09:30:04.000Z")
)

/** The members that events add to an exchange: the settled amounts, and the time. */
export const settlementFields = (destination: string, source = "100.00") => ({
  actual_source_amount: orNull(
    amountOf(
      "What was taken, in `source_currency`. Null until it settles. Reconcile against the `actual_` amounts, not the quoted ones.",
      source
    )
  ),
  actual_destination_amount: orNull(
    amountOf(
      "What the recipient received, in `destination_currency`, all fees deducted. Null until it settles.",
      destination
    )
  ),
  actual_rate: describe(orNull(rateBody), "The rate at which it settled. Null until it settles.", "1492.5"),
  terminal_at: terminalAtBody
})

export const FeeLineItemBody = Schema.Struct({
  name: textOf(
    "`gateway`: Corridor's share of the source amount, deducted before the exchange. `network`: the cost of the payout, deducted from `destination_amount`.",
    "gateway"
  ),
  amount: amountOf("The fee, in `currency`.", "0.50"),
  currency: currencyCodeOf(
    "The currency of the fee: the source currency for `gateway`, the destination currency for `network`."
  )
}).annotate({ identifier: "FeeLineItem", description: "One fee." })

export const FeeBody = Schema.Struct({
  line_items: describe(Schema.Array(FeeLineItemBody), "The single fees. Empty if nothing is charged.")
}).annotate({
  identifier: "Fee",
  description: "What is charged. The fees are already deducted from the amounts that the recipient receives."
})
export type FeeBody = typeof FeeBody.Type

/** The schema of the amount due to the recipient of an exchange. */
export const quotedReceivedOf = (example: string) =>
  amountOf(
    "What the recipient is to receive by the quote, in `destination_currency`: `destination_amount` less the network fee, or the `target_amount` of the quote. `received_amount` is what it received.",
    example
  )

/** The fee member of an exchange. */
export const feesOf = (line_items: FeeBody["line_items"]) =>
  describe(FeeBody, "The fees of the quote, or of what settled.", { line_items })

/** Shows the amounts of an exchange: those of the quote, or of its later price, and the received one. */
export const showExchange = (
  of: {
    readonly source_currency: string
    readonly destination_currency: string
    readonly received_amount: string | null
  },
  quoted: { readonly source_amount: string; readonly destination_amount: string; readonly received_amount: string }
) => ({
  source_amount: displayAmount(quoted.source_amount, of.source_currency),
  source_currency: of.source_currency,
  destination_amount: displayAmount(quoted.destination_amount, of.destination_currency),
  destination_currency: of.destination_currency,
  quoted_received_amount: displayAmount(quoted.received_amount, of.destination_currency),
  received_amount: displayAmountOrNull(of.received_amount, of.destination_currency)
})

/** Shows what an event adds to the body of an exchange: the settled amounts, and the time of the terminal status (EVENT-18, EVENT-19). */
export const showSettlement = (
  row: Row,
  { hasEnded }: { readonly hasEnded: (state: string, version?: string) => boolean },
  body: { readonly source_amount: string | null; readonly received_amount: string | null; readonly rate: string }
) => {
  const isSettled = body.source_amount !== null && body.received_amount !== null
  return {
    actual_source_amount: isSettled ? body.source_amount : null,
    actual_destination_amount: body.received_amount,
    actual_rate: isSettled ? body.rate : null,
    terminal_at: hasEnded(row.state, row.machine) ? iso(row.updated_at) : null
  }
}

/** The failure reasons of movements (FAILURE-3). */
type FailureReason =
  | "failed"
  | "quote_expired"
  | "refund_failed"
  | "returned"
  | "cancelled"
  | "reversed"
  | "temporarily_unavailable"

/** The message of each failure reason, for one kind of movement: where its money is, and what went wrong. */
export type FailureSentences = Readonly<Record<FailureReason, string>>

/** The messages of payouts, whose money goes back to the wallet. */
export const payoutSentences: FailureSentences = {
  failed: "The provider could not complete the payout. The full source amount was returned to the wallet.",
  quote_expired: "The quote expired before the payout started. No funds moved. Create a new quote.",
  refund_failed: "The payout failed, and the money could not be refunded automatically. Support is investigating.",
  returned: "The recipient's bank returned the payout. The full source amount was returned to the wallet.",
  cancelled: "The payout was cancelled before completion. The amount was returned to the wallet.",
  reversed: "The network or the recipient's bank reversed the payout. The amount was returned to the wallet.",
  temporarily_unavailable:
    "The payout route was unavailable, and no payout was made. The full source amount was returned to the wallet."
}

/** Of a payout whose beneficiary may not be paid: no provider has it. */
const blockedSentences: FailureSentences = {
  ...payoutSentences,
  failed: "The beneficiary may no longer be paid, and no payout was made. The full source amount is in the wallet."
}

/** Shows the failure reason of a payout, and its message. */
export const payoutFailureOf = ({ blocked, failure_reason }: Pick<Payout, "blocked" | "failure_reason">) =>
  failureOf(failure_reason, blocked === true ? blockedSentences : payoutSentences)

/** Shows a failure reason and its message: for a reason that it does not know, that of `failed`. */
export const failureOf = (failure_reason: string | null, sentences: FailureSentences) => ({
  failure_reason,
  failure_reason_message:
    failure_reason === null
      ? null
      : ((sentences as Readonly<Record<string, string>>)[failure_reason] ?? sentences.failed)
})

// Bodies that are stored inside the data of another resource, as they were when it was created. The rows of earlier releases have
// them without the members that were added since (CONTRIBUTING.md, Adding a field).

/** Whether a member may be null. */
const mayBeNull = ({ ast }: Schema.Struct.Fields[string]): boolean =>
  ast.context?.isOptional !== true &&
  (ast._tag === "Unknown" || (ast._tag === "Union" && ast.types.some(({ _tag }) => _tag === "Null")))

/**
 * Makes the function that adapts a stored body to its current schema. A member that it was stored without is null where it may be, and
 * otherwise absent. Members that the schema does not have any more are left out. A body that fits already is returned itself, without a
 * copy.
 */
export const fitToSchema = <F extends Schema.Struct.Fields>({ fields }: Schema.Struct<F>) => {
  const members = Object.entries(fields as Schema.Struct.Fields).map(([name, schema]) => ({
    name,
    isNullable: mayBeNull(schema)
  }))
  /** Whether a body has every member in the order of the schema, and no other. */
  const isShown = (found: Readonly<Record<string, unknown>>): boolean => {
    let at = 0
    for (const name in found) if (found[name] === undefined || members[at++]?.name !== name) return false
    return at === members.length
  }
  return (stored: object): Schema.Struct<F>["Type"] => {
    const found = stored as Readonly<Record<string, unknown>>
    if (isShown(found)) return found as Schema.Struct<F>["Type"]
    const shown: Record<string, unknown> = {}
    for (const { isNullable, name } of members) {
      const value = found[name]
      if (value !== undefined) shown[name] = value
      else if (isNullable) shown[name] = null
    }
    return shown as Schema.Struct<F>["Type"]
  }
}

type BodyRow = Pick<Row<object>, "id" | "status" | "created_at" | "updated_at" | "data">

/** Whether a row has a member in the form that the body shows. */
type HasMember<T, D, K extends keyof T> = K extends "id" | "status" | "created_at" | "updated_at"
  ? true
  : K extends keyof D
    ? D[K] extends T[K] | (null extends T[K] ? undefined : never)
      ? true
      : false
    : false

type GivenMembers<T, D> = Partial<T> & { readonly [K in keyof T as HasMember<T, D, K> extends true ? never : K]: T[K] }

/**
 * Makes the function that shows a row by the schema of its body. A member is made by `given`, or read under its name from the row or its
 * data. Members that are stored in another form (amounts in minor units, times in milliseconds) are given.
 */
export const bodyOf = <F extends Schema.Struct.Fields, R extends BodyRow, A extends ReadonlyArray<unknown>>(
  schema: Schema.Struct<F>,
  given: (row: R, ...rest: A) => GivenMembers<Schema.Struct<F>["Type"], R["data"]>
): ((row: R, ...rest: A) => Schema.Struct<F>["Type"]) => {
  const fit = fitToSchema(schema)
  return (row, ...rest) => fit({ ...row.data, id: row.id, status: row.status, ...timesOf(row), ...given(row, ...rest) })
}
