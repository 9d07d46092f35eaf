/** The merchant's movements: everything that moved its customers' money. */
import type { Transaction } from "../../../client/generated/resources.ts"
import { to } from "../../frame/base.ts"
import { moneyColumn } from "../../parts/columns.tsx"
import { type Filter } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Listing } from "../../parts/listing.tsx"
import { Page } from "../../parts/page.tsx"
import { StatusPill } from "../../parts/status.tsx"
import type { Column } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { movementKinds } from "../../parts/vocabulary.ts"

/** Deposits have an id of their own; the others that of what was created: the offramp, the transfer. */
export const movementId = ({ id, source_id, type }: Transaction): string => (type === "deposit" ? id : source_id)

export const customerHref = (id: string): string => to(`/customers/${encodeURIComponent(id)}`)

export const transactionColumns: ReadonlyArray<Column<Transaction>> = [
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: "Movement",
    cell: (movement) => (
      <>
        {words(movement.type)}
        <br />
        <Id id={movementId(movement)} brief />
      </>
    )
  },
  { title: "Status", cell: ({ status }) => <StatusPill status={status} /> },
  moneyColumn("Amount", ({ source_amount, source_currency }) => ({ amount: source_amount, currency: source_currency })),
  moneyColumn("Received", ({ destination_currency, received_amount }) => ({
    amount: received_amount,
    currency: destination_currency
  })),
  { title: "Reference", wide: true, cell: ({ reference }) => reference ?? <span class="dim">—</span> },
  {
    title: "Customer",
    wide: true,
    cell: ({ customer_id }) => <Id id={customer_id} brief href={customerHref(customer_id)} />
  }
]

const filters: ReadonlyArray<Filter> = [
  { name: "type", label: "Type", options: movementKinds },
  {
    name: "status",
    label: "Status",
    options: [
      "created",
      "awaiting_deposit",
      "processing",
      "temporary_failure",
      "received",
      "success",
      "failed",
      "returned"
    ]
  },
  { name: "source_currency", label: "Currency", placeholder: "USDC" },
  { name: "customer_id", label: "Customer", placeholder: "cust_…" },
  { name: "wallet_id", label: "Wallet", placeholder: "wal_…" },
  { name: "from", label: "From", type: "date" },
  { name: "until", label: "Until", type: "date" }
]

export const noMovements = [
  "No money has moved yet",
  "Deposits, payouts, conversions and transfers appear here as they happen."
] as const

/** Movements by the filters in the URL. `fixed` filters are not offered. */
export const MovementListing = ({ fixed = {} }: { readonly fixed?: Readonly<Record<string, string>> }) => (
  <Listing<Transaction>
    filters={filters.filter(({ name }) => !(name in fixed))}
    caption="Movements, newest first"
    path="/v1/transactions"
    query={fixed}
    every={5}
    columns={transactionColumns}
    empty={noMovements}
    unmatched="No movement matches"
  />
)

export const MovementsPage = () => (
  <Page title="Movements" lead="Everything that moved money, newest first. Open one to see its story.">
    <MovementListing />
  </Page>
)
