/** Counts, success and volume by what one chooses: which merchants fail on a corridor since noon, and why. */
import type { Statistics, StatisticsRow } from "../../../client/generated/resources.ts"
import { to as pageAt, queryOf } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { Filters } from "../../parts/filters.tsx"
import { volumeColumn } from "../../parts/columns.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { type Column, TableView } from "../../parts/table.tsx"
import { duration, percent, words } from "../../parts/text.ts"

const dimensions = ["merchant", "corridor", "operation", "provider", "failure_reason"] as const
type Dimension = (typeof dimensions)[number]

const cellOf: Readonly<Record<Dimension, Column<StatisticsRow>>> = {
  merchant: {
    title: "Merchant",
    cell: ({ merchant_id }) =>
      merchant_id === null || merchant_id === undefined ? (
        ""
      ) : (
        <a href={pageAt(`/merchants/${merchant_id}`)}>{merchant_id}</a>
      )
  },
  corridor: { title: "Corridor", cell: ({ corridor }) => (corridor ?? "none").replace("-", " → ") },
  operation: { title: "Operation", cell: ({ operation }) => words(operation ?? "none") },
  provider: { title: "Provider", cell: ({ provider }) => provider ?? "none" },
  failure_reason: { title: "Failure", cell: ({ failure_reason }) => words(failure_reason ?? "none") }
}

/** What `datetime-local` holds, in UTC. */
const utcOf = (local: string | undefined): string | undefined => {
  const at = local === undefined || local === "" ? undefined : new Date(local)
  return at === undefined || Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}

const chosen = (given: string | undefined): ReadonlyArray<Dimension> => {
  const found = dimensions.filter((one) => (given ?? "").split(",").includes(one))
  return found.length === 0 ? ["merchant", "corridor"] : found
}

/** Whether a row is of the currency that is looked for, on either side of its corridor. */
const isOf = ({ corridor }: StatisticsRow, currency: string): boolean =>
  currency === "" || (corridor ?? "").split("-").includes(currency.toUpperCase())

export const StatisticsPage = () => {
  const { query, set } = useQuery()
  const by = chosen(query["by"])
  const currency = query["currency"] ?? ""
  const stats = useLoad<Statistics>(
    `/operator/v1/stats${queryOf({ from: utcOf(query["from"]), to: utcOf(query["to"]), by: by.join(",") })}`,
    { every: 15 }
  )
  const toggle = (dimension: Dimension): void => {
    const next = by.includes(dimension) ? by.filter((one) => one !== dimension) : [...by, dimension]
    set({ by: next.join(",") })
  }
  return (
    <Page title="Statistics" lead="Exact counts over what is kept. The most failures come first.">
      <Filters
        of={[
          { name: "from", label: "From", type: "datetime-local" },
          { name: "to", label: "To", type: "datetime-local" },
          { name: "currency", label: "Currency", placeholder: "NGN" }
        ]}
      />
      <fieldset class="chips">
        <legend class="unseen">Group by</legend>
        {dimensions.map((dimension) => (
          <label key={dimension} class="chip">
            <input type="checkbox" checked={by.includes(dimension)} onChange={() => toggle(dimension)} />
            {words(dimension)}
          </label>
        ))}
      </fieldset>
      <Card flush>
        <Show of={stats}>
          {({ rows }) => {
            const shown = rows
              .filter((row) => isOf(row, currency))
              .toSorted((a, b) => b.failed - a.failed || b.count - a.count)
            return (
              <TableView
                caption="Statistics"
                rows={shown.slice(0, 500)}
                keyOf={(row) => by.map((one) => (one === "merchant" ? row.merchant_id : row[one]) ?? "").join(" ")}
                columns={[
                  ...by.map((one) => cellOf[one]),
                  { title: "Failed", align: "right", cell: (row) => row.failed.toLocaleString("en") },
                  { title: "Movements", align: "right", cell: (row) => row.count.toLocaleString("en") },
                  { title: "Success", align: "right", cell: (row) => percent(row.success_share) },
                  { title: "Open", align: "right", wide: true, cell: (row) => row.open.toLocaleString("en") },
                  {
                    title: "Half within",
                    align: "right",
                    wide: true,
                    cell: (row) => (row.seconds_to_success === null ? "–" : duration(row.seconds_to_success.p50))
                  },
                  { ...volumeColumn, wide: true }
                ]}
                empty={[
                  "No movement matches",
                  "Clear the filters, or choose a longer time. A currency is found where the corridor is a group."
                ]}
              />
            )
          }}
        </Show>
      </Card>
    </Page>
  )
}
