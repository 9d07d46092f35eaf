/** What the connectors of all companies are put together from. */
import { Effect, Layer, type Scope } from "effect"
import { adapter, type ProviderAdapter } from "../../../engine/ports/adapter.ts"
import type { StorageFault } from "../../../engine/ports/errors.ts"
import type { JobNotifier } from "../../../engine/ports/JobNotifier.ts"
import { type Directory, Provider, type ProviderCheck } from "../../../engine/ports/Provider.ts"
import { findBooksKey, readRegistry } from "../../../engine/ports/provider-registry.ts"
import type { Storage } from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { makeTransport } from "../../../protocol/transport.ts"
import { openBooks } from "../books.ts"
import { openChainBooks } from "../chain/books.ts"
import { makeBanks } from "../http/banks.ts"
import { type CompanyOptions, makeCompanyClient } from "./client.ts"
import { companyEntries } from "./entries.ts"
import type { readShared } from "./options.ts"
import { makeReports } from "./reports.ts"
import { makeSubmissions } from "./submissions.ts"
import { makeRounds } from "./windows.ts"

/** Two look-ups that find nothing count as two if they are so far apart, milliseconds. */
const apartMs = 60_000

type SharedConfig = ReturnType<typeof readShared> & { readonly environment: "test" | "live" }

/** What a connector keeps, and how it asks. Its records are under the first name that it had in the store. */
export const openCompany = Effect.fnUntraced(function* (config: SharedConfig) {
  const key = findBooksKey(yield* readRegistry, config)
  const books = yield* openChainBooks(key)
  const entries = companyEntries(key)
  const transport = yield* makeTransport({ timeout_ms: config.timeout_ms })
  const stored = yield* openBooks(key)
  return {
    ...{ key, books, entries, transport },
    /** A client for a credential. */
    clientOf: (headers: CompanyOptions["headers"]) =>
      makeCompanyClient({ transport, base_url: config.url, headers, now: wallNow }),
    /** The directory of the banks that are loaded so, and of the holders of accounts. */
    directoryOf: (load: Parameters<typeof makeBanks>[2], resolveAccount: Directory["resolveAccount"]) =>
      makeDirectory(makeBanks(key, stored, load, wallNow), resolveAccount),
    submissions: makeSubmissions(books, entries, { grace_ms: config.grace_ms, apart_ms: apartMs }),
    rounds: makeRounds(books, entries),
    reports: makeReports(books, entries)
  }
})

export type OpenCompany = Effect.Success<ReturnType<typeof openCompany>>

/** A directory without proxies. */
export const makeDirectory = (
  all: ReturnType<typeof makeBanks>,
  resolveAccount: Directory["resolveAccount"]
): Directory => ({
  banks: (country_code) =>
    Effect.map(all, (banks) => banks.filter((bank) => (country_code ?? bank.country_code) === bank.country_code)),
  resolveAccount,
  resolveProxy: () => Effect.succeed({ _tag: "switched_off" })
})

/** The provider of a company. Errors: dies with a `TypeError` where `check` finds that it cannot work. */
export const makeCompanyProvider = Effect.fnUntraced(function* (
  { environment, formerly, name }: SharedConfig,
  check: Effect.Effect<ReadonlyArray<ProviderCheck>>,
  members: Omit<Provider["Service"], "name" | "formerly" | "environment" | "cautions" | "check">
) {
  const found = yield* check
  const wrong = found.find(({ status }) => status === "fail")
  if (wrong !== undefined) return yield* Effect.die(new TypeError(`${name}: ${wrong.sentence}`))
  return Provider.of({
    ...{ name, environment, ...members, check },
    ...(formerly && { formerly }),
    cautions: found.flatMap(({ sentence, status }) => (status === "warn" ? [`${name}: ${sentence}`] : []))
  })
})

/** A connector as an adapter. Errors: both throw `TypeError` for an option that cannot be used; no message contains a key. */
export const makeCompanyAdapter = <Options, Config extends SharedConfig>(
  configOf: (options: Options) => Config,
  makeProvider: (
    config: Config
  ) => Effect.Effect<Provider["Service"], StorageFault, Storage | JobNotifier | Scope.Scope>
) => {
  const layerOf = (config: Config) => Layer.effect(Provider, makeProvider(config))
  return {
    layer: (options: Options): Layer.Layer<Provider, StorageFault, Storage | JobNotifier> => layerOf(configOf(options)),
    adapt: (options: Options): ProviderAdapter => {
      const config = configOf(options)
      return adapter("provider", layerOf(config), false, { environment: config.environment })
    }
  }
}
