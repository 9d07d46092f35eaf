/** Rows that are read together with the key of a call, and that the call is then decided from. */
import { Context, Effect, type Fiber } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import type { Row, RowKey, Storage } from "../ports/Storage.ts"
import type { Kind } from "./kind.ts"

/** Rows of a merchant, by kind and id. */
export type Named = ReadonlyArray<readonly [kind: Kind, id: string]>

/** The rows that the decision has not read yet, by name. */
const ReadAhead = Context.Reference<Map<string, Row> | undefined>("corridor/engine/ReadAhead", {
  defaultValue: () => undefined
})

const keysIn = (merchant_id: string, named: Named): ReadonlyArray<RowKey> =>
  named.map(([{ kind }, id]) => ({ merchant_id, kind, id }))

export const rowName = ({ merchant_id, kind, id }: RowKey): string => `${merchant_id}/${kind}/${id}`

export const makeReadAhead = (storage: Storage["Service"]) => ({
  /** As `UnitOfWork.ahead`. */
  ahead: (merchant_id: string, named: Named) =>
    // A repeat needs no rows. Without them, a decision reads them itself.
    Effect.map(
      Effect.orElseSucceed(storage.get(keysIn(merchant_id, named)), () => []),
      (rows) => {
        const read = new Map(rows.map((row) => [rowName(row), row]))
        return Effect.provideService(ReadAhead, read)
      }
    ),
  /** As `UnitOfWork.from`. */
  from: (rows: ReadonlyArray<Row>) => Effect.provideService(ReadAhead, new Map(rows.map((row) => [rowName(row), row]))),
  /** Forgets what a decision has not read. It may be decided again, and what it begins inherits the services of its fiber. */
  decided: (fiber: Fiber.Fiber<unknown, unknown>): void => fiber.getRef(ReadAhead)?.clear(),
  /** Rows that exist: those that were read ahead if all of them were, otherwise as they are now. */
  rowsOf: (merchant_id: string, named: Named): Effect.Effect<ReadonlyArray<Row>, StorageFault> =>
    Effect.withFiber((fiber) => {
      const keys = keysIn(merchant_id, named)
      const ahead = fiber.getRef(ReadAhead)
      if (ahead === undefined || ahead.size === 0) return storage.get(keys)
      const names = keys.map(rowName)
      const rows = names.flatMap((name) => ahead.get(name) ?? [])
      for (const name of names) ahead.delete(name)
      return rows.length === keys.length ? Effect.succeed(rows) : storage.get(keys)
    })
})
