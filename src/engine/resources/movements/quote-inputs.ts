/** The inputs that price a movement (QUOTE-4). */
import { Schema } from "effect"
import { sender } from "../../input/members.ts"
import {
  withAliases,
  Amount,
  CountryCode,
  CurrencyCode,
  describe,
  Id,
  Optional,
  ReferenceText
} from "../../input/schemas.ts"

const amounts = {
  source_amount: Optional(
    Amount,
    "What is taken, in the source currency, fees included, with at most as many decimals as it settles. Exactly one of source_amount and target_amount is required.",
    "100.00"
  ),
  target_amount: Optional(
    Amount,
    "What the recipient receives after all fees, in the destination currency. The quote has the smallest source_amount that reaches it.",
    "147753.75"
  ),
  reference: Optional(
    ReferenceText,
    "Shown by the quote, and not used otherwise. The movement has a reference of its own."
  )
}

export const CreateOfframpQuote = Schema.Struct({
  wallet_id: describe(withAliases(Id("wal"), "source_wallet_id"), "The crypto wallet to debit."),
  beneficiary_id: describe(
    Id("ben"),
    "The recipient: an active fiat beneficiary of the wallet's customer or of the default customer."
  ),
  sender_id: sender,
  ...amounts
}).annotate({ identifier: "CreateOfframpQuote" })
export type CreateOfframpQuote = typeof CreateOfframpQuote.Type

/** `wallet_id` is the wallet to credit. `country_code` distinguishes currencies that share one code. */
export const CreateOnrampQuote = Schema.Struct({
  wallet_id: describe(withAliases(Id("wal"), "destination_wallet_id"), "The crypto wallet to credit."),
  source_currency: describe(CurrencyCode, "The currency that the payer pays in.", "NGN"),
  country_code: Optional(CountryCode, "The country of the source currency, where its code alone is ambiguous.", "SN"),
  ...amounts
}).annotate({ identifier: "CreateOnrampQuote" })
export type CreateOnrampQuote = typeof CreateOnrampQuote.Type

export const CreateConversionQuote = Schema.Struct({
  source_wallet_id: describe(withAliases(Id("wal"), "wallet_id"), "The wallet to debit."),
  destination_wallet_id: describe(Id("wal"), "The wallet to credit: of the same customer, in another currency."),
  ...amounts
}).annotate({ identifier: "CreateConversionQuote" })
export type CreateConversionQuote = typeof CreateConversionQuote.Type

/** The general form (QUOTE-4): the operation, by default `offramp`, and its fields. */
export const CreateQuote = Schema.Union([
  Schema.Struct({
    operation: describe(Schema.Literal("onramp"), "`onramp`: fiat to a wallet."),
    ...CreateOnrampQuote.fields
  }),
  Schema.Struct({
    operation: describe(Schema.Literal("conversion"), "`conversion`: a wallet to another wallet."),
    ...CreateConversionQuote.fields
  }),
  Schema.Struct({
    operation: Optional(
      Schema.Literal("offramp").annotate({ expected: 'one of "onramp", "offramp", "conversion"' }),
      "`offramp`, the default: a wallet to a bank account."
    ),
    ...CreateOfframpQuote.fields
  })
]).annotate({ identifier: "CreateQuote" })
export type CreateQuote = typeof CreateQuote.Type
