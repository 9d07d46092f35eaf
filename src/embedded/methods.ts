/** The methods of an application that embeds the engine, derived from the table of operations: promises and Effects. */
import type { Effect } from "effect"
import type { Listed } from "../engine/calls/list.ts"
import {
  type AnyOperation,
  type Method,
  type Table,
  type VersionedAct,
  isOperation
} from "../engine/calls/operation.ts"
import type { Fault, Refusal } from "../engine/ports/errors.ts"

/** A page of a list. */
export interface Page<Body> extends Listed<Body> {
  /** Whether another page exists. */
  readonly has_more: boolean
}

export interface CallOptions {
  /** Whether unknown members of the input are rejected with `unknown_field`. Default: false, they are ignored. */
  readonly strict?: boolean | undefined
}

export interface DryRunOptions {
  /**
   * Whether the call is decided and not committed (DRYRUN-1). The result is the one that the call would have now, and `dryRunOf` says
   * what it would do. Default: false.
   */
  readonly dryRun?: boolean | undefined
}

export interface CreateOptions extends CallOptions, DryRunOptions {
  /**
   * 8 to 255 letters, digits, underscores and hyphens. Within 24 hours, the same key with the same input returns the first
   * result and has no other effect. With another input it is rejected with `idempotency_conflict`.
   */
  readonly idempotencyKey?: string | undefined
}

export interface OperatorOptions {
  /** Who acts, for the audit log. Default: `application`. */
  readonly actor?: string | undefined
}

export interface ChangeOptions extends CallOptions, DryRunOptions {
  /** The version to change, from `versionOf`. If a newer version exists, the call is rejected with `conflict`. */
  readonly ifMatch?: string | undefined
}

export type AnyOptions = CreateOptions & ChangeOptions & OperatorOptions

interface Typed {
  readonly method: Method
  readonly path: string
  readonly output: { readonly Type: unknown }
  readonly list: boolean
  readonly "~Formats": unknown
  readonly "~Input": unknown
  readonly "~Services": unknown
}

/** The result: the body of `/v1`. */
type Body<O extends Typed> = O["list"] extends true ? Page<O["output"]["Type"]> : O["output"]["Type"]

type Ids<Path> = Path extends `${string}/:${string}/:${string}`
  ? [parent_id: string, id: string]
  : Path extends `${string}/:${string}`
    ? [id: string]
    : []
type Input<I> = I extends { readonly Encoded: infer E } ? ({} extends E ? [input?: E] : [input: E]) : []
type Options<O extends Typed> = OptionsOf<O["method"], O["path"]> &
  (O["path"] extends `/operator/${string}` ? OperatorOptions : unknown)
type OptionsOf<M, P> = M extends "PATCH" | "DELETE"
  ? ChangeOptions
  : M extends "POST"
    ? P extends `/sandbox/${string}`
      ? CallOptions
      : P extends VersionedAct
        ? CreateOptions & ChangeOptions
        : CreateOptions
    : CallOptions
type Args<O extends Typed> = [...Ids<O["path"]>, ...Input<O["~Input"]>, options?: Options<O>]

/** The result of a call with the arguments `A`: the text of the file that its `format` asks for, otherwise the body. */
type ResultFor<O extends Typed, A> = A extends readonly [
  ...Ids<O["path"]>,
  { readonly format: infer F },
  ...ReadonlyArray<unknown>
]
  ? F extends keyof O["~Formats"]
    ? string
    : Body<O>
  : Body<O>

type PromisedMethod<O extends Typed> = keyof O["~Formats"] extends never
  ? (...args: Args<O>) => Promise<Body<O>>
  : <const A extends Args<O>>(...args: A) => Promise<ResultFor<O, A>>

type EffectedMethod<O extends Typed, C> = keyof O["~Formats"] extends never
  ? (...args: Args<O>) => Effect.Effect<Body<O>, Refusal | Fault, O["~Services"] | C>
  : <const A extends Args<O>>(...args: A) => Effect.Effect<ResultFor<O, A>, Refusal | Fault, O["~Services"] | C>

/** The methods of a table, as promises. */
export type Promised<T> = {
  readonly [K in keyof T]: T[K] extends Typed ? PromisedMethod<T[K]> : Promised<T[K]>
}

/** The methods of a table, as Effects. They need `Calls` and the services of the operations. */
export type Effected<T, C> = {
  readonly [K in keyof T]: T[K] extends Typed ? EffectedMethod<T[K], C> : Effected<T[K], C>
}

/** Maps the operations of a table, with their nesting. */
export const mapTable = (table: Table, make: (operation: AnyOperation) => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(table).map(([name, entry]) => [name, isOperation(entry) ? make(entry) : mapTable(entry, make)])
  )
