/** The API reference of the site: a page for each group of operations, and the error codes. It is made from the OpenAPI document. */
import {
  bodyOf,
  example,
  follow,
  isOperator,
  type Json,
  membersOf,
  type Operation,
  operationsOf,
  parametersOf,
  typeOf
} from "../../src/console/docs/document.ts"
import { sampleOf } from "../../src/console/docs/samples.ts"
import { codes, statuses, wire } from "../../src/http/errors.ts"
import { escape } from "../documents/diagram.ts"
import { type Shown, toRoot } from "./layout.ts"

/** What is written instead of the base URL of a server. */
const baseUrl = "https://corridor.example"

/** Members of members are shown up to this depth. */
const depthMax = 4

const prose = (text: string): string =>
  text
    .split("`")
    .map((part, at) => (at % 2 === 1 ? `<code>${escape(part)}</code>` : escape(part)))
    .join("")

const about = (text: string | undefined): string => (text === undefined ? "" : `<p class="about">${prose(text)}</p>`)

const named = (name: string, type: string, isRequired: boolean): string =>
  `<p><code class="name">${escape(name)}</code> <span class="dim">${escape(type)}</span> ` +
  `<span class="${isRequired ? "required" : "dim"}">${isRequired ? "Required" : "Optional"}</span></p>`

const members = (spec: Json, schema: Json, depth = 0): string => {
  const found = membersOf(spec, schema)
  if (found.length === 0) return depth === 0 ? `<p class="dim">No members.</p>` : ""
  const items = found.map(({ isRequired, name, schema: member }) => {
    const inner = depth < depthMax ? members(spec, member, depth + 1) : ""
    const more = inner === "" ? "" : `<details><summary>Members of ${escape(name)}</summary>${inner}</details>`
    return `<li>${named(name, typeOf(spec, member), isRequired)}${about(follow(spec, member)["description"])}${more}</li>`
  })
  return `<ul class="members">${items.join("")}</ul>`
}

const parameters = (spec: Json, operation: Operation): string => {
  const found = parametersOf(spec, operation)
  if (found.length === 0) return ""
  const items = found.map(
    ({ description, isRequired, name, place, schema }) =>
      `<li>${named(name, `${place}, ${typeOf(spec, schema)}`, isRequired)}${about(description)}</li>`
  )
  return `<h3>Parameters</h3><ul class="members">${items.join("")}</ul>`
}

const errors = (spec: Json, { node }: Operation): string =>
  Object.entries<Json>(node["responses"])
    .filter(([status]) => status !== "200")
    .flatMap(([status, response]) =>
      Object.keys(follow(spec, response)["content"]["application/json"].examples).map(
        (code) => `<a href="${toRoot}api/errors.html#${code}">${status} ${code}</a>`
      )
    )
    .join(", ")

const section = (spec: Json, operation: Operation): string => {
  const { id, method, node, path, summary } = operation
  const body = bodyOf(operation)
  const success = node["responses"]["200"].content["application/json"].schema as Json
  const response = JSON.stringify({ ...(example(spec, success) as object), message: "OK" }, null, 2)
  return (
    `<section class="operation"><h2 id="${id}">${escape(summary)}<a class="anchor" href="#${id}" aria-label="Link to ${escape(summary)}">#</a></h2>` +
    `<p class="endpoint"><span class="method ${method.toLowerCase()}">${method}</span> <code>${escape(path)}</code></p>` +
    (node["description"] === undefined ? "" : `<p class="lead">${prose(node["description"])}</p>`) +
    `<p class="dim">${isOperator(operation) ? "Called with an operator's token." : "Called with an API key of the merchant."}</p>` +
    `<div class="columns"><div>${parameters(spec, operation)}` +
    (body === undefined ? "" : `<h3>Body</h3>${members(spec, body["schema"])}`) +
    `<h3>Response</h3><details><summary>Members of the response</summary>${members(spec, success)}</details>` +
    `<h3>Errors</h3><p class="errors">${errors(spec, operation)}</p></div>` +
    `<div class="aside"><h3>Request</h3><pre tabindex="0" aria-label="curl sample of ${id}"><code>${escape(sampleOf(spec, baseUrl, operation, "curl"))}</code></pre>` +
    `<h3>Example of a response</h3><pre tabindex="0" aria-label="Response of ${id}"><code>${escape(response)}</code></pre></div></div></section>\n`
  )
}

const slug = (tag: string): string => tag.toLowerCase().replaceAll(/[^a-z]+/g, "-")

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

export interface ReferencePage extends Shown {
  readonly operations: ReadonlyArray<Operation>
}

/** The pages of a document, in its order. */
export const referencePages = (spec: Json): ReadonlyArray<ReferencePage> => {
  const all = operationsOf(spec)
  const groups = (spec["tags"] as ReadonlyArray<{ readonly name: string; readonly description?: string }>).map(
    ({ description, name }): ReferencePage => {
      const operations = all.filter(({ tag }) => tag === name)
      const summary = description ?? `The operations of the API on ${name.toLowerCase()}.`
      return {
        file: `api/${slug(name)}.html`,
        title: name,
        summary,
        operations,
        html: `<p class="lead">${prose(summary)}</p>${operations.map((one) => section(spec, one)).join("")}`
      }
    }
  )
  return [...groups, { ...errorsPage, operations: [] }]
}
