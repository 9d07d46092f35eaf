/** Unique keys that an owner may give up, such as the email of an operator, or an act that waits. */
import { Effect } from "effect"
import { type StorageFault } from "../ports/errors.ts"
import type { Row, Storage } from "../ports/Storage.ts"
import { type ChangeSet, type KeyScope, uniqueKey } from "./changeset.ts"

/**
 * Takes a key for `id`. A store never gives a key back, so the owners that have had the key have `key`, `key 2` and so
 * on. Of two that take the next one at once, one decides again: the scope says `decide_again`. `has`: whether a row has the key now.
 *
 * Returns the change set, or the row that has the key.
 */
export const takeReleasedKey = Effect.fnUntraced(function* <Data>(
  storage: Storage["Service"],
  scope: KeyScope,
  key: string,
  { id, kind, merchant_id }: Pick<Row, "id" | "kind" | "merchant_id">,
  has: (row: Row<Data>) => boolean
): Effect.fn.Return<ChangeSet | Row<Data>, StorageFault> {
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? key : `${key} ${nth}`
    const owner = yield* storage.uniqueKeyOwner(merchant_id, scope.name, name)
    if (owner === undefined) return uniqueKey(scope, name, id)
    const [row] = yield* storage.get([{ merchant_id, kind, id: owner }])
    if (row !== undefined && has(row as Row<Data>)) return row as Row<Data>
  }
})
