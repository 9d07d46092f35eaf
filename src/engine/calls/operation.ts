/**
 * The declaration of an operation. Its HTTP route, its endpoint in the contract and in the OpenAPI document, and the method
 * of an embedding application (as a promise and as an Effect) are derived from it.
 */
import { Context, Effect, Schema } from "effect"
import type { ControlledAction } from "../../machines/controls/approval-rule.ts"
import type { RowRefs } from "../commit/attempts.ts"
import { type Call, keyRoles, type OperatorRole, operatorRoles, type Role } from "../commit/call.ts"
import { describe, Optional } from "../input/schemas.ts"
import type { As } from "../input/validation.ts"
import type { Fault, Refusal } from "../ports/errors.ts"
import { anyIdOf } from "../representations/members.ts"
import type { Code } from "./codes.ts"
import type { Listed, Versioned } from "./list.ts"

export type Method = "GET" | "POST" | "PATCH" | "DELETE"

/** `v1` and `sandbox` are called with a merchant's API key, `operator` with an operator's token. */
type Area = "v1" | "sandbox" | "operator"

export type Path = `/${"v1" | "sandbox" | "operator/v1"}/${string}`

type Decodable = Schema.ConstraintDecoder<unknown> & Schema.Top
type Fields = Readonly<Record<string, Decodable>>

/** A body with one accepted value. An embedding application does not pass it. */
interface Implied<S extends Decodable> {
  readonly schema: S
  readonly value: S["Encoded"]
}

type Input = Decodable | Implied<Decodable> | undefined

/** The schema of an input; `undefined` if an operation takes none. */
export type SchemaOf<I> = I extends Decodable ? I : I extends Implied<infer S> ? S : undefined
type TypeOf<I> = SchemaOf<I> extends infer S extends Decodable ? S["Type"] : undefined
type EncodedOf<I> = SchemaOf<I> extends infer S extends Decodable ? S["Encoded"] : never

/** The input of `run`: the call, the path parameters, and the query (`GET`) or body. */
export interface Given<P, I> {
  readonly call: Call
  readonly params: { readonly [K in keyof P]: P[K] extends Decodable ? P[K]["Type"] : never }
  readonly input: TypeOf<I>
}

/** Files that an operation answers instead of its body, by the value of `format` that asks for them, each with its media type. */
export interface Formats {
  readonly [name: string]: "text/csv" | "application/xml"
}

/**
 * A response that is a file: `run` returns it instead of the body, in a format that its operation declares. Over HTTP it goes out without
 * the envelope; an embedding application gets `text`.
 */
export class FileResponse<F = string> {
  readonly format: F
  readonly text: string

  constructor(format: F, text: string) {
    this.format = format
    this.text = text
  }
}

/**
 * The name of the query parameter that asks for a list as a file (CSV-1). A list that filters by a member `format` of its rows keeps that
 * name for the filter.
 */
export const formatNameOf = ({ formats, input }: Pick<AnyOperation, "formats" | "input">): "format" | "list_format" =>
  !("csv" in formats) &&
  input?.ast._tag === "Objects" &&
  input.ast.propertySignatures.some(({ name }) => name === "format")
    ? "list_format"
    : "format"

/** The controlled actions of a call: one, or several for a call that does all of them. */
type ControlledActions = ControlledAction | readonly [ControlledAction, ...ReadonlyArray<ControlledAction>]

/** The result of a call in two commits. Not done: a job, or a repeat of the request, makes the second. */
export interface Finished<A> {
  readonly result: A
  readonly isDone: boolean
}

interface About<P, I, S extends Schema.Top, R, F> {
  readonly summary: string
  /** Default: the summary. */
  readonly description?: string
  /** The schemas of the path parameters. */
  readonly params?: P
  /** The query of a `GET`, the body of the others. */
  readonly input?: I
  readonly output: S
  /** The files that it answers instead of `output`: the input has a member `format` that chooses one. Refusals keep the envelope. */
  readonly formats?: F
  /**
   * The body is a file of at most so many bytes: the member `file` of the input, a `Uint8Array`. The other members are parameters of the
   * query.
   */
  readonly fileMax?: number
  /**
   * The body may be a CSV file (`text/csv`): its text is the member `csv` of the input, and the other members are parameters of the
   * query. With `fileMax`, a file of another charset is converted to UTF-8.
   */
  readonly csv?: true
  /** The most bytes of a body that is not a file of `fileMax`. Default: 1 MiB. */
  readonly bodyBytes?: number
  /**
   * The lowest role that may call: of API keys, or of operators for an operation of the operator API. Default: `viewer` for a
   * `GET`; for the others `developer`, and `admin` in the operator API.
   */
  readonly role?: Role | OperatorRole
  /**
   * The controlled action, for approval rules (APPROVAL-1). A call that a rule covers waits, on every route and for every caller. Payouts
   * have none: the movement itself waits.
   */
  readonly action?:
    | ControlledActions
    | ((given: Pick<Given<P, I>, "params" | "input">) => ControlledActions | undefined)
  /** Each call creates a new child resource, so two equal calls need two approvals (APPROVAL-11). */
  readonly createsChild?: true
  /** Reads the resource that a call answers with while it waits for approval. Absent: the call answers with what it would make. */
  readonly readCurrent?: (
    given: Pick<Given<P, I>, "call" | "params">
  ) => Effect.Effect<unknown, Refusal | Fault, unknown>
  /**
   * The second commit of a call that has two. It returns the response, also to a repeat of the key, which may finish what an interrupted
   * call began. It may run any number of times, and does nothing in a dry run whose key was used. `first`: the result of `run`; undefined
   * for a repeat.
   */
  readonly finish?: (
    given: Given<P, I> & { readonly first: S["Type"] | undefined }
  ) => Effect.Effect<Finished<S["Type"]>, Refusal | Fault, R>
  /** Counts against the merchant's rate limit (IDEM-9). */
  readonly limited?: boolean
  /** A `POST` that only reads, because its input is no query. It takes no idempotency key, and no entry of the audit log is made. */
  readonly readsOnly?: true
  /** Selects the refusal for invalid fields of the body. */
  readonly as?: "body" | "transfer"
  /** The codes of its refusals, without those that its method and area imply. */
  readonly refusals?: ReadonlyArray<Code>
  /** Inputs by name, for documents. */
  readonly examples?: { readonly [name: string]: EncodedOf<NoInfer<I>> }
  /** The rows to read together with the idempotency key. The first decision uses them; later ones read again. */
  readonly prefetch?: (given: Pick<Given<P, I>, "call" | "input">) => RowRefs
  /** Checks, before the input is read, whether the resource accepts the call at all. */
  readonly precheck?: (given: Pick<Given<P, I>, "call" | "params">) => Effect.Effect<unknown, Refusal | Fault, R>
  /** Refuses an input that the role of the caller does not allow, also where the response of another caller is stored. */
  readonly forbids?: (given: Pick<Given<P, I>, "call" | "input">) => Refusal | undefined
}

/** The result of `run`: the type of the schema, with the version of the resource if it has one, or a file of a declared format. */
type Result<S extends Schema.Top, L, F> =
  | (L extends true ? Listed<S["Type"]> : S["Type"] | Versioned<S["Type"]>)
  | (keyof F extends never ? never : FileResponse<keyof F>)

/** An operation of any input and output. */
export interface AnyOperation {
  /** The `operationId` of the OpenAPI document. */
  readonly id: string
  readonly method: Method
  readonly path: Path
  readonly area: Area
  /** The path parameters, in order. */
  readonly names: ReadonlyArray<string>
  readonly params: Fields
  readonly input: Decodable | undefined
  /** The only accepted input, if an embedding application does not pass it. */
  readonly implied: unknown
  /** The items, if the operation is a list. */
  readonly output: Schema.Top
  readonly list: boolean
  readonly formats: Formats
  readonly fileMax?: number | undefined
  readonly csv: boolean
  readonly bodyBytes?: number | undefined
  readonly summary: string
  readonly description: string
  readonly role: Role | OperatorRole
  readonly action?: ControlledActions | ((given: never) => ControlledActions | undefined) | undefined
  readonly createsResource: boolean
  readonly readCurrent?: ((given: never) => Effect.Effect<unknown, Refusal | Fault, unknown>) | undefined
  readonly finish?: ((given: never) => Effect.Effect<unknown, Refusal | Fault, unknown>) | undefined
  readonly limited: boolean
  readonly readsOnly: boolean
  readonly as: As
  readonly refusals: ReadonlyArray<Code>
  readonly examples: { readonly [name: string]: unknown }
  readonly prefetch?: ((given: never) => RowRefs) | undefined
  readonly precheck?: ((given: never) => Effect.Effect<unknown, Refusal | Fault, unknown>) | undefined
  readonly forbids?: ((given: never) => Refusal | undefined) | undefined
  readonly run: (given: never) => Effect.Effect<unknown, Refusal | Fault, unknown>
}

export interface Operation<Id, M, P, N, I, S extends Schema.Top, L, R, F> extends AnyOperation {
  readonly id: Id & string
  readonly method: M & Method
  readonly path: P & Path
  readonly output: S
  readonly list: L & boolean
  readonly run: (given: Given<N, I>) => Effect.Effect<Result<S, L, F>, Refusal | Fault, R>
  readonly "~Formats": F
  readonly "~Params": N
  readonly "~Input": I
  readonly "~Services": R
}

type Declare<M extends Method, L extends boolean> = <
  const Id extends string,
  const P extends Path,
  S extends Schema.Top,
  R,
  N extends Fields = {},
  I extends Input = undefined,
  const F extends Formats = {}
>(
  id: Id,
  path: P,
  about: About<N, I, S, R, F>,
  run: (given: Given<N, I>) => Effect.Effect<Result<S, L, F>, Refusal | Fault, R>
) => Operation<Id, M, P, N, I, S, L, R, F>

const areaOf = (path: Path): Area => {
  const [, area = ""] = path.split("/")
  return area as Area
}

const declare = <M extends Method, L extends boolean>(method: M, list: L): Declare<M, L> =>
  ((
    id: string,
    path: Path,
    { input, ...about }: About<Fields, Input, Schema.Top, unknown, Formats>,
    run: AnyOperation["run"]
  ): AnyOperation => {
    const names = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)
    const params = about.params ?? {}
    if (Object.keys(params).join() !== names.join())
      throw new TypeError(`${id}: params do not match the parameters of ${path}`)
    const area = areaOf(path)
    const role = about.role ?? (method === "GET" ? "viewer" : area === "operator" ? "admin" : "developer")
    const roles: ReadonlyArray<string> = area === "operator" ? operatorRoles : keyRoles
    if (!roles.includes(role)) throw new TypeError(`${id}: the role ${role} is none of ${roles.join(", ")}`)
    const implied = input !== undefined && "value" in input ? input : undefined
    return {
      ...about,
      id,
      method,
      path,
      area,
      names,
      params,
      input: implied === undefined ? (input as Decodable | undefined) : implied.schema,
      implied: implied?.value,
      list,
      formats: about.formats ?? {},
      description: about.description ?? about.summary,
      role,
      createsResource: about.createsChild ?? names.length === 0,
      limited: about.limited ?? false,
      readsOnly: about.readsOnly ?? false,
      csv: about.csv ?? false,
      as: method === "GET" || about.fileMax !== undefined ? "query" : (about.as ?? "body"),
      refusals: about.refusals ?? [],
      examples: about.examples ?? {},
      run
    }
  }) as unknown as Declare<M, L>

/** Reads one resource or report. */
export const get = declare("GET", false)
/** Reads a page of a list. `output` is one item. */
export const list = declare("GET", true)

/** Reads of merchants take the call before the input; reads of operators take only the input. */
type Caller<P> = P extends `/operator/${string}` ? [] : [call: Call]
type Reading<P, A, Result> = (...given: [...Caller<P>, A]) => Effect.Effect<Result, Refusal | Fault>

/** Makes the summary of a read from its id: `listFeeSchedules` becomes "List fee schedules", and `getOnramp` "Get an onramp". */
const toSummary = (id: string): string => {
  const [verb = "", ...words] = id.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).split(" ")
  const noun = words.join(" ")
  return verb === "list" ? `List ${noun}` : `Get ${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`
}

/** The arguments of {@link Caller} for a call. */
const toCallerArguments = (call: Call, path: Path) => (areaOf(path) === "operator" ? [] : [call]) as never

/** Declares a list that is the `list` of a service. Default summary: its id, in words. */
export const listFrom = <
  Self,
  const Id extends string,
  const P extends Path,
  I extends Decodable,
  S extends Schema.Top
>(
  service: Context.Key<Self, { readonly list: Reading<P, I["Type"], Listed<S["Type"]>> }>,
  id: Id,
  path: P,
  input: I,
  output: S,
  summary = toSummary(id)
) =>
  list(id, path, { summary, input, output }, ({ call, input: query }) =>
    Effect.flatMap(service, (s) => s.list(...toCallerArguments(call, path), query))
  )

/** Declares a read that is the `get` of a service. Default summary: its id, in words. */
export const getFrom = <
  Self,
  const Id extends string,
  const P extends Path,
  N extends { readonly id: Schema.ConstraintDecoder<string> & Schema.Top },
  S extends Schema.Top
>(
  service: Context.Key<Self, { readonly get: Reading<P, string, S["Type"] | Versioned<S["Type"]>> }>,
  id: Id,
  path: P,
  params: N,
  output: S,
  summary = toSummary(id)
) =>
  get(id, path, { summary, params, output }, ({ call, params }) =>
    Effect.flatMap(service, (s) => s.get(...toCallerArguments(call, path), params.id as string))
  )

/** Creates a resource or acts on one. Except under `/sandbox` it accepts an idempotency key. */
export const post = declare("POST", false)
/** Updates a resource, at the version that the caller names. */
export const patch = declare("PATCH", false)
/** Deletes or disables a resource, at the version that the caller names. */
export const del = declare("DELETE", false)

/** The query of a write, and the body of a write without input. */
export const Nothing = Schema.Struct({})

/** The response of a deletion. One that waits for approval has deleted nothing (APPROVAL-3). */
export const Deleted = Schema.Struct({
  id: anyIdOf("The id of what was deleted, disabled or revoked.", "whe"),
  success: describe(Schema.Boolean, "`true`. `false` while it waits for approval: see `meta.approval`.", true)
}).annotate({ identifier: "Deleted", description: "What was deleted, disabled or revoked." })

/** A group of operations: a tag of the OpenAPI document. */
export interface Group<Id extends string = string> {
  readonly id: Id
  readonly title: string
  readonly description: string
}

/** Operations by the names of their methods, nested. */
export interface Table<P extends Path = Path> {
  readonly [name: string]: (AnyOperation & { readonly path: P }) | Table<P>
}

export interface Section<G extends Group = Group, T extends Table = Table> {
  readonly group: G
  readonly table: T
}

/** Groups the operations of one tag for one object of the embedded methods. */
export const section = <const Id extends string, const T extends Table>(
  group: Group<Id>,
  table: T
): Section<Group<Id>, T> => ({ group, table })

/**
 * Tables by the object of an embedding application that has their methods: `merchant` is `corridor.as(id)`, `merchants` is
 * `corridor.merchants`, `operator` is `corridor.operator`, `sandbox` is `corridor.sandbox.as(id)`, and `clock` is
 * `corridor.sandbox`, which acts on the whole service.
 */
export interface Sections {
  readonly merchant?: Section<Group, Table<`/v1/${string}`>>
  readonly sandbox?: Section<Group, Table<`/sandbox/${string}`>>
  readonly clock?: Section<Group, Table<`/sandbox/${string}`>>
  readonly merchants?: Section<Group, Table<`/operator/v1/${string}`>>
  readonly operator?: Section<Group, Table<`/operator/v1/${string}`>>
}

export const isOperation = (entry: AnyOperation | Table): entry is AnyOperation =>
  typeof (entry as Partial<AnyOperation>).run === "function"

/** Whether a call may carry an idempotency key. */
export const isKeyed = ({ area, method, readsOnly }: AnyOperation): boolean =>
  method === "POST" && area !== "sandbox" && !readsOnly

/** The acts on a resource that name a version of it, besides each `PATCH` and `DELETE`: of what becomes another by itself. */
const versionedActs = ["/operator/v1/breaks/:id/resolve", "/operator/v1/exceptions/:id/resolve"] as const
export type VersionedAct = (typeof versionedActs)[number]

/** Whether a call may name the version that it is about (HTTP-11). */
export const takesVersion = ({ method, path }: Pick<AnyOperation, "method" | "path">): boolean =>
  method === "PATCH" || method === "DELETE" || versionedActs.some((one) => one === path)

/** Whether a call may be decided and not committed (DRYRUN-1). */
export const canDryRun = ({ area, method, readsOnly }: Pick<AnyOperation, "area" | "method" | "readsOnly">): boolean =>
  method !== "GET" && area !== "sandbox" && !readsOnly

/** The query of a call that can be a dry run. */
export const DryRunQuery = Schema.Struct({
  dry_run: Optional(
    Schema.Literals(["true", "false"]),
    "`true`: the call is decided and not committed. The response is the one that the call would have now, with `meta.dry_run`. Nothing is written, and no provider is asked for anything that has an effect.",
    "true"
  )
})

/** Whether an embedding application passes an input. */
export const hasInput = ({ implied, input }: AnyOperation): boolean => input !== undefined && implied === undefined

/** All operations by their ids, for what does an act that was stored. */
export class Operations extends Context.Service<Operations, ReadonlyMap<string, AnyOperation>>()(
  "corridor/engine/Operations"
) {}
