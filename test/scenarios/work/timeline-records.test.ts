/** What a timeline has of requests, calls to providers, timers, holds, pauses and deliveries (TIMELINE-5). */
import { Effect } from "effect"
import { assert, expect, it } from "vitest"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import type { Call } from "../../../src/engine/commit/call.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import type { TimelineBody, TimelineEntry } from "../../../src/engine/representations/timeline.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Brakes } from "../../../src/engine/resources/movements/brake.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
import { isInOrder, lines, own, whole } from "../../support/merchants/timelines.ts"
import { covers } from "../../support/repository/covers.ts"

const ofType = <T extends TimelineEntry["type"]>({ entries }: TimelineBody, type: T) =>
  entries.filter((entry): entry is Extract<TimelineEntry, { readonly type: T }> => entry.type === type)
const callsIn = (story: TimelineBody) => lines(story).filter((one) => one.startsWith("call"))

const ada = { id: "opr_1", name: "Ada", role: "treasury" } as const

const keyed = (m: MerchantAtWork, key: string): Call => ({
  ...m.caller,
  key_id: "key_7",
  request_id: `req_${key}`,
  operation: "createTransfer",
  idempotency: { key, fingerprint: key }
})

const day = 86_400

onServers("a timeline", (run) => {
  covers("TIMELINE-5", "TIMELINE-2")
  it("says who asked: the key and the operation, with and without an idempotency key", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const transfers = yield* Transfers
        const input = { wallet_id: m.wallet.id, beneficiary_id: m.beneficiary, amount: "10" }
        const made = yield* transfers.create(keyed(m, "payout-0001"), input)
        const unkeyed = yield* transfers.create({ ...keyed(m, "none"), idempotency: null }, input)
        const expected = { key_id: "key_7", operation: "createTransfer", operator: null }
        for (const story of [yield* whole(made.id), yield* own(m, made.id)]) {
          expect(ofType(story, "request")).toMatchObject([
            {
              ...expected,
              request_id: "req_payout-0001",
              idempotency_key: "payout-0001",
              summary: "The API key key_7 called createTransfer."
            }
          ])
        }
        expect(ofType(yield* whole(unkeyed.id), "request")).toMatchObject([
          { ...expected, request_id: "req_none", idempotency_key: null }
        ])
        yield* m.settle
        for (const { id } of [made, unkeyed]) yield* m.says(id, "success")
      })
    ))

  it("says which operator released a held deposit, and why; to the merchant only that an operator did", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        const { transaction_id } = yield* m.deposit({ amount: "1500" })
        const id = transaction_id!
        expect((yield* whole(id)).waits_for).toMatchObject({
          reason: "awaiting_release",
          sentence: "The deposit is held until an operator releases or rejects it."
        })
        const operator = { ...(yield* call(PLATFORM_MERCHANT)), operator: ada, operation: "releaseDeposit" }
        yield* Deposits.use((s) => s.release(operator, id, "seen the invoice"))
        const story = yield* whole(id)
        isInOrder(story)
        expect(ofType(story, "request").at(-1)).toMatchObject({
          operator: { id: "opr_1", name: "Ada" },
          operation: "releaseDeposit",
          summary: "The operator Ada called releaseDeposit."
        })
        expect(ofType(story, "transition").at(-1)).toMatchObject({ event: "released", note: "seen the invoice" })
        const less = yield* own(m, id)
        expect(ofType(less, "request").at(-1)).toMatchObject({
          operator: { id: null, name: "operator" },
          operation: null,
          request_id: null,
          idempotency_key: null,
          summary: "An operator made a request."
        })
        expect(ofType(less, "transition").at(-1)).toMatchObject({ cause: "operator", note: null })
        expect(JSON.stringify(less)).not.toMatch(/Ada|opr_1|invoice|simulated|world|releaseDeposit/)
      })
    ))

  it("has every look-up of an unknown payout, and a job that keeps the first answers and the latest", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("timeout")
        const { id } = yield* m.transfer("10")
        yield* m.advance(40 * day)
        const story = yield* whole(id)
        isInOrder(story)
        const [submitted, ...looked] = ofType(story, "provider_call")
        expect(submitted).toMatchObject({ provider: "simulated", operation: "submit", attempt: 1 })
        expect(typeof submitted!.latency_ms).toBe("number")
        expect(looked.length).toBeGreaterThan(30)
        expect(new Set(looked.map(({ operation, answer }) => `${operation} ${answer}`))).toEqual(
          new Set(["lookup pending"])
        )
        const attempts = looked.map(({ attempt }) => attempt)
        expect(attempts).toEqual(attempts.map((_, n) => n + 1))
        const job = yield* Storage.use((s) => s.job(m.merchant_id, `${id}.payout`))
        expect(job!.log).toHaveLength(20)
        const times = job!.log.map((one) => new Date((one as { at: number }).at).toISOString())
        const made = [submitted!, ...looked].map(({ at }) => at)
        expect(times).toEqual([...made.slice(0, 5), ...made.slice(-15)])
        yield* m.says(id, "success")
        const ended = yield* whole(id)
        expect(callsIn(ended)).toEqual(callsIn(story))
        expect(lines(ended).slice(-4)).toContain("from simulated: provider.succeeded")
        expect(callsIn(yield* own(m, id))).toEqual([])
      })
    ))

  it("has an accepted submission, one that is lost, and one whose answer is not recorded", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const accepted = (yield* m.transfer("10")).id
        yield* m.settle
        expect(callsIn(yield* whole(accepted))).toEqual(["call simulated submit 1 accepted"])
        const storage = yield* Storage
        // Retention deletes the answer; that there was a submission stays known.
        yield* storage.forget({ sort: "keys", before: Number.MAX_SAFE_INTEGER, limit: 1000 })
        expect(callsIn(yield* whole(accepted))).toEqual(["call simulated submit 1 null"])
        yield* m.says(accepted, "success")
      })
    ))

  it("names the providers that a movement went through", () => {
    const second = makeScriptedProvider("second", "accepted")
    const unavailable = Effect.succeed({ _tag: "unavailable" } as const)
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.transfer("10")
        yield* m.settle
        yield* m.settle
        expect(callsIn(yield* whole(id))).toEqual([
          "call simulated submit 1 unavailable",
          "call second submit 2 accepted"
        ])
        yield* m.advance(120)
        const story = yield* whole(id)
        expect([story.status, callsIn(story).at(-1)]).toEqual(["success", "call second lookup 1 success"])
      }),
      { around: (inner) => withMethods(inner, { submit: () => unavailable }), others: [second.provider] }
    )
  })

  it("has the calls of a refund, also when an event ends it", () => {
    const answers: Array<"lost" | "accepted"> = ["lost", "accepted"]
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        yield* m.refunds("accept")
        const { transaction_id } = yield* m.deposit({ amount: "1500" })
        const id = transaction_id!
        yield* Deposits.use((s) => s.reject(m.operator, id, "sanctioned"))
        yield* m.settle
        yield* m.advance(30)
        const story = yield* whole(id)
        expect(story.waits_for?.reason).toBe("awaiting_refund")
        const before = callsIn(story)
        expect(before[0]).toBe("call simulated refund 1 no answer")
        expect(before.length).toBeGreaterThan(1)
        yield* m.says(id, "success")
        const ended = yield* whole(id)
        isInOrder(ended)
        expect([ended.status, callsIn(ended)]).toEqual(["failed", before])
        expect(lines(ended)).toContain("from simulated: refund.accepted")
      }),
      {
        around: (inner) =>
          withMethods(inner, {
            refund: (command) =>
              Effect.suspend(() =>
                answers.shift() === "lost"
                  ? Effect.fail(new ProviderFault({ message: "no answer" }))
                  : inner.payins!.refund(command)
              )
          })
      }
    )
  })

  it("has the call that issued a deposit address", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* DepositAddresses.use((s) => s.create(m.caller, m.wallet.id, { network: "solana" }))
        yield* m.advance(60)
        const story = yield* whole(id)
        assert.strictEqual(story.status, "active")
        expect(lines(story).filter((one) => /^(call|from)/.test(one))).toEqual([
          "call simulated issue 1 pending",
          "from simulated: provider.issued"
        ])
      })
    ))

  it("says until when a payer may pay, and what became of it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const ramps = yield* onrampsOf(m)
        const { id } = yield* ramps.onramp()
        const waits = (yield* own(m, id)).waits_for
        const [armed] = ofType(yield* own(m, id), "timer")
        expect(waits).toMatchObject({ reason: "awaiting_payment", until: armed!.due_at, next_attempt_at: null })
        expect(waits!.sentence).toMatch(/^The onramp waits for the payer's money\. It has time until .+ UTC\.$/)
        expect(waits!.sentence).toContain(` ${armed!.due_at!.slice(11, 16)} UTC.`)
        yield* ramps.pays(id, "150000")
        yield* m.settle
        const paid = yield* whole(id)
        expect([paid.waits_for?.reason, paid.waits_for?.until]).toEqual(["awaiting_outcome", null])
        expect(lines(paid)).toContain("timer quote_expiry cancelled")
        yield* m.says(id, "success")
        expect((yield* own(m, id)).waits_for).toBeNull()
      })
    ))

  it("has the times of a timer that fired, and of one that was cancelled", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.offramp("10")
        const [armed] = ofType(yield* whole(id), "timer")
        expect(armed).toMatchObject({ name: "quote_expiry", outcome: "armed" })
        yield* m.advance(day)
        const timers = ofType(yield* whole(id), "timer")
        expect(timers.map(({ outcome }) => outcome)).toEqual(["armed", "fired"])
        expect(timers[1]!.at >= timers[1]!.due_at!).toBe(true)
        expect(timers[1]!.due_at).toBe(armed!.due_at)
        expect((yield* whole(id)).status).toBe("failed")
      })
    ))

  it("says that an operator has paused a payout, until it is released", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const brakes = yield* Brakes
        const operator = yield* call(PLATFORM_MERCHANT)
        const brake = yield* brakes.create(operator, { scope: "merchant", merchant_id: m.merchant_id })
        const { id } = yield* m.transfer("10")
        yield* m.settle
        const waits = (yield* whole(id)).waits_for
        expect(waits).toMatchObject({ reason: "paused", sentence: "An operator has paused the transfer." })
        expect((yield* own(m, id)).waits_for?.reason).toBe("processing")
        yield* brakes.release(operator, brake.id, {})
        yield* m.settle
        yield* m.advance(1)
        expect((yield* whole(id)).waits_for?.reason).toBe("awaiting_outcome")
        yield* m.says(id, "success")
      })
    ))

  it("has each attempt of a delivery", () => {
    const statuses: Array<number | null> = [500, null]
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const hooks = yield* WebhookEndpoints
        const url = "http://127.0.0.1:9/hook"
        const { id: endpoint_id } = yield* hooks.create(m.caller, { url, categories: ["transfer"] })
        yield* hooks.update(m.caller, endpoint_id, { active: true })
        const { id } = yield* m.transfer("10")
        yield* m.advance(day / 2)
        const attempts = ofType(yield* whole(id), "delivery")
        expect(attempts.map(({ attempt, outcome, status_code }) => [attempt, outcome, status_code])).toEqual([
          [1, "retried", 500],
          [2, "retried", null],
          [3, "delivered", 200]
        ])
        for (const one of attempts) expect(one).toMatchObject({ url, endpoint_id, event_type: "transfer.processing" })
        expect(attempts[0]!.summary).toBe(`Attempt 1 to deliver transfer.processing to ${url} failed: status 500.`)
        expect(ofType(yield* own(m, id), "delivery")).toEqual(attempts)
        yield* m.says(id, "success")
        yield* m.settle
      }),
      {
        webhooks: MemoryWebhookSink.layer({
          answer: () => ({ response_status: statuses.length > 0 ? statuses.shift()! : 200 })
        })
      }
    )
  })

  it("is the same after a restart, while the resource is under way and when it has ended", async () => {
    const before = await run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("10")
        yield* m.advance(5)
        return { m, id, story: yield* whole(id) }
      })
    )
    await run(
      Effect.gen(function* () {
        const [again, stored] = [yield* whole(before.id), before.story]
        // A memory store ends with its process, but not with its engine.
        expect(again.entries).toEqual(stored.entries)
        assert.isAbove(again.entries.length, 8)
      })
    )
    await run(before.m.says(before.id, "success").pipe(Effect.asVoid) as never)
    await run(Effect.map(whole(before.id), ({ status }) => expect(status).toBe("success")))
  })
})
