/** What an operator changes, and one node that lies: nothing that was signed is forgotten, and fees do not run away. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type Hex, numberToHex, parseGwei } from "viem"
import { LocalSigner } from "../../../src/adapters/signer/local.ts"
import { SigningRefused, Signer } from "../../../src/engine/ports/Signer.ts"
import { AesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import {
  adapterOf,
  beneficiary,
  does,
  type EvmChain,
  fundPlatform,
  hot,
  issueAddress,
  issueCommand,
  localSigner,
  onChain,
  optionsFor,
  payout,
  reader
} from "../../support/chains/evm-world.ts"
import { stagesOf } from "../../support/chains/liar.ts"
import { startProxy } from "../../support/chains/rpc-proxy.ts"
import { covers } from "../../support/repository/covers.ts"

const cipher = AesGcmCipher.layer({ keys: [aesKey(Buffer.alloc(32, 1).toString("base64"))] })
const otherWallet = LocalSigner.layer({ keys: { other: { curve: "secp256k1", secret: "22".repeat(32) } } }).pipe(
  Layer.provide(cipher),
  Layer.orDie
)

covers("EVM-16")
describe("a payout that is under way", () => {
  it.effect("is not absent after the hot wallet was changed", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter } = yield* fundPlatform(chain)
        const command = payout("5")
        assert.deepStrictEqual(yield* adapter.payouts!.submit(command), { _tag: "accepted" })
        const changed = yield* adapterOf(optionsFor(chain, { hot_wallet: "other" }), otherWallet)
        const status = yield* Effect.result(changed.payouts!.lookup(command))
        assert.strictEqual(status._tag, "Failure")
        const again = yield* Effect.result(changed.payouts!.submit({ ...command, attempt: 1 }))
        assert.strictEqual(again._tag, "Failure")
        yield* Effect.ignore(changed.events!.after!(null))
        yield* does(chain.finalize)
        yield* changed.events!.after!(null)
        const later = yield* adapter.payouts!.lookup(command)
        assert.strictEqual(later._tag, "settled")
      })
    )
  )

  it.effect("is not rejected after its token was removed from the configuration", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter } = yield* fundPlatform(chain)
        const command = payout("5")
        assert.deepStrictEqual(yield* adapter.payouts!.submit(command), { _tag: "accepted" })
        const changed = yield* adapterOf(optionsFor(chain, { tokens: { USDT: { address: chain.usdt, decimals: 18 } } }))
        assert.deepStrictEqual(yield* changed.payouts!.submit(command), { _tag: "accepted" })
      })
    )
  )

  it.effect("is not rejected because a second submission of it is refused by the signer's policy", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter } = yield* fundPlatform(chain)
        const command = payout("5")
        // The limit of the policy is used up by the first submission, which is recorded while the second one is signed.
        const slow = Layer.effect(
          Signer,
          Effect.map(Signer, (real) =>
            Signer.of({
              ...real,
              sign: () =>
                Effect.andThen(
                  Effect.ignore(adapter.payouts!.submit(command)),
                  Effect.fail(new SigningRefused({ message: "the limit of the day" }))
                )
            })
          )
        ).pipe(Layer.provide(localSigner()))
        const second = yield* adapterOf(optionsFor(chain), slow)
        const result = yield* second.payouts!.submit(command)
        assert.deepStrictEqual(result, { _tag: "accepted" })
      })
    )
  )
})

covers("EVM-16")
describe("amounts of a token that was removed from the configuration", () => {
  const withoutUsdc = (chain: EvmChain) =>
    optionsFor(chain, { confirmations: 2, gone_after_ms: 0, tokens: { USDT: { address: chain.usdt, decimals: 18 } } })

  it.effect("are those that a payout paid, and that a deposit had which is no longer in the chain", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, all, poll } = yield* fundPlatform(chain, { confirmations: 2 })
        yield* poll
        const address = yield* issueAddress(adapter, 1)
        const command = payout("30")
        yield* adapter.payouts!.submit(command)
        const byHand = chain.call("transfer", chain.usdc, beneficiary, "20")
        const fees = { maxFeePerGas: parseGwei("100"), maxPriorityFeePerGas: parseGwei("50") }
        yield* does(
          () => chain.send(chain.wallets.hot, chain.usdc, byHand, { nonce: 0, ...fees }),
          () => chain.mine(3)
        )
        const found = yield* (yield* adapterOf(withoutUsdc(chain))).payouts!.lookup(command)
        assert.strictEqual(found._tag === "settled" && found.outcome.amount, "20")
        const raw = yield* Effect.promise(() => chain.signed(address, "5"))
        yield* does(
          () => chain.rpc("eth_sendRawTransaction", [raw]),
          () => chain.mine(3)
        )
        yield* Effect.andThen(poll, poll)
        assert.deepStrictEqual(stagesOf(all), ["confirmed 5"])
        yield* does(
          () => chain.reorg(4),
          () => chain.mine(4)
        )
        const after = reader(yield* adapterOf(withoutUsdc(chain)))
        for (let n = 0; n < 3; n++) yield* Effect.exit(after.poll)
        assert.deepStrictEqual(stagesOf(after.all), ["confirmed 5", "failed 5"])
      })
    )
  )
})

const sentBy = (chain: EvmChain) =>
  Effect.promise(async () => {
    const { pending } = await chain.rpc("txpool_content")
    const [own] = Object.entries(pending).filter(([owner]) => owner.toLowerCase() === hot.address.toLowerCase())
    return Object.values(
      (own?.[1] ?? {}) as Record<string, { nonce: Hex; maxFeePerGas: Hex; maxPriorityFeePerGas: Hex }>
    )
  })

covers("EVM-17")
describe("the price of a transaction", () => {
  it.effect("and its nonce are not those of one node in three that asks for much more", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const liar = yield* Effect.promise(() => startProxy(chain.url))
        liar.treat = ({ method }) =>
          method === "eth_maxPriorityFeePerGas"
            ? { result: numberToHex(10n ** 13n) }
            : method === "eth_getTransactionCount"
              ? { result: numberToHex(1_000) }
              : "pass"
        const { adapter } = yield* fundPlatform(chain, { rpc_urls: [liar.url, chain.url, `${chain.url}/`] })
        assert.deepStrictEqual(yield* adapter.payouts!.submit(payout("5")), { _tag: "accepted" })
        const [sent] = yield* sentBy(chain)
        assert.strictEqual(Number(sent!.nonce), 0)
        assert.isBelow(Number(sent!.maxPriorityFeePerGas), 1e12)
        yield* Effect.promise(() => liar.stop())
      })
    )
  )

  it.effect("does not rise without end while the chain stands still", () =>
    onChain((chain) =>
      Effect.gen(function* () {
        const { adapter, poll } = yield* fundPlatform(chain, { replace_after_ms: 0 })
        yield* adapter.payouts!.submit(payout("5"))
        const [first] = yield* sentBy(chain)
        for (let round = 0; round < 60; round++) yield* poll
        const [last] = yield* sentBy(chain)
        assert.isAbove(Number(last!.maxFeePerGas), Number(first!.maxFeePerGas))
        assert.isAtMost(Number(last!.maxFeePerGas), Number(first!.maxFeePerGas) * 10)
        yield* does(chain.finalize)
        yield* poll
        assert.strictEqual((yield* sentBy(chain)).length, 0)
      })
    )
  )
})

covers("EVM-18")
it.effect("a token that was configured with other decimals than it has issues no address and pays nothing", () =>
  onChain((chain) =>
    Effect.gen(function* () {
      const { adapter } = yield* fundPlatform(chain, { tokens: { USDC: { address: chain.usdc, decimals: 2 } } })
      const issue = yield* Effect.flip(adapter.payins!.issue(issueCommand(1)))
      assert.strictEqual(issue.message, "tokens.USDC.decimals is 2; the token has 6")
      assert.strictEqual((yield* Effect.flip(adapter.payouts!.submit(payout("5")))).message, issue.message)
      assert.strictEqual((yield* sentBy(chain)).length, 0)
    })
  )
)
