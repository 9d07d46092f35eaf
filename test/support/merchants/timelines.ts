/** Timelines as a table of lines, for scenarios. */
import { assert } from "vitest"
import { Timelines } from "../../../src/engine/reports/timeline/timeline.ts"
import type { TimelineBody, TimelineEntry } from "../../../src/engine/representations/timeline.ts"
import type { MerchantAtWork } from "./merchant-at-work.ts"

export const whole = (id: string) => Timelines.use((s) => s.whole(id))
export const own = (m: MerchantAtWork, id: string) => Timelines.use((s) => s.own(m.caller, id))

/** An entry in a line, without times and the ids that a test cannot know. */
export const line = (entry: TimelineEntry): string => {
  switch (entry.type) {
    case "request":
      return `request ${entry.operator?.name ?? "merchant"} ${entry.idempotency_key ?? "-"}`
    case "transition":
      return `${entry.version} ${entry.from} > ${entry.to} on ${entry.event}`
    case "posting":
      return `${entry.version} ${entry.amount} ${entry.currency} ${entry.debit.replace(/_.*/, "")} > ${entry.credit.replace(/_.*/, "")}`
    case "provider_call":
      return `call ${entry.provider} ${entry.operation} ${entry.attempt} ${entry.answer}`
    case "provider_event":
      return `from ${entry.provider}: ${entry.event}`
    case "timer":
      return `timer ${entry.name} ${entry.outcome}`
    case "event":
      return `event ${entry.event_sequence} ${entry.event_type}`
    case "delivery":
      return `delivery ${entry.event_type} ${entry.attempt} ${entry.outcome} ${entry.status_code ?? entry.error}`
  }
}
export const lines = ({ entries }: TimelineBody): ReadonlyArray<string> => entries.map(line)

/** What every timeline keeps, whatever it tells. */
export const isInOrder = ({ entries }: TimelineBody): void => {
  const times = entries.map(({ at }) => at)
  assert.deepEqual(times, times.toSorted())
  for (const { summary } of entries) assert.match(summary, /^[A-Za-z0-9].*\.$/)
}
