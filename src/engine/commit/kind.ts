/**
 * What the engine knows about a kind of resource besides its lifecycle: its index keys, its status in `/v1`, its events
 * and its commands to the provider. Members that depend on each other are in one object, so that one without the other
 * does not compile.
 */
import { Effect } from "effect"
import type { Shown } from "../../machines/access/audit-entry.ts"
import type { Lifecycle } from "../../machines/kernel/lifecycle.ts"
import type { RowAct } from "./row-act.ts"
import type { ChangeSet } from "./changeset.ts"
import type { Measured } from "./measures.ts"
import type { Searched } from "./search-terms.ts"
import type { StorageFault } from "../ports/errors.ts"
import type { ConversionCommand, IssueCommand, PayoutCommand, RefundCommand } from "../ports/Provider.ts"
import type { Ids } from "../ports/Ids.ts"
import type { Row, RowWrite, Storage } from "../ports/Storage.ts"
import type { Transacted } from "../representations/movements/transaction.ts"

/** The events of a kind (WEBHOOK-3). */
export interface KindEvents<Data> {
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

/** A kind of row: a resource, or a record that is stored under the id of another kind's resource. */
export interface Kind<Data = any, Event extends { readonly type: string } = any> {
  readonly kind: string
  readonly lifecycle: Lifecycle<Data, Event>
  /** The status that `/v1` shows for a state. Default: the state's name. */
  readonly status?: (state: string, data: Data) => string
  /** The index keys that its lists filter on, in addition to those of every row (`index-keys.ts`). */
  readonly indexKeys?: (data: Data, state: string) => ReadonlyArray<string>
  /** What it is found by, besides its id (SEARCH-2). Never an id number. */
  readonly searched?: (data: Data) => Searched
  /** What statistics count it with (STATS-2). Undefined for a movement that they do not count. */
  readonly measured?: (data: Data, state: string) => Measured | undefined
  readonly hidden?: (state: string) => boolean
  /** What the audit log shows of a row beside its status: members that operators' actions change, and no secret. */
  readonly audited?: (row: Row<Data>) => Shown
  /** What a write of a row is an act of, for limits and rules (LIMITS-2). Undefined: none. */
  readonly act?: (row: RowWrite<Data>) => RowAct | undefined
  /** Until when an act that takes the row can be done, epoch milliseconds: what waits for approval waits no longer (APPROVAL-17). */
  readonly usableUntil?: (data: Data) => number
  /** The event by which a row notes that an act waits that takes it. A row without it ends no approvals: that costs every act a read. */
  readonly awaited?: { readonly type: "awaited" }
  /** Present on kinds that publish events. */
  readonly events?: KindEvents<Data>
  /** Present on kinds whose resources are shown as transactions: see {@link TransactionKind}. */
  readonly transaction?: (row: Row<Data>) => Transacted
  /**
   * Its commands to the provider, by operation. `id` is the command's id. A kind that submits has `payout` or
   * `conversion`.
   */
  readonly payout?: (row: Row<Data>, id: string) => PayoutCommand
  readonly conversion?: (row: Row<Data>, id: string) => ConversionCommand
  readonly issue?: (row: Row<Data>, id: string) => IssueCommand
  readonly refund?: (row: Row<Data>, id: string) => RefundCommand
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

/** All of these derived writes, in order. */
export const allOf =
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
