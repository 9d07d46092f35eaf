/**
 * Writes `src/client/generated`: the types and the table of operations of the client, from the OpenAPI document and the names of
 * the embedded methods. A test fails when it is stale.
 */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import {
  type AnyOperation,
  formatNameOf,
  isKeyed,
  takesVersion,
  isOperation,
  type Table,
  hasInput
} from "../src/engine/calls/operation.ts"
import { entries, tables } from "../src/engine/operations.ts"
import { currencies } from "../src/engine/reference/currencies.ts"
import { listCodes } from "../src/http/openapi.ts"
import {
  type Base,
  canExtend,
  comment,
  declaration,
  hasMember,
  interfaceText,
  isInterface,
  membersText,
  type Json,
  nameIn,
  reachable,
  type Side,
  typeText,
  width,
  wrapText
} from "./client/types.ts"
import { openApiDocument } from "./openapi.ts"

const folder = fileURLToPath(new URL("../src/client/generated/", import.meta.url))
const made = "Written by `npm run openapi`; a test fails when it is stale."

const document: Json = openApiDocument()
const schemas: Json = document["components"].schemas

const resolveRef = (node: Json): Json => {
  const [, , kind = "", name = ""] = ((node["$ref"] as string | undefined) ?? "").split("/")
  return name === "" ? node : document["components"][kind][name]
}

const nodeOf = ({ method, path }: AnyOperation): Json =>
  document["paths"][path.replace(/:(\w+)/g, "{$1}")][method.toLowerCase()]

const parametersOf = (operation: AnyOperation): ReadonlyArray<Json> =>
  (nodeOf(operation)["parameters"] as ReadonlyArray<Json>)
    .map(resolveRef)
    // A list is asked for as a file by its method `csv`.
    .filter(
      (one) =>
        one["in"] === "query" &&
        !(one["name"] === formatNameOf(operation) && operation.list && !("csv" in operation.formats))
    )

const bodyOf = (operation: AnyOperation): Json | undefined =>
  hasInput(operation) && operation.method !== "GET" && operation.fileMax === undefined
    ? nodeOf(operation)["requestBody"]?.content["application/json"].schema
    : undefined

/** The schema of the input of an operation whose body is a file: the file and the query. */
const fileSchema = (operation: AnyOperation): Json => {
  const { properties, required } = querySchema(operation)
  const { schema } = nodeOf(operation)["requestBody"].content["application/octet-stream"]
  return { type: "object", properties: { file: schema, ...properties }, required: ["file", ...required] }
}

const pascal = (id: string): string => `${id[0]!.toUpperCase()}${id.slice(1)}`

/** The schema of a query with these parameters. */
const schemaOf = (parameters: ReadonlyArray<Json>): Json => ({
  type: "object",
  properties: Object.fromEntries(
    parameters.map(({ name, description, schema }) => [
      name,
      { ...(description === undefined ? {} : { description }), ...schema }
    ])
  ),
  required: parameters.filter(({ required }) => required === true).map(({ name }) => name)
})

/** The schema of the query of a `GET`. */
const querySchema = (operation: AnyOperation): Json => schemaOf(parametersOf(operation))

interface Input {
  readonly name: string
  /** Absent: a component. */
  readonly schema?: Json
  readonly isRequired: boolean
}

/** The input of a method: a component, or a type that is named after the operation. */
const inputOf = (operation: AnyOperation): Input | undefined => {
  if (!hasInput(operation)) return undefined
  const schema =
    operation.method === "GET"
      ? querySchema(operation)
      : operation.fileMax === undefined
        ? (bodyOf(operation) ?? {})
        : fileSchema(operation)
  const name = nameIn(schema)
  const { required = [] } = name === undefined ? schema : schemas[name]
  const isRequired = required.length > 0 || schema["anyOf"] !== undefined
  if (name !== undefined) return { name, isRequired }
  return { name: `${pascal(operation.id)}${operation.method === "GET" ? "Query" : "Input"}`, schema, isRequired }
}

/** The schema of what a call returns: an item of a list. */
const outputOf = (operation: AnyOperation): Json => {
  const { schema } = nodeOf(operation)["responses"]["200"].content["application/json"] as Json
  const envelope = nameIn(schema) === undefined ? schema : schemas[nameIn(schema)!]
  const { data } = envelope["properties"]
  return operation.list || isFeed(operation) ? data["items"] : data
}

/** Whether it reads the events after a given one. */
const isFeed = (operation: AnyOperation): boolean => {
  const names = new Set(
    operation.method === "GET" && !operation.list ? parametersOf(operation).map(({ name }) => name) : []
  )
  return names.has("after") && names.has("limit")
}

const inputs = entries.map(({ operation }) => operation.method !== "GET" && bodyOf(operation))
const outputs = entries.map(({ operation }) => outputOf(operation))
const webhooks = (document["webhooks"] ?? {}) as Record<string, Json>
const eventOf = (item: Json): Json => item["post"].requestBody.content["application/json"].schema

const inInputs = reachable(inputs, schemas)
const inOutputs = reachable([outputs, Object.values(webhooks).map(eventOf), schemas["ErrorMeta"]], schemas)
const sideOf = (name: string): Side => (inInputs.has(name) ? (inOutputs.has(name) ? "both" : "input") : "output")

const outputTypes = Object.keys(schemas)
  .filter((name) => inOutputs.has(name) && !inInputs.has(name) && isInterface(schemas[name]))
  .toSorted()
const membersOf = (name: string): ReadonlyArray<string> => Object.keys(schemas[name].properties)

/** The envelope of events. A category's has another `event_object`, and narrower members. */
const eventBase: Base = { text: 'Omit<Event, "event_object">', schema: schemas["Event"] }

const movements = ["Onramp", "Offramp", "Conversion", "Transfer"] as const

/** A part of a schema: the members that `isPart` names. */
const partOf = (schema: Json, isPart: (name: string) => boolean): Json => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema["properties"]).filter(([name]) => isPart(name)))
})

/** What several types have in common, with the same words. */
const sharedBy = ([first, ...others]: readonly [string, ...ReadonlyArray<string>]): Json =>
  partOf(schemas[first], (name) => others.every((other) => hasMember(schemas[first], schemas[other], name)))

const movementBase: Base = { text: "MovementMembers", schema: sharedBy(movements) }

/** What many types have, with the same words. */
const parts = [
  {
    text: "Dated",
    side: "output",
    about: "When it was made and changed.",
    schema: partOf(schemas["Onramp"], (name: string): boolean => name === "created_at" || name === "updated_at")
  },
  { text: "Noted", side: "input", schema: schemas["Noted"] },
  {
    text: "WithMetadata",
    side: "input",
    about: "What takes your own data.",
    schema: partOf(schemas["CreateCustomer"], (name) => name === "metadata")
  },
  {
    text: "WithReference",
    side: "input",
    about: "What takes your own name for a movement.",
    schema: partOf(schemas["CreateOnramp"], (name) => name === "reference")
  },
  {
    text: "QuotedAmount",
    side: "input",
    about: "What a quote is asked for.",
    schema: sharedBy(["CreateOnrampQuote", "CreateOfframpQuote", "CreateConversionQuote"])
  },
  {
    text: "LimitTerms",
    side: "input",
    about: "What a limit is, and what of it can change.",
    schema: sharedBy(["CreateLimit", "UpdateLimit"])
  },
  {
    text: "ApprovalRuleTerms",
    side: "input",
    about: "What an approval rule is, and what of it can change.",
    schema: sharedBy(["CreateApprovalRule", "UpdateApprovalRule"])
  },
  {
    text: "TimelineMembers",
    side: "output",
    about: "What every entry of a timeline has.",
    schema: sharedBy(["TimelineRequest", "TimelineTransition", "TimelinePosting", "TimelineTimer", "TimelineEvent"])
  },
  {
    text: "TransactionMembers",
    side: "output",
    about: "What a transaction is, also as a related one.",
    schema: sharedBy(["Transaction", "RelatedTransaction"])
  },
  {
    text: "VerificationMembers",
    side: "output",
    about: "What a verification is: for its merchant, in an event, and for who reviews it.",
    schema: sharedBy(["Verification", "VerificationEventObject", "VerificationReview"])
  }
] as const

/** The largest other type that is a part of an output. Parts of three members are not worth a name. */
const largestOf = (name: string): Base | undefined => {
  if (!outputTypes.includes(name)) return undefined
  if (name !== "Event" && membersOf(name).join() === membersOf("Event").join()) return eventBase
  if (movements.some((one) => one === name)) return movementBase
  const [largest] = outputTypes
    .filter((other) => other !== name && membersOf(other).length > 3 && canExtend(schemas[name], schemas[other]))
    .toSorted((a, b) => membersOf(b).length - membersOf(a).length)
  return largest === undefined ? undefined : { text: largest, schema: schemas[largest] }
}

/** The parts that a type of this schema has, but for those that another base has already. */
const partsOf = (schema: Json, side: Side, own: string, largest: ReadonlyArray<Base> = []): ReadonlyArray<Base> => {
  const among = parts.filter((part) => part.side === side && part.text !== own && canExtend(schema, part.schema))
  return among.filter((part) =>
    [...largest, ...among].every((other) => other === part || !canExtend(other.schema, part.schema))
  )
}

/** What a type extends: the largest other that is a part of it, and the parts that many have and this one has not yet. */
const basesOf = (name: string): ReadonlyArray<Base> => {
  if (!isInterface(schemas[name])) return []
  const found = largestOf(name)
  const largest = found === undefined ? [] : [found]
  return [...largest, ...partsOf(schemas[name], sideOf(name), name, largest)]
}

/** The type of a component: each object of a union has what another type has of it, and its own members. */
const unionText = (name: string): string => {
  const side = sideOf(name)
  const among = schemas[name]["anyOf"] as ReadonlyArray<Json> | undefined
  if (among?.every(isInterface) !== true) return typeText(schemas[name], side)
  return among
    .map((one) => {
      const base = Object.keys(schemas).find(
        (other) =>
          sideOf(other) === side &&
          isInterface(schemas[other]) &&
          membersOf(other).length > 3 &&
          canExtend(one, schemas[other])
      )
      const own = membersText(one, side, "", base === undefined ? [] : [{ text: base, schema: schemas[base] }])
      return base === undefined ? own : `(${base} & ${own})`
    })
    .join(" | ")
}

/** A type that is not of the document, for what others extend. */
const ownText = (about: string, { schema, text }: Base, side: Side, bases: ReadonlyArray<Base>): string =>
  `/** ${about} */\n${interfaceText(text, schema, side, bases).slice("export ".length)}`

/** The type of an event: that of its category, with what its type and status are. */
const eventTypeText = (schema: Json): string => {
  const [category, own] = (schema["allOf"] ?? []) as ReadonlyArray<Json>
  const { event_type, event_object_status, ...others } = (own?.["properties"] ?? {}) as Json
  const isNarrowed = Object.keys(others).length === 0 && [event_type, event_object_status].every((one) => one?.const)
  return isNarrowed && own!["required"] === undefined
    ? `EventOf<${[category!, event_type, event_object_status].map((one) => typeText(one, "output")).join(", ")}>`
    : typeText(schema, "output")
}

/** A type for each type of event, and their union. */
const eventText = (): string => {
  const events = Object.values(webhooks).map((item) => {
    const { description = "", operationId, summary } = item["post"] as Json
    const name = `${pascal(operationId)}Event`
    return {
      name,
      text: `${comment([`\`${summary}\`: ${description}`], "")}export type ${name} = ${eventTypeText(eventOf(item))}\n`
    }
  })
  const names = events.length === 0 ? ["Event"] : events.map(({ name }) => name)
  const union = `/** An event, as a webhook delivers it. Distinguish by \`event_type\`. A ping has the type \`ping\`. */\nexport type WebhookEvent =\n  | ${names.join("\n  | ")}\n`
  const members = "readonly event_type?: Type\n  readonly event_object_status?: Status"
  const narrowed = `/** An event of a category, of one type and status. */\ntype EventOf<Category, Type, Status> = Category & {\n  ${members}\n}\n`
  return [narrowed, ...events.map(({ text }) => text), union].join("\n")
}

const optionsOf = (operation: AnyOperation): string =>
  isKeyed(operation)
    ? takesVersion(operation)
      ? "CreateOptions & ChangeOptions"
      : "CreateOptions"
    : operation.method === "PATCH" || operation.method === "DELETE"
      ? "ChangeOptions"
      : "CallOptions"

const used = new Set<string>()
const noteTypes = (type: string): string => {
  for (const [name] of type.matchAll(/\b[A-Z]\w+/g))
    if (schemas[name] !== undefined || name === "Network") used.add(name)
  return type
}

/** The codes of errors that the calls of a section share, by the options that they take. */
type Shared = ReadonlyMap<string, ReadonlySet<string>>

const joinCodes = (codes: ReadonlyArray<string>): string => codes.map((code) => `\`${code}\``).join(", ")

/** The codes of errors that all of several operations have. */
const sharedCodes = ([first, ...others]: ReadonlyArray<AnyOperation>): ReadonlySet<string> =>
  new Set(listCodes(first!).filter((code) => others.every((other) => listCodes(other).includes(code))))

const methodText = (name: string, operation: AnyOperation, shared: Shared, indent: string): string => {
  const { description, method, names, path, summary } = operation
  const input = inputOf(operation)
  const type = noteTypes(typeText(outputOf(operation), "output", indent))
  const formats = operation.list ? [] : Object.keys(operation.formats)
  const file = formats.map((format) => JSON.stringify(format)).join(" | ")
  const body = formats.length === 0 ? type : `F extends ${file} ? string : ${type}`
  const returned = operation.list ? `List<${type}>` : isFeed(operation) ? `Feed<${type}>` : `Promise<${body}>`
  const args = [
    ...names.map((at) => `${at}: string`),
    ...(input === undefined
      ? []
      : [
          `${method === "GET" ? "query" : "input"}${input.isRequired ? "" : "?"}: ${noteTypes(input.name)}${formats.length === 0 ? "" : " & { readonly format?: F }"}`
        ]),
    `options?: ${optionsOf(operation)}`
  ]
  const about = description === summary ? `${summary}.` : `${summary}. ${description}`
  const own = listCodes(operation).filter((code) => !shared.get(optionsOf(operation))!.has(code))
  const route = `\`${method} ${path}\`.`
  const errors = own.length === 0 ? "" : ` Errors: ${joinCodes(own)}.`
  return `${comment([`${about} ${route}${errors}`], indent)}${indent}readonly ${name}: ${formats.length === 0 ? "" : `<F extends "json" | ${file} = "json">`}(${args.join(", ")}) => ${returned}\n`
}

const groupText = (table: Table, shared: Shared, indent: string): string =>
  Object.entries(table)
    .map(([name, entry]) =>
      isOperation(entry)
        ? methodText(name, entry, shared, indent)
        : `${indent}readonly ${name}: {\n${groupText(entry, shared, `${indent}  `)}${indent}}\n`
    )
    .join("")

const flat = (table: Table): ReadonlyArray<AnyOperation> =>
  Object.values(table).flatMap((entry) => (isOperation(entry) ? [entry] : flat(entry)))

const sections = {
  merchant: { name: "MerchantCalls", about: "The operations of a merchant.", table: tables.merchant },
  sandbox: {
    name: "SandboxCalls",
    about: "Control of the simulated provider and of the clock. A service with a real provider has none of it.",
    table: { ...tables.sandbox, ...tables.clock }
  },
  merchants: { name: "MerchantsCalls", about: "The operator's operations on merchants.", table: tables.merchants },
  operator: {
    name: "OperatorCalls",
    about: "The operator's operations on holds, exceptions, access and the ledger.",
    table: tables.operator
  }
} as unknown as Readonly<Record<string, { readonly name: string; readonly about: string; readonly table: Table }>>

const renderImport = (names: ReadonlyArray<string>, from: string): string => {
  const lines = wrapText(names.join(", "), 2)
  return `import type {${lines.length === 1 ? ` ${lines[0]} ` : `\n  ${lines.join("\n  ")}\n`}} from ${JSON.stringify(from)}`
}

const listSchema = (...names: ReadonlyArray<string>): Json =>
  schemaOf(names.map((name) => document["components"].parameters[name]))

const { operation: anOnrampList } = entries.find(({ operation }) => operation.id === "listOnramps")!

/** What most lists take, the larger first. */
const listBases = [
  {
    text: "MovementsQuery",
    about: "What lists of one kind of movement take.",
    schema: partOf(querySchema(anOnrampList), (name) => name !== "status")
  },
  {
    text: "PeriodQuery",
    about: "What lists of resources take.",
    schema: listSchema("page", "per_page", "created_after", "created_before")
  },
  { text: "PageQuery", about: "What every list takes.", schema: listSchema("page", "per_page") }
]

/** The declaration of the type of an input, and its base. A list that takes nothing else has the members of its base. */
const inputText = (name: string, schema: Json): string => {
  if (!isInterface(schema)) return `export type ${name} = ${typeText(schema, "input")}\n`
  const base = listBases.find((one) => canExtend(schema, one.schema))
  return interfaceText(name, schema, "input", base === undefined ? [] : [base])
}

const callsText = (): string => {
  const inputTypes = entries.flatMap(({ operation }) => {
    const input = inputOf(operation)
    if (input?.schema === undefined) return []
    const { name, schema } = input
    return [noteTypes(inputText(name, schema))]
  })
  const baseTypes = listBases.map(
    ({ about, schema, text }, at) =>
      `/** ${about} */\n${interfaceText(text, schema, "input", listBases.slice(at + 1, at + 2))}`
  )
  // The interface of a section. The errors that its calls share stand above it, those of a call at its method.
  const interfaces = Object.values(sections).map(({ about, name, table }) => {
    const operations = flat(table)
    const every = sharedCodes(operations)
    const shared = new Map([...Map.groupBy(operations, optionsOf)].map(([options, of]) => [options, sharedCodes(of)]))
    const more = [...shared].flatMap(([options, codes]) => {
      const others = [...codes].filter((code) => !every.has(code))
      return others.length === 0 ? [] : [`One that takes \`${options}\` also has ${joinCodes(others)}.`]
    })
    const errors = `Errors of every call: ${joinCodes([...every])}. ${more.join(" ")} A method names its others.`
    return `${comment([about, errors], "")}export interface ${name} {\n${groupText(table, shared, "  ")}}\n`
  })
  return [
    `/** The methods of the clients. ${made} */`,
    renderImport(["Feed", "List"], "../list.ts"),
    renderImport(["CallOptions", "ChangeOptions", "CreateOptions"], "../options.ts"),
    `${renderImport([...used].toSorted(), "./resources.ts")}\n`,
    [...baseTypes, ...inputTypes, ...interfaces].join("\n")
  ].join("\n")
}

const operationText = (operation: AnyOperation): string => {
  const { implied, list, method, path } = operation
  const verb = list ? "LIST" : isFeed(operation) ? "FEED" : method
  const isDated = list && parametersOf(operation).some(({ name }) => name === "created_before")
  const input =
    implied === undefined
      ? hasInput(operation)
        ? isDated
          ? " dated"
          : operation.fileMax === undefined
            ? " input"
            : " file"
        : ""
      : ` ${JSON.stringify(implied)}`
  return implied === undefined ? `"${verb} ${path}${input}"` : `'${verb} ${path}${input}'`
}

/** The entries of a table, a line for each: so is a table that fits on one. */
const tableText = (table: Table, indent: string): string =>
  Object.entries(table)
    .map(([name, entry]) => {
      if (isOperation(entry)) return `${indent}${name}: ${operationText(entry)}`
      const inner = tableText(entry, `${indent}  `)
      const line = `${indent}${name}: { ${inner.trim().replaceAll(/,\n +/g, ", ")} }`
      return line.length < width && !line.includes("\n") ? line : `${indent}${name}: {\n${inner}\n${indent}}`
    })
    .join(",\n")

const networks = [...new Set(currencies.flatMap((currency) => currency.networks))].toSorted()

/** The generated files, by path. */
export const clientFiles = (): ReadonlyMap<string, string> => {
  const names = Object.keys(schemas).filter((name) => inInputs.has(name) || inOutputs.has(name))
  const codes = schemas["Failure"].properties.code
  const errorCodes = codes["$ref"] === undefined ? codes : resolveRef(codes)
  const resources = [
    `/** The resources, events and inputs of the API. ${made} */\n`,
    ...parts.flatMap((part) =>
      "about" in part ? [ownText(part.about, part, part.side, partsOf(part.schema, part.side, part.text))] : []
    ),
    ownText("What every movement has.", movementBase, "output", partsOf(movementBase.schema, "output", "")),
    ...names.toSorted().map((name) => declaration(name, schemas[name], sideOf(name), basesOf(name), unionText(name))),
    `/** The networks of the currencies: \`bank\` of fiat. A later version of the service may have more. */\nexport type Network = ${networks.map((name) => JSON.stringify(name)).join(" | ")}\n`,
    `/** The codes of errors. A later version of the service may have more. */\nexport type ErrorCode = ${typeText(errorCodes, "output")}\n`,
    ...(names.includes("WebhookEvent") ? [] : [eventText()])
  ].join("\n")
  // The types that the methods use are found while these are written.
  callsText()
  return new Map([
    [`${folder}calls.ts`, callsText()],
    [
      `${folder}operations.ts`,
      [
        `/** The operations by method: verb, path, and what it takes. ${made} */\n`,
        ...Object.entries(sections).map(
          ([name, { table }]) => `export const ${name} = {\n${tableText(table, "  ")}\n} as const\n`
        )
      ].join("\n")
    ],
    [`${folder}resources.ts`, resources]
  ])
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [path, text] of clientFiles()) writeFileSync(path, text)
