/** Words from identifiers. */

/** `temporary_failure` → `Temporary failure`. */
export const words = (name: string): string => {
  const text = name.replaceAll(/[_-]/g, " ")
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** `3 deposits`, `1 deposit`. */
export const counted = (count: number, one: string, many: string = `${one}s`): string =>
  `${count.toLocaleString("en")} ${count === 1 ? one : many}`

/** `4 s`, `2 min 5 s`, `3 h`, `2 d`: the two largest units. */
export const duration = (seconds: number): string => {
  const units: ReadonlyArray<readonly [number, string]> = [
    [86_400, "d"],
    [3600, "h"],
    [60, "min"],
    [1, "s"]
  ]
  let rest = Math.max(0, Math.round(seconds))
  const parts = units.flatMap(([size, unit]) => {
    const count = Math.floor(rest / size)
    rest -= count * size
    return count === 0 ? [] : [`${count} ${unit}`]
  })
  return parts.length === 0 ? (seconds > 0 && seconds < 1 ? "under 1 s" : "0 s") : parts.slice(0, 2).join(" ")
}

/** A share as the API sends it: `0.9731` is `97.3 %`. */
export const percent = (share: string | null): string =>
  share === null ? "none ended" : `${(Number(share) * 100).toFixed(1)} %`

const units: Readonly<Record<string, string>> = {
  Y: "year",
  M: "month",
  W: "week",
  D: "day",
  H: "hour",
  TM: "minute",
  S: "second"
}

/** A duration of the API in words: `PT24H` is `24 hours`, `P1DT2H` is `1 day 2 hours`. */
export const durationWords = (iso: string): string => {
  const [date = "", time = ""] = iso.slice(1).split("T")
  const parts = (text: string, isTime: boolean) =>
    [...text.matchAll(/([\d.]+)([YMWDHS])/g)].map(([, count = "", unit = ""]) =>
      counted(Number(count), units[isTime && unit === "M" ? "TM" : unit] ?? unit)
    )
  return [...parts(date, false), ...parts(time, true)].join(" ") || iso
}
