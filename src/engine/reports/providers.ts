/** The configured providers, as the operator sees them: what they serve, whether they answer, and what they hold. */
import { Context, Effect, Layer, Schema } from "effect"
import { ActiveBrakes } from "../calls/ActiveBrakes.ts"
import { type Listed, slicePage } from "../calls/list.ts"
import { awaitAnswer } from "../calls/provider-call.ts"
import { ProviderHealth, Routes } from "../calls/Routes.ts"
import { Amount, CountryCode, Id, Optional, type Paging, paging, toSlice, Text } from "../input/schemas.ts"
import { invalid, NotFound } from "../ports/errors.ts"
import { type Provider, providerOperations, Providers } from "../ports/Provider.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../ports/Storage.ts"
import { iso, isoOrNull } from "../ports/Time.ts"
import { Routing } from "../ports/Routing.ts"
import type { ConfiguredProviderBody, RouteBody } from "../representations/provider.ts"
import type { ExternalAccountData } from "../../machines/reconciliation/external-account.ts"
import { readAllRows } from "../calls/reads.ts"
import { ExternalAccountKind, listForeign } from "../resources/reconciliation/external-account.ts"
import { readReadingState } from "./event-reading.ts"
import { fitToSchema } from "../representations/members.ts"
import { OfferBody } from "../representations/provider.ts"

export const ReadStatement = Schema.Struct({
  after: Optional(Text(8192), "The `cursor` of the page before. Default: the beginning.", "line_8812")
})

export const ReadRoutes = Schema.Struct({
  operation: Optional(Schema.Literals(providerOperations), "What is asked for. Default: `payout`."),
  currency: Optional(Schema.String, "The currency; the source of a conversion.", "NGN"),
  destination_currency: Optional(Schema.String, "The destination of a conversion.", "USDC"),
  country_code: Optional(CountryCode, "The country, ISO 3166-1 alpha-2."),
  network: Optional(Schema.String, "The network.", "bank"),
  amount: Optional(Amount, "The amount, in `currency`.", "100.00"),
  merchant_id: Optional(Id("mer"), "As this merchant: its pauses count."),
  ...paging
})
export type ReadRoutes = typeof ReadRoutes.Type

const formatOffer = fitToSchema(OfferBody)

/** Lists the addresses of a provider's active external accounts that are not the provider's own. */
const listForeignAddresses = Effect.fnUntraced(function* (storage: Storage["Service"], provider: Provider["Service"]) {
  if (provider.addresses === undefined) return []
  const index_keys = [`provider=${provider.name}`, "kind=chain", "status=active"]
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [ExternalAccountKind.kind], index_keys }
  const accounts = (yield* readAllRows(storage, query, () => true)) as ReadonlyArray<Row<ExternalAccountData>>
  const found = yield* Effect.forEach(accounts, ({ data, id }) =>
    Effect.map(listForeign(provider, data.identifiers), (foreign) =>
      foreign.map(({ value }) => ({ external_account_id: id, address: value }))
    )
  )
  return found.flat()
})

export class ProviderReports extends Context.Service<ProviderReports>()("corridor/engine/ProviderReports", {
  make: Effect.gen(function* () {
    const [providers, storage, brakes, health] = yield* Effect.all([Providers, Storage, ActiveBrakes, ProviderHealth])
    const routes = yield* Routes
    const { priorities } = yield* Routing

    const shown = Effect.fnUntraced(function* (provider: Provider["Service"]) {
      const { events, manifest, name, names = [name], sandbox } = provider
      const { cursor, last_fault, read_at } = yield* readReadingState(storage, name)
      const block = yield* Effect.orElseSucceed(events?.lastBlock ?? Effect.succeed(null), () => null)
      const active = yield* brakes.current
      return {
        name,
        configured_name: names[0] ?? name,
        names,
        simulated: sandbox !== undefined,
        health: health.isFailing(name) ? "failing" : "healthy",
        paused: active.some((brake) => brake.scope === "all" || brake.provider === name),
        priority: priorities[name] ?? 0,
        offers: manifest.offers.map(formatOffer),
        hot_wallet: yield* Effect.orElseSucceed(provider.addresses?.hot_wallet ?? Effect.succeed(null), () => null),
        foreign_addresses: yield* listForeignAddresses(storage, provider),
        events: {
          callbacks: events?.decode !== undefined,
          readable: events?.after !== undefined,
          cursor,
          read_at: isoOrNull(read_at),
          last_block: block === null ? null : { number: String(block.number), at: isoOrNull(block.at) },
          rescan: yield* Effect.orElseSucceed(events?.rescanning ?? Effect.succeed(null), () => null),
          last_fault: last_fault === undefined ? null : { at: iso(last_fault.at), answer: last_fault.answer }
        }
      } satisfies ConfiguredProviderBody as ConfiguredProviderBody
    })

    const statementsOf = Effect.fnUntraced(function* (name: string) {
      const provider = providers.byName(name)
      if (provider === undefined)
        return yield* new NotFound({ message: `There is no provider ${JSON.stringify(name)}.` })
      return (
        provider.statements ?? (yield* invalid("provider", `The provider ${name} reports no balances and statements.`))
      )
    })

    return {
      list: Effect.fnUntraced(function* (input: Paging) {
        const { page, per_page, offset, limit } = toSlice(input)
        const items = yield* Effect.forEach(providers.all.slice(offset, offset + limit), shown)
        return { items, page, per_page, total: providers.all.length } satisfies Listed<ConfiguredProviderBody>
      }),

      /** The providers that would serve a request now, in the order in which they would be asked (ROUTE-1). */
      routes: Effect.fnUntraced(function* (input: ReadRoutes) {
        const {
          amount,
          country_code,
          currency,
          destination_currency,
          merchant_id,
          network,
          operation = "payout"
        } = input
        const candidates = yield* routes.candidates({
          operation,
          merchant_id: merchant_id ?? PLATFORM_MERCHANT,
          currency: currency ?? null,
          destination_currency: destination_currency ?? null,
          country_code: country_code ?? null,
          network: network ?? null,
          amount: amount ?? null
        })
        return slicePage<RouteBody>(
          candidates.map(({ name, ...candidate }) => ({ provider: name, ...candidate })),
          input
        )
      }),

      /**
       * What the platform has at a provider, as the provider says.
       * Errors: `NotFound`; `InvalidInput` when it reports none; `ExternalServiceUnavailable` when it does not respond.
       */
      balances: Effect.fnUntraced(function* (name: string) {
        const { balances } = yield* statementsOf(name)
        return { provider: providers.keyOf(name), balances: yield* awaitAnswer("its balances", { name }, balances) }
      }),

      /** The lines of a provider's statement after a cursor, oldest first. Errors: those of `balances`. */
      statement: Effect.fnUntraced(function* (name: string, { after = null }: { after?: string | null }) {
        const statements = yield* statementsOf(name)
        const page = yield* awaitAnswer("its statement", { name }, statements.lines(after))
        const { cursor, lines, unreadable = [] } = page
        return {
          provider: providers.keyOf(name),
          lines: lines.map((line) => ({ ...line, booked_at: iso(line.booked_at) })),
          unreadable: unreadable.map((line) => JSON.stringify(line)),
          cursor
        }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
