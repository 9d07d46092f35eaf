/** The merchant's movements: everything that moved its customers' money. */
import type { Transaction } from "../../../client/generated/resources.ts"
import { to } from "../../frame/base.ts"
import { useQuery } from "../../frame/location.ts"
import { dayStart, Filters } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Money } from "../../parts/money.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Empty } from "../../parts/states.tsx"
import { Status } from "../../parts/status.tsx"
import { type Column, List } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"

/** Deposits have an id of their own; the others that of what was created: the offramp, the transfer. */
export const movementId = ({ id, source_id, type }: Transaction): string => (type === "deposit" ? id : source_id)

export const customerHref = (id: string): string => to(`/customers/${encodeURIComponent(id)}`)

export const movementColumns: ReadonlyArray<Column<Transaction>> = [
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
  { title: "Status", cell: ({ status }) => <Status status={status} /> },
  {
    title: "Amount",
    align: "right",
    cell: ({ source_amount, source_currency }) => <Money amount={source_amount} currency={source_currency} />
  },
  {
    title: "Received",
    align: "right",
    cell: ({ destination_currency, received_amount }) => (
      <Money amount={received_amount} currency={destination_currency} />
    )
  },
  { title: "Reference", wide: true, cell: ({ reference }) => reference ?? <span class="dim">—</span> },
  {
    title: "Customer",
    wide: true,
    cell: ({ customer_id }) => <Id id={customer_id} brief href={customerHref(customer_id)} />
  }
]

const statuses = [
  "created",
  "awaiting_deposit",
  "processing",
  "temporary_failure",
  "received",
  "success",
  "failed",
  "returned"
]

/** Movements by the filters in the URL. `fixed` filters are not offered. */
export const Movements = ({ fixed = {} }: { readonly fixed?: Readonly<Record<string, string>> }) => {
  const { customer_id, from, source_currency, status, type, until, wallet_id } = useQuery().query
  const query = { type, status, source_currency, customer_id, wallet_id, ...fixed }
  const isFiltered = [type, status, source_currency, customer_id, wallet_id, from, until].some(
    (one) => one !== undefined
  )
  const all = [
    { name: "type", label: "Type", options: ["onramp", "offramp", "conversion", "transfer", "deposit"] },
    { name: "status", label: "Status", options: statuses },
    { name: "source_currency", label: "Currency", placeholder: "USDC" },
    { name: "customer_id", label: "Customer", placeholder: "cust_…" },
    { name: "wallet_id", label: "Wallet", placeholder: "wal_…" },
    { name: "from", label: "From", type: "date" },
    { name: "until", label: "Until", type: "date" }
  ] as const
  return (
    <>
      <Filters of={all.filter(({ name }) => !(name in fixed))} />
      <Card flush>
        <List<Transaction>
          caption="Movements, newest first"
          path="/v1/transactions"
          query={{ ...query, created_after: dayStart(from), created_before: dayStart(until, true) }}
          every={5}
          keyOf={({ id }) => id}
          columns={movementColumns}
          empty={
            <Empty title={isFiltered ? "No movement matches" : "No money has moved yet"}>
              {isFiltered
                ? "Change or clear the filters."
                : "Deposits, payouts, conversions and transfers appear here as they happen."}
            </Empty>
          }
        />
      </Card>
    </>
  )
}

export const MovementsPage = () => (
  <Page title="Movements" lead="Everything that moved money, newest first. Open one to see its story.">
    <Movements />
  </Page>
)
