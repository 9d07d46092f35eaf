/** The calls of one customer's wallet at Bridge. */
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { Loose, memberOf, PlainId } from "../company/answers.ts"
import { type CompanyClient, type CompanyReply, faultOfNoReply, pathWith } from "../company/client.ts"
import { type NotExecuted, type Posted, postOnce, requireSeen, type Seen } from "../company/submissions.ts"
import { ActivityItem, WalletItem } from "./activity.ts"
import { bridge, BridgeTransfer, type ExpectedTransfer, readFound, readPosted, unitsOf } from "./mapping.ts"
import type { BridgeConfig } from "./options.ts"

const Balance = Schema.Struct({ balance: Schema.String, currency: Schema.String })
const Wallet = Schema.Struct({ id: PlainId, chain: Loose, address: Loose, balances: Schema.Array(Balance) })
const Account = Schema.Struct({ id: PlainId, active: Schema.Boolean })
const MadeAccount = Schema.Struct({ id: PlainId })
const Time = Schema.String.check(Schema.makeFilter((text) => !Number.isNaN(Date.parse(text))))
/** A page of a list. An item without an id or a time makes it prove nothing. */
const pageOf = <F extends Schema.Struct.Fields>(fields: F) =>
  Schema.Struct({ data: Schema.Array(Schema.Struct({ ...fields, id: PlainId, created_at: Time })) })
const Transfers = pageOf(BridgeTransfer.fields)
const Activity = pageOf(ActivityItem.fields)
const History = pageOf(WalletItem.fields)

/** The activity of all accounts may have each item in a member `value`: Bridge's page shows it so, and that of one account without. */
const unwrapItems = (reply: CompanyReply): CompanyReply => {
  const data = memberOf(reply.json, "data")
  return Array.isArray(data)
    ? { ...reply, json: { data: data.map((one: unknown) => memberOf(one, "value") ?? one) } }
    : reply
}

const VirtualAccount = Schema.Struct({
  id: PlainId,
  source_deposit_instructions: Schema.Struct({
    ...{ bank_beneficiary_name: Loose, bank_name: Loose, bank_account_number: Loose, bank_routing_number: Loose },
    ...{ account_holder_name: Loose, iban: Loose, bic: Loose }
  })
})
export type VirtualAccount = typeof VirtualAccount.Type

const pageSize = 100
/** The most pages of one list. */
const pagesMax = 100

interface Listed {
  readonly id: string
  readonly created_at: string
}

/** What was read of a list, which is newest first. `began`: when, epoch milliseconds. */
export interface ListWalk<A> {
  readonly began: number
  readonly items: ReadonlyMap<string, A>
  /** The time of the newest item of the last page, epoch milliseconds: whatever was not read is older. */
  readonly beyond: number
  readonly last: string | undefined
}

/** Whether all that was made since then was read. */
export const hasReached = ({ beyond }: Pick<ListWalk<unknown>, "beyond">, from: number): boolean => beyond < from

/**
 * Reads a list on, to what was made since then (epoch milliseconds), or so many pages. It ends with a page that is empty, or older.
 *
 * Errors: also where an item cannot be read, and where an item comes again.
 */
const makeWalking = (ask: CompanyClient) =>
  Effect.fnUntraced(function* <A extends Listed>(
    path: string,
    schema: Schema.Decoder<{ readonly data: ReadonlyArray<A> }>,
    from: number,
    pages: number,
    before?: ListWalk<A>
  ): Effect.fn.Return<ListWalk<A>, ProviderFault> {
    const items = new Map(before?.items)
    const began = before?.began ?? (yield* wallNow)
    let { beyond, last } = before ?? { beyond: Number.POSITIVE_INFINITY, last: undefined }
    for (let page = 0; page < pages && !hasReached({ beyond }, from); page++) {
      const asked = pathWith(path, { limit: String(pageSize), starting_after: last })
      const { data } = yield* bridge.read(schema, path, Effect.map(ask({ method: "GET", path: asked }), unwrapItems))
      if (data.some(({ id }) => items.has(id)))
        return yield* new ProviderFault({
          message: `${path}: Bridge lists an item twice, so its list may not be whole`
        })
      for (const one of data) items.set(one.id, one)
      beyond = data.reduce((newest, one) => Math.max(newest, Date.parse(one.created_at)), Number.NEGATIVE_INFINITY)
      last = data.at(-1)?.id ?? last
    }
    return { began, items, beyond, last }
  })

/** All items of a list that were made since then. Errors: those of a walk, and where there are too many. */
const makeListing = (ask: CompanyClient) => {
  const walk = makeWalking(ask)
  return Effect.fnUntraced(function* <A extends Listed>(
    path: string,
    schema: Schema.Decoder<{ readonly data: ReadonlyArray<A> }>,
    from: number
  ): Effect.fn.Return<ReadonlyArray<A>, ProviderFault> {
    const walked = yield* walk(path, schema, from, pagesMax)
    if (hasReached(walked, from)) return [...walked.items.values()]
    return yield* new ProviderFault({ message: `${path} has more than ${pagesMax} pages` })
  })
}

export const makeCalls = (ask: CompanyClient, { customer, wallet: id }: Pick<BridgeConfig, "customer" | "wallet">) => {
  const accounts = `/customers/${customer}/external_accounts`
  const virtualAccounts = `/customers/${customer}/virtual_accounts`
  const get = (path: string) => ask({ method: "GET", path })
  /** Makes what moves no money: whatever keeps it from being made, nothing was executed; only a listed answer rejects. */
  const create = <A extends object>(
    path: string,
    schema: Schema.Decoder<A>,
    idempotency_key: string,
    body: string
  ): Effect.Effect<A | NotExecuted> =>
    Effect.match(ask({ method: "POST", path, idempotency_key, body }), {
      onFailure: () => ({ _tag: "unavailable" }),
      onSuccess: (reply) => {
        const refusal = bridge.refusalIn(reply)
        const refused: NotExecuted = refusal._tag === "not_executed" ? refusal.result : { _tag: "unavailable" }
        return bridge.dataIn(schema, reply) ?? refused
      }
    })
  const listSince = makeListing(ask)
  const walk = makeWalking(ask)
  const walletPath = `/customers/${customer}/wallets/${id}`
  const wallet = bridge.read(Wallet, "the wallet", get(walletPath))
  return {
    /** The cheapest read that needs the key, the customer and the wallet. */
    wallet: Effect.mapError(get(walletPath), faultOfNoReply),
    /** The USDC of the wallet, in millionths. */
    balance: Effect.flatMap(wallet, ({ balances }) => {
      const usdc = balances.find(({ currency }) => currency.toLowerCase() === "usdc")
      const units = usdc === undefined || /^0(?:\.0*)?$/.test(usdc.balance) ? 0n : unitsOf(usdc.balance)
      return units === undefined
        ? Effect.fail(new ProviderFault({ message: "the wallet has a balance that cannot be read" }))
        : Effect.succeed(units)
    }),
    /** What a wallet has, where an answer says it. */
    walletIn: (reply: CompanyReply) => bridge.dataIn(Wallet, reply),
    /** Whether an account can still be paid. */
    isActive: (id: string) =>
      bridge.readAnswer(get(`${accounts}/${id}`), "the account", (reply) =>
        bridge.isRefusedWith(reply, 404) ? false : bridge.dataIn(Account, reply)?.active
      ),
    /** Makes an account of a beneficiary. */
    createAccount: (idempotency_key: string, body: string): Effect.Effect<string | NotExecuted> =>
      Effect.map(create(accounts, MadeAccount, idempotency_key, body), (made) => ("id" in made ? made.id : made)),
    /** A POST that moves money: one request. A request that never left was not executed. */
    post: (idempotency_key: string, body: string, expected: ExpectedTransfer): Effect.Effect<Posted> =>
      postOnce(ask({ method: "POST", path: "/transfers", idempotency_key, body }), (reply) =>
        readPosted(reply, expected)
      ),
    /** A transfer by Bridge's id. */
    find: (id: string, expected: ExpectedTransfer): Effect.Effect<Seen, ProviderFault> =>
      Effect.flatMap(Effect.mapError(get(`/transfers/${id}`), faultOfNoReply), (reply) =>
        requireSeen(readFound(reply, expected))
      ),
    /** Makes an account for pay-ins in a currency, whose USDC goes to the wallet. It moves no money. */
    makeVirtualAccount: Effect.fnUntraced(function* (
      idempotency_key: string,
      currency: string
    ): Effect.fn.Return<VirtualAccount | NotExecuted, ProviderFault> {
      const { address, chain } = yield* wallet
      if (typeof address !== "string" || typeof chain !== "string")
        return yield* new ProviderFault({ message: "the wallet has no address that can be read" })
      const body = JSON.stringify({
        source: { currency: currency.toLowerCase() },
        destination: { payment_rail: chain, currency: "usdc", address }
      })
      return yield* create(virtualAccounts, VirtualAccount, idempotency_key, body)
    }),
    /** A transfer by Bridge's id, ours or not. */
    transfer: (id: string) => bridge.read(BridgeTransfer, `the transfer ${id}`, get(`/transfers/${id}`)),
    /** All transfers that were made since then, epoch milliseconds. */
    since: (from: number) => listSince("/transfers", Transfers, from),
    /** What happened since then to the accounts for pay-ins. */
    activity: (from: number) => listSince("/virtual_accounts/history", Activity, from),
    /** What happened since then to one of them. */
    activityOf: (account: string, from: number) => listSince(`${virtualAccounts}/${account}/history`, Activity, from),
    /** What happened to them, and what moved in the wallet, since then: so many pages at a time. */
    walkActivity: (from: number, pages: number, before?: ListWalk<ActivityItem>) =>
      walk("/virtual_accounts/history", Activity, from, pages, before),
    walkHistory: (from: number, pages: number, before?: ListWalk<WalletItem>) =>
      walk(`/wallets/${id}/history`, History, from, pages, before)
  }
}

export type BridgeCalls = ReturnType<typeof makeCalls>
