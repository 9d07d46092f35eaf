/** The contracts of deposit addresses: the checked-in code is that of the source, and does what the source says. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, type Hex } from "viem"
import { artifacts, compileContract } from "../../../scripts/contracts.ts"
import { deriveContracts, deployer, deriveSalt } from "../../../src/adapters/provider/evm/calls.ts"
import * as forwarders from "../../../src/adapters/provider/evm/contracts/artifact.ts"
import { does, type EvmChain, hot, onChain } from "../../support/chains/evm-world.ts"
import * as tokens from "../../support/chains/test-token.ts"
import { covers } from "../../support/repository/covers.ts"

covers("EVM-11")
describe("an artifact", () => {
  it("is what the compiler makes of its source", () => {
    const kept = [forwarders, tokens]
    for (const [at, path] of Object.keys(artifacts).entries())
      assert.deepStrictEqual({ ...kept[at] }, compileContract(path))
  })
})

const { deployment, factory, flushCall, forwarder } = deriveContracts(hot.address)

/** Deploys the factory, and gives the addresses of some salts money. */
const withMoney = (chain: EvmChain, salts: ReadonlyArray<Hex>) =>
  does(
    () => chain.send(chain.wallets.bank, deployer, deployment, { gas: 1_200_000n }),
    chain.mine,
    async () => {
      for (const salt of salts) await chain.give(forwarder(salt), "2")
    }
  )

/** Anyone may flush: here the bank does, and the hot wallet gets the money. */
const flush = (chain: EvmChain, salts: ReadonlyArray<Hex>, token: Hex) =>
  does(
    () =>
      chain.send(chain.wallets.bank, factory, flushCall(salts, token), {
        gas: 150_000n * BigInt(salts.length) + 100_000n
      }),
    chain.mine
  )

const configured = (chain: EvmChain, functionName: "configure" | "setBlocked", args: ReadonlyArray<unknown>) =>
  does(
    () =>
      chain.send(
        chain.wallets.bank,
        chain.usdc,
        encodeFunctionData({ abi: tokens.testToken.abi, functionName, args } as never)
      ),
    chain.mine
  )

describe("the factory", () => {
  it.effect("empties addresses that do not exist yet, and again, and costs little gas", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const salts = ["a", "b", "c", "d"].map(deriveSalt)
        yield* withMoney(chain, salts)
        yield* flush(chain, salts.slice(0, 3), chain.usdc)
        assert.strictEqual(yield* Effect.promise(() => chain.balance(hot.address)), 6_000_000n)
        yield* does(() => chain.give(forwarder(salts[0]!), "1"))
        yield* flush(chain, salts, chain.usdc)
        assert.strictEqual(yield* Effect.promise(() => chain.balance(hot.address)), 9_000_000n)
        yield* flush(chain, salts, chain.usdc)
        const block = yield* Effect.promise(() => chain.client.getBlock())
        const receipt = yield* Effect.promise(() =>
          chain.client.getTransactionReceipt({ hash: block.transactions[0] as Hex })
        )
        assert.strictEqual(receipt.status, "success")
        assert.isBelow(Number(receipt.gasUsed), 90_000)
      })
    )
  )
})

describe("a forwarder", () => {
  it.effect("that cannot be emptied does not stop the others, and can be later", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const salts = ["a", "b", "c"].map(deriveSalt)
        yield* withMoney(chain, salts)
        yield* configured(chain, "setBlocked", [forwarder(salts[1]!), true])
        yield* flush(chain, salts, chain.usdc)
        assert.strictEqual(yield* Effect.promise(() => chain.balance(hot.address)), 4_000_000n)
        yield* configured(chain, "setBlocked", [forwarder(salts[1]!), false])
        yield* flush(chain, salts, chain.usdc)
        assert.strictEqual(yield* Effect.promise(() => chain.balance(hot.address)), 6_000_000n)
      })
    )
  )

  it.effect("works with a token that returns nothing, and keeps what a token that returns false did not move", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const salts = ["a"].map(deriveSalt)
        yield* withMoney(chain, salts)
        yield* configured(chain, "configure", [false, true])
        yield* flush(chain, salts, chain.usdc)
        assert.strictEqual(yield* Effect.promise(() => chain.balance(forwarder(salts[0]!))), 2_000_000n)
        yield* configured(chain, "configure", [true, false])
        yield* flush(chain, salts, chain.usdc)
        assert.strictEqual(yield* Effect.promise(() => chain.balance(hot.address)), 2_000_000n)
      })
    )
  )

  it.effect("sends the chain's own coin to the hot wallet too", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const salts = ["a"].map(deriveSalt)
        yield* withMoney(chain, salts)
        const coins = () => Effect.promise(() => chain.client.getBalance({ address: hot.address }))
        const before = yield* coins()
        yield* does(
          () =>
            chain.wallets.bank.sendTransaction({
              to: forwarder(salts[0]!),
              value: 10n ** 17n,
              chain: null,
              gas: 50_000n
            }),
          chain.mine
        )
        yield* flush(chain, salts, `0x${"0".repeat(40)}`)
        assert.strictEqual((yield* coins()) - before, 10n ** 17n)
      })
    )
  )
})
