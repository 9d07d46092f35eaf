/** Reads of the books over all merchants. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import { readData } from "../chain/books.ts"
import type { SolanaContext } from "./config.ts"
import { type EntryKind, isOpen, toProviderKey } from "./entries.ts"

/** Lists all entries of a kind with these index keys. Entries that are written meanwhile may be missing. */
const listEntries = <A>({ adopted, books, name }: SolanaContext, kind: EntryKind, index_keys: ReadonlyArray<string>) =>
  Effect.map(
    Effect.andThen(adopted, books.list({ kind, index_keys: [toProviderKey(name), ...index_keys] })),
    (rows) => [...new Map(rows.map((row) => [row.id, readData<A>(row)!])).values()]
  )

export const listAllEntries = <A>(
  context: SolanaContext,
  kind: EntryKind
): Effect.Effect<ReadonlyArray<A>, ProviderFault> => listEntries<A>(context, kind, [])

export const listOpenEntries = <A>(
  context: SolanaContext,
  kind: EntryKind
): Effect.Effect<ReadonlyArray<A>, ProviderFault> => listEntries<A>(context, kind, [isOpen])
