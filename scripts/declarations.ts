/**
 * Writes the descriptions of operations and of their members into the built declarations, as documentation comments: an editor
 * then shows the same words for the embedded calls as `/docs` does.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import type { SchemaAST } from "effect"
import type { AnyOperation } from "../src/engine/calls/operation.ts"

type Objects = SchemaAST.Objects

/** The structs of a schema, in the order in which a declaration prints them. */
const structsOf = (ast: SchemaAST.AST): ReadonlyArray<Objects> => {
  switch (ast._tag) {
    case "Objects":
      return [
        ...(ast.propertySignatures.length === 0 && ast.indexSignatures.length > 0 ? [] : [ast]),
        ...ast.propertySignatures.flatMap(({ type }) => structsOf(type)),
        ...ast.indexSignatures.flatMap(({ type }) => structsOf(type))
      ]
    case "Union":
      return ast.types.flatMap(structsOf)
    case "Arrays":
      return [...ast.elements, ...ast.rest].flatMap(structsOf)
    default:
      return []
  }
}

const comment = (indent: string, text: string): string => `${indent}/** ${text.replaceAll("*/", "*\\/")} */`

/**
 * The declaration of a module of operations, with its words.
 *
 * Errors: throws if the declaration has other structs than the operations.
 */
export const withDescriptions = (text: string, operations: ReadonlyMap<string, AnyOperation>): string => {
  let structs: Array<Objects> = []
  let open: Array<Objects | null> = []
  let id = ""
  const ended = (): void => {
    if (structs.length > 0) throw new Error(`${id}: ${structs.length} structs are not in its declaration`)
  }
  const lines = text.split("\n").flatMap((line) => {
    const [, indent = "", name, named] = /^(\s+)(?:readonly )?(\w+): .*\bOperation<"(\w+)",/.exec(line) ?? []
    const before: Array<string> = []
    if (name !== undefined) {
      ended()
      id = named!
      const operation = operations.get(id)!
      structs = [operation.input, operation.output].flatMap((schema) =>
        schema === undefined ? [] : structsOf(schema.ast)
      )
      open = []
      before.push(comment(indent, operation.description))
    } else if (id !== "") {
      if (/^\s*\}/.test(line)) open.pop()
      const [, space = "", member] = /^(\s+)readonly (\w+): /.exec(line) ?? []
      const of = open.at(-1)
      if (member !== undefined && of !== undefined && of !== null) {
        const found = of.propertySignatures.find((one) => one.name === member)
        if (found === undefined) throw new Error(`${id}: ${member} is in its declaration, but not in its schema`)
        const description = (found.type.context?.annotations?.["description"] ??
          found.type.annotations?.["description"]) as string | undefined
        if (description !== undefined) before.push(comment(space, description))
      }
    }
    if (id !== "" && line.endsWith("{")) open.push(line.endsWith("Struct<{") ? structs.shift()! : null)
    return [...before, line]
  })
  ended()
  return lines.join("\n")
}

/** Describes the declarations in a folder: those that print operations. */
export const describeDeclarations = (folder: string, operations: ReadonlyMap<string, AnyOperation>): void => {
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".d.ts")) continue
    const path = join(folder, file)
    const text = readFileSync(path, "utf8")
    if (/\bOperation<"\w+",/.test(text)) writeFileSync(path, withDescriptions(text, operations))
  }
}

/** Describes the declarations of a build. */
export const describeBuild = async (dist: string): Promise<void> => {
  const { entries } = (await import(pathToFileURL(join(dist, "engine", "operations.js")).href)) as {
    readonly entries: ReadonlyArray<{ readonly operation: AnyOperation }>
  }
  describeDeclarations(join(dist, "engine"), new Map(entries.map(({ operation }) => [operation.id, operation])))
}
