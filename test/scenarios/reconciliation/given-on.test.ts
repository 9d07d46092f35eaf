/** Lines of a provider that had a payout and gave it on (ROUTE-2): what it paid all the same is never lost in silence. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { matchingDesk } from "../../support/statements/desk.ts"
import { readable } from "../../support/statements/readable.ts"

/** The line of a payout at the account of the first provider, which was not there, and the break about it. */
const lineOfFirst = (payout: "is paid by the second" | "is with the second", text: (id: string) => object) => {
  const [first, second] = [makeScriptedProvider("simulated", "unavailable"), makeScriptedProvider("second", "accepted")]
  return Effect.gen(function* () {
    const [m, desk] = [yield* merchantAtWork("100000"), yield* matchingDesk]
    const { id } = yield* m.transfer("7321.55", { retry_on_failure: true })
    yield* m.settle
    assert.deepEqual([first.submitted.length, second.submitted.length], [1, 1])
    const before = yield* m.status(id)
    if (payout === "is paid by the second") {
      const outcome = { outcome: "success", reason: null, transaction_hash: null } as const
      const about = { merchant_id: m.merchant_id, resource_id: id } as const
      yield* (yield* Inbox).receive("second", { _tag: "movement", event_id: "e1", ...about, ...outcome })
      assert.strictEqual(yield* m.status(id), "success")
    }
    const [line] = yield* desk.says([{ amount: "7321.55", ...text(id) }])
    yield* (yield* Dispatcher).drain()
    return { before, id, line: line!, breaks: yield* desk.about(line!.id), status: yield* m.status(id) }
  }).pipe(
    Effect.provide(readable),
    Effect.provide(
      makeSimulatedEngine({
        around: (inner) => ({ ...inner, payouts: first.provider.payouts!, liquidity: first.provider.liquidity! }),
        others: [second.provider]
      })
    ),
    Effect.runPromise
  )
}

covers("BREAK-2", "MATCH-8", "ROUTE-2", "ROUTE-5")
it.each([
  ["is paid by the second", "its command"],
  ["is with the second", "its command"],
  ["is paid by the second", "a bank's text of it"]
] as const)("a payout that %s, and of which the first has a line under %s, is exposed whole", async (payout, under) => {
  const named = (id: string) =>
    under === "its command" ? { end_to_end_id: `${id}.payout` } : { remittance: `PAID ${id}.payout OK` }
  const { before, breaks, id, line, status } = await lineOfFirst(payout, named)
  assert.strictEqual(line.status, "unmatched")
  assert.deepEqual(
    breaks.map(({ actions, exposure, kind, resources, severity }) => ({
      actions,
      exposure,
      kind,
      resources,
      severity
    })),
    [
      {
        actions: ["match", "explain", "dismiss", "unmatch"],
        exposure: { amount: "7321.55", currency: "USDC" },
        kind: "contradicts_status",
        resources: [id],
        severity: "high"
      }
    ]
  )
  // What the provider before has done is no outcome of the one that has it.
  assert.strictEqual(status, payout === "is with the second" ? before : "success")
})
