/** The Markdown beside each page, for programs that read: links lead to twins, comments and drawings are left out. */
import {
  readBodySchema,
  type DocumentedOperation,
  listEventTypes,
  type EventType,
  readExampleBody,
  resolveReference,
  isOperator,
  type Json,
  listMembers,
  listOperations,
  listParameters,
  describeType
} from "../../src/console/docs/document.ts"
import { writeSample } from "../../src/console/docs/samples.ts"
import { wire } from "../../src/http/envelope.ts"
import { codes, statuses } from "../../src/engine/calls/codes.ts"
import { inRepository, read, relativeTo, resolveLink, served, servedName } from "./pages.ts"

/** The Markdown of a page with other targets of its links. Code is left as it is. */
export const markdownOf = (path: string, hrefOf: (path: string, anchor: string) => string): string =>
  read(path)
    .split(/(^```[\s\S]*?^```$)/m)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part
            .replaceAll(/^<!--[\s\S]*?-->\n?/gm, "")
            .replaceAll(/(\]\()([^)\s]+)(\))/g, (whole, open: string, link: string, close: string) => {
              const found = resolveLink(path, link)
              if (found === undefined || link.startsWith("#")) return whole
              return `${open}${hrefOf(found.path, found.anchor)}${close}`
            })
    )
    .join("")

/** What is written instead of the base URL of a server. A server writes its own. */
export const placeholderUrl = "https://corridor.example"

/** Members of members are listed up to this depth. `openapi.json` has all. */
const depthMax = 2

const oneLine = (text: string | undefined): string =>
  text === undefined || text === "" ? "" : `: ${text.replaceAll(/\s+/g, " ")}`

const members = (spec: Json, schema: Json, depth = 0): ReadonlyArray<string> =>
  listMembers(spec, schema).flatMap(({ isRequired, name, schema: member }) => {
    const about = member["description"] ?? resolveReference(spec, member)["description"]
    const head = `${"  ".repeat(depth)}- \`${name}\` (${describeType(spec, member)}, ${isRequired ? "required" : "optional"})${oneLine(about)}`
    return [head, ...(depth < depthMax ? members(spec, member, depth + 1) : [])]
  })

const parameters = (spec: Json, operation: Pick<DocumentedOperation, "node">): ReadonlyArray<string> =>
  listParameters(spec, operation).map(
    ({ description, isRequired, name, place, schema }) =>
      `- \`${name}\` (${place}, ${describeType(spec, schema)}, ${isRequired ? "required" : "optional"})${oneLine(description)}`
  )

/** A heading and its lines. Without lines, nothing. */
const section = (title: string, lines: ReadonlyArray<string>): string =>
  lines.length === 0 ? "" : `\n## ${title}\n\n${lines.join("\n")}\n`

const code = (language: string, text: string): ReadonlyArray<string> => ["```" + language, text, "```"]

/** An operation: parameters, body, response, errors and the three samples. */
export const operationMarkdown = (spec: Json, operation: DocumentedOperation, baseUrl = placeholderUrl): string => {
  const { method, node, path, summary } = operation
  const body = readBodySchema(operation)
  const success = node["responses"]["200"].content["application/json"].schema as Json
  const errors = Object.entries<Json>(node["responses"])
    .filter(([status]) => status !== "200")
    .flatMap(([status, response]) =>
      Object.keys(resolveReference(spec, response)["content"]["application/json"].examples).map(
        (name) => `- ${status} \`${name}\`${oneLine(spec["components"].examples[name].summary)}`
      )
    )
  const samples = (["curl", "TypeScript", "Python"] as const).flatMap((language) => [
    "",
    ...code(
      { curl: "sh", TypeScript: "ts", Python: "python" }[language],
      writeSample(spec, baseUrl, operation, language)
    )
  ])
  return (
    `# ${summary}\n\n\`${method} ${path}\`\n\n${node["description"] === undefined ? "" : `${node["description"]}\n\n`}` +
    `Called with ${isOperator(operation) ? "an operator's token" : "an API key of the merchant"}.\n` +
    section("Parameters", parameters(spec, operation)) +
    section("Body", body === undefined ? [] : members(spec, body["schema"])) +
    section("Response", members(spec, success)) +
    section("Errors", errors) +
    section("Samples", samples.slice(1))
  )
}

/** An event type: headers, body and an example. */
export const eventMarkdown = (spec: Json, event: EventType): string =>
  `# ${event.type}\n\n\`POST\` to your webhook endpoint\n\n${event.node["description"]}\n` +
  section("Headers", parameters(spec, event)) +
  section("Body", members(spec, readBodySchema(event)!["schema"])) +
  section("Example", code("json", JSON.stringify(readExampleBody(event), null, 2)))

export const errorsMarkdown = (): string =>
  `# Errors\n\nEvery error code, with its HTTP status and what to do.\n${codes
    .map((name) => `\n## ${name}\n\nHTTP ${statuses[name]}. ${wire[name].about}\n\n${wire[name].action}\n`)
    .join("")}`

/** The entry of `llms.txt` for a page. */
export interface Listed {
  readonly title: string
  readonly href: string
  readonly summary: string
}

/** `llms.txt`: what this is, and the Markdown of each page with its first paragraph. */
export const llmsText = (
  groups: ReadonlyArray<{ readonly title: string; readonly pages: ReadonlyArray<Listed> }>,
  summary: string
): string =>
  `# Corridor\n\n> ${summary}\n${groups
    .map(
      ({ pages, title }) =>
        `\n## ${title}\n\n${pages.map((page) => `- [${page.title}](${page.href})${oneLine(page.summary)}`).join("\n")}\n`
    )
    .join("")}`

/** The texts that the server shows, by their path below `/docs`. Base URLs in them are {@link placeholderUrl}. */
export const servedTexts = (
  guides: ReadonlyArray<{
    readonly name: string
    readonly group: string
    readonly title: string
    readonly summary: string
  }>
): Readonly<Record<string, string>> => {
  const spec = JSON.parse(read("docs/openapi.json")) as Json
  const operations = listOperations(spec)
  const events = listEventTypes(spec)
  const pages = Object.entries(served).flatMap(([folder, names]) => names.map((last) => `${folder}/${last}`))
  const firstSentence = (text: string | undefined): string => (text ?? "").split(/(?<=\.)\s/)[0] ?? ""
  const at = (path: string): string => `${placeholderUrl}/docs/${path}.md`
  const list = [
    ...[...new Set(guides.map(({ group }) => group))].map((title) => ({
      title,
      pages: guides
        .filter(({ group }) => group === title)
        .map(({ name, summary, title: name_ }) => ({ title: name_, href: at(name), summary }))
    })),
    { title: "Errors", pages: [{ title: "Error codes", href: at("errors"), summary: "Every code, and what to do." }] },
    ...(spec["tags"] as ReadonlyArray<{ readonly name: string }>).map(({ name }) => ({
      title: name,
      pages: operations
        .filter(({ tag }) => tag === name)
        .map(({ id, node, summary }) => ({
          title: summary,
          href: at(`operations/${id}`),
          summary: firstSentence(node["description"])
        }))
    })),
    {
      title: "Events",
      pages: events.map(({ node, type }) => ({
        title: type,
        href: at(`events/${type}`),
        summary: firstSentence(node["description"])
      }))
    }
  ]
  return Object.fromEntries([
    ["llms.txt", llmsText(list, spec["info"].description.replaceAll(/\s+/g, " "))],
    ...pages.map((name) => [
      `${name}.md`,
      markdownOf(`docs/${name}.md`, (path, anchor) => {
        const shown = servedName(path)
        if (shown === undefined) return inRepository(path, anchor)
        return `${relativeTo(name, shown)}.md${anchor === "" ? "" : `#${anchor}`}`
      })
    ]),
    ["errors.md", errorsMarkdown()],
    ...operations.map((operation) => [`operations/${operation.id}.md`, operationMarkdown(spec, operation)]),
    ...events.map((event) => [`events/${event.type}.md`, eventMarkdown(spec, event)])
  ])
}
