/**
 * The rows whose references stand in texts (MATCH-3). A text may be any of very many references, so that each is asked for once: after that,
 * it is compared with the references of what has come since.
 */
import { Clock, Effect } from "effect"
import { readAllMatches } from "../../calls/reads.ts"
import type { Kind, Kinds } from "../../commit/kind.ts"
import { listSearchValues, normalise, termKey } from "../../commit/index-keys.ts"
import { BoundedMap } from "../../ports/bounded-map.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Row, RowKey, Storage } from "../../ports/Storage.ts"
import { listPossibleReferences, makeReferenceTest } from "./references-in-text.ts"

interface Deps {
  readonly storage: Storage["Service"]
  readonly kinds: Kinds["Service"]
}

/**
 * What was found of a text. `at`: when it was asked for, epoch milliseconds. `size`: how many references it may have. `rows`: by id, those that
 * it named at one time or another.
 */
interface Asked {
  readonly at: number
  readonly size: number
  readonly rows: ReadonlyMap<string, RowKey>
}

/** By side of the ledger and text. What a process knows of its store may be lost at any time. */
const askedOf = new WeakMap<Storage["Service"], BoundedMap<string, Asked>>()
const TEXTS_MAX = 10_000

/** A text that was asked for longer ago is asked for again, and so are some that have no more references together: it takes one read. */
const KNOWN_MS = 86_400_000
const FEW = 1_000

/** Texts that are asked for together. */
const TOGETHER = 20

const toRowKey = ({ id, kind, merchant_id }: RowKey): RowKey => ({ id, kind, merchant_id })

/** Asks for all that texts may name. */
const askFor = Effect.fnUntraced(function* (
  { storage }: Deps,
  texts: ReadonlyArray<string>,
  kinds: ReadonlyArray<string>,
  at: number
) {
  const asked = new Map<string, Asked>()
  for (let n = 0; n < texts.length; n += TOGETHER) {
    const possible = texts.slice(n, n + TOGETHER).map((text) => [text, listPossibleReferences(text)] as const)
    const keys = new Set(possible.flatMap(([, all]) => all.map((one) => termKey("reference", one))))
    const found = yield* readAllMatches(storage, { keys: [...keys], kinds })
    const byKey = Map.groupBy(found, ({ index_key }) => index_key)
    for (const [text, all] of possible) {
      const own = all.flatMap((one) => byKey.get(termKey("reference", one)) ?? [])
      asked.set(text, { at, size: all.length, rows: new Map(own.map((one) => [one.id, toRowKey(one)])) })
    }
  }
  return asked
})

const listReferences = ({ kinds }: Deps, row: Row): ReadonlyArray<string> => {
  const { references = [] } = listSearchValues((kinds.byName.get(row.kind) as Kind | undefined) ?? {}, row) ?? {}
  return references.flatMap((one) => (one ? [normalise(one)] : []))
}

/** What texts are asked for. `kinds`: of rows. `readNew`: the rows that have come to `side` since an instant; undefined: too many. */
interface Asking {
  readonly kinds: ReadonlyArray<string>
  readonly side: string
  readonly readNew: (since: number) => Effect.Effect<ReadonlyArray<Row> | undefined, StorageFault>
}

/** By text, the rows whose reference stands in it. */
export const findReferred = Effect.fnUntraced(function* (
  deps: Deps,
  { kinds, readNew, side }: Asking,
  texts: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<RowKey>>, StorageFault> {
  const at = yield* Clock.currentTimeMillis
  const remembered = askedOf.get(deps.storage) ?? new BoundedMap<string, Asked>(TEXTS_MAX)
  askedOf.set(deps.storage, remembered)
  const keyOf = (text: string): string => `${side} ${text}`
  const known = texts.flatMap((text) => {
    const before = remembered.get(keyOf(text))
    return before !== undefined && before.at > at - KNOWN_MS ? [{ ...before, text }] : []
  })
  const isMany = known.reduce((sum, { size }) => sum + size, 0) > FEW
  const fresh = isMany ? yield* readNew(known.reduce((since, one) => Math.min(since, one.at), at)) : undefined
  const found = new Map<string, ReadonlyArray<RowKey>>()
  if (fresh !== undefined) {
    const before = new Map(known.flatMap(({ rows }) => [...rows]))
    const candidates = [...fresh, ...(yield* deps.storage.get([...before.values()]))]
    const references = new Map(candidates.map((row) => [row.id, listReferences(deps, row)]))
    for (const { rows, size, text } of known) {
      const isIn = makeReferenceTest(text)
      // An exception has a reference only while it has money.
      const isNamed = ({ id }: RowKey): boolean => references.get(id)?.some(isIn) === true
      const all = new Map([...rows, ...fresh.filter(isNamed).map((row) => [row.id, toRowKey(row)] as const)])
      found.set(text, [...all.values()].filter(isNamed))
      remembered.set(keyOf(text), { at, size, rows: all })
    }
  }
  const others = texts.filter((text) => !found.has(text))
  for (const [text, asked] of yield* askFor(deps, others, kinds, at)) {
    found.set(text, [...asked.rows.values()])
    remembered.set(keyOf(text), asked)
  }
  return found
})
