/** Fee schedules that price quotes: drawn apart from the script, so that the rest of a seed stays as it is. */
import { calm, day, hour, type Op } from "./program.ts"
import { drawApart } from "./apart.ts"

/**
 * In every eighth simulation, the fee of offramps and conversions is decided by schedules: of all merchants or of one, of some currencies or
 * all, from now on or from a date on, until they are ended.
 */
export const pricing = (seed: number, ops: ReadonlyArray<Op>): ReadonlyArray<Op> => {
  const { add, chance, made } = drawApart("fees", seed, ops)
  if (seed % 8 !== 3) return []
  const merchants = ops.filter(({ call }) => call === "merchants.create").map(({ n }) => n)
  for (let times = chance.between(4, 9); times > 0; times--) {
    const at = chance.between(4 * hour, calm - 3 * day)
    const schedule = {
      operation: chance.pick(["offramp", "conversion"]),
      ...chance.pick<object>([{}, { merchant_id: `@${chance.pick(merchants)}.merchant.id` }]),
      ...chance.pick<object>([{}, { source_currency: "USDC" }, { source_currency: "USDT" }]),
      ...chance.pick<object>([{}, {}, { destination_currency: "NGN" }]),
      bps: chance.pick([0, 1, 12.5, 40, 75, 150]),
      ...chance.pick<object>([{}, { fixed: "0.10" }, { fixed: "0.37" }]),
      ...chance.pick<object>([{}, { min: "0.20" }, { max: "0.90" }, { min: "0.20", max: "0.90" }]),
      ...chance.pick<object>([{}, {}, { valid_from: `2027-01-${chance.between(10, 20)}` }])
    }
    // Often one merchant has a schedule beside the same of all, begun before it or after it.
    const whose = { merchant_id: `@${chance.pick(merchants)}.merchant.id` }
    const beside = [
      { ...schedule, ...whose, bps: 200 },
      { ...schedule, merchant_id: undefined }
    ]
    const drawn = chance.happens(0.5) ? [schedule] : chance.happens(0.5) ? beside : beside.toReversed()
    for (const [nth, one] of drawn.entries()) {
      const id = `@${add(at + nth * hour, "operator.feeSchedules.create", [one])}.id`
      if (chance.happens(0.6))
        add(at + chance.between(day, 10 * day), "operator.feeSchedules.end", [id, { status: "ended" }])
    }
  }
  return made
}
