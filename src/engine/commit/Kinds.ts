/** All kinds of the engine, by name and by the prefix of their resources' ids. The registry provides this service. */
import { Context } from "effect"
import { InvariantViolation } from "../ports/errors.ts"
import type { Kind, ResourceKind, TransactionKind } from "./kind.ts"

export class Kinds extends Context.Service<
  Kinds,
  {
    readonly byName: ReadonlyMap<string, Kind>
    /** The kind of an id, by its prefix; `undefined` for an unknown prefix. */
    readonly ofId: (id: string) => ResourceKind | undefined
    /** The kinds whose resources are shown as transactions. */
    readonly transactions: ReadonlyArray<TransactionKind>
  }
>()("corridor/engine/Kinds") {}

const isTransaction = (kind: ResourceKind): kind is TransactionKind => kind.transaction !== undefined

const unique = <A extends Kind>(kinds: ReadonlyArray<A>, key: (kind: A) => string): ReadonlyMap<string, A> => {
  const found = new Map<string, A>()
  for (const kind of kinds) {
    const existing = found.get(key(kind))
    if (existing !== undefined)
      throw new InvariantViolation(`the kinds ${existing.kind} and ${kind.kind} share the key ${key(kind)}`)
    found.set(key(kind), kind)
  }
  return found
}

/** Builds the index of kinds from `resources`, and from `records` that are stored under the ids of resources. */
export const kindsOf = (resources: ReadonlyArray<ResourceKind>, records: ReadonlyArray<Kind>): Kinds["Service"] => {
  const byPrefix = unique(resources, ({ prefix }) => prefix)
  return {
    byName: unique<Kind>([...resources, ...records], ({ kind }) => kind),
    ofId: (id) => byPrefix.get(id.slice(0, id.indexOf("_"))),
    transactions: resources.filter(isTransaction)
  }
}
