/** Words from identifiers, and figures as a person reads them. */
import { formatNumber, t, translate } from "../frame/language.ts"

/** Spells a name as words: `temporary_failure` → `Temporary failure`. For names that are not ours, such as those of a merchant's metadata. */
export const spell = (name: string): string => {
  const text = name.replaceAll(/[_-]/g, " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Spells a name of the API as English words: a `brake` of the API is a pause. */
export const spellName = (name: string): string => spell(name.replaceAll("brake", "pause"))

/** Spells a name of the API as words, in the language of the console. */
export const words = (name: string): string => translate(spellName(name))

/** Formats a duration in its two largest units: `4 s`, `2 min 5 s`, `3 h`, `2 d`. */
export const formatDuration = (seconds: number): string => {
  const units = [
    [86_400, "{count} d"],
    [3600, "{count} h"],
    [60, "{count} min"],
    [1, "{count} s"]
  ] as const
  let rest = Math.max(0, Math.round(seconds))
  const parts = units.flatMap(([size, unit]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [t(unit, { count })]
  })
  if (parts.length > 0) return parts.slice(0, 2).join(" ")
  return seconds > 0 && seconds < 1 ? t("under {count} s", { count: 1 }) : t("{count} s", { count: 0 })
}

/** Formats a share of the API as a percentage: `0.9731` is `97.3 %`. */
export const formatPercent = (share: string | null): string =>
  share === null
    ? t("none ended")
    : `${formatNumber(Number(share) * 100, { minimumFractionDigits: 1, maximumFractionDigits: 1 })}\u00A0%`

const units = {
  Y: "{count} year|{count} years",
  M: "{count} month|{count} months",
  W: "{count} week|{count} weeks",
  D: "{count} day|{count} days",
  H: "{count} hour|{count} hours",
  TM: "{count} minute|{count} minutes",
  S: "{count} second|{count} seconds"
} as const

/** Describes a duration of the API in words: `PT24H` is `24 hours`, `P1DT2H` is `1 day 2 hours`. */
export const describeDuration = (iso: string): string => {
  const [date = "", time = ""] = iso.slice(1).split("T")
  const parts = (text: string, isTime: boolean) =>
    [...text.matchAll(/([\d.]+)([YMWDHS])/g)].map(([, count = "", unit = ""]) =>
      t(units[(isTime && unit === "M" ? "TM" : unit) as keyof typeof units], { count: Number(count) })
    )
  return [...parts(date, false), ...parts(time, true)].join(" ") || iso
}
