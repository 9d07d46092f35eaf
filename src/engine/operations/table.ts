/** Every operation there is: a resource's join here, and so every entry point. */
import { type AnyOperation, type Group, isOperation, type Sections, type Table } from "../calls/operation.ts"
import { accessRequestOperations } from "./access/access-request.ts"
import { apiKeyOperations } from "./access/api-key.ts"
import { merchantOperations } from "./access/merchant.ts"
import { depositOperations } from "./deposits/deposit.ts"
import { exceptionOperations } from "./deposits/exception.ts"
import { conversionOperations } from "./movements/conversion.ts"
import { offrampOperations } from "./movements/offramp.ts"
import { onrampOperations } from "./movements/onramp.ts"
import { quoteOperations } from "./movements/quote.ts"
import { transferOperations } from "./movements/transfer.ts"
import { beneficiaryOperations } from "./parties/beneficiary.ts"
import { customerOperations } from "./parties/customer.ts"
import { senderOperations } from "./parties/sender.ts"
import { verificationOperations } from "./parties/verification.ts"
import { referenceOperations } from "./reference/reference.ts"
import { booksOperations } from "./reports/books.ts"
import { transactionOperations } from "./reports/transaction.ts"
import { sandboxOperations } from "./sandbox/sandbox.ts"
import { depositAddressOperations } from "./wallets/deposit-address.ts"
import { walletOperations } from "./wallets/wallet.ts"
import { walletCredentialOperations } from "./wallets/wallet-credential.ts"
import { eventOperations } from "./webhooks/event.ts"
import { webhookEndpointOperations } from "./webhooks/webhook-endpoint.ts"

/** In the order of the document. */
const declared = [
  merchantOperations,
  apiKeyOperations,
  referenceOperations,
  accessRequestOperations,
  customerOperations,
  verificationOperations,
  walletOperations,
  walletCredentialOperations,
  depositAddressOperations,
  beneficiaryOperations,
  senderOperations,
  quoteOperations,
  onrampOperations,
  offrampOperations,
  conversionOperations,
  transferOperations,
  transactionOperations,
  webhookEndpointOperations,
  eventOperations,
  depositOperations,
  exceptionOperations,
  booksOperations,
  sandboxOperations
] as const satisfies ReadonlyArray<Sections>

export type Declared = (typeof declared)[number]

/** All of them at once, as a list of types is one type that is each of them. */
type Joined<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never
type Named<S extends keyof Sections, D> = D extends { readonly [K in S]: { readonly table: infer T } } ? T : never

/** What a section holds, over all resources. */
export type TableOf<S extends keyof Sections> = Joined<Named<S, Declared>>

type Asked<T> = T extends { readonly "~Services": infer R } ? R : { readonly [K in keyof T]: Asked<T[K]> }[keyof T]

/** The services that operations ask. */
export type Services = { readonly [S in keyof Sections]-?: Asked<TableOf<S>> }[keyof Sections]

const mergeChanges = (tables: ReadonlyArray<Table>, under: string): Table => {
  const names = new Set(tables.flatMap((table) => Object.keys(table)))
  return Object.fromEntries(
    [...names].map((name) => {
      const found = tables.map((table) => table[name]).filter((entry) => entry !== undefined)
      if (found.length === 1) return [name, found[0]!]
      if (found.some(isOperation)) throw new TypeError(`two operations are named ${under}.${name}`)
      return [name, mergeChanges(found as unknown as ReadonlyArray<Table>, `${under}.${name}`)]
    })
  )
}

const tableOf = <S extends keyof Sections>(section: S): TableOf<S> =>
  mergeChanges(
    declared.flatMap((sections: Sections): ReadonlyArray<Table> => {
      const found = sections[section]
      return found === undefined ? [] : [found.table]
    }),
    section
  ) as TableOf<S>

/** The operations by section, as an embedding application finds them. */
export const tables: { readonly [S in keyof Required<Sections>]: TableOf<S> } = {
  merchant: tableOf("merchant"),
  sandbox: tableOf("sandbox"),
  clock: tableOf("clock"),
  merchants: tableOf("merchants"),
  operator: tableOf("operator")
}

export interface Entry {
  readonly group: Group
  readonly operation: AnyOperation
}

const flat = (table: Table): ReadonlyArray<AnyOperation> =>
  Object.values(table).flatMap((entry) => (isOperation(entry) ? [entry] : flat(entry)))

/** Every operation, and the group it stands in: section by section, in the order of the document. */
export const entries: ReadonlyArray<Entry> = (Object.keys(tables) as Array<keyof Sections>).flatMap((section) =>
  declared.flatMap((sections: Sections) => {
    const found = sections[section]
    return found === undefined ? [] : flat(found.table).map((operation) => ({ group: found.group, operation }))
  })
)
