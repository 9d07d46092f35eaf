/** The text of `/metrics`, read as Prometheus reads it. */
import { Context, Metric } from "effect"
import { metricsText } from "../../../src/http/observability/requests.ts"

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

/**
 * The value of one series of this process, a counter or a gauge; undefined if there is none. It reads that series alone: tests
 * poll it, and a worker has thousands of others.
 */
export const valueOf = (series: string): number | undefined => {
  const [, name, labels] = /^([^{]+)(?:\{(.*)\})?$/.exec(series)!
  const asked = new Map([...(labels ?? "").matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key, value]))
  const found = Metric.snapshotUnsafe(Context.empty()).find(({ attributes = {}, id }) => {
    const its = Object.entries(attributes)
    return id === name && its.length === asked.size && its.every(([key, value]) => asked.get(key) === value)
  })
  if (found === undefined) return undefined
  if (found.type === "Counter") return Number(found.state.count)
  if (found.type === "Gauge") return Number(found.state.value)
  throw new Error(`${name} is a ${found.type}`)
}

/** By how much series have changed since `begin`. */
export const changes = () => {
  const before = seriesOf(metricsText())
  return (...series: ReadonlyArray<string>): ReadonlyArray<number> => {
    const after = seriesOf(metricsText())
    return series.map((one) => (after.get(one) ?? 0) - (before.get(one) ?? 0))
  }
}
