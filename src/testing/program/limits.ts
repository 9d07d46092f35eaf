/** Limits that stop payouts: drawn apart from the script, so that the rest of a seed stays as it is. */
import { calm, day, hour, type Op } from "./program.ts"
import { drawApart } from "./apart.ts"
import type { ScriptMerchant } from "./script.ts"

/**
 * In every sixteenth simulation, payouts are limited to few and little: of the platform, of each merchant, or of one merchant, wallet or
 * beneficiary, in every kind of window. Limits are raised, lowered, disabled and enabled while money moves.
 */
export const limiting = (
  seed: number,
  ops: ReadonlyArray<Op>,
  merchants: ReadonlyArray<ScriptMerchant>
): ReadonlyArray<Op> => {
  const { add, chance, made } = drawApart("limits", seed, ops)
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
