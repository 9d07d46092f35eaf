/** Acts that move money out or in: transfers, offramps, conversions and onramps, and the provider events about them. */
import { movementOutcomes } from "../../engine/ports/Provider.ts"
import { day, hour, minute, second } from "./program.ts"
import { endings, type ScriptMerchant, type Script } from "./script.ts"

/** Something that a person in a simulation does: it adds operations to the script. */
export type Act = (s: Script, m: ScriptMerchant) => void

/** Adds provider events about a movement that nobody requested, whether or not they fit its state. */
const addProviderEvents = (s: Script, m: ScriptMerchant, n: number): void => {
  const { chance } = s
  if (!chance.happens(0.45)) return
  for (let i = 0; i < chance.between(1, 3); i++) {
    const after = chance.between(0, chance.pick([5 * second, 2 * minute, 2 * hour, 2 * day]))
    const outcome = chance.pick(movementOutcomes)
    const reason = chance.happens(0.2) ? { reason: chance.pick(["compliance", "weather", "cancelled"]) } : {}
    if (chance.happens(0.5)) s.add(m.n, "sandbox.outcome", [{ resource_id: `@${n}.id`, outcome, ...reason }], after)
    else {
      const event_id = `stray-${s.ops.length}`
      const stray = {
        _tag: "movement",
        event_id,
        merchant_id: null,
        resource_id: `@${n}.id`,
        outcome,
        reason: null,
        transaction_hash: null
      }
      s.add(m.n, "callback", [stray], after)
    }
  }
}

/** Draws the sender of a payout: mostly none, sometimes one that may not be allowed there. */
const drawSender = ({ chance }: Script, { senders }: ScriptMerchant): { readonly sender_id?: string } =>
  senders.length > 0 && chance.happens(0.3) ? { sender_id: `@${chance.pick(senders)}.id` } : {}

export const drawTransfer: Act = (s, m) => {
  const { chance } = s
  const from = s.payer(m, ({ fiat }) => !fiat)
  if (from === undefined) return
  const known = m.beneficiaries.filter(
    ({ currency, network }) => currency === from.currency && network === from.network
  )
  const to = known.length > 0 && chance.happens(0.95) ? chance.pick(known) : s.beneficiary(m, from)
  s.now += second
  const n = s.add(m.n, "transfers.create", [
    {
      wallet_id: `@${from.n}.id`,
      beneficiary_id: `@${to.n}.id`,
      amount: s.amount(1, 60),
      ...drawSender(s, m),
      ...(chance.happens(0.6) ? { retry_on_failure: true } : {}),
      ...(chance.happens(0.1) ? { reference: `ref-${chance.between(1, 4)}` } : {})
    }
  ])
  m.movements.push(n)
  addProviderEvents(s, m, n)
}

const addQuoteAndExecution = (
  s: Script,
  m: ScriptMerchant,
  kind: "offramp" | "onramp" | "conversion",
  input: object,
  more: object = {}
): number => {
  const quote = s.add(m.n, `quotes.${kind}`, [input])
  // The time before a quote is executed: mostly short, sometimes about as long as the quote is valid.
  const after = s.chance.weighted([
    [12, 3 * second],
    [2, 290 * second],
    [1, 299_990],
    [2, 310 * second]
  ])
  const n = s.add(m.n, `${kind}s.create`, [{ quote_id: `@${quote}.id`, ...more }], after)
  if (s.chance.happens(0.08)) s.add(m.n, `${kind}s.create`, [{ quote_id: `@${quote}.id` }], after + 1)
  s.now += after
  m.movements.push(n)
  addProviderEvents(s, m, n)
  return n
}

export const drawOfframp: Act = (s, m) => {
  const { chance } = s
  const able = m.beneficiaries.filter(({ network }) => network === "bank")
  const from = s.payer(m, ({ fiat }) => !fiat)
  if (able.length === 0 || from === undefined) return
  const input = {
    wallet_id: `@${from.n}.id`,
    beneficiary_id: `@${chance.pick(able).n}.id`,
    source_amount: s.amount(2, 60),
    ...drawSender(s, m)
  }
  addQuoteAndExecution(s, m, "offramp", input, {
    ...(chance.happens(0.6) ? { retry_on_failure: true } : {}),
    ...drawSender(s, m)
  })
}

export const drawConversion: Act = (s, m) => {
  const { chance } = s
  const source = s.payer(m, () => true)
  const others = m.wallets.filter(
    ({ customer, currency, fiat }) =>
      customer === source?.customer && currency !== source.currency && !(fiat && customer !== null)
  )
  if (source === undefined || others.length === 0) return
  const amount = source.fiat ? s.amount(1000, 20_000) : s.amount(1, 50)
  addQuoteAndExecution(s, m, "conversion", {
    source_wallet_id: `@${source.n}.id`,
    destination_wallet_id: `@${chance.pick(others).n}.id`,
    source_amount: amount
  })
}

export const drawOnramp: Act = (s, m) => {
  const { chance } = s
  const wallet = chance.pick(m.wallets.filter(({ fiat }) => !fiat))
  const amount = s.amount(8000, 200_000)
  const input = {
    wallet_id: `@${wallet.n}.id`,
    source_currency: chance.pick(["NGN", "NGN", "KES"]),
    source_amount: amount
  }
  const n = addQuoteAndExecution(s, m, "onramp", input)
  if (chance.happens(0.1)) return
  const paid = chance.weighted([
    [6, amount],
    [1, "1.00"],
    [1, s.amount(8000, 200_000)],
    [1, "2000000000.00"]
  ])
  const after = chance.weighted([
    [6, chance.between(5 * second, 4 * minute)],
    [1, chance.between(4 * minute, 6 * minute)],
    // Just as the payment deadline passes.
    [1, 30 * minute + chance.between(0, 6)],
    [1, hour]
  ])
  const payin_id = `payin-${s.ops.length}`
  const sender = { sender: { name: "Payer", account_number: `00000${chance.pick(endings)}` } }
  const stages = chance.weighted<ReadonlyArray<string>>([
    [5, ["confirmed"]],
    [3, ["detected", "confirmed"]],
    [1, ["confirmed", "confirmed"]],
    [1, ["confirmed", "failed"]]
  ])
  const stated = s.stated(paid)
  for (const [report, stage] of stages.entries()) {
    const reported = { onramp_id: `@${n}.id`, amount: stated(report), stage, payin_id, ...sender }
    s.add(m.n, "sandbox.deposit", [reported], after)
  }
  if (chance.happens(0.1)) s.add(m.n, "sandbox.deposit", [{ onramp_id: `@${n}.id`, amount: paid }], after + minute)
}

/** Draws an outage: for over a day the provider has no capacity, and processes crash at its end. */
export const drawOutage: Act = (s, m) => {
  const { chance } = s
  // One outage suffices: each of its payments is submitted a hundred and fifty times.
  if (s.crashes.length > 0) return drawTransfer(s, m)
  s.add(m.n, "sandbox.provider", [{ submissions: "unavailable" }])
  s.now += 2 * second
  const begun = s.now
  for (let i = 0; i < chance.between(1, 3); i++)
    chance.pick([drawTransfer, drawOfframp, drawConversion, drawConversion, drawOnramp])(s, m)
  s.add(m.n, "sandbox.provider", [{ submissions: "accept" }], day + 40 * minute)
  for (let i = 0; i < 3; i++)
    s.crashes.push({
      at: begun + day + i * minute + chance.between(0, 2 * minute),
      node: chance.between(0, 1),
      calls: chance.between(0, 2),
      when: chance.pick(["before", "after"]),
      on: "payout.begun",
      restart_ms: chance.pick([100, second, 10 * second])
    })
}

/** Draws a refusal: a beneficiary's screening is refused while a payout waits for its first or next submission. */
export const drawScreeningRefusal: Act = (s, m) => {
  const { chance } = s
  const from = s.payer(m, ({ fiat }) => !fiat)
  if (from === undefined) return
  const known = m.beneficiaries.length
  const to = s.beneficiary(m, chance.happens(0.5) ? from : undefined)
  // Other acts must not use this beneficiary, whose screening will be refused.
  m.beneficiaries.length = known
  s.add(m.n, "sandbox.provider", [{ submissions: chance.pick(["hold", "unavailable"]) }])
  s.now += 5 * second
  const about = { wallet_id: `@${from.n}.id`, beneficiary_id: `@${to.n}.id` }
  const more = { retry_on_failure: true }
  if (to.network === "bank") addQuoteAndExecution(s, m, "offramp", { ...about, source_amount: s.amount(2, 60) }, more)
  else m.movements.push(s.add(m.n, "transfers.create", [{ ...about, amount: s.amount(1, 60), ...more }]))
  s.now += chance.between(second, minute)
  s.add(m.n, "sandbox.screenBeneficiary", [`@${to.n}.id`, { outcome: "refused" }])
  s.now += minute
  const change = chance.pick<object>([{ name: "Chidi Eze" }, { label: "do not pay" }])
  s.add(m.n, "beneficiaries.update", [`@${to.n}.id`, change])
  const late = { outcome: chance.pick(["screened", "refused"]), screening_id: `@${to.n}.screening_id` }
  s.add(m.n, "sandbox.screenBeneficiary", [`@${to.n}.id`, late], second)
  s.add(m.n, "sandbox.provider", [{ submissions: "accept" }], second)
  s.now += minute
}

/** Draws a time in which the provider takes no submissions, so that events about a movement arrive too early. */
export const drawHeldSubmissions: Act = (s, m) => {
  const { chance } = s
  s.add(m.n, "sandbox.provider", [{ submissions: "hold" }])
  s.now += 2 * second
  const first = m.movements.length
  for (let i = 0; i < chance.between(1, 3); i++)
    chance.pick([drawTransfer, drawOfframp, drawConversion, drawOnramp, drawOnramp])(s, m)
  s.now += 4 * minute
  for (const n of m.movements.slice(first)) {
    const reported = { resource_id: `@${n}.id`, outcome: chance.pick(movementOutcomes) }
    s.add(m.n, "sandbox.outcome", [reported], chance.between(0, minute))
  }
  s.add(m.n, "sandbox.provider", [{ submissions: "accept" }], 2 * minute)
  s.now += 3 * minute
}
