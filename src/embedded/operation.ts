/**
 * What can be asked of the engine, as data: an operation says what it takes and which service answers it. From a table of
 * them come the calls of an embedding application, as promises and as Effects, and their types.
 */
import type { Effect, Schema } from "effect"
import type { Call } from "../engine/commit/call.ts"
import type { Fault, Refusal } from "../engine/ports/errors.ts"
import type { Prefix } from "../engine/ports/Ids.ts"
import type { Listed, Versioned } from "../engine/calls/list.ts"
import { Id } from "../engine/input/schemas.ts"
import type { As } from "../engine/input/validation.ts"

/**
 * `create`: a POST of `/v1`, which may carry an idempotency key. `change`: a PATCH or DELETE, which may name the version
 * it changes. `read`, `act`: neither. `say`: the sandbox's provider speaks, also of a suspended merchant.
 */
export type Verb = "create" | "change" | "read" | "act" | "say"

type Decodable = Schema.ConstraintDecoder<unknown> & Schema.Top

/** One id of an operation: what `/v1` calls it in the path, and its form. */
export interface Param {
  readonly name: string
  readonly schema: Decodable
}
type Params = ReadonlyArray<Param>

export const param = (prefix: Prefix, name = "id"): Param => ({ name, schema: Id(prefix) })

type Strings<P extends Params> = { readonly [K in keyof P]: string }
type TypeOf<I> = I extends Decodable ? I["Type"] : undefined

/** What an operation is run with. */
export interface Given<P extends Params, I> {
  readonly call: Call
  readonly ids: Strings<P>
  readonly input: TypeOf<I>
}

export interface Operation<V extends Verb, P extends Params, I, A, R> {
  readonly verb: V
  readonly params: P
  readonly input: I
  /** How faults of the input are refused. */
  readonly as: As
  /** Asked before the input is read: whether the resource takes the call at all. */
  readonly before?:
    | ((given: Pick<Given<P, I>, "call" | "ids">) => Effect.Effect<unknown, Refusal | Fault, R>)
    | undefined
  readonly run: (given: Given<P, I>) => Effect.Effect<A, Refusal | Fault, R>
}

interface Takes<P extends Params, I, R> extends Pick<Operation<Verb, P, I, unknown, R>, "before"> {
  readonly params?: P
  readonly input?: I
  readonly as?: As
}

const operation =
  <V extends Verb>(verb: V, as: As) =>
  <A, R, const P extends Params = readonly [], I extends Decodable | undefined = undefined>(
    takes: Takes<P, I, R>,
    run: (given: Given<P, I>) => Effect.Effect<A, Refusal | Fault, R>
  ): Operation<V, P, I, A, R> => ({
    verb,
    params: takes.params ?? ([] as unknown as P),
    input: takes.input as I,
    as: takes.as ?? as,
    before: takes.before,
    run
  })

export const create = operation("create", "body")
export const change = operation("change", "body")
export const read = operation("read", "query")
export const act = operation("act", "body")
export const say = operation("say", "body")

/** A page of a list. */
export interface Page<Body> {
  readonly items: ReadonlyArray<Body>
  readonly page: number
  readonly per_page: number
  readonly total: number
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

/** What is answered: exactly the body of `/v1`. */
export type Answer<A> = A extends Versioned<infer Body> ? Body : A extends Listed<infer Item> ? Page<Item> : A

type Path<P> = P extends readonly [Param, Param]
  ? [parent_id: string, id: string]
  : P extends readonly [Param]
    ? [id: string]
    : []
type Input<I> = I extends Decodable ? ({} extends I["Encoded"] ? [input?: I["Encoded"]] : [input: I["Encoded"]]) : []
type Options<V> = [options?: V extends "create" ? CreateOptions : V extends "change" ? ChangeOptions : CallOptions]
type Args<V, P, I> = [...Path<P>, ...Input<I>, ...Options<V>]

/** A table of operations, as methods that give promises. */
export type Promised<T> = {
  readonly [K in keyof T]: T[K] extends Operation<infer V, infer P, infer I, infer A, infer _R>
    ? (...args: Args<V, P, I>) => Promise<Answer<A>>
    : Promised<T[K]>
}

/** A table of operations, as methods that give Effects; they need `Calls` and the services they speak to. */
export type Effected<T, C> = {
  readonly [K in keyof T]: T[K] extends Operation<infer V, infer P, infer I, infer A, infer R>
    ? (...args: Args<V, P, I>) => Effect.Effect<Answer<A>, Refusal | Fault, R | C>
    : Effected<T[K], C>
}

/** An operation whatever it takes and gives. */
export type AnyOperation = Operation<Verb, Params, Decodable | undefined, unknown, unknown>

/** Operations by their names, and groups of them. */
export interface Table {
  readonly [name: string]: AnyOperation | Table
}

export const isOperation = (entry: AnyOperation | Table): entry is AnyOperation => typeof entry["run"] === "function"

/** Every operation of a table, in its place, made into something else. `path` is its dotted name. */
export const mapTable = (
  table: Table,
  make: (operation: AnyOperation, path: string) => unknown,
  under = ""
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(table).map(([name, entry]) => {
      const path = under === "" ? name : `${under}.${name}`
      return [name, isOperation(entry) ? make(entry, path) : mapTable(entry, make, path)]
    })
  )
