/** What a person asks first of a resource: why, where its money is, and what to do (TIMELINE-7). */
import { Effect } from "effect"
import { assert, expect, it } from "vitest"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { exceptionReasons as consoleReasons } from "../../../src/console/pages/queues/explained.ts"
import { exceptionReasons } from "../../../src/machines/deposits/exception.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { reports } from "../../../src/engine/reports/timeline/explanation.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { permute } from "../../support/properties/permuted.ts"
import { own, whole } from "../../support/merchants/timelines.ts"
import { covers } from "../../support/repository/covers.ts"

const explained = (id: string) => Effect.map(whole(id), ({ explanation }) => explanation)
const sentences = ({ money }: { readonly money: ReadonlyArray<{ readonly summary: string }> }) =>
  money.map(({ summary }) => summary.replaceAll(/(wal|wcr)_\w+/g, "$1"))

onEveryStore("an explanation", (run) => {
  covers("TIMELINE-7")
  it("gives the reason of a failure, in the provider's words to an operator alone, and says that the money is back", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("100")
        yield* m.settle
        yield* m.says(id, "failed", { reason: "account closed" })
        const whole = yield* explained(id)
        expect(whole).toMatchObject({
          reason: "failed",
          message: "The provider could not complete the payout. The full source amount was returned to the wallet.",
          provider_reason: "account closed",
          next_step: "Check the details of the recipient, then start a new one."
        })
        expect(sentences(whole)).toEqual(["100.00 USDC went back to the available balance of wal."])
        const { explanation: mine } = yield* own(m, id)
        expect(mine).toEqual({ ...whole, provider_reason: null })
      })
    ))

  covers("TIMELINE-7", "OUTCOME-5")
  it.each(["temporarily_unavailable", "failed", "refund_failed"] as const)(
    "warns before all of paying again what a provider has reported since: %s",
    (reason) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork()
          const { id } = yield* m.offramp("100")
          yield* m.settle
          yield* m.says(id, reason)
          yield* m.says(id, "success")
          const warning = /^The provider has since reported success\. Do not pay again until exc_\w+ is resolved\./
          for (const explanation of [yield* explained(id), (yield* own(m, id)).explanation]) {
            expect(explanation.reason).toBe(reason)
            expect(explanation.message).toMatch(warning)
            expect(explanation.next_step).toMatch(warning)
          }
        })
      )
  )

  it("says first what is most urgent, in whatever order it was reported, and of one refund too", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        // A part of a return puts more at risk than the success, and is said after it.
        const reported = [
          ["success", { amount: "1.00" }],
          ["temporarily_unavailable"],
          ["returned", { amount: "2.00" }]
        ] as const
        for (const failure of ["failed", "refund_failed"] as const)
          for (const words of permute(reported)) {
            const { id } = yield* m.offramp("100")
            yield* m.settle
            yield* m.says(id, failure)
            for (const [word, more] of words) yield* m.says(id, word, more)
            expect((yield* explained(id)).next_step, words.join()).toMatch(/^The provider has since reported success\./)
          }
        for (const words of permute([["failed"], ["reversed", { amount: "4.00" }]] as const)) {
          const { id } = yield* m.transfer("10")
          yield* m.settle
          yield* m.says(id, "success")
          for (const [word, more] of words) yield* m.says(id, word, more)
          const about = (yield* m.exceptions).filter(({ resource_id }) => resource_id === id)
          expect(about.map(({ exposure }) => exposure?.amount).sort()).toEqual(["10.00", "6.00"])
          const most = about.find(({ exposure }) => exposure?.amount === "10.00")!
          expect((yield* explained(id)).next_step, words.join()).toContain(`Decide ${most.id} before`)
        }
        yield* m.refunds("accept")
        const { id } = yield* (yield* onrampsOf(m)).onramp()
        yield* (yield* onrampsOf(m)).pays(id, "50")
        yield* m.settle
        yield* m.says(id, "refund_failed")
        expect((yield* explained(id)).next_step).toBe("Resolve the exception that holds the money.")
        yield* m.says(id, "success")
        expect((yield* explained(id)).next_step).toMatch(/^The provider has since reported success\. Do not pay again/)
      })
    ))

  covers("TIMELINE-7")
  it("says first what an open exception says of a payout or a deposit that succeeded, to those who decide it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.transfer("10")
        yield* m.settle
        yield* m.says(id, "success")
        yield* m.says(id, "failed")
        const pays = (stage: "confirmed" | "failed") => m.deposit({ amount: "10", payin_id: "recalled", stage })
        const { transaction_id } = yield* pays("confirmed")
        yield* pays("failed")
        for (const [about, found] of [
          [id, "The report contradicts the recorded status."],
          [transaction_id!, "The pay-in failed after it was confirmed."]
        ] as const) {
          const whole = yield* explained(about)
          expect(whole.next_step).toMatch(new RegExp(`^${found} Decide exc_\\w+ before you trust the status\\.$`))
          expect(whole.message).toBe(whole.next_step)
          // The platform decides it, and its merchant has what it was told.
          expect((yield* own(m, about)).explanation.next_step).toBeNull()
        }
      })
    ))

  it("says where the money of a payout is before its outcome and after it, and less of it to its merchant", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.transfer("10")
        expect(sentences(yield* explained(id))).toEqual(["10.00 USDC is in the reserved balance of wal."])
        yield* m.behaves("timeout")
        yield* m.settle
        const unknown = yield* explained(id)
        expect(sentences(unknown)).toEqual(["10.00 USDC is in clearing at simulated: no final outcome is recorded."])
        expect([unknown.reason, unknown.next_step]).toEqual([
          null,
          "Ask the provider about the command. Corridor asks again by itself, and never pays again before an answer."
        ])
        const { explanation: mine } = yield* own(m, id)
        expect([mine.money, mine.next_step]).toEqual([[], "None: Corridor continues by itself."])
        yield* m.says(id, "success")
        const paid = yield* explained(id)
        expect([sentences(paid), paid.next_step]).toEqual([["10.00 USDC was paid out through simulated."], null])
      })
    ))

  it("gives every reason of a hold, and who decides", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        const { transaction_id } = yield* m.deposit({ amount: "1500" })
        const held = yield* explained(transaction_id!)
        expect(held).toMatchObject({
          reason: "tier_limit",
          message: "The deposit exceeds the limit of the customer's tier.",
          next_step: "Release or reject the deposit."
        })
        expect(sentences(held)).toEqual(["1500.00 USDC is in the held balance of wal."])
        const { explanation: mine } = yield* own(m, transaction_id!)
        expect([mine.reason, mine.next_step]).toEqual(["tier_limit", "None: the platform reviews it."])
        yield* (yield* Deposits).release(m.operator, transaction_id!, "seen")
        const released = yield* explained(transaction_id!)
        expect([released.reason, released.next_step]).toEqual([null, null])
        expect(sentences(released)).toEqual(["1500.00 USDC was credited to the available balance of wal."])
      })
    ))

  it("leads from a refund that failed to the exception that has the money", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("100")
        yield* m.settle
        yield* m.says(id, "refund_failed")
        const failed = yield* explained(id)
        expect([failed.reason, failed.next_step]).toEqual([
          "refund_failed",
          "Resolve the exception that holds the money."
        ])
        expect(sentences(failed)).toEqual(["100.00 USDC is in suspense."])
        const { explanation: mine } = yield* own(m, id)
        expect([mine.money, mine.next_step]).toEqual([[], "The platform decides about the money. Contact its support."])
        const [exception] = yield* m.exceptions
        expect(yield* explained(exception!.id)).toMatchObject({
          reason: "refund_failed",
          message: "The provider could not return the money.",
          next_step: "Resolve the exception. `actions` has the resolutions that it takes."
        })
        yield* m.resolve(exception!.id, "dismiss")
        expect((yield* explained(exception!.id)).next_step).toBe(null)
      })
    ))

  covers("TIMELINE-7")
  it.each([
    [
      "credit",
      "100.00 USDC went back to the available balance of wal.",
      "100.00 USDC was credited to the available balance of wal."
    ],
    [
      "dismiss",
      "100.00 USDC left the books through simulated, without a payment.",
      "100.00 USDC left the books through simulated, without a payment."
    ]
  ] as const)(
    "follows the money of a payout into its exception, and out of it by %s",
    (action, ofPayout, ofException) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork()
          const { id } = yield* m.offramp("100")
          yield* m.settle
          yield* m.says(id, "refund_failed")
          const [exception] = yield* m.exceptions
          expect(sentences(yield* explained(exception!.id))).toEqual(["100.00 USDC is in suspense."])
          yield* m.resolve(exception!.id, action)
          const [payout, resolved] = [yield* explained(id), yield* explained(exception!.id)]
          expect([sentences(payout), payout.next_step]).toEqual([[ofPayout], null])
          expect([sentences(resolved), resolved.next_step]).toEqual([[ofException], null])
          const { explanation: mine } = yield* own(m, id)
          expect([sentences(mine), mine.next_step]).toEqual([action === "credit" ? [ofPayout] : [], null])
        })
      )
  )

  covers("TIMELINE-7")
  it("follows the money of a deposit into its conversion, back, and on with what is forwarded", () =>
    run(
      Effect.gen(function* () {
        const way = ways[0]!
        const m = yield* openWay(way)
        const both = Effect.fnUntraced(function* (id: string) {
          const [all, mine] = [yield* explained(id), (yield* own(m, id)).explanation]
          expect(sentences(mine)).toEqual(sentences(all))
          return sentences(all)
        })
        const converted = yield* m.pay(["confirmed"])
        yield* m.finish
        expect(yield* both(converted)).toEqual([`${way.becomes} USDC was credited to the available balance of wal.`])
        const failed = yield* m.pay(["confirmed"])
        yield* m.settle
        const [, conversion] = yield* m.conversions
        expect(sentences(yield* explained(failed))).toEqual([
          `${way.amount} NGN is in clearing at simulated: no final outcome is recorded.`
        ])
        yield* m.says(conversion!.id, "failed")
        expect(yield* both(failed)).toEqual([`${way.amount} NGN is in the balance of wcr.`])
        expect((yield* explained(conversion!.id)).next_step).toMatch(/^Forward what is left/)
        yield* m.advance(1)
        yield* m.forward
        for (const id of [failed, conversion!.id])
          expect(yield* both(id)).toEqual([`${way.amount} NGN was forwarded from the balance of wcr.`])
        expect((yield* explained(conversion!.id)).next_step).toBe(null)
        expect(yield* both(converted)).toEqual([`${way.becomes} USDC was credited to the available balance of wal.`])
      })
    ))

  covers("TIMELINE-7")
  it("follows the money of a rejected deposit: into suspense, and to its payer in the end", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        yield* m.refunds("accept")
        const { transaction_id: id } = yield* m.deposit({ amount: "1500" })
        yield* (yield* Deposits).reject(m.operator, id!, "unclear")
        yield* m.settle
        yield* m.says(id!, "refund_failed")
        const [exception] = yield* m.exceptions
        expect(sentences(yield* explained(id!))).toEqual(["1500.00 USDC is in suspense."])
        yield* m.resolve(exception!.id, "refund")
        yield* m.settle
        expect(sentences(yield* explained(exception!.id))).toEqual(["1500.00 USDC is in suspense."])
        yield* m.says(exception!.id, "success")
        expect(sentences(yield* explained(exception!.id))).toEqual(["1500.00 USDC was paid out through simulated."])
        const refunded = yield* explained(id!)
        expect([sentences(refunded), refunded.next_step]).toEqual([[], null])
      })
    ))

  it("of a payout whose quote expired before it began asks for a new quote", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const quote = yield* m.quote("10")
        yield* m.behaves("hold")
        const { id } = yield* m.execute(quote.id)
        yield* m.advance(301)
        const expired = yield* explained(id)
        expect([expired.reason, expired.next_step]).toEqual(["quote_expired", "Create a new quote."])
        expect(sentences(expired)).toEqual(["10.00 USDC went back to the available balance of wal."])
      })
    ))

  covers("TIMELINE-7")
  it("says of money that came what became of it, and sends nobody to a recipient that it does not have", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const payin = { amount: "10", payin_id: `payin_x_${m.merchant_id}` }
        const { transaction_id } = yield* m.deposit({ ...payin, stage: "detected" })
        yield* m.deposit({ ...payin, stage: "failed" })
        for (const explanation of [yield* explained(transaction_id!), (yield* own(m, transaction_id!)).explanation])
          expect(explanation).toMatchObject({
            reason: "failed",
            message: "The payment failed, or was taken back, before it could be spent.",
            money: [],
            next_step: null
          })

        const way = yield* openWay(ways[1]!)
        yield* way.pay(["confirmed"])
        yield* way.settle
        const { id } = yield* way.conversion
        yield* way.says(id, "failed")
        const failed = yield* explained(id)
        expect(sentences(failed)).toEqual(["100.00 USDC went back to the balance of wcr."])
        expect(failed.next_step).toBe(
          "Forward what is left on the credential: `POST /operator/v1/credentials/{id}/forward`."
        )
        expect((yield* own(way, id)).explanation.next_step).toBe(
          "The platform decides about the money. Contact its support."
        )
        yield* way.forward

        const c = yield* merchantConverting("1000")
        const ramps = yield* onrampsOf(c)
        const small = yield* ramps.onramp("15000.00")
        yield* ramps.pays(small.id, "50.00")
        expect(yield* explained(small.id)).toMatchObject({
          reason: "returned",
          message: "The money goes back to its payer."
        })
        yield* c.settle
        expect(yield* explained(small.id)).toMatchObject({
          reason: "returned",
          message: "The payer's money was refunded, but for what was recalled or did not go back.",
          next_step: "Create a new quote if it is still wanted."
        })
        const converted = yield* c.conversion("10")
        yield* c.settle
        yield* c.says(converted.id, "failed")
        expect((yield* explained(converted.id)).next_step).toBe("Create a new quote if it is still wanted.")
      })
    ))

  covers("DELIVERY-13")
  it("of a delivery has what the receiver answered, also for an operator who has only the endpoint's id", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const endpoints = yield* WebhookEndpoints
        const { id } = yield* endpoints.create(m.caller, {
          url: "http://127.0.0.1:9/hook",
          categories: ["transfer"]
        })
        yield* endpoints.update(m.caller, id, { active: true })
        const transfer = yield* m.transfer("10")
        yield* m.settle
        yield* m.says(transfer.id, "success")
        yield* m.settle
        const { entries } = yield* whole(transfer.id)
        const answers = entries.flatMap((entry) => (entry.type === "delivery" ? [entry.response_body] : []))
        expect(answers.length).toBeGreaterThan(0)
        expect(answers.every((answer) => answer === "thanks")).toBe(true)
        const listed = yield* endpoints.anyDeliveries(m.operator, id, {})
        expect(listed.items.flatMap(({ attempts }) => attempts.map(({ response_body }) => response_body))).toEqual(
          answers
        )
        const none = yield* Effect.flip(endpoints.anyDeliveries(m.operator, "whe_unknown", {}))
        assert.strictEqual(none._tag, "NotFound")
      }),
      { webhooks: MemoryWebhookSink.layer({ answer: () => ({ response_body: "thanks" }) }) }
    ))
})

covers("EXCEPTION-4")
it("each reason of an exception has a sentence of its own, here and in the console, and none says where its money is", () => {
  for (const sentences of [reports, consoleReasons]) {
    expect(Object.keys(sentences).toSorted()).toEqual([...exceptionReasons].toSorted())
    expect(Object.values(sentences).filter((text) => /suspense|had been used|was used/.test(text))).toEqual([])
  }
})
