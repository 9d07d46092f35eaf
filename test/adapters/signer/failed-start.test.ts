/** A start of a chain's provider that fails leaves no key in the store: the next one may give it another curve, or its secret. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { AesGcmCipher } from "../../../src/adapters/cipher/aes-gcm.ts"
import { evmProvider } from "../../../src/adapters/provider/evm.ts"
import { solanaProvider } from "../../../src/adapters/provider/solana.ts"
import { type LocalKey, localSigner } from "../../../src/adapters/signer/local.ts"
import { layerOf, type ProviderAdapter } from "../../../src/engine/ports/adapter.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { covers } from "../../support/repository/covers.ts"
import { encryptionKey, storageIn } from "./support.ts"

const mint = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"
const token = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"

const evm =
  (more: object = {}) =>
  (key: LocalKey, name = "hot"): ProviderAdapter =>
    evmProvider({
      name: "base",
      chain_id: 84_532,
      network: "base",
      rpc_urls: ["http://127.0.0.1:1"],
      tokens: { USDC: { address: token, decimals: 6 } },
      hot_wallet: name,
      signer: localSigner({ keys: { hot: key } }),
      ...more
    })

const solana =
  (more: object = {}) =>
  (key: LocalKey, name = "hot"): ProviderAdapter =>
    solanaProvider({
      name: "solana",
      rpc_urls: ["http://127.0.0.1:1"],
      tokens: { USDC: { mint, decimals: 6 } },
      hot_wallet: name,
      signer: localSigner({ keys: { hot: key } }),
      ...more
    })

/** Whether a start succeeds, and whether the key is stored after it. */
const start = (make: () => ProviderAdapter) =>
  Effect.gen(function* () {
    const built = yield* Effect.exit(
      Effect.scoped(
        Effect.suspend(() =>
          Layer.build(
            layerOf("provider", make()).pipe(
              Layer.provide(AesGcmCipher.layer({ keys: [encryptionKey(1)] })),
              Layer.provide(JobNotifier.layer)
            )
          )
        )
      )
    )
    const found = yield* (yield* Storage).get([{ merchant_id: PLATFORM_MERCHANT, kind: "signer_key", id: "hot" }])
    return { starts: Exit.isSuccess(built), keeps: found.length > 0 }
  })

const [secp256k1, ed25519] = [{ curve: "secp256k1" }, { curve: "ed25519" }] as const

describe("a start of a chain's provider", () => {
  covers("SIGNER-2")
  it.effect.each<[string, () => ProviderAdapter]>([
    ["EVM, with an option that cannot be used", () => evm({ quorum: 3 })(secp256k1)],
    [
      "EVM, with a token that is no address",
      () => evm({ tokens: { USDC: { address: "0x0", decimals: 6 } } })(secp256k1)
    ],
    ["EVM, with a hot wallet of another curve", () => evm()(ed25519)],
    ["Solana, with an option that cannot be used", () => solana({ priority_fee: -1 })(ed25519)],
    ["Solana, with a hot wallet of another curve", () => solana()(secp256k1)],
    [
      "Solana, with deposits of a key of another curve",
      () =>
        solanaProvider({
          ...{ name: "solana", rpc_urls: ["http://127.0.0.1:1"], tokens: { USDC: { mint, decimals: 6 } } },
          ...{ hot_wallet: "wallet", deposit_key: "hot" },
          signer: localSigner({ keys: { wallet: ed25519, hot: secp256k1 } })
        })
    ]
  ])("that fails leaves no key: %s", ([, make]) =>
    storageIn(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* start(make), { starts: false, keeps: false })
      })
    )
  )

  covers("SIGNER-2")
  it.effect.each<[string, (key: LocalKey) => ProviderAdapter, LocalKey]>([
    ["EVM", evm(), secp256k1],
    ["Solana", solana(), ed25519]
  ])("that succeeds keeps it: %s", ([, make, key]) =>
    storageIn(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* start(() => make(key)), { starts: true, keeps: true })
      })
    )
  )
})
