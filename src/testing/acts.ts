/** What people and the outside do in a world: each act adds the operations that one of them takes. */
import { outcomes } from "./outside.ts"
import { day, hour, minute, second } from "./program.ts"
import { endings, type Merchant, type Script } from "./script.ts"

type Act = (s: Script, m: Merchant) => void

const payin: Act = (s, m) => {
  const { chance } = s
  const place = chance.pick([
    ...m.addresses.map(({ n, wallet }) => ({ deposit_address_id: `@${n}.id`, currency: wallet.currency })),
    ...m.credentials.map(({ n, currency }) => ({ credential_id: `@${n}.id`, currency })),
    ...m.wallets.map(({ n, currency }) => ({ wallet_id: `@${n}.id`, currency }))
  ])
  const { currency, ...to } = place
  const large = chance.happens(0.25)
  const amount = currency.startsWith("USD")
    ? s.amount(5, large ? 1400 : 150)
    : s.amount(700, large ? 2_000_000 : 90_000)
  const payin_id = `payin-${s.ops.length}`
  const stages = chance.weighted<ReadonlyArray<string>>([
    [4, ["confirmed"]],
    [4, ["detected", "confirmed"]],
    [1, ["confirmed", "detected"]],
    [1, ["detected", "failed"]],
    [1, ["failed", "confirmed"]],
    [1, ["confirmed", "failed"]],
    [2, ["detected", "confirmed", "confirmed"]],
    [1, ["detected", "failed", "confirmed", "confirmed"]]
  ])
  const sender = chance.happens(0.2)
    ? { sender: { name: "Payer", account_number: `00000${chance.pick(endings)}` } }
    : {}
  for (const stage of stages) {
    s.add(m.n, "sandbox.deposit", [{ ...to, amount, stage, payin_id, ...sender }])
    s.pause(chance.pick([second, minute, hour]))
  }
}

/** What the provider says by itself of a movement, whether or not it fits. */
const words = (s: Script, m: Merchant, n: number): void => {
  const { chance } = s
  if (!chance.happens(0.45)) return
  for (let i = 0; i < chance.between(1, 3); i++) {
    const after = chance.between(0, chance.pick([5 * second, 2 * minute, 2 * hour, 2 * day]))
    const outcome = chance.pick(outcomes)
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

/** Mostly at once, sometimes when a quote is about to expire or has. */
const thinking = (s: Script): number =>
  s.chance.weighted([
    [12, 3 * second],
    [2, 290 * second],
    [1, 299_990],
    [2, 310 * second]
  ])

const transfer: Act = (s, m) => {
  const { chance } = s
  const able = m.beneficiaries.filter(({ network }) => network !== "bank")
  if (able.length === 0) return s.beneficiary(m)
  const to = chance.pick(able)
  const from = m.wallets.filter(({ currency }) => currency === to.currency)
  if (from.length === 0) return
  const n = s.add(m.n, "transfers.create", [
    {
      wallet_id: `@${chance.pick(from).n}.id`,
      beneficiary_id: `@${to.n}.id`,
      amount: s.amount(1, 120),
      ...(chance.happens(0.5) ? { retry_on_failure: true } : {}),
      ...(chance.happens(0.1) ? { reference: `ref-${chance.between(1, 4)}` } : {})
    }
  ])
  m.movements.push({ n, kind: "transfer" })
  words(s, m, n)
}

const executed = (
  s: Script,
  m: Merchant,
  kind: "offramp" | "onramp" | "conversion",
  input: object,
  more: object = {}
): number => {
  const quote = s.add(m.n, `quotes.${kind}`, [input])
  const after = thinking(s)
  const n = s.add(m.n, `${kind}s.create`, [{ quote_id: `@${quote}.id`, ...more }], after)
  if (s.chance.happens(0.08)) s.add(m.n, `${kind}s.create`, [{ quote_id: `@${quote}.id` }], after + 1)
  s.now += after
  m.movements.push({ n, kind })
  words(s, m, n)
  return n
}

const offramp: Act = (s, m) => {
  const { chance } = s
  const able = m.beneficiaries.filter(({ network }) => network === "bank")
  const from = m.wallets.filter(({ fiat }) => !fiat)
  if (able.length === 0 || from.length === 0) return s.beneficiary(m)
  const wallet_id = `@${chance.pick(from).n}.id`
  const beneficiary_id = `@${chance.pick(able).n}.id`
  const source_amount = s.amount(5, 150)
  executed(
    s,
    m,
    "offramp",
    { wallet_id, beneficiary_id, source_amount },
    chance.happens(0.5) ? { retry_on_failure: true } : {}
  )
}

const conversion: Act = (s, m) => {
  const { chance } = s
  const source = chance.pick(m.wallets)
  const others = m.wallets.filter(
    ({ customer, currency }) => customer === source.customer && currency !== source.currency
  )
  if (others.length === 0) return
  const amount = source.fiat ? s.amount(1000, 20_000) : s.amount(1, 100)
  executed(s, m, "conversion", {
    source_wallet_id: `@${source.n}.id`,
    destination_wallet_id: `@${chance.pick(others).n}.id`,
    source_amount: amount
  })
}

const onramp: Act = (s, m) => {
  const { chance } = s
  const wallet = chance.pick(m.wallets.filter(({ fiat }) => !fiat))
  const amount = s.amount(8000, 200_000)
  const input = {
    wallet_id: `@${wallet.n}.id`,
    source_currency: chance.pick(["NGN", "NGN", "KES"]),
    source_amount: amount
  }
  const n = executed(s, m, "onramp", input)
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
    [1, hour]
  ])
  const payin_id = `payin-${s.ops.length}`
  const sender = { sender: { name: "Payer", account_number: `00000${chance.pick(endings)}` } }
  for (const stage of chance.weighted<ReadonlyArray<string>>([
    [5, ["confirmed"]],
    [3, ["detected", "confirmed"]],
    [1, ["confirmed", "confirmed"]],
    [1, ["confirmed", "failed"]]
  ]))
    s.add(m.n, "sandbox.deposit", [{ onramp_id: `@${n}.id`, amount: paid, stage, payin_id, ...sender }], after)
  if (chance.happens(0.1)) s.add(m.n, "sandbox.deposit", [{ onramp_id: `@${n}.id`, amount: paid }], after + minute)
}

const verification: Act = (s, m) => {
  const { chance } = s
  const customer = chance.pick(m.customers)
  const tier = chance.happens(0.4) ? { tier: chance.pick(["tier_1", "tier_2"]) } : {}
  const n = s.add(m.n, "verifications.create", [`@${customer}.id`, tier])
  m.verifications.push({ n, customer })
  const way = chance.between(0, 5)
  if (way < 2) {
    s.add(m.n, "hosted.open", [`@${n}.hosted_url`], minute)
    const document_number = chance.happens(0.3) ? "A0000" : "A1234"
    const form = { name: "Ada Obi", date_of_birth: "01/31/1990", document_type: "passport", document_number }
    const sent = chance.pick([2 * minute, 2 * hour, 25 * hour])
    s.add(m.n, "hosted.submit", [`@${n}.hosted_url`, form], sent)
    if (chance.happens(0.4)) s.add(m.n, "hosted.submit", [`@${n}.hosted_url`, form], sent + second)
  }
  if (way > 0 && way < 5)
    for (const outcome of chance.pick([
      ["opened"],
      ["opened", "approved"],
      ["approved"],
      ["rejected", "approved"],
      ["opened", "rejected"]
    ]))
      s.add(
        m.n,
        "sandbox.verification",
        [`@${n}.id`, { outcome }],
        chance.between(second, chance.pick([minute, 30 * hour]))
      )
  if (way === 5) s.add(m.n, "verifications.create", [`@${customer}.id`, tier], 26 * hour)
}

const operating: Act = (s, m) => {
  const { chance } = s
  const k = chance.between(0, 1000)
  const as = m.n
  chance.weighted<() => void>([
    [4, () => s.add(as, "operator.deposits.release", [`?deposit/held#${k}`])],
    [4, () => s.add(as, "operator.deposits.reject", [`?deposit/held#${k}`, { reason: "looks odd" }])],
    [3, () => s.add(as, "operator.exceptions.resolve", [`?exception/open#${k}`, { action: "refund", note: "seen" }])],
    [3, () => s.add(as, "operator.exceptions.resolve", [`?exception/open#${k}`, { action: "credit", note: "seen" }])],
    [2, () => s.add(as, "operator.exceptions.resolve", [`?exception/open#${k}`, { action: "dismiss", note: "seen" }])],
    [1, () => s.add(as, "operator.depositAddresses.freeze", [`?deposit_address/active#${k}`])],
    [1, () => s.add(as, "operator.depositAddresses.unfreeze", [`?deposit_address/frozen#${k}`])],
    [1, () => s.add(as, "operator.walletCredentials.freeze", [`?wallet_credential/active#${k}`])],
    [1, () => s.add(as, "operator.walletCredentials.unfreeze", [`?wallet_credential/frozen#${k}`])],
    [
      1,
      () =>
        s.add(as, "operator.walletCredentials.disable", [
          chance.pick([
            `?wallet_credential/active#${k}`,
            `?wallet_credential/pending#${k}`,
            `?wallet_credential/frozen#${k}`
          ])
        ])
    ],
    [3, () => s.add(as, "operator.walletCredentials.forward", [`?wallet_credential/active#${k}`])],
    [1, () => s.add(null, "operator.ledger.trialBalance", [])],
    [1, () => s.add(null, "operator.stuck", [{}])],
    [
      1,
      () => {
        s.add(null, "merchants.update", [`@${as}.merchant.id`, { status: "suspended" }])
        s.add(null, "merchants.update", [`@${as}.merchant.id`, { status: "active" }], chance.between(second, hour))
      }
    ]
  ])()
}

const access: Act = (s, m) => {
  const { chance } = s
  const code = chance.pick(["EUR", "USD"])
  const n = s.add(m.n, "currencies.requestAccess", [code, { reason: "payouts" }])
  const decision = chance.pick(["approve", "approve", "reject"])
  s.add(null, "operator.accessRequests.review", [`@${n}.id`, { decision }], hour)
  if (chance.happens(0.5)) s.add(null, "operator.accessRequests.revoke", [`@${n}.id`, {}], 2 * day)
  if (chance.happens(0.5)) s.add(m.n, "wallets.create", [{ currency: code }], 2 * hour)
}

const notifying: Act = (s, m) => {
  const { chance } = s
  const endpoint = `@${chance.pick(m.endpoints)}.id`
  chance.weighted<() => void>([
    [2, () => s.add(m.n, "webhooks.rotateSecret", [endpoint])],
    [2, () => s.add(m.n, "webhooks.update", [endpoint, { active: false }])],
    [4, () => s.add(m.n, "webhooks.update", [endpoint, { active: true }])],
    [2, () => s.add(m.n, "webhooks.update", [endpoint, { description: "changed" }])],
    [1, () => s.add(m.n, "webhooks.ping", [endpoint])],
    [1, () => s.add(m.n, "webhooks.replay", [endpoint, { since: "2027-01-01" }])],
    [1, () => s.add(m.n, "webhooks.delete", [endpoint])],
    [1, () => s.endpoint(m)],
    [1, () => s.add(m.n, "webhooks.deliveries", [endpoint, {}])]
  ])()
}

const keeping: Act = (s, m) => {
  const { chance } = s
  chance.weighted<() => void>([
    [2, () => s.add(m.n, "customers.update", [`@${chance.pick(m.customers)}.id`, { name: "Ada Eze" }])],
    [2, () => s.add(m.n, "wallets.update", [`@${chance.pick(m.wallets).n}.id`, { label: "renamed" }])],
    [
      1,
      () => {
        if (m.beneficiaries.length > 0)
          s.add(m.n, "beneficiaries.update", [
            `@${chance.pick(m.beneficiaries).n}.id`,
            chance.pick<object>([{ label: "x" }, { name: "Chidi Eze" }])
          ])
      }
    ],
    [2, () => s.add(m.n, "sandbox.screenBeneficiary", [`?beneficiary/pending#${chance.between(0, 99)}`])],
    [1, () => void m.keys.push(s.add(m.n, "apiKeys.create", [{ role: "developer" }]))],
    [
      1,
      () => {
        if (m.keys.length > 0) s.add(m.n, "apiKeys.revoke", [`@${chance.pick(m.keys)}.api_key.id`])
      }
    ],
    [
      1,
      () => {
        const { n, wallet } = chance.pick(m.addresses.length > 0 ? m.addresses : [{ n: 0, wallet: m.wallets[0]! }])
        s.add(m.n, "depositAddresses.disable", [`@${wallet.n}.id`, `@${n}.id`, {}])
      }
    ],
    [1, () => s.address(m, chance.pick(m.wallets.filter(({ fiat }) => !fiat)))],
    [1, () => void s.customer(m)],
    [1, () => s.add(m.n, "transactions.list", [{}])],
    [1, () => s.add(m.n, "events.feed", [{}])],
    [1, () => s.beneficiary(m)]
  ])()
}

const behaving: Act = (s, m) => {
  const submissions = s.chance.pick(["hold", "unavailable", "timeout"])
  s.add(m.n, "sandbox.provider", [{ submissions }])
  s.add(
    m.n,
    "sandbox.provider",
    [{ submissions: "accept" }],
    s.chance.pick(submissions === "hold" ? [minute, 20 * minute] : [minute, hour, 20 * hour, 30 * hour])
  )
}

/** Every act, and how often it is drawn. */
export const acts: ReadonlyArray<readonly [number, Act]> = [
  [16, payin],
  [18, transfer],
  [18, offramp],
  [14, conversion],
  [14, onramp],
  [7, verification],
  [10, operating],
  [2, access],
  [6, notifying],
  [6, keeping],
  [2, behaving]
]
