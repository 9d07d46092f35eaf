/** Deposits on an EVM chain: real nodes, and reorganisations of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { encodeFunctionData, type Hex } from "viem"
import type { PayinEvent, ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import {
  adapterOf,
  sumBooked,
  does,
  finalities,
  heldOnChain,
  hot,
  issueCommand,
  issueAddress,
  onChain,
  optionsFor,
  payer,
  reader,
  statement
} from "../../support/chains/evm-world.ts"
import { startProxy } from "../../support/chains/rpc-proxy.ts"
import { testToken } from "../../support/chains/test-token.ts"
import { covers } from "../../support/repository/covers.ts"

const payins = (events: ReadonlyArray<{ readonly _tag: string }>) =>
  events.filter((event): event is PayinEvent => event._tag === "payin")

/** Stage and amount of each. */
const stagesOf = (events: ReadonlyArray<ProviderEvent>): ReadonlyArray<string> =>
  payins(events).map(({ amount, stage }) => `${stage} ${amount}`)

describe.each(finalities)("a deposit, final blocks %s", (finality) => {
  covers("EVM-1")
  it.effect("is detected at the head, confirmed once final, and swept to the hot wallet", () =>
    onChain(
      (chain) =>
        Effect.gen(function* () {
          const adapter = yield* adapterOf(optionsFor(chain))
          const { all, poll } = reader(adapter)
          const address = yield* issueAddress(adapter, 1)
          const hash = yield* Effect.promise(() => chain.pay(address, "12.5"))
          assert.deepStrictEqual(yield* poll, [])
          yield* does(chain.mine)
          const [detected] = payins(yield* poll)
          assert.deepStrictEqual(
            { ...detected, payin_id: "", event_id: "" },
            {
              _tag: "payin",
              event_id: "",
              payin_id: "",
              stage: "detected",
              target: address,
              amount: "12.5",
              currency: "USDC",
              network: "base",
              transaction_hash: hash,
              from_address: payer.address,
              sender: null,
              narration: null,
              observed_at: 0
            }
          )
          assert.deepStrictEqual(yield* poll, [])
          yield* does(() => chain.mine(7))
          assert.deepStrictEqual(yield* poll, [])
          yield* does(() => chain.mine(1))
          const [confirmed] = payins(yield* poll)
          assert.deepStrictEqual({ ...confirmed, event_id: "" }, { ...detected, event_id: "", stage: "confirmed" })
          // The first round deploys the factory, the next one sweeps.
          for (let round = 0; round < 4; round++) {
            yield* does(chain.finalize)
            assert.deepStrictEqual(yield* poll, [])
          }
          assert.deepStrictEqual(stagesOf(all), ["detected 12.5", "confirmed 12.5"])
          assert.strictEqual(yield* Effect.promise(() => chain.balance(hot.address)), 12_500_000n)
          assert.deepStrictEqual(
            (yield* adapter.statements!.balances).map(({ available, currency, pending }) => [
              currency,
              currency === "ETH" ? "" : available,
              pending
            ]),
            [
              ["USDC", "12.5", "0"],
              ["USDT", "0", "0"],
              ["ETH", "", "0"]
            ]
          )
          const lines = yield* statement(adapter)
          assert.strictEqual(sumBooked(lines, "USDC", 6), yield* heldOnChain(chain, [address]))
          const coins = yield* Effect.promise(() => chain.client.getBalance({ address: hot.address }))
          assert.strictEqual(coins, 10n ** 19n + sumBooked(lines, "ETH", 18))
        }),
      finality
    )
  )
})

covers("EVM-2")
describe("a deposit address", () => {
  it.effect(
    "is the same for the same command, on every node and after a restart, and another for another command",
    () =>
      onChain((chain) =>
        Effect.gen(function* () {
          const [a, b] = [yield* adapterOf(optionsFor(chain)), yield* adapterOf(optionsFor(chain))]
          const first = yield* Effect.all([issueAddress(a, 1), issueAddress(b, 1), issueAddress(a, 1)], {
            concurrency: 3
          })
          assert.strictEqual(new Set(first).size, 1)
          const others = yield* Effect.forEach([2, 3, 4], (n) => issueAddress(a, n))
          assert.strictEqual(new Set([...first, ...others]).size, 4)
        })
      )
  )

  it.effect("is not issued for a currency or a network that is not configured", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const adapter = yield* adapterOf(optionsFor(chain))
        const wrong = [{ currency: "EURC" }, { network: "ethereum" }, { type: "fiat", network: "bank" }] as const
        for (const more of wrong) {
          const result = yield* adapter.payins!.issue(issueCommand(1, more))
          assert.strictEqual(result._tag, "rejected")
        }
      })
    )
  )
})

covers("EVM-3")
describe("transfers", () => {
  it.effect(
    "that are equal in one transaction are a pay-in each, and other tokens, addresses and nothing are none",
    () =>
      onChain((chain) =>
        Effect.gen(function* () {
          const adapter = yield* adapterOf(optionsFor(chain))
          const { all, poll } = reader(adapter)
          const [a, b] = [yield* issueAddress(adapter, 1), yield* issueAddress(adapter, 2)]
          const many = (to: ReadonlyArray<Hex>, values: ReadonlyArray<bigint>) => () =>
            chain.send(
              chain.wallets.payer,
              chain.usdc,
              encodeFunctionData({ abi: testToken.abi, functionName: "transferMany", args: [to, values] }),
              { gas: 900_000n }
            )
          const other = yield* Effect.promise(() => chain.deploy("SPAM", 6))
          yield* does(
            many([a, a, b, payer.address, a], [5n, 5n, 5n, 5n, 0n]),
            () => chain.give(a, "7", other),
            () => chain.pay(b, "0.25", chain.usdt),
            chain.finalize
          )
          yield* poll
          assert.deepStrictEqual(
            payins(all)
              .map(({ amount, currency, stage, target }) => [stage, amount, currency, target])
              .toSorted(),
            [
              ["confirmed", "0.000005", "USDC", a],
              ["confirmed", "0.000005", "USDC", a],
              ["confirmed", "0.000005", "USDC", b],
              ["confirmed", "0.25", "USDT", b]
            ].toSorted()
          )
          assert.strictEqual(new Set(payins(all).map(({ payin_id }) => payin_id)).size, 4)
        })
      )
  )

  it.effect("are reported once by several nodes, in one order, and again to a reader that begins anew", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const adapters = yield* Effect.all([1, 2, 3].map(() => adapterOf(optionsFor(chain))))
        const readers = adapters.map(reader)
        const addresses = yield* Effect.forEach([1, 2, 3, 4, 5], (n) => issueAddress(adapters[0]!, n))
        for (const [n, address] of addresses.entries()) {
          yield* does(
            () => chain.pay(address, `${n + 1}`),
            () => chain.mine(3)
          )
          yield* Effect.all(
            readers.map(({ poll }) => poll),
            { concurrency: 3 }
          )
        }
        yield* does(chain.finalize)
        for (let round = 0; round < 2; round++) {
          yield* Effect.all(
            readers.map(({ poll }) => poll),
            { concurrency: 3 }
          )
        }
        const [first, ...others] = readers.map(({ all }) => all)
        assert.strictEqual(stagesOf(first!).length, 10)
        assert.strictEqual(new Set(first!.map(({ event_id }) => event_id)).size, 10)
        for (const other of others) assert.deepStrictEqual(other, first)
        const late = reader(yield* adapterOf(optionsFor(chain)))
        yield* late.poll
        assert.deepStrictEqual(late.all, first)
      })
    )
  )

  it.effect("of many blocks are found after a while away, also where a node gives few blocks at once", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const proxy = yield* Effect.promise(() => startProxy(chain.url))
        proxy.treat = ({ method, params }) =>
          method === "eth_getLogs" && Number(params[0].toBlock) - Number(params[0].fromBlock) > 6
            ? { error: { code: -32005, message: "too many" } }
            : "pass"
        const adapter = yield* adapterOf(optionsFor(chain, { rpc_urls: [proxy.url], block_range: 50 }))
        const { all, poll } = reader(adapter)
        const address = yield* issueAddress(adapter, 1)
        for (let n = 1; n <= 12; n++)
          yield* does(
            () => chain.pay(address, `${n}`),
            () => chain.mine(9)
          )
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(
          stagesOf(all),
          Array.from({ length: 12 }, (_, n) => `confirmed ${n + 1}`)
        )
        yield* Effect.promise(proxy.stop)
      })
    )
  )
})

covers("EVM-4")
describe("a deposit whose block is removed", () => {
  it.effect("goes on as the same pay-in when it is mined again, at another place of another block", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const adapter = yield* adapterOf(optionsFor(chain))
        const { all, poll } = reader(adapter)
        const address = yield* issueAddress(adapter, 1)
        const raw = yield* Effect.promise(() => chain.signed(address, "5"))
        yield* does(
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(2)
        )
        yield* poll
        // The same transaction comes after another transfer, so its log has another index.
        yield* does(
          () => chain.reorg(2),
          () => chain.mine(1)
        )
        assert.deepStrictEqual(yield* poll, [])
        const otherMint = () =>
          chain.send(chain.wallets.bank, chain.usdc, chain.call("mint", chain.usdc, address, "3"), {
            maxPriorityFeePerGas: 10n ** 10n,
            maxFeePerGas: 10n ** 11n
          })
        yield* does(
          otherMint,
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(1)
        )
        assert.deepStrictEqual(stagesOf(yield* poll), ["detected 3"])
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(stagesOf(all).toSorted(), ["confirmed 3", "confirmed 5", "detected 3", "detected 5"])
        assert.strictEqual(new Set(payins(all).map(({ payin_id }) => payin_id)).size, 2)
      })
    )
  )

  it.effect("makes place for another one, which is detected though the head has not moved", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const adapter = yield* adapterOf(optionsFor(chain))
        const { poll } = reader(adapter)
        const address = yield* issueAddress(adapter, 1)
        const [raw, other] = yield* Effect.promise(async () => [
          await chain.signed(address, "5"),
          await chain.signed(address, "6")
        ])
        yield* does(
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(3)
        )
        assert.deepStrictEqual(stagesOf(yield* poll), ["detected 5"])
        yield* does(() => chain.reorg(3, [[other, 0]]))
        assert.deepStrictEqual(stagesOf(yield* poll), ["detected 6"])
        yield* does(chain.finalize)
        assert.deepStrictEqual(stagesOf(yield* poll), ["confirmed 6", "failed 5"])
      })
    )
  )

  it.effect("fails once a final transaction has used its sender's nonce, and not before", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const adapter = yield* adapterOf(optionsFor(chain))
        const { all, poll } = reader(adapter)
        const address = yield* issueAddress(adapter, 1)
        const raw = yield* Effect.promise(() => chain.signed(address, "5"))
        yield* does(
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(2)
        )
        yield* poll
        yield* does(() => chain.reorg(2), chain.finalize)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["detected 5"])
        // The payer pays somebody else instead, with the same nonce.
        yield* does(
          () => chain.pay(payer.address, "1"),
          () => chain.mine(4)
        )
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["detected 5"])
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["detected 5", "failed 5"])
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual(all.length, 2)
      })
    )
  )

  it.effect("fails when it stays away too long, and is confirmed if it comes back after all", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const adapter = yield* adapterOf(optionsFor(chain, { gone_after_ms: 600_000 }))
        const { all, poll } = reader(adapter)
        const address = yield* issueAddress(adapter, 1)
        const raw = yield* Effect.promise(() => chain.signed(address, "5"))
        yield* does(
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(2)
        )
        yield* poll
        yield* does(() => chain.reorg(2), chain.finalize)
        yield* TestClock.adjust(599_999)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["detected 5"])
        yield* TestClock.adjust(1)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["detected 5", "failed 5"])
        yield* does(
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(1)
        )
        yield* poll
        yield* does(chain.finalize)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["detected 5", "failed 5", "confirmed 5"])
        assert.strictEqual(new Set(payins(all).map(({ payin_id }) => payin_id)).size, 1)
      })
    )
  )
})
