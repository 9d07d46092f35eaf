/**
 * Decodes an input for an operation, or refuses it and names every invalid field.
 *
 * It is part of the engine, not of http, so that an embedding application gets the same errors as a client of `/v1`.
 */
import { Effect, Predicate, Result, Schema, SchemaAST, type SchemaIssue } from "effect"
import { BadRequest, type FieldFault, InvalidInput } from "../ports/errors.ts"
import { nameMax, proposeNearest } from "./nearest.ts"

// Reads the member names of an input before it is decoded. Null counts as absent for an optional member (FIELD-7) that null does not
// clear, a member may have alternative names (FIELD-8), and an unknown name is reported with the nearest known one (HTTP-9).

/** The annotation of a member's key with its alternative names. */
export interface AlsoNamed {
  readonly [key: string]: unknown
  readonly alsoNamed?: ReadonlyArray<string>
}

/** The annotation of the key of a member that null clears: it is not absent then. */
export interface Clears {
  readonly [key: string]: unknown
  readonly clears?: true
}

/** The annotation of a schema that takes any value: the schema that decodes it later, and has its names. */
export interface NamedAs {
  readonly [key: string]: unknown
  readonly namedAs?: SchemaAST.AST
}

interface NamedMember {
  readonly name: string
  readonly type: SchemaAST.AST
  readonly optional: boolean
  readonly clears: boolean
  readonly alsoNamed: ReadonlyArray<string>
}

interface Shape {
  readonly members: ReadonlyArray<NamedMember>
  /** All known names, including alternative names. */
  readonly names: ReadonlySet<string>
  /** A map: every name is accepted. */
  readonly open: boolean
}

/** An input under the names of its schema, and the faults of its members. */
interface Members {
  readonly input: unknown
  readonly unknown: ReadonlyArray<FieldFault>
  /** Members that were sent under two names with different values. */
  readonly disagreeing: ReadonlyArray<FieldFault>
  /** The name that was sent, by the schema's name. */
  readonly sentAs: ReadonlyMap<string, string>
}

const shapes = new WeakMap<SchemaAST.AST, ReadonlyArray<Shape>>()

const toShape = (ast: SchemaAST.Objects): Shape => {
  const members = ast.propertySignatures.map(
    ({ name, type }): NamedMember => ({
      name: String(name),
      type,
      optional: SchemaAST.isOptional(type),
      clears: (type.context?.annotations as Clears | undefined)?.clears === true,
      alsoNamed: (type.context?.annotations as AlsoNamed | undefined)?.alsoNamed ?? []
    })
  )
  return {
    members,
    names: new Set(members.flatMap(({ name, alsoNamed }) => [name, ...alsoNamed])),
    open: ast.indexSignatures.length > 0
  }
}

/** The object shapes that a schema accepts. */
const listShapes = (ast: SchemaAST.AST): ReadonlyArray<Shape> => {
  let found = shapes.get(ast)
  if (found === undefined) {
    const { namedAs } = (ast.annotations ?? {}) as NamedAs
    if (namedAs !== undefined) found = listShapes(SchemaAST.toEncoded(namedAs))
    else found = ast._tag === "Objects" ? [toShape(ast)] : ast._tag === "Union" ? ast.types.flatMap(listShapes) : []
    shapes.set(ast, found)
  }
  return found
}

/** The schema of the members of the list that a schema accepts. */
const findItemSchema = (ast: SchemaAST.AST): SchemaAST.AST | undefined =>
  ast._tag === "Arrays" ? ast.rest[0] : ast._tag === "Union" ? ast.types.map(findItemSchema).find(Boolean) : undefined

const listLiterals = (ast: SchemaAST.AST): ReadonlyArray<unknown> | undefined =>
  ast._tag === "Literal" ? [ast.literal] : undefined

/** Whether an input fits a shape by its literal members, which distinguish the shapes of a union. */
const matchesShape = ({ members }: Shape, input: Readonly<Record<string, unknown>>): boolean =>
  members.every(({ name, type, optional }) => {
    const value = input[name] ?? undefined
    return value === undefined
      ? optional || listLiterals(type) === undefined
      : listLiterals(type)?.includes(value) !== false
  })

/**
 * The most names that are reported. Further ones are only counted, so that a large body cannot cause an equally large
 * response.
 */
const namedMax = 20

/** Whether two values have the same JSON. A value without JSON, which only embedded calls have, equals itself alone. */
const isSameJson = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    return false
  }
}

/** Lists the members with alternative names, for each object that a schema accepts. For documents. */
export const listOtherNames = (schema: SchemaAST.AST): ReadonlyArray<ReadonlyArray<NamedMember>> =>
  listShapes(SchemaAST.toEncoded(schema)).map((shape) => shape.members.filter((member) => member.alsoNamed.length > 0))

/** Makes a function that reads the members of inputs by a schema. `noun`: the word for a member in messages. */
export const makeMembersReader = (schema: SchemaAST.AST, noun: "field" | "parameter") => {
  const encoded = SchemaAST.toEncoded(schema)
  return (input: unknown): Members => {
    const unknown: Array<FieldFault> = []
    const disagreeing: Array<FieldFault> = []
    const sentAs = new Map<string, string>()
    let unnamed = 0

    const addUnknown = (path: string, name: string, { names }: Shape): void => {
      if (unknown.length === namedMax) return void unnamed++
      const field = path + (name.length > nameMax ? `${name.slice(0, nameMax - 3)}...` : name)
      const proposal = proposeNearest(name, names, (near) => `\`${path}${near}\``)
      unknown.push({
        field,
        code: "unknown_field",
        message: `\`${field}\` is not a ${noun} of this request.${proposal}`
      })
    }

    const valueOf = (given: Readonly<Record<string, unknown>>, path: string, member: NamedMember): unknown => {
      let value = member.optional && !member.clears ? (given[member.name] ?? undefined) : given[member.name]
      for (const other of member.alsoNamed) {
        const also = given[other] ?? undefined
        if (also === undefined) continue
        if (value === undefined || value === null) {
          value = also
          sentAs.set(path + member.name, path + other)
        } else if (!isSameJson(value, also)) {
          const message = `${path}${member.name} and ${path}${other} are two names of one ${noun}, and their values differ. Send one of them.`
          disagreeing.push({ field: path + other, code: "invalid_value", message })
        }
      }
      return value
    }

    const read = (ast: SchemaAST.AST, given: unknown, path: string): unknown => {
      const listed = Array.isArray(given) ? findItemSchema(ast) : undefined
      if (listed !== undefined)
        return (given as ReadonlyArray<unknown>).map((one, at) => read(listed, one, `${path}${at}.`))
      const among = Predicate.isReadonlyObject(given) ? listShapes(ast) : []
      const shape =
        among.length === 1
          ? among[0]
          : among.find((one) => matchesShape(one, given as Readonly<Record<string, unknown>>))
      if (shape === undefined) return given
      const object = given as Readonly<Record<string, unknown>>
      const names = Object.keys(object)
      const out: Array<[string, unknown]> = []
      for (const member of shape.members) {
        const value = valueOf(object, path, member)
        if (value !== undefined) out.push([member.name, read(member.type, value, `${path}${member.name}.`)])
      }
      for (const name of names) {
        if (shape.names.has(name)) continue
        if (shape.open) {
          if (object[name] !== undefined) out.push([name, object[name]])
        } else if (object[name] !== undefined) addUnknown(path, name, shape)
      }
      return Object.fromEntries(out)
    }

    const decoded = read(encoded, input, "")
    const last = unknown.at(-1)
    if (unnamed > 0 && last !== undefined)
      unknown[unknown.length - 1] = { ...last, message: `${last.message} (And ${unnamed} more unknown names.)` }
    return { input: decoded, unknown, disagreeing, sentAs }
  }
}

/**
 * The part of the request that is decoded, which decides the refusal (HTTP-8, ERROR-3):
 *
 * - `body`: `BadRequest`; `InvalidInput` when all faults are semantic (a malformed id, a zero amount).
 * - `transfer`, `query`, `path`: `InvalidInput`.
 */
export type As = "body" | "transfer" | "query" | "path"

/** The annotations of a check or a schema: Effect's own `expected`, and the code of its fault. */
export interface FaultAnnotations {
  readonly [key: string]: unknown
  /** A noun phrase: the accepted values. */
  readonly expected: string
  readonly code?: FieldFault["code"]
  /**
   * The fault is semantic: the form is valid, but the meaning is not. A body with semantic faults only is
   * `InvalidInput`.
   */
  readonly semantic?: boolean
  /** The message does not quote the value. */
  readonly secret?: boolean
}

interface Found {
  readonly fault: FieldFault
  readonly semantic: boolean
}

const codes: Readonly<Record<string, FieldFault["code"]>> = {
  "effect/schema/isMaxLength": "too_long",
  "effect/schema/isMaxCodePoints": "too_long",
  "effect/schema/isPattern": "invalid_format"
}

const kinds: Readonly<Record<string, string>> = {
  String: "a string",
  Number: "a number",
  Boolean: "true or false",
  Objects: "an object",
  Arrays: "an array",
  Null: "null"
}

const describeValue = (input: unknown, secret: boolean): string => {
  if (input === undefined) return "nothing"
  if (input === null) return "null"
  if (typeof input === "string") {
    if (secret) return `a text of ${[...input].length} characters`
    // A character has at most two units: enough of them to know whether there are more than 60.
    const beginning = [...input.slice(0, 122)]
    return JSON.stringify(beginning.length > 60 ? `${beginning.slice(0, 57).join("")}...` : input)
  }
  if (typeof input === "number" || typeof input === "boolean") return `the ${typeof input} ${String(input)}`
  if (typeof input !== "object") return `a ${typeof input}`
  if (!Array.isArray(input)) return "an object"
  return input.length === 0 ? "an empty array" : `an array of ${input.length} member${input.length === 1 ? "" : "s"}`
}

/** The values of a choice, including null; `undefined` for a schema that is not a choice. */
const findLiterals = (ast: SchemaAST.AST): ReadonlyArray<unknown> | undefined => {
  if (ast._tag === "Literal") return [ast.literal]
  if (ast._tag === "Null") return [null]
  if (ast._tag !== "Union") return undefined
  const literals: Array<unknown> = []
  for (const member of ast.types) {
    const among = findLiterals(member)
    if (among === undefined) return undefined
    literals.push(...among)
  }
  return literals
}

const annotationsOf = (annotations: unknown): Partial<FaultAnnotations> =>
  (annotations ?? {}) as Partial<FaultAnnotations>

const describeExpectation = (ast: SchemaAST.AST): string => {
  const own = annotationsOf(ast.annotations).expected
  if (own !== undefined) return own
  const literals = findLiterals(ast)
  if (literals !== undefined) {
    return literals.length === 1
      ? JSON.stringify(literals[0])
      : `one of ${literals.map((l) => JSON.stringify(l)).join(", ")}`
  }
  if (ast._tag === "Union") return ast.types.map(describeExpectation).join(" or ")
  return kinds[ast._tag] ?? "another type"
}

const makeFieldFault = (
  path: string,
  code: FieldFault["code"],
  input: unknown,
  about: Partial<FaultAnnotations>,
  expected: string
): Found => ({
  fault: {
    field: path === "" ? "body" : path,
    code,
    message:
      code === "required"
        ? `${path} is missing; it takes ${expected}`
        : `${path === "" ? "the input" : path} is ${describeValue(input, about.secret === true)}; it takes ${expected}`
  },
  semantic: about.semantic === true
})

/** Collects the faults of a schema issue and of those below it. */
const collectIssues = (
  issue: SchemaIssue.Issue,
  path: string,
  ast: SchemaAST.AST | undefined,
  filter: Partial<FaultAnnotations>
): Array<Found> => {
  switch (issue._tag) {
    case "Pointer": {
      let member = ast
      for (const key of issue.path)
        member = member?._tag === "Objects" ? member.propertySignatures.find((p) => p.name === key)?.type : undefined
      return collectIssues(
        issue.issue,
        [path, ...issue.path.map(String)].filter((part) => part !== "").join("."),
        member,
        filter
      )
    }
    case "Composite":
      return issue.issues.flatMap((inner) => collectIssues(inner, path, issue.ast, filter))
    case "Encoding":
      return collectIssues(issue.issue, path, issue.ast, { ...annotationsOf(issue.ast.annotations), ...filter })
    case "Filter": {
      const annotations = issue.filter.annotations
      const known = codes[String((annotations?.["representation"] as { id?: unknown } | undefined)?.id)]
      return collectIssues(issue.issue, path, ast, {
        ...(known === undefined ? {} : { code: known }),
        ...annotationsOf(annotations)
      })
    }
    case "InvalidValue": {
      const about = { ...filter, ...annotationsOf(issue.annotations) }
      return [
        makeFieldFault(path, about.code ?? "invalid_value", issue.input, about, about.expected ?? "another value")
      ]
    }
    case "MissingKey":
      return [makeFieldFault(path, "required", undefined, {}, ast === undefined ? "a value" : describeExpectation(ast))]
    case "AnyOf": {
      const deepest = issue.issues.find(({ _tag }) => _tag === "Composite" || _tag === "Filter" || _tag === "Encoding")
      return deepest === undefined
        ? [makeTypeFault(issue.ast, issue.input, path)]
        : collectIssues(deepest, path, issue.ast, filter)
    }
    case "InvalidType":
      return [makeTypeFault(issue.ast, issue.input, path)]
    default:
      return [makeFieldFault(path, "invalid_value", issue.input, filter, filter.expected ?? "another value")]
  }
}

/** Makes the fault of a value with another type, or of a choice with another value. */
const makeTypeFault = (ast: SchemaAST.AST, input: unknown, path: string): Found => {
  const among = findLiterals(ast)?.some((literal) => typeof literal === typeof input) === true
  const about = annotationsOf(ast.annotations)
  return makeFieldFault(path, among ? "invalid_value" : "invalid_type", input, about, describeExpectation(ast))
}

const options = { errors: "all", reportInput: true } as const

/** Collects the first fault of each field, in the order of the schema. */
const collectFaults = (error: Schema.SchemaError): ReadonlyArray<Found> => {
  const byField = new Map<string, Found>()
  for (const one of collectIssues(error.issue, "", undefined, {}))
    if (!byField.has(one.fault.field)) byField.set(one.fault.field, one)
  return [...byField.values()]
}

/**
 * The most members of a list or map, where its annotation `members_max` names no other. A larger one is refused unread, so that a large body cannot cause an equally large
 * response.
 */
const widthMax = 200

type Member = SchemaAST.PropertySignature

/** The members of a schema that are lists or maps. */
const listListMembers = (ast: SchemaAST.AST): ReadonlyArray<Member> =>
  ast._tag === "Objects"
    ? ast.propertySignatures.filter(
        ({ type }) => type._tag === "Arrays" || (type._tag === "Objects" && type.indexSignatures.length > 0)
      )
    : []

/** Finds the lists and maps of an input that have too many members. */
const findTooWide = (lists: ReadonlyArray<Member>, input: unknown): ReadonlyArray<Found> =>
  !Predicate.isObject(input)
    ? []
    : lists.flatMap(({ name, type }) => {
        const value = (input as Record<PropertyKey, unknown>)[name]
        const most = Number(annotationsOf(type.annotations)["members_max"] ?? widthMax)
        const isWide = typeof value === "object" && value !== null && Object.keys(value).length > most
        return isWide
          ? [
              makeFieldFault(
                String(name),
                "too_long",
                value,
                {},
                `${describeExpectation(type)}, with at most ${most} members`
              )
            ]
          : []
      })

/** Makes a refusal from all faults of an input. */
const toRefusal = (all: ReadonlyArray<Found>, as: As): BadRequest | InvalidInput => {
  const errors = all.map((one) => one.fault)
  const [first, ...rest] = errors
  const message = `${first?.message ?? "the input is not valid"}${rest.length === 0 ? "" : ` (and ${rest.length} more)`}`
  const semantic = as !== "body" || all.every((one) => one.semantic)
  return semantic ? new InvalidInput({ message, errors }) : new BadRequest({ message, errors })
}

type Decodable = Schema.ConstraintDecoder<unknown>

/** An unknown member, and a message that proposes the nearest known one. */
export interface Warning {
  readonly field: string
  readonly message: string
}

interface Read<A> {
  readonly result: Result.Result<A, BadRequest | InvalidInput>
  /** The unknown members. Empty with `strict`, which refuses them. */
  readonly warnings: ReadonlyArray<Warning>
}

/** Renames the field of a fault to the name under which the request sent it. */
const nameAsSent = ({ fault: one, semantic }: Found, sentAs: ReadonlyMap<string, string>): Found => {
  const field = sentAs.get(one.field)
  return field === undefined
    ? { fault: one, semantic }
    : { fault: { ...one, field, message: one.message.replace(one.field, field) }, semantic }
}

/**
 * Makes a reader of a schema. Create it once and keep it.
 *
 * Shapes: optional members that are null, and all that are `undefined`, count as absent. A member may have an
 * alternative name that its schema defines. Unknown members are ignored with a warning or, with `strict`, refused.
 * Values are coerced in queries only.
 * Errors: `BadRequest` or `InvalidInput`, see {@link As}, with a {@link FieldFault} for every invalid field.
 * Source: HTTP-8, ERROR-3, HTTP-9, FIELD-7, FIELD-8.
 */
export const makeReader = <S extends Decodable>(schema: S, as: As = "body") => {
  const run = Schema.decodeUnknownResult(schema, options)
  const lists = listListMembers(schema.ast)
  const membersOf = makeMembersReader(schema.ast, as === "query" ? "parameter" : "field")
  return (input: unknown, strict = false): Read<S["Type"]> => {
    const { input: given, unknown, disagreeing, sentAs } = membersOf(input)
    const wide = lists.length === 0 ? [] : findTooWide(lists, given)
    const result = run(
      wide.length === 0
        ? given
        : Object.fromEntries(
            Object.entries(given as object).filter(([name]) => !wide.some((one) => one.fault.field === name))
          )
    )
    const warnings = strict ? [] : unknown.map(({ field, message }) => ({ field, message }))
    if (Result.isSuccess(result) && wide.length === 0 && disagreeing.length === 0 && (!strict || unknown.length === 0))
      return { result: Result.succeed(result.success), warnings }
    const others = Result.isFailure(result) ? collectFaults(result.failure) : []
    const all = [
      ...wide,
      ...others
        .filter((one) => !wide.some((w) => w.fault.field === one.fault.field))
        .map((one) => nameAsSent(one, sentAs)),
      ...disagreeing.map((one): Found => ({ fault: one, semantic: true })),
      ...(strict ? unknown : []).map((one): Found => ({ fault: one, semantic: false }))
    ]
    return { result: Result.fail(toRefusal(all, as)), warnings }
  }
}

/** As {@link makeReader}, without warnings. */
export const makeDecoder = <S extends Decodable>(schema: S, as: As = "body") => {
  const read = makeReader(schema, as)
  return (input: unknown, strict = false): Result.Result<S["Type"], BadRequest | InvalidInput> =>
    read(input, strict).result
}

const decoders = new WeakMap<
  Decodable,
  Map<As, (input: unknown, strict?: boolean) => Result.Result<unknown, BadRequest | InvalidInput>>
>()

/** Decodes as {@link makeDecoder} does, with a cached decoder for each schema. */
export const decode = <S extends Decodable>(
  schema: S,
  input: unknown,
  as: As = "body",
  strict = false
): Effect.Effect<S["Type"], BadRequest | InvalidInput> => {
  let kept = decoders.get(schema)
  if (kept === undefined) decoders.set(schema, (kept = new Map()))
  let run = kept.get(as)
  if (run === undefined) kept.set(as, (run = makeDecoder(schema, as)))
  return Effect.fromResult(run(input, strict) as Result.Result<S["Type"], BadRequest | InvalidInput>)
}

/** Lists the faults of an input. Empty for a valid one. */
export const findFaults = (schema: Decodable, input: unknown): ReadonlyArray<FieldFault> => {
  const result = makeDecoder(schema)(input)
  return Result.isFailure(result) ? result.failure.errors : []
}

export type EventSchema = Decodable & { readonly fields: { readonly [member: string]: unknown } }

/** The most faults of an event that are named. */
const eventFaultsMax = 5

/**
 * Describes why a value is none of the events: which members, what was found in them, and what is accepted. `tag`: the member that says
 * which event it is. Nothing of the payer's is quoted.
 */
export const eventFault = (value: unknown, tag: string, events: { readonly [name: string]: EventSchema }): string => {
  if (!Predicate.isReadonlyObject(value)) return `the event is ${describeValue(value, false)}; it takes an object`
  const name = value[tag]
  const event = typeof name === "string" && Object.hasOwn(events, name) ? events[name] : undefined
  if (event === undefined)
    return `${tag} is ${describeValue(name, false)}; it takes one of ${Object.keys(events).join(", ")}`
  const all = findFaults(event, value).map(({ code, field, message }) =>
    field.startsWith("sender") ? `${field} is not valid (${code})` : message
  )
  const more = all.length > eventFaultsMax ? ` (and ${all.length - eventFaultsMax} more)` : ""
  return all.length === 0 ? "it is invalid" : `${all.slice(0, eventFaultsMax).join("; ")}${more}`
}
