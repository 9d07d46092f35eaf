/**
 * Exceptions and how each can end: its money in a wallet, back with its payer, applied, or out of the books
 * (EXCEPTION-2).
 */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { makeReceiver, memoryReceiverStore, type ReceivedEvent } from "../../../src/receiver/index.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { type MerchantAtWork, merchantAtWork, eventLine } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { onServers, type Run } from "../../support/engines/every-store.ts"
import { day, verifying } from "../../support/merchants/verification.ts"
import { permute } from "../../support/properties/permuted.ts"
import { depositAddressOf, payinEvent } from "../../support/merchants/payins.ts"

const balances = (available: string, held = "0.00") => ({ available, reserved: "0.00", held })

let serial = 0

/** A pay-in as the provider tells it, confirmed. */
const reported = Effect.fnUntraced(function* (target: string, amount: string, more: Partial<PayinEvent> = {}) {
  const inbox = yield* Inbox
  const now = yield* Clock.currentTimeMillis
  const id = `exc${++serial}.${target}`
  yield* inbox.receive(
    "simulated",
    payinEvent({
      event_id: `${id}.e`,
      payin_id: `${id}.p`,
      target,
      amount,
      observed_at: now,
      ...more
    })
  )
  const exceptions = yield* Exceptions
  const { items } = yield* exceptions.list({ status: "open", per_page: 200 })
  return items.find(({ provider_event }) => (provider_event as PayinEvent | null)?.event_id === `${id}.e`)!
})

const resolve = Effect.fnUntraced(function* (
  m: Pick<MerchantAtWork, "operator">,
  id: string,
  action: "refund" | "credit" | "apply" | "dismiss",
  wallet_id?: string
) {
  const exceptions = yield* Exceptions
  return yield* exceptions.resolve(m.operator, id, {
    action,
    note: "seen",
    ...(wallet_id === undefined ? {} : { wallet_id })
  })
})

/** What stands in suspense, of all merchants. */
const suspense = Effect.flatMap(Storage, (storage) =>
  Effect.map(storage.trialBalance, ({ classes }) =>
    classes
      .filter((one) => one.class === "suspense" && one.balance !== "0")
      .map(({ currency, balance }) => [currency, balance])
  )
)

const shared = (run: Run): void => {
  covers("EXCEPTION-2")
  it("money that was sent to nobody reaches another merchant's wallet as an ordinary deposit, once, and counts", () =>
    run(
      Effect.gen(function* () {
        const exceptions = yield* Exceptions
        const m = yield* merchantAtWork("0", "tier_0")
        const before = yield* suspense
        const { id, merchant_id } = yield* reported("nobody", "900")
        assert.strictEqual(merchant_id, PLATFORM_MERCHANT)
        assert.strictEqual((yield* Effect.flip(resolve(m, id, "credit")))._tag, "InvalidInput")
        const resolved = yield* resolve(m, id, "credit", m.wallet.id)
        const { credited } = resolved
        const transaction_id = credited!.transaction_id
        // The response comes after the second commit, as a read would.
        assert.deepEqual(resolved, yield* exceptions.get(id))
        assert.deepInclude(resolved, { status: "resolved", action: "credit", actions: [] })
        assert.deepEqual(yield* m.balance, balances("900.00"))
        assert.deepEqual(credited, { merchant_id: m.merchant_id, wallet_id: m.wallet.id, transaction_id })
        assert.strictEqual((yield* Effect.flip(resolve(m, id, "credit", m.wallet.id)))._tag, "InvalidStatus")
        // As after a crash between its two commits, and on two nodes: again and again.
        yield* Effect.all(
          [1, 2, 3].map((n) => exceptions.credit(PLATFORM_MERCHANT, id, { deduplicationKey: `test/${id}/${n}` })),
          { concurrency: "unbounded" }
        )
        yield* m.settle
        assert.deepEqual(yield* m.balance, balances("900.00"))
        assert.deepEqual(yield* suspense, before)
        assert.deepInclude(yield* m.body(transaction_id), {
          type: "deposit",
          source_type: "exception_credit",
          source_id: id,
          status: "success",
          to_wallet_id: m.wallet.id,
          received_amount: "900.00"
        })
        assert.deepEqual((yield* m.published(transaction_id)).map(eventLine), ["1 deposit.confirmed null>confirmed"])
        yield* m.deposit({ amount: "100.01" })
        assert.deepEqual(yield* m.balance, balances("900.00", "100.01"))
      })
    ))

  covers("EXCEPTION-4")
  it("each lists the actions that its event and money allow, and none when it is resolved; the list is filtered", () =>
    run(
      Effect.gen(function* () {
        const exceptions = yield* Exceptions
        const m = yield* merchantCollecting
        const { deposit_instruction, id: onramp } = yield* m.onramp("150000")
        const observed_at = yield* Clock.currentTimeMillis
        const nobodys = yield* reported("nobody", "12")
        yield* m.advance(40 * 60)
        const late = yield* reported(deposit_instruction!.depositReference, "150000", { currency: "NGN", observed_at })
        assert.deepEqual(nobodys.actions, ["refund", "credit", "dismiss"])
        assert.deepEqual(late.actions, ["refund", "credit", "apply", "dismiss"])
        for (const action of nobodys.actions.slice(1)) {
          const { id } = yield* reported("nobody", "12")
          const resolved = yield* resolve(m, id, action, action === "credit" ? undefined : m.wallet.id).pipe(
            Effect.catchTag("InvalidInput", () => resolve(m, id, "dismiss"))
          )
          assert.deepEqual(resolved.actions, [])
        }
        assert.deepEqual((yield* resolve(m, late.id, "apply")).actions, [])
        const ids = (filters: Parameters<typeof exceptions.list>[0]) =>
          Effect.map(exceptions.list({ per_page: 200, ...filters }), ({ items }) => items.map(({ id }) => id))
        assert.deepEqual(yield* ids({ merchant_id: m.merchant_id }), [late.id])
        assert.include(yield* ids({ merchant_id: PLATFORM_MERCHANT, severity: "low" }), nobodys.id)
        assert.notInclude(yield* ids({ severity: "high" }), nobodys.id)
        assert.include(yield* ids({ reason: "unknown_target" }), nobodys.id)
        assert.deepEqual(yield* ids({ reason: "unreadable_amount" }), [])
        assert.notInclude(yield* ids({ status: "open" }), late.id)
        assert.deepEqual(yield* ids({ resource_id: onramp }), [late.id])
        assert.deepEqual(yield* ids({ resource_id: onramp, status: "open" }), [])
        yield* resolve(m, nobodys.id, "dismiss")
        yield* m.settle
        yield* m.says(onramp, "success")
      })
    ))

  covers("EXCEPTION-2")
  it("no limit holds what the operator credits, and the wallet named must hold the currency", () =>
    run(
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const m = yield* merchantAtWork("0", "tier_0")
        yield* m.deposit({ amount: "1", stage: "failed" })
        const { address, network } = yield* depositAddressOf(m.merchant_id, m.wallet.id)
        const { id } = yield* reported(address, "5000", { currency: "USDT", network })
        const refused = yield* Effect.flip(resolve(m, id, "credit", m.wallet.id))
        assert.match(refused.message, /holds USDC, but the money is in USDT/)
        assert.strictEqual((yield* Effect.flip(resolve(m, id, "credit")))._tag, "InvalidInput")
        const tethers = yield* wallets.create(m.caller, { currency: "USDT", customer_id: m.customer! })
        const { credited, status } = yield* resolve(m, id, "credit", tethers.id)
        assert.strictEqual(status, "resolved")
        assert.deepEqual((yield* wallets.get(m.caller, tethers.id)).body.balance, balances("5000.00"))
        assert.deepEqual((yield* m.published(credited!.transaction_id)).map(eventLine), [
          "1 deposit.confirmed null>confirmed"
        ])
        yield* m.deposit({ amount: "0.01" })
        assert.deepEqual(yield* m.balance, balances("0.00", "0.01"))
      })
    ))

  covers("EXCEPTION-2")
  it("a payment made in time and told of late is applied at the locked rate; one made late is not", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const in_time = yield* m.onramp("150000")
        const late = yield* m.onramp("150000")
        const made = yield* Clock.currentTimeMillis
        yield* m.advance(40 * 60)
        assert.strictEqual(yield* m.status(in_time.id), "failed")
        const paid = { currency: "NGN" } as const
        const early = yield* reported(in_time.deposit_instruction!.depositReference, "150000", {
          ...paid,
          observed_at: made
        })
        const after = yield* reported(late.deposit_instruction!.depositReference, "150000", paid)
        assert.deepEqual([early.reason, after.reason], ["late_funding", "late_funding"])
        assert.strictEqual((yield* Effect.flip(resolve(m, after.id, "apply")))._tag, "InvalidStatus")
        yield* resolve(m, early.id, "apply")
        yield* m.settle
        yield* m.says(in_time.id, "success")
        assert.deepInclude(yield* m.collected(in_time.id), {
          status: "success",
          failure_reason: null,
          received_amount: "98.90"
        })
        assert.deepEqual((yield* m.published(in_time.id)).map(eventLine).slice(1), [
          "2 onramp.failed awaiting_deposit>failed",
          "3 onramp.funds_received =failed",
          "4 onramp.processing failed>processing",
          "5 onramp.success processing>success"
        ])
        yield* resolve(m, after.id, "refund")
        yield* m.settle
        assert.deepEqual(yield* m.exceptions, [])
      })
    ))

  covers("ONRAMP-10")
  it("what is applied and then refused is returned to its payer, because that it failed was told before", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { deposit_instruction, id } = yield* m.onramp("150000")
        const observed_at = yield* Clock.currentTimeMillis
        yield* m.advance(40 * 60)
        const late = yield* reported(deposit_instruction!.depositReference, "150000", { currency: "NGN", observed_at })
        yield* resolve(m, late.id, "apply")
        yield* m.settle
        yield* m.says(id, "failed")
        yield* m.settle
        assert.deepInclude(yield* m.collected(id), { status: "returned", failure_reason: "returned" })
        assert.deepEqual((yield* m.published(id)).map(({ type }) => type).slice(1), [
          "onramp.failed",
          "onramp.funds_received",
          "onramp.processing",
          "onramp.returned"
        ])
        assert.deepEqual(yield* m.exceptions, [])
        // Its receiver finds nothing that contradicts, in any order.
        const { merchant_id } = m
        const { items } = yield* (yield* Storage).events({ merchant_id, object_id: id, offset: 0, limit: 10 })
        const events = items.map(({ body }) => JSON.parse(body) as ReceivedEvent)
        const toldIn = async (order: ReadonlyArray<ReceivedEvent>) => {
          const { objects, ...store } = memoryReceiverStore()
          const { take } = makeReceiver({ secrets: [], store })
          for (const event of order) assert.notStrictEqual(await take(event), "contradicting")
          assert.strictEqual(objects.get(id)?.status, "returned")
        }
        for (const order of permute(events)) yield* Effect.promise(() => toldIn(order))
      })
    ))

  covers("ONRAMP-9", "EXCEPTION-2")
  it("what is applied and then taken back before it is submitted is not paid out; afterwards it is told with what is at risk", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantCollecting
        const before = yield* suspense
        const applied = Effect.fnUntraced(function* () {
          const { deposit_instruction, id } = yield* m.onramp("150000")
          const observed_at = yield* Clock.currentTimeMillis
          yield* m.advance(40 * 60)
          const paid = { currency: "NGN", observed_at } as const
          const late = yield* reported(deposit_instruction!.depositReference, "150000", paid)
          yield* resolve(m, late.id, "apply")
          yield* m.settle
          const word = late.provider_event as PayinEvent
          const recall = (n: number) =>
            inbox.receive("simulated", {
              ...word,
              event_id: `${word.event_id}.${n}`,
              stage: "failed",
              observed_at: observed_at + n
            })
          return { id, recall }
        })
        yield* m.behaves("hold")
        const waiting = yield* applied()
        for (const n of [1, 2]) yield* waiting.recall(n)
        yield* m.behaves("accept")
        yield* m.advance(60)
        assert.deepInclude(yield* m.collected(waiting.id), {
          status: "returned",
          failure_reason: "returned",
          failure_reason_message: recalledMessage
        })
        const [freed, ...others] = yield* m.exceptions
        assert.deepEqual(others, [])
        assert.deepInclude(freed!, { reason: "recalled", severity: "low", exposure: null, amount: "150000.00" })
        yield* resolve(m, freed!.id, "dismiss")
        assert.deepEqual(yield* suspense, before)

        const submitted = yield* applied()
        for (const n of [1, 2]) yield* submitted.recall(n)
        const exposure = { amount: "150000.00", currency: "NGN" }
        const [exposed, ...more] = yield* m.exceptions
        assert.deepEqual(more, [])
        assert.deepInclude(exposed!, { reason: "recalled", severity: "high", exposure, amount: null })
        yield* m.says(submitted.id, "success")
        assert.strictEqual((yield* m.balance).available, "98.90")
      })
    ))

  covers("ONRAMP-9")
  it.each(["hold", "unavailable"] as const)(
    "what was taken back while its onramp waits to be submitted says that it was recalled, and not that it was refunded: %s",
    (behaviour) =>
      run(
        Effect.gen(function* () {
          const inbox = yield* Inbox
          const m = yield* merchantCollecting
          yield* m.behaves(behaviour)
          const { deposit_instruction, id } = yield* m.onramp("150000")
          const word = (stage: "confirmed" | "failed") =>
            payinEvent({
              ...{ event_id: `${id}.${stage}`, payin_id: `${id}.paid`, target: deposit_instruction!.depositReference },
              ...{ stage, amount: "150000", currency: "NGN" }
            })
          yield* inbox.receive("simulated", word("confirmed"))
          if (behaviour === "unavailable") yield* m.settle
          assert.strictEqual((yield* m.rowOf(id)).state, behaviour === "hold" ? "queued" : "waiting")
          yield* inbox.receive("simulated", word("failed"))
          assert.deepInclude(yield* m.collected(id), { status: "failed", failure_reason_message: recalledMessage })
          const [freed] = yield* m.exceptions
          assert.deepInclude(freed!, { reason: "recalled", severity: "low", amount: "150000.00" })
          yield* resolve(m, freed!.id, "dismiss")
          yield* m.behaves("accept")
        })
      )
  )

  it("what was taken back before it could be applied is not applied any more", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantCollecting
        const before = yield* suspense
        const { deposit_instruction, id } = yield* m.onramp("150000")
        const observed_at = yield* Clock.currentTimeMillis
        yield* m.advance(40 * 60)
        const late = yield* reported(deposit_instruction!.depositReference, "150000", { currency: "NGN", observed_at })
        const word = late.provider_event as PayinEvent
        yield* inbox.receive("simulated", { ...word, event_id: `${word.event_id}.failed`, stage: "failed" })
        assert.strictEqual((yield* Effect.flip(resolve(m, late.id, "apply")))._tag, "InvalidStatus")
        assert.strictEqual(yield* m.status(id), "failed")
        yield* resolve(m, late.id, "dismiss")
        assert.deepEqual(yield* suspense, before)
      })
    ))

  covers("EXCEPTION-2")
  it("an approval that came after its link had lapsed is applied, and lifts the limit", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { balance, pay } = yield* m.payer()
        yield* pay("1500")
        const { id } = yield* m.start()
        yield* m.advance(2 * day)
        yield* m.says(id, "approved")
        assert.deepEqual(yield* m.kycStatus, ["expired", "tier_0"])
        const exceptions = yield* Exceptions
        const { items } = yield* exceptions.list({ status: "open", per_page: 200 })
        const raised = items.find(({ resource_id }) => resource_id === id)!
        const operator = { ...m.caller, merchant_id: PLATFORM_MERCHANT }
        yield* resolve({ operator }, raised.id, "apply")
        assert.deepEqual(yield* m.kycStatus, ["approved", "tier_1"])
        assert.deepEqual(yield* balance, balances("1500.00"))
        assert.strictEqual((yield* Effect.flip(resolve({ operator }, raised.id, "apply")))._tag, "InvalidStatus")
      })
    ))

  covers("EXCEPTION-2", "KYC-6")
  it("an approval that is applied late leaves open the session for another tier that was begun meanwhile", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { id } = yield* m.start()
        yield* m.advance(2 * day)
        const higher = yield* m.start({ tier: "tier_2" })
        yield* m.says(id, "approved")
        const exceptions = yield* Exceptions
        const { items } = yield* exceptions.list({ status: "open", per_page: 200 })
        const raised = items.find(({ resource_id }) => resource_id === id)!
        yield* resolve({ operator: { ...m.caller, merchant_id: PLATFORM_MERCHANT } }, raised.id, "apply")
        assert.deepEqual(yield* m.kycStatus, ["approved", "tier_1"])
        assert.deepEqual(yield* m.start(), { ...higher, tier_current: "tier_1" })
        assert.deepEqual(
          (yield* m.sessions).map((one) => [one.id, one.status]),
          [
            [higher.id, "pending"],
            [id, "approved"]
          ]
        )
        yield* m.says(higher.id, "approved")
        assert.deepEqual(yield* m.kycStatus, ["approved", "tier_2"])
      })
    ))

  covers("EXCEPTION-2")
  it("what could not be given back is credited as a deposit of its movement's family, or dismissed; the history has the note", () =>
    run(
      Effect.gen(function* () {
        const books = yield* LedgerReports
        const m = yield* merchantAtWork("100")
        const before = yield* suspense
        const lost = Effect.fnUntraced(function* () {
          const { id } = yield* m.transfer("10")
          yield* m.settle
          yield* m.says(id, "refund_failed")
          const raised = (yield* m.exceptions).find(({ resource_id }) => resource_id === id)!
          assert.deepInclude(raised, { reason: "refund_failed", amount: "10.00" })
          return { id, raised }
        })
        const first = yield* lost()
        const { credited } = yield* resolve(m, first.raised.id, "credit")
        assert.deepInclude(yield* m.body(credited!.transaction_id), {
          status: "success",
          parent_transaction_id: `txn_${first.id.slice(4)}`,
          root_transaction_id: `txn_${first.id.slice(4)}`
        })
        assert.deepEqual(yield* m.balance, balances("100.00"))
        const second = yield* lost()
        assert.strictEqual((yield* Effect.flip(resolve(m, second.raised.id, "refund")))._tag, "InvalidStatus")
        yield* resolve(m, second.raised.id, "dismiss")
        assert.deepEqual(yield* m.balance, balances("90.00"))
        assert.deepEqual(yield* suspense, before)
        const { transitions } = yield* books.history(second.raised.id)
        assert.deepEqual(
          transitions.map(({ event, note }) => [event, note]),
          [
            ["create", null],
            ["resolve", "seen"]
          ]
        )
      })
    ))
}

const recalledMessage =
  "The payment was recalled after it was confirmed. The onramp was not completed, and nothing was credited."

onServers("exceptions", shared)
