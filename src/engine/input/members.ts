/** Members that the inputs of several operations have, each with its description and an example. */
import { Duration, Option, Schema } from "effect"
import { Amount, Id, Optional, Text } from "./schemas.ts"
import type { FaultAnnotations } from "./validation.ts"

// Who calls with an API key, as an admin names them (APPROVAL-6).

/** Normalizes a text for comparisons in which case, width and outer spaces do not count. */
export const foldText = (text: string): string => text.normalize("NFKC").trim().toLowerCase()

/** Whether a person is named by the id of an operator or of a key, and not by a name of their own. */
export const isIdentity = (person: string): boolean => /^(?:key|opr)_/.test(foldText(person))

/** The name of a person. One that reads like an id would be taken for whom the id is of, where maker and approver are compared. */
export const PersonName = Text(254).check(
  Schema.makeFilter((name: string) => !isIdentity(name), {
    expected: "the name of a person, for example an email address: no text that begins with key_ or opr_, as ids do",
    code: "invalid_value"
  } satisfies FaultAnnotations)
)

// ISO 8601 durations of inputs.

/** Parses an ISO 8601 duration to whole milliseconds, rounded up, because it may have nanoseconds. Undefined for a text that is none. */
export const parseDuration = (text: string): number | undefined =>
  Option.getOrUndefined(Option.map(Duration.fromIso(text), (duration) => Math.ceil(Duration.toMillis(duration))))

const makeDurationSchema = (least: string, most: string) => {
  const [from, to] = [parseDuration(least)!, parseDuration(most)!]
  return Schema.String.check(
    Schema.makeFilter(
      (text: string) => {
        const ms = parseDuration(text)
        return ms !== undefined && ms >= from && ms <= to
      },
      {
        expected: `an ISO 8601 duration from ${least} to ${most}`,
        code: "invalid_format"
      } satisfies FaultAnnotations
    )
  )
}

/** A duration from a minute to thirty days, as its text. */
export const WaitingTime = makeDurationSchema("PT1M", "P30D")

/** The length of a rolling window: a duration from a minute to 366 days, as its text. */
export const RollingTime = makeDurationSchema("PT1M", "P366D")

export const label = Optional(Text(255), "A name for people.", "treasury")

export const merchantReference = Optional(Text(128), "Your own name for it. It need not be unique.", "crm-88121")

/** The customer that a new resource belongs to. */
export const owner = Optional(
  Id("cust"),
  "The customer that it belongs to. Default: the default customer, your own business."
)

export const sender = Optional(
  Id("snd"),
  "The sender that the provider is given as the originator. Default: the customer of the wallet."
)

export const retryOnFailure = Optional(
  Schema.Boolean,
  "Whether a temporarily unavailable route is tried again, for up to 24 hours. Default: false, it fails at once.",
  true
)

/** Makes the query parameter of a list that filters on an id with this prefix. */
export const makeIdFilter = (prefix: string, description: string) =>
  Optional(Schema.String, `${description} An unknown id gives an empty page.`, `${prefix}_01j9z3k4m5n6p7q8r9s0t1v2w3`)

export const ofCustomer = makeIdFilter("cust", "Only those of this customer.")
export const ofMerchant = makeIdFilter("mer", "Only those of this merchant.")
export const ofWallet = makeIdFilter("wal", "Only those that debit or credit this wallet.")
export const ofBeneficiary = makeIdFilter("ben", "Only those that pay this beneficiary.")
export const ofExternalAccount = makeIdFilter("xac", "Only those of this external account.")
export const inCurrency = Optional(Schema.String, "Only those in this currency, by its exact code.", "USDC")

/** The filters on the amounts and the failure reason of a movement, which every list of movements has. */
export const comingTo = {
  currency: Optional(Schema.String, "Only those with this currency on either side, by its exact code.", "NGN"),
  min_amount: Optional(Amount, "Only those that come to this much or more in `currency`, which it needs.", "100.00"),
  max_amount: Optional(Amount, "Only those that come to this much or less in `currency`, which it needs.", "5000.00"),
  failure_reason: Optional(Text(255), "Only those that failed or were returned for this reason.", "quote_expired")
}

/** Makes the query parameter of a list that filters on one of several words. `of`: the noun for the word. */
export const makeWordFilter = <const L extends ReadonlyArray<string>>(words: L, of: string) =>
  Optional(Schema.Literals(words), `Only those with this ${of}.`)
