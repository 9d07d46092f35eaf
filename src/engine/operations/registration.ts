/** The registration of a resource, or of another service with operations, with the engine. */
import type { Layer } from "effect"
import type { Sections } from "../calls/operation.ts"
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
