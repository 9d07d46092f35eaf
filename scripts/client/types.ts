/** TypeScript types as text, from the schemas of the OpenAPI document. */
import { isDeepStrictEqual } from "node:util"

export type Json = { readonly [key: string]: any }

const prefix = "#/components/schemas/"

/** The component that a schema refers to. */
export const nameIn = (schema: Json): string | undefined => (schema["$ref"] as string | undefined)?.slice(prefix.length)

/** The width of the lines of this repository. */
export const width = 120

/** The lines of a text, wrapped to what `around` them leaves. What stands between backticks stays on one line, so that it is found. */
export const wrapText = (text: string, around: number): ReadonlyArray<string> => {
  const lines = [""]
  for (const [word] of text.matchAll(/(?:`[^`]*`|\S)+/g)) {
    const last = lines.at(-1)!
    if (last !== "" && last.length + 1 + word.length > width - around) lines.push(word)
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`
  }
  return lines
}

/** A documentation comment with a line break after it, or nothing. Paragraphs are separated by an empty line. */
export const comment = (paragraphs: ReadonlyArray<string>, indent: string): string => {
  const texts = paragraphs.filter((text) => text !== "").map((text) => text.replaceAll("*/", "*\\/"))
  const [text, ...others] = texts
  if (text === undefined) return ""
  if (others.length === 0 && `${indent}/** ${text} */`.length <= width) return `${indent}/** ${text} */\n`
  const lines = texts.flatMap((text, at) => [...(at === 0 ? [] : [""]), ...wrapText(text, `${indent} * `.length)])
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join("\n")}\n${indent} */\n`
}

/** The words of a schema, and its example. None where they only repeat its one value, or the name of the member that has it. */
const aboutOf = (schema: Json, name = ""): string => {
  const only = schema["const"] ?? (schema["enum"]?.length === 1 ? schema["enum"][0] : undefined)
  if (only !== undefined && schema["description"] === `\`${only}\`.`) return ""
  if (schema["examples"] === undefined && schema["description"] === `Only those with this ${name}.`) return ""
  const { description = "", examples } = schema as { readonly description?: string; readonly examples?: Array<unknown> }
  const example = examples?.[0]
  // What follows the prefix of an id says nothing.
  const text = String(example).replace(/_[0-9a-hjkmnp-tv-z]{26}\b/g, "_…")
  const shown = example === undefined || typeof example === "object" ? "" : `Example: \`${text}\`.`
  return [description, shown].filter((text) => text !== "").join(" ")
}

/** How optional members are written: those of inputs may be `null`, which means absent. */
export type Side = "input" | "output" | "both"

const optional = { input: " | null | undefined", output: "", both: " | undefined" } as const

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name))

/** Whether an object has a member of another, with the same words. */
export const hasMember = (schema: Json, other: Json, name: string): boolean =>
  isDeepStrictEqual(schema["properties"]?.[name], other["properties"][name]) &&
  (schema["required"] ?? []).includes(name) === (other["required"] ?? []).includes(name)

/** Whether an interface can extend another: it has all its members. */
export const canExtend = (schema: Json, base: Json): boolean =>
  Object.keys(base["properties"]).every((name) => hasMember(schema, base, name))

/** What an interface extends: its members are left out of it. */
export interface Base {
  readonly text: string
  readonly schema: Json
}

/** The members of an object, a line for each, between braces. */
export const membersText = (schema: Json, side: Side, indent: string, bases: ReadonlyArray<Base> = []): string => {
  const required = new Set<string>(schema["required"] ?? [])
  const own = Object.entries<Json>(schema["properties"] ?? {}).filter(
    ([name]) => !bases.some((base) => hasMember(schema, base.schema, name))
  )
  if (own.length === 0) return "{}"
  const members = own.map(([name, member]) => {
    const isRequired = required.has(name)
    const type = memberText(name, member, side, `${indent}  `)
    const nullable = type.endsWith("| null") ? optional[side].replace(" | null", "") : optional[side]
    const suffix = isRequired || type === "unknown" ? "" : nullable
    return `${comment([aboutOf(member, name)], `${indent}  `)}${indent}  readonly ${key(name)}${isRequired ? "" : "?"}: ${type}${suffix}\n`
  })
  return `{\n${members.join("")}${indent}}`
}

/** The type of a member. What a network is called, the currencies decide. */
const memberText = (name: string, schema: Json, side: Side, indent: string): string => {
  const type = typeText(schema, side, indent)
  return /^networks?$/.test(name) ? type.replace(/\bstring\b/, "Network") : type
}

const parenthesize = (type: string): string => (/[|&]/.test(type) ? `(${type})` : type)

/** The type of a schema. `indent`: that of the line on which it stands. */
export const typeText = (schema: Json, side: Side, indent = ""): string => {
  const name = nameIn(schema)
  if (name !== undefined) return name
  if (schema["const"] !== undefined) return JSON.stringify(schema["const"])
  if (schema["enum"] !== undefined) return schema["enum"].map((one: unknown) => JSON.stringify(one)).join(" | ")
  const among = (schema["anyOf"] ?? schema["oneOf"]) as ReadonlyArray<Json> | undefined
  if (among !== undefined) return [...new Set(among.map((one) => typeText(one, side, indent)))].join(" | ")
  const all = schema["allOf"] as ReadonlyArray<Json> | undefined
  if (all !== undefined) {
    const parts = all.filter(
      (one) => nameIn(one) !== undefined || one["type"] === "object" || one["anyOf"] !== undefined
    )
    const { allOf: _, ...rest } = schema
    const own = rest["type"] === undefined ? [] : [typeText(rest, side, indent)]
    return [...own, ...parts.map((one) => parenthesize(typeText(one, side, indent)))].join(" & ") || "unknown"
  }
  switch (schema["type"]) {
    case "string":
      return schema["format"] === "binary" ? "Uint8Array" : "string"
    case "boolean":
    case "null":
      return schema["type"]
    case "integer":
    case "number":
      return "number"
    case "array": {
      const items = schema["prefixItems"] as ReadonlyArray<Json> | undefined
      return items === undefined
        ? `ReadonlyArray<${typeText(schema["items"] ?? {}, side, indent)}>`
        : `readonly [${items.map((one) => typeText(one, side, indent)).join(", ")}]`
    }
    case "object": {
      if (schema["properties"] !== undefined) return membersText(schema, side, indent)
      const values = schema["additionalProperties"] as Json | boolean | undefined
      return `{ readonly [member: string]: ${typeof values === "object" ? typeText(values, side, indent) : "unknown"} }`
    }
    default:
      return "unknown"
  }
}

/** The components that a node of the document refers to, and those to which these refer. */
export const reachable = (node: unknown, schemas: Json, found = new Set<string>()): ReadonlySet<string> => {
  if (Array.isArray(node)) for (const one of node) reachable(one, schemas, found)
  else if (typeof node === "object" && node !== null) {
    const name = nameIn(node)
    if (name !== undefined && schemas[name] !== undefined && !found.has(name)) {
      found.add(name)
      reachable(schemas[name], schemas, found)
    }
    for (const member of Object.values(node)) reachable(member, schemas, found)
  }
  return found
}

/** Whether its type is an interface. */
export const isInterface = (schema: Json): boolean => schema["type"] === "object" && schema["properties"] !== undefined

/** The declaration of an interface. */
export const interfaceText = (name: string, schema: Json, side: Side, bases: ReadonlyArray<Base> = []): string => {
  const extended = bases.length === 0 ? "" : ` extends ${bases.map(({ text }) => text).join(", ")}`
  return `export interface ${name}${extended} ${membersText(schema, side, "", bases)}\n`
}

/** The declaration of a component. `type`: its type, if it is no interface. */
export const declaration = (
  name: string,
  schema: Json,
  side: Side,
  bases: ReadonlyArray<Base>,
  type = typeText(schema, side)
): string => {
  const about = comment([aboutOf({ description: schema["description"] })], "")
  return `${about}${isInterface(schema) ? interfaceText(name, schema, side, bases) : `export type ${name} = ${type}\n`}`
}
