/** An operator who keeps limits, fee schedules and approval rules in a simulation: drawn apart from the script, as corrections are. */
import { type Addition, makeOperationDrawer } from "./apart.ts"
import { calm, day, hour, type Op } from "./program.ts"

/**
 * Adds, in half of the simulations, controls without effect: no limit is so low that it refuses, no fee schedule begins before
 * the simulation ends, and no rule covers an act of the simulation, so that the model predicts fees and payouts without them.
 */
export const drawControls = (seed: number, ops: ReadonlyArray<Op>): ReadonlyArray<Op> => {
  const { add, chance, made } = makeOperationDrawer("controls", seed, ops)
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

// Fee schedules that price quotes: drawn apart from the script, so that the rest of a seed stays as it is.

/**
 * Adds, in every eighth simulation, fee schedules of offramps and conversions: for all merchants or one, for some currencies or
 * all, from now on or from a date on, until they are ended.
 */
export const drawFeeSchedules = (seed: number, ops: ReadonlyArray<Op>): ReadonlyArray<Op> => {
  const { add, chance, made } = makeOperationDrawer("fees", seed, ops)
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

// Limits that stop payouts: drawn apart from the script, so that the rest of a seed stays as it is.

/**
 * Adds, in every sixteenth simulation, limits on payouts: of the platform, of each merchant, or of one merchant, wallet or
 * beneficiary, in every kind of window. Limits are raised, lowered, disabled and enabled while money moves.
 */
export const drawLimits: Addition = (seed, ops, merchants) => {
  const { add, chance, made } = makeOperationDrawer("limits", seed, ops)
  if (seed % 16 !== 11) return []
  const scopeOf = (): object => {
    const m = chance.pick(merchants)
    const wallet = chance.pick(m.wallets.filter(({ fiat, funded }) => !fiat && funded))
    const { n } = chance.pick(m.beneficiaries.length > 0 ? m.beneficiaries : [wallet])
    return chance.pick<object>([
      { scope: "platform" },
      { scope: "merchant" },
      { scope: "merchant", id: `@${m.n}.merchant.id` },
      { scope: "wallet" },
      { scope: "wallet", id: `@${wallet.n}.id` },
      { scope: "beneficiary" },
      n === wallet.n ? { scope: "wallet" } : { scope: "beneficiary", id: `@${n}.id` }
    ])
  }
  const amounts = ["25.00", "60.00", "120.00", "300.00"]
  for (let times = chance.between(4, 8); times > 0; times--) {
    const at = chance.between(4 * hour, calm - 4 * day)
    const window = chance.pick<unknown>([
      "movement",
      { rolling: "PT6H" },
      { rolling: "P1D" },
      { rolling: "P3D" },
      { calendar: "day", time_zone: "UTC" },
      { calendar: "day", time_zone: "Africa/Lagos" },
      { calendar: "month", time_zone: "UTC" }
    ])
    const amount = { currency: "USDC", max_amount: chance.pick(amounts) }
    const max_count = chance.between(1, 6)
    const most =
      window === "movement" ? amount : chance.pick<object>([amount, amount, { max_count }, { ...amount, max_count }])
    const operations = [chance.pick(["payout", "payout", "transfer", "offramp"])]
    const limit = `@${add(at, "operator.limits.create", [{ ...scopeOf(), operations, ...most, window }])}.id`
    const change = (status: object): void => {
      const patch = "max_amount" in most && chance.happens(0.7) ? { max_amount: chance.pick(amounts) } : {}
      add(at + chance.between(hour, 8 * day), "operator.limits.update", [limit, { ...patch, ...status }])
    }
    for (let changes = chance.between(0, 3); changes > 0; changes--)
      change(chance.pick<object>([{ note: "payday" }, { status: "disabled" }, { status: "active" }]))
  }
  return made
}
