/** The texts of the console: those that go through its language, and those that do not. */
import { parseAst } from "vitest/node"
import { read, sources } from "../repository/source.ts"

/**
 * The documentation is in English only; the catalogues are what the texts are looked up in; the names of languages are in their own; and lists
 * of names of the API are no texts.
 */
const untranslated =
  /^src\/console\/(?:(?:docs|site|language)\/|frame\/language\.ts|parts\/(?:vocabulary|status)\.tsx?|pages\/people\/audited-actions\.ts)|\.d\.ts$/

/** Attributes and members that hold what a person reads. */
const shownNames = new Set(
  "title label caption lead does hint aria-label alt placeholder what unmatched use empty message group children".split(
    " "
  )
)

/** Attributes and members that hold what a person does not read, whatever it looks like. */
const hiddenNames = new Set(
  "class className path href name id download list type key accept value tone color selector autocomplete rel scope".split(
    " "
  )
)

/** What looks like a text, and is none: names of classes and of elements, the brand, what is written as code, and examples of input. */
const none: ReadonlySet<string> = new Set([
  ...["count some", "card flush", " trouble"],
  ...[
    "(max-width: 52rem)",
    "input, textarea, select",
    ".field, fieldset",
    "main h1",
    "tbody tr",
    "[data-state] > .entry"
  ],
  ...["Corridor", "UTC", "GET", "POST", "HTTP ", "Idempotency-Key", "webhook-signature: v1,… (not kept)"],
  ...["NG", "NGN", "USDC", "payroll-2026-01", "bank", "base", "offramp.success"]
])

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [member: string]: unknown
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as { readonly type?: unknown }).type === "string"

const childrenOf = (node: Node): ReadonlyArray<Node> =>
  Object.values(node).flatMap((value) => (Array.isArray(value) ? value.filter(isNode) : isNode(value) ? [value] : []))

const nameOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  const name = node["name"] ?? node["value"]
  return isNode(name) ? nameOf(name) : typeof name === "string" ? name : undefined
}

/** Whether it reads as a text: two words, or one that begins as a sentence does. */
const isText = (text: string): boolean =>
  !none.has(text) &&
  !/^[/.#[]|^https?:/.test(text) &&
  (/^[ (]*[A-Z][a-z]|^[ (]+[a-z]{3}/.test(text) || /[A-Za-z][,.:]? +[A-Za-z“]/.test(text))

export interface Found {
  readonly path: string
  readonly line: number
  readonly text: string
}

export interface Texts {
  /** The keys of all calls of `t` and `rich`. */
  readonly keys: ReadonlyArray<Found>
  /** Names that are shown by their words: of statuses, and of what is chosen among. */
  readonly names: ReadonlyArray<Found>
  /** Texts that are shown as they are written. */
  readonly unwrapped: ReadonlyArray<Found>
}

/** What a module of the console says. */
export const textsIn = (path: string, code: string): Texts => {
  const keys: Array<Found> = []
  const names: Array<Found> = []
  const unwrapped: Array<Found> = []
  const foundAt = (node: Node, text: string): Found => ({
    path,
    line: code.slice(0, node.start).split("\n").length,
    text
  })
  // Texts that a call takes by another name: those of a table `{ D: "{count} day|{count} days" } as const`.
  const isKey = (text: string): boolean => /^[^{}]*\{\w+\}/.test(text)
  const addNames = (node: Node): void => {
    if (typeof node["value"] === "string" && /^[a-z][a-z0-9_]*$/.test(node["value"]))
      names.push(foundAt(node, node["value"]))
    // A choice with its text is no name: `["csv", t("As CSV")]`.
    const isPair =
      node.type === "ArrayExpression" &&
      (node["elements"] as ReadonlyArray<Node | null>).some((one) => one?.type === "CallExpression")
    if (!isPair && !/^(?:Call|Member|Binary|ArrowFunction)Expression$/.test(node.type))
      for (const child of childrenOf(node)) addNames(child)
  }
  const visit = (node: Node, name: string | undefined): void => {
    const { type } = node
    if (type === "ImportDeclaration" || (type.startsWith("TS") && !/^TS(?:As|Satisfies|NonNull)Expression$/.test(type)))
      return
    if (type === "CallExpression") {
      const callee = nameOf(node["callee"])
      const [first, ...rest] = node["arguments"] as ReadonlyArray<Node>
      if ((callee === "t" || callee === "rich") && first !== undefined) {
        if (typeof first["value"] === "string") keys.push(foundAt(first, first["value"]))
        for (const one of rest) visit(one, undefined)
        return
      }
      if (callee === "words" && first !== undefined) addNames(first)
    }
    if (type === "JSXAttribute") {
      const attribute = nameOf(node["name"])
      if (attribute !== undefined && hiddenNames.has(attribute)) return
      if (isNode(node["value"])) {
        if (/^(?:status|choices)$/.test(attribute ?? "")) addNames(node["value"])
        visit(node["value"], attribute)
      }
      return
    }
    if (type === "Property" && isNode(node["value"])) {
      const member = nameOf(node["key"])
      if (member !== undefined && hiddenNames.has(member) && typeof node["value"]["value"] === "string") return
      if (member === "options") addNames(node["value"])
      visit(node["value"], member)
      return
    }
    if (type === "JSXElement" && /^(?:code|kbd|pre)$/.test(nameOf((node["openingElement"] as Node)["name"]) ?? ""))
      return
    const text =
      type === "JSXText" || (type === "Literal" && typeof node["value"] === "string")
        ? String(node["value"])
        : type === "TemplateLiteral"
          ? (node["quasis"] as ReadonlyArray<{ readonly value: { readonly cooked: string } }>)
              .map(({ value }) => value.cooked)
              .join("{}")
          : undefined
    if (text !== undefined) {
      const words = type === "JSXText" ? text.replace(/\s+/g, " ").trim() : text
      const isShown = type === "JSXText" || (name !== undefined && shownNames.has(name))
      if (type === "Literal" && isKey(words)) keys.push(foundAt(node, words))
      else if (/[A-Za-z]/.test(words) && !none.has(words) && (isShown || isText(words)))
        unwrapped.push(foundAt(node, words))
    }
    // A list of names is one that filters, columns or figures are made of.
    if (type === "ArrayExpression") {
      const elements = (node["elements"] as ReadonlyArray<Node | null>).map((one) => one?.["value"])
      if (elements.length > 2 && elements.every((one) => typeof one === "string" && /^[a-z][a-z0-9_]+$/.test(one)))
        addNames(node)
    }
    if (type === "JSXElement" || type === "JSXFragment") {
      for (const child of childrenOf(node))
        visit(child, child.type === "JSXExpressionContainer" ? "children" : undefined)
      return
    }
    // What a condition chooses between is shown where it stands; what it asks is not.
    const isChoice = type === "ConditionalExpression" || type === "LogicalExpression"
    for (const child of childrenOf(node))
      visit(child, type === "JSXExpressionContainer" || (isChoice && child !== node["test"]) ? name : undefined)
  }
  // oxlint-disable-next-line typescript/no-deprecated -- Vitest has no other parser, and Vite is no package of ours
  visit(parseAst(code, { lang: path.endsWith("x") ? "tsx" : "ts", astType: "ts" }) as unknown as Node, undefined)
  return { keys, names, unwrapped }
}

/** What all modules of the console say. */
export const textsOfConsole = (): Texts => {
  const found = sources("src/console")
    .filter(({ path }) => !untranslated.test(path))
    .map(({ path }) => textsIn(path, read(path)))
  return {
    keys: found.flatMap(({ keys }) => keys),
    names: found.flatMap(({ names }) => names),
    unwrapped: found.flatMap(({ unwrapped }) => unwrapped)
  }
}
