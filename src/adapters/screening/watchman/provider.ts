/** The provider, put together, and what the start and `corridor doctor` find of it. */
import { Effect } from "effect"
import { Provider, type ProviderCheck, makeOpenManifest } from "../../../engine/ports/Provider.ts"
import { findBooksKey, readRegistry } from "../../../engine/ports/provider-registry.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { makeTransport } from "../../../protocol/transport.ts"
import { openChainBooks } from "../../provider/chain/books.ts"
import { makeCompanyClient } from "../../provider/company/client.ts"
import { companyEntries } from "../../provider/company/entries.ts"
import { makeReports } from "../../provider/company/reports.ts"
import { makeWatchmanCalls } from "./calls.ts"
import { makeEvents } from "./events.ts"
import { isUnusable } from "./mapping.ts"
import type { WatchmanConfig } from "./options.ts"
import { makeScreening, type ScreeningParts } from "./screening.ts"

const nobodyDecides =
  "desk_secret is not set: what is held is decided by other lists alone, and by nobody. Set it, and let your compliance desk send its decisions"

/** Builds the provider. Startup succeeds even if Watchman does not respond or has old lists: then nobody is cleared until it is back. */
export const makeProvider = Effect.fnUntraced(function* (config: WatchmanConfig) {
  const { desk_secrets, formerly, lists, name, timeout_ms, url } = config
  /** Its records are under the first name that it had in the store. */
  const key = findBooksKey(yield* readRegistry, config)
  const transport = yield* makeTransport({ timeout_ms })
  const client = makeCompanyClient({ transport, base_url: url, headers: {}, now: wallNow })
  const calls = makeWatchmanCalls(client, config, wallNow)
  const books = yield* openChainBooks(key)
  const entries = companyEntries(key)
  const parts: ScreeningParts = { config, calls, books, entries, key }
  const screenings = makeScreening(parts)

  const finding = Effect.gen(function* (): Effect.fn.Return<ProviderCheck> {
    const found = yield* calls.lists
    if (isUnusable(found))
      return { status: "fail", sentence: `Watchman at ${new URL(url).host} clears nobody: ${found.sentence}` }
    const hours = Math.max(0, Math.floor(((yield* wallNow) - found.refreshed_at) / 3_600_000))
    return {
      status: "ok",
      sentence: `Watchman at ${new URL(url).host} has ${lists.join(", ")}, refreshed ${hours} hours ago`
    }
  })
  const started = yield* finding

  return Provider.of({
    name,
    ...(formerly && { formerly }),
    manifest: makeOpenManifest("screening"),
    screening: { screen: screenings.screen },
    events: makeEvents(parts, screenings, makeReports(books, entries)),
    cautions: [
      ...(started.status === "fail" ? [`${name}: ${started.sentence}`] : []),
      ...(desk_secrets.length === 0 ? [`${name}: ${nobodyDecides}`] : [])
    ],
    check: Effect.map(finding, (one) => [one])
  })
})
