/**
 * A server that moves real money: a bank behind a connector, and USDC on Base.
 *
 * Run: corridor serve --config examples/live/corridor.config.ts
 * The environment has CORRIDOR_ENCRYPTION_KEY, BANK_URL, BANK_SECRET, CHAIN_RPC_URLS, USDC_ADDRESS and HOT_WALLET_KEY.
 * `npm run demo:live` starts it beside a development chain and the connector of examples/connector-python.
 */
import { evmProvider } from "../../src/adapters/provider/evm.ts"
import { httpProvider } from "../../src/adapters/provider/http.ts"
import { httpRates } from "../../src/adapters/rates/http.ts"
import { localSigner } from "../../src/adapters/signer/local.ts"
import { defineConfig } from "../../src/http/config/index.ts"

/** Milliseconds between two reads of a provider. A real chain has a block every two seconds. */
const poll_ms = Number(process.env["POLL_MS"] ?? 2000)

export default defineConfig(({ secret }) => {
  const bank = { url: secret("BANK_URL"), secret: secret("BANK_SECRET") }
  return {
    environment: "live",
    encryptionKeys: [secret("CORRIDOR_ENCRYPTION_KEY")],
    providers: [
      httpProvider({ name: "bank", ...bank, events_interval_ms: poll_ms }),
      evmProvider({
        name: "base",
        network: "base",
        chain_id: 8453,
        rpc_urls: secret("CHAIN_RPC_URLS").split(","),
        tokens: { USDC: { address: secret("USDC_ADDRESS"), decimals: 6 } },
        signer: localSigner({ keys: { hot: { curve: "secp256k1", secret: secret("HOT_WALLET_KEY") } } }),
        hot_wallet: "hot",
        poll_ms,
        // The demonstration does not wait an hour for a deposit that a reorganisation has removed.
        gone_after_ms: Number(process.env["GONE_AFTER_MS"] ?? 3_600_000)
      })
    ],
    rates: httpRates({ ...bank, spread: "0.005", fixed: { USDC: "1" } }),
    pricing: {
      /** Half a percent, and 500 naira for a bank transfer. Minor units of the destination currency. */
      fees: ({ operation, destination }) => ({
        gateway: operation === "conversion" ? "0.0025" : "0.005",
        network: operation === "offramp" && destination.code === "NGN" ? "50000" : "0"
      }),
      /** Minor units: at least one unit of the currency, at most a hundred million. */
      outbound: ({ ledger_scale }) => ({
        minimum: `1${"0".repeat(ledger_scale)}`,
        maximum: `100000000${"0".repeat(ledger_scale)}`
      })
    }
  }
})
