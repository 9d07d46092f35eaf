/** The calls of one customer's wallet at Bridge. */
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { Loose, memberOf, PlainId, textOf } from "../company/answers.ts"
import { type Asking, makeAsking } from "../company/asking.ts"
import type { CompanyClient, CompanyReply } from "../company/client.ts"
import { type ListWalk, type PagedList, readList, requireWhole, walkList } from "../company/lists.ts"
import { type NotExecuted, type Posted, postOnce, type Seen } from "../company/submissions.ts"
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
  ...{ id: PlainId, status: Loose, destination: Loose },
  source_deposit_instructions: Schema.Struct({
    ...{ bank_beneficiary_name: Loose, bank_name: Loose, bank_account_number: Loose, bank_routing_number: Loose },
    ...{ account_holder_name: Loose, iban: Loose, bic: Loose, currency: Loose }
  })
})
export type VirtualAccount = typeof VirtualAccount.Type
const VirtualAccounts = pageOf(VirtualAccount.fields)

/** Whether an account may be of such a request: only what can be read says that it is not. */
export const isLike = ({ destination, source_deposit_instructions, status }: VirtualAccount, body: string): boolean => {
  const asked: unknown = JSON.parse(body)
  const differs = (found: unknown, wanted: unknown, name: string) =>
    textOf(found, name) !== null && textOf(found, name)?.toLowerCase() !== textOf(wanted, name)?.toLowerCase()
  return (
    status !== "deactivated" &&
    !differs(source_deposit_instructions, memberOf(asked, "source"), "currency") &&
    !["payment_rail", "currency", "address"].some((name) => differs(destination, memberOf(asked, "destination"), name))
  )
}

const pageSize = 100
/** The most pages of one list. */
const pagesMax = 100

/** A list of Bridge's, which cannot be asked for a time. */
const listOf = <A extends { readonly id: string; readonly created_at: string }>(
  { get, read }: Asking,
  path: string,
  schema: Schema.Decoder<{ readonly data: ReadonlyArray<A> }>
): PagedList<A> => ({
  ...{ company: "Bridge", path },
  timeOf: ({ created_at }) => Date.parse(created_at),
  page: (starting_after) => {
    const asked = get(path, { limit: String(pageSize), starting_after })
    return Effect.map(read(schema, path, Effect.map(asked, unwrapItems)), ({ data }) => data)
  }
})

export const makeCalls = (ask: CompanyClient, { customer, wallet: id }: Pick<BridgeConfig, "customer" | "wallet">) => {
  const accounts = `/customers/${customer}/external_accounts`
  const virtualAccounts = `/customers/${customer}/virtual_accounts`
  const asking = makeAsking(bridge, ask)
  const { get, look, make, post, read, replyTo } = asking
  const createIn = <A extends object>(path: string, schema: Schema.Decoder<A>, idempotency_key: string, body: string) =>
    make(post(path, body, idempotency_key), (reply) => bridge.dataIn(schema, reply))
  /** All items that were made since then. Errors: also where there are too many. */
  const readAll = <A extends { readonly id: string }>(list: PagedList<A>, from: number) =>
    requireWhole(list.path, pagesMax)(readList(list, pagesMax, from))
  const walletPath = `/customers/${customer}/wallets/${id}`
  const wallet = read(Wallet, "the wallet", get(walletPath))
  const transfers = listOf(asking, "/transfers", Transfers)
  const activity = listOf(asking, "/virtual_accounts/history", Activity)
  const history = listOf(asking, `/wallets/${id}/history`, History)
  return {
    /** The cheapest read that needs the key, the customer and the wallet. */
    wallet: replyTo(get(walletPath)),
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
    createAccount: (idempotency_key: string, body: string): Effect.Effect<string | NotExecuted | undefined> =>
      Effect.map(createIn(accounts, MadeAccount, idempotency_key, body), (made) =>
        made !== undefined && "id" in made ? made.id : made
      ),
    /** A POST that moves money: one request. A request that never left was not executed. */
    post: (idempotency_key: string, body: string, expected: ExpectedTransfer): Effect.Effect<Posted> =>
      postOnce(post(transfers.path, body, idempotency_key), (reply) => readPosted(reply, expected)),
    /** A transfer by Bridge's id. */
    find: (id: string, expected: ExpectedTransfer): Effect.Effect<Seen, ProviderFault> =>
      look(`${transfers.path}/${id}`, (reply) => readFound(reply, expected)),
    /** The request for an account for pay-ins in a currency, whose USDC goes to the wallet. */
    virtualAccountBody: (currency: string) =>
      Effect.flatMap(wallet, ({ address, chain }) =>
        typeof address === "string" && typeof chain === "string"
          ? Effect.succeed(
              JSON.stringify({
                source: { currency: currency.toLowerCase() },
                destination: { payment_rail: chain, currency: "usdc", address }
              })
            )
          : Effect.fail(new ProviderFault({ message: "the wallet has no address that can be read" }))
      ),
    /** Makes it. It moves no money. */
    makeVirtualAccount: (
      idempotency_key: string,
      body: string
    ): Effect.Effect<VirtualAccount | NotExecuted | undefined> =>
      createIn(virtualAccounts, VirtualAccount, idempotency_key, body),
    /** The active accounts that were made between two times, and may be of such a request. Epoch milliseconds. */
    virtualAccountsLike: (body: string, from: number, to: number) =>
      Effect.map(readAll(listOf(asking, virtualAccounts, VirtualAccounts), from), (all) =>
        all.filter((one) => isLike(one, body) && Date.parse(one.created_at) >= from && Date.parse(one.created_at) < to)
      ),
    /** A transfer by Bridge's id, ours or not. */
    transfer: (id: string) => read(BridgeTransfer, `the transfer ${id}`, get(`${transfers.path}/${id}`)),
    /** All transfers that were made since then, epoch milliseconds. */
    since: (from: number) => readAll(transfers, from),
    /** What happened since then to the accounts for pay-ins. */
    activity: (from: number) => readAll(activity, from),
    /** What happened since then to one of them. */
    activityOf: (account: string, from: number) =>
      readAll(listOf(asking, `${virtualAccounts}/${account}/history`, Activity), from),
    /** What happened to them, and what moved in the wallet, since then: so many pages at a time. */
    walkActivity: (from: number, pages: number, before?: ListWalk<ActivityItem>) =>
      walkList<ActivityItem>(activity, from, pages, before),
    walkHistory: (from: number, pages: number, before?: ListWalk<WalletItem>) =>
      walkList<WalletItem>(history, from, pages, before)
  }
}

export type BridgeCalls = ReturnType<typeof makeCalls>
