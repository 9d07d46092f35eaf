/** Figures over time as bars, with a share as a line. The page shows the same numbers as a table beside it. */
import { useEffect, useRef, useState } from "preact/hooks"
import { locale, formatNumber, t } from "../frame/language.ts"
import { zone } from "../frame/settings.ts"

export type Color = "good" | "bad" | "wait"

export interface Bars {
  readonly label: string
  /** One for each time. They serve the picture only: amounts are texts everywhere else. */
  readonly values: ReadonlyArray<number>
  readonly color: Color
}

export interface ChartProps {
  readonly label: string
  /** Epoch seconds, ascending, at equal distances. */
  readonly times: ReadonlyArray<number>
  /** Stacked on each other, from the ground up. */
  readonly bars: ReadonlyArray<Bars>
  /** Between 0 and 1, on the right axis; `null`: not known. */
  readonly share: { readonly label: string; readonly values: ReadonlyArray<number | null> }
}

const height = 230
const margin = { left: 52, right: 46, top: 10, bottom: 24 }

/** Rounds up to a round number whose quarter is round too. */
const roundUp = (most: number): number => {
  if (most <= 4) return 4
  const unit = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 4, 8, 10].find((step) => step * unit >= most) ?? 10) * unit
}

const formatCompact = (value: number): string => formatNumber(value, { notation: "compact", maximumFractionDigits: 1 })

const formatTimeLabel = (time: number, isDaily: boolean): string =>
  new Date(time * 1000).toLocaleString(locale, {
    ...(isDaily ? { day: "2-digit", month: "short" } : { hour: "2-digit", minute: "2-digit" }),
    // Days of the service are days in UTC.
    ...(zone.value === "utc" || isDaily ? { timeZone: "UTC" } : {})
  })

/** Returns the width of an element, and updates it. */
const useWidth = () => {
  const place = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return { place, width }
}

const Picture = ({ times, bars, share, width }: Omit<ChartProps, "label"> & { readonly width: number }) => {
  const inner = { width: width - margin.left - margin.right, height: height - margin.top - margin.bottom }
  const totals = times.map((_, at) => bars.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))
  const most = roundUp(Math.max(...totals))
  const step = inner.width / times.length
  const thick = Math.min(36, Math.max(1, step * 0.7))
  const x = (at: number): number => margin.left + step * (at + 0.5)
  const y = (part: number): number => margin.top + inner.height * (1 - part)
  const isDaily = (times[1] ?? 0) - (times[0] ?? 0) >= 86_400
  const every = Math.max(1, Math.ceil(times.length / (inner.width / 64)))
  const points = share.values.flatMap((value, at) => (value === null ? [] : [[x(at), y(value)] as const]))
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {[0, 0.25, 0.5, 0.75, 1].map((part) => (
        <g key={part}>
          <line x1={margin.left} x2={width - margin.right} y1={y(part)} y2={y(part)} />
          <text x={margin.left - 8} y={y(part)} class="left">
            {formatCompact(most * part)}
          </text>
          <text x={width - margin.right + 8} y={y(part)}>
            {part * 100} %
          </text>
        </g>
      ))}
      {times.map((time, at) => {
        let below = 0
        return (
          <g key={time}>
            <title>
              {[
                formatTimeLabel(time, isDaily),
                ...bars.map(({ label, values }) => `${label}: ${formatNumber(values[at] ?? 0)}`)
              ].join(", ")}
            </title>
            <rect class="reach" x={x(at) - step / 2} y={margin.top} width={step} height={inner.height} />
            {bars.map(({ color, label, values }) => {
              const part = (values[at] ?? 0) / most
              below += part
              return (
                <rect
                  key={label}
                  class={color}
                  x={x(at) - thick / 2}
                  y={y(below)}
                  width={thick}
                  height={inner.height * part}
                />
              )
            })}
            {at % every === 0 && (
              <text x={x(at)} y={height - 8} class="below">
                {formatTimeLabel(time, isDaily)}
              </text>
            )}
          </g>
        )
      })}
      <polyline class="share" points={points.map(([left, top]) => `${left},${top}`).join(" ")} />
      {points.map(([left, top]) => (
        <circle key={left} class="share" cx={left} cy={top} r={3} />
      ))}
    </svg>
  )
}

export const Chart = ({ label, ...figures }: ChartProps) => {
  const { place, width } = useWidth()
  return (
    <>
      <div class="chart" role="img" aria-label={label} ref={place}>
        {width > 0 && <Picture {...figures} width={width} />}
      </div>
      <ul class="legend">
        {figures.bars.map((one) => (
          <li key={one.label}>
            <span class={`key ${one.color}`} aria-hidden="true" /> {one.label}
          </li>
        ))}
        <li>
          <span class="key share" aria-hidden="true" /> {t("{label}, right axis", { label: figures.share.label })}
        </li>
      </ul>
    </>
  )
}
