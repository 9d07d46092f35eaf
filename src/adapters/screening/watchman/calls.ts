/** The calls of Watchman: reads alone. */
import { Effect } from "effect"
import { type CompanyClient, type NoReply, pathWith, type CompanyReply } from "../../provider/company/client.ts"
import { readHits, type Hit, isUnusable, type Lists, readLists, type ListSearch, type Unusable } from "./mapping.ts"
import type { WatchmanConfig } from "./options.ts"

/** The types of entries that a beneficiary can be. One without entries has no matches, so each is asked. */
export const types = ["person", "business", "organization"] as const

/** The currencies that lists give with an address of a network. An address is the same in each, so it is also asked without one. */
const currencies: Readonly<Record<string, ReadonlyArray<string>>> = {
  base: ["", "ETH", "USDC", "USDT"],
  ethereum: ["", "ETH", "USDC", "USDT"],
  solana: ["", "SOL", "USDC", "USDT"]
}

/** The most entries of one answer. The best ones are among them. */
const limit = "10"

const makeSearchPath = (query: ListSearch, network: string, min_match: number, request_id: string): string => {
  const common = { minMatch: String(min_match), limit, requestID: request_id }
  if (query.by === "name") return pathWith("/v2/search", { name: query.name, type: query.type, ...common })
  const addresses = (currencies[network] ?? [""]).map((code): [string, string] => [
    "cryptoAddress",
    `${code}:${query.address}`
  ])
  return `${pathWith("/v2/search", common)}&${new URLSearchParams(addresses)}`
}

/** Converts a missing or unreadable answer into `Unusable`. */
const catchUnusable = <A>(read: Effect.Effect<A, NoReply>): Effect.Effect<A | Unusable> =>
  Effect.catch(read, ({ message }) => Effect.succeed<Unusable>({ _tag: "unusable", sentence: message }))

export const makeWatchmanCalls = (ask: CompanyClient, config: WatchmanConfig, now: Effect.Effect<number>) => {
  const get = (path: string): Effect.Effect<CompanyReply, NoReply> => ask({ method: "GET", path })
  return {
    lists: catchUnusable(
      Effect.flatMap(get("/v2/listinfo"), (reply) => Effect.map(now, (at) => readLists(reply, config, at)))
    ),
    search: (query: ListSearch, network: string, request_id: string): Effect.Effect<ReadonlyArray<Hit> | Unusable> =>
      catchUnusable(
        Effect.map(get(makeSearchPath(query, network, config.possible_match, request_id)), (reply) =>
          readHits(reply, query)
        )
      )
  }
}

export type WatchmanCalls = ReturnType<typeof makeWatchmanCalls>

/** Finds the first result that is unusable. */
export const findUnusable = (said: ReadonlyArray<Lists | ReadonlyArray<Hit> | Unusable>): Unusable | undefined =>
  said.find(isUnusable)
