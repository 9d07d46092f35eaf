/** Onramps, path by path (ONRAMP-6, ONRAMP-7, PRICE-6, ONRAMP-8), on every store. */
import { methodsOf, withMethods } from "../../support/engines/provider-methods.ts"
import { assert, it } from "vitest"
import { Effect, Layer } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { Provider, Providers } from "../../../src/engine/ports/Provider.ts"
import { Onramps } from "../../../src/engine/resources/movements/onramp.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import { eventLine } from "../../support/merchants/merchant-at-work.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { onServers, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

type Merchant = Effect.Success<typeof merchantCollecting>

const story = (m: Merchant, id: string) => Effect.map(m.published(id), (events) => events.map(eventLine))

const empty = { available: "0.00", reserved: "0.00", held: "0.00" }
const asked = "1 onramp.awaiting_deposit null>awaiting_deposit"
const funded = [asked, "2 onramp.funds_received =awaiting_deposit", "3 onramp.processing awaiting_deposit>processing"]
const ends = (status: string) => [...funded, `4 onramp.${status} processing>${status}`]

/** An onramp of 150,000 naira that was funded with that and submitted. */
const submitted = Effect.fnUntraced(function* (m: Merchant, amount = "150000") {
  const { id } = yield* m.onramp()
  yield* m.pays(id, amount)
  yield* m.settle
  return id
})

/** A provider that keeps to its protocol: an id is one request, and another one under it is a conflict. `lost`: answers that do not arrive. */
const keeping = (provider: Provider["Service"]) => {
  const contents = new Map<string, string>()
  const state = { lost: 0 }
  const { instruct } = methodsOf(provider)
  const made = withMethods(provider, {
    instruct: (command) =>
      Effect.suspend(() => {
        const content = JSON.stringify(command)
        const isOther = (contents.get(command.id) ?? content) !== content
        if (isOther) return Effect.fail(new ProviderFault({ message: `${command.id} returned conflict` }))
        contents.set(command.id, content)
        return state.lost-- > 0 ? Effect.fail(new ProviderFault({ message: "no answer" })) : instruct!(command)
      })
  })
  return { contents, provider: made, state }
}

onServers("onramps", (run) => {
  covers(
    "ONRAMP-1",
    "ONRAMP-3",
    "ONRAMP-4",
    "ONRAMP-2",
    "TYPE-1",
    "TYPE-2",
    "TYPE-3",
    "TYPE-4",
    "EVENT-17",
    "EVENT-20",
    "ONRAMP-5",
    "ONRAMP-6",
    "PRICE-6"
  )
  it("says where to pay, locks the rate for 30 minutes, and credits the wallet what was quoted", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const quote = yield* m.price("150000")
        assert.deepInclude(quote, {
          operation: "onramp",
          wallet_id: null,
          destination_wallet_id: m.wallet.id,
          source_amount: "150000.00",
          source_currency: "NGN",
          destination_amount: "99.00",
          received_amount: "98.90",
          rate: "0.000663349917081"
        })
        assert.deepEqual(quote.fee.line_items, [
          { name: "gateway", amount: "750.00", currency: "NGN" },
          { name: "network", amount: "0.10", currency: "USDC" }
        ])
        const onramp = yield* m.collect(quote.id, { metadata: { order: "7" } })
        assert.deepInclude(onramp, {
          status: "awaiting_deposit",
          rate_source: "quoted",
          quote_id: quote.id,
          payment_instrument: null,
          source_amount: "150000.00",
          destination_amount: "99.00",
          received_amount: null,
          rate: quote.rate,
          metadata: { order: "7" },
          failure_reason: null
        })
        assert.strictEqual(Date.parse(onramp.rate_locked_until) - Date.parse(onramp.created_at), 30 * 60_000)
        const { deposit_instruction: to } = onramp
        assert.deepInclude(to, { version: 1, type: "fiat", expiresAt: onramp.rate_locked_until })
        for (const member of ["accountName", "accountNumber", "bankName", "bankCode"] as const)
          assert.isNotEmpty(to[member])
        assert.include(to.message, to.depositReference)
        assert.deepEqual(yield* story(m, onramp.id), [asked])

        const paid = yield* m.pays(onramp.id, "150000")
        assert.strictEqual(paid.transaction_id, onramp.id.replace("onr_", "txn_"))
        assert.strictEqual((yield* m.collected(onramp.id)).status, "processing")
        assert.deepEqual(yield* m.balance, empty)
        assert.deepEqual(yield* story(m, onramp.id), funded)
        assert.strictEqual((yield* m.object(onramp.id, "onramp.funds_received"))["status"], "awaiting_deposit")
        yield* m.settle
        yield* m.says(onramp.id, "success", { transaction_hash: "5hash" })
        const body = yield* m.collected(onramp.id)
        assert.deepInclude(body, { status: "success", received_amount: "98.90", destination_amount: "99.00" })
        assert.notProperty(body, "transaction_hash")
        assert.deepEqual(yield* m.balance, { ...empty, available: "98.90" })
        assert.deepEqual(yield* story(m, onramp.id), ends("success"))
        assert.deepEqual(yield* m.object(onramp.id, "onramp.success"), {
          ...body,
          actual_source_amount: "150000.00",
          actual_destination_amount: "98.90",
          actual_rate: quote.rate,
          terminal_at: body.updated_at,
          transaction_hash: "5hash"
        })
        const processing = yield* m.object(onramp.id, "onramp.processing")
        assert.notProperty(processing, "transaction_hash")
        assert.deepInclude(processing, {
          actual_source_amount: null,
          actual_destination_amount: null,
          actual_rate: null,
          terminal_at: null
        })
        assert.strictEqual(yield* m.executions(onramp.id), 1)
      })
    ))

  it("gives every onramp a reference of its own, on an account that stays", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const all = yield* Effect.all([m.onramp(), m.onramp(), m.onramp()])
        assert.strictEqual(new Set(all.map((one) => one.deposit_instruction.depositReference)).size, 3)
        assert.strictEqual(new Set(all.map((one) => one.deposit_instruction.accountNumber)).size, 1)
        for (const { id, deposit_instruction } of all)
          assert.deepEqual((yield* m.collected(id)).deposit_instruction, deposit_instruction)
      })
    ))

  it("is not made while the provider names no account, and its quote stays good", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const provider = yield* Provider
        const asked: Array<string> = []
        const silent = withMethods(provider, {
          instruct: ({ id }) => {
            asked.push(id)
            return Effect.fail(new ProviderFault({ message: "no answer" }))
          }
        })
        const quote = yield* m.price("150000")
        const onramps = yield* Effect.provideService(Onramps.make, Providers, Providers.from([silent]))
        const refusal = yield* Effect.flip(onramps.create(m.caller, { quote_id: quote.id }))
        assert.strictEqual(refusal._tag, "ExternalServiceUnavailable")
        assert.match(asked.join(" "), /^onr_[0-9a-z]{26}\.instruction_\d+$/)
        assert.strictEqual((yield* m.collect(quote.id)).status, "awaiting_deposit")
      })
    ))

  it("asks for an account under another id where it is approved again after a lost answer: an id is one request", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { contents, provider, state } = keeping(yield* Provider)
        const onramps = yield* Effect.provideService(Onramps.make, Providers, Providers.from([provider]))
        const { id: quote_id } = yield* m.price("150000")
        const id = yield* Effect.flatMap(Ids, ({ make }) => make("onr"))
        const create = onramps.create({ ...m.caller, ids: [id] }, { quote_id })
        state.lost = 1
        assert.strictEqual((yield* Effect.flip(create))._tag, "ExternalServiceUnavailable")
        yield* m.advance(1)
        assert.deepInclude(yield* create, { id, status: "awaiting_deposit" })
        assert.strictEqual(contents.size, 2)
      })
    ))

  it("gives the wallet of a target exactly it, when the amount asked for arrives", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const quotes = yield* Quotes
        const quote = yield* quotes.onramp(m.caller, {
          wallet_id: m.wallet.id,
          source_currency: "NGN",
          target_amount: "20.123456"
        })
        assert.deepInclude(quote, { received_amount: "20.123456", target_amount: "20.123456" })
        const { id } = yield* m.collect(quote.id)
        yield* m.pays(id, quote.source_amount)
        yield* m.settle
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.balance).available, "20.123456")
      })
    ))

  covers("ONRAMP-6", "ONRAMP-8")
  it.each([
    ["less", "100000.00", "65.90", "500.00"],
    ["more", "300000.50", "197.91", "1500.01"]
  ])("settles %s than was quoted at the locked rate, with the fee of what came", (_, amount, received, gateway) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id, rate } = yield* m.onramp()
        yield* m.pays(id, amount)
        yield* m.settle
        yield* m.says(id, "success")
        const body = yield* m.collected(id)
        assert.deepInclude(body, {
          status: "success",
          source_amount: "150000.00",
          destination_amount: "99.00",
          received_amount: received
        })
        assert.strictEqual((yield* m.balance).available, received)
        assert.deepInclude(yield* m.object(id, "onramp.success"), {
          actual_source_amount: amount,
          actual_destination_amount: received,
          actual_rate: rate
        })
        const transactions = yield* Transactions
        const { body: transaction } = yield* transactions.get(m.caller, id.replace("onr_", "txn_"))
        assert.deepInclude(transaction, {
          source_amount: "150000.00",
          destination_amount: "99.00",
          received_amount: received
        })
        assert.strictEqual(transaction.fee.line_items[0]!.amount, gateway)
      })
    )
  )

  covers("TYPE-5", "FAILURE-2", "ONRAMP-6")
  it("fails for quote_expired when nobody funded it in time, and moves no money", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.advance(30 * 60 - 5)
        assert.strictEqual((yield* m.collected(id)).status, "awaiting_deposit")
        yield* m.advance(6)
        const body = yield* m.collected(id)
        assert.deepInclude(body, { status: "failed", failure_reason: "quote_expired", received_amount: null })
        assert.match(body.failure_reason_message ?? "", /No funds moved/)
        assert.deepEqual(yield* story(m, id), [asked, "2 onramp.failed awaiting_deposit>failed"])
      })
    ))

  it("is not expired once it is funded, however long the provider takes", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        yield* m.behaves("hold")
        const { id } = yield* m.onramp()
        yield* m.advance(29 * 60)
        yield* m.pays(id, "150000")
        yield* m.advance(2 * 60)
        assert.strictEqual((yield* m.collected(id)).status, "processing")
        yield* m.behaves("accept")
        yield* m.settle
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.balance).available, "98.90")
      })
    ))

  covers("ONRAMP-6")
  it("shows nothing of a payment that was only seen, and takes one that is told twice once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        const payin_id = `twice-${id}`
        const seen = yield* m.pays(id, "150000", { payin_id, stage: "detected" })
        assert.isNull(seen.transaction_id)
        assert.strictEqual((yield* m.collected(id)).status, "awaiting_deposit")
        assert.deepEqual(yield* story(m, id), [asked])
        yield* m.pays(id, "150000", { payin_id })
        yield* m.pays(id, "150000", { payin_id })
        yield* m.pays(id, "150000", { payin_id, stage: "detected" })
        yield* m.settle
        yield* m.says(id, "success")
        yield* m.pays(id, "150000", { payin_id })
        assert.strictEqual((yield* m.balance).available, "98.90")
        assert.deepEqual(yield* story(m, id), ends("success"))
        assert.deepEqual(yield* m.exceptions, [])
      })
    ))

  it("finds out by asking when the answer was lost, and is paid once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        yield* m.behaves("timeout")
        const id = yield* submitted(m)
        assert.strictEqual((yield* m.collected(id)).status, "temporary_failure")
        assert.deepEqual(yield* m.next(id), { operation: "lookup", seconds: 10 })
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.collected(id)).status, "success")
        assert.deepEqual(yield* story(m, id), [...funded, "4 onramp.success temporary_failure>success"])
        assert.strictEqual(yield* m.executions(id), 1)
      })
    ))

  it("is listed by status, customer, wallet and reference, and in the history from nowhere to its wallet", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const onramps = yield* Onramps
        const transactions = yield* Transactions
        const { id } = yield* m.onramp("150000", { reference: "o-1" })
        const found = (filter: object) =>
          Effect.map(onramps.list(m.caller, filter), ({ items }) => items.map((one) => one.id))
        const { customer_id } = m.wallet
        for (const filter of [
          {},
          { status: "awaiting_deposit" },
          { customer_id },
          { reference: "o-1" },
          { wallet_id: m.wallet.id }
        ]) {
          assert.deepEqual(yield* found(filter), [id], JSON.stringify(filter))
        }
        for (const filter of [
          { status: "success" },
          { customer_id: "cust_nobody" },
          { wallet_id: "wal_none" },
          { reference: "o-2" }
        ]) {
          assert.deepEqual(yield* found(filter), [], JSON.stringify(filter))
        }
        const { items } = yield* transactions.list(m.caller, {
          source_type: "onramp",
          wallet_id: m.wallet.id,
          status: "awaiting_deposit"
        })
        assert.strictEqual(items.length, 1)
        assert.deepInclude(items[0]!, {
          id: id.replace("onr_", "txn_"),
          type: "onramp",
          source_type: "onramp",
          source_id: id,
          from_wallet_id: null,
          to_wallet_id: m.wallet.id,
          received_amount: null,
          confirmed_at: null,
          transaction_hash: null,
          reference: "o-1",
          source_amount: "150000.00",
          destination_amount: "99.00"
        })
        yield* m.pays(id, "150000")
        yield* m.settle
        yield* m.says(id, "success", { transaction_hash: "5hash" })
        const { body } = yield* transactions.get(m.caller, id.replace("onr_", "txn_"))
        assert.deepInclude(body, {
          status: "success",
          received_amount: "98.90",
          transaction_hash: null,
          confirmed_at: body.updated_at
        })
      })
    ))
})

it("onramps are paid by themselves in auto mode, and their payers too where the money goes back", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const m = yield* merchantCollecting
      const [paid, little, stuck] = [yield* m.onramp(), yield* m.onramp(), yield* m.onramp()]
      yield* m.pays(paid.id, "150000")
      yield* m.pays(little.id, "10")
      // A payer whose account takes nothing back (SANDBOX-18).
      yield* m.pays(stuck.id, "10", { sender: { name: "Ada", account_number: "0123450007" } })
      yield* m.advance(5)
      const object = yield* m.object(paid.id, "onramp.success")
      assert.isNotEmpty(object["transaction_hash"])
      assert.strictEqual((yield* m.collected(little.id)).status, "returned")
      assert.deepInclude(yield* m.collected(stuck.id), { status: "failed", failure_reason: "refund_failed" })
      assert.strictEqual((yield* m.exceptions).length, 1)
    }).pipe(Effect.provide(makeSimulatedEngine({ mode: "auto" })))
  ))

// Hundreds of steps, which show nothing of the store: memory takes them at once.
covers("PAYOUT-2")
it("onramps always retry a provider that has no capacity; after a day the payer gets the money back", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const m = yield* merchantCollecting
      yield* m.behaves("unavailable")
      const id = yield* submitted(m)
      assert.strictEqual((yield* m.collected(id)).status, "temporary_failure")
      yield* m.advance(86_400 + 600)
      assert.deepInclude(yield* m.collected(id), {
        status: "failed",
        failure_reason: "temporarily_unavailable",
        received_amount: null
      })
      assert.deepEqual(yield* story(m, id), ends("failed"))
      assert.deepEqual(yield* m.balance, empty)
    }).pipe(Effect.provide(makeSimulatedEngine()))
  ))

covers("ONRAMP-1")
it("an onramp whose write is overtaken asks for an account under another id, and says when that expires", () => {
  const state = { conflicts: 0, before: Effect.void as Effect.Effect<unknown> }
  const busy = Layer.effect(
    Storage,
    Effect.map(Storage, (inner) =>
      Storage.of({
        ...inner,
        commit: (change) =>
          change.rows.some(({ kind }) => kind === "onramp") && state.conflicts-- > 0
            ? Effect.as(state.before, { _tag: "VersionConflict", kind: "quote", id: "quo" } as const)
            : inner.commit(change)
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return Effect.gen(function* () {
    const m = yield* merchantCollecting
    const { contents, provider } = keeping(yield* Provider)
    const onramps = yield* Effect.provideService(Onramps.make, Providers, Providers.from([provider]))
    const { id: quote_id } = yield* m.price("150000")
    const context = yield* Effect.context<SimulatedEngine>()
    state.before = Effect.orDie(Effect.provideContext(m.advance(1), context))
    state.conflicts = 1
    const { id, rate_locked_until } = yield* onramps.create(m.caller, { quote_id })
    assert.strictEqual(contents.size, 2)
    const [, last] = [...contents.values()].map((content) => JSON.parse(content))
    assert.deepInclude(last, { resource_id: id, expires_at: Date.parse(rate_locked_until) })
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: busy })), Effect.runPromise)
})
