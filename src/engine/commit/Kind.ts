/**
 * What the engine must know of a kind of resource beside its lifecycle: how its rows are filed, and what `/v1` shows.
 * A resource is added by making one of these and naming it in `kinds.ts`.
 */
import type { Effect } from "effect"
import type { Lifecycle } from "../../machines/kernel/lifecycle.ts"
import type { ChangeSet } from "./changeset.ts"
import type { StorageFault } from "../ports/errors.ts"
import type { IssueCommand, PayoutCommand, RefundCommand } from "../ports/Provider.ts"
import type { Ids, Prefix } from "../ports/Ids.ts"
import type { Row, RowWrite, Storage } from "../ports/Storage.ts"

/** Categories that webhook endpoints subscribe to (WEBHOOK-3). */
export const categories = ["onramp", "offramp", "conversion", "transfer", "deposit", "kyc"] as const
export type Category = (typeof categories)[number]

export interface Kind<Data = any, Event extends { readonly type: string } = any> {
  readonly kind: string
  readonly prefix: Prefix
  readonly lifecycle: Lifecycle<Data, Event>
  /** What `/v1` shows for a state; by default the state's own name. */
  readonly status?: (state: string, data: Data) => string
  /** Statuses nothing leads out of (but offramp success → returned). */
  readonly ended: ReadonlyArray<string>
  /** The words its lists filter on, beside `status` and `customer_id`, which every row has. */
  readonly facets?: (data: Data, state: string) => ReadonlyArray<string>
  readonly hidden?: (state: string) => boolean
  /** Set on kinds that publish events. */
  readonly category?: Category
  /**
   * The word its events use for a state (`event_object_status`, `event_object_changes`); by default the status. Null for a
   * state that comes before the first event and has none.
   */
  readonly eventStatus?: (state: string, data: Data) => string | null
  /** The body of its events: the `/v1` body and the documented extras. */
  readonly eventObject?: (row: Row<Data>, type: string) => unknown
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
