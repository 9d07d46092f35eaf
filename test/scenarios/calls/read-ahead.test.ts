/** What a call is decided from first is read together with its key, and once. */
import { Effect, Layer, Result } from "effect"
import { assert, it } from "vitest"
import { Admission } from "../../../src/engine/calls/Admission.ts"
import { makeExecutor, type CallRequest } from "../../../src/engine/calls/executor.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { entries } from "../../../src/engine/operations.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { CustomerKind, Customers } from "../../../src/engine/resources/parties/customer.ts"
import { WalletKind } from "../../../src/engine/resources/wallets/wallet.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { overtaken } from "../../support/stores/overtaken.ts"

/** A merchant that calls operations by their id, and what such a call comes to. */
const calling = Effect.gen(function* () {
  const m = yield* merchantAtWork()
  const prepare = yield* makeExecutor({ admission: new Admission({ writes: 8, reads: 8 }), rate_per_second: 0 })
  const calls = Effect.fnUntraced(function* (id: string, key: string, body: object) {
    const { operation } = entries.find((one) => one.operation.id === id)!
    const submission: CallRequest = {
      request_id: undefined,
      isOperator: false,
      credential: () => Result.succeed({ _tag: "Merchant", merchant_id: m.merchant_id }),
      key,
      keyName: "key",
      if_match: null,
      strict: false,
      fingerprint: () => Effect.succeed(JSON.stringify(body)),
      params: () => ({}),
      query: () => ({}),
      body: () => Result.succeed(body),
      render: (result) => JSON.stringify(result),
      renderRefusal: ({ _tag }) => _tag
    }
    const outcome = yield* prepare(operation)(submission)
    return outcome._tag === "Refused" ? outcome.failure._tag : outcome._tag
  })
  return { ...m, calls }
})

covers("HTTP-6")
it("a quote that another call executes meanwhile is read again", () => {
  const { layer, first } = overtaken()
  return Effect.gen(function* () {
    const m = yield* calling
    const to = yield* Wallets.use((wallets) => wallets.create(m.caller, { currency: "USDT" }))
    const pair = { source_wallet_id: m.wallet.id, destination_wallet_id: to.id, source_amount: "10" }
    const { id: quote_id } = yield* Quotes.use((quotes) => quotes.conversion(m.caller, pair))
    const context = yield* Effect.context<SimulatedEngine>()
    const other = m.calls("createConversion", "the-other-key", { quote_id })
    first.before = Effect.map(Effect.provideContext(other, context), (outcome) =>
      assert.strictEqual(outcome, "Completed")
    )
    assert.strictEqual(yield* m.calls("createConversion", "the-first-key", { quote_id }), "DuplicateResource")
    assert.strictEqual(yield* m.calls("createConversion", "the-first-key", { quote_id }), "Repeated")
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: layer })), Effect.runPromise)
})

/** A store that notes what is read, and when a key was looked up. */
const noting = (notes: Array<string>, isAway: () => boolean = () => false) =>
  Layer.effect(
    Storage,
    Effect.map(Storage, (inner) =>
      Storage.of({
        ...inner,
        get: (keys) =>
          Effect.suspend(() => {
            notes.push(...keys.map(({ kind }) => kind))
            return isAway() ? Effect.fail(new StorageFault({ message: "away", retryable: true })) : inner.get(keys)
          }),
        idempotencyRecord: (...asked) =>
          Effect.suspend(() => {
            notes.push("key")
            return Effect.tap(Effect.delay(inner.idempotencyRecord(...asked), "1 millis"), () =>
              Effect.sync(() => void notes.push("known"))
            )
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))

it("a transfer reads its parties beside its key and once, as does a repeat; a malformed body reads none", () => {
  const notes: Array<string> = []
  let isAway = false
  return Effect.gen(function* () {
    const m = yield* calling
    const body = { wallet_id: m.wallet.id, beneficiary_id: m.beneficiary, amount: "10" }
    yield* m.calls("createTransfer", "before-them", body)
    const reads = Effect.fnUntraced(function* (key: string, sent: object) {
      notes.length = 0
      const outcome = yield* m.calls("createTransfer", key, sent)
      return [outcome, ...notes]
    })
    const parties = ["wallet", "beneficiary", "customer"]
    const beside = [...parties, "key", "known"]
    assert.deepEqual(yield* reads("the-first-key", body), ["Completed", ...beside])
    assert.deepEqual(yield* reads("the-first-key", body), ["Repeated", ...beside])
    assert.deepEqual(yield* reads("the-first-key", { ...body, amount: "1" }), ["IdempotencyConflict", ...beside])
    assert.deepEqual(yield* reads("the-second-key", { amount: "1" }), ["InvalidInput", "key", "known"])
    const missing = { ...body, wallet_id: `wal_${"0".repeat(26)}` }
    assert.deepEqual(yield* reads("the-third-key", missing), ["NotFound", ...beside, ...parties])
    isAway = true
    assert.deepEqual(yield* reads("the-first-key", body), ["Repeated", ...beside])
    assert.deepEqual(yield* reads("the-fourth-key", body), ["StorageFault", ...beside, ...parties])
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: noting(notes, () => isAway) })), Effect.runPromise)
})

it.each(["Offramp", "Onramp", "Conversion"] as const)("an execution reads its quote beside its key: %s", (kind) => {
  const notes: Array<string> = []
  return Effect.gen(function* () {
    const m = yield* calling
    const quotes = yield* Quotes
    const wallet_id = m.wallet.id
    const quote = yield* {
      Offramp: Effect.flatMap(m.bank(), (beneficiary_id) =>
        quotes.offramp(m.caller, { wallet_id, beneficiary_id, source_amount: "100" })
      ),
      Onramp: quotes.onramp(m.caller, { wallet_id, source_currency: "NGN", source_amount: "150000" }),
      Conversion: Effect.flatMap(
        Wallets.use((wallets) => wallets.create(m.caller, { currency: "USDT" })),
        (to) =>
          quotes.conversion(m.caller, {
            source_wallet_id: wallet_id,
            destination_wallet_id: to.id,
            source_amount: "10"
          })
      )
    }[kind]
    // From now on, the merchant is known.
    yield* m.calls(`create${kind}`, "before-them", {})
    notes.length = 0
    const outcome = yield* m.calls(`create${kind}`, "the-first-key", { quote_id: quote.id })
    // The rate of the quote is accepted in the background.
    const reads = notes.filter((note) => note !== "accepted_rate")
    const others = reads.slice(3)
    assert.deepEqual([outcome, ...reads.slice(0, 3)], ["Completed", "quote", "key", "known"])
    assert.notInclude(others, "quote")
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: noting(notes) })), Effect.runPromise)
})

it("what a decision has not read is read anew by what follows it", () =>
  Effect.gen(function* () {
    const m = yield* merchantAtWork()
    const unitOfWork = yield* UnitOfWork
    const ada = { type: "business", name: "Ada", email: "ada@example.com", country_code: "NG" } as const
    const { id } = yield* Customers.use((customers) => customers.create(m.caller, ada))
    const withRows = yield* unitOfWork.prefetch(m.merchant_id, [
      [WalletKind, m.wallet.id],
      [CustomerKind, id]
    ])
    yield* Customers.use((customers) => customers.update(m.caller, id, { name: "Eve" }))
    const decide = Effect.as(unitOfWork.load(WalletKind, m.merchant_id, m.wallet.id), { changes: [], result: {} })
    const customer = Effect.andThen(
      unitOfWork.write(m.caller, decide),
      unitOfWork.load(CustomerKind, m.merchant_id, id)
    )
    assert.strictEqual((yield* withRows(customer)).data.name, "Eve")
  }).pipe(Effect.provide(makeSimulatedEngine()), Effect.runPromise))
