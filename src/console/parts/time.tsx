/** Times: in the reader's zone, with UTC on hover; a switch in the page's header shows all of them in UTC. */
import type { ComponentChildren } from "preact"
import { locale } from "../frame/language.ts"
import { serviceTime } from "../frame/clock.ts"
import { zone } from "../frame/settings.ts"
import { Said } from "./said.tsx"

const formats = new Map<string, Intl.DateTimeFormat>()
const getFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => {
  const key = JSON.stringify(options)
  const found = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(key, found)
  return found
}

const formatTime = (at: Date, timeZone: string | undefined, seconds: boolean): string =>
  getFormat({
    year: "numeric",
    month: "short",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    ...(seconds ? { second: "2-digit" } : {}),
    ...(timeZone === undefined ? {} : { timeZone }),
    timeZoneName: seconds ? "short" : undefined
  } as Intl.DateTimeFormatOptions).format(at)

export interface TimeProps {
  /** ISO 8601. */
  readonly at: string | null | undefined
  /** Shows seconds and the zone. */
  readonly exact?: boolean
}

export const Time = ({ at, exact = false }: TimeProps) => {
  if (at === null || at === undefined) return <span class="dim">—</span>
  const date = new Date(at)
  const utc = formatTime(date, "UTC", true)
  const local = formatTime(date, undefined, true)
  return (
    <time dateTime={at} title={zone.value === "utc" ? local : utc}>
      {formatTime(date, zone.value === "utc" ? "UTC" : undefined, exact)}
    </time>
  )
}

/** A time as the smaller line of a cell; nothing without a time. */
export const TimeBelow = ({ at }: { readonly at: string | null }) =>
  at === null ? null : (
    <div class="dim">
      <Time at={at} />
    </div>
  )

const formatAgo = (ms: number): string => {
  const seconds = Math.round(Math.abs(ms) / 1000)
  const [count, unit] =
    seconds < 60
      ? [seconds, "second"]
      : seconds < 3600
        ? [Math.round(seconds / 60), "minute"]
        : seconds < 86_400
          ? [Math.round(seconds / 3600), "hour"]
          : [Math.round(seconds / 86_400), "day"]
  return new Intl.RelativeTimeFormat(locale, { numeric: "auto" }).format(ms < 0 ? -count : count, unit as "second")
}

/** A time as a distance from now, by the service's clock: `3 minutes ago`, `in 2 hours`. */
export const Ago = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={formatTime(new Date(at), "UTC", true)}>
    {formatAgo(Date.parse(at) - serviceTime.value)}
  </time>
)

/** How sentences of the server name an instant: `at 09:30 UTC` on the present day, otherwise `on 2026-01-31 at 09:30 UTC`. */
const instants = /(?:on (?<date>\d{4}-\d\d-\d\d) )?at (?<time>\d\d:\d\d) UTC/g

/** A sentence of the server, with its times in the person's chosen zone. */
export const Sentence = ({ of }: { readonly of: string }) => {
  const parts: Array<ComponentChildren> = []
  let end = 0
  for (const { 0: text, groups: { date, time } = {}, index } of of.matchAll(instants)) {
    const day = date ?? new Date(serviceTime.peek()).toISOString().slice(0, 10)
    parts.push(of.slice(end, index), "at ", <Time key={index} at={`${day}T${time}:00.000Z`} />)
    end = index + text.length
  }
  return (
    <Said>
      {parts}
      {of.slice(end)}
    </Said>
  )
}
