/**
 * What the engine must know of a kind of resource beside its lifecycle: how its rows are filed, what `/v1` shows of it,
 * what it publishes and what it asks of the provider. A part that another needs stands with it, so that one without the
 * other does not compile.
 */
import type { Effect } from "effect"
import type { Lifecycle } from "../../machines/kernel/lifecycle.ts"
import type { ChangeSet } from "./changeset.ts"
import type { StorageFault } from "../ports/errors.ts"
import type { IssueCommand, PayoutCommand, RefundCommand } from "../ports/Provider.ts"
import type { Ids } from "../ports/Ids.ts"
import type { Row, RowWrite, Storage } from "../ports/Storage.ts"
import type { Transacted } from "../representations/movements/transaction.ts"

/** What a kind publishes (WEBHOOK-3). */
export interface KindEvents<Data> {
  /** What webhook endpoints subscribe to. */
  readonly category: string
  /** The body of its events: the `/v1` body and the documented extras. */
  readonly object: (row: Row<Data>, type: string) => unknown
  /**
   * The status that its events show for a state (`event_object_status`, `event_object_changes`); by default the status of
   * the resource. Null for a state that no event shows.
   */
  readonly status?: (state: string, data: Data) => string | null
}

/** A kind of row: a resource, or a record kept under the id of another kind's resource. */
export interface Kind<Data = any, Event extends { readonly type: string } = any> {
  readonly kind: string
  readonly lifecycle: Lifecycle<Data, Event>
  /** What `/v1` shows for a state; by default the state's own name. */
  readonly status?: (state: string, data: Data) => string
  /** The words its lists filter on, beside `status` and `customer_id`, which every row has. */
  readonly indexKeys?: (data: Data, state: string) => ReadonlyArray<string>
  readonly hidden?: (state: string) => boolean
  /** Set on kinds that publish events. */
  readonly events?: KindEvents<Data>
  /** Set on kinds that are part of the one history of money: see {@link TransactionKind}. */
  readonly transaction?: (row: Row<Data>) => Transacted
  /** What its commands ask of the provider, by operation; `id` is the command's. */
  readonly payout?: (row: Row<Data>, id: string) => PayoutCommand
  readonly issue?: (row: Row<Data>, id: string) => IssueCommand
  readonly refund?: (row: Row<Data>, id: string) => RefundCommand
  /**
   * What else a step writes, in its commit: the reversal of a returned offramp, an exception, the network of a wallet.
   * What it reads may have changed since: it writes a row at the version it read, so that a lost race decides again.
   */
  readonly derivedWrites?: (
    before: Row<Data>,
    after: RowWrite<Data>,
    at: number
  ) => Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault, Ids | Storage>
}

/** A kind whose resources have ids of their own, which begin with `<prefix>_`. */
export interface ResourceKind<Data = any, Event extends { readonly type: string } = any> extends Kind<Data, Event> {
  readonly prefix: string
}

/** A kind whose resources are shown as transactions. Only these may descend from another resource (`root_id`). */
export interface TransactionKind<Data = any, Event extends { readonly type: string } = any>
  extends ResourceKind<Data, Event> {
  readonly transaction: (row: Row<Data>) => Transacted
}
