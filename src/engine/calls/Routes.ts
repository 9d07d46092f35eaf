/** The providers that serve a request, in the order of the routing policy. */
import { Context, Effect, Layer } from "effect"
import { invalid } from "../ports/errors.ts"
import { type ProviderOperation, Providers } from "../ports/Provider.ts"
import type { BrakeData } from "../../machines/movements/brake.ts"
import { ActiveBrakes, isBraked } from "./ActiveBrakes.ts"
import { ProviderHealth } from "./ProviderHealth.ts"
import { type Candidate, findLowestCost, type RouteRequest, Routing } from "../ports/Routing.ts"

const described: Readonly<Record<ProviderOperation, string>> = {
  payout: "pays out",
  conversion: "converts",
  payin: "receives",
  issue: "issues addresses or accounts for",
  directory: "knows the banks for",
  screening: "screens beneficiaries",
  verification: "verifies customers for"
}

const describeRequest = ({ amount, country_code, currency, destination_currency, network }: RouteRequest): string =>
  [
    amount,
    currency,
    destination_currency === null || destination_currency === undefined ? null : `to ${destination_currency}`,
    network === null ? null : `on ${network}`,
    country_code === null ? null : `in ${country_code}`
  ]
    .filter((part) => part !== null)
    .join(" ")

export class Routes extends Context.Service<Routes>()("corridor/engine/Routes", {
  make: Effect.gen(function* () {
    const [providers, policy, brakes, health] = yield* Effect.all([Providers, Routing, ActiveBrakes, ProviderHealth])
    /** While the brakes cannot be read, the work itself waits for them. */
    const known = Effect.orElseSucceed(brakes.current, () => [])

    const healthOf = (provider: string, request: RouteRequest, paused: ReadonlyArray<BrakeData>) => {
      const { currency, destination_currency = currency, merchant_id } = request
      const work = { provider, merchant_id, source_currency: currency, destination_currency }
      if (paused.some((brake) => isBraked(brake, work))) return "paused"
      return health.isFailing(provider) ? "failing" : "healthy"
    }

    const candidatesOf = (request: RouteRequest, paused: ReadonlyArray<BrakeData>): ReadonlyArray<Candidate> =>
      providers.all.flatMap((provider) => {
        const cost = findLowestCost(provider, request)
        const { name } = provider
        if (cost === undefined) return []
        return [{ name, cost, priority: policy.priorities[name] ?? 0, health: healthOf(name, request, paused) }]
      })

    const ordered = (request: RouteRequest, paused: ReadonlyArray<BrakeData>): ReadonlyArray<Candidate> => {
      const candidates = candidatesOf(request, paused)
      if (candidates.length < 2) return candidates
      return policy
        .order(request, candidates)
        .flatMap((name) => candidates.find((candidate) => candidate.name === name) ?? [])
    }

    const order = (request: RouteRequest) =>
      Effect.map(providers.all.length < 2 ? Effect.succeed([]) : known, (paused) =>
        ordered(request, paused).map(({ name }) => name)
      )

    return {
      /** The names of the providers that serve a request, in order. Empty when there is none. */
      order,
      /** The providers of `order`, with what the policy decided on. */
      candidates: (request: RouteRequest) => Effect.map(known, (paused) => ordered(request, paused)),
      /** The first provider of `order`. */
      first: (request: RouteRequest) =>
        Effect.map(order(request), ([name]) => (name === undefined ? undefined : providers.byName(name))),
      /** Like `order`. Errors: `InvalidInput` about `field` when no provider serves the request. */
      required: (field: string, request: RouteRequest) =>
        Effect.flatMap(order(request), ([first, ...others]) =>
          first === undefined
            ? Effect.fail(
                invalid(field, `No configured provider ${described[request.operation]} ${describeRequest(request)}.`)
              )
            : Effect.succeed([first, ...others] as const)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
