/** Deposits on deposit addresses (DEPOSIT-7, DEPOSIT-9), on every store. */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { DepositAddressKind } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork, type MerchantAtWork, eventLine } from "../../support/merchants/merchant-at-work.ts"
import { onEveryStore, type Run } from "../../support/engines/every-store.ts"
import { covers } from "../../support/repository/covers.ts"
import { depositAddressOf, payinEvent } from "../../support/merchants/payins.ts"

type Stage = PayinEvent["stage"]

const story = (m: MerchantAtWork, id: string) => Effect.map(m.published(id), (events) => events.map(eventLine))
const balances = (available: string, held = "0.00") => ({ available, reserved: "0.00", held })

/** The wallet's deposit address, made by its first pay-in. */
const addressOf = (m: MerchantAtWork) => depositAddressOf(m.merchant_id, m.wallet.id)

const moved = Effect.fnUntraced(function* (
  m: MerchantAtWork,
  event: { readonly type: "freeze" | "unfreeze" } | { readonly type: "disable"; readonly reason: null }
) {
  const unitOfWork = yield* UnitOfWork
  const row = yield* unitOfWork.load(DepositAddressKind, m.merchant_id, (yield* addressOf(m)).id)
  const next = yield* unitOfWork.step(DepositAddressKind, row, event, yield* Clock.currentTimeMillis)
  yield* unitOfWork.apply(
    m.merchant_id,
    { deduplicationKey: `test/${row.id}/${row.version}` },
    Effect.succeed({ changes: [next!.changes], result: undefined })
  )
})

/** A merchant whose wallet is empty and has an address. */
const opened = Effect.fnUntraced(function* (...given: Parameters<typeof merchantAtWork>) {
  const m = yield* merchantAtWork(given[0] ?? "0", given[1] ?? null)
  const { transaction_id } = yield* m.deposit({ amount: "1", stage: "failed" })
  assert.isNotNull(transaction_id)
  return m
})

let serial = 0

/** Several words of the provider's on one pay-in of `amount`. */
const payin = Effect.fnUntraced(function* (m: MerchantAtWork, amount: string, ...stages: ReadonlyArray<Stage>) {
  const { id } = yield* addressOf(m)
  const payin_id = `payin_${++serial}_${m.merchant_id}`
  let transaction: string | null = null
  for (const stage of stages) {
    const answer = yield* m.deposit({ wallet_id: undefined as never, deposit_address_id: id, amount, stage, payin_id })
    transaction = answer.transaction_id
  }
  return { id: transaction ?? "", payin_id }
})

const received = "1 deposit.received null>received"

const shared = (run: Run): void => {
  covers("DEPOSIT-2", "DEPOSIT-5", "DEPOSIT-6", "DEPOSIT-7", "DEPOSIT-9", "TRANSACTION-5")
  it.each<[string, ReadonlyArray<Stage>, string, ReadonlyArray<string>, string, number]>([
    ["detected", ["detected"], "processing", [received], "0.00", 0],
    [
      "detected, confirmed",
      ["detected", "confirmed"],
      "success",
      [received, "2 deposit.confirmed received>confirmed"],
      "10.00",
      0
    ],
    ["confirmed first", ["confirmed"], "success", ["1 deposit.confirmed null>confirmed"], "10.00", 0],
    ["confirmed, detected", ["confirmed", "detected"], "success", ["1 deposit.confirmed null>confirmed"], "10.00", 0],
    [
      "everything twice",
      ["detected", "detected", "confirmed", "confirmed", "detected", "confirmed"],
      "success",
      [received, "2 deposit.confirmed received>confirmed"],
      "10.00",
      0
    ],
    ["failed", ["failed"], "failed", ["1 deposit.failed null>failed"], "0.00", 0],
    ["failed twice", ["failed", "failed", "detected"], "failed", ["1 deposit.failed null>failed"], "0.00", 0],
    ["detected, failed", ["detected", "failed"], "failed", [received, "2 deposit.failed received>failed"], "0.00", 0],
    ["confirmed, failed", ["confirmed", "failed"], "success", ["1 deposit.confirmed null>confirmed"], "10.00", 1],
    ["failed, confirmed", ["failed", "confirmed", "confirmed"], "failed", ["1 deposit.failed null>failed"], "0.00", 1]
  ])("%s is credited at most once", (_, stages, status, events, available, exceptions) =>
    run(
      Effect.gen(function* () {
        const m = yield* opened()
        const { id } = yield* payin(m, "10", ...stages)
        assert.strictEqual((yield* m.body(id))["status"], status)
        assert.deepEqual(yield* story(m, id), events)
        assert.deepEqual(yield* m.balance, balances(available))
        assert.strictEqual((yield* m.exceptions).length, exceptions)
      })
    )
  )

  it("money confirmed after its failure waits in suspense once, and is the wallet's when the operator says so", () =>
    run(
      Effect.gen(function* () {
        const m = yield* opened()
        yield* payin(m, "10", "failed", "confirmed", "confirmed")
        const [exception, ...others] = yield* m.exceptions
        assert.deepInclude(exception!, { reason: "contradicts_state", amount: "10.00", currency: "USDC" })
        assert.deepEqual(others, [])
        yield* m.resolve(exception!.id, "credit")
        assert.deepEqual(yield* m.balance, balances("10.00"))
      })
    ))

  covers("AMOUNT-2")
  it("an amount of six decimals is kept and shown exactly", () =>
    run(
      Effect.gen(function* () {
        const m = yield* opened()
        const { id } = yield* payin(m, "1.234567", "detected", "confirmed")
        assert.deepInclude(yield* m.body(id), {
          source_amount: "1.234567",
          destination_amount: "1.234567",
          received_amount: "1.234567"
        })
        assert.deepEqual(yield* m.balance, balances("1.234567"))
        yield* payin(m, "0.000001", "confirmed")
        assert.deepEqual(yield* m.balance, balances("1.234568"))
        yield* payin(m, "0.765432", "confirmed")
        assert.deepEqual(yield* m.balance, balances("2.00"))
      })
    ))

  covers("DEPOSIT-3", "DEPOSIT-4", "EVENT-13", "ADDRESS-8", "DEPOSIT-10", "DEPOSIT-11", "EVENT-24")
  it.each(["freeze", "disable"] as const)("after %s money is held and never lost, and a release credits it", (change) =>
    run(
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const m = yield* opened()
        yield* moved(m, change === "freeze" ? { type: "freeze" } : { type: "disable", reason: null })
        const { id } = yield* payin(m, "10", "detected", "confirmed", "confirmed")
        const hold_reason = change === "freeze" ? "payin_frozen" : "payin_disabled"
        assert.deepInclude(yield* m.body(id), { status: "processing" })
        assert.strictEqual((yield* m.object(id, "deposit.held"))["metadata"].hold_reason, hold_reason)
        assert.deepEqual(yield* m.balance, balances("0.00", "10.00"))
        assert.strictEqual((yield* Effect.flip(m.transfer("5")))._tag, "InsufficientFunds")
        const listed = yield* deposits.held({ per_page: 200 })
        assert.isTrue(listed.items.some((one) => one.id === id && one.merchant_id === m.merchant_id))
        const { customer_id } = listed.items.find((one) => one.id === id)!
        const own = { merchant_id: m.merchant_id, customer_id }
        assert.deepEqual(
          (yield* deposits.held(own)).items.map((one) => one.id),
          [id]
        )
        assert.strictEqual((yield* deposits.held({ ...own, merchant_id: PLATFORM_MERCHANT })).total, 0)
        assert.strictEqual((yield* deposits.held({ ...own, customer_id: "cus_0" })).total, 0)
        yield* deposits.release(m.operator, id, "seen")
        assert.deepEqual(yield* m.balance, balances("10.00"))
        assert.deepEqual(yield* story(m, id), [
          received,
          "2 deposit.held received>held",
          "3 deposit.confirmed held>confirmed"
        ])
        const body = yield* m.body(id)
        assert.notProperty(body["metadata"], "hold_reason")
        assert.isNotNull(body["confirmed_at"])
        assert.strictEqual((yield* Effect.flip(deposits.release(m.operator, id, "seen")))._tag, "InvalidStatus")
        assert.strictEqual((yield* Effect.flip(deposits.reject(m.operator, id, "late")))._tag, "InvalidStatus")
      })
    )
  )

  covers("DEPOSIT-11", "OPERATOR-2")
  it("a held deposit that is rejected goes back to its payer, and fails then", () =>
    run(
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const m = yield* opened()
        yield* moved(m, { type: "freeze" })
        const { id } = yield* payin(m, "1.5", "confirmed")
        yield* deposits.reject(m.operator, id, "sanctioned")
        assert.strictEqual((yield* m.body(id))["status"], "processing")
        yield* m.settle
        assert.strictEqual((yield* m.body(id))["status"], "failed")
        assert.deepEqual(yield* story(m, id), ["1 deposit.held null>held", "2 deposit.failed held>failed"])
        assert.deepEqual(yield* m.balance, balances("0.00"))
        assert.deepEqual(yield* m.exceptions, [])
      })
    ))

  it("a refund that the payer's bank refuses leaves the money in suspense, with an exception that credits it", () =>
    run(
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const m = yield* opened()
        yield* moved(m, { type: "freeze" })
        const { id: address } = yield* addressOf(m)
        const { transaction_id } = yield* m.deposit({
          wallet_id: undefined as never,
          deposit_address_id: address,
          amount: "3",
          sender: { account_number: "5550007" }
        })
        const id = transaction_id!
        yield* deposits.reject(m.operator, id, "sanctioned")
        yield* m.settle
        assert.deepInclude(yield* m.body(id), { status: "failed" })
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, { resource_id: id, reason: "refund_failed", amount: "3.00" })
        // Tried once more it is refused again, and still open.
        yield* m.resolve(exception!.id, "refund")
        yield* m.settle
        assert.deepEqual(yield* m.exceptions, [{ ...exception!, updated_at: (yield* m.exceptions)[0]!.updated_at }])
        const { credited } = yield* m.resolve(exception!.id, "credit")
        assert.deepEqual(yield* m.balance, balances("3.00"))
        const before = yield* m.body(id)
        assert.notStrictEqual(before["transaction_hash"], null)
        assert.deepInclude(yield* m.body(credited!.transaction_id), {
          transaction_hash: before["transaction_hash"],
          metadata: before["metadata"],
          source_id: before["source_id"]
        })
      }),
      { mode: "auto" }
    ))

  covers("TIER-1")
  it("what would cross the tier's limit is held, what fits goes through, and held money does not count", () =>
    run(
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const m = yield* opened("0", "tier_0")
        yield* payin(m, "600", "confirmed")
        const over = yield* payin(m, "400.01", "detected", "confirmed")
        assert.strictEqual((yield* m.object(over.id, "deposit.held"))["metadata"].hold_reason, "tier_limit")
        assert.deepEqual(yield* m.balance, balances("600.00", "400.01"))
        yield* payin(m, "400", "confirmed")
        assert.deepEqual(yield* m.balance, balances("1000.00", "400.01"))
        const cent = yield* payin(m, "0.01", "confirmed")
        assert.strictEqual((yield* m.body(cent.id))["status"], "processing")
        yield* deposits.release(m.operator, over.id, "seen")
        yield* deposits.release(m.operator, cent.id, "seen")
        assert.deepEqual(yield* m.balance, balances("1400.02"))
      })
    ))

  it("pay-ins that race for the last of a limit never both get it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* opened("0", "tier_0")
        yield* payin(m, "900", "confirmed")
        yield* Effect.all(
          Array.from({ length: 8 }, () => payin(m, "60", "confirmed")),
          { concurrency: 8 }
        )
        assert.deepEqual(yield* m.balance, balances("960.00", "420.00"))
      })
    ))

  covers("EXCEPTION-3")
  it("money for an address nobody has, in a currency that is not its own, or unreadable, waits for a person; the next goes through", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const exceptions = yield* Exceptions
        const m = yield* opened()
        const address = yield* addressOf(m)
        const now = yield* Clock.currentTimeMillis
        const tag = m.merchant_id
        const event = (n: number, more: Partial<PayinEvent>): PayinEvent =>
          payinEvent({
            event_id: `${tag}.e${n}`,
            payin_id: `${tag}.p${n}`,
            target: address.address,
            amount: "7",
            network: address.network,
            observed_at: now,
            ...more
          })
        const open = Effect.map(exceptions.list({ status: "open", per_page: 200 }), ({ items }) =>
          items.filter(({ provider_event }) => (provider_event as PayinEvent | null)?.event_id?.startsWith(tag))
        )
        yield* inbox.receive("simulated", event(1, { target: "nobody" }))
        yield* inbox.receive("simulated", event(1, { target: "nobody" }))
        yield* inbox.receive("simulated", event(1, { target: "nobody", event_id: `${tag}.e1-again` }))
        yield* inbox.receive("simulated", event(2, { currency: "USDT" }))
        yield* inbox.receive("simulated", event(3, { currency: "DOGE" }))
        yield* inbox.receive("simulated", event(4, { amount: "1e3" }))
        yield* inbox.receive("simulated", event(5, { amount: "0" }))
        yield* inbox.receive("simulated", event(6, { amount: "0.0000001" }))
        yield* inbox.receive("simulated", event(7, { network: "ethereum" }))
        yield* inbox.receive("simulated", event(8, {}))
        assert.deepEqual(yield* m.balance, balances("7.00"))
        const raised = (yield* open).map(({ reason, amount, currency, merchant_id }) => [
          reason,
          amount,
          currency,
          merchant_id === PLATFORM_MERCHANT
        ])
        assert.sameDeepMembers(raised, [
          ["unknown_target", "7.00", "USDC", true],
          ["wrong_currency", "7.00", "USDT", false],
          ["wrong_currency", null, null, false],
          ["unreadable_event", null, null, true],
          ["unreadable_event", null, null, true],
          ["remainder", null, null, false],
          ["wrong_currency", "7.00", "USDC", false]
        ])
        // Each goes back to its payer, or was nothing.
        for (const one of yield* open) yield* m.resolve(one.id, one.amount === null ? "dismiss" : "refund")
        yield* m.settle
        assert.deepEqual(yield* open, [])
      })
    ))

  covers("TRANSACTION-9", "EVENT-25", "DEPOSIT-13", "DEPOSIT-14")
  it("one pay-in told of several targets is credited once, whosever they are; each other word is kept without money", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const one = yield* opened()
        const other = yield* opened()
        const addresses = [yield* addressOf(one), yield* addressOf(other)]
        const tag = one.merchant_id
        const event = (n: number, target: string, more: Partial<PayinEvent> = {}): PayinEvent =>
          payinEvent({
            event_id: `${tag}.t${n}`,
            payin_id: `${tag}.shared`,
            target,
            amount: "7",
            observed_at: 1,
            ...more
          })
        yield* inbox.receive("simulated", event(1, addresses[0]!.address, { stage: "detected" }))
        yield* inbox.receive("simulated", event(2, addresses[1]!.address))
        yield* inbox.receive("simulated", event(3, "nobody"))
        yield* inbox.receive("simulated", event(4, addresses[0]!.address, { currency: "USDT" }))
        yield* inbox.receive("simulated", event(5, addresses[0]!.address))
        yield* inbox.receive("simulated", event(6, addresses[1]!.address, { stage: "failed" }))
        assert.deepEqual([yield* one.balance, yield* other.balance], [balances("7.00"), balances("0.00")])
        const { items } = yield* (yield* Exceptions).list({ status: "open", per_page: 200 })
        const raised = items.filter(({ provider_event }) =>
          (provider_event as PayinEvent | null)?.event_id?.startsWith(tag)
        )
        assert.sameDeepMembers(
          raised.map(({ reason, amount }) => [reason, amount]),
          [
            ["another_target", null],
            ["another_target", null],
            ["another_target", null],
            ["another_currency", null]
          ]
        )
      })
    ))

  it("pay-ins of two merchants that chose one id for them are two, also where one of them went wrong", () =>
    run(
      Effect.gen(function* () {
        const one = yield* opened()
        const other = yield* opened()
        const payin_id = `order-${one.merchant_id}`
        yield* one.deposit({ amount: "7", currency: "USDT", payin_id })
        const { transaction_id } = yield* other.deposit({ amount: "7", payin_id, stage: "detected" })
        assert.deepEqual(yield* other.deposit({ amount: "7", payin_id }), { payin_id, transaction_id })
        assert.deepEqual([yield* one.balance, yield* other.balance], [balances("0.00"), balances("7.00")])
      })
    ))

  it("keeps four digits of a payer's account at most, whatever the provider tells, and of what finds no place too", () =>
    run(
      Effect.gen(function* () {
        const storage = yield* Storage
        const inbox = yield* Inbox
        const m = yield* opened()
        const sender = { name: "A Payer", account_number: "9876543210" }
        const event: PayinEvent = payinEvent({
          event_id: `${m.merchant_id}.n`,
          payin_id: `${m.merchant_id}.n`,
          target: "nobody",
          amount: "7",
          sender,
          observed_at: 1
        })
        yield* inbox.receive("simulated", event)
        const { items } = yield* storage.list({
          merchant_id: PLATFORM_MERCHANT,
          kinds: ["exception"],
          index_keys: [],
          offset: 0,
          limit: 200
        })
        assert.include(JSON.stringify(items), '"3210"')
        assert.notInclude(JSON.stringify(items), sender.account_number)
      })
    ))

  it("tells what was reported of the payer and nothing else, four digits of the account at most", () =>
    run(
      Effect.gen(function* () {
        const storage = yield* Storage
        const m = yield* opened()
        const { id: deposit_address_id } = yield* addressOf(m)
        const paid = Effect.fnUntraced(function* (more: object) {
          const { transaction_id } = yield* m.deposit({
            wallet_id: undefined as never,
            deposit_address_id,
            amount: "1",
            ...more
          })
          return { id: transaction_id!, metadata: (yield* m.object(transaction_id!, "deposit.confirmed"))["metadata"] }
        })
        const full = yield* paid({
          from_address: "0xabc",
          sender: { name: "Ngozi", bank: "GTB", account_number: "0123456789" },
          narration: "invoice 7"
        })
        assert.deepEqual(full.metadata, {
          from_address: "0xabc",
          sender_name: "Ngozi",
          sender_bank: "GTB",
          sender_account_number: "6789",
          narration: "invoice 7"
        })
        const some = yield* paid({ from_address: "0xdef", sender: { name: "" }, narration: "" })
        assert.deepEqual(some.metadata, { from_address: "0xdef" })
        const short = yield* paid({ from_address: "0xdef", sender: { account_number: "12" } })
        assert.deepEqual(short.metadata, { from_address: "0xdef", sender_account_number: "12" })
        const history = yield* storage.history(m.merchant_id, full.id)
        const row = yield* m.rowOf(full.id)
        assert.notInclude(JSON.stringify([history, row]), "0123456789")
        const { items } = yield* storage.list({
          merchant_id: m.merchant_id,
          kinds: ["simulated_payin"],
          index_keys: [],
          offset: 0,
          limit: 50
        })
        assert.isAbove(items.length, 3)
        assert.notInclude(JSON.stringify(items), "0123456789")
      })
    ))

  covers("EVENT-21")
  it("a deposit says when it was observed, and its transaction when it was confirmed", () =>
    run(
      Effect.gen(function* () {
        const m = yield* opened()
        const { id, payin_id } = yield* payin(m, "10", "detected")
        const observed = (yield* m.object(id, "deposit.received"))["deposit_timestamp"]
        yield* m.advance(3600)
        yield* m.deposit({
          wallet_id: undefined as never,
          deposit_address_id: (yield* addressOf(m)).id,
          amount: "10",
          stage: "confirmed",
          payin_id
        })
        const confirmed = yield* m.object(id, "deposit.confirmed")
        assert.strictEqual(confirmed["deposit_timestamp"], observed)
        assert.isAtLeast(Date.parse(confirmed["confirmed_at"]) - Date.parse(observed), 3_600_000)
        assert.deepInclude(confirmed, {
          type: "deposit",
          source_type: "deposit_address",
          to_wallet_id: m.wallet.id,
          from_wallet_id: null,
          fee: { line_items: [] }
        })
      })
    ))
}

onEveryStore("deposits", shared)
