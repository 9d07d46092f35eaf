/** A fake Bridge, and providers over it that share a store: each is a process of its own. */
import { Effect } from "effect"
import { BridgeProvider, type BridgeOptions } from "../../../src/adapters/provider/bridge.ts"
import type { IssueCommand, PayoutCommand } from "../../../src/engine/ports/Provider.ts"
import { bridgeKey, customerId, FakeBridge, walletId, webhookKey } from "./fake-bridge.ts"
import { companyWorld } from "./world.ts"

export const routingNumber = "021000021"
export const iban = "DE89370400440532013000"

/** A payout of USD to an account in the US. */
export const usdOf = (n: number, over: Partial<PayoutCommand> = {}): PayoutCommand => {
  const resource_id = `off_01k6x0b7z2${String(n).padStart(16, "0")}`
  return {
    ...{ id: `${resource_id}.payout`, merchant_id: "mer_1", resource_id, statement_reference: "01K6X0B7Z26VDFC6" },
    ...{ reference: `ref_${n}`, originator: null, attempt: 0, kind: "offramp", amount: "250.50", currency: "USD" },
    ...{ source_amount: "250.50", source_currency: "USDC" },
    destination: {
      ...{ type: "fiat", country_code: "US", network: "bank", account_number: "000123456789", account_name: null },
      ...{ bank_code: routingNumber, provider_id: "prov_1", rail: null }
    },
    beneficiary: {
      ...{ id: "ben_1", name: "Ada Obi" },
      address: { line1: "1 Main Street", city: "San Francisco", state: "CA", postal_code: "94102", country_code: "US" }
    },
    ...{ narration: "Invoice 1" },
    ...over
  }
}

/** A payout of EUR to an IBAN. */
export const eurOf = (n: number, over: Partial<PayoutCommand> = {}): PayoutCommand =>
  usdOf(n, {
    ...{ amount: "850.00", currency: "EUR", source_amount: "935.00" },
    destination: {
      ...{ type: "fiat", country_code: "DE", network: "bank", account_number: iban, account_name: "Ada Obi" },
      ...{ bank_code: null, provider_id: null, rail: null }
    },
    ...over
  })

/** An account for pay-ins of USD. */
export const virtualAccountOf = (n: number, over: Partial<IssueCommand> = {}): IssueCommand => ({
  ...{ id: `wcr_${n}.issue`, merchant_id: "mer_1", resource_id: `wcr_${n}`, kind: "wallet_credential", type: "fiat" },
  ...{ currency: "USD", country_code: "US", network: "bank", holder: "Ada Obi" },
  ...over
})

/** A fake, a store, and a clock that moves by hand. All end with the scope. */
export const bridgeWorld = (options: Partial<BridgeOptions> = {}) => {
  const fake = new FakeBridge()
  const world = companyWorld(fake, (over: Partial<BridgeOptions>) =>
    BridgeProvider.layer({
      ...{ url: fake.url, environment: "test", key: bridgeKey, customer: customerId, wallet: walletId },
      ...{ webhook_keys: [webhookKey], timeout_ms: 10_000 },
      ...options,
      ...over
    })
  )
  return Effect.map(world, (made) => ({
    ...made,
    /** What Bridge made of a command. */
    transferOf: ({ id }: PayoutCommand) => {
      const [transfer] = fake.under(id)
      if (transfer === undefined) throw new Error(`${id} is not at Bridge`)
      return transfer
    }
  }))
}

export type BridgeWorld = Effect.Success<ReturnType<typeof bridgeWorld>>
