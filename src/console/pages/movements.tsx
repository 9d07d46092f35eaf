/** The movements and deposits of all merchants. */
import type { Movement } from "../../client/generated/resources.ts"
import { to } from "../frame/base.ts"
import { useQuery } from "../frame/location.ts"
import { dayStart, Filters } from "../parts/filters.tsx"
import { Id } from "../parts/id.tsx"
import { Money } from "../parts/money.tsx"
import { Card, Page } from "../parts/page.tsx"
import { Empty } from "../parts/states.tsx"
import { Status } from "../parts/status.tsx"
import { type Column, List } from "../parts/table.tsx"
import { words } from "../parts/text.ts"
import { Time } from "../parts/time.tsx"

export const movementKinds = ["onramp", "offramp", "conversion", "transfer", "deposit"]

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

/** The resource that a transaction shows: a deposit is its own, any other names its movement. */
export const resourceOf = ({ id, source_id, type }: Pick<Movement, "id" | "source_id" | "type">): string =>
  type === "deposit" ? id : source_id

export const movementColumns: ReadonlyArray<Column<Movement>> = [
  {
    title: "Amount",
    align: "right",
    cell: (row) => <Money amount={row.source_amount} currency={row.source_currency} />
  },
  { title: "Status", cell: (row) => <Status status={row.status} /> },
  { title: "Kind", wide: true, cell: (row) => words(row.type) },
  { title: "Movement", cell: (row) => <Id id={resourceOf(row)} brief /> },
  {
    title: "Destination",
    align: "right",
    wide: true,
    cell: (row) => <Money amount={row.received_amount ?? row.destination_amount} currency={row.destination_currency} />
  },
  { title: "Reference", wide: true, cell: (row) => row.reference ?? <span class="dim">none</span> },
  {
    title: "Merchant",
    wide: true,
    cell: (row) => <a href={to(`/merchants/${row.merchant_id}`)}>{row.merchant_name ?? row.merchant_id}</a>
  },
  { title: "Provider", wide: true, cell: (row) => row.provider ?? <span class="dim">none</span> },
  { title: "Created", cell: (row) => <Time at={row.created_at} /> }
]

export const Movements = () => {
  const { query } = useQuery()
  const { kind, status, merchant_id, provider } = query
  return (
    <Page
      title="Movements"
      lead="Onramps, offramps, conversions, transfers and deposits of all merchants, newest first."
    >
      <Filters
        of={[
          { name: "kind", label: "Kind", options: movementKinds },
          { name: "status", label: "Status", options: statuses },
          { name: "merchant_id", label: "Merchant", placeholder: "mer_…" },
          { name: "provider", label: "Provider", placeholder: "name" },
          { name: "from", label: "From", type: "date" },
          { name: "until", label: "To", type: "date" }
        ]}
      />
      <Card flush>
        <List<Movement>
          path="/operator/v1/movements"
          query={{
            kind,
            status,
            merchant_id,
            provider,
            created_after: dayStart(query["from"]),
            created_before: dayStart(query["until"], true)
          }}
          every={5}
          caption="Movements"
          columns={movementColumns}
          keyOf={({ id }) => id}
          empty={
            <Empty title="No movement matches">
              Clear the filters, or wait: new movements appear here by themselves.
            </Empty>
          }
        />
      </Card>
    </Page>
  )
}
