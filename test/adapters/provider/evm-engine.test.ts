/** The whole engine with a chain: deposits are credited, transfers have real hashes, and the ledger equals the chain. */
import { Context, Effect, Layer } from "effect"
import { assert, describe, it } from "vitest"
import type { Hex } from "viem"
import { AesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import type { EvmOptions } from "../../../src/adapters/provider/evm/options.ts"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import * as Engine from "../../../src/engine/Engine.ts"
import { Pricing } from "../../../src/engine/ports/Pricing.ts"
import { Provider, Providers } from "../../../src/engine/ports/Provider.ts"
import { Rates } from "../../../src/engine/ports/Rates.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Breaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { StatementInterval } from "../../../src/engine/work/reconciliation/statement-reading.ts"
import {
  adapterOf,
  beneficiary,
  sumBooked,
  type EvmChain,
  heldOnChain,
  hot,
  optionsFor,
  startChain,
  statement
} from "../../support/chains/evm-world.ts"
import { startProxy } from "../../support/chains/rpc-proxy.ts"
import { booksBalance } from "../../support/engines/every-store.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const key = aesKey(Buffer.alloc(32, 7).toString("base64"))

/** An engine whose money is on the chain. What the chain does not offer, such as screening, is simulated. */
const engineOn = (chain: EvmChain, url: string, more: Partial<EvmOptions> = {}) => {
  let reads = 0
  const providers = Layer.effectContext(
    Effect.gen(function* () {
      const simulated = yield* Layer.build(SimulatedProvider.layer({ mode: "manual", delay_ms: 1000, payshap: true }))
      const evm = yield* adapterOf(optionsFor(chain, { rpc_urls: [url], ...more }))
      const counted: Provider["Service"] = {
        ...evm,
        events: {
          interval_ms: 1,
          after: (cursor) => Effect.tap(evm.events!.after!(cursor), () => Effect.sync(() => void (reads += 1)))
        }
      }
      return Context.make(Providers, Providers.from([counted, Context.get(simulated, Provider)])).pipe(
        Context.add(Sandbox, Context.get(simulated, Sandbox))
      )
    })
  )
  const layer = Engine.sandbox.pipe(
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(providers),
    Layer.provideMerge(
      Layer.mergeAll(
        MemoryWebhookSink.layer(),
        AesGcmCipher.layer({ keys: [key] }),
        Pricing.layer.pipe(Layer.provideMerge(Rates.layer))
      )
    ),
    Layer.provideMerge(Engine.local),
    Layer.provideMerge(MovableClock.layer),
    Layer.provideMerge(MemoryStorage.layer)
  )
  /** Runs what is due, until the chain was read again. */
  const work = Effect.gen(function* () {
    const dispatcher = yield* Dispatcher
    const until = reads + 2
    for (let round = 0; reads < until && round < 200; round++) {
      yield* dispatcher.drain()
      yield* Effect.sleep(2)
    }
    yield* dispatcher.drain()
  })
  return { layer, work }
}

const acts = (...steps: ReadonlyArray<() => Promise<unknown>>) =>
  Effect.promise(async () => {
    for (const step of steps) await step()
  })

describe("an engine with money on a chain", () => {
  covers("EVM-14")
  it("credits deposits, pays transfers with real hashes, and its ledger equals the chain at every quiet point", async () => {
    const chain = await startChain()
    const proxy = await startProxy(chain.url)
    const { layer, work } = engineOn(chain, proxy.url)
    await chain.give(hot.address, "1000")
    await chain.finalize()
    const addresses: Array<Hex> = []

    /** Nothing is under way: the chain, the ledger and the statement say the same. */
    const quiet = Effect.gen(function* () {
      for (let round = 0; round < 4; round++) {
        yield* acts(chain.finalize)
        yield* work
      }
      const classes = yield* booksBalance
      assert.strictEqual(classes.get("clearing/USDC") ?? "0", "0")
      const held = yield* heldOnChain(chain, addresses)
      assert.strictEqual(held, 1_000_000_000n - BigInt(classes.get("world/USDC") ?? "0"))
      const lines = yield* statement(yield* adapterOf(optionsFor(chain)))
      assert.strictEqual(held, 1_000_000_000n + sumBooked(lines, "USDC", 6))
      const coins = yield* Effect.promise(() => chain.client.getBalance({ address: hot.address }))
      assert.strictEqual(coins, 10n ** 19n + sumBooked(lines, "ETH", 18))
    })

    const scenario = Effect.gen(function* () {
      const m = yield* merchantAtWork("0")
      yield* m.networked("base")
      const made = yield* (yield* DepositAddresses).create(m.caller, m.wallet.id, { network: "base" })
      yield* work
      const { body } = yield* (yield* DepositAddresses).get(m.caller, m.wallet.id, made.id)
      assert.strictEqual(body.status, "active")
      const address = body.details.address as Hex
      addresses.push(address)

      const paid = yield* Effect.promise(() => chain.pay(address, "250.5"))
      yield* acts(chain.mine)
      yield* work
      const [received] = yield* m.transactions
      assert.deepInclude(received, { type: "deposit", status: "processing", transaction_hash: paid })
      assert.strictEqual((yield* m.balance).available, "0.00")
      yield* quiet
      assert.strictEqual((yield* m.balance).available, "250.50")
      assert.strictEqual((yield* m.transactions)[0]?.status, "success")

      const to = yield* m.crypto(beneficiary, "base")
      const transfer = yield* m.transfer("100", { beneficiary_id: to })
      yield* work
      yield* acts(chain.mine)
      yield* work
      assert.strictEqual(yield* m.status(transfer.id), "processing")
      yield* quiet
      const done = yield* m.body(transfer.id)
      assert.strictEqual(done["status"], "success")
      const receipt = yield* Effect.promise(() =>
        chain.client.getTransactionReceipt({ hash: done["transaction_hash"] as Hex })
      )
      assert.strictEqual(receipt.status, "success")
      assert.strictEqual(yield* Effect.promise(() => chain.balance(beneficiary)), 100_000_000n)

      // Reorganisations under a deposit and under a payout, and a node that loses the broadcast of another.
      const raw = yield* Effect.promise(() => chain.signed(address, "40"))
      const [second, third] = [
        yield* m.transfer("20", { beneficiary_id: to }),
        yield* m.transfer("30", { beneficiary_id: to })
      ]
      let cuts = 0
      proxy.treat = ({ method }) => (method === "eth_sendRawTransaction" && cuts++ % 2 === 0 ? "cut" : "pass")
      yield* work
      yield* acts(
        () => chain.rpc("eth_sendRawTransaction", [raw]),
        () => chain.mine(4)
      )
      yield* work
      yield* acts(() => chain.reorg(4))
      yield* work
      yield* acts(() => chain.rpc("eth_sendRawTransaction", [raw]), chain.mine)
      yield* work
      yield* m.advance(120)
      yield* quiet
      for (const one of [second, third]) assert.strictEqual(yield* m.status(one.id), "success")
      assert.strictEqual(yield* Effect.promise(() => chain.balance(beneficiary)), 150_000_000n)
      assert.strictEqual((yield* m.balance).available, "140.50")

      // A transfer that the chain refuses gives the money back.
      const refused = yield* m.transfer("10", { beneficiary_id: yield* m.crypto(chain.usdc, "base") })
      yield* quiet
      assert.strictEqual(yield* m.status(refused.id), "failed")
      assert.strictEqual((yield* m.balance).available, "140.50")
    })
    try {
      await Effect.runPromise(Effect.scoped(Effect.provide(scenario, layer) as Effect.Effect<void>))
    } finally {
      await proxy.stop()
      await chain.stop()
    }
  })

  covers("EVM-25", "INGEST-9", "MATCH-2")
  it("finds what a stranger sent and a person took as missing in the books, and all else is matched, up to the final block", async () => {
    const chain = await startChain()
    const { layer, work } = engineOn(chain, chain.url)
    await chain.give(hot.address, "1000")
    await chain.finalize()
    const scenario = Effect.gen(function* () {
      const m = yield* merchantAtWork("0")
      yield* m.networked("base")
      const made = yield* (yield* DepositAddresses).create(m.caller, m.wallet.id, { network: "base" })
      yield* work
      const { body } = yield* (yield* DepositAddresses).get(m.caller, m.wallet.id, made.id)
      const account = (address: string) =>
        Effect.gen(function* () {
          return yield* (yield* ExternalAccounts).create(yield* call(PLATFORM_MERCHANT), {
            provider: "base",
            currency: "USDC",
            kind: "chain",
            identifiers: [{ scheme: "address", value: address, network: "base" }],
            opening: { date: new Date().toISOString().slice(0, 10), balance: "1000" },
            time_zone: "UTC",
            note: "the hot wallet"
          } as never)
        })
      assert.match((yield* Effect.flip(account(beneficiary))).message, /is no address of base on base/)
      const { id } = yield* account(hot.address)
      yield* acts(() => chain.pay(body.details.address as Hex, "250.5"), chain.mine)
      const quiet = Effect.gen(function* () {
        for (let round = 0; round < 4; round++) {
          yield* acts(chain.finalize)
          yield* work
        }
      })
      yield* quiet
      const transfer = yield* m.transfer("100", { beneficiary_id: yield* m.crypto(beneficiary, "base") })
      yield* work
      yield* acts(
        () => chain.pay(hot.address, "7"),
        () => chain.send(chain.wallets.hot, chain.usdc, chain.call("transfer", chain.usdc, beneficiary, "3")),
        chain.mine
      )
      yield* quiet
      assert.strictEqual(yield* m.status(transfer.id), "success")
      const { final } = yield* Effect.promise(async () => ({
        final: await chain.client.getBlock({ blockTag: "finalized" })
      }))
      const dispatcher = yield* Dispatcher
      const latest = Effect.gen(function* () {
        const { items } = yield* (yield* BankStatements).list({ external_account_id: id, per_page: 200 })
        return items
      })
      // Statements are read in real time.
      while (!(yield* latest).some(({ closing_balance }) => closing_balance === "1154.50")) {
        yield* dispatcher.drain()
        yield* Effect.sleep(5)
      }
      const [last] = yield* latest
      assert.isAtMost(Number(last?.number), Number(final.number))
      assert.deepEqual(
        (yield* latest).flatMap(({ warnings }) => warnings),
        []
      )
      const { items: lines } = yield* (yield* StatementLines).list({ external_account_id: id, per_page: 200 })
      assert.deepEqual(lines.map(({ amount, direction, status }) => `${direction} ${amount} ${status}`).sort(), [
        "credit 250.50 matched",
        "credit 7.00 unmatched",
        "debit 100.00 matched",
        "debit 3.00 unmatched"
      ])
      const { items: breaks } = yield* (yield* Breaks).list({ external_account_id: id, per_page: 200 })
      assert.deepEqual(breaks.map(({ amount, kind }) => `${kind} ${amount}`).sort(), [
        "missing_in_books 3.00",
        "missing_in_books 7.00"
      ])
    }).pipe(Effect.provideService(StatementInterval, 20))
    try {
      await Effect.runPromise(Effect.scoped(Effect.provide(scenario, layer) as Effect.Effect<void>))
    } finally {
      await chain.stop()
    }
  })

  covers("DEPOSIT-17", "EVM-15")
  it("recalls a deposit each time that a final block with it is replaced", async () => {
    const chain = await startChain()
    const { layer, work } = engineOn(chain, chain.url, { confirmations: 2, gone_after_ms: 0 })
    const scenario = Effect.gen(function* () {
      const m = yield* merchantAtWork("0")
      yield* m.networked("base")
      const made = yield* (yield* DepositAddresses).create(m.caller, m.wallet.id, { network: "base" })
      yield* work
      const { body } = yield* (yield* DepositAddresses).get(m.caller, m.wallet.id, made.id)
      const raw = yield* Effect.promise(() => chain.signed(body.details.address as Hex, "250"))
      // It is not swept: the hot wallet has no gas.
      yield* acts(() => chain.rpc("hardhat_setBalance", [hot.address, "0x0"]))
      const recalls = Effect.gen(function* () {
        const { items } = yield* (yield* Exceptions).list({ per_page: 200 })
        return items.filter(({ merchant_id, reason }) => merchant_id === m.merchant_id && reason === "recalled")
      })
      for (const time of ["first", "second", "third"]) {
        yield* acts(
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(3)
        )
        yield* work
        for (const { id, status } of yield* recalls) if (status === "open") yield* m.resolve(id, "dismiss")
        yield* acts(
          () => chain.reorg(4),
          () => chain.mine(3)
        )
        yield* work
        assert.deepEqual(
          (yield* recalls).map(({ exposure, status }) => `${status} ${exposure?.amount}`),
          ["open 250.00"],
          `the ${time} time`
        )
      }
      assert.strictEqual((yield* m.balance).available, "250.00")
    })
    try {
      await Effect.runPromise(Effect.scoped(Effect.provide(scenario, layer) as Effect.Effect<void>))
    } finally {
      await chain.stop()
    }
  })
})
