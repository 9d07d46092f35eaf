/** Paydays: many small payments at once, so that the bank has something to write. Drawn apart from the script. */
import { calm, day, hour, minute, second } from "./program.ts"
import { type Addition, makeOperationDrawer } from "./apart.ts"

/** Adds, in every eighth simulation, a merchant's payments to its employees on some days, by transfer and to banks. */
export const drawPayroll: Addition = (seed, ops, merchants) => {
  const { add, chance, made } = makeOperationDrawer("payroll", seed, ops, Infinity)
  if (seed % 8 !== 3) return []
  const m = chance.pick(merchants)
  const act = (at: number, call: string, args: ReadonlyArray<unknown>): string => `@${add(at, call, args, m.n)}`
  const wallet = chance.pick(
    m.wallets.filter(({ currency, customer, funded }) => currency === "USDC" && customer === null && funded)
  )
  const wallet_id = `@${wallet.n}.id`
  const begun = day
  act(begun, "sandbox.deposit", [{ wallet_id, amount: "900.00" }])
  const banks = act(begun, "providers.list", [{ country_code: "NG" }])
  const details = { country_code: "NG", network: "bank", account_number: "0123456789" }
  const banked = { type: "fiat", name: "Ngozi", currency: "NGN" }
  const onBank = act(begun + 2 * second, "beneficiaries.create", [
    { ...banked, details: { ...details, provider_id: `${banks}.items.0.id` } }
  ])
  const address = wallet.network === "solana" ? "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" : `0x${"3".repeat(40)}`
  const onChain = act(begun, "beneficiaries.create", [
    { type: "crypto", name: "Payroll", currency: "USDC", details: { network: wallet.network, address } }
  ])
  const amount = (): string => `${chance.between(1, 9)}.${chance.between(10, 99)}`
  const pay = (at: number): void => {
    if (chance.happens(0.4)) {
      act(at, "transfers.create", [{ wallet_id, beneficiary_id: `${onChain}.id`, amount: amount() }])
      return
    }
    const quote = act(at, "quotes.offramp", [{ wallet_id, beneficiary_id: `${onBank}.id`, source_amount: amount() }])
    act(at + 2 * second, "offramps.create", [{ quote_id: `${quote}.id` }])
  }
  for (let times = chance.between(5, 9); times > 0; times--) {
    const at = chance.between(2 * day, calm - 2 * day)
    for (let payments = chance.between(3, 9); payments > 0; payments--) pay(at + chance.between(0, hour) + minute)
  }
  return made
}
