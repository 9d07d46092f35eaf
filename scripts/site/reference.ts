/** The API reference of the site: a page for each group of operations, and the error codes. It is made from the OpenAPI document. */
import {
  readBodySchema,
  makeSchemaExample,
  resolveReference,
  isOperator,
  type Json,
  listMembers,
  type DocumentedOperation,
  listEventTypes,
  listOperations,
  listParameters,
  describeType
} from "../../src/console/docs/document.ts"
import type { Entry } from "../../src/console/docs/search.ts"
import { writeSample } from "../../src/console/docs/samples.ts"
import { wire } from "../../src/http/envelope.ts"
import { codes, statuses } from "../../src/engine/calls/codes.ts"
import { escape } from "../documents/diagram.ts"
import { errorsMarkdown, eventMarkdown, operationMarkdown, placeholderUrl } from "../documents/twins.ts"
import { type Shown, toRoot } from "./layout.ts"

/** Members of members are shown up to this depth. */
const depthMax = 4

const prose = (text: string): string =>
  text
    .split("`")
    .map((part, at) => (at % 2 === 1 ? `<code>${escape(part)}</code>` : escape(part)))
    .join("")

const about = (text: string | undefined): string => (text === undefined ? "" : `<p class="about">${prose(text)}</p>`)

const renderMember = (name: string, type: string, isRequired: boolean): string =>
  `<p><code class="name">${escape(name)}</code> <span class="dim">${escape(type)}</span> ` +
  `<span class="${isRequired ? "required" : "dim"}">${isRequired ? "Required" : "Optional"}</span></p>`

const members = (spec: Json, schema: Json, depth = 0): string => {
  const found = listMembers(spec, schema)
  if (found.length === 0) return depth === 0 ? `<p class="dim">No members.</p>` : ""
  const items = found.map(({ isRequired, name, schema: member }) => {
    const inner = depth < depthMax ? members(spec, member, depth + 1) : ""
    const more = inner === "" ? "" : `<details><summary>Members of ${escape(name)}</summary>${inner}</details>`
    return `<li>${renderMember(name, describeType(spec, member), isRequired)}${about(resolveReference(spec, member)["description"])}${more}</li>`
  })
  return `<ul class="members">${items.join("")}</ul>`
}

const parameters = (spec: Json, operation: DocumentedOperation): string => {
  const found = listParameters(spec, operation)
  if (found.length === 0) return ""
  const items = found.map(
    ({ description, isRequired, name, place, schema }) =>
      `<li>${renderMember(name, `${place}, ${describeType(spec, schema)}`, isRequired)}${about(description)}</li>`
  )
  return `<h3>Parameters</h3><ul class="members">${items.join("")}</ul>`
}

const errors = (spec: Json, { node }: DocumentedOperation): string =>
  Object.entries<Json>(node["responses"])
    .filter(([status]) => status !== "200")
    .flatMap(([status, response]) =>
      Object.keys(resolveReference(spec, response)["content"]["application/json"].examples).map(
        (code) => `<a href="${toRoot}api/errors.html#${code}">${status} ${code}</a>`
      )
    )
    .join(", ")

const errorsPage: Shown = {
  file: "api/errors.html",
  title: "Errors",
  summary: "Every error code, with its HTTP status and what to do.",
  html:
    `<article class="guide"><p class="lead">Every error code, with its HTTP status and what to do.</p>` +
    codes
      .map(
        (code) =>
          `<h2 id="${code}"><code>${code}</code><a class="anchor" href="#${code}" aria-label="Link to ${code}">#</a></h2>` +
          `<p>HTTP ${statuses[code]}. ${escape(wire[code].about)}</p><p>${escape(wire[code].action)}</p>`
      )
      .join("\n") +
    `</article>`
}

const events = (spec: Json): ReadonlyArray<{ readonly name: string; readonly id: string; readonly node: Json }> =>
  Object.entries<Json>(spec["webhooks"] ?? {}).map(([name, { post: node }]) => ({
    name,
    id: name.replace(".", "-"),
    node
  }))

const eventsPage = (spec: Json): Shown => {
  const summary = "Every event that a webhook endpoint receives, with its members and an example."
  const shown = events(spec).map(({ id, name, node }) => {
    const { examples, schema } = node["requestBody"].content["application/json"]
    const [first] = Object.values<Json>(examples)
    // An event is the event of its resource, with its type and status.
    const [general = schema] = (schema["allOf"] ?? []) as ReadonlyArray<Json>
    return (
      `<section class="operation"><h2 id="${id}"><code>${escape(name)}</code><a class="anchor" href="#${id}" aria-label="Link to ${escape(name)}">#</a></h2>` +
      `<p>${prose(node["description"])}</p><details><summary>Members of ${escape(name)}</summary>${members(spec, general)}</details>` +
      `<details><summary>Example of ${escape(name)}</summary><pre tabindex="0"><code>${escape(JSON.stringify(first?.["value"], null, 2))}</code></pre></details></section>\n`
    )
  })
  return {
    file: "api/event-types.html",
    title: "Event types",
    summary,
    html: `<p class="lead">${summary} <a href="${toRoot}guides/webhooks.html">Webhooks</a> says how they are delivered.</p>${shown.join("")}`
  }
}

export interface ReferencePage extends Shown {
  /** The page as Markdown. */
  readonly markdown: string
  /** What the search finds on the page. */
  readonly entries: ReadonlyArray<Entry>
}

/** Texts of their own below one title: each heading is a level deeper. */
const nestHeadings = (texts: ReadonlyArray<string>): string =>
  texts.map((text) => `\n${text.replaceAll(/^(#+ )/gm, "#$1")}`).join("")

/** The pages of a document, in its order. */
export const referencePages = (spec: Json): ReadonlyArray<ReferencePage> => {
  const all = listOperations(spec)
  const groups = (spec["tags"] as ReadonlyArray<{ readonly name: string; readonly description?: string }>).map(
    ({ description, name }): ReferencePage => {
      const operations = all.filter(({ tag }) => tag === name)
      const summary = description ?? `The operations of the API on ${name.toLowerCase()}.`
      const file = `api/${name.toLowerCase().replaceAll(/[^a-z]+/g, "-")}.html`
      return {
        file,
        title: name,
        summary,
        markdown: `# ${name}\n\n${summary}\n${nestHeadings(operations.map((one) => operationMarkdown(spec, one)))}`,
        entries: operations.map(({ id, method, node, path, summary: title }) => ({
          title,
          kind: `${method} ${path}`,
          href: `${file}#${id}`,
          words: `${title} ${id} ${method} ${path} ${node["description"] ?? ""}`,
          text: node["description"] ?? ""
        })),
        html: `<p class="lead">${prose(summary)}</p>${operations
          .map((one) => {
            const { id, method, node, path, summary } = one
            const body = readBodySchema(one)
            const success = node["responses"]["200"].content["application/json"].schema as Json
            const response = JSON.stringify({ ...(makeSchemaExample(spec, success) as object), message: "OK" }, null, 2)
            return (
              `<section class="operation"><h2 id="${id}">${escape(summary)}<a class="anchor" href="#${id}" aria-label="Link to ${escape(summary)}">#</a></h2>` +
              `<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escape(path)}</code></p>` +
              (node["description"] === undefined ? "" : `<p class="lead">${prose(node["description"])}</p>`) +
              `<p class="dim">${isOperator(one) ? "Called with an operator's token." : "Called with an API key of the merchant."}</p>` +
              `<div class="columns"><div>${parameters(spec, one)}` +
              (body === undefined ? "" : `<h3>Body</h3>${members(spec, body["schema"])}`) +
              `<h3>Response</h3><details><summary>Members of the response</summary>${members(spec, success)}</details>` +
              `<h3>Errors</h3><p class="errors">${errors(spec, one)}</p></div>` +
              `<div class="aside"><h3>Request</h3><pre tabindex="0" aria-label="curl sample of ${id}"><code>${escape(writeSample(spec, placeholderUrl, one, "curl"))}</code></pre>` +
              `<h3>Example of a response</h3><pre tabindex="0" aria-label="Response of ${id}"><code>${escape(response)}</code></pre></div></div></section>\n`
            )
          })
          .join("")}`
      }
    }
  )
  const types = eventsPage(spec)
  return [
    ...groups,
    {
      ...types,
      markdown: `# ${types.title}\n\n${types.summary}\n${nestHeadings(listEventTypes(spec).map((one) => eventMarkdown(spec, one)))}`,
      entries: events(spec).map(({ id, name, node }) => ({
        title: name,
        kind: "Event",
        href: `${types.file}#${id}`,
        words: `${name} ${node["description"]}`,
        text: node["description"] ?? ""
      }))
    },
    {
      ...errorsPage,
      markdown: errorsMarkdown(),
      entries: codes.map((code) => ({
        title: code,
        kind: "Error",
        href: `${errorsPage.file}#${code}`,
        words: `${code} ${code.replaceAll("_", " ")} ${wire[code].about}`,
        text: wire[code].about
      }))
    }
  ]
}
