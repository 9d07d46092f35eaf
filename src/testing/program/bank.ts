/** Statements of a bank, what an operator does with their differences, and closes: drawn apart from the script. */
import { calm, day, hour, minute, type Op, second } from "./program.ts"
import { makeOperationDrawer } from "./apart.ts"

/** The currencies of its accounts: those of transfers, and of what offramps pay out. */
export const bankCurrencies: ReadonlyArray<string> = ["USDC", "NGN"]

export const makeBankAccount = (currency: string): string => `77-${bankCurrencies.indexOf(currency)}`

/** How a CSV of this bank is read. */
export const bankMapping = {
  columns: {
    booked_on: "Date",
    amount: "Amount",
    bank_reference: "Reference",
    end_to_end_id: "Payment",
    remittance: "Text"
  },
  separator: ",",
  decimal: ".",
  dates: "ymd"
} as const

/** Adds, in every eighth simulation, a statement each day from the bank of the simulated provider, which an operator uploads. */
export const drawBanking = (seed: number, ops: ReadonlyArray<Op>): ReadonlyArray<Op> => {
  const { add, chance, made } = makeOperationDrawer("bank", seed, ops, Infinity)
  if (seed % 8 !== 3) return []
  const last = calm / day + 3
  const taken: Array<number> = []
  for (const currency of bankCurrencies) {
    const account = {
      provider: "simulated",
      currency,
      kind: "bank",
      identifiers: [{ scheme: "account_number", value: makeBankAccount(currency) }],
      opening: { date: "2027-01-01", balance: "0" },
      time_zone: "UTC"
    }
    const external_account_id = `@${add(minute, "operator.externalAccounts.create", [account])}.id`
    const mapping = { name: "Export", external_account_id, ...bankMapping }
    const read = {
      external_account_id,
      mapping: `@${add(2 * minute, "operator.statementMappings.create", [mapping])}.id`
    }
    for (let nth = 1; nth <= last; nth++) {
      const at = nth * day - chance.between(minute, 3 * hour)
      add(at, "bank.statement", [currency, read])
      taken.push(at)
      const date = new Date(Date.UTC(2027, 0, nth)).toISOString().slice(0, 10)
      if (chance.happens(0.2))
        add(at + day, "operator.closings.create", [{ external_account_id, date, accept: true, note: "seen" }])
    }
    if (chance.happens(0.5)) {
      const from = chance.between(day, calm)
      for (const [nth, change] of [
        { uses: ["payouts", "payins"] },
        { status: "closed" },
        { status: "active" }
      ].entries())
        add(from + nth * 2 * hour, "operator.externalAccounts.update", [external_account_id, change])
    }
  }
  for (let times = chance.between(3, 12); times > 0; times--) {
    const at = chance.between(2 * day, calm + 3 * day)
    const decision = chance.weighted<object>([
      [4, { action: "dismiss" }],
      [2, { action: "explain", from: "receivable:simulated", to: "world:simulated" }],
      [2, { action: "unmatch" }]
    ])
    const about = `?break/open#${chance.between(0, 99)}`
    add(at, "operator.breaks.resolve", [about, { ...decision, note: "seen" }])
    if (chance.happens(0.5))
      add(at + chance.between(minute, 2 * day), "operator.breaks.resolve", [
        `?break/resolved#${chance.between(0, 99)}`,
        { action: "reopen", note: "seen" }
      ])
  }
  // Some ask the bank first.
  if (chance.happens(0.5))
    for (let times = chance.between(4, 20); times > 0; times--)
      add(chance.pick(taken) + chance.between(second, 5 * minute), "bank.resolve", [chance.between(0, 99)])
  return made
}
