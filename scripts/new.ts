/**
 * `npm run new -- refund --subject movements`: writes the skeleton of a resource, which works, and registers it. Its scenario
 * fails where the author must decide. The templates are in `scripts/new`.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { Script } from "node:vm"
import { tables } from "../src/engine/operations.ts"
import { kinds } from "../src/engine/registry.ts"
import { sources } from "../test/support/repository/source.ts"

const root = join(import.meta.dirname, "..")
const registry = "src/engine/registry.ts"
const registered = "src/engine/operations/index.ts"

/** Where each template goes, in the order in which the files are read. */
const places = {
  machine: "src/machines",
  representation: "src/engine/representations",
  resource: "src/engine/resources",
  operations: "src/engine/operations",
  scenario: "test/scenarios"
} as const

const subjects = readdirSync(join(root, places.machine)).filter((name) => name !== "kernel")

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const plural = (text: string): string =>
  /[^aeiou]y$/.test(text) ? `${text.slice(0, -1)}ies` : /(?:s|x|z|ch|sh)$/.test(text) ? `${text}es` : `${text}s`
const camel = (text: string): string => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Every form of the name that a template has. */
const formsOf = (file: string, subject: string, prefix: string): Readonly<Record<string, string>> => {
  const words = file.replaceAll("-", " ")
  const article = /^[aeiou]/.test(words) ? "an" : "a"
  return {
    file,
    subject,
    prefix,
    path: plural(file),
    kind: file.replaceAll("-", "_"),
    name: camel(file),
    Name: upper(camel(file)),
    names: camel(plural(file)),
    Names: upper(camel(plural(file))),
    words,
    Word: upper(words),
    one: `${article} ${words}`,
    One: `${upper(article)} ${words}`,
    plural: plural(words),
    Words: upper(plural(words))
  }
}

/** Prefixes of ids that belong to no resource: `evt` of an event, `req` of a request. */
const otherPrefixes: ReadonlySet<string> = new Set(
  sources("src").flatMap(({ code }) => [...code.matchAll(/\b(?:make|Id|param)\("(\w+)"/g)].map(([, one = ""]) => one))
)

const ownerOf = (prefix: string): string | undefined =>
  kinds.ofId(`${prefix}_`)?.kind ?? (otherPrefixes.has(prefix) ? "other ids" : undefined)

/** What cannot be written, and why. */
class Refused extends Error {}
const refuse = (message: string): never => {
  throw new Refused(message)
}

const templateOf = (name: string): string => readFileSync(join(import.meta.dirname, "new", `${name}.txt`), "utf8")

/** A keyword of the language is none. */
const isIdentifier = (name: string): boolean => {
  try {
    return new Script(`const ${name} = 0`) instanceof Script
  } catch {
    return false
  }
}

const readSource = (path: string): string => readFileSync(join(root, path), "utf8")

/** Whether a name can be declared beside what the templates and the registry name. */
const isFree = (name: string): boolean => {
  const texts = [...Object.keys(places).map(templateOf), readSource(registered), readSource(registry)]
  return isIdentifier(name) && !texts.some((text) => new RegExp(`\\b${name}\\b`).test(text))
}

/** The module that exports all resources, and the registry, with one more: by its path, and after the last of its subject. */
const registering = (
  { exports, order }: Readonly<Record<"exports" | "order", string>>,
  { file, name, subject }: Readonly<Record<string, string>>
): Readonly<Record<"exports" | "order", string>> => {
  const from = `"./${subject}/${file}.ts"`
  const pathOf = (line: string): string => /"\.\/.*"/.exec(line)?.[0] ?? ""
  const lines = exports.split("\n")
  const next = [...lines.keys()].find((at) => pathOf(lines[at]!) > from) ?? lines.length - 1
  const siblings = lines.flatMap((line) =>
    pathOf(line).startsWith(`"./${subject}/`) ? [/\w+(?= \})/.exec(line)![0]] : []
  )
  const last = order.split("\n").findLast((line) => siblings.some((sibling) => line === `  registered.${sibling},`))
  return {
    exports: lines.toSpliced(next, 0, `export { ${name} } from ${from}`).join("\n"),
    order: order.replace(`\n${last}`, `$&\n  registered.${name},`)
  }
}

const parseArguments = (args: ReadonlyArray<string>) => {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { subject: { type: "string", default: "movements" }, prefix: { type: "string" } }
    })
  } catch (error) {
    return refuse((error as Error).message)
  }
}

interface Asked {
  readonly file: string
  readonly subject: string
  readonly prefix: string
}

/** What the arguments ask for, or why it cannot be written. */
export const readRequest = (args: ReadonlyArray<string>): Asked | string => {
  try {
    const { positionals, values } = parseArguments(args)
    const [file = "", ...others] = positionals
    if (others.length > 0) refuse("One name at a time: npm run new -- refund --subject movements --prefix rfd")
    // What a prefix may be made of a name: initials of several words, the first letters or the consonants of one.
    const suggested = [
      ...(file.includes("-") ? [file.replace(/(\w)\w*-?/g, "$1")] : []),
      file.slice(0, 3),
      (file.charAt(0) + file.slice(1).replace(/[aeiou-]/g, "")).slice(0, 3)
    ]
    const { subject, prefix = suggested.find((one) => ownerOf(one) === undefined) ?? suggested[0]! } = values
    if (!/^[a-z][a-z0-9]*(?:-[a-z][a-z0-9]*)*$/.test(file))
      refuse(`${JSON.stringify(file)} is no name: give one in kebab-case, such as refund or bank-link.`)
    if (!subjects.includes(subject)) refuse(`There is no subject ${subject}. The subjects are ${subjects.join(", ")}.`)
    const { kind = "", name = "", Name = "", names = "", Names = "" } = formsOf(file, subject, prefix)
    const paths = subjects.flatMap((one) => Object.values(places).map((place) => `${place}/${one}/${file}.ts`))
    if (kinds.byName.has(kind) || names in tables.merchant || paths.some((path) => existsSync(join(root, path))))
      refuse(`The name ${file} is taken.`)
    if (![name, Name, names, Names].every(isFree)) refuse(`The name ${file} means something else in the code.`)
    if (!/^[a-z]{2,7}$/.test(prefix)) refuse(`The prefix ${prefix} is not of 2 to 7 letters: choose one with --prefix.`)
    const owner = ownerOf(prefix)
    if (owner !== undefined) refuse(`The prefix ${prefix} is in use by ${owner}: choose another with --prefix.`)
    return { file, subject, prefix }
  } catch (error) {
    if (error instanceof Refused) return error.message
    throw error
  }
}

if (process.argv[1] === import.meta.filename) {
  const asked = readRequest(process.argv.slice(2))
  if (typeof asked !== "string") {
    const { file, subject, prefix } = asked
    const forms = formsOf(file, subject, prefix)
    const fillTemplate = (template: string): string =>
      templateOf(template).replace(/\{\{(\w+)\}\}/g, (_, form: string) => forms[form]!)
    const files = Object.entries(places).map(([template, place]) => {
      const path = `${place}/${subject}/${file}${template === "scenario" ? ".test" : ""}.ts`
      return { path, text: fillTemplate(template) }
    })
    for (const { path, text } of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const added = registering({ exports: readSource(registered), order: readSource(registry) }, forms)
    writeFileSync(join(root, registered), added.exports)
    writeFileSync(join(root, registry), added.order)
    const written = [...files.map(({ path }) => path), registered, registry]
    execFileSync(join(root, "node_modules/.bin/biome"), ["format", "--write", ...written], {
      cwd: root,
      stdio: "ignore"
    })

    console.log(`Written:
${written.map((path) => `  ${path}`).join("\n")}

Write what is generated, now and after each change:
  npm run generate
The scenario says what is left to decide:
  npm test -- test/scenarios/${subject}/${file}.test.ts`)
  } else {
    console.error(asked)
    process.exitCode = 1
  }
}
