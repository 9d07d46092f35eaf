/** The script of a seed: writes operations, and keeps merchants with what belongs to them. */
import { categories } from "../../engine/reference/vocabulary.ts"
import { isKeyed } from "../../engine/calls/operation.ts"
import { requireOperation } from "./operations.ts"
import { type Crash, hour, minute, type Op, type ReceiverHabit, second } from "./program.ts"
import { Chance } from "./random.ts"

const habits: ReadonlyArray<ReceiverHabit> = ["healthy", "flaky", "failing", "hanging", "redirecting", "gone", "busy"]
const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
export const endings = ["6789", "6789", "6789", "0002", "0003", "0004", "0005", "0006", "0007", "0008"]
const stablecoins = ["USDC", "USDC", "USDC", "USDT"] as const
const fiats = ["NGN", "NGN", "KES", "GHS", "ZAR"] as const
const countries: Readonly<Record<string, string>> = { NGN: "NG", KES: "KE", GHS: "GH", ZAR: "ZA" }

interface Wallet {
  /** The operation that creates it. */
  readonly n: number
  readonly currency: string
  /** The operation that creates its customer. Null: the merchant's own wallet. */
  readonly customer: number | null
  readonly fiat: boolean
  /** The network it pays from. A credential of its own changes it, unless the network was given at creation. */
  network: string
  readonly namesNetwork: boolean
  /** Whether it receives a deposit at the start. */
  funded: boolean
}

export interface ScriptMerchant {
  readonly n: number
  readonly country: string
  readonly customers: Array<number>
  readonly wallets: Array<Wallet>
  readonly addresses: Array<{ readonly wallet: Wallet; readonly n: number }>
  readonly credentials: Array<{ readonly n: number; readonly currency: string }>
  readonly beneficiaries: Array<{ readonly n: number; readonly currency: string; readonly network: string }>
  readonly senders: Array<number>
  readonly endpoints: Array<number>
  readonly keys: Array<number>
  readonly movements: Array<number>
}

/** Writes the operations of a seed. */
export class Script {
  readonly chance: Chance
  readonly ops: Array<Op> = []
  readonly merchants: Array<ScriptMerchant> = []
  readonly receivers: Record<string, ReceiverHabit> = {}
  /** Crashes that belong to an act. */
  readonly crashes: Array<Crash> = []
  now = 0

  constructor(seed: number) {
    this.chance = new Chance(`script ${seed}`)
  }

  add(as: number | null, call: string, args: ReadonlyArray<unknown>, after_ms = 0): number {
    const n = this.ops.length + 1
    const again_ms = this.chance.between(1, 8 * hour)
    // Whether calls of an operation carry an idempotency key.
    const again =
      this.chance.happens(0.1) && call !== "callback" && !call.startsWith("hosted.") && isKeyed(requireOperation(call))
        ? { again_ms }
        : {}
    this.ops.push({ n, at: this.now + after_ms, as, call, args, ...again })
    return n
  }

  /** Advances the time by at most `most` milliseconds. */
  pause(most: number): void {
    this.now += this.chance.between(0, most)
  }

  amount(least: number, most: number): string {
    const cents = this.chance.between(least * 100, most * 100)
    return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`
  }

  /**
   * The amounts of the reports of a pay-in. Some have more decimals than the ledger keeps: the same in each report, others in each,
   * or nothing else.
   */
  stated(amount: string): (report: number) => string {
    const at = this.ops.length
    if (at % 6 === 0) return () => `${amount}0000059`
    if (at % 6 === 1) return (report) => `${amount}000000${report + 1}`
    return at % 12 === 2 ? () => "0.00000059" : () => amount
  }

  merchant(): ScriptMerchant {
    const country = this.chance.pick(["NG", "NG", "KE", "ZA"])
    const n = this.add(null, "merchants.create", [
      { name: `Merchant ${this.merchants.length + 1}`, country_code: country, status: "active" }
    ])
    const made: ScriptMerchant = {
      n,
      country,
      customers: [],
      wallets: [],
      addresses: [],
      credentials: [],
      beneficiaries: [],
      senders: [],
      endpoints: [],
      keys: [],
      movements: []
    }
    this.merchants.push(made)
    return made
  }

  customer(m: ScriptMerchant): number {
    const n = this.add(m.n, "customers.create", [
      { type: "individual", name: "Ada Obi", email: `c${this.ops.length}@example.com`, country_code: m.country }
    ])
    m.customers.push(n)
    return n
  }

  /** Creates a sender, for whom payouts are made. */
  sender(m: ScriptMerchant, customer: number | null): void {
    const owner = customer === null ? {} : { customer_id: `@${customer}.id` }
    const sender = { type: "business", name: "Amara Ltd", country_code: "GB", id_number: "GB123456", ...owner }
    m.senders.push(this.add(m.n, "senders.create", [sender]))
  }

  wallet(m: ScriptMerchant, currency: string, customer: number | null): Wallet {
    const fiat = !currency.startsWith("USD")
    const namesNetwork = !fiat && this.chance.happens(0.2)
    const network = namesNetwork ? this.chance.pick(["base", "ethereum"]) : fiat ? "bank" : "solana"
    const n = this.add(m.n, "wallets.create", [
      {
        currency,
        ...(customer === null ? {} : { customer_id: `@${customer}.id` }),
        ...(namesNetwork ? { network } : {})
      }
    ])
    const wallet: Wallet = { n, currency, customer, fiat, network, namesNetwork, funded: false }
    m.wallets.push(wallet)
    return wallet
  }

  credential(m: ScriptMerchant, wallet: Wallet, currency: string): number {
    const fiat = !currency.startsWith("USD")
    const network = fiat ? "bank" : this.chance.pick(["base", "solana", "ethereum"])
    const n = this.add(m.n, "walletCredentials.create", [
      `@${wallet.n}.id`,
      { type: fiat ? "fiat" : "crypto", currency, network }
    ])
    m.credentials.push({ n, currency })
    if (currency === wallet.currency && !wallet.namesNetwork) wallet.network = network
    return n
  }

  address(m: ScriptMerchant, wallet: Wallet): number {
    const network = this.chance.pick(["base", "solana", "ethereum"])
    const n = this.add(m.n, "depositAddresses.create", [`@${wallet.n}.id`, { network }])
    m.addresses.push({ wallet, n })
    return n
  }

  /** Creates a beneficiary: a bank account, or an address on the network from which a wallet pays. */
  beneficiary(m: ScriptMerchant, wallet?: Wallet): ScriptMerchant["beneficiaries"][number] {
    const made = wallet === undefined ? this.#banked(m) : this.#onChain(m, wallet)
    m.beneficiaries.push(made)
    return made
  }

  #banked(m: ScriptMerchant): ScriptMerchant["beneficiaries"][number] {
    const currency = this.chance.pick(fiats.slice(0, 3))
    const country_code = countries[currency]!
    const banks = this.add(null, "providers.list", [{ country_code }])
    const account_number = `012345${this.chance.pick(endings)}`
    const details = { country_code, network: "bank", account_number, provider_id: `@${banks}.items.0.id` }
    const input = { type: "fiat", name: "Chidi", currency, details }
    return { n: this.add(m.n, "beneficiaries.create", [input], 2 * second), currency, network: "bank" }
  }

  #onChain(m: ScriptMerchant, { currency, network }: Wallet): ScriptMerchant["beneficiaries"][number] {
    const tail = this.chance.happens(0.15) ? "dead" : this.chance.pick(endings)
    const address = network === "solana" ? solana : `0x${"1".repeat(36)}${tail}`
    const input = { type: "crypto", name: "Treasury", currency, details: { network, address } }
    return { n: this.add(m.n, "beneficiaries.create", [input]), currency, network }
  }

  endpoint(m: ScriptMerchant): void {
    const url = `https://receiver-${m.n}-${m.endpoints.length}.example/hook`
    this.receivers[url] = this.chance.pick(habits)
    const some = this.chance.happens(0.3) ? { categories: categories.slice(this.chance.between(0, 5)) } : {}
    const n = this.add(m.n, "webhooks.create", [{ url, ...some }])
    this.add(m.n, "webhooks.update", [`@${n}.id`, { active: true }], 2 * second)
    m.endpoints.push(n)
  }

  /** Creates everything that a merchant has at the start. */
  settle(m: ScriptMerchant, wallets: number): void {
    const { chance } = this
    this.pause(10 * minute)
    const customers = [null, ...Array.from({ length: chance.between(1, 3) }, () => this.customer(m))]
    this.pause(minute)
    for (let i = 0; i < chance.between(1, 3); i++) this.endpoint(m)
    this.now += 5 * second
    // Every customer has at least one stablecoin wallet, so that conversions have a destination.
    for (const customer of customers) this.wallet(m, "USDC", customer)
    while (m.wallets.length < wallets)
      this.wallet(m, chance.happens(0.6) ? chance.pick(stablecoins) : chance.pick(fiats), chance.pick(customers))
    this.now += minute
    for (const wallet of m.wallets) {
      const own = wallet.customer === null
      if (own && (wallet.fiat || chance.happens(0.4))) this.credential(m, wallet, wallet.currency)
      if (!wallet.fiat && chance.happens(0.25)) this.address(m, wallet)
      if (own && chance.happens(0.25))
        this.credential(m, wallet, wallet.fiat ? chance.pick(stablecoins) : chance.pick(fiats))
    }
    for (let i = 0; i < chance.between(0, 2); i++) this.sender(m, chance.pick(customers))
    for (let i = 0; i < chance.between(1, 3); i++) this.beneficiary(m)
    for (let i = 0; i < chance.between(1, 2); i++)
      this.beneficiary(m, chance.pick(m.wallets.filter(({ fiat }) => !fiat)))
    this.now += 2 * hour
    for (const wallet of m.wallets) {
      wallet.funded = wallet.customer === null || chance.happens(0.3)
      if (wallet.funded) this.deposit(m, wallet.n, wallet.fiat ? this.amount(50_000, 900_000) : this.amount(400, 950))
    }
  }

  /** A wallet to pay from, mostly a funded one. */
  payer(m: ScriptMerchant, which: (wallet: Wallet) => boolean): Wallet | undefined {
    const able = m.wallets.filter(which)
    const funded = able.filter((wallet) => wallet.funded)
    if (able.length === 0) return undefined
    return this.chance.pick(funded.length > 0 && this.chance.happens(0.9) ? funded : able)
  }

  deposit(m: ScriptMerchant, wallet: number, amount: string): void {
    this.add(m.n, "sandbox.deposit", [{ wallet_id: `@${wallet}.id`, amount }])
  }
}
