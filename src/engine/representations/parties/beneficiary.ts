/** The `/v1` shape of a beneficiary (BENEFICIARY-2). */
import { Schema } from "effect"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import { toShownAccountNumber } from "../../input/bank-accounts.ts"
import { describe } from "../../input/schemas.ts"
import { cutStem } from "../../ports/Ids.ts"
import type { Row } from "../../ports/Storage.ts"
import {
  anyIdOf,
  bodyOf,
  countryOf,
  currencyCodeOf,
  fitToSchema,
  idOf,
  labelBody,
  merchantReferenceBody,
  metadataBody,
  networkOf,
  orNull,
  textOf,
  times,
  wordOf
} from "../members.ts"
import { AddressBody, addressBody } from "./customer.ts"

export const BankProviderBody = Schema.Struct({
  id: anyIdOf("The id of the bank, from `GET /v1/providers`.", "prov"),
  name: textOf("The name of the bank.", "Access Bank"),
  code: textOf("The bank's code in its country.", "044")
}).annotate({ identifier: "BankProvider", description: "A bank." })

const FiatDetailsBody = Schema.Struct({
  country_code: countryOf("The country of the account, ISO 3166-1 alpha-2."),
  network: networkOf("`bank`.", "bank"),
  account_number: textOf(
    "The account number; an IBAN in blocks of four; with `rail` `payshap`, the proxy: a mobile number or name@bank.",
    "0123456789"
  ),
  provider: describe(
    Schema.NullOr(BankProviderBody),
    "The bank of the account. Null with `rail` `payshap`, and with an IBAN that was sent without a bank."
  ),
  rail: Schema.optionalKey(
    textOf("How the money reaches the account: `payshap`. Absent for the country's default.", "payshap")
  ),
  account_name: orNull(
    textOf("The name of the account holder, as given or as resolved. Null if it is not known.", "ADA OBI")
  ),
  name_match: orNull(
    wordOf(
      ["full", "partial", "none"],
      "How far the holder's name, as the provider resolved it, is the `account_name` that you sent, or else the `name` of the beneficiary. Null where none was resolved or compared.",
      {
        full: "the same words in any order; initials, titles, legal forms, case and diacritics do not count",
        partial: "at least one word in common",
        none: "nothing in common: ask the recipient before you pay"
      },
      "full"
    )
  )
}).annotate({
  identifier: "FiatDetails",
  description: "A bank account.",
  examples: [
    {
      country_code: "NG",
      network: "bank",
      account_number: "0123456789",
      provider: { id: "prov_01j9z3k4m5n6p7q8r9s0t1v2w3", name: "Access Bank", code: "044" },
      account_name: "ADA OBI",
      name_match: "full"
    }
  ]
})

const CryptoDetailsBody = Schema.Struct({
  network: networkOf("The network of the address: `base`, `ethereum` or `solana`."),
  address: textOf("The address on the network.", "0x52908400098527886E0F7030069857D2E4169EE7"),
  memo: orNull(textOf("The memo that the recipient requires. Null if there is none.", "104277"))
}).annotate({ identifier: "CryptoDetails", description: "A crypto address." })

export const BeneficiaryBody = Schema.Struct({
  id: idOf("ben", "The id of the beneficiary."),
  customer_id: idOf("cust", "The customer that the beneficiary belongs to."),
  name: textOf("The name of the recipient.", "Ada Obi"),
  label: labelBody,
  type: wordOf(["fiat", "crypto"], "What the beneficiary is paid to.", {
    fiat: "a bank account, by offramps",
    crypto: "a crypto address, by transfers"
  }),
  currency: currencyCodeOf("The currency that the beneficiary receives.", "NGN"),
  address: describe(
    Schema.NullOr(AddressBody),
    "The recipient's postal address, which some banks ask for. Null if it is not given."
  ),
  purpose_code: orNull(
    textOf(
      "The code of why the recipient is paid, from the list of its bank or regulator. Null if it is not given.",
      "SALA"
    )
  ),
  details: describe(
    Schema.Union([FiatDetailsBody, CryptoDetailsBody]),
    "Where the money goes: a bank account or a crypto address, by `type`."
  ),
  metadata: metadataBody,
  status: wordOf(
    ["pending", "active", "blocked"],
    "Whether it can be paid.",
    {
      pending: "its screening is not complete; payouts to it are rejected with `invalid_status`",
      active: "it can be paid",
      blocked: "it did not pass the screening; payouts to it are rejected with `invalid_status`"
    },
    "active"
  ),
  screening_id: anyIdOf(
    "The screening that `status` refers to. A change of the name or the details starts a new screening.",
    "scr"
  ),
  merchant_reference: merchantReferenceBody,
  ...times
}).annotate({ identifier: "Beneficiary", description: "A recipient of payouts." })
export type BeneficiaryBody = typeof BeneficiaryBody.Type

const fiatDetails = fitToSchema(FiatDetailsBody)
const cryptoDetails = fitToSchema(CryptoDetailsBody)
const beneficiary = fitToSchema(BeneficiaryBody)

/** The id of the screening of a beneficiary that was screened before screenings had ids: its own, so that it is always the same. */
const firstScreeningId = (beneficiary_id: string): string => `scr_${cutStem(beneficiary_id)}`

const showStoredDetails = (type: string, details: object): BeneficiaryBody["details"] => {
  if (type !== "fiat") return cryptoDetails(details)
  const shown = fiatDetails(details)
  const account_number = toShownAccountNumber(shown.account_number)
  return account_number === shown.account_number ? shown : { ...shown, account_number }
}

export const showStoredBeneficiary = (stored: {
  readonly id: string
  readonly type: string
  readonly details: object
  readonly screening_id?: string
}): BeneficiaryBody => {
  const { id, screening_id = firstScreeningId(id), type } = stored
  const shown = beneficiary(stored.screening_id === undefined ? { ...stored, screening_id } : stored)
  const details = showStoredDetails(type, stored.details)
  return details === shown.details ? shown : { ...shown, details }
}

export const beneficiaryBody = bodyOf(BeneficiaryBody, ({ id, data: b }: Row<BeneficiaryData>) => ({
  address: addressBody(b.address),
  details: showStoredDetails(b.type, b.details),
  screening_id: (b as Partial<BeneficiaryData>).screening_id ?? firstScreeningId(id)
}))
