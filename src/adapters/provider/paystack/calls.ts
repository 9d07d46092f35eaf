/** The calls of one integration of Paystack. */
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import {
  type CompanyClient,
  faultOfNoReply,
  type NoReply,
  pathWith,
  type CompanyReply,
  writeJson
} from "../company/client.ts"
import type { Posted, Seen } from "../company/submissions.ts"
import {
  dataIn,
  envelopeOf,
  type Expected,
  readPosted,
  readRefunded,
  readVerified,
  PaystackRefund,
  refundSeen,
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
  createdAt: Schema.String,
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
  paid_at: Schema.String,
  domain: Loose,
  customer: Schema.Struct({ email: Schema.String }),
  authorization: Loose
})

/** A page, and each of its items that can be read. */
const Items = Schema.Array(Schema.Unknown)
const pageSize = 100
/** The most pages of one list. */
const pagesMax = 20

const items = <A>(schema: Schema.Decoder<A>, page: ReadonlyArray<unknown>): ReadonlyArray<A> => {
  const read = Schema.decodeUnknownOption(schema)
  return page.flatMap((item) => {
    const one = read(item)
    return one._tag === "Some" ? [one.value] : []
  })
}

/** How many pages a list has, where it says so. */
const pagesIn = ({ json }: CompanyReply): number => {
  const { meta } = json as { readonly meta?: { readonly pageCount?: unknown } | null }
  return typeof meta?.pageCount === "string" && /^\d{1,9}$/.test(meta.pageCount) ? Number(meta.pageCount) : pagesMax + 1
}

/** What a time is called in a query. */
const iso = (at: number): string => new Date(at).toISOString()

/** How an integration is asked. */
const makeAsking = (currency: PaystackCurrency, ask: CompanyClient) => {
  const get = (path: string, query: { readonly [name: string]: string | undefined } = {}) =>
    ask({ method: "GET", path: pathWith(path, query) })
  const post = (path: string, body: string) => ask({ method: "POST", path, body })

  const wanted = Effect.fnUntraced(function* <A>(
    schema: Schema.Decoder<A>,
    what: string,
    asked: Effect.Effect<CompanyReply, NoReply>
  ) {
    const reply = yield* Effect.mapError(asked, faultOfNoReply)
    const data = dataIn(schema, reply)
    return data ?? (yield* new ProviderFault({ message: `${what} in ${currency}: Paystack answered ${saidIn(reply)}` }))
  })

  /** All items of a list. Undefined: it is longer than `pagesMax` pages, and its end would be missing. */
  const pages = Effect.fnUntraced(function* <A>(
    schema: Schema.Decoder<A>,
    path: string,
    query: { readonly [name: string]: string | undefined }
  ): Effect.fn.Return<ReadonlyArray<A> | undefined, ProviderFault> {
    const found: Array<A> = []
    for (let page = 1; page <= pagesMax; page++) {
      // Paystack's pages call the size by both names.
      const size = { perPage: String(pageSize), per_page: String(pageSize) }
      const reply = yield* Effect.mapError(get(path, { ...query, ...size, page: String(page) }), faultOfNoReply)
      const one = yield* wanted(Items, path, Effect.succeed(reply))
      found.push(...items(schema, one))
      if (one.length === 0 || page >= pagesIn(reply)) return found
    }
    return undefined
  })
  const list = <A>(...asked: Parameters<typeof pages<A>>): Effect.Effect<ReadonlyArray<A>, ProviderFault> =>
    Effect.flatMap(pages(...asked), (all) =>
      all === undefined
        ? Effect.fail(new ProviderFault({ message: `${asked[1]} in ${currency} has more than ${pagesMax} pages` }))
        : Effect.succeed(all)
    )

  return { currency, get, post, wanted, pages, list }
}
type Asking = ReturnType<typeof makeAsking>

/** What moves money, and what is asked about it. */
const moneyCalls = ({ currency, get, list, post, wanted }: Asking) => {
  /** A POST that moves money: one request. A request that never left was not executed. */
  const posted = (path: string, body: string, read: (reply: CompanyReply) => Posted): Effect.Effect<Posted> =>
    Effect.match(post(path, body), {
      onFailure: ({ isSent, message }): Posted =>
        isSent ? { _tag: "unknown", message } : { _tag: "not_executed", result: { _tag: "unavailable" } },
      onSuccess: read
    })

  const known = (seen: ReturnType<typeof readVerified>): Effect.Effect<Seen, ProviderFault> =>
    seen._tag === "unknown" ? Effect.fail(new ProviderFault({ message: seen.message })) : Effect.succeed(seen)

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
          const code = dataIn(Recipient, reply)?.recipient_code
          if (code !== undefined) return code
          const refusal = refusalIn(reply)
          return refusal._tag === "not_executed"
            ? refusal
            : ({ _tag: "not_executed", result: { _tag: "unavailable" } } as const)
        }
      }),
    transfer: (recipient: string, reason: string | undefined, expected: Expected) =>
      posted(
        "/transfer",
        writeJson(
          { source: "balance", recipient, reference: expected.reference, currency, reason },
          { amount: expected.units }
        ),
        (reply) => readPosted(reply, expected)
      ),
    verify: (expected: Expected): Effect.Effect<Seen, ProviderFault> =>
      Effect.flatMap(Effect.mapError(get(`/transfer/verify/${expected.reference}`), faultOfNoReply), (reply) =>
        known(readVerified(reply, expected))
      ),
    /** The reference of a transfer, by Paystack's id of it. */
    referenceOf: (id: string) =>
      Effect.map(wanted(PaystackTransfer, `the transfer ${id}`, get(`/transfer/${id}`)), ({ reference }) => reference),
    /** The transfers of a state that were made since then. */
    transfers: (status: string, from: number) => list(PaystackTransfer, "/transfer", { status, from: iso(from) }),
    refund: (transaction: string, merchant_note: string, expected: Expected) =>
      posted("/refund", writeJson({ transaction, currency, merchant_note }, { amount: expected.units }), (reply) =>
        readRefunded(reply, expected)
      ),
    /** A refund by the note that has our id: Paystack takes no reference for it. */
    findRefund: (transaction: string, merchant_note: string, expected: Expected): Effect.Effect<Seen, ProviderFault> =>
      Effect.flatMap(list(PaystackRefund, "/refund", { transaction }), (all) => {
        const one = all.find((refund) => refund.merchant_note === merchant_note)
        return one === undefined ? Effect.succeed<Seen>({ _tag: "missing" }) : known(refundSeen(one, expected))
      })
  }
}

/** Customers, their accounts, and what was paid to them. */
const accountCalls = ({ get, list, post, wanted }: Asking) => ({
  /** A customer and the account that it has; undefined: there is none. */
  customer: (email: string) =>
    Effect.flatMap(Effect.mapError(get(`/customer/${encodeURIComponent(email)}`), faultOfNoReply), (reply) =>
      reply.status === 404 && envelopeOf(reply)?.status === false
        ? Effect.undefined
        : wanted(Customer, "the customer", Effect.succeed(reply))
    ),
  createCustomer: (email: string, first_name: string, last_name: string) =>
    wanted(Customer, "the customer", post("/customer", writeJson({ email, first_name, last_name }))),
  createAccount: (customer: string, preferred_bank: string | undefined) =>
    wanted(Account, "the account", post("/dedicated_account", writeJson({ customer, preferred_bank }))),
  charge: (reference: string) =>
    wanted(Charge, "the pay-in", get(`/transaction/verify/${encodeURIComponent(reference)}`)),
  /** The pay-ins to accounts since then. */
  charges: (from: number) =>
    list(Charge, "/transaction", { status: "success", channel: "dedicated_nuban", from: iso(from) })
})

/** What is read: balances, banks and holders of accounts. */
const readCalls = ({ currency, get, list, pages, wanted }: Asking) => ({
  /** The cheapest read. */
  balance: Effect.mapError(get("/balance"), faultOfNoReply),
  balances: wanted(Balances, "the balance", get("/balance")),
  ledger: (from: number, to: number) => pages(LedgerRow, "/balance/ledger", { from: iso(from), to: iso(to) }),
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

export const makeCalls = (currency: PaystackCurrency, client: CompanyClient) => {
  const asking = makeAsking(currency, client)
  return { currency, ...readCalls(asking), ...moneyCalls(asking), ...accountCalls(asking) }
}

export type PaystackCalls = ReturnType<typeof makeCalls>
