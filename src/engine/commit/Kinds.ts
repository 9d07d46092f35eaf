/** Every kind of the engine, found by its name and by the ids of its resources. The registry provides it. */
import { Context } from "effect"
import { InvariantViolation } from "../ports/errors.ts"
import type { Kind, ResourceKind, TransactionKind } from "./kind.ts"

export class Kinds extends Context.Service<
  Kinds,
  {
    readonly byName: ReadonlyMap<string, Kind>
    /** The kind that an id belongs to, by its prefix; `undefined` for the ids of no kind. */
    readonly ofId: (id: string) => ResourceKind | undefined
    /** Those whose resources are shown as transactions. */
    readonly transactions: ReadonlyArray<TransactionKind>
  }
>()("corridor/engine/Kinds") {}

const isTransaction = (kind: ResourceKind): kind is TransactionKind => kind.transaction !== undefined

const unique = <A extends Kind>(kinds: ReadonlyArray<A>, key: (kind: A) => string): ReadonlyMap<string, A> => {
  const found = new Map<string, A>()
  for (const kind of kinds) {
    const taken = found.get(key(kind))
    if (taken !== undefined) throw new InvariantViolation(`${taken.kind} and ${kind.kind} are both ${key(kind)}`)
    found.set(key(kind), kind)
  }
  return found
}

/** Finds kinds among `resources`, and `records` that are kept under the ids of those. */
export const kindsOf = (resources: ReadonlyArray<ResourceKind>, records: ReadonlyArray<Kind>): Kinds["Service"] => {
  const byPrefix = unique(resources, ({ prefix }) => prefix)
  return {
    byName: unique<Kind>([...resources, ...records], ({ kind }) => kind),
    ofId: (id) => byPrefix.get(id.slice(0, id.indexOf("_"))),
    transactions: resources.filter(isTransaction)
  }
}
