/** What people and third parties do in a simulation. Each act adds the operations of one of them to the script. */
import {
  type Act,
  drawScreeningRefusal,
  drawConversion,
  drawOfframp,
  drawOnramp,
  drawOutage,
  drawTransfer,
  drawHeldSubmissions
} from "./paying-acts.ts"
import { day, hour, minute, second } from "./program.ts"
import { endings } from "./script.ts"

const drawPayin: Act = (s, m) => {
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
  const stated = s.stated(amount)
  for (const [report, stage] of stages.entries()) {
    s.add(m.n, "sandbox.deposit", [{ ...to, amount: stated(report), stage, payin_id, ...sender }])
    s.pause(chance.pick([second, minute, hour]))
  }
}

const drawVerification: Act = (s, m) => {
  const { chance } = s
  const customer = chance.pick(m.customers)
  const tier = chance.happens(0.4) ? { tier: chance.pick(["tier_1", "tier_2"]) } : {}
  const n = s.add(m.n, "verifications.create", [`@${customer}.id`, tier])
  const way = chance.between(0, 5)
  if (way < 2) {
    if (chance.happens(0.6)) s.add(m.n, "hosted.open", [`@${n}.hosted_url`], minute)
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
  // Request another link after the first has expired, or just as it expires.
  if (way === 5 || chance.happens(0.3)) {
    const later = chance.pick([26 * hour, day + chance.between(0, 4), day + chance.between(0, 4)])
    s.add(m.n, "verifications.create", [`@${customer}.id`, tier], later)
  }
}

const drawOperatorAct: Act = (s, m) => {
  const { chance } = s
  const k = chance.between(0, 1000)
  const as = m.n
  chance.weighted<() => void>([
    [4, () => s.add(as, "operator.deposits.release", [`?deposit/held#${k}`, { note: "looks right" }])],
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

const drawAccess: Act = (s, m) => {
  const { chance } = s
  const code = chance.pick(["EUR", "USD"])
  const n = s.add(m.n, "currencies.requestAccess", [code, { reason: "payouts" }])
  const decision = chance.pick(["approve", "approve", "reject"])
  s.add(null, "operator.accessRequests.review", [`@${n}.id`, { decision }], hour)
  if (chance.happens(0.5)) s.add(null, "operator.accessRequests.revoke", [`@${n}.id`, {}], 2 * day)
  if (chance.happens(0.4)) s.add(m.n, "currencies.requestAccess", [code, { reason: "once more" }], 3 * day)
  if (chance.happens(0.5)) s.add(m.n, "wallets.create", [{ currency: code }], 2 * hour)
}

const drawWebhookAct: Act = (s, m) => {
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

const drawUpkeepAct: Act = (s, m) => {
  const { chance } = s
  chance.weighted<() => void>([
    [2, () => s.add(m.n, "customers.update", [`@${chance.pick(m.customers)}.id`, { name: "Ada Eze" }])],
    [
      1,
      () => {
        if (m.senders.length > 0)
          s.add(m.n, "senders.update", [`@${chance.pick(m.senders)}.id`, { name: "Amara Okafor Ltd" }])
      }
    ],
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
    [
      2,
      () => {
        const status = chance.pick(["pending", "pending", "active", "blocked"])
        const outcome = status === "active" || chance.happens(0.4) ? "refused" : "screened"
        s.add(m.n, "sandbox.screenBeneficiary", [`?beneficiary/${status}#${chance.between(0, 99)}`, { outcome }])
      }
    ],
    [1, () => void m.keys.push(s.add(m.n, "apiKeys.create", [{ role: "developer" }]))],
    [
      1,
      () => {
        if (m.keys.length > 0) s.add(m.n, "apiKeys.revoke", [`@${chance.pick(m.keys)}.id`])
      }
    ],
    [
      1,
      () => {
        const { n, wallet } = chance.pick(m.addresses.length > 0 ? m.addresses : [{ n: 0, wallet: m.wallets[0]! }])
        s.add(m.n, "depositAddresses.disable", [`@${wallet.n}.id`, `@${n}.id`, {}])
      }
    ],
    [1, () => void s.customer(m)],
    [1, () => s.add(m.n, "transactions.list", [{}])],
    [1, () => s.add(m.n, "events.feed", [{}])],
    [1, () => void s.beneficiary(m)]
  ])()
}

const drawProviderBehaviour: Act = (s, m) => {
  const submissions = s.chance.pick(["hold", "unavailable", "timeout"])
  s.add(m.n, "sandbox.provider", [{ submissions }])
  s.add(
    m.n,
    "sandbox.provider",
    [{ submissions: "accept" }],
    s.chance.pick(submissions === "hold" ? [minute, 20 * minute] : [minute, hour, 20 * hour, 30 * hour])
  )
}

/** Draws an act: money arrives at a frozen address or account, is held, and an operator decides. */
const drawFreeze: Act = (s, m) => {
  const { chance } = s
  const places = [
    ...m.credentials.map(({ currency, n }) => ({ n, currency, call: "walletCredentials", to: "credential_id" })),
    ...m.addresses.map(({ n, wallet: { currency } }) => ({
      n,
      currency,
      call: "depositAddresses",
      to: "deposit_address_id"
    }))
  ]
  if (places.length === 0) return
  const { call, currency, n, to } = chance.pick(places)
  s.add(m.n, `operator.${call}.freeze`, [`@${n}.id`])
  s.now += 5 * second
  const amount = currency.startsWith("USD") ? s.amount(5, 100) : s.amount(2000, 90_000)
  const payin_id = `payin-${s.ops.length}`
  // The address was issued in the wallet's own currency. The sandbox reports the pay-in.
  const paid = (stage: string): void =>
    void s.add(m.n, "sandbox.deposit", [{ [to]: `@${n}.id`, amount, stage, payin_id }])
  for (const stage of chance.pick([["confirmed"], ["detected", "confirmed"]])) {
    paid(stage)
    s.now += 2 * second
  }
  const k = chance.between(0, 1000)
  if (chance.happens(0.7)) s.add(m.n, "operator.deposits.release", [`?deposit/held#${k}`, { note: "looks right" }])
  else s.add(m.n, "operator.deposits.reject", [`?deposit/held#${k}`, { reason: "looks odd" }])
  s.now += chance.pick([2 * second, hour])
  if (call === "walletCredentials" && chance.happens(0.2)) s.add(m.n, `operator.${call}.disable`, [`@${n}.id`])
  else s.add(m.n, `operator.${call}.unfreeze`, [`@${n}.id`])
}

/** Draws an act: an address or account is disabled before the provider has issued it. */
const drawDisableBeforeIssue: Act = (s, m) => {
  const { chance } = s
  const wallet = chance.pick(m.wallets.filter(({ customer, fiat }) => !fiat && customer === null))
  const soon = chance.between(2, 6 * second)
  if (chance.happens(0.5)) {
    const n = s.address(m, wallet)
    s.add(m.n, "depositAddresses.disable", [`@${wallet.n}.id`, `@${n}.id`, {}], soon)
  } else {
    const n = s.credential(m, wallet, chance.pick(["NGN", "KES"]))
    s.add(m.n, "operator.walletCredentials.disable", [`@${n}.id`], soon)
  }
}

/** Draws an act: a beneficiary is renamed, and therefore screened again. */
const drawRename: Act = (s, m) => {
  const { chance } = s
  const k = chance.between(0, 99)
  const name = chance.pick(["Chidi Eze", "Chidi Obi", "Treasury Ltd"])
  const which = `?beneficiary/${chance.pick(["active", "pending", "blocked"])}#${k}`
  s.add(m.n, "beneficiaries.update", [which, { name }])
}

/** Draws an act: a merchant is created without a wallet, or one is suspended while its calls are in progress. */
const drawMerchantStatus: Act = (s, m) => {
  const { chance } = s
  if (chance.happens(0.3)) {
    const n = s.add(null, "merchants.create", [{ name: "Late Ltd", country_code: "KE" }])
    s.add(null, "merchants.update", [`@${n}.merchant.id`, { status: "active" }], minute)
    return
  }
  const suspended = (): void => {
    s.add(null, "merchants.update", [`@${m.n}.merchant.id`, { status: "suspended" }], chance.between(0, 3))
    s.add(null, "merchants.update", [`@${m.n}.merchant.id`, { status: "active" }], minute)
  }
  if (m.keys.length > 0 && chance.happens(0.5)) {
    const n = m.keys.pop()!
    s.add(m.n, "apiKeys.revoke", [`@${n}.id`])
  } else m.keys.push(s.add(m.n, "apiKeys.create", [{ role: "developer" }]))
  suspended()
  s.now += 2 * minute
}

/** Every act with its weight. */
export const acts: ReadonlyArray<readonly [number, Act]> = [
  [16, drawPayin],
  [18, drawTransfer],
  [18, drawOfframp],
  [14, drawConversion],
  [14, drawOnramp],
  [9, drawVerification],
  [10, drawOperatorAct],
  [3, drawAccess],
  [6, drawWebhookAct],
  [6, drawUpkeepAct],
  [2, drawProviderBehaviour],
  [3, drawFreeze],
  [3, drawDisableBeforeIssue],
  [2, drawMerchantStatus],
  [3, drawOutage],
  [2, drawHeldSubmissions],
  [3, drawRename],
  [3, drawScreeningRefusal]
]
