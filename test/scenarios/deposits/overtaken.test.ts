/** What was decided on a row that has moved before the decision was written: it is decided again. */
import { Clock, Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Conversions } from "../../../src/engine/resources/movements/conversion.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { overtaken } from "../../support/stores/overtaken.ts"
import { payinEvent } from "../../support/merchants/payins.ts"
import { merchantCollecting, merchantConverting } from "../../support/merchants/ramps.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

type Way = "disabled" | "unfrozen"

/** A pay-in to an address, weighed before its merchant does something to it; how both stand then. */
const paid = (way: Way) => {
  const { layer, first } = overtaken()
  return Effect.gen(function* () {
    const inbox = yield* Inbox
    const storage = yield* Storage
    const addresses = yield* DepositAddresses
    const m = yield* merchantAtWork("0")
    const { id } = yield* addresses.create(m.caller, m.wallet.id, { network: "base" })
    yield* m.settle
    const key = { merchant_id: m.merchant_id, kind: "deposit_address", id }
    const [row] = yield* storage.get([key])
    const context = yield* Effect.context<SimulatedEngine>()
    const meanwhile = (act: Effect.Effect<unknown, unknown, SimulatedEngine>): void => {
      first.before = Effect.orDie(Effect.provideContext(act, context))
    }
    if (way === "disabled") meanwhile(addresses.disable(m.caller, m.wallet.id, id, {}))
    else {
      yield* addresses.freeze(m.caller, id)
      meanwhile(addresses.unfreeze(m.caller, id))
    }
    yield* inbox.receive(
      "simulated",
      payinEvent({
        event_id: "evt",
        payin_id: "payin",
        target: (row!.data as { readonly address: string }).address,
        amount: "10",
        network: "base",
        observed_at: yield* Clock.currentTimeMillis
      })
    )
    const query = { merchant_id: m.merchant_id, kinds: ["deposit"], index_keys: [], offset: 0, limit: 9 }
    const { items } = yield* storage.list(query)
    const [now] = yield* storage.get([key])
    return { address: now!.status, deposits: items.map(({ state }) => state) }
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: layer })), Effect.runPromise)
}

it("money for an address that is disabled meanwhile is held", async () => {
  assert.deepEqual(await paid("disabled"), { address: "disabled", deposits: ["held"] })
})

it("money for an address that is unfrozen meanwhile is credited", async () => {
  assert.deepEqual(await paid("unfrozen"), { address: "active", deposits: ["confirmed"] })
})

it.each([
  ["the onramp is not paid out", false],
  ["the operator is told of it beside the money that came too late", true]
])("a recall that is weighed while its money arrives is not lost: %s", async (_, isLate) => {
  const between: { run: Effect.Effect<unknown> } = { run: Effect.void }
  /** What is known of a pay-in has been read, and the onramp has not. */
  const reading = Layer.effect(
    Storage,
    Effect.map(Storage, (inner) =>
      Storage.of({
        ...inner,
        lookup: (scope, key) =>
          Effect.tap(inner.lookup(scope, key), () => {
            if (scope !== "detection") return Effect.void
            const { run } = between
            between.run = Effect.void
            return run
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  await Effect.gen(function* () {
    const m = yield* merchantCollecting
    const { id } = yield* m.onramp()
    const context = yield* Effect.context<SimulatedEngine>()
    const payin = { payin_id: "recalled" }
    if (isLate) yield* m.advance(40 * 60)
    between.run = Effect.orDie(Effect.provideContext(m.pays(id, "150000", payin), context))
    yield* m.pays(id, "150000", { ...payin, stage: "failed" })
    yield* m.settle
    assert.strictEqual((yield* m.collected(id)).status, "failed")
    assert.strictEqual(yield* m.executions(id), 0)
    const raised = (yield* m.exceptions).map(({ amount, exposure, reason }) => [reason, amount, exposure])
    const [kept, reported] = [
      ["late_funding", "150000.00", null],
      ["recalled", null, null]
    ]
    assert.sameDeepMembers(raised, isLate ? [kept, reported] : [["recalled", "150000.00", null]])
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: reading })), Effect.runPromise)
})

covers("REFERENCE-3")
it("a reference that is taken while its quote expires is answered with who took it", async () => {
  const between: { run: Effect.Effect<unknown> } = { run: Effect.void }
  const looking = Layer.effect(
    Storage,
    Effect.map(Storage, (inner) =>
      Storage.of({
        ...inner,
        uniqueKeyOwner: (merchant_id, scope, key) =>
          Effect.tap(inner.uniqueKeyOwner(merchant_id, scope, key), () => {
            const { run } = between
            between.run = Effect.void
            return run
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  await Effect.gen(function* () {
    const m = yield* merchantConverting()
    const reference = "salaries"
    const quotes = [yield* m.price("10"), yield* m.price("20")]
    const context = yield* Effect.context<SimulatedEngine>()
    const other = Effect.andThen(m.convert(quotes[0]!.id, { reference }), m.advance(600))
    between.run = Effect.orDie(Effect.provideContext(other, context))
    const made = yield* m.convert(quotes[1]!.id, { reference })
    assert.deepInclude(made, { reference, quote_id: quotes[0]!.id, source_amount: "10.00" })
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: looking })), Effect.runPromise)
})

it("a recall that comes while its money is applied is not passed by", async () => {
  const { layer, first } = overtaken()
  await Effect.gen(function* () {
    const inbox = yield* Inbox
    const m = yield* merchantCollecting
    const { deposit_instruction, id } = yield* m.onramp()
    const observed_at = yield* Clock.currentTimeMillis
    yield* m.advance(40 * 60)
    const word = payinEvent({
      event_id: "late",
      payin_id: "late",
      target: deposit_instruction.depositReference,
      amount: "150000",
      currency: "NGN",
      observed_at
    })
    yield* inbox.receive("simulated", word)
    const [late] = yield* m.exceptions
    const context = yield* Effect.context<SimulatedEngine>()
    const recall = inbox.receive("simulated", { ...word, event_id: "recall", stage: "failed" })
    first.before = Effect.orDie(Effect.provideContext(recall, context))
    const exceptions = yield* Exceptions
    const applied = exceptions.resolve(m.operator, late!.id, { action: "apply", note: "in time" })
    assert.strictEqual((yield* Effect.flip(applied))._tag, "InvalidStatus")
    yield* m.settle
    assert.strictEqual(yield* m.executions(id), 0)
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: layer })), Effect.runPromise)
})

covers("OUTCOME-9")
it("a recall that comes while the conversion of its money fails exposes nothing that is in suspense", async () => {
  const { layer, first } = overtaken()
  await Effect.gen(function* () {
    const inbox = yield* Inbox
    const sandbox = yield* SandboxOperations
    const m = yield* merchantConverting("0")
    const credential_id = yield* m.credential(m.wallet.id, "NGN", "bank")
    const tells = (stage: "confirmed" | "failed") =>
      sandbox.deposit(m.caller, { credential_id, amount: "150000", currency: "NGN", payin_id: "converted", stage })
    yield* tells("confirmed")
    yield* m.settle
    const [conversion] = (yield* Conversions.use((s) => s.list(m.caller, {}))).items
    const context = yield* Effect.context<SimulatedEngine>()
    first.before = Effect.orDie(Effect.provideContext(tells("failed"), context))
    yield* inbox.receive("simulated", {
      _tag: "movement",
      event_id: "gone",
      merchant_id: m.merchant_id,
      resource_id: conversion!.id,
      outcome: "refund_failed",
      reason: null,
      transaction_hash: null
    })
    const raised = yield* m.exceptions
    assert.sameDeepMembers(
      raised.map(({ amount, exposure, reason }) => [reason, amount, exposure]),
      [
        ["recalled", null, null],
        ["refund_failed", "150000.00", null]
      ]
    )
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: layer })), Effect.runPromise)
})
