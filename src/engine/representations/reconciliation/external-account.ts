/** The shape of an external account in the operator API (EXTERNAL-1). */
import { Schema } from "effect"
import {
  type ExternalAccountData,
  externalAccountKinds,
  externalAccountUses,
  identifierSchemes
} from "../../../machines/reconciliation/external-account.ts"
import { describe } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { amountOf, bodyOf, currencyCodeOf, idOf, networkOf, orNull, textOf, times, wordOf } from "../members.ts"

export const externalAccountStatuses = ["active", "closed"] as const

const kindMeanings = { bank: "an account of a bank", chain: "an address on a network" }

export const externalAccountKind = wordOf(externalAccountKinds, "What it is.", kindMeanings)

export const identifierScheme = wordOf(identifierSchemes, "How `value` is written.", {
  iban: "ISO 13616",
  bban: "the national number with the codes of bank and branch",
  account_number: "the number alone",
  address: "an address on `network`"
})

export const usesOf = (description: string) =>
  describe(Schema.Array(Schema.Literals(externalAccountUses)), description, [...externalAccountUses])

const IdentifierBody = Schema.Struct({
  scheme: identifierScheme,
  value: textOf("What statements call the account.", "DE89370400440532013000"),
  network: orNull(networkOf("The network of an address. Null for the other schemes."))
}).annotate({ identifier: "PlaceIdentifier", description: "What a statement calls an account." })

const OpeningBody = Schema.Struct({
  date: textOf("The first day of the account in these books.", "2026-01-01"),
  balance: amountOf("What was in the account when that day began. Below zero for an overdraft.", "25000.00")
}).annotate({ identifier: "OpeningBalance", description: "What was in an account before Corridor counted." })

export const ExternalAccountBody = Schema.Struct({
  id: idOf("xac", "The id of the external account."),
  provider: textOf("The provider whose `world` account it mirrors, in its currency.", "simulated"),
  currency: currencyCodeOf("The currency of the account.", "EUR"),
  kind: externalAccountKind,
  identifiers: describe(Schema.Array(IdentifierBody), "What statements call the account.", [
    { scheme: "iban", value: "DE89370400440532013000", network: null }
  ]),
  opening: OpeningBody,
  time_zone: textOf("The time zone of its days, of the IANA database.", "Europe/Berlin"),
  uses: usesOf("What goes through it."),
  status: wordOf(externalAccountStatuses, "Whether it is in use.", {
    active: "it is",
    closed: "it is not; its statements stay"
  }),
  ...times
}).annotate({ identifier: "ExternalAccount", description: "A place where money really is: at a bank, or on a chain." })
export type ExternalAccountBody = typeof ExternalAccountBody.Type

export const externalAccountBody = bodyOf(ExternalAccountBody, ({ data: a }: Row<ExternalAccountData>) => ({
  opening: { date: a.opening.date, balance: displayAmount(a.opening.balance, a.currency) }
}))
