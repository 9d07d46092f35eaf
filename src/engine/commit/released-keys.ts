/** Unique keys that an owner may give up, such as the email of an operator. */
import { Effect } from "effect"
import { type StorageFault } from "../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../ports/Storage.ts"
import { type ChangeSet, type KeyScope, uniqueKey } from "./changeset.ts"

/**
 * Takes a key of the platform's for `id`. A store never gives a key back, so the owners that have had the key have `key`, `key 2` and so
 * on. Of two that take the next one at once, one decides again: the scope says `decide_again`. `has`: whether a row has the key now.
 *
 * Returns the change set, or the row that has the key.
 */
export const takeReleasedKey = Effect.fnUntraced(function* <Data>(
  storage: Storage["Service"],
  scope: KeyScope,
  key: string,
  { id, kind }: Pick<Row, "id" | "kind">,
  has: (row: Row<Data>) => boolean
): Effect.fn.Return<ChangeSet | Row<Data>, StorageFault> {
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? key : `${key} ${nth}`
    const owner = yield* storage.uniqueKeyOwner(PLATFORM_MERCHANT, scope.name, name)
    if (owner === undefined) return uniqueKey(scope, name, id)
    const [row] = yield* storage.get([{ merchant_id: PLATFORM_MERCHANT, kind, id: owner }])
    if (row !== undefined && has(row as Row<Data>)) return row as Row<Data>
  }
})
