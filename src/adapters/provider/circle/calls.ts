/** The calls of an account at Circle. */
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { Loose } from "../company/answers.ts"
import { type Asking, makeAsking } from "../company/asking.ts"
import type { CompanyClient } from "../company/client.ts"
import { ListedItem, type Readable, readItems, readList, requireWhole } from "../company/lists.ts"
import { type Posted, postOnce, type Seen } from "../company/submissions.ts"
import { collectWindows, type ListWindow, queryOf, type Window } from "../company/windows.ts"
import {
  ChainTransfer,
  circle,
  entities,
  type ExpectedPayment,
  type Payment,
  type PaymentKind,
  readFound,
  readPosted
} from "./mapping.ts"

const Text = Schema.String
const Money = Schema.Struct({ amount: Text, currency: Text })
const Balances = Schema.Struct({ available: Schema.Array(Money), unsettled: Schema.Array(Money) })
const Configuration = Schema.Struct({ payments: Schema.Struct({ masterWalletId: Text }) })

/** An address that may be paid, once it is `active`. */
const Recipient = Schema.Struct({ id: Text, address: Text, chain: Text, status: Text })
/** A linked bank account. Its description ends with the last four characters of its number. */
export type LinkedWire = typeof LinkedWire.Type
const LinkedWire = Schema.Struct({
  ...{ id: Text, status: Text, description: Text, billingDetails: Loose, bankAddress: Loose }
})
/** A wire of the platform, which pays USD in. */
export type CircleDeposit = typeof Deposit.Type
const Deposit = Schema.Struct({ id: Text, status: Text, amount: Money, createDate: Text, fees: Loose, fee: Loose })
const Address = Schema.Struct({ id: Loose, address: Text, chain: Text })
const Subscription = Schema.Struct({ subscriptionDetails: Schema.Array(Schema.Struct({ status: Text })) })

const base = "/v1/businessAccount"
const paths: Readonly<Record<PaymentKind, string>> = { transfer: `${base}/transfers`, payout: `${base}/payouts` }
/** What a statement is made of. */
const statementPaths = { ...paths, deposit: `${base}/deposits` }
const statementEntities = { ...entities, deposit: Deposit }
type StatementKind = keyof typeof statementEntities

/** The fault of a listed item that cannot be read. */
export const unreadFault = (kind: PaymentKind, { id }: ListedItem): ProviderFault =>
  new ProviderFault({ message: `Circle lists a ${kind} that cannot be read: ${id}` })

const recipientsPath = `${base}/wallets/addresses/recipient`

const pageSize = 50
/** The most pages of one list, and of a time of one that can be asked for in shorter times. */
const pagesMax = 40
const pagesFew = 4

/** The most requests for one list of a time, and for one of the shortest time: the last page is empty, or one too many. */
export const listRequestsMax = pagesFew + 1
export const longListRequestsMax = pagesMax + 1
/** How many items are listed at a request. */
export const listedAtOnce = pageSize

/** Circle's lists. */
const makeLists = ({ get, read }: Asking) => {
  /** All items of a list. Undefined: it has more than `most` pages. Errors: also where an item has no id. */
  const pages = (path: string, range: Partial<Window> = {}, most = pagesMax) => {
    const times = { ...queryOf(range), pageSize: String(pageSize) }
    const page = (pageAfter: string | undefined) =>
      read(Schema.Array(ListedItem), path, get(path, { ...times, pageAfter }))
    return readList({ company: "Circle", path, page }, most + 1)
  }
  /** A list by time. What can be asked for in shorter times is not read far before it is. */
  const pagesIn =
    (path: string): ListWindow<ReadonlyArray<ListedItem>> =>
    (window, isShortest) =>
      pages(path, window, isShortest ? pagesMax : pagesFew)
  return { pages, pagesIn }
}

export const makeCalls = (ask: CompanyClient) => {
  const asking = makeAsking(circle, ask)
  const { get, look, post, read, replyTo } = asking
  const { pages, pagesIn } = makeLists(asking)
  return {
    /** The cheapest read. */
    configuration: replyTo(get("/v1/configuration")),
    masterWallet: Effect.map(read(Configuration, "/v1/configuration"), ({ payments }) => payments.masterWalletId),
    balances: read(Balances, `${base}/balances`),
    subscriptions: read(Schema.Array(Subscription), "/v1/notifications/subscriptions"),
    recipients: Effect.map(
      requireWhole(recipientsPath, pagesMax)(pages(recipientsPath)),
      (all) => readItems(Recipient, all).items
    ),
    wires: read(Schema.Array(LinkedWire), `${base}/banks/wires`),
    createAddress: (idempotencyKey: string, chain: string) => {
      const path = `${base}/wallets/addresses/deposit`
      return read(Address, path, post(path, JSON.stringify({ idempotencyKey, currency: "USD", chain })))
    },
    /** A POST that moves money: one request. A request that never left was not executed. */
    post: (body: string, expected: ExpectedPayment): Effect.Effect<Posted> =>
      postOnce(post(paths[expected.kind], body), (reply) => readPosted(reply, expected)),
    /** A payment by Circle's id. */
    find: (id: string, expected: ExpectedPayment): Effect.Effect<Seen, ProviderFault> =>
      look(`${paths[expected.kind]}/${id}`, (reply) => readFound(reply, expected)),
    transfer: (id: string) => read(ChainTransfer, `${paths.transfer}/${id}`),
    /** A transfer that a notification names. Undefined: Circle has none of that id in this account. */
    named: Effect.fnUntraced(function* (id: string) {
      const path = `${paths.transfer}/${id}`
      const reply = yield* replyTo(get(path))
      if (reply.status === 404 && reply.json !== undefined) return undefined
      return yield* read(ChainTransfer, path, Effect.succeed(reply))
    }),
    /** All payments: one that cannot be read fails it, for it may be the one that is looked for. */
    payments: (kind: PaymentKind, range: Window) =>
      Effect.flatMap(collectWindows(paths[kind], pagesIn(paths[kind]), range), (all) => {
        const { items, unreadable } = readItems<Payment, ListedItem>(entities[kind], all)
        return unreadable[0] === undefined ? Effect.succeed(items) : Effect.fail(unreadFault(kind, unreadable[0]))
      }),
    /** Payments of a time, as they came. */
    listed: (kind: PaymentKind) => pagesIn(paths[kind]),
    /** What is listed of a time for a statement. */
    readable:
      <Kind extends StatementKind>(
        kind: Kind
      ): ListWindow<Readable<(typeof statementEntities)[Kind]["Type"], ListedItem>> =>
      (window, isShortest) =>
        Effect.map(
          pagesIn(statementPaths[kind])(window, isShortest),
          (all) => all && readItems<(typeof statementEntities)[Kind]["Type"], ListedItem>(statementEntities[kind], all)
        ),
    /** An item of a statement by Circle's id. Undefined: Circle does not know it, or it cannot be read. */
    statementItem: Effect.fnUntraced(function* <Kind extends StatementKind>(
      kind: Kind,
      id: string
    ): Effect.fn.Return<(typeof statementEntities)[Kind]["Type"] | undefined, ProviderFault> {
      const path = `${statementPaths[kind]}/${id}`
      const reply = yield* replyTo(get(path))
      const found = circle.dataIn<(typeof statementEntities)[Kind]["Type"]>(statementEntities[kind], reply)
      if (found !== undefined || (reply.json !== undefined && (reply.status === 404 || reply.status < 300)))
        return found
      return yield* new ProviderFault({ message: `${path}: Circle answered ${circle.describe(reply)}` })
    })
  }
}

export type CircleCalls = ReturnType<typeof makeCalls>
