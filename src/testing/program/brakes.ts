/** The operator's pauses in a simulation: drawn apart from the script, so that they leave the rest of a seed unchanged. */
import { calm, day, hour, minute, type Op, type Other, second } from "./program.ts"
import { makeOperationDrawer } from "./apart.ts"

export const brakeScopes = ["all", "provider", "corridor", "merchant"] as const
export type DrawnBrakeScope = (typeof brakeScopes)[number]

/** Operations that are soon followed by a submission or a refund. */
const payments: ReadonlySet<string> = new Set([
  "transfers.create",
  "offramps.create",
  "conversions.create",
  "onramps.create",
  "sandbox.deposit",
  "operator.deposits.reject",
  "operator.exceptions.resolve"
])

const corridors = [
  { source_currency: "USDC" },
  { source_currency: "NGN" },
  { destination_currency: "USDC" },
  { destination_currency: "NGN" },
  { source_currency: "USDC", destination_currency: "USDC" },
  { source_currency: "NGN", destination_currency: "USDC" }
] as const

/**
 * Adds, in half of the simulations, pauses that the operator sets while money moves: of every scope, several at once and
 * overlapping, some released at the moment when another is set. The operator lists what they stop. All are released.
 */
export const drawPauses = (seed: number, ops: ReadonlyArray<Op>, others: ReadonlyArray<Other>): ReadonlyArray<Op> => {
  const { add, chance, made } = makeOperationDrawer("brakes", seed, ops, Infinity)
  const about = ops.filter(({ at, call }) => payments.has(call) && at < calm - 3 * day)
  const merchants = ops.filter(({ call }) => call === "merchants.create").map(({ n }) => n)
  if (!chance.happens(0.5) || about.length === 0) return []
  const targetOf = (scope: DrawnBrakeScope): object => {
    switch (scope) {
      case "all":
        return {}
      case "provider":
        return { provider: chance.pick(["simulated", ...others.map(({ name }) => name)]) }
      case "corridor":
        return chance.pick(corridors)
      case "merchant":
        return { merchant_id: `@${chance.pick(merchants)}.merchant.id` }
    }
  }
  for (let episodes = chance.between(4, 10); episodes > 0; episodes--) {
    // Just as money is to move, or while some of it waits to be submitted again.
    let begins = chance.pick(about).at + chance.pick([0, chance.between(0, 10 * minute)]) + chance.between(-3000, 3000)
    for (
      let several = chance.weighted([
        [2, 1],
        [2, 2],
        [1, 4]
      ] as const);
      several > 0;
      several--
    ) {
      const scope = chance.pick(brakeScopes)
      const lasts = chance.pick([second, 30 * second, 5 * minute, 5 * minute, 2 * hour, 2 * hour, 20 * hour])
      const ends = begins + chance.between(1, lasts)
      const brake = add(begins, "operator.brakes.create", [{ scope, ...targetOf(scope) }])
      add(begins + (ends - begins) * 0.9, "operator.stuck", [{ older_than_seconds: 0, per_page: 200 }])
      add(ends, "operator.brakes.release", [`@${brake}.id`, {}])
      if (chance.happens(0.1)) add(ends + chance.between(0, 4), "operator.brakes.release", [`@${brake}.id`, {}])
      begins = chance.pick([begins, ends, begins + chance.between(0, lasts)])
    }
  }
  return made
}
