/** Screenings, and those of them that are held. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { ScreenedEvent, Screening, ScreeningCommand, ScreeningResult } from "../../../engine/ports/Provider.ts"
import { type ChainBooks, readData, entryKey } from "../../provider/chain/books.ts"
import { type CompanyEntries, type CompanyFeed, newFeed } from "../../provider/company/entries.ts"
import { findUnusable, types, type WatchmanCalls } from "./calls.ts"
import { type Hit, isSearchable, isUnusable, type ListSearch, listSearchForms, decideVerdict } from "./mapping.ts"
import type { WatchmanConfig } from "./options.ts"

/** A screening that is held. With a verdict, it has no name any more. */
export interface HeldScreening {
  readonly command: ScreeningCommand | null
  /** The lists that it was last searched in. */
  readonly version: string
  readonly verdict: "cleared" | "refused" | null
}

/** What one screening found. */
interface Screened {
  readonly result: ScreeningResult
  readonly version: string
  readonly hits: ReadonlyArray<Hit>
}

/** Lists the names to screen: the beneficiary's, and the account holder's where it differs. */
const listScreeningNames = ({ destination, name }: ScreeningCommand): ReadonlyArray<string> => {
  const holder = destination.type === "fiat" ? destination.account_name : null
  return [...new Set([name, holder ?? name].filter((one) => one.trim() !== ""))]
}

export interface ScreeningParts {
  readonly config: WatchmanConfig
  readonly calls: WatchmanCalls
  readonly books: ChainBooks
  readonly entries: CompanyEntries
  /** The name under which the store has what belongs to the provider. */
  readonly key: string
}

export const screeningKey = (key: string, screening_id: string) => entryKey("watchman_held", `${key}/${screening_id}`)
export const screeningIndex = (key: string): string => `watchman_held=${key}`

/**
 * Searches the lists for all names and addresses of a command. The lists are read before and after: an index that is empty,
 * because Watchman has just started, has no matches either. If the lists were refreshed meanwhile, it searches once more.
 *
 * Errors: `ProviderFault` if any of these reads failed.
 */
const searchLists = Effect.fnUntraced(function* (
  { calls, config }: ScreeningParts,
  command: ScreeningCommand
): Effect.fn.Return<Screened, ProviderFault> {
  const { destination, screening_id } = command
  const queries = [
    ...[...new Set(listScreeningNames(command).flatMap(listSearchForms))].flatMap((name) =>
      types.map((type): ListSearch => ({ by: "name", name, type }))
    ),
    ...(command.destination.type === "crypto" ? [{ by: "address", address: command.destination.address } as const] : [])
  ]
  const unknown = (why: string) =>
    new ProviderFault({ message: `${config.name} does not screen ${screening_id}: ${why}` })
  let before = yield* calls.lists
  for (let reading = 0; reading < 2; reading++) {
    if (isUnusable(before)) return yield* unknown(before.sentence)
    const answers = yield* Effect.forEach(queries, (query) => calls.search(query, destination.network, screening_id), {
      concurrency: 4
    })
    const after = yield* calls.lists
    const fault = findUnusable([...answers, after])
    if (fault !== undefined) return yield* unknown(fault.sentence)
    if (!isUnusable(after) && after.version === before.version) {
      const hits = answers.flatMap((answer) => (isUnusable(answer) ? [] : answer))
      const names = listScreeningNames(command)
      const isWhole = names.length > 0 && names.every((name) => isSearchable(name, config.cross_script))
      return { ...decideVerdict(hits, config, isWhole), version: after.version, hits }
    }
    before = after
  }
  return yield* unknown("its lists changed twice during the search")
})

const toScreeningWrite = ({ key }: ScreeningParts, screening_id: string, data: HeldScreening) => ({
  key: screeningKey(key, screening_id),
  data,
  index_keys: data.verdict === null ? [screeningIndex(key)] : []
})

export const makeScreening = (parts: ScreeningParts) => {
  const { books, config, entries, key } = parts

  const screen: Screening["screen"] = Effect.fnUntraced(function* (command) {
    const { resource_id, screening_id } = command
    const known = yield* books.read<HeldScreening>(screeningKey(key, screening_id))
    if (known !== undefined) return known.verdict ?? "held"
    const found = yield* searchLists(parts, command)
    if (found.result !== "held") return found.result
    const { version } = found
    yield* books.amend([screeningKey(key, screening_id)], ([row]) => ({
      entries: row === undefined ? [toScreeningWrite(parts, screening_id, { command, version, verdict: null })] : [],
      result: undefined
    }))

    // A line for the reviewer: what was found, without the name of anybody.
    const described =
      found.hits
        .toSorted((a, b) => b.match - a.match)
        .slice(0, 5)
        .map(({ match, source }) => `${source} ${match.toFixed(3)}`)
        .join(", ") || "its name cannot be compared with the lists as it is written"
    yield* Effect.logWarning(`${config.name} holds the screening ${screening_id} of ${resource_id}: ${described}`)
    return "held"
  })

  /** Searches again for what is held, in other lists, and reports what is decided by that. */
  const again = Effect.fnUntraced(function* (screening_id: string, { command, version }: HeldScreening) {
    if (command === null) return
    const found = yield* searchLists(parts, command)
    const { merchant_id, resource_id } = command
    const verdict = found.result === "held" ? null : found.result
    yield* books.amend([screeningKey(key, screening_id), entries.keys.feed], ([row, feedRow]) => {
      const held = readData<HeldScreening>(row)
      if (held === undefined || held.verdict !== null || held.version !== version)
        return { entries: [], result: undefined }
      const kept = verdict === null ? command : null
      const next = toScreeningWrite(parts, screening_id, { command: kept, version: found.version, verdict })
      if (verdict === null) return { entries: [next], result: undefined }
      const feed = readData<CompanyFeed>(feedRow) ?? newFeed
      const event: ScreenedEvent = {
        _tag: "screened",
        event_id: `${screening_id}/${feed.next}`,
        merchant_id,
        resource_id,
        screening_id,
        cleared: verdict === "cleared"
      }
      return { entries: [next, ...entries.writes.reports(feed, [event])], result: undefined }
    })
  })

  /** The desk has decided: nobody searches again. */
  const decided = ({ cleared, screening_id }: ScreenedEvent) =>
    books.amend([screeningKey(key, screening_id)], ([row]) => {
      const held = readData<HeldScreening>(row)
      const data = { command: null, version: held?.version ?? "", verdict: cleared ? "cleared" : "refused" } as const
      return { entries: held === undefined ? [] : [toScreeningWrite(parts, screening_id, data)], result: undefined }
    })

  return { screen, again, decided }
}

export type Screenings = ReturnType<typeof makeScreening>
