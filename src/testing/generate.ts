/** A seed's world: who is in it, what they do in thirty days, and what goes wrong. */
import { operationOf } from "./clients.ts"
import { outcomes } from "./outside.ts"
import { calm, type Crash, day, type Faults, hour, minute, type Op, type Program, type ReceiverHabit, second } from "./program.ts"
import { Chance } from "./random.ts"

const habits: ReadonlyArray<ReceiverHabit> = ["healthy", "flaky", "failing", "hanging", "redirecting", "gone", "busy"]
const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
const endings = ["6789", "6789", "6789", "0002", "0003", "0004", "0005", "0006", "0007", "0008"]
const stablecoins = ["USDC", "USDC", "USDC", "USDT"] as const
const fiats = ["NGN", "NGN", "KES", "GHS", "ZAR"] as const
const countries: Readonly<Record<string, string>> = { NGN: "NG", KES: "KE", GHS: "GH", ZAR: "ZA" }

interface Wallet {
  /** The operation that makes it. */
  readonly n: number
  readonly currency: string
  /** The customer's operation; null: the merchant's own business. */
  readonly customer: number | null
  readonly fiat: boolean
}

interface Merchant {
  readonly n: number
  readonly country: string
  readonly customers: Array<number>
  readonly wallets: Array<Wallet>
  readonly addresses: Array<{ readonly wallet: Wallet; readonly n: number }>
  readonly credentials: Array<{ readonly wallet: Wallet; readonly n: number; readonly currency: string }>
  readonly beneficiaries: Array<{ readonly n: number; readonly currency: string; readonly network: string }>
  readonly endpoints: Array<number>
  readonly keys: Array<number>
  readonly verifications: Array<{ readonly n: number; readonly customer: number }>
  readonly movements: Array<{ readonly n: number; readonly kind: string }>
}

/** Whether calls of an operation carry an idempotency key. */
const isKeyed = (call: string): boolean =>
  call !== "callback" && !call.startsWith("hosted.") && operationOf(call).verb === "create"

/** What a seed's operations are written with. */
class Script {
  readonly chance: Chance
  readonly ops: Array<Op> = []
  readonly merchants: Array<Merchant> = []
  readonly receivers: Record<string, ReceiverHabit> = {}
  now = 0

  constructor(seed: number) {
    this.chance = new Chance(`script ${seed}`)
  }

  add(as: number | null, call: string, args: ReadonlyArray<unknown>, after_ms = 0): number {
    const n = this.ops.length + 1
    const again_ms = this.chance.between(1, 8 * hour)
    const again = this.chance.happens(0.1) && isKeyed(call) ? { again_ms } : {}
    this.ops.push({ n, at: this.now + after_ms, as, call, args, ...again })
    return n
  }

  /** Time goes on by up to so much. */
  pause(most: number): void {
    this.now += this.chance.between(0, most)
  }

  amount(least: number, most: number): string {
    const cents = this.chance.between(least * 100, most * 100)
    return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`
  }

  merchant(): Merchant {
    const country = this.chance.pick(["NG", "NG", "KE", "ZA"])
    const n = this.add(null, "merchants.create", [
      { name: `Merchant ${this.merchants.length + 1}`, country_code: country, status: "active" }
    ])
    const made: Merchant = {
      n,
      country,
      customers: [],
      wallets: [],
      addresses: [],
      credentials: [],
      beneficiaries: [],
      endpoints: [],
      keys: [],
      verifications: [],
      movements: []
    }
    this.merchants.push(made)
    return made
  }

  customer(m: Merchant): number {
    const n = this.add(m.n, "customers.create", [
      { type: "individual", name: "Ada Obi", email: `c${this.ops.length}@example.com`, country_code: m.country }
    ])
    m.customers.push(n)
    return n
  }

  wallet(m: Merchant, currency: string, customer: number | null): Wallet {
    const n = this.add(m.n, "wallets.create", [
      { currency, ...(customer === null ? {} : { customer_id: `@${customer}.id` }) }
    ])
    const wallet = { n, currency, customer, fiat: !currency.startsWith("USD") }
    m.wallets.push(wallet)
    return wallet
  }

  credential(m: Merchant, wallet: Wallet, currency: string): void {
    const fiat = !currency.startsWith("USD")
    const network = fiat ? "bank" : this.chance.pick(["base", "solana", "ethereum"])
    const n = this.add(m.n, "walletCredentials.create", [
      `@${wallet.n}.id`,
      { type: fiat ? "fiat" : "crypto", currency, network }
    ])
    m.credentials.push({ wallet, n, currency })
  }

  address(m: Merchant, wallet: Wallet): void {
    const network = this.chance.pick(["base", "solana", "ethereum"])
    m.addresses.push({ wallet, n: this.add(m.n, "depositAddresses.create", [`@${wallet.n}.id`, { network }]) })
  }

  beneficiary(m: Merchant): void {
    const ending = this.chance.pick(endings)
    if (this.chance.happens(0.5)) {
      const currency = this.chance.pick(fiats.slice(0, 3))
      const country_code = countries[currency]!
      const banks = this.add(null, "providers.list", [{ country_code }])
      const n = this.add(
        m.n,
        "beneficiaries.create",
        [
          {
            type: "fiat",
            name: "Chidi",
            currency,
            details: { country_code, network: "bank", account_number: `012345${ending}`, provider_id: `@${banks}.items.0.id` }
          }
        ],
        2 * second
      )
      m.beneficiaries.push({ n, currency, network: "bank" })
      return
    }
    const currency = this.chance.pick(stablecoins)
    const network = this.chance.pick(["solana", "solana", "base", "ethereum"])
    const tail = this.chance.happens(0.2) ? "dead" : ending
    const address = network === "solana" ? solana : `0x${"1".repeat(36)}${tail}`
    const n = this.add(m.n, "beneficiaries.create", [
      { type: "crypto", name: "Treasury", currency, details: { network, address } }
    ])
    m.beneficiaries.push({ n, currency, network })
  }

  endpoint(m: Merchant): void {
    const url = `https://receiver-${m.n}-${m.endpoints.length}.example/hook`
    this.receivers[url] = this.chance.pick(habits)
    const categories = ["onramp", "offramp", "conversion", "transfer", "deposit", "kyc"]
    const some = this.chance.happens(0.3) ? { categories: categories.slice(this.chance.between(0, 5)) } : {}
    const n = this.add(m.n, "webhooks.create", [{ url, ...some }])
    this.add(m.n, "webhooks.update", [`@${n}.id`, { active: true }], 2 * second)
    m.endpoints.push(n)
  }

  /** Everybody and everything of a merchant's that is there from the start. */
  settle(m: Merchant, wallets: number): void {
    const { chance } = this
    this.pause(10 * minute)
    const customers = [null, ...Array.from({ length: chance.between(1, 3) }, () => this.customer(m))]
    this.pause(minute)
    for (let i = 0; i < chance.between(1, 3); i++) this.endpoint(m)
    this.now += 5 * second
    // Of each customer at least a wallet of a stablecoin, so that there is somewhere to go.
    for (const customer of customers) this.wallet(m, "USDC", customer)
    while (m.wallets.length < wallets)
      this.wallet(m, chance.happens(0.6) ? chance.pick(stablecoins) : chance.pick(fiats), chance.pick(customers))
    this.now += minute
    for (const wallet of m.wallets) {
      if (wallet.fiat) this.credential(m, wallet, wallet.currency)
      else if (chance.happens(0.3)) this.address(m, wallet)
      if (chance.happens(0.2)) this.credential(m, wallet, wallet.fiat ? chance.pick(stablecoins) : chance.pick(fiats))
    }
    for (let i = 0; i < chance.between(2, 5); i++) this.beneficiary(m)
    this.now += 2 * hour
    for (const wallet of m.wallets)
      if (wallet.customer === null || chance.happens(0.3))
        this.deposit(m, wallet.n, wallet.fiat ? this.amount(50_000, 900_000) : this.amount(200, 900))
  }

  deposit(m: Merchant, wallet: number, amount: string): void {
    this.add(m.n, "sandbox.deposit", [{ wallet_id: `@${wallet}.id`, amount }])
  }
}

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
  const amount = currency.startsWith("USD") ? s.amount(5, large ? 1400 : 150) : s.amount(700, large ? 2_000_000 : 90_000)
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
  const sender = chance.happens(0.2) ? { sender: { name: "Payer", account_number: `00000${chance.pick(endings)}` } } : {}
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
      const stray = { _tag: "movement", event_id, merchant_id: null, resource_id: `@${n}.id`, outcome, reason: null, transaction_hash: null }
      s.add(m.n, "callback", [stray], after)
    }
  }
}

/** Mostly at once, sometimes when a quote is about to expire or has. */
const thinking = (s: Script): number => s.chance.weighted([
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

const executed = (s: Script, m: Merchant, kind: "offramp" | "onramp" | "conversion", input: object, more: object = {}): number => {
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
  executed(s, m, "offramp", { wallet_id, beneficiary_id, source_amount }, chance.happens(0.5) ? { retry_on_failure: true } : {})
}

const conversion: Act = (s, m) => {
  const { chance } = s
  const source = chance.pick(m.wallets)
  const others = m.wallets.filter(({ customer, currency }) => customer === source.customer && currency !== source.currency)
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
  const input = { wallet_id: `@${wallet.n}.id`, source_currency: chance.pick(["NGN", "NGN", "KES"]), source_amount: amount }
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
    s.add(m.n, "hosted.open", [`@${n}.verification_url`], minute)
    const document_number = chance.happens(0.3) ? "A0000" : "A1234"
    const form = { name: "Ada Obi", date_of_birth: "01/31/1990", document_type: "passport", document_number }
    const sent = chance.pick([2 * minute, 2 * hour, 25 * hour])
    s.add(m.n, "hosted.submit", [`@${n}.verification_url`, form], sent)
    if (chance.happens(0.4)) s.add(m.n, "hosted.submit", [`@${n}.verification_url`, form], sent + second)
  }
  if (way > 0 && way < 5)
    for (const outcome of chance.pick([["opened"], ["opened", "approved"], ["approved"], ["rejected", "approved"], ["opened", "rejected"]]))
      s.add(m.n, "sandbox.verification", [`@${n}.id`, { outcome }], chance.between(second, chance.pick([minute, 30 * hour])))
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
    [1, () => s.add(as, "operator.walletCredentials.disable", [chance.pick([`?wallet_credential/active#${k}`, `?wallet_credential/pending#${k}`, `?wallet_credential/frozen#${k}`])])],
    [3, () => s.add(as, "operator.walletCredentials.forward", [`?wallet_credential/active#${k}`])],
    [1, () => s.add(null, "operator.ledger.trialBalance", [])],
    [1, () => s.add(null, "operator.stuck", [{}])],
    [1, () => {
      s.add(null, "merchants.update", [`@${as}.merchant.id`, { status: "suspended" }])
      s.add(null, "merchants.update", [`@${as}.merchant.id`, { status: "active" }], chance.between(second, hour))
    }]
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
    [1, () => {
      if (m.beneficiaries.length > 0) s.add(m.n, "beneficiaries.update", [`@${chance.pick(m.beneficiaries).n}.id`, chance.pick<object>([{ label: "x" }, { name: "Chidi Eze" }])])
    }],
    [2, () => s.add(m.n, "sandbox.screenBeneficiary", [`?beneficiary/pending#${chance.between(0, 99)}`])],
    [1, () => void m.keys.push(s.add(m.n, "apiKeys.create", [{ role: "developer" }]))],
    [1, () => {
      if (m.keys.length > 0) s.add(m.n, "apiKeys.revoke", [`@${chance.pick(m.keys)}.api_key.id`])
    }],
    [1, () => {
      const { n, wallet } = chance.pick(m.addresses.length > 0 ? m.addresses : [{ n: 0, wallet: m.wallets[0]! }])
      s.add(m.n, "depositAddresses.disable", [`@${wallet.n}.id`, `@${n}.id`, {}])
    }],
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
  s.add(m.n, "sandbox.provider", [{ submissions: "accept" }], s.chance.pick([minute, hour, 20 * hour, 30 * hour]))
}

const acts: ReadonlyArray<readonly [number, Act]> = [
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

/** Half of the faults, each at a rate of its own. */
const rates = ["storage_before", "storage_after", "storage_read", "storage_slow", "unavailable", "refused", "stranded", "timeout_absent", "timeout_executed", "slow", "lookup", "late", "twice", "reversed", "never", "contradicted"] as const

const faultsOf = (seed: number, ops: ReadonlyArray<Op>, receivers: Readonly<Record<string, ReceiverHabit>>): Faults => {
  const chance = new Chance(`faults ${seed}`)
  const drawn = Object.fromEntries(
    rates.map((name) => {
      const on = chance.happens(0.5)
      const most = name.startsWith("storage") ? 0.04 : 0.3
      const rate = chance.fraction() * most
      return [name, on ? Math.round(rate * 1000) / 1000 : 0]
    })
  ) as Record<(typeof rates)[number], number>
  const nodes = Array.from({ length: chance.happens(0.4) ? 2 : 1 }, (_, index) => ({
    skew_ms: index === 0 || chance.happens(0.5) ? 0 : chance.between(-2000, 2000)
  }))
  const moment = (): number => Math.min(chance.pick(ops).at + chance.between(0, 2 * second), calm - day)
  const crashes = chance.happens(0.5)
    ? Array.from({ length: chance.between(1, 6) }, (): Crash => ({
        at: moment(),
        node: chance.between(0, nodes.length - 1),
        calls: chance.between(0, 25),
        when: chance.pick(["before", "after"]),
        restart_ms: chance.pick([100, second, 20 * second, 2 * minute])
      }))
    : []
  const pauses = chance.happens(0.4)
    ? Array.from({ length: chance.between(1, 3) }, () => ({
        at: moment(),
        node: chance.between(0, nodes.length - 1),
        calls: chance.between(0, 25),
        for_ms: chance.pick([10 * second, 50 * second, 2 * minute])
      }))
    : []
  const leaps = chance.happens(0.3)
    ? Array.from({ length: chance.between(1, 2) }, () => ({ at: moment(), by_ms: chance.pick([second, 10 * minute, 5 * hour]) }))
    : []
  return { ...drawn, nodes, crashes, pauses, leaps, receivers }
}

/**
 * The program of a seed: 2 to 5 merchants with 20 to 50 wallets, and 100 to 300 operations over 25 days, after which
 * nothing goes wrong any more and what is under way has five days to end.
 */
export const programOf = (seed: number): Program => {
  const script = new Script(seed)
  const { chance } = script
  const merchants = chance.between(2, 5)
  const wallets = chance.between(20, 50)
  const total = chance.between(Math.max(100, wallets * 3 + 40), 300)
  for (let i = 0; i < merchants; i++) {
    const m = script.merchant()
    script.now += 5 * second
    script.settle(m, Math.max(4, Math.floor(wallets / merchants)))
  }
  const begun = script.now
  while (script.ops.length < total) {
    // What happens at once, and then nothing for hours.
    const left = calm - day - script.now
    const share = Math.max(0, total - script.ops.length)
    script.now += Math.min(chance.between(0, Math.floor((2 * left * 6) / Math.max(share, 6))), Math.max(left, 0))
    for (let i = 0; i < chance.between(2, 9); i++) {
      chance.weighted(acts)(script, chance.pick(script.merchants))
      script.pause(chance.pick([0, second, 5 * second, minute]))
    }
    if (script.now > calm - day) script.now = begun + chance.between(0, calm - 2 * day - begun)
  }
  const ops = script.ops.filter(({ at }) => at < calm)
  return { seed, ops, faults: faultsOf(seed, ops, script.receivers) }
}
