/** The resources of the API as commands: what is listed, read and made, by the part of the path that names it. */
import { Effect, Option, type Schema } from "effect"
import { Argument } from "effect/cli"
import type { AnyOperation } from "../../engine/calls/operation.ts"
import { toCsvCells, listCsvColumns } from "../../engine/input/csv.ts"
import { entries } from "../../engine/operations.ts"
import { usageFailure } from "../failure.ts"
import { makeOptionalTextFlag } from "../globals.ts"
import type { ServerApi } from "./api.ts"

const prefixes = { merchant: "/v1/", operator: "/operator/v1/" } as const

type Credential = ServerApi["credential"]
type Act = "list" | "get" | "create"

/** Whether an operation responds with figures, such as totals, which are also available as a file (CSV-3). */
const isReport = ({ formats, list, method }: AnyOperation): boolean => method === "GET" && !list && "csv" in formats

/**
 * Finds the name of the resource that an operation acts on, which is its path without the prefix. Undefined: it is not this act,
 * or its resource is below another one.
 */
const findResourceName = (operation: AnyOperation, prefix: string, act: Act): string | undefined => {
  const { createsResource, list, method, names, path } = operation
  if (!path.startsWith(prefix) || path.includes("/search")) return undefined
  const name = path.slice(prefix.length)
  switch (act) {
    case "list":
      return (list || isReport(operation)) && names.length === 0 ? name : undefined
    case "get":
      return !list && method === "GET" && names.length === 1 ? /^([^:]+)\/:\w+$/.exec(name)?.[1] : undefined
    case "create":
      return createsResource && method === "POST" && names.length === 0 ? name : undefined
  }
}

const mapOperations = (credential: Credential, act: Act): ReadonlyMap<string, AnyOperation> =>
  new Map(
    entries.flatMap(({ operation }) => {
      const name = findResourceName(operation, prefixes[credential], act)
      return name === undefined ? [] : [[name, operation] as const]
    })
  )

/** Lists the names of the resources of both credentials, for completions. */
export const listResourceNames = (act: Act): ReadonlyArray<string> =>
  [...new Set([...mapOperations("merchant", act).keys(), ...mapOperations("operator", act).keys()])].toSorted()

export const makeResourceArgument = (act: Act) =>
  Argument.String("resource").pipe(
    Argument.withDescription(
      {
        list: "What is listed: movements, transactions, offramps, customers, audit, stats, transactions/totals, …",
        get: "What is read: offramps, wallets, quotes, merchants, …",
        create: "What is made: customers, wallets, offramps/quotes, offramps, …"
      }[act] + " as in the path of the API"
    )
  )

/** Finds the operation of an act on a resource. Errors: `CommandFailure` with exit code 2 that lists the known resources. */
export const requireOperation = Effect.fnUntraced(function* (credential: Credential, act: Act, resource: string) {
  const operations = mapOperations(credential, act)
  const found = operations.get(resource)
  if (found !== undefined) return found
  return yield* usageFailure(
    `RESOURCE is ${JSON.stringify(resource)}; with ${credential === "merchant" ? "an API key" : "an operator's token"} it takes one of ${[...operations.keys()].toSorted().join(", ")}.`
  )
})

export const fieldsFlag = makeOptionalTextFlag(
  "fields",
  "NAMES",
  "The members that are printed, joined by commas, such as id,status,customer.name"
)

type Ast = Pick<Schema.Top, "ast">

/** Lists the tables of a report's body: the members that are arrays of objects, with the schemas of their rows. */
const listReportTables = ({ ast }: Schema.Top): ReadonlyArray<readonly [name: string, row: Ast]> =>
  ast._tag !== "Objects"
    ? []
    : ast.propertySignatures.flatMap(({ name, type }) =>
        type._tag === "Arrays" ? type.rest.map((row) => [String(name), { ast: row }] as const) : []
      )

/**
 * Chooses the columns of a resource, by default those that `usual` chooses, and makes the function that reads the values of each
 * row of a body.
 */
export const chooseFields = Effect.fnUntraced(function* (
  operation: AnyOperation,
  resource: string,
  fields: Option.Option<string>,
  usual: (names: ReadonlyArray<string>) => ReadonlyArray<string>
) {
  const tables = isReport(operation) ? listReportTables(operation.output) : undefined
  const paths =
    tables === undefined ? listCsvColumns(operation.output) : tables.flatMap(([, row]) => listCsvColumns(row))
  const columns = new Map(paths.map((column) => [column.join("."), column]))
  const byDefault = (all: ReadonlyArray<string>) => (tables === undefined ? usual(all) : all)
  const names = Option.match(fields, {
    onNone: () => byDefault([...columns.keys()]),
    onSome: (text) => text.split(",")
  })
  const unknown = names.find((name) => !columns.has(name))
  if (unknown !== undefined)
    return yield* usageFailure(
      `--fields has ${JSON.stringify(unknown)}; ${resource} have ${[...columns.keys()].join(", ")}.`
    )
  const chosen = names.map((name) => columns.get(name)!)
  const rowsOf = (body: unknown): ReadonlyArray<unknown> =>
    tables === undefined
      ? [body].flat()
      : tables.flatMap(([name]) => (body as Readonly<Record<string, ReadonlyArray<unknown>>>)[name]!)
  return {
    names,
    isReport: tables !== undefined,
    rowsIn: (body: unknown) => rowsOf(body).map((row) => toCsvCells(chosen, row))
  }
})
