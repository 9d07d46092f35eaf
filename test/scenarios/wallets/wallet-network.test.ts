/** The network of a wallet: said when it is made, or taken from its credentials (WALLET-2). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { CreateWallet, Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { overtaken } from "../../support/stores/overtaken.ts"

const run = <A, E>(effect: Effect.Effect<A, E, SimulatedEngine>) =>
  Effect.runPromise(Effect.provide(effect, makeSimulatedEngine()))

const evm = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

const merchant = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const [beneficiaries, credentials, quotes, sandbox, transfers, wallets] = yield* Effect.all([
    Beneficiaries,
    WalletCredentials,
    Quotes,
    SandboxOperations,
    Transfers,
    Wallets
  ])
  return {
    ...m,
    sandbox,
    made: (input: object) =>
      Effect.flatMap(decode(CreateWallet, { currency: "USDC", ...input }), (given) => wallets.create(m.caller, given)),
    network: (id: string) => Effect.map(wallets.get(m.caller, id), ({ body }) => body.network),
    reached: Effect.fnUntraced(function* (id: string, network: string) {
      const made = yield* credentials.create(m.caller, id, { type: "crypto", network })
      yield* m.settle
      return made.id
    }),
    /** Pays 10 to somebody on a network: how the transfer, and the provider's command, name it. */
    pays: Effect.fnUntraced(function* (wallet_id: string, network: string) {
      yield* sandbox.deposit(m.caller, { wallet_id, amount: "10" })
      const details = { network, address: evm }
      const to = yield* beneficiaries.create(m.caller, { type: "crypto", name: "Ada", currency: "USDC", details })
      const transfer = yield* transfers.create(m.caller, { wallet_id, beneficiary_id: to.id, amount: "10" })
      return transfer.network
    }),
    /** The networks that a quote from one wallet into another was priced on. */
    converts: Effect.fnUntraced(function* (source_wallet_id: string, destination_wallet_id: string) {
      const quote = yield* quotes.conversion(m.caller, { source_wallet_id, destination_wallet_id, source_amount: "10" })
      const { data } = yield* m.rowOf(quote.id)
      const { destination_network, source_network } = data as { source_network: string; destination_network: string }
      return [source_network, destination_network]
    })
  }
})

covers("WALLET-2")
it("a wallet that says its network stays on it, whatever credentials it is given, and pays there", () =>
  run(
    Effect.gen(function* () {
      const m = yield* merchant
      const wallet = yield* m.made({ network: "base" })
      assert.strictEqual(wallet.network, "base")
      assert.strictEqual(yield* m.pays(wallet.id, "base"), "base")
      yield* m.reached(wallet.id, "ethereum")
      assert.strictEqual(yield* m.network(wallet.id), "base")
      assert.strictEqual(yield* m.pays(wallet.id, "base"), "base")
      assert.strictEqual(
        yield* Effect.map(Effect.flip(m.pays(wallet.id, "ethereum")), ({ _tag }) => _tag),
        "InvalidInput"
      )
    })
  ))

it("a wallet that says none is on its newest active credential's, else on solana", () =>
  run(
    Effect.gen(function* () {
      const m = yield* merchant
      const { id, network } = yield* m.made({})
      assert.strictEqual(network, "solana")
      yield* m.reached(id, "ethereum")
      assert.strictEqual(yield* m.network(id), "ethereum")
    })
  ))

it("a conversion quote names the networks of the newest active credentials, also where a wallet said another", () =>
  run(
    Effect.gen(function* () {
      const m = yield* merchant
      const [from, to] = [yield* m.made({ network: "base" }), yield* m.made({ currency: "USDT", network: "base" })]
      assert.deepEqual(yield* m.converts(from.id, to.id), ["solana", "solana"])
      yield* m.reached(from.id, "ethereum")
      assert.deepEqual(yield* m.converts(from.id, to.id), ["ethereum", "solana"])
      assert.strictEqual(yield* m.network(from.id), "base")
    })
  ))

it.each([
  ["a chain USDC is not on", { network: "bitcoin" }],
  ["a bank for a coin", { network: "bank" }],
  ["a chain for naira", { currency: "NGN", network: "base" }]
])("a wallet is refused %s", (_, input) =>
  run(
    Effect.gen(function* () {
      const m = yield* merchant
      const error = yield* Effect.flip(m.made(input))
      assert.strictEqual(error._tag, "InvalidInput")
      assert.deepEqual("errors" in error ? error.errors?.map(({ field }) => field) : [], ["network"])
    })
  )
)

it("a fiat wallet may say bank, and null is nothing said", () =>
  run(
    Effect.gen(function* () {
      const m = yield* merchant
      assert.strictEqual((yield* m.made({ currency: "NGN", network: "bank" })).network, "bank")
      const { id } = yield* m.made({ network: null })
      yield* m.reached(id, "base")
      assert.strictEqual(yield* m.network(id), "base")
    })
  ))

it("two credentials that are disabled at once leave the wallet without the network of either", () => {
  const { layer, first } = overtaken()
  return Effect.gen(function* () {
    const m = yield* merchant
    const credentials = yield* WalletCredentials
    const operator = yield* call(PLATFORM_MERCHANT)
    const { id } = yield* m.made({})
    const older = yield* m.reached(id, "base")
    const newer = yield* m.reached(id, "ethereum")
    const context = yield* Effect.context<SimulatedEngine>()
    const other = Effect.orDie(Effect.provideContext(credentials.disable(operator, older), context))
    // Whatever is read beside the wallet is read before the other one is written.
    first.beforeRead = { kind: "wallet", act: Effect.andThen(Effect.yieldNow, other) }
    yield* credentials.disable(operator, newer)
    assert.isUndefined(first.beforeRead)
    assert.strictEqual(yield* m.network(id), "solana")
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: layer })), Effect.runPromise)
})
