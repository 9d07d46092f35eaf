/** The calls of one integration of Paystack. */
import { createHash } from "node:crypto"
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import {
  type CompanyClient,
  faultOfNoReply,
  keptText,
  type NoReply,
  pathWith,
  type CompanyReply,
  writeJson
} from "../company/client.ts"
import type { KeyOwner } from "../company/entries.ts"
import { type Posted, postOnce, requireSeen, type Seen } from "../company/submissions.ts"
import { type ListWindow, readWindows } from "../company/windows.ts"
import {
  dataIn,
  envelopeOf,
  type Expected,
  readPosted,
  readRefunded,
  readVerified,
  refusalIn,
  saidIn,
  PaystackTransfer
} from "./mapping.ts"
import type { PaystackCurrency } from "./options.ts"

const Digits = Schema.String.check(Schema.isPattern(/^-?\d{1,30}$/))
const Loose = Schema.optionalKey(Schema.Unknown)

const Balances = Schema.Array(Schema.Struct({ currency: Schema.String, balance: Digits }))

export type LedgerRow = typeof LedgerRow.Type
const LedgerRow = Schema.Struct({
  id: Digits,
  difference: Digits,
  currency: Schema.String,
  createdAt: Schema.String.check(Schema.makeFilter((text) => !Number.isNaN(Date.parse(text)))),
  reason: Loose,
  model_responsible: Loose,
  model_row: Loose
})

export type BankRow = typeof BankRow.Type
const BankRow = Schema.Struct({
  name: Schema.String,
  code: Schema.String,
  type: Schema.String,
  currency: Schema.String,
  active: Loose,
  is_deleted: Loose
})

const Resolved = Schema.Struct({ account_name: Schema.String })
const Validated = Schema.Struct({
  verified: Schema.Boolean,
  accountHolderMatch: Schema.Boolean,
  accountOpen: Schema.Boolean,
  accountAcceptsCredits: Schema.Boolean
})
const Recipient = Schema.Struct({ recipient_code: Schema.String.check(Schema.isPattern(/^RCP_[A-Za-z0-9_]{1,80}$/)) })

const Account = Schema.Struct({
  account_number: Schema.String.check(Schema.isPattern(/^\d{5,30}$/)),
  account_name: Schema.String,
  bank: Schema.Struct({ name: Schema.String })
})
const Customer = Schema.Struct({
  customer_code: Schema.String.check(Schema.isPattern(/^CUS_[A-Za-z0-9]{1,80}$/)),
  dedicated_account: Schema.optionalKey(Schema.NullOr(Account))
})

/** A pay-in. */
export type Charge = typeof Charge.Type
const Charge = Schema.Struct({
  id: Digits,
  reference: Schema.String,
  status: Schema.String,
  amount: Digits,
  currency: Schema.String,
  channel: Schema.String,
  paid_at: Loose,
  domain: Loose,
  customer: Schema.Struct({ email: Schema.String }),
  authorization: Loose
})

/** An item of a list, as it came: nothing is known of its members. */
export interface ListedItem {
  readonly id?: unknown
  readonly reference?: unknown
  readonly status?: unknown
  readonly amount?: unknown
  readonly currency?: unknown
  readonly transaction?: unknown
  readonly merchant_note?: unknown
  readonly customer?: unknown
  readonly integration?: unknown
}

/** What an item of a list is called in a fault. */
export const nameOf = ({ id, reference }: ListedItem): string =>
  keptText(reference, 60) ?? keptText(id, 40) ?? "an item without an id"

const itemOf = (item: unknown): ListedItem => (typeof item === "object" && item !== null ? item : {})

const Items = Schema.Array(Schema.Unknown)
const pageSize = 100
/** The most pages of one list. */
const pagesMax = 20

/** The items of a list that can be read, and the others as they came. */
export interface Readable<A> {
  readonly items: ReadonlyArray<A>
  readonly unreadable: ReadonlyArray<unknown>
}

const readItems = <A>(schema: Schema.Decoder<A>, all: ReadonlyArray<unknown>): Readable<A> => {
  const read = Schema.decodeUnknownOption(schema)
  const items: Array<A> = []
  const unreadable: Array<unknown> = []
  for (const item of all) {
    const one = read(item)
    if (one._tag === "Some") items.push(one.value)
    else unreadable.push(item)
  }
  return { items, unreadable }
}

/** How many pages a list has, where it says so. */
const pagesIn = ({ json }: CompanyReply): number | undefined => {
  const { meta } = json as { readonly meta?: { readonly pageCount?: unknown } | null }
  return typeof meta?.pageCount === "string" && /^\d{1,9}$/.test(meta.pageCount) ? Number(meta.pageCount) : undefined
}

/** What a time is called in a query. */
const iso = (at: number): string => new Date(at).toISOString()

interface Query {
  readonly [name: string]: string | undefined
}

/** How an integration is asked. `secret`: its key. */
const makeAsking = (currency: PaystackCurrency, ask: CompanyClient, secret: string) => {
  const get = (path: string, query: Query = {}) => ask({ method: "GET", path: pathWith(path, query) })
  const post = (path: string, body: string) => ask({ method: "POST", path, body })

  const readData = Effect.fnUntraced(function* <A>(
    schema: Schema.Decoder<A>,
    what: string,
    asked: Effect.Effect<CompanyReply, NoReply>
  ) {
    const reply = yield* Effect.mapError(asked, faultOfNoReply)
    const data = dataIn(schema, reply)
    return data ?? (yield* new ProviderFault({ message: `${what} in ${currency}: Paystack answered ${saidIn(reply)}` }))
  })

  /** All items of a list. Undefined: it is longer than `pagesMax` pages, and its end would be missing. */
  const pages = Effect.fnUntraced(function* (
    path: string,
    query: Query
  ): Effect.fn.Return<ReadonlyArray<unknown> | undefined, ProviderFault> {
    const found: Array<unknown> = []
    for (let page = 1; page <= pagesMax; page++) {
      // Paystack's pages call the size by both names.
      const size = { perPage: String(pageSize), per_page: String(pageSize) }
      const reply = yield* Effect.mapError(get(path, { ...query, ...size, page: String(page) }), faultOfNoReply)
      const one = yield* readData(Items, path, Effect.succeed(reply))
      found.push(...one)
      const count = pagesIn(reply)
      if (one.length === 0 || (count !== undefined && page >= count)) return found
      if (count !== undefined && count > pagesMax) return undefined
    }
    return undefined
  })
  const tooLong = (path: string) =>
    new ProviderFault({ message: `${path} in ${currency} has more than ${pagesMax} pages` })

  /** All items of a list, which can be read. */
  const list = <A>(schema: Schema.Decoder<A>, path: string, query: Query) =>
    Effect.flatMap(pages(path, query), (all) =>
      all === undefined ? Effect.fail(tooLong(path)) : Effect.succeed(readItems(schema, all).items)
    )

  /** A list by time. */
  const listIn =
    (path: string, query: Query): ListWindow<ReadonlyArray<unknown>> =>
    ({ from, to }) =>
      pages(path, { ...query, from: iso(from), to: to === undefined ? undefined : iso(to) })
  const itemsIn =
    (path: string, query: Query): ListWindow<ReadonlyArray<ListedItem>> =>
    (window, isShortest) =>
      Effect.map(listIn(path, query)(window, isShortest), (all) => all?.map(itemOf))
  /** All items of a list since then. */
  const windows = Effect.fnUntraced(function* (path: string, query: Query, from: number) {
    const all: Array<unknown> = []
    yield* readWindows<ReadonlyArray<unknown>>({ from }, yield* wallNow, {
      ...{ name: `${path} in ${currency}`, list: listIn(path, query) },
      read: (items) => Effect.sync(() => all.push(...items))
    })
    return all
  })

  /** The number of the integration, once it was seen: a key is of one for ever. */
  let account: string | undefined
  const seeOwner = (data: unknown): void => {
    const { integration } = itemOf(data)
    if (typeof integration === "string" && /^\d{1,18}$/.test(integration)) account ??= integration
  }
  const key = createHash("sha256").update(secret).digest("hex").slice(0, 16)
  /** Whose key it is. Nothing says it by itself: the items of some lists do. */
  const owner: Effect.Effect<KeyOwner, ProviderFault> = Effect.gen(function* () {
    for (const path of ["/transferrecipient", "/balance/ledger"])
      if (account === undefined) {
        const size = { perPage: "1", per_page: "1", page: "1" }
        const [item] = yield* readData(Items, path, get(path, size))
        seeOwner(item)
      }
    return { account: account ?? null, key }
  })

  return { currency, get, post, readData, pages, list, itemsIn, windows, owner, seeOwner }
}
type Asking = ReturnType<typeof makeAsking>

/** What moves money, and what is asked about it. */
const moneyCalls = ({ currency, get, itemsIn, list, post, seeOwner, readData, windows }: Asking) => {
  return {
    /**
     * The code of a recipient: the existing one, where there is one. It moves no money, so whatever keeps it from being made, nothing was
     * executed; only a listed answer rejects.
     */
    recipient: (account: {
      readonly type: string
      readonly name: string
      readonly account_number: string
      readonly bank_code: string
    }): Effect.Effect<string | Extract<Posted, { readonly _tag: "not_executed" }>> =>
      Effect.match(post("/transferrecipient", writeJson({ ...account, currency })), {
        onFailure: () => ({ _tag: "not_executed", result: { _tag: "unavailable" } }) as const,
        onSuccess: (reply) => {
          seeOwner(dataIn(Schema.Unknown, reply))
          const code = dataIn(Recipient, reply)?.recipient_code
          if (code !== undefined) return code
          const refusal = refusalIn(reply)
          return refusal._tag === "not_executed"
            ? refusal
            : ({ _tag: "not_executed", result: { _tag: "unavailable" } } as const)
        }
      }),
    transfer: (recipient: string, reason: string | undefined, expected: Expected) =>
      postOnce(
        post(
          "/transfer",
          writeJson(
            { source: "balance", recipient, reference: expected.reference, currency, reason },
            { amount: expected.units }
          )
        ),
        (reply) => readPosted(reply, expected)
      ),
    verify: (expected: Expected): Effect.Effect<Seen, ProviderFault> =>
      Effect.flatMap(Effect.mapError(get(`/transfer/verify/${expected.reference}`), faultOfNoReply), (reply) =>
        requireSeen(readVerified(reply, expected))
      ),
    /** The reference of a transfer, by Paystack's id of it. */
    referenceOf: (id: string) =>
      Effect.map(
        readData(PaystackTransfer, `the transfer ${id}`, get(`/transfer/${id}`)),
        ({ reference }) => reference
      ),
    /** Transfers that wait for a code, of those that were made since then. */
    waiting: (from: number) => list(PaystackTransfer, "/transfer", { status: "otp", from: iso(from) }),
    /** Transfers that came back, by when they were made. */
    reversed: itemsIn("/transfer", { status: "reversed" }),
    refund: (transaction: string, merchant_note: string, expected: Expected) =>
      postOnce(
        post("/refund", writeJson({ transaction, currency, merchant_note }, { amount: expected.units })),
        (reply) => readRefunded(reply, expected)
      ),
    /** Refunds, by when they were made. */
    refunds: itemsIn("/refund", {}),
    /** The refunds of a pay-in that were made since then, and perhaps others: whether the list can be asked for one is not certain. */
    refundsOf: (transaction: string, from: number) =>
      Effect.map(windows("/refund", { transaction }, from), (all) => all.map(itemOf))
  }
}

/** Customers, their accounts, and what was paid to them. */
const accountCalls = ({ get, itemsIn, post, readData }: Asking) => ({
  /** A customer and the account that it has; undefined: there is none. */
  customer: (email: string) =>
    Effect.flatMap(Effect.mapError(get(`/customer/${encodeURIComponent(email)}`), faultOfNoReply), (reply) =>
      reply.status === 404 && envelopeOf(reply)?.status === false
        ? Effect.undefined
        : readData(Customer, "the customer", Effect.succeed(reply))
    ),
  createCustomer: (email: string, first_name: string, last_name: string) =>
    readData(Customer, "the customer", post("/customer", writeJson({ email, first_name, last_name }))),
  createAccount: (customer: string, preferred_bank: string | undefined) =>
    readData(Account, "the account", post("/dedicated_account", writeJson({ customer, preferred_bank }))),
  charge: (reference: string) =>
    readData(Charge, "the pay-in", get(`/transaction/verify/${encodeURIComponent(reference)}`)),
  /** Pay-ins to accounts, by when they were made. */
  charges: itemsIn("/transaction", { status: "success", channel: "dedicated_nuban" })
})

/** What is read: balances, banks and holders of accounts. */
const readCalls = ({ currency, get, list, owner, pages, post, readData, windows }: Asking) => ({
  /** Whose key it is. Errors: nobody could be asked. */
  owner,
  /** The cheapest read. */
  balance: Effect.mapError(get("/balance"), faultOfNoReply),
  balances: readData(Balances, "the balance", get("/balance")),
  /** The ledger between two times. Undefined: it is too long. */
  ledger: (from: number, to: number): Effect.Effect<Readable<LedgerRow> | undefined, ProviderFault> =>
    Effect.map(pages("/balance/ledger", { from: iso(from), to: iso(to) }), (all) =>
      all === undefined ? undefined : readItems(LedgerRow, all)
    ),
  /** The whole ledger since then. */
  ledgerSince: (from: number): Effect.Effect<Readable<LedgerRow>, ProviderFault> =>
    Effect.map(windows("/balance/ledger", {}, from), (all) => readItems(LedgerRow, all)),
  /** Whether an account is open and its holder has a name and a document. Errors: Paystack cannot say. */
  validate: (account: {
    readonly account_name: string
    readonly account_number: string
    readonly account_type: "personal" | "business"
    readonly bank_code: string
    readonly country_code: string
    readonly document_type: string
    readonly document_number: string
  }) =>
    Effect.map(
      readData(Validated, "the account", post("/bank/validate", writeJson(account))),
      ({ accountAcceptsCredits, accountHolderMatch, accountOpen, verified }) =>
        verified ? accountHolderMatch && accountOpen && accountAcceptsCredits : undefined
    ),
  banks: (country: string) => list(BankRow, "/bank", { country, currency }),
  resolve: (account_number: string, bank_code: string) =>
    Effect.flatMap(Effect.mapError(get("/bank/resolve", { account_number, bank_code }), faultOfNoReply), (reply) => {
      const data = dataIn(Resolved, reply)
      const refusal = refusalIn(reply)
      if (data !== undefined) return Effect.succeed(data.account_name)
      return refusal._tag === "not_executed" && refusal.result._tag === "rejected"
        ? Effect.succeed(null)
        : Effect.fail(
            new ProviderFault({ message: `the account cannot be resolved: Paystack answered ${saidIn(reply)}` })
          )
    })
})

export const makeCalls = (currency: PaystackCurrency, client: CompanyClient, secret: string) => {
  const asking = makeAsking(currency, client, secret)
  return { currency, ...readCalls(asking), ...moneyCalls(asking), ...accountCalls(asking) }
}

export type PaystackCalls = ReturnType<typeof makeCalls>
