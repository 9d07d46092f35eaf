/** Dedicated virtual accounts, and what is paid to them. Each account has a customer of its own, whose address is that of its command. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { IssueCommand, IssueResult, PayinEvent } from "../../../engine/ports/Provider.ts"
import { lastFour } from "../../../engine/ports/provider-events.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { keptText } from "../company/client.ts"
import type { IssuedAccount } from "../company/entries.ts"
import type { Reports } from "../company/reports.ts"
import type { Charge, PaystackCalls } from "./calls.ts"
import { amountOf } from "./mapping.ts"
import { countries, type PaystackOptions } from "./options.ts"
import type { PaystackParts } from "./payouts.ts"

/** Pay-ins are listed again for so long, milliseconds: one may be listed later than others that came after it. */
const overlapMs = 24 * 3_600_000

const senderOf = (authorization: unknown): PayinEvent["sender"] => {
  const found = (typeof authorization === "object" && authorization !== null ? authorization : {}) as {
    readonly [name: string]: unknown
  }
  const name = keptText(found["sender_name"])
  const bank = keptText(found["sender_bank"])
  const number = keptText(found["sender_bank_account_number"], 40)
  return name === null && bank === null && number === null
    ? null
    : {
        ...(name === null ? {} : { name }),
        ...(bank === null ? {} : { bank }),
        ...(number === null ? {} : { account_number: lastFour(number) })
      }
}

export const makePayins = (
  { books, callsOf, domain, entries }: PaystackParts,
  reports: Reports,
  payins: PaystackOptions["payins"]
) => {
  const emailOf = (command_id: string): string =>
    `${command_id.replaceAll(/[^a-z0-9]/g, "-")}@${payins?.email_domain ?? ""}`
  const served = (currency: string): PaystackCalls | undefined => {
    const calls = callsOf(currency)
    return payins !== undefined && calls !== undefined && countries[calls.currency].accounts ? calls : undefined
  }

  /** Reports a pay-in to an account that was issued here. Null: it is none. */
  const report = Effect.fnUntraced(function* (calls: PaystackCalls, charge: Charge) {
    const { amount, authorization, channel, currency, customer, id, paid_at, status } = charge
    const isOurs = status === "success" && channel === "dedicated_nuban" && currency === calls.currency
    if (!isOurs || (charge.domain ?? domain) !== domain || !/^[1-9]/.test(amount)) return null
    const account = yield* books.read<IssuedAccount>(entries.keys.account(customer.email))
    if (account === undefined) return null
    const paid = Date.parse(paid_at)
    return yield* reports.payin({
      _tag: "payin",
      event_id: `payin/${id}`,
      payin_id: id,
      stage: "confirmed",
      target: account.target,
      amount: amountOf(BigInt(amount)),
      currency,
      network: "bank",
      transaction_hash: null,
      from_address: null,
      sender: senderOf(authorization),
      narration: keptText((authorization as { readonly narration?: unknown } | null | undefined)?.narration),
      observed_at: Number.isNaN(paid) ? yield* wallNow : paid
    })
  })

  return {
    issue: Effect.fnUntraced(function* ({
      currency,
      holder,
      id,
      type
    }: IssueCommand): Effect.fn.Return<IssueResult, ProviderFault> {
      const calls = type === "fiat" ? served(currency) : undefined
      if (calls === undefined) return { _tag: "rejected", reason: `no accounts are issued in ${currency}` }
      const email = emailOf(id)
      const [first, ...rest] = holder.trim().split(/\s+/)
      const customer =
        (yield* calls.customer(email)) ?? (yield* calls.createCustomer(email, first!, rest.join(" ") || first!))
      const bank = calls.currency === "NGN" || calls.currency === "GHS" ? payins?.bank?.[calls.currency] : undefined
      const account = customer.dedicated_account ?? (yield* calls.createAccount(customer.customer_code, bank))
      const { account_number } = account
      // Before anybody can pay to it.
      yield* books.amend([entries.keys.account(email)], ([row]) => ({
        entries: row === undefined ? [{ key: entries.keys.account(email), data: { target: account_number } }] : [],
        result: undefined
      }))
      const details = {
        accountName: keptText(account.account_name) ?? holder,
        accountNumber: account_number,
        bankName: keptText(account.bank.name) ?? "Paystack",
        bankCode: null,
        reference: null
      }
      return {
        _tag: "issued",
        issued: { provider_resource_id: customer.customer_code, target: account_number, details }
      }
    }),
    instruct: () =>
      Effect.fail(
        new ProviderFault({ message: "Paystack has accounts for customers, and no references for one payment" })
      ),
    /** What a callback about a pay-in is a reason to look up. */
    lookUp: Effect.fnUntraced(function* (currency: string, reference: string, email: string) {
      const calls = served(currency)
      if (calls === undefined || !email.endsWith(`@${payins?.email_domain}`)) return null
      return yield* report(calls, yield* calls.charge(reference))
    }),
    /** Lists the pay-ins since the last sweep, with an overlap, and reports those that are new. */
    sweep: (all: ReadonlyArray<PaystackCalls>) =>
      Effect.gen(function* () {
        const issuing = all.filter(({ currency }) => served(currency) !== undefined)
        if (issuing.length === 0) return
        const began = yield* wallNow
        const since = ((yield* reports.payinsAt) ?? began) - overlapMs
        for (const calls of issuing) {
          const ours = (yield* calls.charges(since)).filter(({ customer }) =>
            customer.email.endsWith(`@${payins?.email_domain}`)
          )
          const known = yield* reports.reported(ours.map(({ id }) => id))
          for (const { id, reference } of ours) if (!known.has(id)) yield* report(calls, yield* calls.charge(reference))
        }
        yield* reports.listedTo(began)
      })
  }
}

export type PaystackPayins = ReturnType<typeof makePayins>
