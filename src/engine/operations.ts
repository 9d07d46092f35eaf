/** All operations of the registry. The entry points are derived from them. */
import { type AnyOperation, type Group, isOperation, type Sections, type Table } from "./calls/operation.ts"
import { type Registered, registry } from "./registry.ts"

const declared: ReadonlyArray<Sections> = registry.map(({ operations }) => operations)

export type Declared = Registered["operations"]

/** The intersection of the members of a union. */
type Joined<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer I) => void ? I : never
type Named<S extends keyof Sections, D> = D extends { readonly [K in S]: { readonly table: infer T } } ? T : never

/** The table of a section, over all resources. */
export type TableOf<S extends keyof Sections> = Joined<Named<S, Declared>>

type ServicesOf<T> = T extends { readonly "~Services": infer R }
  ? R
  : { readonly [K in keyof T]: ServicesOf<T[K]> }[keyof T]

export type OperationServices = { readonly [S in keyof Sections]-?: ServicesOf<TableOf<S>> }[keyof Sections]

/** Merges the tables of several resources into one. `under`: the name of their place, for errors. */
const mergeTables = (tables: ReadonlyArray<Table>, under: string): Table => {
  const names = new Set(tables.flatMap((table) => Object.keys(table)))
  return Object.fromEntries(
    [...names].map((name) => {
      const found = tables.map((table) => table[name]).filter((entry) => entry !== undefined)
      if (found.length === 1) return [name, found[0]!]
      if (found.some(isOperation)) throw new TypeError(`two operations are named ${under}.${name}`)
      return [name, mergeTables(found as unknown as ReadonlyArray<Table>, `${under}.${name}`)]
    })
  )
}

/** Merges the tables of all resources in a section. */
const tableOf = <S extends keyof Sections>(section: S): TableOf<S> =>
  mergeTables(
    declared.flatMap((sections): ReadonlyArray<Table> => {
      const found = sections[section]
      return found === undefined ? [] : [found.table]
    }),
    section
  ) as TableOf<S>

/** The operations by section, as the embedded methods are nested. */
export const tables: { readonly [S in keyof Required<Sections>]: TableOf<S> } = {
  merchant: tableOf("merchant"),
  sandbox: tableOf("sandbox"),
  clock: tableOf("clock"),
  merchants: tableOf("merchants"),
  operator: tableOf("operator")
}

interface GroupedOperation {
  readonly group: Group
  readonly operation: AnyOperation
}

const flattenTable = (table: Table): ReadonlyArray<AnyOperation> =>
  Object.values(table).flatMap((entry) => (isOperation(entry) ? [entry] : flattenTable(entry)))

/** Every operation with its group, by section, in the order of the OpenAPI document. */
export const entries: ReadonlyArray<GroupedOperation> = (Object.keys(tables) as Array<keyof Sections>).flatMap(
  (section) =>
    declared.flatMap((sections) => {
      const found = sections[section]
      return found === undefined
        ? []
        : flattenTable(found.table).map((operation) => ({ group: found.group, operation }))
    })
)
