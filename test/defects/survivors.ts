/** Defects that no test noticed when the engine was attacked from outside, and the other half of each. */
import { of, type TestedDefect } from "./defect.ts"

export const survivors: ReadonlyArray<TestedDefect> = [
  ...of(
    "src/engine/resources/deposits/exceptions.ts",
    ["test/scenarios/deposits/resolution-limits.test.ts"],
    [
      "a payment in another currency is applied to an expired onramp",
      "e.currency === data.source_currency &&",
      "true &&"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/exceptions.ts",
    ["test/scenarios/deposits/resolution-actions.test.ts"],
    [
      "money that another provider has is applied to an onramp",
      "!isAnothers(subject, e.provider, payinProviderOf) &&",
      "true &&"
    ],
    ["an approval of another provider is applied", "return !isAnothers(session, e.provider) &&", "return"],
    [
      "an exception offers to apply what is valid no more",
      `(action !== "apply" || isApplicable(row, subject, at))`,
      "true"
    ]
  ),
  ...of(
    "src/engine/work/upkeep/Gauges.ts",
    ["test/scenarios/reconciliation/break.test.ts"],
    ["the gauge of the oldest break has the newest of two", "offset: open - 1, limit: 1", "offset: 0, limit: 1"],
    [
      "the gauge of the oldest break has those of both severities",
      "storage.list({ ...asked(`severity=${severity}`), offset",
      "storage.list({ ...asked(), offset"
    ]
  ),
  ...of(
    "src/adapters/storage/migrations/0005_upkeep.sql",
    ["test/adapters/storage/postgres-forget.test.ts"],
    ["what is at the mark of the counters is taken from them when it is forgotten", "f.xid < mark", "f.xid <= mark"],
    ["what is before the mark of the counters stays in them when it is forgotten", "f.xid < mark", "f.xid > mark"]
  ),
  ...of(
    "src/adapters/storage/cells/merge.ts",
    ["test/adapters/storage/cells-merge.test.ts"],
    ["a cell without a free job hides those of the others", "(free_at ?? one.free_at)", "null"],
    ["the free job of the last cell is the first", "Math.min(free_at, one.free_at)", "one.free_at"],
    ["the job of the last cell is the first", "Math.min(due_at, one.due_at)", "one.due_at"]
  ),
  ...of(
    "src/engine/resources/deposits/payin-deposit.ts",
    ["test/scenarios/movements/detected-crossings.test.ts"],
    [
      "a deposit that had to wait loses the rate that was shown at its detection",
      "decide(deps, merchant_id, issued, d, d.exchange, at)",
      "decide(deps, merchant_id, issued, d, undefined, at)"
    ]
  ),
  ...of(
    "src/engine/resources/deposits/exception-credit.ts",
    ["test/scenarios/deposits/resolution-limits.test.ts", "test/scenarios/deposits/exceptions.test.ts"],
    [
      "money that was counted when it arrived is counted again",
      "const counts = e.payin_id !== null && ",
      "const counts = "
    ]
  ),
  ...of(
    "src/machines/kernel/payout.ts",
    ["test/kernel/payout.test.ts", "test/scenarios/movements/unknown.test.ts"],
    [
      "a rejection after a look-up is believed",
      "(context.attempts > 1 || context.lookups > 0)",
      "context.attempts > 1"
    ],
    ["a rejection of a repeat is believed", "(context.attempts > 1 || context.lookups > 0)", "context.lookups > 0"]
  ),
  ...of(
    "src/engine/reports/statistics.ts",
    ["test/scenarios/reports/statistics.test.ts"],
    ["percentiles are those of unsorted durations", "[...seconds].toSorted(([a], [b]) => a - b)", "seconds"]
  ),
  ...of(
    "src/engine/resources/movements/executions.ts",
    ["test/scenarios/movements/executions.test.ts"],
    ...["not_submitted", "another_provider", "contradicted", "unknown", "unreadable"].map(
      (finding): readonly [string, string, string] => [
        `${finding} is safe`,
        `"unreadable"\n])`,
        `"unreadable"\n].filter((one) => one !== "${finding}"))`
      ]
    ),
    ["executions behind a page without a line are not found", "empty === emptyMax", "empty === 1"]
  ),
  ...of(
    "src/engine/work/providers/submissions.ts",
    ["test/scenarios/movements/unknown.test.ts"],
    ["a process that stood still submits", "if ((yield* wallNow) - checked > submissionMs) return\n", ""]
  ),
  ...of(
    "src/cli/server/feed.ts",
    ["test/cli/feed.test.ts"],
    [
      "the cursor stands still over unwanted events",
      "last = event.event_id\n        if (!isWanted(event)) continue\n",
      "if (!isWanted(event)) continue\n        last = event.event_id\n"
    ]
  ),
  ...of(
    "src/engine/ports/Routing.ts",
    ["test/engine/calls/routes.test.ts"],
    [
      "an offer's exact minimum is not offered",
      "toUnits(amount) >= toUnits(minimum)",
      "toUnits(amount) > toUnits(minimum)"
    ],
    [
      "an offer's exact maximum is not offered",
      "toUnits(amount) <= toUnits(maximum)",
      "toUnits(amount) < toUnits(maximum)"
    ]
  ),
  ...of(
    "src/engine/work/deliveries.ts",
    ["test/scenarios/webhooks/deliveries.test.ts"],
    ["the retry schedule goes by claims", "? deps.delays_ms[countAttempts(job)]", "? deps.delays_ms[job.attempt - 1]"]
  ),
  ...of(
    "src/http/serve/composition.ts",
    ["test/http/process/config.test.ts"],
    ["deliveries are kept as long as events", "deliveries: config.keep_deliveries", "deliveries: config.keep_events"],
    [
      "reports are kept as long as deliveries",
      "providerEvents: config.keep_provider_events",
      "providerEvents: config.keep_deliveries"
    ],
    ["events are kept as long as reports", "events: config.keep_events", "events: config.keep_provider_events"]
  ),
  ...of(
    "src/engine/calls/Routes.ts",
    ["test/engine/calls/provider-health.test.ts"],
    ["a breaker that closed is shown as open", "          show(provider, false)\n", ""],
    ["a breaker that opened is shown as closed", "        show(provider, true)\n", ""],
    ["no breaker is shown before it opens", "for (const { name } of (yield* Providers).all) show(name, false)\n", ""]
  ),
  ...of(
    "src/cli/commands/doctor.ts",
    ["test/cli/findings.test.ts"],
    ["a braked provider is well", `health === "healthy" && !paused`, `health === "healthy"`]
  ),
  ...of(
    "src/engine/calls/Routes.ts",
    ["test/engine/calls/routes.test.ts"],
    [
      "a provider that does not answer is asked for each payout",
      "if (answer === undefined) quietUntil.set(",
      "if (answer === null) quietUntil.set("
    ],
    [
      "a corridor's brake is that of its first currency",
      "source_currency: currency, destination_currency }",
      "source_currency: currency, destination_currency: currency }"
    ],
    [
      "a corridor's brake is that of its last currency",
      "source_currency: currency, destination_currency }",
      "source_currency: destination_currency, destination_currency }"
    ]
  ),
  ...of(
    "src/engine/work/queue/Dispatcher.ts",
    ["test/engine/work/dispatcher.test.ts", "test/engine/work/handover.test.ts"],
    [
      "a hint that arrives during a claim is forgotten",
      "woken.closeUnsafe() const before = self.freed[queue] yield* claimAndRun(self, queue)",
      "const before = self.freed[queue]; yield* claimAndRun(self, queue); woken.closeUnsafe()"
    ]
  ),
  ...of(
    "src/engine/work/providers/handover.ts",
    ["test/engine/work/handover.test.ts", "test/scenarios/movements/lost-commits.test.ts"],
    ["jobs of an unknown commit begin at once", `isKept && outcome === "committed"`, `isKept && outcome !== "refused"`],
    ["jobs of a node that lost its lease begin", `isKept && outcome === "committed"`, `outcome === "committed"`]
  ),
  ...of(
    "src/engine/commit/Claims.ts",
    ["test/engine/commit/claims.test.ts", "test/scenarios/movements/lost-commits.test.ts"],
    ["a job that failed is offered at once, for ever", "computeBackoff(firstMs, failures, this.#lease_ms)", "0"],
    ["a job that succeeded is still counted as failing", "this.#failures.delete(joinName(job))", ""]
  ),
  ...of(
    "src/engine/commit/Claims.ts",
    ["test/engine/commit/claims.test.ts", "test/faults/blip.test.ts"],
    [
      "what this node could not run waits for its lease",
      "released: givenBack.offered(query.queue, wall)",
      "released: []"
    ]
  )
]
