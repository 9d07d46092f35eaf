/** Reads of the books over all merchants. */
import { Effect } from "effect"
import { ProviderFault, type StorageFault } from "../../../engine/ports/errors.ts"
import type { SolanaContext } from "./config.ts"
import { dataOf, type EntryKind, isOpen, ofProvider } from "./entries.ts"

export const unreachable = (cause: StorageFault): ProviderFault =>
  new ProviderFault({ message: "the Solana adapter cannot reach its books", cause })

const pageSize = 500

/** All entries of a kind with these index keys. Entries that are written meanwhile may be missing. */
const entries = Effect.fnUntraced(function* <A>(
  { books, name }: SolanaContext,
  kind: EntryKind,
  index_keys: ReadonlyArray<string>
) {
  const found = new Map<string, A>()
  for (let offset = 0; ; offset += pageSize) {
    const { items } = yield* books.storage
      .list({ kinds: [kind], index_keys: [ofProvider(name), ...index_keys], offset, limit: pageSize })
      .pipe(Effect.mapError(unreachable))
    for (const row of items) found.set(row.id, dataOf<A>(row)!)
    if (items.length < pageSize) return [...found.values()]
  }
})

export const allEntries = <A>(
  context: SolanaContext,
  kind: EntryKind
): Effect.Effect<ReadonlyArray<A>, ProviderFault> => entries<A>(context, kind, [])

export const openEntries = <A>(
  context: SolanaContext,
  kind: EntryKind
): Effect.Effect<ReadonlyArray<A>, ProviderFault> => entries<A>(context, kind, [isOpen])
