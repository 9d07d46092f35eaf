/** Members that the inputs of several operations have, each with its description and an example. */
import { Schema } from "effect"
import { Amount, Id, Optional, Text } from "./schemas.ts"

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

/** A filter on an id with this prefix. */
export const byId = (prefix: string, description: string) =>
  Optional(Schema.String, `${description} An unknown id gives an empty page.`, `${prefix}_01j9z3k4m5n6p7q8r9s0t1v2w3`)

export const ofCustomer = byId("cust", "Only those of this customer.")
export const ofMerchant = byId("mer", "Only those of this merchant.")
export const ofWallet = byId("wal", "Only those that debit or credit this wallet.")
export const ofBeneficiary = byId("ben", "Only those that pay this beneficiary.")
export const ofExternalAccount = byId("xac", "Only those of this external account.")
export const inCurrency = Optional(Schema.String, "Only those in this currency, by its exact code.", "USDC")

/** The filters on what a movement comes to and why it failed, which every list of movements has. */
export const comingTo = {
  currency: Optional(Schema.String, "Only those with this currency on either side, by its exact code.", "NGN"),
  min_amount: Optional(Amount, "Only those that come to this much or more in `currency`, which it needs.", "100.00"),
  max_amount: Optional(Amount, "Only those that come to this much or less in `currency`, which it needs.", "5000.00"),
  failure_reason: Optional(Text(255), "Only those that failed or were returned for this reason.", "quote_expired")
}

/** A filter on a word. */
export const only = <const L extends ReadonlyArray<string>>(words: L, of: string) =>
  Optional(Schema.Literals(words), `Only those with this ${of}.`)
