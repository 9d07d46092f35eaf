/** Blocks that are of another fork, cannot be read, or are replaced; and money that leaves an address by a stranger's hand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Hex, keccak256, numberToHex, padHex } from "viem"
import { deriveContracts, deployer, deriveSalt, transferTopic } from "../../../src/adapters/provider/evm/calls.ts"
import {
  adapterOf,
  sumBooked,
  does,
  type EvmChain,
  heldOnChain,
  hot,
  issueAddress,
  onChain,
  optionsFor,
  payer,
  reader,
  statement
} from "../../support/chains/evm-world.ts"
import { honest, onLiar, stagesOf, watching } from "../../support/chains/liar.ts"
import { covers } from "../../support/repository/covers.ts"

const contracts = deriveContracts(hot.address)
const hashOf = (n: number): Hex => padHex(numberToHex(n), { size: 32 })

/** A block of a foreign fork at a height, and its logs: a payment of 500 USDC to an address. */
const foreign = (chain: EvmChain, height: number, parentHash: Hex, to: Hex) => {
  const hash = hashOf(0xf00d_0000 + height)
  const log = {
    address: chain.usdc,
    topics: [transferTopic, padHex(payer.address, { size: 32 }), padHex(to, { size: 32 })],
    data: numberToHex(500_000_000n, { size: 32 }),
    transactionHash: hashOf(0xabcd_0000 + height),
    blockHash: hash,
    blockNumber: numberToHex(height),
    logIndex: "0x0",
    removed: false
  }
  return { block: { number: numberToHex(height), hash, parentHash, timestamp: "0x1", transactions: [hashOf(1)] }, log }
}

const numberOf = (chain: EvmChain) => Effect.promise(async () => Number(await chain.rpc("eth_blockNumber")))
const hashAt = (chain: EvmChain, height: number) =>
  Effect.promise(async () => (await chain.rpc("eth_getBlockByNumber", [numberToHex(height), false])).hash as Hex)

covers("EVM-23")
describe("a block of a foreign fork, of a machine behind a balancer", () => {
  it.effect.each([
    ["that follows the chain's blocks", true],
    ["that follows its own", false]
  ] as const)("is not credited: one %s", ([, follows]) =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses, all, poll } = yield* watching(chain, lie.url, { block_range: 3 })
        const height = (yield* numberOf(chain)) + 3
        yield* does(
          () => chain.pay(addresses[0]!, "5"),
          () => chain.mine(6),
          chain.finalize
        )
        const parent = follows ? yield* hashAt(chain, height - 1) : hashOf(7)
        const { block, log } = foreign(chain, height, parent, addresses[1]!)
        lie.block = (one) => (Number(one.number) === height ? block : one)
        lie.proxy.treat = ({ method, params }) =>
          method === "eth_getLogs" && params[0].blockHash === block.hash ? { result: [log] } : "pass"
        for (let n = 0; n < 3; n++) {
          const fault = yield* Effect.flip(poll)
          assert.match(fault.message, /is on another fork/)
        }
        assert.deepStrictEqual(all, [])
        lie.block = (one) => one
        for (let n = 0; n < 3; n++) yield* Effect.exit(poll)
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5"])
      })
    )
  )

  it.effect("is not credited by a rescan, and does not hold up new deposits", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { adapter, addresses, all, poll } = yield* watching(chain, lie.url, { block_range: 3 })
        const height = (yield* numberOf(chain)) + 3
        yield* does(() => chain.mine(6), chain.finalize)
        yield* poll
        const { block, log } = foreign(chain, height, yield* hashAt(chain, height - 1), addresses[1]!)
        lie.block = (one) => (Number(one.number) === height ? block : one)
        lie.proxy.treat = ({ method, params }) =>
          method === "eth_getLogs" && params[0].blockHash === block.hash ? { result: [log] } : "pass"
        yield* adapter.events!.rescan!(0)
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.finalize)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5"])
        assert.match((yield* Effect.flip(poll)).message, /is on another fork/)
        assert.strictEqual(yield* adapter.events!.rescanning!, `blocks 0 to ${height} are still to be read again`)
        const read = yield* adapter.events!.lastBlock!
        assert.isAbove(read?.number ?? 0, height)
        assert.isAbove(read?.at ?? 0, Date.UTC(2020))
        // Another one takes its place.
        yield* adapter.events!.rescan!(height + 1)
        yield* poll
        assert.isNull(yield* adapter.events!.rescanning!)
      })
    )
  )

  it.effect("is none on a development node, whose blocks have parents that do not exist", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { adapter, addresses, all, poll } = yield* watching(chain, lie.url, { block_range: 7 })
        const { mangle } = lie.proxy
        let version = "HardhatNetwork/3.9.0/@nomicfoundation/edr"
        lie.proxy.mangle = (request, result) =>
          request.method === "web3_clientVersion" ? version : mangle(request, result)
        lie.block = (block) => ({ ...block, parentHash: keccak256(block.hash) })
        yield* does(
          () => chain.mine(40),
          () => chain.pay(addresses[0]!, "5"),
          chain.finalize
        )
        yield* poll
        yield* adapter.events!.rescan!(0)
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5"])
        // Of any other node they would be those of another fork.
        version = "anvil/v1.7.1"
        yield* does(() => chain.pay(addresses[0]!, "6"), chain.finalize)
        assert.match((yield* Effect.flip(poll)).message, /is on another fork/)
      })
    )
  )
})

covers("EVM-20")
describe("many final blocks that were not read", () => {
  it.effect("are credited once the last of them proves that none lacks a deposit", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses, all, poll } = yield* watching(chain, lie.url, { block_range: 3 })
        yield* does(
          () => chain.pay(addresses[0]!, "5"),
          () => chain.mine(10),
          () => chain.pay(addresses[1]!, "6"),
          () => chain.mine(10),
          () => chain.pay(addresses[2]!, "7"),
          chain.finalize
        )
        const second = addresses[1]!.slice(2).toLowerCase()
        lie.list = (logs) => logs.filter(({ topics }) => !topics[2].includes(second))
        for (let n = 0; n < 3; n++) assert.match((yield* Effect.flip(poll)).message, /holds 6 USDC more/)
        assert.deepStrictEqual(all, [])
        lie.list = honest
        yield* poll
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5", "confirmed 6", "confirmed 7"])
      })
    )
  )

  it.effect("of which one cannot be read are not read again up to it", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { addresses, all, poll } = yield* watching(chain, lie.url)
        const first = (yield* numberOf(chain)) + 1
        yield* does(
          () => chain.pay(addresses[0]!, "5"),
          () => chain.mine(60),
          chain.finalize
        )
        const asked = new Set<number>()
        lie.proxy.treat = ({ method, params }) => {
          if (method !== "eth_getBlockByNumber") return "pass"
          asked.add(Number(params[0]))
          return Number(params[0]) === first + 40 ? "away" : "pass"
        }
        yield* Effect.flip(poll)
        assert.isTrue(asked.has(first + 39))
        asked.clear()
        lie.proxy.treat = ({ method, params }) => {
          if (method === "eth_getBlockByNumber") asked.add(Number(params[0]))
          return "pass"
        }
        yield* poll
        assert.isFalse(asked.has(first + 38))
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5"])
      })
    )
  )
})

covers("EVM-24")
describe("what leaves a deposit address", () => {
  const tokens = (chain: EvmChain, sweep_minimum: string) => ({
    USDC: { address: chain.usdc, decimals: 6, sweep_minimum }
  })

  it.effect("by a stranger's hand is booked: a deposit that a node then leaves out is noticed", () =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        const { adapter, addresses, all, poll } = yield* watching(chain, lie.url, { tokens: tokens(chain, "1000") })
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.finalize)
        yield* poll
        const { wallets } = chain
        yield* does(
          () => chain.send(wallets.bank, deployer, contracts.deployment, { gas: 2_000_000n }),
          () =>
            chain.send(wallets.bank, contracts.factory, contracts.flushCall([deriveSalt("da_1.issue")], chain.usdc), {
              gas: 900_000n
            }),
          chain.finalize
        )
        yield* poll
        assert.strictEqual(yield* Effect.promise(() => chain.balance(addresses[0]!)), 0n)
        assert.strictEqual((yield* adapter.statements!.balances)[0]?.pending, "0")
        lie.list = (logs, filter) => ("blockHash" in filter ? [] : logs)
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.finalize)
        assert.match((yield* Effect.flip(poll)).message, /holds 5 USDC more/)
        lie.list = honest
        yield* poll
        assert.deepStrictEqual(
          stagesOf(all).filter((stage) => stage.startsWith("confirmed")),
          ["confirmed 5", "confirmed 5"]
        )
      })
    )
  )

  it.effect.each([
    ["before the feed passes its block", "eth_getLogs"],
    ["after it", "eth_getTransactionReceipt"]
  ] as const)("by a sweep that no node lists is booked by its receipt, settled %s", ([, late]) =>
    onLiar((chain, lie) =>
      Effect.gen(function* () {
        yield* does(() => chain.give(hot.address, "100"), chain.finalize)
        const { adapter, addresses, all, poll } = yield* watching(chain, lie.url, { tokens: tokens(chain, "1") })
        const pending = Effect.map(adapter.statements!.balances, ([first]) => first?.pending)
        const isOut = ({ topics }: any): boolean => topics[1] === padHex(addresses[0]!, { size: 32 }).toLowerCase()
        let isListed = false
        lie.list = (logs) => logs.filter((log) => isListed || !isOut(log))
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.finalize)
        yield* poll
        // What settles a sweep, or what the feed reads, fails meanwhile.
        lie.proxy.treat = ({ method }) => (method === late ? "away" : "pass")
        for (let n = 0; n < 4; n++) {
          yield* Effect.exit(poll)
          yield* does(chain.finalize)
        }
        assert.strictEqual(yield* pending, "5")
        lie.proxy.treat = () => "pass"
        for (let n = 0; n < 4; n++) {
          yield* poll
          yield* does(chain.finalize)
        }
        assert.strictEqual(yield* Effect.promise(() => chain.balance(addresses[0]!)), 0n)
        assert.strictEqual(yield* pending, "0")
        isListed = true
        yield* adapter.events!.rescan!(0)
        for (let n = 0; n < 3; n++) yield* Effect.exit(poll)
        assert.strictEqual(yield* pending, "0")
        lie.list = (logs, filter) => ("blockHash" in filter ? [] : logs)
        yield* does(() => chain.pay(addresses[0]!, "5"), chain.finalize)
        assert.match((yield* Effect.flip(poll)).message, /holds 5 USDC more/)
        lie.list = honest
        yield* poll
        assert.strictEqual(stagesOf(all).at(-1), "confirmed 5")
      })
    )
  )

  it.effect(
    "by a sweep, with a deposit that a reorganisation takes back: later deposits are credited all the same",
    () =>
      onChain((chain) =>
        Effect.gen(function* () {
          yield* does(() => chain.give(hot.address, "100"), chain.finalize)
          const options = optionsFor(chain, { confirmations: 2, tokens: tokens(chain, "1") })
          const adapter = yield* adapterOf(options)
          const { all, poll } = reader(adapter)
          const address = yield* issueAddress(adapter, 1)
          // The first sweep deploys the factory.
          yield* does(
            () => chain.pay(address, "3"),
            () => chain.mine(3)
          )
          for (let n = 0; n < 6; n++) {
            yield* poll
            yield* does(() => chain.mine(3))
          }
          assert.strictEqual(yield* Effect.promise(() => chain.balance(address)), 0n)
          const before = yield* numberOf(chain)
          const lost = yield* Effect.promise(() => chain.signed(address, "5"))
          yield* does(() => chain.rpc("eth_sendRawTransaction", [lost]), chain.mine)
          yield* poll
          yield* does(() => chain.mine(2))
          for (let n = 0; n < 4; n++) {
            yield* poll
            yield* does(() => chain.mine(3))
          }
          assert.strictEqual(yield* Effect.promise(() => chain.balance(address)), 0n)
          const depth = (yield* numberOf(chain)) - before
          yield* does(
            () => chain.reorg(depth),
            () => chain.pay(payer.address, "1"),
            () => chain.mine(3)
          )
          for (let n = 0; n < 4; n++) {
            yield* Effect.exit(poll)
            yield* does(() => chain.mine(3))
          }
          assert.strictEqual(stagesOf(all).at(-1), "failed 5")
          yield* does(
            () => chain.pay(address, "7"),
            () => chain.mine(3)
          )
          yield* poll
          assert.strictEqual(stagesOf(all).at(-1), "confirmed 7")
          for (let n = 0; n < 6; n++) {
            yield* does(() => chain.mine(3))
            yield* poll
          }
          assert.strictEqual(yield* Effect.promise(() => chain.balance(address)), 0n)
          const lines = yield* statement(adapter)
          assert.strictEqual(yield* heldOnChain(chain, [address]), 100_000_000n + sumBooked(lines, "USDC", 6))
        })
      )
  )

  it.effect("does not count for a deposit that was taken back and is mined after all", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const options = optionsFor(chain, { confirmations: 2, tokens: tokens(chain, "1000"), gone_after_ms: 0 })
        const adapter = yield* adapterOf(options)
        const { all, poll } = reader(adapter)
        const address = yield* issueAddress(adapter, 1)
        const raw = yield* Effect.promise(() => chain.signed(address, "5"))
        yield* does(
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(3)
        )
        yield* poll
        yield* does(
          () => chain.reorg(4),
          () => chain.mine(2)
        )
        for (let n = 0; n < 2; n++) {
          yield* poll
          yield* does(() => chain.mine(2))
        }
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5", "failed 5"])
        yield* does(
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(3)
        )
        yield* poll
        yield* does(
          () => chain.pay(address, "6"),
          () => chain.mine(3)
        )
        yield* poll
        assert.deepStrictEqual(
          stagesOf(all).filter((stage) => !stage.startsWith("detected")),
          ["confirmed 5", "failed 5", "confirmed 5", "confirmed 6"]
        )
      })
    )
  )
})
