/** `corridor search QUERY` */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { ConfiguredProvider, SearchResult } from "../../client/index.ts"
import { pickOptions, makeOptionalTextFlag, printResult, makeIntegerFlag } from "../globals.ts"
import { asOperator, readAllItems, openOperatorApi, type ServerApi } from "../server/api.ts"

/** Advises on a transaction that was not found: up to which block each chain was read, and how to have it read again. */
const adviseOnChains = Effect.fnUntraced(function* (api: ServerApi) {
  const providers = (yield* readAllItems(api, "/operator/v1/providers")) as ReadonlyArray<ConfiguredProvider>
  const read = providers.flatMap(({ configured_name, events: { last_block, last_fault, read_at } }) =>
    read_at === null && last_block === null
      ? []
      : [
          [
            `${configured_name}: `,
            last_block === null
              ? ""
              : `block ${last_block.number}${last_block.at === null ? "" : ` of ${last_block.at}`}, `,
            read_at === null ? "not read yet" : `read at ${read_at}`,
            last_fault === null ? "" : `; it fails: ${last_fault.answer}`
          ].join("")
        ]
  )
  return [
    "A deposit is seen when its block is final and was read. Up to where deposits were read:",
    ...(read.length === 0 ? ["no provider is read by blocks"] : read).map((line) => `  ${line}`),
    "An earlier block is read again by: corridor rescan --provider NAME --from BLOCK. Where a company holds the address, ask its support."
  ]
})

export const search = Command.make(
  "search",
  {
    query: Argument.String("query").pipe(
      Argument.withDescription(
        "An id, a reference, a transaction hash, the end of an account, a name, an email, an amount"
      )
    ),
    kind: makeOptionalTextFlag("kind", "KIND", "Only resources of this kind, such as offramp"),
    merchant: makeOptionalTextFlag("merchant", "ID", "Only resources of this merchant"),
    page: makeIntegerFlag("page", 1, 1_000_000).pipe(
      Flag.withDescription("The page of results; default 1"),
      Flag.optional
    ),
    ...asOperator
  },
  Effect.fnUntraced(function* ({ kind, merchant, page, query, ...given }) {
    const api = yield* openOperatorApi(given)
    const parameters = new URLSearchParams({ q: query, ...pickOptions({ kind, merchant_id: merchant, page }) })
    const { data, meta } = yield* api.ask("GET", `/operator/v1/search?${parameters}`)
    const hits = data as ReadonlyArray<SearchResult>
    const total = meta["total"] as unknown
    // A hash or an address of a chain.
    const isOfChain = /^(?:0x(?:[0-9a-f]{40}|[0-9a-f]{64})|(?=.*\d)[1-9A-HJ-NP-Za-km-z]{32,88})$/i.test(query.trim())
    const lines =
      hits.length === 0
        ? [`Nothing has ${JSON.stringify(query)}.`, ...(isOfChain ? yield* adviseOnChains(api) : [])]
        : hits.map(({ amount, created_at, currency, id, kind, matched, merchant_id, merchant_name, status, title }) =>
            [
              `${id}  ${kind}  ${status}${amount === null ? "" : `  ${amount} ${currency ?? ""}`}`,
              `  ${title}; of ${merchant_name ?? merchant_id}, ${created_at}; found by ${matched.join(", ").replaceAll("_", " ")}`
            ].join("\n")
          )
    const more =
      typeof total === "number" && total > hits.length ? [`${hits.length} of ${total}; --page has the others.`] : []
    yield* printResult([...lines, ...more], { data, meta })
  })
).pipe(
  Command.withShortDescription("Find resources over all merchants"),
  Command.withDescription(
    "Finds resources over all merchants by id, reference, provider's reference, transaction hash, the last digits of an account, name, email or amount."
  ),
  Command.withExamples([
    { command: "corridor search invoice-1042" },
    { command: 'corridor search "Ada Obi" --kind customer' }
  ])
)
