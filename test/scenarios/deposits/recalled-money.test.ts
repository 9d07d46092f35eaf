/**
 * What becomes of a recall and of its own money: what it exposes, what was counted and booked, is computed from what is stored (OUTCOME-9,
 * EXCEPTION-5, LIMITS-13, ADJUST-3).
 */
import { Clock, Effect } from "effect"
import { assert, it } from "vitest"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { Kinds } from "../../../src/engine/commit/kind.ts"
import { world } from "../../../src/machines/kernel/ledger.ts"
import { readMovements } from "../../../src/engine/resources/reconciliation/books.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { MoneyLimits } from "../../../src/engine/resources/controls/limit.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { findLatestRefund } from "../../../src/engine/resources/deposits/refund-reports.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { payinEvent } from "../../support/merchants/payins.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { whole } from "../../support/merchants/timelines.ts"
import { covers } from "../../support/repository/covers.ts"

let serial = 0

/** A pay-in as the provider tells it, confirmed, which becomes an exception. */
const reported = Effect.fnUntraced(function* (target: string, amount: string, more: Partial<PayinEvent> = {}) {
  const now = yield* Clock.currentTimeMillis
  const id = `recalled.${++serial}.${target}`
  const inbox = yield* Inbox
  yield* inbox.receive(
    "simulated",
    payinEvent({ event_id: `${id}.e`, payin_id: `${id}.p`, target, amount, observed_at: now, ...more })
  )
  const { items } = yield* (yield* Exceptions).list({ status: "open", per_page: 200 })
  return items.find(({ provider_event }) => (provider_event as PayinEvent | null)?.event_id === `${id}.e`)!
})

/** A recall that keeps 150,000 naira of an onramp that its provider did not execute. */
const keeping = Effect.gen(function* () {
  const m = yield* merchantCollecting
  yield* m.refunds("accept")
  const { id } = yield* m.onramp()
  const payin_id = `payin_${id}`
  yield* m.pays(id, "150000", { payin_id })
  yield* m.settle
  yield* m.pays(id, "150000", { payin_id, stage: "failed" })
  yield* m.says(id, "temporarily_unavailable")
  const [recall] = yield* m.exceptions
  assert.deepInclude(recall!, { amount: "150000.00", severity: "low", exposure: null })
  const shown = Effect.map(
    Effect.flatMap(Exceptions, (exceptions) => exceptions.get(recall!.id)),
    ({ amount, exposure, severity, status }) => [status, severity, amount, exposure?.amount ?? null]
  )
  return { m, recall: recall!.id, shown }
})

onMemory("a recall that keeps the money of its pay-in", (run) => {
  covers("OUTCOME-9", "EXCEPTION-5")
  it.each(["success", "failed"] as const)("exposes it from its refund on, until that has failed: %s", (outcome) =>
    run(
      Effect.gen(function* () {
        const { m, recall, shown } = yield* keeping
        yield* m.resolve(recall, "refund")
        yield* m.settle
        assert.deepEqual(yield* shown, ["open", "high", "150000.00", "150000.00"])
        yield* m.says(recall, outcome === "success" ? "success" : "refund_failed")
        assert.deepEqual(
          yield* shown,
          outcome === "success" ? ["open", "high", null, "150000.00"] : ["open", "low", "150000.00", null]
        )
      })
    )
  )

  it("exposes what is credited of it, to a wallet of its merchant or of another, and is open until that is decided", () =>
    run(
      Effect.gen(function* () {
        const { m, recall, shown } = yield* keeping
        const other = yield* merchantAtWork("0")
        const { id: wallet_id } = yield* (yield* Wallets).create(other.caller, { currency: "NGN" })
        const exceptions = yield* Exceptions
        const credited = yield* exceptions.resolve(m.operator, recall, { action: "credit", wallet_id, note: "n" })
        assert.deepInclude(credited, {
          ...{ status: "open", severity: "high", amount: null, actions: ["dismiss"] },
          ...{ action: "credit", resolved_at: null }
        })
        assert.deepEqual(yield* shown, ["open", "high", null, "150000.00"])
        yield* m.resolve(recall, "dismiss")
        assert.deepEqual((yield* shown)[0], "resolved")
        // No bank has paid what was credited, however the recall ends: its deposit is at the platform's own account.
        const deps = { storage: yield* Storage, kinds: yield* Kinds }
        const account = { account: world("simulated"), currency: "NGN", time_zone: "UTC" }
        const steps = yield* readMovements(deps, account, [yield* m.rowOf(recall)])
        assert.deepEqual(
          steps.filter(({ direction }) => direction === "debit"),
          []
        )
        const { explanation } = yield* whole(recall)
        assert.notMatch(JSON.stringify(explanation.money), /paid out through/)
      })
    ))

  covers("ADJUST-3")
  it.each(["credit", "refund"] as const)("does not have it again when a write-off is reversed: %s", (action) =>
    run(
      Effect.gen(function* () {
        const { m, recall, shown } = yield* keeping
        const { id: wallet_id } = yield* (yield* Wallets).create(m.caller, { currency: "NGN" })
        const exceptions = yield* Exceptions
        const entries = yield* AdjustingEntries
        const credit = action === "credit" ? { wallet_id } : {}
        yield* exceptions.resolve(m.operator, recall, { action, note: "n", ...credit })
        yield* m.settle
        if (action === "refund") yield* m.says(recall, "success")
        const { id } = yield* entries.create(m.operator, {
          ...{ from: "losses", to: "world:simulated", amount: "150000", currency: "NGN" },
          ...{ note: "written off", exception_id: recall }
        })
        yield* entries.reverse(m.operator, id, { note: "too early" })
        assert.deepEqual(yield* shown, ["open", "high", null, "150000.00"])
        assert.deepEqual((yield* exceptions.get(recall)).actions, ["dismiss"])
      })
    )
  )

  covers("REFUND-4", "OUTCOME-7")
  it("exposes less when its refund comes back, or does not arrive as a whole", () =>
    run(
      Effect.gen(function* () {
        const { m, recall, shown } = yield* keeping
        yield* m.resolve(recall, "refund")
        yield* m.settle
        const report = Effect.fnUntraced(function* (outcome: "success" | "failed", more: object = {}) {
          const command_id = findLatestRefund(yield* m.rowOf(recall))
          yield* (yield* Inbox).receive("simulated", {
            ...{ _tag: "refund", event_id: `${recall} ${outcome}`, merchant_id: null, resource_id: recall, command_id },
            ...{ outcome, reason: null, transaction_hash: null, ...more }
          } as never)
        })
        yield* report("success", { amount: "100000", currency: "NGN" })
        assert.deepEqual(yield* shown, ["open", "high", null, "100000.00"])
        yield* report("failed")
        assert.deepEqual(yield* shown, ["open", "low", null, null])
        assert.sameDeepMembers(
          (yield* m.exceptions).map(({ amount, reason }) => [reason, amount]),
          [
            ["recalled", null],
            ["partial_refund", "50000.00"],
            ["refund_bounced", "100000.00"]
          ]
        )
      })
    ))

  covers("LIMITS-13", "LIMITS-4")
  it("keeps counted of limits what was paid out of its money", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const limits = yield* MoneyLimits
        const { id: limit } = yield* limits.create(m.operator, {
          scope: "merchant",
          id: m.merchant_id,
          operations: ["exception_credit"],
          window: { rolling: "P7D" },
          currency: "NGN",
          max_amount: "1000000"
        } as never)
        const used = Effect.map(limits.get(limit), ({ body }) => body.used_amount)
        const { id } = yield* m.onramp()
        const payin_id = `payin_${id}`
        yield* m.pays(id, "150000", { payin_id })
        yield* m.pays(id, "150000", { payin_id, stage: "failed" })
        const [recall] = yield* m.exceptions
        assert.strictEqual(recall!.amount, "150000.00")
        const says = Effect.fnUntraced(function* (resource: string, amount: string) {
          const command_id = findLatestRefund(yield* m.rowOf(resource))
          yield* (yield* Inbox).receive("simulated", {
            _tag: "refund",
            event_id: `l${++serial}`,
            merchant_id: null,
            resource_id: resource,
            outcome: "success",
            reason: null,
            transaction_hash: null,
            command_id,
            amount,
            currency: "NGN"
          } as never)
        })
        yield* m.resolve(recall!.id, "refund")
        yield* m.settle
        assert.strictEqual(yield* used, "150000.00")
        yield* says(recall!.id, "100000")
        assert.strictEqual(yield* used, "150000.00")
        const [part] = yield* m.exceptions
        assert.deepInclude(part!, { reason: "partial_refund", amount: "50000.00" })
        yield* m.resolve(part!.id, "refund")
        yield* m.settle
        // 150,000 and 50,000 were decided; the first paid 100,000 of it. It never counts less than what was paid.
        assert.isAtLeast(Number(yield* used), 150000)
        const { data } = yield* m.rowOf(recall!.id)
        assert.strictEqual((data as { action: string | null }).action, "refund")
      }),
      {
        around: (provider) =>
          withMethods(provider, {
            refund: () => Effect.succeed({ _tag: "accepted" } as never),
            lookupRefund: () => Effect.succeed({ _tag: "pending" } as never)
          })
      }
    ))
})

onMemory("the recall of a pay-in", (run) => {
  covers("ADJUST-2", "ADJUST-3")
  it("has an entry reversed although the money of its onramp was kept since", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const entries = yield* AdjustingEntries
        const { id } = yield* m.onramp()
        const payin_id = `payin_${id}`
        yield* m.pays(id, "150000", { payin_id })
        yield* m.settle
        yield* m.pays(id, "150000", { payin_id, stage: "failed" })
        const [recall] = yield* m.exceptions
        const money = { amount: "150000.00", currency: "NGN", note: "n" }
        const entry = yield* entries.create(m.operator, {
          from: "losses",
          to: "world:simulated",
          exception_id: recall!.id,
          ...money
        })
        yield* m.says(id, "temporarily_unavailable")
        assert.deepInclude((yield* m.exceptions)[0]!, { id: recall!.id, amount: "150000.00", exposure: null })
        const reversal = yield* Effect.result(entries.reverse(m.operator, entry.id, { note: "nothing was lost" }))
        assert.strictEqual(reversal._tag, "Success", JSON.stringify(reversal))
      })
    ))

  it("has an entry reversed although it was opened again and dismissed since, and is open again", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        const entries = yield* AdjustingEntries
        yield* m.refunds("accept")
        const payin_id = `payin_${m.merchant_id}`
        const { transaction_id: id } = yield* m.deposit({ amount: "1500", payin_id })
        yield* (yield* Deposits).reject(m.operator, id!, "sanctioned")
        yield* m.settle
        const row = yield* m.rowOf(id!)
        const word = {
          _tag: "refund",
          merchant_id: null,
          resource_id: id!,
          outcome: "success",
          reason: null,
          transaction_hash: null,
          command_id: findLatestRefund(row),
          amount: "900",
          currency: "USDC"
        }
        yield* (yield* Inbox).receive("simulated", { ...word, event_id: `e${++serial}` } as never)
        yield* m.deposit({ amount: "1500", payin_id, stage: "failed" })
        const recall = (yield* m.exceptions).find(({ reason }) => reason === "recalled")!
        assert.strictEqual(recall.exposure?.amount, "900.00")
        const entry = yield* entries.create(m.operator, {
          from: "losses",
          to: "world:simulated",
          exception_id: recall.id,
          amount: "900",
          currency: "USDC",
          note: "n"
        })
        const part = (yield* m.exceptions).find(({ reason }) => reason === "partial_refund")!
        yield* m.resolve(part.id, "credit")
        const again = (yield* m.exceptions).find(({ id }) => id === recall.id)!
        assert.strictEqual(again.exposure?.amount, "1500.00")
        yield* m.resolve(recall.id, "dismiss")
        const reversal = yield* Effect.result(entries.reverse(m.operator, entry.id, { note: "booked twice" }))
        assert.strictEqual(reversal._tag, "Success", JSON.stringify(reversal))
        assert.include(
          (yield* m.exceptions).map(({ id }) => id),
          recall.id
        )
      })
    ))

  covers("EXCEPTION-5")
  it("is as urgent where the onramp was revived, and its provider then says that it returned the money", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantCollecting
        const { deposit_instruction, id } = yield* m.onramp("150000")
        const observed_at = yield* Clock.currentTimeMillis
        yield* m.advance(40 * 60)
        const late = yield* reported(deposit_instruction!.depositReference, "150000", { currency: "NGN", observed_at })
        yield* (yield* Exceptions).resolve(m.operator, late.id, { action: "apply", note: "n" })
        yield* m.settle
        const word = late.provider_event as PayinEvent
        yield* inbox.receive("simulated", { ...word, event_id: `${word.event_id}.1`, stage: "failed" })
        yield* m.says(id, "temporarily_unavailable")
        assert.deepInclude(yield* m.collected(id), { status: "returned" })
        yield* m.says(id, "returned")
        const raised = (yield* m.exceptions).find(({ reason }) => reason === "contradicts_state")
        assert.deepInclude(raised!, { severity: "high" })
      })
    ))

  it("is as urgent under the id of another event as under its own", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("0")
        const payin_id = `payin_${m.merchant_id}`
        yield* m.deposit({ amount: "700", payin_id, currency: "USDT" })
        const [{ id, provider_event } = { id: "", provider_event: null }] = yield* m.exceptions
        yield* m.resolve(id, "refund")
        yield* m.settle
        const word = provider_event as PayinEvent
        yield* inbox.receive("simulated", { ...word, stage: "failed" })
        const raised = (yield* m.exceptions).find(({ reason }) => reason === "event_id_reused")
        assert.deepInclude(raised!, { severity: "high", exposure: { amount: "700.00", currency: "USDT" } })
      })
    ))
})
