/** Dedicated virtual accounts, and what is paid to them. Each account has a customer of its own, whose address is that of its command. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { IssueCommand, IssueResult, PayinEvent } from "../../../engine/ports/Provider.ts"
import { lastFour } from "../../../engine/ports/provider-events.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { dataOf } from "../chain/books.ts"
import { keptText } from "../company/client.ts"
import type { IssuedAccount } from "../company/entries.ts"
import type { Reports } from "../company/reports.ts"
import { lookAtEach } from "../company/sweep.ts"
import { type Charge, type ListedItem, nameOf, type PaystackCalls } from "./calls.ts"
import { amountOf } from "./mapping.ts"
import { countries, type PaystackOptions } from "./options.ts"
import type { PaystackParts } from "./payouts.ts"

/** The references of the pay-ins of a currency that could not be read. `listed_to`: how far a build before rounds had listed them, epoch milliseconds. */
interface ListedPayins {
  readonly listed_to?: number
  readonly unread: ReadonlyArray<string>
}

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

/** Lists the pay-ins of a currency since the last round, with an overlap, and reports those that are new, and those that could not be read before. */
const makePayinSweep = (
  { books, entries, round }: PaystackParts,
  reports: Reports,
  domain: string,
  report: (calls: PaystackCalls, charge: Charge) => Effect.Effect<unknown, ProviderFault>
) => {
  const isMaybeOurs = ({ customer }: ListedItem): boolean => {
    const email = (customer as { readonly email?: unknown } | null | undefined)?.email
    return typeof email !== "string" || email.endsWith(`@${domain}`)
  }
  const note = (
    key: ReturnType<typeof entries.keys.payins>,
    failed: ReadonlyArray<string>,
    asked: ReadonlyArray<string>
  ) =>
    books.amend([key], ([row]) => {
      const kept = dataOf<ListedPayins>(row)
      const before = kept?.unread ?? []
      const unread = [...new Set([...before.filter((one) => !asked.includes(one)), ...failed])]
      const isSame = unread.length === before.length && unread.every((one) => before.includes(one))
      return { entries: isSame ? [] : [{ key, data: { ...kept, unread } satisfies ListedPayins }], result: undefined }
    })

  return Effect.fnUntraced(function* (calls: PaystackCalls): Effect.fn.Return<void, ProviderFault> {
    const key = entries.keys.payins(calls.currency)
    const { listed_to, unread } = (yield* books.read<ListedPayins>(key)) ?? { unread: [] }
    let fault: ProviderFault | undefined
    /** Reports pay-ins. Those that cannot be read are written down before the list counts as read. */
    const reportAll = Effect.fnUntraced(function* (references: ReadonlyArray<string>) {
      const failed: Array<string> = []
      const look = (reference: string) =>
        Effect.tapError(
          Effect.flatMap(calls.charge(reference), (charge) => report(calls, charge)),
          () => Effect.sync(() => failed.push(reference))
        )
      const looked = yield* Effect.result(lookAtEach(references, (one) => `the pay-in ${one}`, look))
      if (looked._tag === "Failure") fault ??= looked.failure
      yield* note(key, failed, references)
    })
    yield* round({
      ...{ name: `payins/${calls.currency}`, list: calls.charges },
      fromOf: (before, now) => Effect.succeed((before ?? listed_to ?? now) - overlapMs),
      read: Effect.fnUntraced(function* (items) {
        const ours = items.filter(isMaybeOurs)
        const known = yield* reports.reported(ours.flatMap(({ id }) => (typeof id === "string" ? [id] : [])))
        const fresh = ours.filter(({ id }) => typeof id !== "string" || !known.has(id))
        const nameless = fresh.find(({ reference }) => typeof reference !== "string")
        if (nameless !== undefined)
          fault ??= new ProviderFault({ message: `the pay-in ${nameOf(nameless)} has no reference that can be read` })
        const references = fresh.flatMap(({ reference }) => (typeof reference === "string" ? [reference] : []))
        yield* reportAll(references.filter((one) => !unread.includes(one)))
      })
    })
    yield* reportAll(unread)
    if (fault !== undefined) return yield* fault
  })
}

export const makePayins = (parts: PaystackParts, reports: Reports, payins: PaystackOptions["payins"]) => {
  const { books, callsOf, domain, entries, submissions } = parts
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
    const paid = typeof paid_at === "string" ? Date.parse(paid_at) : Number.NaN
    // Before it is reported: a refund of it is told by its reference.
    yield* books.amend([entries.keys.payinReference(charge.reference)], ([row]) => ({
      entries:
        row === undefined ? [{ key: entries.keys.payinReference(charge.reference), data: { payin_id: id } }] : [],
      result: undefined
    }))
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

  const sweep = makePayinSweep(parts, reports, payins?.email_domain ?? "", report)

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
    serves: (currency: string): boolean => served(currency) !== undefined,
    /** The refunds of the pay-in with a reference of Paystack's. */
    refundsOf: Effect.fnUntraced(function* (reference: string) {
      const payin = yield* books.read<{ readonly payin_id: string }>(entries.keys.payinReference(reference))
      return payin === undefined ? [] : yield* submissions.refundsOf(payin.payin_id)
    }),
    /** Lists and reports pay-ins, for each currency by itself. */
    sweeps: (all: ReadonlyArray<PaystackCalls>): ReadonlyArray<Effect.Effect<void, ProviderFault>> =>
      all.filter(({ currency }) => served(currency) !== undefined).map(sweep)
  }
}

export type PaystackPayins = ReturnType<typeof makePayins>
