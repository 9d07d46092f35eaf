/** The text of `/metrics`, read as Prometheus reads it. */
import { metricsText } from "../../../src/http/telemetry.ts"

/** The value of each series, as `name{label="value"}`. Throws for a line that is not of the format. */
export const seriesOf = (text: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const line of text.split("\n")) {
    if (line === "" || line.startsWith("# ")) continue
    const match = /^([a-z_:][a-z0-9_:]*(?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)+\})?) (\S+)$/i.exec(line)
    if (match === null) throw new Error(`not a sample: ${line}`)
    if (found.has(match[1]!)) throw new Error(`twice: ${line}`)
    found.set(match[1]!, Number(match[2]))
  }
  return found
}

/** The value of one series of this process; undefined if there is none. */
export const valueOf = (series: string): number | undefined => seriesOf(metricsText()).get(series)

/** By how much series have changed since `begin`. */
export const changes = () => {
  const before = seriesOf(metricsText())
  return (...series: ReadonlyArray<string>): ReadonlyArray<number> => {
    const after = seriesOf(metricsText())
    return series.map((one) => (after.get(one) ?? 0) - (before.get(one) ?? 0))
  }
}
