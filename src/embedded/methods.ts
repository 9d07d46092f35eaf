/** The methods of an application that embeds the engine, derived from the table of operations: promises and Effects. */
import type { Effect } from "effect"
import type { Listed } from "../engine/calls/list.ts"
import type { AnyOperation, Method, Table } from "../engine/calls/operation.ts"
import { isOperation } from "../engine/calls/operation.ts"
import type { Fault, Refusal } from "../engine/ports/errors.ts"

/** A page of a list. */
export interface Page<Body> extends Listed<Body> {
  /** Whether another page exists. */
  readonly has_more: boolean
}

export interface CallOptions {
  /** Refuses members of the input that are not known, as `unknown_field`. By default they are ignored. */
  readonly strict?: boolean | undefined
}

export interface CreateOptions extends CallOptions {
  /**
   * 8 to 255 letters, digits, underscores and hyphens. Within 24 hours the same key with the same input gives the first
   * answer again and has no other effect; with another input it is refused with `idempotency_conflict`.
   */
  readonly idempotencyKey?: string | undefined
}

export interface ChangeOptions extends CallOptions {
  /** The version the change is made on, as `versionOf` gives it; refused with `conflict` when there is a newer one. */
  readonly ifMatch?: string | undefined
}

/** An operation, as its types tell it. */
interface Typed {
  readonly method: Method
  readonly path: string
  readonly output: { readonly Type: unknown }
  readonly list: boolean
  readonly "~Input": unknown
  readonly "~Services": unknown
}

/** What is answered: exactly the body of `/v1`. */
type Body<O extends Typed> = O["list"] extends true ? Page<O["output"]["Type"]> : O["output"]["Type"]

type Ids<Path> = Path extends `${string}/:${string}/:${string}`
  ? [parent_id: string, id: string]
  : Path extends `${string}/:${string}`
    ? [id: string]
    : []
type Input<I> = I extends { readonly Encoded: infer E } ? ({} extends E ? [input?: E] : [input: E]) : []
type Options<O extends Typed> = O["method"] extends "PATCH" | "DELETE"
  ? ChangeOptions
  : O extends { readonly method: "POST"; readonly path: `/v1/${string}` }
    ? CreateOptions
    : CallOptions
type Args<O extends Typed> = [...Ids<O["path"]>, ...Input<O["~Input"]>, options?: Options<O>]

/** A table of operations, as methods that give promises. */
export type Promised<T> = {
  readonly [K in keyof T]: T[K] extends Typed ? (...args: Args<T[K]>) => Promise<Body<T[K]>> : Promised<T[K]>
}

/** A table of operations, as methods that give Effects; they need `Calls` and the services they speak to. */
export type Effected<T, C> = {
  readonly [K in keyof T]: T[K] extends Typed
    ? (...args: Args<T[K]>) => Effect.Effect<Body<T[K]>, Refusal | Fault, T[K]["~Services"] | C>
    : Effected<T[K], C>
}

/** Every operation of a table, in its place, made into something else. */
export const mapTable = (table: Table, make: (operation: AnyOperation) => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [name, isOperation(entry) ? make(entry) : mapTable(entry, make)])
  )
