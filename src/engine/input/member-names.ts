/**
 * Reads the member names of an input before it is decoded. Null counts as absent for an optional member (FIELD-7) that null does not
 * clear, a member may have alternative names (FIELD-8), and an unknown name is reported with the nearest known one (HTTP-9).
 */
import { Predicate, SchemaAST } from "effect"
import type { FieldFault } from "../ports/errors.ts"
import { nameMax, nearest } from "./nearest.ts"

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

interface Member {
  readonly name: string
  readonly type: SchemaAST.AST
  readonly optional: boolean
  readonly clears: boolean
  readonly alsoNamed: ReadonlyArray<string>
}

interface Shape {
  readonly members: ReadonlyArray<Member>
  /** All known names, including alternative names. */
  readonly names: ReadonlySet<string>
  /** A map: every name is accepted. */
  readonly open: boolean
}

/** An input under the names of its schema, and the faults of its members. */
export interface Members {
  readonly input: unknown
  readonly unknown: ReadonlyArray<FieldFault>
  /** Members that were sent under two names with different values. */
  readonly disagreeing: ReadonlyArray<FieldFault>
  /** The name that was sent, by the schema's name. */
  readonly sentAs: ReadonlyMap<string, string>
}

const shapes = new WeakMap<SchemaAST.AST, ReadonlyArray<Shape>>()

const shapeOf = (ast: SchemaAST.Objects): Shape => {
  const members = ast.propertySignatures.map(
    ({ name, type }): Member => ({
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
const shapesOf = (ast: SchemaAST.AST): ReadonlyArray<Shape> => {
  let found = shapes.get(ast)
  if (found === undefined) {
    const { namedAs } = (ast.annotations ?? {}) as NamedAs
    if (namedAs !== undefined) found = shapesOf(SchemaAST.toEncoded(namedAs))
    else found = ast._tag === "Objects" ? [shapeOf(ast)] : ast._tag === "Union" ? ast.types.flatMap(shapesOf) : []
    shapes.set(ast, found)
  }
  return found
}

/** The schema of the members of the list that a schema accepts. */
const itemSchemaOf = (ast: SchemaAST.AST): SchemaAST.AST | undefined =>
  ast._tag === "Arrays" ? ast.rest[0] : ast._tag === "Union" ? ast.types.map(itemSchemaOf).find(Boolean) : undefined

const literals = (ast: SchemaAST.AST): ReadonlyArray<unknown> | undefined =>
  ast._tag === "Literal" ? [ast.literal] : undefined

/** Whether a shape matches the input by the literal members that distinguish the shapes. */
const fits = ({ members }: Shape, input: Readonly<Record<string, unknown>>): boolean =>
  members.every(({ name, type, optional }) => {
    const value = input[name] ?? undefined
    return value === undefined ? optional || literals(type) === undefined : literals(type)?.includes(value) !== false
  })

/**
 * The most names that are reported. Further ones are only counted, so that a large body cannot cause an equally large
 * response.
 */
const namedMax = 20

/** Whether two values are written the same. What JSON cannot write (a bigint, a circle), which only embedded calls have, is its own alone. */
const same = (a: unknown, b: unknown): boolean => {
  if (a === b) return true
  try {
    return JSON.stringify(a) === JSON.stringify(b)
  } catch {
    return false
  }
}

/** The members with alternative names in each object that a schema accepts, for documents. */
export const otherNames = (schema: SchemaAST.AST): ReadonlyArray<ReadonlyArray<Member>> =>
  shapesOf(SchemaAST.toEncoded(schema)).map((shape) => shape.members.filter((member) => member.alsoNamed.length > 0))

/** Makes a reader of a schema's inputs. `noun` is the word for a member in messages: `field` or `parameter`. */
export const members = (schema: SchemaAST.AST, noun: "field" | "parameter") => {
  const encoded = SchemaAST.toEncoded(schema)
  return (input: unknown): Members => {
    const unknown: Array<FieldFault> = []
    const disagreeing: Array<FieldFault> = []
    const sentAs = new Map<string, string>()
    let unnamed = 0

    const addUnknown = (path: string, name: string, { names }: Shape): void => {
      if (unknown.length === namedMax) return void unnamed++
      const near = nearest(name, names)
      const field = path + (name.length > nameMax ? `${name.slice(0, nameMax - 3)}...` : name)
      const proposal = near === undefined ? "" : ` Did you mean \`${path}${near}\`?`
      unknown.push({
        field,
        code: "unknown_field",
        message: `\`${field}\` is not a ${noun} of this request.${proposal}`
      })
    }

    const valueOf = (given: Readonly<Record<string, unknown>>, path: string, member: Member): unknown => {
      let value = member.optional && !member.clears ? (given[member.name] ?? undefined) : given[member.name]
      for (const other of member.alsoNamed) {
        const also = given[other] ?? undefined
        if (also === undefined) continue
        if (value === undefined || value === null) {
          value = also
          sentAs.set(path + member.name, path + other)
        } else if (!same(value, also)) {
          const message = `${path}${member.name} and ${path}${other} are two names of one ${noun}, and their values differ. Send one of them.`
          disagreeing.push({ field: path + other, code: "invalid_value", message })
        }
      }
      return value
    }

    const read = (ast: SchemaAST.AST, given: unknown, path: string): unknown => {
      const listed = Array.isArray(given) ? itemSchemaOf(ast) : undefined
      if (listed !== undefined)
        return (given as ReadonlyArray<unknown>).map((one, at) => read(listed, one, `${path}${at}.`))
      const among = Predicate.isReadonlyObject(given) ? shapesOf(ast) : []
      const shape =
        among.length === 1 ? among[0] : among.find((one) => fits(one, given as Readonly<Record<string, unknown>>))
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
