/** Paydays: many small payments at once, so that the bank has something to write. Drawn apart from the script. */
import { calm, day, hour, minute, type Op, second } from "./program.ts"
import { Chance } from "./random.ts"
import type { ScriptMerchant } from "./script.ts"

/** From the numbers of the script on: after those of the bank. */
const numbers = 9000

/** In every eighth simulation, a merchant pays people of its own on some days, by transfer and to banks. */
export const paying = (
  seed: number,
  ops: ReadonlyArray<Op>,
  merchants: ReadonlyArray<ScriptMerchant>
): ReadonlyArray<Op> => {
  const chance = new Chance(`payroll ${seed}`)
  if (seed % 8 !== 3) return []
  const made: Array<Op> = []
  let n = Math.max(...ops.map((op) => op.n)) + numbers
  const m = chance.pick(merchants)
  const add = (at: number, call: string, args: ReadonlyArray<unknown>): string => {
    made.push({ n: ++n, at: Math.floor(at), as: m.n, call, args })
    return `@${n}`
  }
  const wallet = chance.pick(
    m.wallets.filter(({ currency, customer, funded }) => currency === "USDC" && customer === null && funded)
  )
  const wallet_id = `@${wallet.n}.id`
  const begun = day
  add(begun, "sandbox.deposit", [{ wallet_id, amount: "900.00" }])
  const banks = add(begun, "providers.list", [{ country_code: "NG" }])
  const details = { country_code: "NG", network: "bank", account_number: "0123456789" }
  const banked = { type: "fiat", name: "Ngozi", currency: "NGN" }
  const onBank = add(begun + 2 * second, "beneficiaries.create", [
    { ...banked, details: { ...details, provider_id: `${banks}.items.0.id` } }
  ])
  const address = wallet.network === "solana" ? "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" : `0x${"3".repeat(40)}`
  const onChain = add(begun, "beneficiaries.create", [
    { type: "crypto", name: "Payroll", currency: "USDC", details: { network: wallet.network, address } }
  ])
  const amount = (): string => `${chance.between(1, 9)}.${chance.between(10, 99)}`
  const pay = (at: number): void => {
    if (chance.happens(0.4)) {
      add(at, "transfers.create", [{ wallet_id, beneficiary_id: `${onChain}.id`, amount: amount() }])
      return
    }
    const quote = add(at, "quotes.offramp", [{ wallet_id, beneficiary_id: `${onBank}.id`, source_amount: amount() }])
    add(at + 2 * second, "offramps.create", [{ quote_id: `${quote}.id` }])
  }
  for (let times = chance.between(5, 9); times > 0; times--) {
    const at = chance.between(2 * day, calm - 2 * day)
    for (let payments = chance.between(3, 9); payments > 0; payments--) pay(at + chance.between(0, hour) + minute)
  }
  return made
}
