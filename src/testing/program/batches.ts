/** Batches of payouts: drawn apart from the script, so that the rest of a seed stays as it is. */
import { calm, day, hour, minute, second } from "./program.ts"
import { type Addition, makeOperationDrawer } from "./apart.ts"
import { endings, type ScriptMerchant } from "./script.ts"

/**
 * Adds, in every eighth simulation, merchants' batches: rows of both operations, to known and new recipients, rows with errors and references
 * that are used twice. They are confirmed, once or several times, cancelled before, meanwhile or not, or left as drafts.
 */
export const drawBatches: Addition = (seed, ops, merchants) => {
  const { add, chance, made } = makeOperationDrawer("batches", seed, ops)
  if (seed % 8 !== 3) return []
  const amount = (): string => `${chance.between(0, 24)}.${chance.between(10, 99)}`
  const rowOf = (m: ScriptMerchant): object => {
    const wallet = chance.pick(m.wallets.filter(({ fiat, funded }) => !fiat && funded))
    const wallet_id = `@${wallet.n}.id`
    const named = chance.happens(0.1) ? { reference: `row-${chance.between(1, 6)}` } : {}
    const banks = m.beneficiaries.filter(({ network }) => network === "bank")
    const chains = m.beneficiaries.filter(
      ({ currency, network }) => currency === wallet.currency && network === wallet.network
    )
    const made = {
      type: "crypto",
      name: chance.pick(["Treasury", "Vault"]),
      currency: wallet.currency,
      details: { network: "base", address: `0x${"2".repeat(36)}${chance.pick(endings)}` }
    }
    const transfer = { operation: "transfer", wallet_id, amount: amount(), ...named }
    const offramp = { operation: "offramp", wallet_id, ...named }
    const kinds: ReadonlyArray<readonly [number, () => object]> = [
      [chains.length > 0 ? 6 : 0, () => ({ ...transfer, beneficiary_id: `@${chance.pick(chains).n}.id` })],
      [
        banks.length > 0 ? 6 : 0,
        () => ({ ...offramp, beneficiary_id: `@${chance.pick(banks).n}.id`, source_amount: `1${amount()}` })
      ],
      [
        banks.length > 0 ? 1 : 0,
        () => ({ ...offramp, beneficiary_id: `@${chance.pick(banks).n}.id`, target_amount: "15000.00" })
      ],
      [wallet.network === "base" ? 6 : 1, () => ({ ...transfer, beneficiary: made })],
      [1, () => transfer]
    ]
    return chance.weighted(kinds)()
  }
  for (let times = chance.between(3, 6); times > 0; times--) {
    const m = chance.pick(merchants)
    const at = chance.between(day, calm - 2 * day)
    const count = chance.pick([1, chance.between(2, 8), chance.between(2, 8), chance.between(17, 30)])
    const rows = Array.from({ length: count }, () => rowOf(m))
    const batch = add(at, "batches.create", [{ reference: `batch-${chance.between(1, 9)}`, rows }], m.n)
    const about = [`@${batch}.id`]
    const confirmed = at + chance.between(second, chance.pick([minute, 3 * hour]))
    if (chance.happens(0.1)) add(confirmed - second, "batches.cancel", about, m.n)
    if (chance.happens(0.95)) add(confirmed, "batches.confirm", about, m.n)
    if (chance.happens(0.3)) add(confirmed + chance.pick([0, 3, hour]), "batches.confirm", about, m.n)
    const later = chance.pick([chance.between(0, 60), chance.between(0, 3 * second), 2 * minute])
    if (chance.happens(0.3)) add(confirmed + later, "batches.cancel", about, m.n)
    add(confirmed + hour, "batches.rows", about, m.n)
  }
  return made
}
