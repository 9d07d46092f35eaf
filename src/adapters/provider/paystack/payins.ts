/** Dedicated virtual accounts, and what is paid to them. Each account has a customer of its own, whose address is that of its command. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { IssueCommand, PayinEvent } from "../../../engine/ports/Provider.ts"
import { lastFour } from "../../../engine/ports/provider-events.ts"
import { memberOf, textOf } from "../company/answers.ts"
import { toStorableText } from "../company/client.ts"
import { makeIssue, type OwnedAccount } from "../company/issues.ts"
import { makePayinSweeps } from "../company/payins.ts"
import { noInstructions } from "../company/provider.ts"
import type { SweepPart } from "../company/sweep.ts"
import { type Charge, type PaystackItem, listsOf, type PaystackCalls } from "./calls.ts"
import { formatPaystackAmount } from "./mapping.ts"
import { countries, type PaystackCurrency, type PaystackOptions } from "./options.ts"
import type { PaystackParts } from "./payouts.ts"

/** A pay-in may be listed so long after others that came after it, milliseconds. */
const lateMs = 24 * 3_600_000

const senderOf = (authorization: unknown): PayinEvent["sender"] => {
  const name = textOf(authorization, "sender_name")
  const bank = textOf(authorization, "sender_bank")
  const number = textOf(authorization, "sender_bank_account_number", 40)
  const sender = {
    ...(name !== null && { name }),
    ...(bank !== null && { bank }),
    ...(number !== null && { account_number: lastFour(number) })
  }
  return Object.keys(sender).length === 0 ? null : sender
}

/**
 * How accounts are issued. Nothing can have been made under an address without a customer: an account is asked for by the customer's code.
 */
const issuingOf = ({ callsOf, entries }: PaystackParts, payins: PaystackOptions["payins"]) => ({
  company: "Paystack",
  ask: Effect.fnUntraced(function* (
    { currency, id, type }: IssueCommand,
    before: { readonly email: string } | undefined
  ) {
    const calls = type === "fiat" ? callsOf(currency) : undefined
    if (calls && before && (yield* calls.customer(before.email)) !== undefined) return before
    if (payins === undefined || calls === undefined || !countries[calls.currency].accounts)
      return `no accounts are issued in ${currency}`
    return { email: `${id.replaceAll(/[^a-z0-9]/g, "-")}@${payins.email_domain}` }
  }),
  make: Effect.fnUntraced(function* ({ currency, holder }: IssueCommand, { email }: { readonly email: string }) {
    const calls = callsOf(currency)!
    const [first, ...rest] = holder.trim().split(/\s+/)
    const customer =
      (yield* calls.customer(email)) ?? (yield* calls.createCustomer(email, first!, rest.join(" ") || first!))
    const bank = calls.currency === "NGN" || calls.currency === "GHS" ? payins?.bank?.[calls.currency] : undefined
    const account = customer.dedicated_account ?? (yield* calls.createAccount(customer.customer_code, bank))
    const { account_number: target } = account
    const details = {
      accountName: toStorableText(account.account_name) ?? holder,
      ...{ accountNumber: target, bankName: toStorableText(account.bank.name) ?? "Paystack" },
      ...{ bankCode: null, reference: null }
    }
    const issued = { provider_resource_id: customer.customer_code, target, details }
    return { accounts: [entries.keys.account(email)], issued }
  }),
  lists: ({ currency }: IssueCommand) => Object.values(listsOf({ currency }))
})

export const makePayins = (parts: PaystackParts, payins: PaystackOptions["payins"]) => {
  const { books, callsOf, domain, entries, reports, rounds, submissions } = parts
  const { keys } = entries
  const accountOf = (email: string) => books.read<OwnedAccount>(keys.account(email))

  /** Reports a pay-in to an account that was issued here. Null: it is none. */
  const report = Effect.fnUntraced(function* (calls: PaystackCalls, charge: Charge) {
    const { amount, authorization, channel, currency, customer, id, paid_at, status } = charge
    const isOurs = status === "success" && channel === "dedicated_nuban" && currency === calls.currency
    if (!isOurs || (charge.domain ?? domain) !== domain || !/^[1-9]/.test(amount)) return null
    const account = yield* accountOf(customer.email)
    if (account === undefined) return null
    const reference = keys.payinReference(charge.reference)
    // Before it is reported: a refund of it is told by its reference.
    yield* books.amend([reference], ([row]) => ({
      entries: row === undefined ? [{ key: reference, data: { payin_id: id } }] : [],
      result: undefined
    }))
    return yield* reports.payin({
      ...{ payin_id: id, target: account.target, amount: formatPaystackAmount(BigInt(amount)), currency },
      ...{ network: "bank", sender: senderOf(authorization), narration: textOf(authorization, "narration") },
      observed_at: typeof paid_at === "string" ? Date.parse(paid_at) : Number.NaN
    })
  })

  /** Finds the pay-ins of a currency that no callback told, by their references. */
  const sweepsOf = (calls: PaystackCalls): ReadonlyArray<SweepPart> => {
    const waiting = keys.payins(calls.currency)
    const look = (reference: string) =>
      Effect.as(
        Effect.flatMap(calls.charge(reference), (charge) => report(calls, charge)),
        true
      )
    return makePayinSweeps<PaystackItem>(books, rounds, {
      ...{ name: listsOf(calls).payins, list: calls.charges, late_ms: lateMs, isBegun: payins !== undefined },
      ...{ waiting, look },
      read_to: Effect.map(books.read<{ readonly listed_to?: number }>(waiting), (row) => row?.listed_to ?? null),
      read: Effect.fnUntraced(function* (items) {
        const emailIn = ({ customer }: PaystackItem) => memberOf(customer, "email")
        const emails = items.map(emailIn).filter((email) => typeof email === "string")
        const accounts = yield* books.get([...new Set(emails)].map((email) => keys.account(email)))
        const issued = new Set(accounts.map(({ id }) => id))
        const ours = items.filter((item) => {
          const email = emailIn(item)
          return typeof email !== "string" || issued.has(keys.account(email).id)
        })
        const known = yield* reports.reported(ours.flatMap(({ id }) => (typeof id === "string" ? [id] : [])))
        const fresh = ours.filter(({ id }) => typeof id !== "string" || !known.has(id))
        const nameless = new ProviderFault({ message: "it has no reference that can be read" })
        return fresh.map(({ reference: id }) =>
          typeof id === "string" ? { id, look: look(id) } : { id: null, look: Effect.fail(nameless) }
        )
      })
    })
  }

  return {
    issue: makeIssue(parts, issuingOf(parts, payins)),
    instruct: noInstructions("Paystack"),
    /** What a callback about a pay-in is a reason to look up. */
    lookUp: Effect.fnUntraced(function* (currency: string, reference: string, email: string) {
      const calls = callsOf(currency)
      const isOurs = (yield* accountOf(email)) !== undefined
      return calls !== undefined && isOurs ? yield* report(calls, yield* calls.charge(reference)) : null
    }),
    /** Whether accounts are issued in a currency. */
    issues: (currency: PaystackCurrency): boolean => payins !== undefined && countries[currency].accounts,
    /** The refunds of the pay-in with a reference of Paystack's. */
    refundsOf: Effect.fnUntraced(function* (reference: string) {
      const payin = yield* books.read<{ readonly payin_id: string }>(keys.payinReference(reference))
      return payin === undefined ? [] : yield* submissions.refundsOf(payin.payin_id)
    }),
    /** Lists and reports pay-ins, for each currency by itself. */
    sweeps: (all: ReadonlyArray<PaystackCalls>) =>
      all.filter(({ currency }) => countries[currency].accounts).flatMap(sweepsOf)
  }
}

export type PaystackPayins = ReturnType<typeof makePayins>
