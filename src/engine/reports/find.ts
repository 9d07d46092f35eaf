/** Finds a resource of any merchant by its id alone (operator). */
import { Effect } from "effect"
import type { Kinds } from "../commit/kind.ts"
import { NotFound, type StorageFault } from "../ports/errors.ts"
import { cutStem } from "../ports/Ids.ts"
import type { Row, Storage } from "../ports/Storage.ts"
import { isTransactionId } from "../representations/movements/transaction.ts"

/** Finds a resource of any merchant by its id. The id of a transaction finds its movement. Errors: `NotFound`. */
export const findAnywhere = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  kinds: Kinds["Service"],
  id: string
): Effect.fn.Return<Row, NotFound | StorageFault> {
  const kind = kinds.ofId(id)
  const candidates = isTransactionId(id) ? kinds.transactions : kind === undefined ? [] : [kind]
  let fault: StorageFault | undefined
  // Reads all cells at once. The one that has the resource decides; an unreachable one matters only if no other
  // has it.
  const row = yield* Effect.flip(
    Effect.forEach(
      candidates,
      ({ kind: name, prefix }) =>
        Effect.matchEffect(storage.find(name, `${prefix}_${cutStem(id)}`), {
          onSuccess: (found) => (found === undefined ? Effect.void : Effect.fail(found)),
          onFailure: (failure) => Effect.sync(() => void (fault ??= failure))
        }),
      { concurrency: "unbounded", discard: true }
    )
  ).pipe(Effect.orElseSucceed(() => undefined))
  if (row !== undefined) return row
  if (fault !== undefined) return yield* fault
  return yield* new NotFound({ message: `There is no resource ${JSON.stringify(id)}.` })
})
