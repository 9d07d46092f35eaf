/** A place is (network, currency, target), and no word of a provider's fails for ever (DEPOSIT-8). */
import { assert, describe, it } from "vitest"
import { Effect, Layer } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { PayinEvent, ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { WalletCredentialKind, WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { begin } from "../../../src/engine/commit/steps.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { type Change, PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { addressAt, freshAddress, issuedEvent, payinEvent, raisedBy } from "../../support/merchants/payins.ts"
import { onMemory, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { simulatedEngine } from "../../support/engines/simulated-engine.ts"

const inMemory = <A, E>(
  scenario: Effect.Effect<A, E, SimulatedEngine>,
  options: Parameters<typeof simulatedEngine>[0] = {}
): Promise<A> => Effect.runPromise(Effect.provide(scenario, simulatedEngine(options)))

const mixed = "0x52908400098527886E0F7030069857D2E4169EE7"

/** An address in two spellings, that nobody else in a store has been given. */
const spelled = () => {
  const tail = mixed.slice(10)
  const head = freshAddress().slice(0, 10)
  return { upper: `${head}${tail}`, lower: `${head}${tail}`.toLowerCase() }
}

const statusOf = Effect.fnUntraced(function* (m: MerchantAtWork, id: string, wallet_id = m.wallet.id) {
  const { body } = yield* (yield* DepositAddresses).get(m.caller, wallet_id, id)
  return [body.status, (body.details as { readonly address: string | null }).address]
})

const pays = Effect.fnUntraced(function* (payin_id: string, target: string, more: Partial<PayinEvent> = {}) {
  return yield* (yield* Inbox).receive(
    "simulated",
    payinEvent({ event_id: `${payin_id}.e`, payin_id, target, ...more })
  )
})

onMemory("one address", (run) => {
  covers("DEPOSIT-8")
  it("may be issued on several networks and for several currencies, and each pay-in finds its own", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const tether = yield* (yield* Wallets).create(m.caller, { currency: "USDT" })
        const target = freshAddress()
        const usdc = [yield* addressAt(m, target, "base"), yield* addressAt(m, target, "ethereum")]
        const usdt = yield* addressAt(m, target, "base", tether.id)
        for (const { id } of usdc) assert.deepEqual(yield* statusOf(m, id), ["active", target])
        assert.deepEqual(yield* statusOf(m, usdt.id, tether.id), ["active", target])
        yield* pays(`${target}.1`, target, { network: "base", amount: "1" })
        yield* pays(`${target}.2`, target, { network: "ethereum", amount: "2" })
        yield* pays(`${target}.3`, target, { currency: "USDT", amount: "4" })
        const deposits = (yield* m.transactions).map(({ source_amount, source_id }) => [source_id, source_amount])
        assert.sameDeepMembers(deposits, [
          [usdc[0]!.id, "1.00"],
          [usdc[1]!.id, "2.00"],
          [usdt.id, "4.00"]
        ])
        // Of USDC on either network: nobody can say which, and the money waits.
        yield* pays(`${target}.4`, target, { amount: "8" })
        const [exception] = yield* raisedBy(`${target}.4`)
        assert.deepInclude(exception!, {
          reason: "ambiguous_target",
          amount: "8.00",
          merchant_id: m.merchant_id
        })
      })
    ))

  it("on one network for one currency is one resource's, of two that are told of it at once too", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const addresses = yield* DepositAddresses
        const one = yield* merchantAtWork("0")
        const other = yield* merchantAtWork("0")
        const target = freshAddress()
        const asked = yield* Effect.all([
          addresses.create(one.caller, one.wallet.id, { network: "base" }),
          addresses.create(other.caller, other.wallet.id, { network: "base" })
        ])
        const results = yield* Effect.all(
          asked.map(({ id }) => inbox.receive("simulated", issuedEvent(id, target, "base"))),
          { concurrency: 2 }
        )
        assert.sameMembers(results, ["applied", "ignored"])
        const raised = yield* raisedBy(...asked.map(({ id }) => id))
        assert.deepEqual(
          raised.map(({ reason }) => reason),
          ["target_taken"]
        )
      })
    ))
})

describe("a name", () => {
  it("of an EVM address is compared without regard to case, whichever way it was issued and told", () =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("0")
        for (const given of ["upper", "lower"] as const) {
          const { lower, upper } = spelled()
          yield* addressAt(m, given === "upper" ? upper : lower)
          const word = (n: number, more: Partial<PayinEvent>) =>
            payinEvent({ event_id: `${lower}.${n}`, payin_id: lower, target: lower, amount: "1", ...more })
          yield* inbox.receive("simulated", word(1, { stage: "detected", target: upper }))
          yield* inbox.receive("simulated", word(2, { target: lower }))
          yield* inbox.receive("simulated", word(3, { target: upper }))
          assert.deepEqual(yield* raisedBy(lower), [])
        }
        assert.strictEqual((yield* m.balance).available, "2.00")
      })
    ))

  it("is trimmed, and of another network than EVM's is compared letter by letter", () =>
    inMemory(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const target = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
        const { id } = yield* addressAt(m, `  ${target}\n`, "solana")
        assert.deepEqual(yield* statusOf(m, id), ["active", target])
        yield* pays("blank", ` ${target} `, { network: " solana ", currency: "USDC " })
        assert.strictEqual((yield* m.balance).available, "100.00")
        yield* pays("lower", target.toLowerCase(), { network: "solana" })
        assert.strictEqual((yield* m.balance).available, "100.00")
        assert.deepEqual(
          (yield* raisedBy("lower")).map(({ reason }) => reason),
          ["unknown_target"]
        )
      })
    ))

  it("of a pay-in that names no network finds its place where there is one", () =>
    inMemory(
      Effect.gen(function* () {
        const credentials = yield* WalletCredentials
        const m = yield* merchantAtWork("0")
        const naira = yield* (yield* Wallets).create(m.caller, { currency: "NGN" })
        const { id } = yield* credentials.create(m.caller, naira.id, { type: "fiat", network: "bank" })
        const details = { accountName: "Ada Ltd", accountNumber: "0123456789", bankName: "Example Bank" }
        const account = issuedEvent(id, "0123456789", "bank", { kind: "wallet_credential", details })
        yield* (yield* Inbox).receive("simulated", account)
        yield* pays("at the bank", "0123456789", { currency: "NGN" })
        const { body } = yield* (yield* Wallets).get(m.caller, naira.id)
        assert.strictEqual(body.balance.available, "100.00")
        const { target } = yield* addressAt(m, freshAddress(), "ethereum")
        yield* pays("on a chain", target)
        assert.strictEqual((yield* m.balance).available, "100.00")
      })
    ))
})

describe("told that an address was issued", () => {
  it.each(["active", "frozen", "disabled"])(
    "a second time, when it is %s, is acknowledged and changes nothing",
    (status) =>
      inMemory(
        Effect.gen(function* () {
          const inbox = yield* Inbox
          const addresses = yield* DepositAddresses
          const m = yield* merchantAtWork("0")
          const { id, target } = yield* addressAt(m, freshAddress())
          if (status === "frozen") yield* addresses.freeze(m.operator, id)
          if (status === "disabled") yield* addresses.disable(m.caller, m.wallet.id, id, {})
          const again = [
            issuedEvent(id, target, "base"),
            issuedEvent(id, target.toUpperCase().replace("X", "x"), "base")
          ]
          for (const event of again) assert.strictEqual(yield* inbox.receive("simulated", event), "ignored")
          assert.deepEqual(yield* statusOf(m, id), [status, target])
          assert.deepEqual(yield* raisedBy(id), [])
          // Another address than the one it has is another matter.
          const other = issuedEvent(id, freshAddress(), "base")
          assert.strictEqual(yield* inbox.receive("simulated", other), "ignored")
          assert.deepEqual(yield* statusOf(m, id), [status, target])
          const [exception] = yield* raisedBy(id)
          assert.deepInclude(exception!, { reason: "contradicts_state", resource_id: id })
          assert.deepInclude(exception!.recorded as object, { network: "base", currency: "USDC", target })
        })
      )
  )
})

describe("what cannot be applied", () => {
  const about = { event_id: "e1", merchant_id: null } as const
  it.each<[string, ProviderEvent]>([
    ["an address", issuedEvent("da_nobody", freshAddress(), "base")],
    ["an account", issuedEvent("wcr_nobody", "1", "bank", { kind: "wallet_credential", merchant_id: "mer_nobody" })],
    [
      "a movement",
      {
        ...about,
        _tag: "movement",
        resource_id: "tfr_nobody",
        outcome: "success",
        reason: null,
        transaction_hash: null
      }
    ],
    [
      "nothing that moves",
      { ...about, _tag: "movement", resource_id: "nobody", outcome: "success", reason: null, transaction_hash: null }
    ],
    ["a verification", { ...about, _tag: "verification", resource_id: "kyc_nobody", outcome: "approved", reason: null }]
  ])("for want of a resource is kept and acknowledged: %s", (_, event) =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        assert.strictEqual(yield* inbox.receive("simulated", event), "ignored")
        assert.strictEqual(yield* inbox.receive("simulated", event), "duplicate")
        const resource_id = event._tag === "payin" ? "" : event.resource_id
        const raised = yield* raisedBy(resource_id)
        assert.deepEqual(
          raised.map(({ merchant_id, reason }) => [reason, merchant_id]),
          [["unknown_resource", PLATFORM_MERCHANT]]
        )
      })
    )
  )

  it("because the store can never take it is kept, once, and acknowledged", () => {
    const poor = (change: Change) => change.rows.some(({ via }) => via === "provider.succeeded")
    const refusing = Layer.effect(
      Storage,
      Effect.map(Storage, (storage) =>
        Storage.of({
          ...storage,
          commit: (change) =>
            poor(change)
              ? Effect.succeed({ _tag: "InsufficientFunds", account: "available:wal_1", currency: "USDC" })
              : storage.commit(change)
        })
      )
    ).pipe(Layer.provide(MemoryStorage.layer))
    return inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("100")
        const { id } = yield* m.transfer("10")
        yield* m.settle
        const event = {
          _tag: "movement",
          event_id: "e1",
          merchant_id: null,
          resource_id: id,
          outcome: "success",
          reason: null,
          transaction_hash: null
        } as const
        assert.strictEqual(yield* inbox.receive("simulated", event), "ignored")
        assert.strictEqual(yield* inbox.receive("simulated", event), "duplicate")
        assert.deepEqual(
          (yield* raisedBy(id)).map(({ reason }) => reason),
          ["not_applicable"]
        )
        assert.strictEqual(yield* m.status(id), "processing")
      }),
      { storage: refusing }
    )
  })
})

/** A naira account of a merchant at a bank, with a number that the bank has given out. */
const accountAt = Effect.fnUntraced(function* (m: MerchantAtWork, provider: string, number: string) {
  const [ids, unitOfWork, inbox] = [yield* Ids, yield* UnitOfWork, yield* Inbox]
  const { id: wallet_id } = yield* (yield* Wallets).create(m.caller, { currency: "NGN" })
  const id = yield* ids.make(WalletCredentialKind.prefix)
  const { changes } = yield* begin(
    WalletCredentialKind,
    { merchant_id: m.merchant_id, id, customer_id: m.wallet.customer_id },
    {
      provider,
      wallet_id,
      type: "fiat",
      currency: "NGN",
      country_code: "NG",
      network: "bank",
      wallet_currency: "NGN",
      holder: "Ada",
      label: null,
      metadata: {},
      target: null,
      details: null,
      provider_resource_id: null
    },
    1
  )
  const source = { deduplicationKey: `test/${id}` }
  yield* unitOfWork.apply(m.merchant_id, source, Effect.succeed({ changes: [changes], result: undefined }))
  const details = {
    accountName: "Ada",
    accountNumber: number,
    bankName: provider,
    bankCode: "1",
    currency: "NGN",
    reference: "r"
  }
  const result = yield* inbox.receive(provider, issuedEvent(id, number, "bank", { kind: "wallet_credential", details }))
  return { id, wallet_id, result }
})

onMemory("one account number", (run) => {
  covers("DEPOSIT-8")
  it("may be given out by two banks: each pay-in finds the account of the bank that reports it", () =>
    run(
      Effect.gen(function* () {
        const number = `0${freshAddress().slice(2, 11)}`
        const [one, two] = [yield* merchantAtWork("0"), yield* merchantAtWork("0")]
        const balance = (m: MerchantAtWork, id: string) =>
          Effect.flatMap(Wallets, (wallets) =>
            Effect.map(wallets.get(m.caller, id), ({ body }) => body.balance.available)
          )
        const first = yield* accountAt(one, "simulated", number)
        const second = yield* accountAt(two, "bankb", number)
        assert.deepEqual([first.result, second.result], ["applied", "applied"])
        assert.strictEqual((yield* accountAt(two, "simulated", number)).result, "ignored")
        assert.strictEqual((yield* accountAt(one, "bankb", number)).result, "ignored")
        const inbox = yield* Inbox
        for (const [provider, amount] of [
          ["simulated", "100"],
          ["bankb", "7"]
        ] as const)
          for (const network of ["bank", null])
            yield* inbox.receive(
              provider,
              payinEvent({
                event_id: `${number}.${network}`,
                payin_id: `${number}.${network}`,
                target: number,
                amount,
                currency: "NGN",
                network
              })
            )
        assert.deepEqual(
          [yield* balance(one, first.wallet_id), yield* balance(two, second.wallet_id)],
          ["200.00", "14.00"]
        )
        // That of a bank that has not given it out, or has not said so yet, is no account's of another bank's.
        for (const network of ["bank", null]) {
          const id = `${number}.c.${network}`
          yield* inbox.receive(
            "bankc",
            payinEvent({ event_id: id, payin_id: id, target: number, currency: "NGN", network })
          )
          assert.deepInclude((yield* raisedBy(id))[0], {
            reason: "unknown_target",
            resource_id: null,
            merchant_id: PLATFORM_MERCHANT
          })
        }
      })
    ))
})
