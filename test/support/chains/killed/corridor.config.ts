/** A server over a development chain, which answers often, for tests that kill it. */
import { evmProvider } from "../../../../src/adapters/provider/evm.ts"
import { simulatedProvider } from "../../../../src/adapters/provider/simulated.ts"
import { localSigner } from "../../../../src/adapters/signer/local.ts"
import { defineConfig } from "../../../../src/http/config/index.ts"

export default defineConfig(({ secret }) => ({
  environment: "test",
  encryptionKeys: [secret("CORRIDOR_ENCRYPTION_KEY")],
  providers: [
    simulatedProvider({ delay_ms: 1 }),
    evmProvider({
      name: "base",
      network: "base",
      chain_id: 8453,
      rpc_urls: [secret("CHAIN_RPC_URL")],
      tokens: { USDC: { address: secret("USDC_ADDRESS"), decimals: 6 } },
      signer: localSigner({ keys: { hot: { curve: "secp256k1", secret: secret("HOT_WALLET_KEY") } } }),
      hot_wallet: "hot",
      poll_ms: 100
    })
  ],
  routing: { priorities: { base: -1 } }
}))
