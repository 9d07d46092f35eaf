/** Movements, volume and success over time, and time to success by corridor. */
import type { Statistics, StatisticsRow } from "../../../client/generated/resources.ts"
import { useMemo } from "preact/hooks"
import { formatNumber, t } from "../../frame/language.ts"
import { to as pageAt, queryOf } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { serviceTime } from "../../frame/clock.ts"
import { useQuery } from "../../frame/location.ts"
import { Choices } from "../../parts/field.tsx"
import { type Bars, Chart } from "../../parts/chart.tsx"
import { volumeColumn } from "../../parts/columns.tsx"
import { Card } from "../../parts/page.tsx"
import { Empty, Show } from "../../parts/states.tsx"
import { TableView } from "../../parts/table.tsx"
import { formatDuration, formatPercent } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"

interface Range {
  readonly label: string
  readonly by: "hour" | "day"
  readonly seconds: number
}

export const ranges: Readonly<Record<string, Range>> = {
  "24h": { label: t("24 hours"), by: "hour", seconds: 86_400 },
  "7d": { label: t("7 days"), by: "day", seconds: 7 * 86_400 },
  "30d": { label: t("30 days"), by: "day", seconds: 30 * 86_400 }
}

/** Finds the beginning of a range, at a full hour, so that equal requests have the same URL. */
const findRangeStart = ({ seconds }: Range): string => {
  const hour = 3_600_000
  return new Date(Math.floor((serviceTime.peek() - seconds * 1000) / hour) * hour).toISOString()
}

const fillBuckets = (
  { rows, from, to }: Statistics,
  by: Range["by"]
): ReadonlyArray<readonly [number, StatisticsRow | undefined]> => {
  const step = by === "hour" ? 3600 : 86_400
  const found = new Map(rows.map((row) => [Date.parse(row.at ?? from) / 1000, row]))
  const first = Math.floor(Date.parse(from) / 1000 / step) * step
  const last = Math.floor((Date.parse(to) / 1000 - 1) / step) * step
  const times = Array.from(
    { length: Math.max(1, Math.min(800, (last - first) / step + 1)) },
    (_, n) => first + n * step
  )
  return times.map((time) => [time, found.get(time)])
}

const listCurrencies = (rows: ReadonlyArray<StatisticsRow>): ReadonlyArray<string> =>
  [...new Set(rows.flatMap(({ volume }) => volume.map(({ currency }) => currency)))].toSorted()

const findVolume = (row: StatisticsRow | undefined, currency: string): string =>
  row?.volume.find((one) => one.currency === currency)?.amount ?? "0"

const Picture = ({
  stats,
  range,
  shown
}: {
  readonly stats: Statistics
  readonly range: Range
  readonly shown: string
}) => {
  const buckets = useMemo(() => fillBuckets(stats, range.by), [stats, range])
  const times = useMemo(() => buckets.map(([time]) => time), [buckets])
  const values = (of: (row: StatisticsRow) => number): ReadonlyArray<number> =>
    buckets.map(([, row]) => (row === undefined ? 0 : of(row)))
  const bars: ReadonlyArray<Bars> =
    shown === ""
      ? [
          { label: t("Succeeded"), color: "good", values: values((row) => row.succeeded) },
          { label: t("Failed"), color: "bad", values: values((row) => row.failed) },
          { label: t("In progress"), color: "wait", values: values((row) => row.open) }
        ]
      : [
          {
            label: t("Volume in {currency}", { currency: shown }),
            color: "wait",
            values: values((row) => Number(findVolume(row, shown)))
          }
        ]
  const share = {
    label: t("Share of success"),
    values: buckets.map(([, row]) =>
      row === undefined || row.success_share === null ? null : Number(row.success_share)
    )
  }
  const known = buckets.flatMap(([, row]) => row ?? [])
  return (
    <>
      <Chart
        label={t("{what} and share of success over the last {duration}", {
          what: shown === "" ? t("Movements") : t("Volume in {currency}", { currency: shown }),
          duration: range.label
        })}
        times={times}
        bars={bars}
        share={share}
      />
      <details>
        <summary>{t("The numbers")}</summary>
        <TableView
          caption={t("Movements over time")}
          rows={known}
          keyOf={({ at }) => at ?? ""}
          columns={[
            { title: range.by === "hour" ? t("Hour") : t("Day"), cell: ({ at }) => <Time at={at} /> },
            { title: t("Movements"), align: "right", cell: ({ count }) => formatNumber(count) },
            { title: t("Succeeded"), align: "right", cell: ({ succeeded }) => formatNumber(succeeded) },
            { title: t("Failed"), align: "right", cell: ({ failed }) => formatNumber(failed) },
            { title: t("Success"), align: "right", cell: ({ success_share }) => formatPercent(success_share) },
            volumeColumn
          ]}
        />
      </details>
    </>
  )
}

/** A bar whose length is a share of the width. It is drawn with attributes: the security policy of the page allows no inline styles. */
const Bar = ({ share }: { readonly share: number }) => (
  <svg class="bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
    <rect width={Math.max(1, Math.min(100, share * 100))} height="8" />
  </svg>
)

const Corridors = ({ rows }: { readonly rows: ReadonlyArray<StatisticsRow> }) => {
  const slowest = Math.max(1, ...rows.map(({ seconds_to_success }) => seconds_to_success?.p95 ?? 0))
  return (
    <TableView
      caption={t("Time to success by corridor")}
      rows={rows}
      keyOf={({ corridor }) => corridor ?? ""}
      columns={[
        { title: t("Corridor"), cell: ({ corridor }) => (corridor ?? t("none")).replace("-", " → ") },
        { title: t("Movements"), align: "right", cell: ({ count }) => formatNumber(count) },
        { title: t("Success"), align: "right", cell: ({ success_share }) => formatPercent(success_share) },
        {
          title: t("Half within"),
          align: "right",
          cell: ({ seconds_to_success: time }) => (time === null ? "–" : formatDuration(time.p50))
        },
        {
          title: t("95 % within"),
          align: "right",
          cell: ({ seconds_to_success: time }) => (time === null ? "–" : formatDuration(time.p95))
        },
        {
          title: t("Compared"),
          cell: ({ seconds_to_success: time }) => (time === null ? "" : <Bar share={time.p95 / slowest} />)
        }
      ]}
      empty={[t("No movements in this time"), t("Choose a longer time.")]}
    />
  )
}

export const OverTime = () => {
  const { query, set } = useQuery()
  const name = query["range"] !== undefined && query["range"] in ranges ? query["range"] : "24h"
  const range = ranges[name]!
  const shown = query["volume"] ?? ""
  const from = findRangeStart(range)
  const overTime = useLoad<Statistics>(`/operator/v1/stats${queryOf({ from, by: range.by })}`, { every: 15 })
  const corridors = useLoad<Statistics>(`/operator/v1/stats${queryOf({ from, by: "corridor" })}`, { every: 15 })
  const currencies = listCurrencies(overTime.answer.value?.data.rows ?? [])
  return (
    <>
      <Card
        title={t("Volume and success")}
        actions={
          <div class="inline-filters">
            <Choices
              attributes={{ "aria-label": t("What is shown") }}
              choices={[
                ["", t("Movements")],
                ...currencies.map((currency) => [currency, t("Volume in {currency}", { currency })] as const)
              ]}
              value={shown}
              onValue={(volume) => set({ volume })}
            />
            <Choices
              attributes={{ "aria-label": t("Time") }}
              choices={Object.entries(ranges).map(([key, { label }]) => [key, label])}
              value={name}
              onValue={(range) => set({ range })}
            />
          </div>
        }
      >
        <Show of={overTime} rows={6}>
          {(stats) =>
            stats.rows.length === 0 ? (
              <Empty title={t("No movements in this time")}>{t("Choose a longer time, or create a movement.")}</Empty>
            ) : (
              <Picture stats={stats} range={range} shown={currencies.includes(shown) ? shown : ""} />
            )
          }
        </Show>
      </Card>
      <Card
        title={t("Time to success by corridor")}
        actions={<a href={pageAt("/statistics")}>{t("Statistics")}</a>}
        flush
      >
        <Show of={corridors}>{(stats) => <Corridors rows={stats.rows} />}</Show>
      </Card>
    </>
  )
}
