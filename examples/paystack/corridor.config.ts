/**
 * A server that pays to bank accounts in Nigeria through Paystack. Everything else is simulated: deposits, rates, the payers.
 *
 * Run: PAYSTACK_NGN=sk_test_… corridor serve --config examples/paystack/corridor.config.ts
 */
import { paystack } from "../../src/adapters/provider/paystack.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { defineConfig } from "../../src/http/config/index.ts"

export default defineConfig(({ secret }) => ({
  providers: [
    // `demo.ts` starts a Paystack on loopback where no key is given.
    paystack({
      keys: { NGN: secret("PAYSTACK_NGN") },
      url: process.env["PAYSTACK_URL"] ?? "https://api.paystack.co",
      events_interval_ms: Number(process.env["POLL_MS"] ?? 30_000)
    }),
    simulatedProvider()
  ]
}))
