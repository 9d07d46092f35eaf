/** An operator who keeps limits, fee schedules and approval rules in a simulation: drawn apart from the script, as corrections are. */
import { calm, day, hour, type Op } from "./program.ts"
import { drawApart } from "./apart.ts"

/**
 * In half of the simulations. No limit is so low that it refuses, no fee schedule begins before the simulation ends, and no rule covers
 * an act of the simulation: scenarios have what they do, and the model of the simulation predicts fees and payouts without them.
 */
export const controlling = (seed: number, ops: ReadonlyArray<Op>): ReadonlyArray<Op> => {
  const { add, chance, made } = drawApart("controls", seed, ops)
  if (!chance.happens(0.5)) return []
  const keep = (at: number, call: string, input: object): string => `@${add(at, call, [input])}.id`
  const each = (from: number, call: string, id: string, inputs: ReadonlyArray<object>): void => {
    for (const [nth, input] of inputs.entries()) add(from + (nth + 1) * hour, call, [id, input])
  }
  const keepLimit = (at: number): void => {
    const limit = {
      scope: "merchant",
      operations: [chance.pick(["payout", "onramp", "conversion"])],
      currency: "USDC",
      max_amount: "900000000.00",
      window: chance.pick([{ rolling: "P1D" }, { calendar: "day", time_zone: "Africa/Lagos" }]),
      ...chance.pick([{}, { status: "disabled" }])
    }
    const raised = { max_amount: "950000000.00" }
    each(at, "operator.limits.update", keep(at, "operator.limits.create", limit), [
      raised,
      { status: "disabled" },
      raised,
      { status: "active" }
    ])
  }
  const keepFees = (at: number): void => {
    const schedule = { operation: "offramp", source_currency: "USDC", bps: 40, valid_from: "2028-01-01" }
    const id = keep(at, "operator.feeSchedules.create", schedule)
    if (chance.happens(0.5)) each(at, "operator.feeSchedules.end", id, [{ status: "ended" }])
  }
  const keepRule = (at: number): void => {
    const id = keep(at, "operator.approvalRules.create", { operations: ["operator"], approvals: 1 })
    each(at, "operator.approvalRules.update", id, [{ approvals: 2 }])
    if (chance.happens(0.5)) add(at + 2 * hour, "operator.approvalRules.end", [id])
  }
  for (let times = chance.between(1, 3); times > 0; times--) {
    const at = chance.between(hour, calm - 2 * day)
    keepLimit(at)
    keepFees(at + hour)
    keepRule(at + 2 * hour)
  }
  return made
}
