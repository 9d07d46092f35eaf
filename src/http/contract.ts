/**
 * The HTTP contract as an `HttpApi`, derived from the table of operations. The OpenAPI document and the typed client are
 * derived from it.
 *
 * `HttpApiBuilder` does not serve the requests. It decodes the path before any middleware can read the body, rejects other
 * content types with 415 and no envelope, and encodes every response again. The API requires one order of checks, one
 * envelope and the stored bytes of a repeat (HTTP-4, HTTP-6, IDEM-7); `server.ts` serves the same operations with these.
 */
import type { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { type AnyOperation, type Group, Nothing, type SchemaOf } from "../engine/calls/operation.ts"
import { type Declared, entries } from "../engine/operations.ts"
import { Failure, ListOf, Ok } from "./envelope.ts"

const makeFailureSchema = <const S extends number>(httpApiStatus: S) =>
  Failure.annotate({ httpApiStatus, identifier: "Failure" })
const failures = [
  makeFailureSchema(400),
  makeFailureSchema(401),
  makeFailureSchema(403),
  makeFailureSchema(404),
  makeFailureSchema(409),
  makeFailureSchema(422),
  makeFailureSchema(429),
  makeFailureSchema(500)
] as const

type Fields = Schema.Struct.Fields
type NoInput = typeof Nothing

type EndpointOf<O> = O extends {
  readonly id: infer Id extends string
  readonly method: infer Method extends AnyOperation["method"]
  readonly path: infer Path extends string
  readonly output: infer Output extends Schema.Top
  readonly list: infer L
  readonly "~Params": infer Params extends Fields
  readonly "~Input": infer I
}
  ? HttpApiEndpoint.HttpApiEndpoint<
      Id,
      Method,
      Path,
      Schema.toCodecStringTree<Schema.Struct<Params>>,
      Schema.toCodecStringTree<Method extends "GET" ? InputOf<I> : NoInput>,
      Method extends "GET" ? never : Schema.toCodecJson<InputOf<I>>,
      never,
      Schema.toCodecJson<L extends true ? ReturnType<typeof ListOf<Output>> : ReturnType<typeof Ok<Output>>>,
      Schema.toCodecJson<(typeof failures)[number]>
    >
  : never
type InputOf<I> = SchemaOf<I> extends infer S extends Schema.Top ? S : NoInput

/** The operations of a table, at any depth. */
type Flat<T> = T extends { readonly "~Input": unknown } ? T : { readonly [K in keyof T]: Flat<T[K]> }[keyof T]

type SectionsOf<D> = D extends unknown ? D[keyof D] : never
type Section = SectionsOf<Declared>
type IdOf<S> = S extends { readonly group: Group<infer Id> } ? Id : never
type TableIn<S, Id> = S extends { readonly group: Group<Id & string>; readonly table: infer T } ? T : never

/** The groups, each with its operations of all resources. */
type Groups = {
  readonly [Id in IdOf<Section>]: HttpApiGroup.HttpApiGroup<Id, EndpointOf<Flat<TableIn<Section, Id>>>>
}[IdOf<Section>]

const groups = [...Map.groupBy(entries, ({ group }) => group.id).values()].map((of) => {
  const { description, id, title } = of[0]!.group
  const [first, ...others] = of.map(({ operation }) => {
    const { description, id, input, list, method, output, params, path, summary } = operation
    const isRead = method === "GET"
    return HttpApiEndpoint.make(method)(id, path, {
      params: params as Fields,
      query: isRead ? (input ?? Nothing) : Nothing,
      ...(isRead ? {} : { payload: input ?? Nothing }),
      success: list ? ListOf(output) : Ok(output),
      error: failures
    } as never).annotateMerge(OpenApi.annotations({ identifier: id, summary, description }))
  })
  return HttpApiGroup.make(id)
    .add(first!, ...others)
    .annotateMerge(OpenApi.annotations({ title, description }))
})

const contract = HttpApi.make("corridor").add(groups[0]!, ...groups.slice(1)) as unknown as HttpApi.HttpApi<
  "corridor",
  Groups
>

export class Api extends contract.annotateMerge(
  OpenApi.annotations({
    title: "Corridor",
    version: "1",
    description:
      "Cross-border payments on stablecoin rails: onramps, offramps, conversions, transfers and deposits. " +
      "Amounts are decimal strings. Money movements are asynchronous: the response to a creation has an early status; read " +
      "later statuses, or receive them as webhook events. In a request body, null means absent for every optional member. " +
      "Unknown members and parameters are ignored and named in meta.warnings, each with the nearest known name; " +
      "`Prefer: handling=strict` rejects them."
  })
) {}
