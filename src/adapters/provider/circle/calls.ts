/** The calls of an account at Circle. */
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type CompanyClient, faultOfNoReply, pathWith } from "../company/client.ts"
import { type Posted, postOnce, requireSeen, type Seen } from "../company/submissions.ts"
import { readWindows, type Window } from "../company/windows.ts"
import {
  dataIn,
  entities,
  type ExpectedPayment,
  type Payment,
  type PaymentKind,
  BankPayout,
  readFound,
  readPosted
} from "./mapping.ts"
import { saidIn, ChainTransfer } from "./mapping.ts"

const Loose = Schema.optionalKey(Schema.Unknown)
const Text = Schema.String
const Money = Schema.Struct({ amount: Text, currency: Text })
const Balances = Schema.Struct({ available: Schema.Array(Money), unsettled: Schema.Array(Money) })
const Configuration = Schema.Struct({ payments: Schema.Struct({ masterWalletId: Text }) })

/** An address that may be paid, once it is `active`. */
const Recipient = Schema.Struct({ id: Text, address: Text, chain: Text, status: Text })
/** A linked bank account. Its description ends with the last four characters of its number. */
export type LinkedWire = typeof LinkedWire.Type
const LinkedWire = Schema.Struct({
  id: Text,
  status: Text,
  description: Text,
  billingDetails: Loose,
  bankAddress: Loose
})
const Deposit = Schema.Struct({ id: Text, status: Text, amount: Money, createDate: Text, fees: Loose, fee: Loose })
const Address = Schema.Struct({ id: Loose, address: Text, chain: Text })
const Subscription = Schema.Struct({ subscriptionDetails: Schema.Array(Schema.Struct({ status: Text })) })

/** An item of a list of which no more is known: a page goes on after it. */
const Unread = Schema.Struct({ id: Text })

const base = "/v1/businessAccount"
const paths: Readonly<Record<PaymentKind, string>> = { transfer: `${base}/transfers`, payout: `${base}/payouts` }

const pageSize = 50
/** The most pages of one list. */
const pagesMax = 40

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

export const makeCalls = (ask: CompanyClient) => {
  const get = (path: string, query: { readonly [name: string]: string | undefined } = {}) =>
    ask({ method: "GET", path: pathWith(path, query) })
  const readData = <A>(schema: Schema.Decoder<A>, path: string, asked: ReturnType<CompanyClient> = get(path)) =>
    Effect.flatMap(Effect.mapError(asked, faultOfNoReply), (reply): Effect.Effect<A, ProviderFault> => {
      const data = dataIn(schema, reply)
      return data === undefined
        ? Effect.fail(new ProviderFault({ message: `${path}: Circle answered ${saidIn(reply)}` }))
        : Effect.succeed(data)
    })

  /**
   * All items of a list, newest first, up to an empty page: a page that is short may be one that Circle cut. Undefined: it is longer than
   * `pagesMax` pages. Errors: also where an item cannot be read, and where a page comes again.
   */
  const pages = Effect.fnUntraced(function* <A extends { readonly id: string }>(
    item: Schema.Decoder<A>,
    path: string,
    range?: Window
  ): Effect.fn.Return<ReadonlyArray<A> | undefined, ProviderFault> {
    const found: Array<A> = []
    const ids = new Set<string>()
    for (let page = 0; page < pagesMax; page++) {
      const query = {
        from: iso(range?.from),
        to: iso(range?.to),
        pageSize: String(pageSize),
        pageAfter: found.at(-1)?.id
      }
      const items = yield* readData(Schema.Array(item), path, get(path, query))
      if (items.length === 0) return found
      if (items.some(({ id }) => ids.has(id)))
        return yield* new ProviderFault({
          message: `${path}: Circle lists the same item twice, so its list may not be whole`
        })
      for (const { id } of items) ids.add(id)
      found.push(...items)
    }
    return undefined
  })
  const tooLong = (path: string) => new ProviderFault({ message: `${path} has more than ${pagesMax} pages` })

  /** All items of a list, each once: one with a time is read in shorter times where it is too long. */
  const list = Effect.fnUntraced(function* <A extends { readonly id: string }>(
    item: Schema.Decoder<A>,
    path: string,
    range?: Window
  ) {
    const all = new Map<string, A>()
    const keep = (items: ReadonlyArray<A>) => Effect.sync(() => items.forEach((one) => all.set(one.id, one)))
    if (range === undefined) yield* keep((yield* pages(item, path)) ?? (yield* tooLong(path)))
    else yield* readWindows(range, yield* wallNow, (window) => pages(item, path, window), keep, tooLong(path))
    return [...all.values()]
  })

  /** The items of a list that can be read, and the ids of the others. */
  const readable = <A extends { readonly id: string }>(item: Schema.Decoder<A>, path: string, range?: Window) =>
    Effect.map(list(Schema.Union([item, Unread]), path, range), (all) => {
      const items = all.filter((one): one is A => "status" in one)
      const unread = all.flatMap((one) => ("status" in one ? [] : [one.id]))
      return { items, unread }
    })

  return {
    /** The cheapest read. */
    configuration: Effect.mapError(get("/v1/configuration"), faultOfNoReply),
    masterWallet: Effect.map(readData(Configuration, "/v1/configuration"), ({ payments }) => payments.masterWalletId),
    balances: readData(Balances, `${base}/balances`),
    subscriptions: readData(Schema.Array(Subscription), "/v1/notifications/subscriptions"),
    recipients: Effect.map(readable(Recipient, `${base}/wallets/addresses/recipient`), ({ items }) => items),
    wires: readData(Schema.Array(LinkedWire), `${base}/banks/wires`),
    createAddress: (idempotencyKey: string, chain: string) => {
      const path = `${base}/wallets/addresses/deposit`
      const body = JSON.stringify({ idempotencyKey, currency: "USD", chain })
      return readData(Address, path, ask({ method: "POST", path, body }))
    },
    /** A POST that moves money: one request. A request that never left was not executed. */
    post: (body: string, expected: ExpectedPayment): Effect.Effect<Posted> =>
      postOnce(ask({ method: "POST", path: paths[expected.kind], body }), (reply) => readPosted(reply, expected)),
    /** A payment by Circle's id. */
    find: (id: string, expected: ExpectedPayment): Effect.Effect<Seen, ProviderFault> =>
      Effect.flatMap(Effect.mapError(get(`${paths[expected.kind]}/${id}`), faultOfNoReply), (reply) =>
        requireSeen(readFound(reply, expected))
      ),
    transfer: (id: string) => readData(ChainTransfer, `${paths.transfer}/${id}`),
    /** Payments, all of them: one that cannot be read fails it, for it may be the one that is looked for. */
    payments: (kind: PaymentKind, range: Window): Effect.Effect<ReadonlyArray<Payment>, ProviderFault> =>
      list<Payment>(entities[kind], paths[kind], range),
    /** The payments that can be read, and the ids of the others: one hides none. */
    readable: <Kind extends PaymentKind>(kind: Kind, range: Window) =>
      readable<(typeof entities)[Kind]["Type"]>(entities[kind], paths[kind], range),
    /** The items of a statement. Undefined: a list is too long. */
    transfersIn: (range: Window) => pages(ChainTransfer, paths.transfer, range),
    payoutsIn: (range: Window) => pages(BankPayout, paths.payout, range),
    depositsIn: (range: Window) => pages(Deposit, `${base}/deposits`, range)
  }
}

export type CircleCalls = ReturnType<typeof makeCalls>
