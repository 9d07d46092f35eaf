/**
 * Ports whose results are validated where they enter the engine: the providers, the rates and the pricing policy. A
 * result that does not match the port's types is a `ProviderFault`, and nothing of it is stored. Every service of the
 * engine uses these.
 */
import { Context, Effect, Layer } from "effect"
import { validating, validRates } from "./checked-rates.ts"
import { type Fees, Pricing, type Range } from "./Pricing.ts"
import { wrapProvider } from "./checked-provider.ts"
import { Providers } from "./Provider.ts"
import { Rates } from "./Rates.ts"

const isMinor = (value: unknown): value is string => typeof value === "string" && /^\d{1,38}$/.test(value)
const isShare = (value: unknown): boolean => typeof value === "string" && /^0(\.\d{1,40})?$/.test(value)
const areFees = (value: unknown): boolean => {
  const fees = value as Partial<Fees> | null | undefined
  return isShare(fees?.gateway) && isMinor(fees?.network)
}
const isRange = (value: unknown): boolean => {
  const { minimum, maximum } = (value ?? {}) as Partial<Range>
  const isBound = (bound: unknown): boolean => bound === null || isMinor(bound)
  if (!isBound(minimum) || !isBound(maximum)) return false
  return typeof minimum !== "string" || typeof maximum !== "string" || BigInt(minimum) <= BigInt(maximum)
}

export const wrapPricing = (pricing: Pricing["Service"]): Pricing["Service"] => {
  const port = "the pricing policy"
  const fees = validating(port, "fees", "{gateway: a decimal in [0, 1), network: minor units, 0 or more}", areFees)
  const outbound = validating(port, "outbound", "{minimum, maximum}: minor units or null, in this order", isRange)
  return {
    fees: (request) => fees(() => pricing.fees(request)),
    outbound: (currency, network) => outbound(() => pricing.outbound(currency, network))
  }
}

/** Replaces the given ports by validated ones. */
export const checkedPorts: Layer.Layer<Providers | Rates | Pricing, never, Providers | Rates | Pricing> =
  Layer.effectContext(
    Effect.gen(function* () {
      const { keysByName, all } = yield* Providers
      return Context.make(Providers, Providers.from(all.map(wrapProvider), keysByName)).pipe(
        Context.add(Rates, validRates("the rate source", yield* Rates)),
        Context.add(Pricing, wrapPricing(yield* Pricing))
      )
    })
  )
