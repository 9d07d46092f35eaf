/** How many movements there are, how they ended, and what they come to: of a list, and of a day or a week by its name. */
import { isOperator } from "../../frame/session.ts"
import type { Total, Totals } from "../../../client/generated/resources.ts"
import { useLocation } from "preact-iso"
import { formatList, formatNumber, t } from "../../frame/language.ts"
import { queryOf, to, type UrlMembers } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { serviceTime } from "../../frame/clock.ts"
import { zone } from "../../frame/settings.ts"
import { dayOf, daysBefore } from "../../parts/day.ts"
import { Choices } from "../../parts/field.tsx"
import { Sums } from "../../parts/columns.tsx"
import { add } from "../../parts/decimal.ts"
import { Download } from "../../parts/file.tsx"
import { byCurrency, byMerchant, findDayEnd, findDayStart, Filters } from "../../parts/filters.tsx"
import { amountText } from "../../parts/money.tsx"
import { Card } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { findTone } from "../../parts/status.tsx"
import { TableView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"

const makeTotalsPath = (): string => `${isOperator() ? "/operator/v1/movements" : "/v1/transactions"}/totals`

/** Reads the totals of the movements that a list has with this query. Its page does not matter. */
export const useTotals = (query: UrlMembers, every = 15) =>
  useLoad<Totals>(makeTotalsPath() + queryOf({ ...query, page: undefined, per_page: undefined }), { every })

/** Sums the amounts of several rows by their currency. */
const sumByCurrency = (rows: ReadonlyArray<Total>, name: "sent" | "received" | "fees"): Total["sent"] => {
  const sums = new Map<string, string>()
  for (const { amount, currency } of rows.flatMap((row) => row[name])) {
    const before = sums.get(currency)
    sums.set(currency, before === undefined ? amount : add(before, amount))
  }
  return [...sums].map(([currency, amount]) => ({ currency, amount }))
}

const formatSums = (of: Total["sent"]): string =>
  formatList(
    of.map(({ amount, currency }) => amountText(amount, currency)),
    "conjunction"
  )

/** How many movements have each status: each number links to them. */
const Counts = ({ of, hrefOf }: { readonly of: ReadonlyArray<Total>; readonly hrefOf: (status: string) => string }) => (
  <>
    {of.map(({ count, status = "" }) => (
      <span key={status} class={`counted ${findTone(status)}`}>
        <a href={hrefOf(status)}>
          {formatNumber(count)} {words(status).toLowerCase()}
        </a>
      </span>
    ))}
  </>
)

/** The totals of a list, in a line; each number of movements links to them. */
export const TotalsLine = ({ query }: { readonly query: UrlMembers }) => {
  const { query: inUrl } = useQuery()
  const { path } = useLocation()
  const { answer } = useTotals({ ...query, by: "status" })
  const rows = answer.value?.data.rows ?? []
  // Of more than are counted, the list says how many there are.
  if (rows.length === 0) return null
  const [sent, received, fees] = [
    sumByCurrency(rows, "sent"),
    sumByCurrency(rows, "received"),
    sumByCurrency(rows, "fees")
  ]
  return (
    <p class="totals" role="group" aria-label={t("Totals of what is listed")}>
      <Counts of={rows} hrefOf={(status) => path + queryOf({ ...inUrl, page: undefined, status })} />
      {sent.length > 0 && <span>{t("taken {sent}", { sent: formatSums(sent) })}</span>}
      {received.length > 0 && <span>{t("received {received}", { received: formatSums(received) })}</span>}
      {fees.length > 0 && (
        <a href={path + queryOf({ ...inUrl, page: undefined, status: "success" })}>
          {t("fees {fees}", { fees: formatSums(fees) })}
        </a>
      )}
    </p>
  )
}

/** Makes the named periods (today, this week, …), from their first day to their last. Weeks begin on Monday. */
export const makePeriods = (
  today: string
): Readonly<Record<string, readonly [label: string, from: string, until: string]>> => {
  const monday = daysBefore(today, (new Date(today).getUTCDay() + 6) % 7)
  const first = `${today.slice(0, 7)}-01`
  const lastMonth = daysBefore(first, 1)
  return {
    today: [t("Today"), today, today],
    yesterday: [t("Yesterday"), daysBefore(today, 1), daysBefore(today, 1)],
    this_week: [t("This week"), monday, today],
    last_week: [t("Last week"), daysBefore(monday, 7), daysBefore(monday, 1)],
    this_month: [t("This month"), first, today],
    last_month: [t("Last month"), `${lastMonth.slice(0, 7)}-01`, lastMonth]
  }
}

/** The paid, received and converted amounts of a period: in both currencies, with the fees. Each figure links to its movements. */
export const PeriodTotals = () => {
  const { query, set } = useQuery()
  const periods = makePeriods(dayOf(serviceTime.value, zone.value === "utc" ? "UTC" : undefined))
  const name = Object.hasOwn(periods, query["period"] ?? "") ? query["period"]! : "today"
  const [label, from, until] = periods[name]!
  const { currency, merchant_id } = query
  const filters = { currency, merchant_id: isOperator() ? merchant_id : undefined }
  const within = { created_after: findDayStart(from), created_before: findDayEnd(until) }
  const asked = { ...filters, ...within, by: "type,status", format: "csv" }
  const totals = useTotals({ ...asked, format: undefined })
  const hrefOf = (type: string, status?: string): string =>
    to("/movements", { ...filters, [isOperator() ? "kind" : "type"]: type, status, from, until })
  const sums = (type: string, of: Total["sent"]) => <Sums of={of} href={hrefOf(type, "success")} />
  return (
    <Card
      title={label}
      actions={
        <div class="inline-filters">
          <Download path={makeTotalsPath()} query={asked} name="totals.csv" isLink>
            {t("CSV")}
          </Download>
          <Choices
            attributes={{ "aria-label": t("When") }}
            choices={Object.entries(periods).map(([key, [text]]) => [key, text])}
            value={name}
            onValue={(period) => set({ period })}
          />
        </div>
      }
      flush
    >
      <Filters of={[...(isOperator() ? [byMerchant] : []), byCurrency]} />
      <Show of={totals}>
        {({ rows }) => (
          <TableView<readonly [type: string, rows: ReadonlyArray<Total>]>
            caption={t("Volumes of {label}", { label: label.toLowerCase() })}
            rows={[...Map.groupBy(rows, ({ type = "" }) => type)]}
            keyOf={([type]) => type}
            columns={[
              { title: t("Kind"), cell: ([type]) => <a href={hrefOf(type)}>{words(type)}</a> },
              {
                title: t("How many"),
                cell: ([type, of]) => <Counts of={of} hrefOf={(status) => hrefOf(type, status)} />
              },
              { title: t("Taken"), align: "right", cell: ([type, of]) => sums(type, sumByCurrency(of, "sent")) },
              { title: t("Received"), align: "right", cell: ([type, of]) => sums(type, sumByCurrency(of, "received")) },
              { title: t("Fees"), align: "right", cell: ([type, of]) => sums(type, sumByCurrency(of, "fees")) }
            ]}
            empty={[t("Nothing moved"), t("Choose another time, or clear the filters.")]}
          />
        )}
      </Show>
    </Card>
  )
}
