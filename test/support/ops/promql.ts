/** What a query of Prometheus uses: its metrics, each with the labels that it selects by, and the labels that it groups by. */
import { parser } from "@prometheus-io/lezer-promql"

export interface Used {
  readonly metrics: ReadonlyArray<{ readonly name: string; readonly labels: ReadonlyArray<string> }>
  readonly grouping: ReadonlyArray<string>
}

/** Throws for a text that is not a query. */
export const parseQuery = (query: string): Used => {
  // Grafana replaces it with a duration.
  const expr = query.replaceAll("$__rate_interval", "5m")
  const metrics: Array<{ name: string; labels: Array<string> }> = []
  const grouping: Array<string> = []
  let isGrouping = false
  parser.parse(expr).iterate({
    enter: ({ from, name, to, type }) => {
      const text = expr.slice(from, to)
      if (type.isError) throw new SyntaxError(`not a query at ${from}: ${query}`)
      if (name === "VectorSelector") metrics.push({ name: "", labels: [] })
      else if (name === "Identifier" && metrics.at(-1)?.name === "") metrics.at(-1)!.name = text
      else if (name === "GroupingLabels") isGrouping = true
      else if (name === "LabelName") (isGrouping ? grouping : metrics.at(-1)!.labels).push(text)
    },
    leave: ({ name }) => {
      if (name === "GroupingLabels") isGrouping = false
    }
  })
  return { metrics, grouping }
}
