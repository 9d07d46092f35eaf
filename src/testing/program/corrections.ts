/** An operator who corrects the books in a simulation: drawn apart from the script, so that the rest of a seed stays as it is. */
import { calm, day, hour, type Op } from "./program.ts"
import { makeOperationDrawer } from "./apart.ts"

const currencies = ["USDC", "NGN"] as const
const accounts = ["losses", "fees", "costs:simulated", "receivable:simulated", "float:simulated", "world:simulated"]

/**
 * Adds, in every eighth simulation, an operator's corrections: external accounts, adjusting entries, some of which end
 * exceptions, and reversals. Some calls are refused: an exception may have its money in suspense, or be exposed to less.
 */
export const drawCorrections = (seed: number, ops: ReadonlyArray<Op>): ReadonlyArray<Op> => {
  const { add, chance, made } = makeOperationDrawer("corrections", seed, ops)
  const merchants = ops.filter(({ call }) => call === "merchants.create").map(({ n }) => n)
  if (seed % 8 !== 5) return []
  const keepAccount = (from: number): void => {
    const identifiers = [{ scheme: "account_number", value: `${chance.between(1, 4)}000123` }]
    const opening = { date: "2027-01-01", balance: "1000" }
    const account = `@${add(from, "operator.externalAccounts.create", [
      { provider: "simulated", currency: chance.pick(currencies), kind: "bank", identifiers, opening, time_zone: "UTC" }
    ])}.id`
    const changes = chance.pick([
      [{ uses: ["payins"] }],
      [{ status: "closed" }],
      [{ status: "closed" }, { uses: ["payouts"] }, { status: "active" }]
    ])
    for (const [n, change] of changes.entries())
      add(from + (n + 1) * hour, "operator.externalAccounts.update", [account, change])
  }
  const correct = (at: number, exception: object, as: number | null): void => {
    const from = chance.pick(accounts)
    const entry = add(
      at,
      "operator.adjustingEntries.create",
      [
        {
          from,
          to: chance.pick(accounts.filter((other) => other !== from)),
          amount: chance.pick(["0.01", "0.01", "7.50"]),
          currency: chance.pick(currencies),
          note: "as the statement has it",
          ...exception
        }
      ],
      as
    )
    if (!chance.happens(0.5)) return
    for (let times = chance.between(1, 2); times > 0; times--)
      add(at + chance.between(0, 2 * hour), "operator.adjustingEntries.reverse", [`@${entry}.id`, { note: "mistaken" }])
  }
  for (let times = chance.between(2, 6); times > 0; times--) {
    const at = chance.between(hour, calm - 2 * day)
    keepAccount(at)
    correct(at + hour, {}, null)
    correct(at + 2 * hour, { exception_id: `?exception/open#${chance.between(0, 99)}` }, chance.pick(merchants))
  }
  return made
}
