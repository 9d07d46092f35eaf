/** The banks that Paystack lists, and the holders of accounts. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { AccountQuery, AccountResolution } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { shareLoad } from "../../../protocol/shared.ts"
import { toStorableText } from "../company/client.ts"
import type { OpenCompany } from "../company/provider.ts"
import type { BankRow, PaystackCalls } from "./calls.ts"
import { countries, type PaystackCurrency } from "./options.ts"

/** How long a list is used before it is read again, milliseconds. */
const keepMs = 10 * 60_000

/** A bank that a recipient can be made for. A till and a paybill need an `account_reference`, which a payout does not have. */
const isServed = (currency: PaystackCurrency, { active, is_deleted, type }: BankRow): boolean =>
  (type === countries[currency].recipient || type === "mobile_money") && active !== false && is_deleted !== true

/** What Paystack calls the documents by which it finds out whose an account is. */
const documents: { readonly [id_type: string]: { readonly type: string; readonly of: "personal" | "business" } } = {
  national_id: { type: "identityNumber", of: "personal" },
  passport: { type: "passportNumber", of: "personal" },
  business_registration: { type: "businessRegistrationNumber", of: "business" }
}

/** Paystack says whether an account is of a holder, and not whose it is: the name that it agrees to is the holder's. */
const validateAccount = (
  { validate }: PaystackCalls,
  { account_number, bank, country_code, ...account }: AccountQuery
) => {
  const { id_number = "", id_type = "" } = account.holder_document ?? {}
  const document = Object.hasOwn(documents, id_type) ? documents[id_type] : undefined
  const account_name = account.account_name ?? account.name ?? null
  if (document === undefined || account_name === null) return Effect.succeed<AccountResolution>({ _tag: "unchecked" })
  return Effect.map(
    validate({
      ...{ account_name, account_number, bank_code: bank.code, country_code },
      ...{ account_type: document.of, document_type: document.type, document_number: id_number }
    }),
    (isOfHolder): AccountResolution =>
      isOfHolder === undefined
        ? { _tag: "unchecked" }
        : isOfHolder
          ? { _tag: "resolved", account_name }
          : { _tag: "unresolved" }
  )
}

export const makePaystackDirectory = (
  { directoryOf }: Pick<OpenCompany, "directoryOf">,
  all: ReadonlyArray<PaystackCalls>
) => {
  const lists = new Map(
    all.map(({ banks, currency }) => [currency, shareLoad(banks(countries[currency].name), keepMs, wallNow)] as const)
  )
  const rowsOf = (currency: PaystackCurrency): Effect.Effect<ReadonlyArray<BankRow>, ProviderFault> =>
    lists.get(currency)?.get ?? Effect.succeed([])
  const load = Effect.map(
    Effect.forEach([...lists.keys()], (currency) =>
      Effect.map(rowsOf(currency), (rows) =>
        rows.flatMap((row) => {
          const name = toStorableText(row.name)
          const { code } = row
          const isKept = isServed(currency, row) && name !== null && /^[\x21-\x7e]{1,40}$/.test(code)
          return isKept ? [{ code, name, country_code: countries[currency].code }] : []
        })
      )
    ),
    (lists) => lists.flat()
  )
  return {
    directory: directoryOf(load, (account) => {
      const { account_number, bank, country_code } = account
      const calls = all.find(({ currency }) => countries[currency].code === country_code)
      if (calls?.currency === "ZAR") return validateAccount(calls, account)
      // Whether `/bank/resolve` serves other countries is not certain, and a name that nobody has confirmed is none.
      if (calls === undefined || !countries[calls.currency].resolves) return Effect.succeed({ _tag: "unchecked" })
      return Effect.map(calls.resolve(account_number, bank.code), (holder): AccountResolution => {
        const account_name = toStorableText(holder)
        return account_name === null ? { _tag: "unresolved" } : { _tag: "resolved", account_name }
      })
    }),
    /** The type of the recipient for an account at a bank. One that is not listed is asked for as a bank, and Paystack says what it is. */
    recipientType: (currency: PaystackCurrency, bank_code: string): Effect.Effect<string, ProviderFault> =>
      Effect.map(
        rowsOf(currency),
        (rows) =>
          rows.find((row) => row.code === bank_code && isServed(currency, row))?.type ?? countries[currency].recipient
      )
  }
}

export type PaystackDirectory = ReturnType<typeof makePaystackDirectory>
