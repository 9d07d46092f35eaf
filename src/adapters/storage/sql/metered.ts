/** A driver whose statements are counted and timed. */
import { metrics } from "../../../engine/ports/metrics.ts"
import type { Sql } from "./driver.ts"

const meter = (connection: "commit" | "query", ask: Sql["query"]): Sql["query"] => {
  const [ok, failed] = [
    metrics.trips.of({ connection, result: "ok" }),
    metrics.trips.of({ connection, result: "failed" })
  ]
  const [running, duration] = [metrics.statements.of({ connection }), metrics.tripping.of({ connection })]
  return async (text, params) => {
    const began = performance.now()
    running.change(1)
    try {
      const rows = await ask(text, params)
      ok.record(1)
      return rows
    } catch (error) {
      failed.record(1)
      throw error
    } finally {
      running.change(-1)
      duration.record((performance.now() - began) / 1000)
    }
  }
}

export const addMetrics = (sql: Sql): Sql => ({
  ...sql,
  query: meter("query", sql.query),
  commit: meter("commit", sql.commit)
})
