/** Change sets: the parts of a decision's write, which are merged into one Change. */
import { Effect } from "effect"
import {
  EMPTY,
  type LookupKey,
  type Row,
  type RowWrite,
  type Storage,
  type StoredCounter,
  type UniqueKey,
  type VersionCheck
} from "../ports/Storage.ts"
import type { UsedOfLimit } from "../ports/dry-run.ts"
import type { InvalidInput, StorageFault } from "../ports/errors.ts"

/** A scope of unique or lookup keys. It is declared where its keys are taken, with the reaction to a taken key. */
export interface KeyScope {
  readonly name: string
  /**
   * The reaction when the key is taken. `decide_again`: the same decision, made again, finds what the first one wrote.
   * A text refuses the call with `DuplicateResource`; in an internal write, which has no caller, it is a defect.
   * `defect`: no other owner can have the key.
   */
  readonly taken: "decide_again" | "defect" | ((key: string) => string)
}

/** The refusal of a write that adds to a full counter. */
export interface CounterGuard {
  readonly key: string
  /** `approve`: an act over it may wait instead. */
  readonly action: "refuse" | "approve"
  /** What is used with what the write would add, as a dry run shows it. */
  readonly use: (stored: StoredCounter | undefined, added: bigint) => UsedOfLimit
  /** `stored`: the counter as it is; `added`: what the write would add. Undefined: it fits by now. */
  readonly refusal: (stored: StoredCounter | undefined, added: bigint) => InvalidInput | undefined
}

/** The writes of one decision: any of the lists of a `Change`, and the reactions to a taken key and to a full counter. */
export type ChangeSet = Partial<typeof EMPTY> & {
  readonly scopes?: ReadonlyArray<KeyScope>
  readonly guards?: ReadonlyArray<CounterGuard>
}

const nothing: Required<ChangeSet> = { ...EMPTY, scopes: [], guards: [] }

/** Removes repeated checks, and checks of rows that the Change writes. */
const removeNeedlessChecks = (
  rows: ChangeSet["rows"] & {},
  checks: ReadonlyArray<VersionCheck>
): ReadonlyArray<VersionCheck> =>
  checks.filter(
    ({ kind, id }, at) =>
      !rows.some((row) => row.id === id && row.kind === kind) &&
      checks.findIndex((one) => one.id === id && one.kind === kind) === at
  )

/** Merges change sets into one; each row is checked once. */
export const mergeChanges = (changes: ReadonlyArray<ChangeSet>): Required<ChangeSet> => {
  const merged: Record<keyof ChangeSet, ReadonlyArray<unknown>> = { ...nothing }
  for (const changeSet of changes) {
    for (const key of Object.keys(changeSet) as ReadonlyArray<keyof ChangeSet>) {
      const list = changeSet[key]
      if (list === undefined || list.length === 0) continue
      merged[key] = merged[key].length === 0 ? list : [...merged[key], ...list]
    }
  }
  const all = merged as Required<ChangeSet>
  return all.checks.length === 0 ? all : { ...all, checks: removeNeedlessChecks(all.rows, all.checks) }
}

/** The change set that takes a unique key for an owner. */
export const takeUniqueKey = (scope: KeyScope, key: string, owner: string): ChangeSet => ({
  unique_keys: [{ scope: scope.name, key, owner } satisfies UniqueKey],
  scopes: [scope]
})
/** The change set that checks the version of a row which a decision depends on. If the row has changed, it is made again. */
export const requireVersion = ({ kind, id }: Pick<Row, "kind" | "id">, row: Row | undefined): ChangeSet => ({
  checks: [{ kind, id, version: row?.version ?? 0 }]
})
/** The change set that takes a lookup key. */
export const addLookupKey = (scope: KeyScope, named: Omit<LookupKey, "scope">): ChangeSet => ({
  lookup_keys: [{ scope: scope.name, ...named }],
  scopes: [scope]
})

/**
 * Adds an operator's note to the change sets of a decision. Notes are in the data of the row that was decided on, by
 * the version that they belong to. Machines do not read them; the row's history shows them.
 */
export const addNote = (
  changes: ReadonlyArray<ChangeSet>,
  { kind, id }: Pick<Row, "kind" | "id">,
  note: string | undefined
): ReadonlyArray<ChangeSet> => {
  if (note === undefined) return changes
  const kept = (row: RowWrite): RowWrite =>
    row.id !== id || row.kind !== kind
      ? row
      : { ...row, data: { ...(row.data as object), notes: { ...readNotes(row), [row.version]: note } } }
  return changes.map((one) => (one.rows === undefined ? one : { ...one, rows: one.rows.map(kept) }))
}

/** Reads the operator's notes on a row's steps, by version. */
export const readNotes = ({ data }: Pick<Row, "data">): Readonly<Record<string, string>> =>
  (data as { readonly notes?: Readonly<Record<string, string>> }).notes ?? {}

/**
 * Takes a key that an owner may give up, such as the email of an operator, for `id`. A store never gives a key back, so the owners that have had the key have `key`, `key 2` and so
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
    if (owner === undefined) return takeUniqueKey(scope, name, id)
    const [row] = yield* storage.get([{ merchant_id, kind, id: owner }])
    if (row !== undefined && has(row as Row<Data>)) return row as Row<Data>
  }
})

/** References: a merchant's own names for its movements. */
export const referenceScope: KeyScope = {
  name: "reference",
  taken: (reference) =>
    `The reference ${JSON.stringify(reference)} is in use by another movement. References are unique per merchant.`
}
