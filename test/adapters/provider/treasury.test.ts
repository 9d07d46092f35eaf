/** The platform's own inventory as a provider of conversions. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { TreasuryProvider, treasuryProvider } from "../../../src/adapters/provider/treasury.ts"
import { layerOf } from "../../../src/engine/ports/adapter.ts"
import { type ConversionCommand, Provider } from "../../../src/engine/ports/Provider.ts"
import { findLowestCost } from "../../../src/engine/ports/Routing.ts"

const started = (name?: string) =>
  Effect.runSync(Effect.provide(Provider, TreasuryProvider.layer(name === undefined ? {} : { name })))

const command = (id: string): ConversionCommand => ({
  id,
  merchant_id: "mer_1",
  resource_id: id,
  statement_reference: "01K6X0D3E8EVQBKJ",
  kind: "conversion",
  source_amount: "100.00",
  source_currency: "USDC",
  destination_amount: "149250.00",
  destination_currency: "NGN",
  rate: "1492.5",
  originator: null,
  reference: "ref_1",
  attempt: 0
})

const settled = { _tag: "settled", outcome: { outcome: "success", reason: null, transaction_hash: null } }

describe("the treasury", () => {
  it("settles every conversion at once, and says the same of it ever after, also when it has never seen it", async () => {
    for (const { liquidity } of [started(), started()]) {
      for (const id of ["con_1.payout", "con_1.payout", "con_2.payout"]) {
        expect(await Effect.runPromise(liquidity!.submit(command(id)))).toEqual(settled)
        expect(await Effect.runPromise(liquidity!.lookup(command(id)))).toEqual(settled)
      }
      expect(await Effect.runPromise(liquidity!.lookup(command("never")))).toEqual(settled)
    }
  })

  it("serves conversions of all currencies, and nothing else", () => {
    const request = { merchant_id: "mer_1", currency: "USDC", country_code: null, network: null, amount: "1" }
    expect(findLowestCost(started(), { ...request, operation: "conversion", destination_currency: "NGN" })).toBe("0")
    for (const operation of ["payout", "payin", "issue", "directory", "screening", "verification"] as const)
      expect(findLowestCost(started(), { ...request, operation })).toBeUndefined()
  })

  it("has the name that it is given, and is no simulated provider", () => {
    expect([started().name, started("inventory").name]).toEqual(["treasury", "inventory"])
    expect(started().sandbox).toBeUndefined()
    const adapter = treasuryProvider({ name: "inventory" })
    expect(adapter).toEqual({ port: "provider", simulated: false })
    expect(layerOf("provider", adapter)).toBeDefined()
  })
})
