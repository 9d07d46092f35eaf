/** `npm run ops`: writes the dashboard, the alert rules and the list of metrics. A test fails when they are stale. */
import { writeFileSync } from "node:fs"
import { stringify } from "yaml"
import { families } from "../src/http/observability/requests.ts"
import { alerts, runbookUrl } from "./ops/alerts.ts"
import { dashboard } from "./ops/dashboard.ts"

const rules = () => ({
  groups: alerts.map(({ alerts: those, group }) => ({
    name: `corridor-${group}`,
    rules: those.map((one) => ({
      alert: one.name,
      expr: one.expr,
      for: one.for,
      labels: { severity: one.severity },
      annotations: { summary: one.summary, description: one.description, runbook_url: runbookUrl(one.runbook) }
    }))
  }))
})

/** Each file that is written, by its path, with its text. */
export const files = (): Readonly<Record<string, string>> => {
  const lines = families
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      ({ description, labels, name, type }) =>
        `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${description} |`
    )
  return {
    "ops/grafana/corridor.json": `${JSON.stringify(dashboard(), null, 2)}\n`,
    "ops/prometheus/alerts.yaml": `# Written by npm run ops, from scripts/ops/alerts.ts.\n${stringify(rules(), { lineWidth: 0 })}`,
    "docs/metrics.md": `# Metrics

The families of \`GET /metrics\`. \`npm run ops\` writes this page. [Operating](guides/operate.md#metrics) shows how to scrape them,
[ops/grafana/corridor.json](../ops/grafana/corridor.json) is a dashboard, and
[ops/prometheus/alerts.yaml](../ops/prometheus/alerts.yaml) has alert rules, each with a [runbook](runbooks).

Gauges about the store are the same on every node: take \`max by\`. Counters and histograms are those of one node: take \`sum\`.

| Family | Type | Labels | What it shows |
|---|---|---|---|
${lines.join("\n")}
`
  }
}

if (import.meta.main) for (const [path, text] of Object.entries(files())) writeFileSync(path, text)
