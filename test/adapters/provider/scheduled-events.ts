/** Runs the simulated provider's scheduled events as a dispatcher does: claims, runs and completes them. */
import { Clock, Effect } from "effect"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import type { ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { EMPTY, Storage } from "../../../src/engine/ports/Storage.ts"
import { wallNow } from "../../../src/engine/ports/Time.ts"

const claimed = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  return yield* storage.claim({
    queue: "simulated",
    now: yield* Clock.currentTimeMillis,
    wall: yield* wallNow,
    lease_ms: 60_000,
    token: yield* ids.make("lease"),
    limit: 100,
    per_partition: 100,
    busy: []
  })
})

/** All events due by now, in order. With `complete` false, the claimer crashes before it completes the job. */
export const receivedEvents = Effect.fnUntraced(function* ({ complete = true }: { readonly complete?: boolean } = {}) {
  const storage = yield* Storage
  const sandbox = yield* Sandbox
  const events: Array<ProviderEvent> = []
  for (;;) {
    const jobs = yield* claimed
    if (jobs.length === 0) return events
    for (const job of jobs) {
      events.push(...(yield* sandbox.run(job)))
      if (!complete) continue
      yield* storage.commit({
        merchant_id: job.merchant_id,
        at: yield* Clock.currentTimeMillis,
        lease: { job: job.id, token: job.lease! },
        ...EMPTY
      })
    }
  }
})

/** The content of an event without ids: `success`, `confirmed 10.00`, `issued`. */
export const summaryOf = (event: ProviderEvent): string =>
  event._tag === "movement" || event._tag === "verification"
    ? event.outcome
    : event._tag === "payin"
      ? `${event.stage} ${event.amount}`
      : event._tag === "refund"
        ? `refund ${event.outcome}`
        : event._tag
