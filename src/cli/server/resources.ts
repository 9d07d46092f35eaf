/** The resources of the API as commands: what is listed, read and made, by the part of the path that names it. */
import { Effect, Option } from "effect"
import { Argument } from "effect/cli"
import type { AnyOperation } from "../../engine/calls/operation.ts"
import { toCsvCells, csvColumnsOf } from "../../engine/input/csv.ts"
import { entries } from "../../engine/operations.ts"
import { usageFailure } from "../failure.ts"
import { optionalText } from "../globals.ts"
import type { ServerApi } from "./api.ts"

const prefixes = { merchant: "/v1/", operator: "/operator/v1/" } as const

type Credential = ServerApi["credential"]
type Act = "list" | "get" | "create"

/** The path of a resource, without the prefix, where an operation is the act on it. A resource that is under another one has none. */
const nameIn = (
  { createsResource, list, method, names, path }: AnyOperation,
  prefix: string,
  act: Act
): string | undefined => {
  if (!path.startsWith(prefix) || path.includes("/search")) return undefined
  const name = path.slice(prefix.length)
  switch (act) {
    case "list":
      return list && names.length === 0 ? name : undefined
    case "get":
      return !list && method === "GET" && names.length === 1 ? /^([^:]+)\/:\w+$/.exec(name)?.[1] : undefined
    case "create":
      return createsResource && method === "POST" && names.length === 0 ? name : undefined
  }
}

const operationsOf = (credential: Credential, act: Act): ReadonlyMap<string, AnyOperation> =>
  new Map(
    entries.flatMap(({ operation }) => {
      const name = nameIn(operation, prefixes[credential], act)
      return name === undefined ? [] : [[name, operation] as const]
    })
  )

/** The names of the resources of both credentials, for completions. */
export const resourceNames = (act: Act): ReadonlyArray<string> =>
  [...new Set([...operationsOf("merchant", act).keys(), ...operationsOf("operator", act).keys()])].toSorted()

export const resourceArgument = (act: Act) =>
  Argument.String("resource").pipe(
    Argument.withDescription(
      {
        list: "What is listed: movements, transactions, offramps, customers, audit, …",
        get: "What is read: offramps, wallets, quotes, merchants, …",
        create: "What is made: customers, wallets, offramps/quotes, offramps, …"
      }[act] + " as in the path of the API"
    )
  )

/** The operation of an act on a resource. Errors: `CommandFailure` with 2 that names the resources which there are. */
export const operationOn = Effect.fnUntraced(function* (credential: Credential, act: Act, resource: string) {
  const operations = operationsOf(credential, act)
  const found = operations.get(resource)
  if (found !== undefined) return found
  return yield* usageFailure(
    `RESOURCE is ${JSON.stringify(resource)}; with ${credential === "merchant" ? "an API key" : "an operator's token"} it takes one of ${[...operations.keys()].toSorted().join(", ")}.`
  )
})

export const fieldsFlag = optionalText(
  "fields",
  "NAMES",
  "The members that are printed, joined by commas, such as id,status,customer.name"
)

/** The members of a resource, of which `usual` are chosen where nobody names others, and a row of their values. */
export const fieldsOf = Effect.fnUntraced(function* (
  operation: AnyOperation,
  resource: string,
  fields: Option.Option<string>,
  usual: (names: ReadonlyArray<string>) => ReadonlyArray<string>
) {
  const columns = new Map(csvColumnsOf(operation.output).map((column) => [column.join("."), column]))
  const names = Option.match(fields, { onNone: () => usual([...columns.keys()]), onSome: (text) => text.split(",") })
  const unknown = names.find((name) => !columns.has(name))
  if (unknown !== undefined)
    return yield* usageFailure(
      `--fields has ${JSON.stringify(unknown)}; ${resource} have ${[...columns.keys()].join(", ")}.`
    )
  const chosen = names.map((name) => columns.get(name)!)
  return { names, cellsOf: (row: unknown) => toCsvCells(chosen, row) }
})
