/** The calls of one integration of Paystack. */
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import { Loose, memberOf } from "../company/answers.ts"
import { makeAsking, type QueryMembers } from "../company/asking.ts"
import { type CompanyClient, type CompanyReply, toStorableText, writeJson } from "../company/client.ts"
import type { KeyOwner } from "../company/entries.ts"
import { type Readable, readItems, requireWhole } from "../company/lists.ts"
import { type NotExecuted, postOnce, type Seen } from "../company/submissions.ts"
import { collectWindows, type ListWindow, queryOf } from "../company/windows.ts"
import { Digits, type Expected, paystack, PaystackTransfer, readVerifyReply, refunds, transfers } from "./mapping.ts"
import type { PaystackCurrency } from "./options.ts"

const Text = Schema.String
const SignedDigits = Text.check(Schema.isPattern(/^-?\d{1,30}$/))
const Balances = Schema.Array(Schema.Struct({ currency: Text, balance: SignedDigits }))

export type LedgerRow = typeof LedgerRow.Type
const LedgerRow = Schema.Struct({
  ...{ id: SignedDigits, difference: SignedDigits, currency: Text },
  createdAt: Text.check(Schema.makeFilter((text) => !Number.isNaN(Date.parse(text)))),
  ...{ reason: Loose, model_responsible: Loose, model_row: Loose }
})

export type BankRow = typeof BankRow.Type
const BankRow = Schema.Struct({ name: Text, code: Text, type: Text, currency: Text, active: Loose, is_deleted: Loose })

const Resolved = Schema.Struct({ account_name: Text })
const Validated = Schema.Struct({
  ...{ verified: Schema.Boolean, accountHolderMatch: Schema.Boolean },
  ...{ accountOpen: Schema.Boolean, accountAcceptsCredits: Schema.Boolean }
})
const Recipient = Schema.Struct({ recipient_code: Text.check(Schema.isPattern(/^RCP_[A-Za-z0-9_]{1,80}$/)) })
const Account = Schema.Struct({
  account_number: Text.check(Schema.isPattern(/^\d{5,30}$/)),
  ...{ account_name: Text, bank: Schema.Struct({ name: Text }) }
})
const Customer = Schema.Struct({
  customer_code: Text.check(Schema.isPattern(/^CUS_[A-Za-z0-9]{1,80}$/)),
  dedicated_account: Schema.optionalKey(Schema.NullOr(Account))
})

/** A pay-in. */
export type Charge = typeof Charge.Type
const Charge = Schema.Struct({
  ...{ id: Digits, reference: Text, status: Text, amount: Digits, currency: Text, channel: Text },
  ...{ paid_at: Loose, domain: Loose, customer: Schema.Struct({ email: Text }), authorization: Loose }
})

/** The lists that are read once an account was issued in a currency, whatever the options say then. */
export const listsOf = ({ currency }: { readonly currency: string }) => ({
  payins: `payins/${currency}`,
  refunds: `refunds/${currency}`
})

/** An item of a list, as it came: nothing is known of its members. */
export type PaystackItem = {
  readonly [Name in
    | "id"
    | "reference"
    | "status"
    | "amount"
    | "currency"
    | "transaction"
    | "merchant_note"
    | "customer"]?: unknown
}

/** What an item of a list is called in a fault. */
export const describeItem = ({ id, reference }: PaystackItem): string =>
  toStorableText(reference, 60) ?? toStorableText(id, 40) ?? "an item without an id"

const Items = Schema.Array(Schema.Unknown)
const pageSize = 100
/** How many items are listed at a request. */
export const listedAtOnce = pageSize
/** The most pages of one list. */
const pagesMax = 20

/** How many pages a list has, where it says so. */
const pagesIn = ({ json }: CompanyReply): number | undefined => {
  const count = memberOf(memberOf(json, "meta"), "pageCount")
  return typeof count === "string" && /^\d{1,9}$/.test(count) ? Number(count) : undefined
}

/** Paystack's pages call the size by both names. */
const pageOf = (page: number, size = pageSize) => ({
  ...{ perPage: String(size), per_page: String(size), page: String(page) }
})

/** The requests of one Paystack account, over a client of it. `secret`: its key, of which only a hash is kept, to say whose an answer is. */
const makePaystackRequests = (currency: PaystackCurrency, ask: CompanyClient, secret: string) => {
  const asking = makeAsking(paystack, ask, ` in ${currency}`)
  const { get, read, replyTo } = asking

  /** All items of a list. Undefined: it is longer than `pagesMax` pages, and its end would be missing. */
  const pages = Effect.fnUntraced(function* (
    path: string,
    query: QueryMembers
  ): Effect.fn.Return<ReadonlyArray<unknown> | undefined, ProviderFault> {
    const found: Array<unknown> = []
    for (let page = 1; page <= pagesMax; page++) {
      const reply = yield* replyTo(get(path, { ...query, ...pageOf(page) }))
      const one = yield* read(Items, path, Effect.succeed(reply))
      found.push(...one)
      const count = pagesIn(reply)
      if (one.length === 0 || (count !== undefined && page >= count)) return found
      if (count !== undefined && count > pagesMax) return undefined
    }
    return undefined
  })

  /** A list by time. */
  const listIn =
    (path: string, query: QueryMembers = {}): ListWindow<ReadonlyArray<unknown>> =>
    (window) =>
      pages(path, { ...query, ...queryOf(window) })
  const itemsIn =
    (path: string, query?: QueryMembers): ListWindow<ReadonlyArray<PaystackItem>> =>
    (window, isShortest) =>
      Effect.map(listIn(path, query)(window, isShortest), (all) => all?.map((item) => Object(item) as PaystackItem))
  /** All items of a list since then. */
  const since = (path: string, query: QueryMembers, from: number) =>
    collectWindows(`${path} in ${currency}`, listIn(path, query), { from })

  /** The number of the integration, once it was seen: a key is of one for ever. */
  let account: string | undefined
  const seeOwner = (data: unknown): void => {
    const integration = memberOf(data, "integration")
    if (typeof integration === "string" && /^\d{1,18}$/.test(integration)) account ??= integration
  }
  const key = createHash("sha256").update(secret).digest("hex").slice(0, 16)
  /** Whose key it is. Nothing says it by itself: the items of some lists do. Errors: nobody could be asked. */
  const owner: Effect.Effect<KeyOwner, ProviderFault> = Effect.gen(function* () {
    for (const path of ["/transferrecipient", "/balance/ledger"])
      if (account === undefined) seeOwner((yield* read(Items, path, get(path, pageOf(1, 1))))[0])
    return { account: account ?? null, key }
  })

  return { ...asking, currency, pages, listIn, itemsIn, since, owner, seeOwner }
}
type PaystackAsking = ReturnType<typeof makePaystackRequests>

/** What moves money, and what is asked about it. */
const moneyCalls = ({ currency, get, itemsIn, look, make, pages, post, read, seeOwner, since }: PaystackAsking) => ({
  /** The code of a recipient: the existing one, where there is one. */
  recipient: (
    account: {
      readonly [Name in "type" | "name" | "account_number" | "bank_code"]: string
    }
  ): Effect.Effect<string | NotExecuted | undefined> =>
    make(post("/transferrecipient", writeJson({ ...account, currency })), (reply) => {
      seeOwner(paystack.dataIn(Schema.Unknown, reply))
      return paystack.dataIn(Recipient, reply)?.recipient_code
    }),
  transfer: (body: string, expected: Expected) =>
    postOnce(post("/transfer", body), (reply) => transfers.readPosted(reply, expected)),
  verify: (expected: Expected): Effect.Effect<Seen, ProviderFault> =>
    look(`/transfer/verify/${expected.reference}`, (reply) => readVerifyReply(reply, expected)),
  /** The reference of a transfer, by Paystack's id of it. */
  referenceOf: (id: string) =>
    Effect.map(read(PaystackTransfer, `the transfer ${id}`, get(`/transfer/${id}`)), ({ reference }) => reference),
  /** Whether transfers wait for a code, of those that were made since then. Undefined: there are too many to say. */
  hasWaiting: (from: number) =>
    Effect.map(pages("/transfer", { status: "otp", ...queryOf({ from }) }), (all) =>
      all?.some((item) => readItems(PaystackTransfer, [item]).items.length > 0)
    ),
  /** Transfers that came back, by when they were made. */
  reversed: itemsIn("/transfer", { status: "reversed" }),
  refund: (body: string, expected: Expected) =>
    postOnce(post("/refund", body), (reply) => refunds.readPosted(reply, expected)),
  /** Refunds, by when they were made. */
  refunds: itemsIn("/refund"),
  /** The refunds of a pay-in that were made since then, and perhaps others: whether the list can be asked for one is not certain. */
  refundsOf: (transaction: string, from: number) =>
    Effect.map(since("/refund", { transaction }, from), (all) => all.map((item) => Object(item) as PaystackItem))
})

/** Customers, their accounts, and what was paid to them. */
const accountCalls = ({ get, itemsIn, post, read, replyTo }: PaystackAsking) => ({
  /** A customer and the account that it has; undefined: there is none. */
  customer: (email: string) =>
    Effect.flatMap(replyTo(get(`/customer/${encodeURIComponent(email)}`)), (reply) =>
      paystack.isRefusedWith(reply, 404) ? Effect.undefined : read(Customer, "the customer", Effect.succeed(reply))
    ),
  createCustomer: (email: string, first_name: string, last_name: string) =>
    read(Customer, "the customer", post("/customer", writeJson({ email, first_name, last_name }))),
  createAccount: (customer: string, preferred_bank: string | undefined) =>
    read(Account, "the account", post("/dedicated_account", writeJson({ customer, preferred_bank }))),
  charge: (reference: string) =>
    read(Charge, "the pay-in", get(`/transaction/verify/${encodeURIComponent(reference)}`)),
  /** Pay-ins to accounts, by when they were made. */
  charges: itemsIn("/transaction", { status: "success", channel: "dedicated_nuban" })
})

/** What is read: balances, banks and holders of accounts. */
const readCalls = ({ currency, get, listIn, owner, pages, post, read, replyTo, since }: PaystackAsking) => ({
  owner,
  /** The cheapest read. */
  balance: replyTo(get("/balance")),
  balances: read(Balances, "the balance", get("/balance")),
  /** The ledger between two times. Undefined: it is too long. */
  ledger: (from: number, to: number): Effect.Effect<Readable<LedgerRow> | undefined, ProviderFault> =>
    Effect.map(listIn("/balance/ledger")({ from, to }, false), (all) => all && readItems(LedgerRow, all)),
  /** The whole ledger since then. */
  ledgerSince: (from: number): Effect.Effect<Readable<LedgerRow>, ProviderFault> =>
    Effect.map(since("/balance/ledger", {}, from), (all) => readItems(LedgerRow, all)),
  /** Whether an account is open and its holder has a name and a document. Undefined: Paystack cannot say. */
  validate: (account: { readonly [name: string]: string }) =>
    Effect.map(
      read(Validated, "the account", post("/bank/validate", writeJson(account))),
      ({ accountAcceptsCredits, accountHolderMatch, accountOpen, verified }) =>
        verified ? accountHolderMatch && accountOpen && accountAcceptsCredits : undefined
    ),
  banks: (country: string) =>
    Effect.map(
      requireWhole(`/bank in ${currency}`, pagesMax)(pages("/bank", { country, currency })),
      (all) => readItems(BankRow, all).items
    ),
  /** The holder of an account. Null: a listed answer says that there is none. */
  resolve: (account_number: string, bank_code: string) =>
    Effect.flatMap(replyTo(get("/bank/resolve", { account_number, bank_code })), (reply) => {
      const refusal = paystack.refusalIn(reply)
      return refusal._tag === "not_executed" && refusal.result._tag === "rejected"
        ? Effect.succeed(null)
        : Effect.map(read(Resolved, "the account", Effect.succeed(reply)), ({ account_name }) => account_name)
    })
})

export const makeCalls = (currency: PaystackCurrency, client: CompanyClient, secret: string) => {
  const asking = makePaystackRequests(currency, client, secret)
  return { currency, ...readCalls(asking), ...moneyCalls(asking), ...accountCalls(asking) }
}

export type PaystackCalls = ReturnType<typeof makeCalls>
