/** What a call is decided from first is read together with its key, and once. */
import { Effect, Layer, Result } from "effect"
import { assert, it } from "vitest"
import { Admission } from "../../../src/engine/calls/Admission.ts"
import { makeExecutor, type Submission } from "../../../src/engine/calls/executor.ts"
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
import { simulatedEngine } from "../../support/engines/simulated-engine.ts"
import { overtaken } from "../../support/stores/overtaken.ts"

/** A merchant that calls operations by their id, and what such a call comes to. */
const calling = Effect.gen(function* () {
  const m = yield* merchantAtWork()
  const prepare = yield* makeExecutor({ admission: new Admission({ writes: 8, reads: 8 }), rate_per_second: 0 })
  const calls = Effect.fnUntraced(function* (id: string, key: string, body: object) {
    const { operation } = entries.find((one) => one.operation.id === id)!
    const submission: Submission = {
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
  }).pipe(Effect.provide(simulatedEngine({ storage: layer })), Effect.runPromise)
})

it("a transfer reads its wallet once, and a repeat or a malformed body reads no more than that", () => {
  const read: Array<string> = []
  const counted = Layer.effect(
    Storage,
    Effect.map(Storage, (inner) =>
      Storage.of({
        ...inner,
        get: (keys) => {
          read.push(...keys.map(({ kind }) => kind))
          return inner.get(keys)
        }
      })
    )
  )
  return Effect.gen(function* () {
    const m = yield* calling
    const body = { wallet_id: m.wallet.id, beneficiary_id: m.beneficiary, amount: "10" }
    yield* m.calls("createTransfer", "before-them", body)
    const reads = Effect.fnUntraced(function* (key: string, sent: object) {
      read.length = 0
      const outcome = yield* m.calls("createTransfer", key, sent)
      return [outcome, ...read]
    })
    const parties = ["wallet", "beneficiary", "customer"]
    assert.deepEqual(yield* reads("the-first-key", body), ["Completed", ...parties])
    assert.deepEqual(yield* reads("the-first-key", body), ["Repeated", ...parties])
    assert.deepEqual(yield* reads("the-first-key", { ...body, amount: "1" }), ["IdempotencyConflict", ...parties])
    assert.deepEqual(yield* reads("the-second-key", { amount: "1" }), ["InvalidInput"])
    const missing = { ...body, wallet_id: `wal_${"0".repeat(26)}` }
    assert.deepEqual(yield* reads("the-third-key", missing), ["NotFound", ...parties, ...parties])
  }).pipe(Effect.provide(simulatedEngine({ storage: Layer.provide(counted, overtaken().layer) })), Effect.runPromise)
})

it("what a decision has not read is read anew by what follows it", () =>
  Effect.gen(function* () {
    const m = yield* merchantAtWork()
    const unitOfWork = yield* UnitOfWork
    const ada = { type: "business", name: "Ada", email: "ada@example.com", country_code: "NG" } as const
    const { id } = yield* Customers.use((customers) => customers.create(m.caller, ada))
    const withRows = yield* unitOfWork.ahead(m.merchant_id, [
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
  }).pipe(Effect.provide(simulatedEngine()), Effect.runPromise))
