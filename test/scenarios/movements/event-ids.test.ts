/** An event id that its provider has used before: it has one effect for each merchant. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { findExceptions } from "../../support/merchants/payins.ts"
import { covers } from "../../support/repository/covers.ts"

onEveryStore("an event id that was used before", (run) => {
  covers("OPERATOR-5")
  it.each([
    ["has no effect on another movement of its merchant, and is an exception", "same", "ignored", "processing"],
    ["has its own effect on a movement of another merchant", "another", "applied", "failed"],
    ["has its effect where it was of no movement before", "none", "applied", "failed"]
  ])("%s", (_, about, result, status) =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork()
        const n = about === "another" ? yield* merchantAtWork() : m
        const [a, b] = [yield* m.transfer("10"), yield* n.transfer("10")]
        yield* m.settle
        yield* n.settle
        const fails = (resource_id: string) =>
          inbox.receive("simulated", {
            _tag: "movement",
            event_id: `one of ${a.id}`,
            merchant_id: null,
            resource_id,
            outcome: "failed",
            reason: null,
            transaction_hash: null
          })
        const first = about === "none" ? `${a.id.slice(0, -6)}zzzzzz` : a.id
        assert.strictEqual(yield* fails(first), about === "none" ? "ignored" : "applied")
        assert.strictEqual(yield* fails(b.id), result)
        assert.strictEqual(yield* fails(b.id), "duplicate")
        assert.strictEqual(yield* n.status(b.id), status)
        const raised = (yield* findExceptions(b.id)).map(({ reason, resource_kind }) => [reason, resource_kind])
        assert.deepEqual(raised, about === "same" ? [["event_id_reused", "transfer"]] : [])
        if (about !== "another") yield* m.says(about === "same" ? b.id : a.id, "success")
      })
    )
  )

  covers("DEPOSIT-8")
  it("is compared with it without regard to the case of an EVM address, the payer's too", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const says = (target: string, from_address: string) =>
          inbox.receive("simulated", {
            ...{
              _tag: "payin",
              event_id: "one of base",
              payin_id: "p1",
              stage: "confirmed",
              amount: "10",
              currency: "USDC"
            },
            ...{ network: "base", transaction_hash: "0x1", target, from_address, sender: null, narration: null },
            observed_at: 1_780_000_000_000
          } as never)
        const [to, from] = [`0x${"aB".repeat(20)}`, `0x${"cD".repeat(20)}`]
        assert.strictEqual(yield* says(to, from), "ignored")
        assert.strictEqual(yield* says(to.toLowerCase(), from.toLowerCase()), "duplicate")
        assert.strictEqual(yield* says(to, `0x${"cE".repeat(20)}`), "ignored")
      })
    ))

  covers("DEPOSIT-8")
  it.each<
    readonly [string, Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>, "duplicate" | "ignored"]
  >([
    ["a null that is absent", { reason: null, amount: null, complete: false }, {}, "duplicate"],
    ["zeros at the end of an amount", { amount: "10" }, { amount: "10.00" }, "duplicate"],
    [
      "zeros at the end of a fee",
      { fee: "0.50", fee_currency: "NGN" },
      { fee: "0.5", fee_currency: "NGN" },
      "duplicate"
    ],
    [
      "the merchant, which is only where to look first",
      { merchant_id: null },
      { merchant_id: "the merchant" },
      "duplicate"
    ],
    ["ten and one hundred", { amount: "10" }, { amount: "100" }, "ignored"],
    ["a reason", { reason: "declined" }, {}, "ignored"],
    ["whether the parts are all", { complete: true }, {}, "ignored"],
    ["zeros in parts", { parts: [{ id: "1", amount: "10.0" }] }, { parts: [{ id: "1", amount: "10" }] }, "duplicate"]
  ])("is compared with it by what both say: %s", (_, first, second, result) =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork()
        const { id } = yield* m.transfer("10")
        yield* m.settle
        const says = (more: Readonly<Record<string, unknown>>) =>
          inbox.receive("simulated", {
            ...{ _tag: "movement", event_id: `one of ${id}`, resource_id: id, outcome: "success" },
            ...more,
            ...("merchant_id" in more && more["merchant_id"] !== null ? { merchant_id: m.merchant_id } : {})
          } as never)
        yield* says(first)
        assert.strictEqual(yield* says(second), result)
      })
    )
  )
})
