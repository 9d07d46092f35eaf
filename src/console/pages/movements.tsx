/** Movements and deposits: of all merchants for operators, its own for a merchant. */
import type { Movement, Transaction } from "../../client/generated/resources.ts"
import { to } from "../frame/base.ts"
import { session } from "../frame/session.ts"
import { merchantColumn, moneyColumn, recipientColumn } from "../parts/columns.tsx"
import { type Filter, period } from "../parts/filters.tsx"
import { Id } from "../parts/id.tsx"
import { Listing } from "../parts/listing.tsx"
import { Page } from "../parts/page.tsx"
import { StatusPill } from "../parts/status.tsx"
import type { Column } from "../parts/table.tsx"
import { words } from "../parts/text.ts"
import { Time } from "../parts/time.tsx"
import { movementKinds, movementStatuses } from "../parts/vocabulary.ts"
import { resourceOf } from "./resource-of.ts"

export const customerHref = (id: string): string => to(`/customers/${encodeURIComponent(id)}`)

const common: ReadonlyArray<Column<Transaction>> = [
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: "Movement",
    cell: (row) => (
      <>
        {words(row.type)}
        <br />
        <Id id={resourceOf(row)} brief />
      </>
    )
  },
  { title: "Status", cell: ({ status }) => <StatusPill status={status} /> },
  recipientColumn,
  moneyColumn("Amount", (row) => ({ amount: row.source_amount, currency: row.source_currency })),
  moneyColumn("Recipient receives", (row) => ({
    amount: row.received_amount ?? row.quoted_received_amount,
    currency: row.destination_currency
  })),
  { title: "Reference", wide: true, free: true, cell: ({ reference }) => reference ?? <span class="dim">—</span> }
]

export const movementColumns: ReadonlyArray<Column<Movement>> = [...common, merchantColumn]

export const transactionColumns: ReadonlyArray<Column<Transaction>> = [
  ...common,
  {
    title: "Customer",
    wide: true,
    cell: ({ customer_id }) => <Id id={customer_id} brief href={customerHref(customer_id)} />
  }
]

const ownFilters: ReadonlyArray<Filter> = [
  { name: "type", label: "Kind", options: movementKinds },
  { name: "source_currency", label: "Currency", placeholder: "USDC" },
  { name: "customer_id", label: "Customer", placeholder: "cust_…" },
  { name: "wallet_id", label: "Wallet", placeholder: "wal_…" }
]

const operatorFilters: ReadonlyArray<Filter> = [
  { name: "kind", label: "Kind", options: movementKinds },
  { name: "merchant_id", label: "Merchant", placeholder: "mer_…" },
  { name: "provider", label: "Provider", placeholder: "name" }
]

const filters: ReadonlyArray<Filter> = [
  { name: "status", label: "Status", options: movementStatuses },
  { name: "beneficiary_id", label: "Recipient", placeholder: "ben_…" },
  ...period
]

export const noMovements = [
  "No money has moved yet",
  "Deposits, payouts, conversions and transfers appear here as they happen."
] as const

/** Movements by the filters in the URL. `fixed` filters are not offered. */
export const MovementListing = ({ fixed = {} }: { readonly fixed?: Readonly<Record<string, string>> }) => {
  const isOperator = session.value?.type === "operator"
  const [path, first, columns] = isOperator
    ? (["/operator/v1/movements", operatorFilters, movementColumns] as const)
    : (["/v1/transactions", ownFilters, transactionColumns] as const)
  return (
    <Listing<Movement>
      filters={[...first, ...filters].filter(({ name }) => !(name in fixed))}
      caption="Movements, newest first"
      path={path}
      query={fixed}
      every={5}
      columns={columns}
      empty={noMovements}
      unmatched="No movement matches"
    />
  )
}

export const MovementsPage = () => (
  <Page title="Movements" lead="Everything that moved money, newest first. Open one to see its story.">
    <MovementListing />
  </Page>
)
