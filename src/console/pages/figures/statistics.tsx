/** Counts, success and volume by what one chooses: which merchants fail on a corridor since noon, and why. */
import type { Statistics, StatisticsRow, Total, Totals } from "../../../client/generated/resources.ts"
import { formatNumber, t } from "../../frame/language.ts"
import { to as pageAt, queryOf } from "../../frame/base.ts"
import { serviceTime } from "../../frame/clock.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { Download } from "../../parts/file.tsx"
import { Filters, byCurrency, toInstant } from "../../parts/filters.tsx"
import { Merchant, Sums } from "../../parts/columns.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { type Column, TableView } from "../../parts/table.tsx"
import { formatDuration, formatPercent, words } from "../../parts/text.ts"

type Row = Partial<StatisticsRow> & Partial<Total> & Pick<StatisticsRow, "count" | "failed" | "succeeded" | "open">

/** What rows are separated by, with the member of a query that lists the movements of a row. `totals`: the word of the totals, which have it too. */
const dimensions = {
  merchant: {
    totals: "merchant",
    queryOf: ({ merchant_id }: Row) => ({ merchant_id }),
    cell: (row: Row) => <Merchant of={row} />
  },
  corridor: {
    totals: undefined,
    queryOf: ({ corridor }: Row) => ({ currency: corridor?.split("-").at(-1) }),
    cell: ({ corridor }: Row) => (corridor ?? t("none")).replace("-", " → ")
  },
  operation: {
    totals: "type",
    queryOf: ({ operation, type }: Row) => ({ kind: operation ?? type }),
    cell: ({ operation, type }: Row) => words(operation ?? type ?? "none")
  },
  provider: {
    totals: "provider",
    queryOf: ({ provider }: Row) => ({ provider: provider ?? undefined }),
    cell: ({ provider }: Row) => provider ?? t("none")
  },
  recipient: {
    totals: "recipient",
    queryOf: ({ beneficiary_id }: Row) => ({ beneficiary_id: beneficiary_id ?? undefined }),
    cell: ({ beneficiary_id, recipient }: Row) =>
      beneficiary_id === null || beneficiary_id === undefined ? (
        t("nobody")
      ) : (
        <a href={pageAt(`/resources/${beneficiary_id}`)}>{recipient}</a>
      )
  },
  failure_reason: {
    totals: "failure_reason",
    queryOf: ({ failure_reason }: Row) => ({ failure_reason: failure_reason ?? undefined }),
    cell: ({ failure_reason }: Row) => words(failure_reason ?? "none")
  }
} as const
type Dimension = keyof typeof dimensions
const names = Object.keys(dimensions) as ReadonlyArray<Dimension>

const chooseDimensions = (given: string | undefined): ReadonlyArray<Dimension> => {
  const found = names.filter((one) => (given ?? "").split(",").includes(one))
  return found.length === 0 ? ["merchant", "corridor"] : found
}

const weekMs = 7 * 86_400_000

/**
 * Reads the rows by the chosen dimensions: from the statistics, or from the totals if recipients are a dimension, which
 * statistics do not have.
 */
const useRows = (
  by: ReadonlyArray<Dimension>,
  currency: string | undefined,
  from: string | undefined,
  to: string | undefined
) => {
  const isByRecipient = by.includes("recipient")
  const ofTotals = by.flatMap((one) => dimensions[one].totals ?? [])
  const start = from ?? new Date(Math.floor((serviceTime.peek() - weekMs) / 3_600_000) * 3_600_000).toISOString()
  const within = { created_after: start, created_before: to }
  const ofStatistics = `/operator/v1/stats${queryOf({ from, to, currency, by: by.join(",") })}`
  const ofRecipients = `/operator/v1/movements/totals${queryOf({ ...within, currency, by: ofTotals.join(",") })}`
  const stats = useLoad<Statistics>(isByRecipient ? null : ofStatistics, { every: 15 })
  const totals = useLoad<Totals>(isByRecipient ? ofRecipients : null, { every: 15 })
  return isByRecipient
    ? { loaded: totals, within, path: ofRecipients }
    : { loaded: stats, within: undefined, path: ofStatistics }
}

/** The choice of the dimensions by which rows are grouped. */
const Dimensions = ({
  chosen: by,
  toggle
}: {
  readonly chosen: ReadonlyArray<Dimension>
  readonly toggle: (dimension: Dimension) => void
}) => (
  <fieldset class="chips">
    <legend class="unseen">{t("Group by")}</legend>
    {names.map((dimension) => (
      <label key={dimension} class="chip">
        <input type="checkbox" checked={by.includes(dimension)} onChange={() => toggle(dimension)} />
        {words(dimension)}
      </label>
    ))}
  </fieldset>
)

/** Makes the columns beside the groups. Each number links to its movements; only totals have the received amounts. */
const makeFigureColumns = (
  hrefOf: (row: Row, more?: object) => string,
  hasReceived: boolean
): ReadonlyArray<Column<Row>> => {
  const count = (row: Row, number: number, more?: object) =>
    number === 0 ? "0" : <a href={hrefOf(row, more)}>{formatNumber(number)}</a>
  const sums = (row: Row, of: Total["sent"] | undefined) => <Sums of={of} href={hrefOf(row, { status: "success" })} />
  return [
    { title: t("Failed"), align: "right", cell: (row) => count(row, row.failed, { status: "failed" }) },
    { title: t("Movements"), align: "right", cell: (row) => count(row, row.count) },
    {
      title: t("Success"),
      align: "right",
      cell: ({ failed, succeeded }) =>
        formatPercent(succeeded + failed === 0 ? null : String(succeeded / (succeeded + failed)))
    },
    { title: t("Open"), align: "right", cell: (row) => formatNumber(row.open) },
    {
      title: t("Half within"),
      align: "right",
      cell: ({ seconds_to_success: time }) => (time ? formatDuration(time.p50) : "–")
    },
    {
      title: t("Taken"),
      align: "right",
      cell: (row) => sums(row, row.sent ?? row.volume)
    },
    ...(!hasReceived
      ? []
      : [
          {
            title: t("Received"),
            align: "right" as const,
            cell: (row: Row) => sums(row, row.received)
          }
        ]),
    {
      title: t("Fees"),
      align: "right",
      cell: (row) => sums(row, row.fees ?? row.revenue)
    }
  ]
}

export const StatisticsPage = () => {
  const { query, set } = useQuery()
  const by = chooseDimensions(query["by"])
  const currency = query["currency"]?.toUpperCase()
  const { loaded, path, within } = useRows(by, currency, toInstant(query["from"]), toInstant(query["to"]))
  const toggle = (dimension: Dimension): void => {
    const next = by.includes(dimension) ? by.filter((one) => one !== dimension) : [...by, dimension]
    set({ by: next.join(",") })
  }
  const shownBy = by.filter((one) => within === undefined || dimensions[one].totals !== undefined)
  return (
    <Page
      title={t("Statistics")}
      lead={t("Exact counts over what is kept. The most failures come first. A number opens its movements.")}
    >
      <Filters
        of={[
          { name: "from", label: t("From"), type: "datetime-local" },
          { name: "to", label: t("To"), type: "datetime-local" },
          byCurrency
        ]}
      />
      <Dimensions chosen={by} toggle={toggle} />
      <Card
        title={t("Movements")}
        actions={
          <Download path={path} query={{ format: "csv" }} name="statistics.csv" isLink>
            {t("CSV")}
          </Download>
        }
        flush
      >
        <Show<{ readonly rows: ReadonlyArray<Row>; readonly from?: string; readonly to?: string }> of={loaded as never}>
          {({ rows, from, to }) => {
            const shown = rows.toSorted((a, b) => b.failed - a.failed || b.count - a.count)
            const time = {
              from: from ?? within?.created_after,
              until: to === undefined ? within?.created_before : new Date(Date.parse(to) - 1).toISOString()
            }
            const hrefOf = (row: Row, more: object = {}): string =>
              pageAt("/movements", {
                ...time,
                currency,
                ...Object.assign({}, ...shownBy.map((one) => dimensions[one].queryOf(row))),
                ...more
              })
            return (
              <TableView<Row>
                caption={t("Statistics")}
                rows={shown.slice(0, 500)}
                keyOf={(row) => JSON.stringify(shownBy.map((one) => dimensions[one].queryOf(row)))}
                columns={[
                  ...shownBy.map((one): Column<Row> => ({ title: words(one), cell: dimensions[one].cell })),
                  ...makeFigureColumns(hrefOf, within !== undefined)
                ]}
                empty={[t("No movement matches"), t("Clear the filters, or choose a longer time.")]}
              />
            )
          }}
        </Show>
      </Card>
    </Page>
  )
}
