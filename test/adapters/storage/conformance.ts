/** The laws of the storage port, checked on every store. */
import { claims } from "./conformance/claims.ts"
import { counters } from "./conformance/counters.ts"
import { events } from "./conformance/events.ts"
import { forget } from "./conformance/forget.ts"
import { gauges } from "./conformance/gauges.ts"
import { holding } from "./conformance/holding.ts"
import { idle } from "./conformance/idle.ts"
import { jobs } from "./conformance/jobs.ts"
import { ledger } from "./conformance/ledger.ts"
import { matches } from "./conformance/matches.ts"
import { measures } from "./conformance/measures.ts"
import { nodeLeases } from "./conformance/nodes.ts"
import { races } from "./conformance/races.ts"
import { rows } from "./conformance/rows.ts"
import { totals } from "./conformance/totals.ts"
import { verdicts } from "./conformance/verdicts.ts"
import type { Nodes } from "./support.ts"

export const conformance = (nodes: Nodes): void => {
  verdicts(nodes)
  rows(nodes)
  idle(nodes)
  gauges(nodes)
  totals(nodes)
  ledger(nodes)
  counters(nodes)
  jobs(nodes)
  claims(nodes)
  nodeLeases(nodes)
  events(nodes)
  forget(nodes)
  holding(nodes)
  matches(nodes)
  measures(nodes)
  races(nodes)
}
