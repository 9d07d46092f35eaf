/** The calls of one customer's wallet at Bridge. */
import { Effect, Schema } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { type CompanyClient, type CompanyReply, faultOfNoReply, pathWith } from "../company/client.ts"
import { type NotExecuted, type Posted, postOnce, requireSeen, type Seen } from "../company/submissions.ts"
import {
  BridgeTransfer,
  type ExpectedTransfer,
  BridgeId,
  isRefusedWith,
  readFound,
  readPosted,
  refusalIn,
  saidIn,
  successIn
} from "./mapping.ts"
import type { BridgeConfig } from "./options.ts"

const Balance = Schema.Struct({ balance: Schema.String, currency: Schema.String })
const Wallet = Schema.Struct({ id: BridgeId, balances: Schema.Array(Balance) })
const Account = Schema.Struct({ id: BridgeId, active: Schema.Boolean })
const MadeAccount = Schema.Struct({ id: BridgeId })
const Time = Schema.String.check(Schema.makeFilter((text) => !Number.isNaN(Date.parse(text))))
/** One that cannot be read makes the page prove nothing. */
const Page = Schema.Struct({ data: Schema.Array(Schema.Struct({ ...BridgeTransfer.fields, created_at: Time })) })

const pageSize = 100
/** The most pages of one list. */
const pagesMax = 100

export const makeCalls = (ask: CompanyClient, { customer, wallet }: Pick<BridgeConfig, "customer" | "wallet">) => {
  const accounts = `/customers/${customer}/external_accounts`
  const get = (path: string) => ask({ method: "GET", path })
  const readIn = <A>(schema: Schema.Decoder<A>, what: string, reply: CompanyReply): Effect.Effect<A, ProviderFault> => {
    const found = successIn(schema, reply)
    return found === undefined
      ? Effect.fail(new ProviderFault({ message: `${what}: Bridge answered ${saidIn(reply)}` }))
      : Effect.succeed(found)
  }
  const walletPath = `/customers/${customer}/wallets/${wallet}`
  return {
    /** The cheapest read that needs the key, the customer and the wallet. */
    wallet: Effect.mapError(get(walletPath), faultOfNoReply),
    /** What a wallet has, where an answer says it. */
    walletIn: (reply: CompanyReply) => successIn(Wallet, reply),
    /** Whether an account can still be paid. */
    isActive: (id: string) =>
      Effect.flatMap(Effect.mapError(get(`${accounts}/${id}`), faultOfNoReply), (reply) =>
        isRefusedWith(reply, 404)
          ? Effect.succeed(false)
          : Effect.map(readIn(Account, "the account", reply), ({ active }) => active)
      ),
    /**
     * Makes an account. It moves no money, so whatever keeps it from being made, nothing was executed; only a listed answer rejects.
     */
    createAccount: (idempotency_key: string, body: string): Effect.Effect<string | NotExecuted> =>
      Effect.match(ask({ method: "POST", path: accounts, idempotency_key, body }), {
        onFailure: () => ({ _tag: "unavailable" }),
        onSuccess: (reply) => {
          const made = successIn(MadeAccount, reply)?.id
          if (made !== undefined) return made
          const refusal = refusalIn(reply)
          return refusal._tag === "not_executed" ? refusal.result : { _tag: "unavailable" }
        }
      }),
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
    /**
     * All transfers that were made since then, epoch milliseconds. The list is newest first, and is read up to a page that is empty, or older.
     * Errors: also where an item cannot be read, where a page comes again, and where there are too many.
     */
    since: Effect.fnUntraced(function* (from: number): Effect.fn.Return<ReadonlyArray<BridgeTransfer>, ProviderFault> {
      const found = new Map<string, BridgeTransfer>()
      let last: string | undefined
      for (let page = 0; page < pagesMax; page++) {
        const path = pathWith("/transfers", { limit: String(pageSize), starting_after: last })
        const { data } = yield* readIn(Page, "/transfers", yield* Effect.mapError(get(path), faultOfNoReply))
        if (data.some(({ id }) => found.has(id)))
          return yield* new ProviderFault({
            message: "/transfers: Bridge lists a transfer twice, so its list may not be whole"
          })
        for (const one of data) found.set(one.id, one)
        if (data.every(({ created_at }) => Date.parse(created_at) < from)) return [...found.values()]
        last = data.at(-1)?.id
      }
      return yield* new ProviderFault({ message: `/transfers has more than ${pagesMax} pages` })
    })
  }
}

export type BridgeCalls = ReturnType<typeof makeCalls>
