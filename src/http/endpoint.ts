/**
 * How handlers meet their contract: one function for each endpoint of a group, typed by it. A group without a handler
 * for each of its endpoints does not compile.
 */
import { Context, type Effect } from "effect"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import type { Call } from "../engine/commit/call.ts"
import type { Fault, Refusal } from "../engine/ports/errors.ts"
import { type Rules, RulesOf } from "./api/contract.ts"
import type { Listed, Versioned } from "../engine/calls/list.ts"

/** What a handler is given: who calls, and the decoded request. */
export interface Input<E extends HttpApiEndpoint.ConstraintRequest> {
  readonly call: Call
  readonly params: E["~Params"]["Type"]
  readonly query: E["~Query"]["Type"]
  readonly body: E["~Payload"]["Type"]
}

type DataOf<E extends HttpApiEndpoint.ConstraintRequest> = E["~Success"]["Type"] extends {
  readonly data: infer Data
  readonly meta: infer Meta
}
  ? Meta extends { readonly total: number }
    ? Listed<Data extends ReadonlyArray<infer Item> ? Item : never>
    : Data | Versioned<Data>
  : never

export type Handler<E extends HttpApiEndpoint.ConstraintRequest> = (
  input: Input<E>
) => Effect.Effect<DataOf<E>, Refusal | Fault>

/** A handler that is asked first whether the resource takes the request at all, before its query and body are read. */
export const statusFirst = <I extends Pick<Input<HttpApiEndpoint.ConstraintRequest>, "call" | "params">, A>(
  before: (input: Pick<I, "call" | "params">) => Effect.Effect<unknown, Refusal | Fault>,
  handler: (input: I) => Effect.Effect<A, Refusal | Fault>
) => Object.assign(handler, { before })

export type Handlers<G extends HttpApiGroup.Constraint> = {
  readonly [Id in HttpApiEndpoint.Identifier<HttpApiGroup.Endpoints<G>>]: Handler<
    HttpApiEndpoint.WithIdentifier<Extract<HttpApiGroup.Endpoints<G>, HttpApiEndpoint.ConstraintRequest>, Id>
  >
}

/** An endpoint ready to be served. */
export interface Endpoint {
  readonly rules: Rules
  readonly handler: {
    (input: Input<HttpApiEndpoint.Top>): Effect.Effect<unknown, Refusal | Fault>
    readonly before?: ReturnType<typeof statusFirst>["before"]
  }
}

export const rulesOf = (endpoint: HttpApiEndpoint.Top): Rules =>
  Context.getUnsafe(endpoint.annotations as Context.Context<RulesOf>, RulesOf)

/** Joins a group with its handlers. */
export const endpoints = <G extends HttpApiGroup.Constraint>(
  group: G,
  handlers: Handlers<NoInfer<G>>
): ReadonlyArray<Endpoint> =>
  Object.values((group as unknown as HttpApiGroup.Top).endpoints).map((endpoint) => ({
    rules: rulesOf(endpoint as HttpApiEndpoint.Top),
    handler: (handlers as unknown as Record<string, Endpoint["handler"]>)[(endpoint as HttpApiEndpoint.Top).identifier]!
  }))
