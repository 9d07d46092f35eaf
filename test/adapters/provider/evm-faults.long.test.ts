/** The fault suite: whatever fails and wherever a process ends, each payout is executed once, and the chain equals the books. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Hex } from "viem"
import type { PayoutCommand } from "../../../src/engine/ports/Provider.ts"
import { Signer } from "../../../src/engine/ports/Signer.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import {
  type Adapter,
  adapterOf,
  beneficiary,
  sumBooked,
  does,
  type EvmChain,
  heldOnChain,
  hot,
  issueAddress,
  localSigner,
  onChain,
  optionsFor,
  payout,
  reader,
  statement,
  stores
} from "../../support/chains/evm-world.ts"
import { type RpcProxy, startProxy } from "../../support/chains/rpc-proxy.ts"
import { covers } from "../../support/repository/covers.ts"

const float = 100_000_000n

/** At a quiet point: the tokens and the coins that the chain has are those of the statement, and each payout was paid once. */
const quiet = (chain: EvmChain, adapter: Adapter, addresses: ReadonlyArray<Hex>, paid: bigint) =>
  Effect.gen(function* () {
    const lines = yield* statement(adapter)
    assert.strictEqual(yield* heldOnChain(chain, addresses), float + sumBooked(lines, "USDC", 6))
    const coins = yield* Effect.promise(() => chain.client.getBalance({ address: hot.address }))
    assert.strictEqual(coins, 10n ** 19n + sumBooked(lines, "ETH", 18))
    assert.strictEqual(yield* Effect.promise(() => chain.balance(beneficiary)), paid)
    assert.strictEqual(new Set(lines.map(({ id }) => id)).size, lines.length)
  })

/** What the engine does with a payout until it is settled: it looks up, and submits again only what is absent. */
const insisted = (adapter: Adapter, command: PayoutCommand) =>
  Effect.gen(function* () {
    const status = yield* adapter.payouts!.lookup(command)
    if (status._tag !== "absent") return { command, status }
    const again = { ...command, attempt: command.attempt + 1 }
    yield* Effect.exit(adapter.payouts!.submit(again))
    return { command: again, status }
  })

/** A process that ends at one of its calls: from then on, none of its calls is answered. */
const mortal = (proxy: RpcProxy, last: number) => {
  let calls = 0
  let isDead = false
  const passes = (): boolean => {
    calls += 1
    if (calls >= last) isDead = true
    return !isDead
  }
  const step = Effect.suspend(() => (passes() ? Effect.void : Effect.die("the process has ended")))
  proxy.treat = ({ method }) => {
    if (isDead) return "away"
    if (method !== "eth_sendRawTransaction") return "pass"
    if (!passes()) return "away"
    return passes() ? "pass" : "cut"
  }
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({ ...store, commit: (change) => Effect.tap(Effect.andThen(step, store.commit(change)), () => step) })
    )
  )
  const signer = Layer.effect(
    Signer,
    Effect.map(Signer, (real) =>
      Signer.of({ ...real, sign: (...args) => Effect.tap(Effect.andThen(step, real.sign(...args)), () => step) })
    )
  ).pipe(Layer.provide(localSigner()))
  return { storage, signer, hasEnded: () => isDead, calls: () => calls }
}

covers("EVM-12")
describe("a process that ends at any of its calls", () => {
  it.effect(
    "has paid nothing twice and lost nothing, once another goes on",
    () =>
      onChain((chain) =>
        Effect.gen(function* () {
          yield* does(() => chain.give(hot.address, "100"), chain.finalize)
          const proxy = yield* Effect.promise(() => startProxy(chain.url))
          let ended = true
          let last = 0
          while (ended) {
            last += 1
            const saved: string = yield* Effect.promise(() => chain.rpc("evm_snapshot"))
            ended = yield* Effect.gen(function* () {
              const process = mortal(proxy, last)
              const command = payout("10")
              let paid: Hex | undefined
              const life = Effect.gen(function* () {
                const adapter = yield* adapterOf(optionsFor(chain, { rpc_urls: [proxy.url] }), process.signer)
                const { poll } = reader(adapter)
                paid = yield* issueAddress(adapter, last)
                yield* adapter.payouts!.submit(command)
                yield* does(() => chain.pay(paid!, "5"), chain.mine)
                for (let round = 0; round < 5; round++) {
                  yield* poll
                  yield* does(chain.finalize)
                }
              })
              yield* Effect.exit(Effect.provide(life, process.storage, { local: true }))
              const hasEnded = process.hasEnded()
              // Another process goes on with the same store.
              const second = yield* adapterOf(optionsFor(chain))
              const two = reader(second)
              let current = command
              for (let round = 0; round < 8; round++) {
                current = (yield* insisted(second, current)).command
                yield* two.poll
                yield* does(chain.finalize)
              }
              yield* two.poll
              const outcomes = two.all.filter((event) => event._tag === "movement")
              assert.deepStrictEqual(
                outcomes.map(({ outcome }) => outcome),
                ["success"],
                `ended at call ${last}`
              )
              const confirmed = two.all.filter((event) => event._tag === "payin" && event.stage === "confirmed")
              const arrived = paid === undefined ? 0n : sumBooked(yield* statement(second), "USDC", 6) + 10_000_000n
              assert.strictEqual(BigInt(confirmed.length) * 5_000_000n, arrived, `ended at call ${last}`)
              yield* quiet(chain, second, paid === undefined ? [] : [paid], 10_000_000n)
              return hasEnded
            }).pipe(Effect.provide(stores, { local: true }))
            yield* does(() => chain.rpc("evm_revert", [saved]))
          }
          // Signing, recording and broadcasting of a payout, a deployment and a sweep, and what is recorded of a deposit.
          assert.isAbove(last, 25)
          yield* Effect.promise(proxy.stop)
        })
      ),
    // Thirty lives and more, one after the other.
    240_000
  )
})

covers("EVM-12")
describe("a node that is away in the middle of a broadcast", () => {
  it.effect.each(["away", "cut"] as const)(
    "leaves the outcome unknown, and the recorded bytes are sent later: %s",
    (what) =>
      onChain((chain) =>
        Effect.gen(function* () {
          yield* does(() => chain.give(hot.address, "100"), chain.finalize)
          const proxy = yield* Effect.promise(() => startProxy(chain.url))
          const adapter = yield* adapterOf(optionsFor(chain, { rpc_urls: [proxy.url] }))
          const { all, poll } = reader(adapter)
          const command = payout("10")
          let cut = 0
          proxy.treat = ({ method }) => {
            if (method === "eth_sendRawTransaction") cut += 1
            return cut > 0 ? (method === "eth_sendRawTransaction" ? what : "away") : "pass"
          }
          assert.strictEqual((yield* Effect.flip(adapter.payouts!.submit(command)))._tag, "ProviderFault")
          assert.strictEqual((yield* Effect.flip(adapter.payouts!.lookup(command)))._tag, "ProviderFault")
          assert.strictEqual((yield* Effect.flip(poll))._tag, "ProviderFault")
          proxy.treat = () => "pass"
          assert.deepStrictEqual(yield* adapter.payouts!.lookup(command), { _tag: "pending" })
          yield* does(chain.mine)
          assert.strictEqual(yield* Effect.promise(() => chain.balance(beneficiary)), what === "cut" ? 10_000_000n : 0n)
          yield* poll
          yield* does(chain.finalize)
          yield* poll
          const sent = proxy.calls
            .filter(({ method }) => method === "eth_sendRawTransaction")
            .map(({ params }) => params[0])
          assert.strictEqual(new Set(sent).size, 1)
          assert.strictEqual(all.length, 1)
          yield* quiet(chain, adapter, [], 10_000_000n)
          yield* Effect.promise(proxy.stop)
        })
      )
  )
})

covers("EVM-12")
describe("several nodes of Corridor with one hot wallet", () => {
  it.effect("pay each of many payouts once, though all of them submit each at once", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const adapters = yield* Effect.all([1, 2, 3].map(() => adapterOf(optionsFor(chain))))
        const readers = adapters.map(reader)
        const commands = Array.from({ length: 16 }, () => payout("2"))
        const results = yield* Effect.all(
          // Each node begins with another payout, so that they want the same nonces for different ones.
          adapters.flatMap(({ payouts }, node) =>
            [...commands.slice(node * 5), ...commands.slice(0, node * 5)].map((command) =>
              Effect.exit(payouts!.submit(command))
            )
          ),
          { concurrency: "unbounded" }
        )
        assert.isTrue(results.every((exit) => exit._tag === "Success" && exit.value._tag === "accepted"))
        for (let round = 0; round < 2; round++) {
          yield* does(chain.finalize)
          yield* Effect.all(
            readers.map(({ poll }) => poll),
            { concurrency: 3 }
          )
        }
        const nonce = yield* Effect.promise(() => chain.client.getTransactionCount({ address: hot.address }))
        assert.strictEqual(nonce, 16)
        for (const { all } of readers) assert.deepStrictEqual(all, readers[0]!.all)
        assert.deepStrictEqual(
          readers[0]!.all.map((event) => event._tag === "movement" && event.resource_id).toSorted(),
          commands.map(({ resource_id }) => resource_id)
        )
        yield* quiet(chain, adapters[0]!, [], 32_000_000n)
      })
    )
  )

  it.effect("do not pay what a look-up of another has reported as absent, though it was being submitted", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const other = yield* adapterOf(optionsFor(chain))
        const command = payout("10")
        // While the first node signs, another one looks the command up, and the engine gives the money back.
        const slow = Layer.effect(
          Signer,
          Effect.map(Signer, (real) =>
            Signer.of({
              ...real,
              sign: (...args) =>
                Effect.andThen(
                  Effect.map(Effect.orDie(other.payouts!.lookup(command)), (status) =>
                    assert.deepStrictEqual(status, { _tag: "absent" })
                  ),
                  real.sign(...args)
                )
            })
          )
        ).pipe(Layer.provide(localSigner()))
        const first = yield* adapterOf(optionsFor(chain), slow)
        assert.deepStrictEqual(yield* first.payouts!.submit(command), { _tag: "unavailable" })
        yield* does(chain.finalize)
        yield* quiet(chain, other, [], 0n)
        assert.strictEqual(
          yield* Effect.promise(() => chain.client.getTransactionCount({ address: hot.address, blockTag: "pending" })),
          0
        )
      })
    )
  )
})

covers("EVM-13")
describe("several nodes of the chain", () => {
  it.effect("that disagree about a final block decide nothing, until they agree", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const [a, b] = yield* Effect.promise(() => Promise.all([startProxy(chain.url), startProxy(chain.url)]))
        const adapter = yield* adapterOf(optionsFor(chain, { rpc_urls: [a.url, b.url] }))
        const { all, poll } = reader(adapter)
        const address = yield* issueAddress(adapter, 1)
        const command = payout("10")
        assert.deepStrictEqual(yield* adapter.payouts!.submit(command), { _tag: "accepted" })
        yield* does(() => chain.pay(address, "5"), chain.finalize)
        // One of them says that nothing happened: no logs, no receipt, an old nonce.
        b.treat = ({ method }) =>
          method === "eth_getLogs"
            ? { result: [] }
            : method === "eth_getTransactionReceipt"
              ? { result: null }
              : method === "eth_getTransactionCount"
                ? { result: "0x0" }
                : "pass"
        assert.match((yield* Effect.flip(poll)).message, /the nodes disagree/)
        assert.match((yield* Effect.flip(adapter.payouts!.lookup(command))).message, /the nodes disagree/)
        assert.deepStrictEqual(all, [])
        b.treat = () => "pass"
        yield* poll
        assert.deepStrictEqual(all.map((event) => event._tag).toSorted(), ["movement", "payin"])
        yield* Effect.promise(() => Promise.all([a.stop(), b.stop()]))
      })
    )
  )

  it.effect("are a quorum of two in three: one may be away, lie or serve another chain, and two may not", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const proxies = yield* Effect.promise(() => Promise.all([1, 2, 3].map(() => startProxy(chain.url))))
        const adapter = yield* adapterOf(optionsFor(chain, { rpc_urls: proxies.map(({ url }) => url) }))
        const { all, poll } = reader(adapter)
        const [a, b, c] = proxies as [RpcProxy, RpcProxy, RpcProxy]
        a.treat = ({ method }) => (method === "eth_chainId" ? { result: "0x1" } : "pass")
        assert.deepStrictEqual(yield* adapter.payouts!.submit(payout("10")), { _tag: "accepted" })
        assert.isTrue(a.calls.every(({ method }) => method === "eth_chainId"))
        a.treat = () => "pass"
        b.treat = () => "away"
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual(all.length, 1)
        b.treat = ({ method }) =>
          method === "eth_getBlockByNumber" ? { error: { code: -32000, message: "no" } } : "pass"
        assert.deepStrictEqual(yield* adapter.payouts!.submit(payout("10")), { _tag: "accepted" })
        c.treat = () => "away"
        assert.strictEqual((yield* Effect.flip(poll))._tag, "ProviderFault")
        c.treat = () => "pass"
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual(all.length, 2)
        yield* quiet(chain, adapter, [], 20_000_000n)
        yield* Effect.promise(() => Promise.all(proxies.map(({ stop }) => stop())))
      })
    )
  )
})

covers("EVM-15")
describe("a block that was final and is replaced", () => {
  it.effect(
    "takes back deposits that do not return, credits the others once, and pays payouts again that it removed",
    () =>
      onChain((chain) =>
        Effect.gen(function* () {
          yield* does(() => chain.give(hot.address, "100"), chain.finalize)
          // Three blocks are not enough for what follows.
          const adapter = yield* adapterOf(optionsFor(chain, { confirmations: 3, tokens: usdcOf(chain, "1000") }))
          const { all, poll } = reader(adapter)
          const address = yield* issueAddress(adapter, 1)
          yield* adapter.payouts!.submit(payout("10"))
          const raw = yield* Effect.promise(() => chain.signed(address, "5"))
          yield* does(() => chain.rpc("eth_sendRawTransaction", [raw]), chain.mine)
          yield* poll
          const lost = yield* Effect.promise(() => chain.signed(address, "7"))
          yield* does(() => chain.rpc("eth_sendRawTransaction", [lost]), chain.mine)
          yield* poll
          yield* does(() => chain.mine(2))
          yield* poll
          const stages = () =>
            all.map((event) => (event._tag === "payin" ? `${event.stage} ${event.amount}` : event._tag))
          assert.deepStrictEqual(
            stages().toSorted(),
            ["confirmed 5", "confirmed 7", "detected 5", "detected 7", "movement"].toSorted()
          )
          yield* does(() => chain.reorg(6))
          yield* poll
          yield* does(
            () => chain.rpc("eth_sendRawTransaction", [raw]),
            chain.mine,
            // The payer uses the nonce of the other one.
            () => chain.pay(beneficiary, "1"),
            () => chain.mine(3)
          )
          for (let round = 0; round < 3; round++) {
            yield* poll
            yield* does(chain.finalize)
          }
          yield* poll
          assert.deepStrictEqual(stages().slice(5), ["failed 7"])
          assert.strictEqual(yield* Effect.promise(() => chain.balance(beneficiary)), 11_000_000n)
          const lines = yield* statement(adapter)
          assert.strictEqual(yield* heldOnChain(chain, [address]), float + sumBooked(lines, "USDC", 6))
          const balances = yield* adapter.statements!.balances
          assert.strictEqual(balances[0]?.pending, "5")
          // The wallet goes on.
          yield* adapter.payouts!.submit(payout("2"))
          yield* does(chain.finalize)
          yield* poll
          assert.strictEqual(stages().at(-1), "movement")
        })
      )
  )
})

/** The tokens of the adapter, of which addresses are swept from an amount on. */
const usdcOf = (chain: EvmChain, sweep_minimum: string) => ({
  USDC: { address: chain.usdc, decimals: 6, sweep_minimum }
})
