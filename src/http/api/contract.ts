/**
 * How an endpoint is declared: once, as an `HttpApi` endpoint, from which the OpenAPI document and the typed client come,
 * with the rules the pipeline holds it to as an annotation.
 *
 * `HttpApi` is the contract only; requests are not served by `HttpApiBuilder`. It decodes path ids before any
 * middleware can have read the body, answers another content type with 415 and no envelope, and encodes every answer
 * again, where one order of checks, one envelope and the stored bytes of a repeat are required (HTTP-4, HTTP-6,
 * IDEM-7). `pipeline.ts` serves the same declarations in that order.
 */
import { Context, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import type { Role } from "../../engine/commit/call.ts"
import { paging } from "../../engine/input/schemas.ts"
import type { As } from "../../engine/input/validation.ts"
import { Failure, ListOf, Ok } from "../envelope.ts"
import type { Code } from "../errors.ts"

/** Who an area's calls are made by: a merchant's key, or the operator's token. */
export type Area = "v1" | "sandbox" | "operator"

export type Decodable = Schema.ConstraintDecoder<unknown> & Schema.Top

/** What the pipeline holds an endpoint to. */
export interface Rules {
  readonly id: string
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: `/${string}`
  readonly area: Area
  /** The least role that may call it. */
  readonly role: Role
  /** Counts against the merchant's rate limit (LIMIT-1). */
  readonly limited: boolean
  /** How body faults are refused. */
  readonly as: As
  readonly list: boolean
  readonly params: Decodable | undefined
  readonly query: Decodable | undefined
  readonly body: Decodable | undefined
  /** Codes it answers with beside those its rules imply. */
  readonly errors: ReadonlyArray<Code>
  /** Examples by name, for the document. */
  readonly examples: { readonly [name: string]: unknown }
}

export class RulesOf extends Context.Service<RulesOf, Rules>()("corridor/http/Rules") {}

type Fields = Schema.Struct.Fields

export const NoQuery = Schema.Struct({})
const PagingQuery = Schema.Struct(paging)

export interface About<P, Q> {
  readonly summary: string
  readonly description?: string
  readonly params?: P
  readonly query?: Q
  readonly role?: Role
  readonly limited?: boolean
  readonly as?: "body" | "transfer"
  readonly errors?: ReadonlyArray<Code>
  readonly examples?: { readonly [name: string]: unknown }
}

const failure = <const S extends number>(httpApiStatus: S) => Failure.annotate({ httpApiStatus, identifier: "Failure" })
const failures = [
  failure(400),
  failure(401),
  failure(403),
  failure(404),
  failure(409),
  failure(422),
  failure(429),
  failure(500)
] as const

const areaOf = (path: string): Area =>
  path.startsWith("/operator/") ? "operator" : path.startsWith("/sandbox/") ? "sandbox" : "v1"

const struct = (fields: Fields | undefined): Decodable | undefined =>
  fields === undefined || Object.keys(fields).length === 0 ? undefined : (Schema.Struct(fields) as unknown as Decodable)

const annotations = (
  method: Rules["method"],
  id: string,
  path: `/${string}`,
  about: About<Fields, Schema.Top>,
  list: boolean,
  body: Schema.Top | undefined
): Context.Context<never> => {
  const rules: Rules = {
    id,
    method,
    path,
    area: areaOf(path),
    role: about.role ?? (method === "GET" ? "viewer" : "developer"),
    limited: about.limited ?? false,
    as: about.as ?? "body",
    list,
    params: struct(about.params),
    query: about.query as Decodable | undefined,
    body: body as Decodable | undefined,
    errors: about.errors ?? [],
    examples: about.examples ?? {}
  }
  return Context.make(RulesOf, rules).pipe(
    Context.add(OpenApi.Identifier, id),
    Context.add(OpenApi.Summary, about.summary),
    Context.add(OpenApi.Description, about.description ?? about.summary)
  ) as unknown as Context.Context<never>
}

/** A read of one resource. */
export const get = <
  const Id extends string,
  const Path extends `/${string}`,
  S extends Schema.Top,
  P extends Fields = {},
  Q extends Schema.Top = typeof NoQuery
>(
  id: Id,
  path: Path,
  data: S,
  about: About<P, Q>
) =>
  HttpApiEndpoint.get(id, path, {
    params: (about.params ?? {}) as P,
    query: (about.query ?? NoQuery) as Q,
    success: Ok(data),
    error: failures
  }).annotateMerge(annotations("GET", id, path, about, false, undefined))

/** A page of a list. `query` holds its filters with `listing` or `paging`; alone, paging. */
export const list = <
  const Id extends string,
  const Path extends `/${string}`,
  S extends Schema.Top,
  P extends Fields = {},
  Q extends Schema.Top = typeof PagingQuery
>(
  id: Id,
  path: Path,
  item: S,
  about: About<P, Q>
) =>
  HttpApiEndpoint.get(id, path, {
    params: (about.params ?? {}) as P,
    query: (about.query ?? PagingQuery) as Q,
    success: ListOf(item),
    error: failures
  }).annotateMerge(annotations("GET", id, path, { ...about, query: about.query ?? PagingQuery }, true, undefined))

/** A creation or an action. Its answer is 200 and, with an Idempotency-Key, kept for a repeat. */
export const post = <
  const Id extends string,
  const Path extends `/${string}`,
  B extends Schema.Top,
  S extends Schema.Top,
  P extends Fields = {},
  Q extends Schema.Top = typeof NoQuery
>(
  id: Id,
  path: Path,
  body: B,
  data: S,
  about: About<P, Q>
) =>
  HttpApiEndpoint.post(id, path, {
    params: (about.params ?? {}) as P,
    query: (about.query ?? NoQuery) as Q,
    payload: body,
    success: Ok(data),
    error: failures
  }).annotateMerge(annotations("POST", id, path, about, false, body))

export const patch = <
  const Id extends string,
  const Path extends `/${string}`,
  B extends Schema.Top,
  S extends Schema.Top,
  P extends Fields = {}
>(
  id: Id,
  path: Path,
  body: B,
  data: S,
  about: About<P, Schema.Top>
) =>
  HttpApiEndpoint.patch(id, path, {
    params: (about.params ?? {}) as P,
    payload: body,
    success: Ok(data),
    error: failures
  }).annotateMerge(annotations("PATCH", id, path, about, false, body))

/** A deletion. An empty body counts as `{}`. */
export const del = <
  const Id extends string,
  const Path extends `/${string}`,
  B extends Schema.Top,
  S extends Schema.Top,
  P extends Fields = {}
>(
  id: Id,
  path: Path,
  body: B,
  data: S,
  about: About<P, Schema.Top>
) =>
  HttpApiEndpoint.delete(id, path, {
    params: (about.params ?? {}) as P,
    payload: body,
    success: Ok(data),
    error: failures
  }).annotateMerge(annotations("DELETE", id, path, about, false, body))

/** The body of an action that takes nothing. */
export const Nothing = Schema.Struct({})

/** The answer of a deletion. */
export const Deleted = Schema.Struct({ id: Schema.String, success: Schema.Literal(true) }).annotate({
  identifier: "Deleted"
})

/** A group of endpoints, shown under `title` in the document. */
export const group = <const Id extends string>(id: Id, title: string, description: string) =>
  HttpApiGroup.make(id).annotateMerge(OpenApi.annotations({ title, description }))
