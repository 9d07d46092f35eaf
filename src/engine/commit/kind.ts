/**
 * What the engine knows about a kind of resource besides its lifecycle: how it is listed and shown, its events, its controls and its
 * commands to the provider. Members that depend on each other are in one object, so that one without the other does not compile.
 */
import { Context, Effect } from "effect"
import type { Lifecycle } from "../../machines/kernel/lifecycle.ts"
import type { Ids } from "../ports/Ids.ts"
import type { ConversionCommand, IssueCommand, PayoutCommand, RefundCommand } from "../ports/Provider.ts"
import type { Row, RowWrite, Storage } from "../ports/Storage.ts"
import { InvariantViolation, type StorageFault } from "../ports/errors.ts"
import type { Transacted } from "../representations/movements/transaction.ts"
import type { ChangeSet } from "./changeset.ts"
import type { KindQueries } from "./index-keys.ts"
import type { RowAction } from "./row-act.ts"

/** The events of a kind (WEBHOOK-3). */
interface KindEvents<Data> {
  /** The category that webhook endpoints subscribe to. */
  readonly category: string
  /** The object in the body of its events: the `/v1` body and the documented additional members. */
  readonly object: (row: Row<Data>, type: string) => unknown
  /**
   * The status that events show for a state (`event_object_status`, `event_object_changes`). Default: the status of the
   * resource. Null for a state that no event shows.
   */
  readonly status?: (state: string, data: Data) => string | null
}

/** What limits and approval rules know of a kind. */
interface KindControls<Data> {
  /** The controlled action that a write of a row makes (LIMITS-2). Undefined: none. */
  readonly controlledAction?: (row: RowWrite<Data>) => RowAction | undefined
  /** When the row can no longer be used, epoch milliseconds: approvals that need it expire then (APPROVAL-17). */
  readonly usableUntil?: (data: Data) => number
  /** Tells a row that an action which needs it waits for approval. Without it, the row ends no approvals when it ends: that costs a read. */
  readonly waitEvent?: { readonly type: "awaited" }
}

/** The commands of a kind to its provider, by operation. `id` is the command's id. A kind that submits has `payout` or `conversion`. */
interface KindCommands<Data> {
  readonly payout?: (row: Row<Data>, id: string) => PayoutCommand
  readonly conversion?: (row: Row<Data>, id: string) => ConversionCommand
  readonly issue?: (row: Row<Data>, id: string) => IssueCommand
  readonly refund?: (row: Row<Data>, id: string) => RefundCommand
}

/** A kind of row: a resource, or a record that is stored under the id of another kind's resource. */
export interface Kind<Data = any, Event extends { readonly type: string } = any>
  extends KindQueries<Data>,
    KindControls<Data>,
    KindCommands<Data> {
  readonly kind: string
  readonly lifecycle: Lifecycle<Data, Event>
  /** The status that `/v1` shows for a state. Default: the state's name. */
  readonly status?: (state: string, data: Data) => string
  /** Present on kinds that publish events. */
  readonly events?: KindEvents<Data>
  /** Present on kinds whose resources are shown as transactions: see {@link TransactionKind}. */
  readonly transaction?: (row: Row<Data>) => Transacted
  /**
   * Additional writes of a step, in the same commit: the reversal of a returned offramp, an exception, the network of a
   * wallet. They may be computed from rows that have changed since, so each row is written at the version that was
   * read, and a lost race decides again.
   */
  readonly derivedWrites?: (
    before: Row<Data>,
    after: RowWrite<Data>,
    at: number
  ) => Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault, Ids | Storage>
}

/** Combines several `Kind.derivedWrites` into one, in order. */
export const combineDerivedWrites =
  <Data>(
    ...writes: ReadonlyArray<NonNullable<Kind<Data>["derivedWrites"]>>
  ): NonNullable<Kind<Data>["derivedWrites"]> =>
  (before, after, at) =>
    Effect.map(
      Effect.forEach(writes, (each) => each(before, after, at)),
      (changes) => changes.flat()
    )

/** Whether a kind's resources are submitted to a provider, which then reports their outcome. */
export const isSubmitted = (kind: Kind | undefined): kind is Kind =>
  kind?.payout !== undefined || kind?.conversion !== undefined

/** A kind whose resources have their own ids, which begin with `<prefix>_`. */
export interface ResourceKind<Data = any, Event extends { readonly type: string } = any> extends Kind<Data, Event> {
  readonly prefix: string
}

/** A kind whose resources are shown as transactions. Only these may descend from another resource (`root_id`). */
export interface TransactionKind<Data = any, Event extends { readonly type: string } = any>
  extends ResourceKind<Data, Event> {
  readonly transaction: (row: Row<Data>) => Transacted
}

/** All kinds of the engine, by name and by the prefix of their resources' ids. The registry provides this service. */
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

const indexUnique = <A extends Kind>(kinds: ReadonlyArray<A>, key: (kind: A) => string): ReadonlyMap<string, A> => {
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
export const makeKinds = (resources: ReadonlyArray<ResourceKind>, records: ReadonlyArray<Kind>): Kinds["Service"] => {
  const byPrefix = indexUnique(resources, ({ prefix }) => prefix)
  return {
    byName: indexUnique<Kind>([...resources, ...records], ({ kind }) => kind),
    ofId: (id) => byPrefix.get(id.slice(0, id.indexOf("_"))),
    transactions: resources.filter((kind: ResourceKind): kind is TransactionKind => kind.transaction !== undefined)
  }
}
