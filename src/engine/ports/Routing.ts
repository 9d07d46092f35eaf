/** Which provider serves a request: the offers that match it, and the policy that orders the candidates. */
import { Context } from "effect"
import { parseExactAmount } from "../../machines/kernel/money.ts"
import type { Offer, Provider, ProviderOperation } from "./Provider.ts"

/** What a provider is needed for. A null member is not known, and matches every offer. */
export interface RouteRequest {
  readonly operation: ProviderOperation
  readonly merchant_id: string
  readonly currency: string | null
  readonly destination_currency?: string | null
  readonly country_code: string | null
  readonly network: string | null
  /** A decimal string in `currency`. */
  readonly amount: string | null
}

/** A provider that serves a request. `cost` is a decimal string in the currency of the request. */
export interface Candidate {
  readonly name: string
  /** As configured; a lower number goes first. Default: 0. */
  readonly priority: number
  readonly cost: string
  /** `failing`: its circuit breaker is open. `paused`: a pause stops it. */
  readonly health: "healthy" | "failing" | "paused"
}

/** An amount or a share has at most this many decimals. */
const scale = 18
const toUnits = (amount: string): bigint => parseExactAmount(amount, scale)

/** Computes the cost of an offer for an amount, as a decimal string with {@link scale} digits. Zero for an unknown amount. */
const computeCost = ({ cost }: Offer, amount: string | null): string => {
  if (cost === undefined) return "0"
  const total = toUnits(cost.fixed) + (toUnits(amount ?? "0") * toUnits(cost.share)) / 10n ** BigInt(scale)
  const digits = total.toString().padStart(scale + 1, "0")
  return `${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

const isAllowedBy = (offered: string | undefined, asked: string | null | undefined): boolean =>
  offered === undefined || asked === null || asked === undefined || offered === asked

const isWithinOffer = ({ minimum, maximum }: Offer, amount: string | null): boolean =>
  amount === null ||
  ((minimum === undefined || toUnits(amount) >= toUnits(minimum)) &&
    (maximum === undefined || toUnits(amount) <= toUnits(maximum)))

const isMatching = (offer: Offer, request: RouteRequest): boolean =>
  offer.operation === request.operation &&
  isAllowedBy(offer.currency, request.currency) &&
  isAllowedBy(offer.destination_currency, request.destination_currency) &&
  isAllowedBy(offer.country_code, request.country_code) &&
  isAllowedBy(offer.network, request.network) &&
  isWithinOffer(offer, request.amount)

/** The capability that an operation needs. */
const capabilities = {
  payout: "payouts",
  conversion: "liquidity",
  payin: "payins",
  issue: "payins",
  directory: "directory",
  screening: "screening",
  verification: "verification"
} as const satisfies Record<ProviderOperation, keyof Provider["Service"]>

/** The lowest cost at which a provider serves a request; undefined when it does not serve it. */
export const findLowestCost = (provider: Provider["Service"], request: RouteRequest): string | undefined => {
  if (provider[capabilities[request.operation]] === undefined) return undefined
  // An account takes deposits, and only an instruction the payment of one onramp.
  if (request.operation === "payin" && provider.payins?.instruct === undefined) return undefined
  let lowest: string | undefined
  for (const offer of provider.manifest.offers) {
    if (!isMatching(offer, request)) continue
    const cost = computeCost(offer, request.amount)
    if (lowest === undefined || toUnits(cost) < toUnits(lowest)) lowest = cost
  }
  return lowest
}

const healthRank = { healthy: 0, failing: 1, paused: 2 } as const

/**
 * The default policy: healthy providers first, then by configured priority, then by lowest cost, then in the order of the
 * configuration.
 */
export const defaultOrder = (_: RouteRequest, candidates: ReadonlyArray<Candidate>): ReadonlyArray<string> =>
  candidates
    .toSorted(
      (a, b) =>
        healthRank[a.health] - healthRank[b.health] ||
        a.priority - b.priority ||
        (toUnits(a.cost) < toUnits(b.cost) ? -1 : toUnits(a.cost) > toUnits(b.cost) ? 1 : 0)
    )
    .map(({ name }) => name)

/** How the candidates of a request are ordered. `order` is pure; names that it leaves out are not used. */
export interface RoutingPolicy {
  readonly priorities: { readonly [provider: string]: number }
  readonly order: (request: RouteRequest, candidates: ReadonlyArray<Candidate>) => ReadonlyArray<string>
}

export const Routing = Context.Reference<RoutingPolicy>("corridor/engine/Routing", {
  defaultValue: () => ({ priorities: {}, order: defaultOrder })
})
