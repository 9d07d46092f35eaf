/** The registration of a resource, or of another service with operations, with the engine, and the groups that several share. */
import type { Layer } from "effect"
import type { Group, Sections } from "../calls/operation.ts"
import type { Kind, ResourceKind } from "../commit/kind.ts"

interface Resource {
  readonly kind: ResourceKind
  /** Kinds of record kept under the ids of its resources. */
  readonly records?: ReadonlyArray<Kind>
  /** Builds the service that its operations require. */
  readonly layer: Layer.Layer<never, never, any>
  readonly operations: Sections
}

/** A service with operations but without rows. */
interface Service {
  readonly kind?: never
  readonly records?: never
  /** Absent if not every engine has the service: the composition of the sandbox adds it. */
  readonly layer?: Layer.Layer<never, never, any>
  readonly operations: Sections
}

export type Registration = Resource | Service

export const merchantsGroup: Group<"operator_merchants"> = {
  id: "operator_merchants",
  title: "Operator: merchants",
  description: "The merchants of this service, and their API keys."
}

export const operatorGroup: Group<"operator"> = {
  id: "operator",
  title: "Operator",
  description: "Holds, exceptions, the ledger and resources without progress."
}

export const walletsGroup: Group<"wallets"> = {
  id: "wallets",
  title: "Wallets",
  description: "A wallet holds one currency for one customer."
}

export const reconciliationGroup: Group<"operator_reconciliation"> = {
  id: "operator_reconciliation",
  title: "Operator: reconciliation",
  description: "The books against banks and chains, and what corrects them."
}

export const controlsGroup: Group<"operator_controls"> = {
  id: "operator_controls",
  title: "Operator: controls",
  description: "What may happen: limits on money, and approvals by other people."
}
