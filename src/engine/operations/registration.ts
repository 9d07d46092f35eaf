/** How a resource, or another service with operations of its own, joins the engine. */
import type { Layer } from "effect"
import type { Sections } from "../calls/operation.ts"
import type { Kind, ResourceKind } from "../commit/kind.ts"

export interface Resource {
  readonly kind: ResourceKind
  /** Kinds of record kept under the ids of its resources. */
  readonly records?: ReadonlyArray<Kind>
  /** The service that its operations ask. */
  readonly layer: Layer.Layer<never, never, any>
  readonly operations: Sections
}

/** What has operations and no rows of its own. */
export interface Service {
  readonly kind?: never
  readonly records?: never
  /** Absent on what does not run in every engine (the sandbox): it joins where it is composed. */
  readonly layer?: Layer.Layer<never, never, any>
  readonly operations: Sections
}

export type Registration = Resource | Service
