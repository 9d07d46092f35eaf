/** The movements and deposits of all merchants. */
import type { Movement } from "../../client/generated/resources.ts"
import { to } from "../frame/base.ts"
import { moneyColumn } from "../parts/columns.tsx"
import { Id } from "../parts/id.tsx"
import { ListPage } from "../parts/listing.tsx"
import { StatusPill } from "../parts/status.tsx"
import type { Column } from "../parts/table.tsx"
import { words } from "../parts/text.ts"
import { Time } from "../parts/time.tsx"
import { movementKinds } from "../parts/vocabulary.ts"
import { resourceOf } from "./resource-of.ts"

const statuses = [
  "created",
  "awaiting_deposit",
  "received",
  "processing",
  "temporary_failure",
  "success",
  "confirmed",
  "failed",
  "returned"
]

export const movementColumns: ReadonlyArray<Column<Movement>> = [
  moneyColumn("Amount", (row) => ({ amount: row.source_amount, currency: row.source_currency })),
  { title: "Status", cell: (row) => <StatusPill status={row.status} /> },
  { title: "Kind", wide: true, cell: (row) => words(row.type) },
  { title: "Movement", cell: (row) => <Id id={resourceOf(row)} brief /> },
  moneyColumn(
    "Destination",
    (row) => ({ amount: row.received_amount ?? row.destination_amount, currency: row.destination_currency }),
    true
  ),
  { title: "Reference", wide: true, cell: (row) => row.reference ?? <span class="dim">none</span> },
  {
    title: "Merchant",
    wide: true,
    cell: (row) => <a href={to(`/merchants/${row.merchant_id}`)}>{row.merchant_name ?? row.merchant_id}</a>
  },
  { title: "Provider", wide: true, cell: (row) => row.provider ?? <span class="dim">none</span> },
  { title: "Created", cell: (row) => <Time at={row.created_at} /> }
]

export const AllMovementsPage = () => (
  <ListPage<Movement>
    title="Movements"
    lead="Onramps, offramps, conversions, transfers and deposits of all merchants, newest first."
    filters={[
      { name: "kind", label: "Kind", options: movementKinds },
      { name: "status", label: "Status", options: statuses },
      { name: "merchant_id", label: "Merchant", placeholder: "mer_…" },
      { name: "provider", label: "Provider", placeholder: "name" },
      { name: "from", label: "From", type: "date" },
      { name: "until", label: "To", type: "date" }
    ]}
    path="/operator/v1/movements"
    every={5}
    columns={movementColumns}
    empty={["No movement matches", "Clear the filters, or wait: new movements appear here by themselves."]}
  />
)
