/**
 * Who watches a simulated world: after every commit the books, the events and the plain model are held against what was
 * written, and at the end against what the service shows. The first thing that is wrong ends the world.
 */
import { Context } from "effect"
import type { Answer, PayinEvent, ProviderEvent, Standing } from "../engine/Provider.ts"
import { Sandbox } from "../engine/Sandbox.ts"
import type { Change, Job, RowWrite } from "../engine/Storage.ts"
import type { Coverage } from "./coverage.ts"
import { Deposits, minor, statesOf } from "./deposits.ts"
import { Publications } from "./events.ts"
import { classOf, isOver, keyOf, Ledger, peek, rowKey, standing } from "./ledger.ts"
import { Model, type Movement, type MovementKind, type Stimulus } from "./model.ts"
import type { Op } from "./program.ts"
import type { Process } from "./timeline.ts"
import type { Answered, Witness, World } from "./world.ts"

type Data = Readonly<Record<string, any>>

/** A quote as it was answered. */
interface Quoted {
  readonly source_amount: string
  readonly source_currency: string
  readonly received_amount: string
  readonly destination_currency: string
  readonly wallet_id: string | null
  readonly source_wallet_id?: string | null
  readonly destination_wallet_id: string | null
  readonly expires_at: string
  readonly rate: string
}

const movementKinds: ReadonlySet<string> = new Set<MovementKind>(["transfer", "offramp", "conversion", "onramp"])

const settlementStep: Readonly<Record<string, bigint>> = { USDC: 10_000n, USDT: 10_000n }

/** What an onramp's payment buys on the terms of its quote (interface, Quote; decisions 4 and 14.1); null: nothing. */
const bought = (quote: Quoted, amount: bigint): bigint | null => {
  const { source_amount, source_currency, destination_currency, rate, received_amount } = quote
  const quoted = minor(source_amount, source_currency)!
  if (amount === quoted) return minor(received_amount, destination_currency)!
  const fee = (amount * 5n + 999n) / 1000n
  const [whole = "0", decimals = ""] = rate.split(".")
  const scales = { from: source_currency === "UGX" || source_currency === "XOF" ? 0 : 2, to: 6 }
  const exchanged =
    ((amount - fee) * BigInt(whole + decimals) * 10n ** BigInt(scales.to)) / 10n ** BigInt(decimals.length + scales.from)
  const step = settlementStep[destination_currency] ?? 1n
  const received = (exchanged / step) * step - minor("0.10", destination_currency)!
  return received <= 0n || received > minor("1000000", destination_currency)! ? null : received
}

export class Auditor implements Witness {
  readonly found: Array<string> = []
  commits = 0
  readonly model = new Model()
  readonly deposits = new Deposits()
  readonly coverage: Coverage
  readonly log: ((line: string) => void) | undefined
  readonly #ledger: Ledger
  readonly #publications: Publications
  #world: World | undefined
  readonly #jobs = new Map<string, Job>()
  readonly #answers = new Map<string, Answer | null>()
  readonly #looks = new Map<string, Standing | null>()
  readonly #refunds = new Map<string, Answer | null>()
  readonly #events = new Map<string, ProviderEvent>()
  readonly #quotes = new Map<string, Quoted>()
  /** Movements that the provider was made to say something of that it did not mean. */
  readonly #strayed = new Set<string>()
  readonly #commands = new Set<string>()
  /** Ids of rows by merchant, kind and state. */
  readonly #standing = new Map<string, Set<string>>()
  /** Answers that were acknowledged: what they made must be there at the end. */
  readonly #acknowledged: Array<{ readonly op: Op; readonly id: string }> = []
  readonly #delivered = new Set<string>()

  constructor(coverage: Coverage, log?: (line: string) => void) {
    this.coverage = coverage
    this.log = log
    this.#ledger = new Ledger(this.#wrong)
    this.#publications = new Publications(this.#wrong)
  }

  watch(world: World): void {
    this.#world = world
    world.clients.picks = (merchant, kind, state) =>
      [...(this.#standing.get(`${merchant} ${kind} ${state}`) ?? [])].toSorted()
  }

  readonly #wrong = (what: string): void => {
    this.found.push(what)
    this.log?.(`WRONG ${what}`)
  }

  readonly defect = (message: string): void => this.#wrong(`a defect: ${message}`)

  readonly answered = (_: Process, command: string, attempt: number, answer: Answer | null): void => {
    this.#commands.add(command)
    this.#answers.set(`${command} ${attempt}`, answer)
  }

  readonly looked = (process: Process, command: string, standing: Standing | null): void =>
    void this.#looks.set(`${process.name} ${command}`, standing)

  readonly refunded = (process: Process, command: string, answer: Answer | null): void =>
    void this.#refunds.set(`${process.name} ${command}`, answer)

  readonly spoken = (event: ProviderEvent, own: boolean): void => {
    this.#events.set(event.event_id, event)
    if (event._tag === "movement" && !own) this.#strayed.add(event.resource_id)
  }

  readonly delivered: Witness["delivered"] = (_process, url, message_id, body, secrets, { error }) => {
    const frozen = this.#publications.bodies.get(message_id)
    if (frozen !== undefined && frozen !== body) this.#wrong(`${message_id} was sent with another body than was frozen`)
    if (secrets.length === 0) this.#wrong(`${message_id} was sent unsigned`)
    if (error === null) this.#delivered.add(`${url} ${message_id}`)
  }

  readonly claimed = (_: Process, jobs: ReadonlyArray<Job>): void => {
    for (const job of jobs) this.#jobs.set(`${job.merchant_id} ${job.id} ${job.lease}`, job)
  }

  readonly answered_op = (op: Op, answer: Answered): void => {
    this.coverage.op(op, answer)
    if (answer._tag !== "success") return
    const body = answer.body as Data | undefined
    if (op.call.startsWith("quotes.") && body !== undefined) this.#quotes.set(body["id"], body as unknown as Quoted)
    if (/^(?:transfers|offramps|onramps|conversions)\.create$/.test(op.call)) this.#acknowledged.push({ op, id: body!["id"] })
  }

  readonly committed: Witness["committed"] = (process, change, verdict, store) => {
    if (verdict._tag !== "Committed") return
    this.commits++
    this.#publications.check(change, (row) => this.#ledger.rows.get(rowKey(row)))
    const before = new Map(change.rows.map((row) => [row, this.#ledger.rows.get(rowKey(row))]))
    const checked = this.#ledger.enter(change, store)
    for (const [row, was] of before) this.#moved(row, was)
    this.#predict(process, change, before)
    return checked
  }

  #moved(row: RowWrite, was: RowWrite | undefined): void {
    this.coverage.transition(row.kind, was?.state ?? null, row.via, row.state)
    const place = (state: string): Set<string> => {
      const key = `${row.merchant_id} ${row.kind} ${state}`
      const ids = this.#standing.get(key) ?? new Set<string>()
      this.#standing.set(key, ids)
      return ids
    }
    if (was !== undefined) place(was.state).delete(row.id)
    place(row.state).add(row.id)
  }

  /** What the model says of a Change, held against what was written. */
  #predict(process: Process, change: Change, before: ReadonlyMap<RowWrite, RowWrite | undefined>): void {
    const { merchant_id } = change
    for (const [row, was] of before) {
      if (was === undefined && movementKinds.has(row.kind)) this.#begin(change, row)
      if (row.kind === "deposit") this.#depositRow(row, was)
      if (row.kind === "exception" && row.via === "resolve" && row.state === "resolved") this.#credit(row)
    }
    const about = this.#stimulus(process, change)
    if (about !== undefined) {
      const row = change.rows.find(({ id }) => id === about.id)
      this.model.hear(about.id, about.stimulus, row?.updated_at ?? change.at)
    }
    const named = [...change.rows.filter(({ kind }) => movementKinds.has(kind)).map(({ id }) => id)]
    if (about !== undefined) named.push(about.id)
    for (const id of named) this.#agrees(id)
    for (const { debit, credit, currency } of change.postings)
      for (const account of [debit, credit]) this.#balanced(merchant_id, account, currency)
  }

  #agrees(id: string): void {
    const expected = this.model.status(id)
    const row = this.#movement(id)
    if (expected === undefined || row === undefined) return
    if (row.status !== expected)
      this.#wrong(`${id} is ${row.status} (${row.state}, by ${row.via}), and should be ${expected}`)
  }

  #movement(id: string): RowWrite | undefined {
    const kind = { tfr: "transfer", ofr: "offramp", con: "conversion", onr: "onramp" }[id.slice(0, 3)]
    return kind === undefined ? undefined : this.#ledger.rows.get(`${kind} ${id}`)
  }

  #balanced(merchant: string, account: string, currency: string): void {
    const kind = classOf(account)
    if (kind !== "available" && kind !== "credential") return
    const expected = this.model.accounts.get(keyOf(merchant, account, currency)) ?? 0n
    const actual = this.#ledger.balance(merchant, account, currency)
    if (expected !== actual) this.#wrong(`${account} holds ${actual} ${currency}, and should hold ${expected}`)
  }

  /** What a Change was made by, in the model's words. */
  #stimulus(process: Process, change: Change): { readonly id: string; readonly stimulus: Stimulus } | undefined {
    const key = change.once?.key ?? ""
    const answer = /^answer\/((\w+)\.payout)\/(\d+)$/.exec(key)
    if (answer !== null) {
      const attempt = Number(answer[3])
      const told = this.#answers.get(`${answer[1]} ${attempt}`) ?? null
      this.coverage.heard(this.#was(answer[2]!, change), told === null ? "no answer" : told._tag)
      return { id: answer[2]!, stimulus: { _tag: "answer", attempt, answer: told } }
    }
    const event = key.startsWith("provider/") ? this.#events.get(key.slice(key.indexOf("/", 9) + 1)) : undefined
    if (event !== undefined) return this.#word(event, change)
    const job = change.lease && this.#jobs.get(`${change.merchant_id} ${change.lease.job} ${change.lease.token}`)
    if (job === undefined || change.lease === undefined) return undefined
    const { id, name, operation } = job.body as Data
    const again = change.jobs.find((one) => one.id === job.id)
    if (job.queue === "timer") return name === "quote_expiry" ? { id, stimulus: { _tag: "expired" } } : undefined
    if (job.queue !== "command") return undefined
    switch (operation) {
      case "submit":
        return again?.body["operation"] === "submit" ? undefined : { id, stimulus: { _tag: "begun" } }
      case "lookup": {
        const found = this.#looks.get(`${process.name} ${job.id}`) ?? null
        this.coverage.heard(this.#was(id, change), found === null ? "look-up failed" : `found ${found._tag}`)
        return { id, stimulus: { _tag: "standing", standing: found } }
      }
      case "refund": {
        if (again !== undefined) return undefined
        const told = this.#refunds.get(`${process.name} ${job.id}`) ?? null
        const payin = this.#ledger.rows.get(`deposit ${id}`)?.data as Data | undefined
        const deposit = payin === undefined ? undefined : this.deposits.payins.get(payin["payin_id"])
        if (deposit !== undefined && told !== null) deposit.phase = "failed"
        return { id, stimulus: { _tag: "refund", answer: told } }
      }
    }
    return undefined
  }

  /** Where a resource stood when it heard something: kind and state. */
  #was(id: string, change: Change): string {
    const row = change.rows.find((one) => one.id === id) ?? this.#movement(id)
    if (row === undefined) return "nothing"
    const state = change.rows.includes(row) ? row.from : row.state
    return `${row.kind} ${state}`
  }

  #word(event: ProviderEvent, change: Change): { readonly id: string; readonly stimulus: Stimulus } | undefined {
    switch (event._tag) {
      case "movement":
        this.coverage.heard(this.#was(event.resource_id, change), event.outcome)
        if (this.#stale(event.resource_id, change)) return undefined
        return {
          id: event.resource_id,
          stimulus: { _tag: "word", outcome: event.outcome, reason: event.reason }
        }
      case "issued":
        this.#issued(event)
        return undefined
      case "payin":
        return this.#payin(event, change)
      case "screened":
      case "verification":
        return undefined
    }
  }

  /**
   * Whether a word was found to fit nothing before the last step of its resource: it came too early, before the provider was
   * asked at all, and is kept for a person. What a provider says of what it was asked always finds it asked.
   */
  #stale(id: string, { rows }: Change): boolean {
    const kept = rows.find(({ kind, data }) => kind === "exception" && (data as Data)["resource_id"] === id)
    const row = this.#movement(id)
    return kept !== undefined && row !== undefined && !rows.includes(row) && kept.created_at <= row.updated_at && !isOver(row)
  }

  #issued({ kind, resource_id, target }: Extract<ProviderEvent, { readonly _tag: "issued" }>): void {
    const row = this.#ledger.rows.get(`${kind} ${resource_id}`)
    if (row === undefined) return
    const data = row.data as Data
    const crosses = kind === "wallet_credential" && data["currency"] !== data["wallet_currency"]
    this.deposits.places.set(target, {
      kind,
      id: resource_id,
      merchant: row.merchant_id,
      customer: row.customer_id ?? "",
      account: crosses ? `credential:${resource_id}` : `available:${data["wallet_id"]}`,
      currency: data["currency"]
    })
  }

  #payin(event: PayinEvent, change: Change): { readonly id: string; readonly stimulus: Stimulus } | undefined {
    const onramp = this.#onrampOf(event.target)
    if (onramp !== undefined) {
      this.coverage.heard(this.#was(onramp.id, change), `payin ${event.stage}`)
      const quote = this.#quotes.get((onramp.data as Data)["quote_id"])
      const amount = minor(event.amount, event.currency)
      if (event.stage !== "confirmed" || event.currency !== (onramp.data as Data)["source_currency"]) return undefined
      if (quote === undefined || amount === undefined || this.#holders.has(event.payin_id)) return undefined
      this.#holders.add(event.payin_id)
      return { id: onramp.id, stimulus: { _tag: "paid", amount, buys: bought(quote, amount) } }
    }
    const place = this.deposits.payins.get(event.payin_id)?.place ?? this.deposits.places.get(event.target)
    if (place === undefined) return undefined
    const row = change.rows.find(({ kind, data }) => kind === "deposit" && (data as Data)["payin_id"] === event.payin_id)
    this.coverage.heard(`deposit ${row?.from ?? this.deposits.payins.get(event.payin_id)?.phase ?? "new"}`, `payin ${event.stage}`)
    const at = this.#ledger.rows.get(`${place.kind} ${place.id}`)
    const customer = this.#ledger.rows.get(`customer ${place.customer}`)
    const { credited, wrong } = this.deposits.hear(event, place, {
      state: at?.state ?? "",
      tier: (customer?.data as Data | undefined)?.["tier"] ?? "tier_2",
      held: row?.state === "held"
    })
    if (wrong !== undefined) this.#wrong(wrong)
    if (credited > 0n) this.model.move(place.merchant, place.account, place.currency, credited)
    this.#deposited(event.payin_id, change)
    return undefined
  }

  readonly #holders = new Set<string>()

  #onrampOf(target: string): RowWrite | undefined {
    const id = this.#references.get(target)
    return id === undefined ? undefined : this.#ledger.rows.get(`onramp ${id}`)
  }

  readonly #references = new Map<string, string>()

  /** Whether a pay-in's deposit stands where the model has it. */
  #deposited(payin_id: string, change: Change): void {
    const payin = this.deposits.payins.get(payin_id)
    const row =
      change.rows.find(({ kind, data }) => kind === "deposit" && (data as Data)["payin_id"] === payin_id) ??
      [...this.#ledger.rows.values()].find(({ kind, data }) => kind === "deposit" && (data as Data)["payin_id"] === payin_id)
    if (payin === undefined) return
    if (row === undefined) this.#wrong(`pay-in ${payin_id} is ${payin.phase}, and there is no deposit of it`)
    else if (!statesOf[payin.phase].includes(row.state))
      this.#wrong(`${row.id} is ${row.state}, and its pay-in ${payin_id} is ${payin.phase}`)
  }

  /** What a person decided of a deposit, and what the house made by itself. */
  #depositRow(row: RowWrite, was: RowWrite | undefined): void {
    const data = row.data as Data
    if (was === undefined && data["source_type"] === "deposit_forward") {
      this.model.move(row.merchant_id, `credential:${data["source_id"]}`, data["currency"], -BigInt(data["amount"]))
      const { exchange } = data
      this.model.move(
        row.merchant_id,
        `available:${data["wallet_id"]}`,
        exchange.destination_currency,
        BigInt(exchange.price.received_amount)
      )
      return
    }
    const payin = this.deposits.payins.get(data["payin_id"])
    if (payin === undefined || was?.state !== "held") return
    if (row.via === "released") {
      if (payin.phase !== "held") this.#wrong(`${row.id} was released, and its pay-in is ${payin.phase}`)
      payin.phase = "credited"
      const customer = this.#ledger.rows.get(`customer ${payin.place.customer}`)?.data as Data | undefined
      this.deposits.count(payin, customer?.["tier"] ?? "tier_2")
      this.model.move(row.merchant_id, payin.place.account, payin.currency, payin.amount)
    }
    if (row.via === "rejected") payin.phase = "refunding"
  }

  #credit(row: RowWrite): void {
    const { action, amount, credit_account, currency, wallet_id } = row.data as Data
    if (action === "credit")
      this.model.move(row.merchant_id, credit_account ?? `available:${wallet_id}`, currency, BigInt(amount))
  }

  /** A movement that was made: as it was asked for, and as its row has it. */
  #begin(change: Change, row: RowWrite): void {
    const data = row.data as Data
    const n = Number(/^idem\/key-of-op-(\d+)$/.exec(change.once?.key ?? "")?.[1] ?? 0)
    const asked = this.#world?.clients.given.get(n)?.at(-1) as Data | undefined
    const made = this.#made(change, row, asked)
    if (made === undefined) {
      this.#wrong(`${row.id} was made by nobody`)
      return
    }
    if (row.kind === "onramp") this.#references.set(data["deposit_instruction"].depositReference, row.id)
    const amount = data["amount"] ?? data["source_amount"]
    if (row.kind !== "onramp" && BigInt(amount) !== made.amount)
      this.#wrong(`${row.id} takes ${amount}, and was asked for ${made.amount}`)
    this.model.begin(made)
  }

  #made(change: Change, row: RowWrite, asked: Data | undefined): Movement | undefined {
    const data = row.data as Data
    const base = {
      id: row.id,
      kind: row.kind as MovementKind,
      merchant: row.merchant_id,
      phase: row.kind === "onramp" ? "awaiting" : "reserved",
      attempts: 0,
      refused_at: null,
      stranded: false,
      goes_back: false,
      funded: null,
      retries: asked?.["retry_on_failure"] === true
    } as const
    if (row.kind === "transfer") {
      const { currency } = data
      const amount = asked === undefined ? undefined : minor(asked["amount"], currency)
      if (amount === undefined) return undefined
      return { ...base, from: `available:${asked!["wallet_id"]}`, amount, currency, to: null, locked_until: null }
    }
    const quote = asked === undefined ? undefined : this.#quotes.get(asked["quote_id"])
    if (quote !== undefined) {
      const currency = quote.source_currency
      const amount = minor(quote.source_amount, currency)!
      const received = minor(quote.received_amount, quote.destination_currency)!
      const locked_until =
        row.kind === "onramp" ? row.created_at + 1_800_000 : Date.parse(quote.expires_at)
      if (data["rate_locked_until"] !== locked_until) this.#wrong(`${row.id} locks its rate until ${data["rate_locked_until"]}`)
      const to = quote.destination_wallet_id
      return {
        ...base,
        from: row.kind === "onramp" ? null : `available:${quote.source_wallet_id ?? quote.wallet_id}`,
        amount,
        currency,
        locked_until,
        to: to === null ? null : { account: `available:${to}`, amount: received, currency: quote.destination_currency }
      }
    }
    const deposit = change.rows.find(({ kind, data: d }) => {
      const { amount, source_id } = d as Data
      return kind === "deposit" && source_id === data["credential_id"] && amount === data["source_amount"]
    })
    if (row.kind !== "conversion" || deposit === undefined) return undefined
    const d = deposit.data as Data
    return {
      ...base,
      from: `credential:${d["source_id"]}`,
      amount: BigInt(d["amount"]),
      currency: d["currency"],
      locked_until: null,
      to: {
        account: `available:${d["wallet_id"]}`,
        amount: BigInt(d["exchange"].price.received_amount),
        currency: d["exchange"].destination_currency
      }
    }
  }

  /** When all is over: nothing is left under way, nothing was lost, and what is shown is so. */
  async close(): Promise<void> {
    const world = this.#world!
    this.#ledger.close()
    for (const [key, balance] of this.model.accounts) {
      const [merchant = "", account = "", currency = ""] = key.split(" ")
      if (this.#ledger.balance(merchant, account, currency) !== balance) this.#balanced(merchant, account, currency)
    }
    for (const row of this.#ledger.rows.values()) {
      if (!movementKinds.has(row.kind) && row.kind !== "deposit") continue
      const waits = row.kind === "deposit" && ["held", "detected", "sighted"].includes(row.state)
      if (!isOver(row) && !waits) this.#wrong(`${row.id} is still ${row.state} after all`)
    }
    for (const { op, id } of this.#acknowledged)
      if (this.#movement(id) === undefined) this.#wrong(`operation ${op.n} was answered with ${id}, which is not there`)
    await this.#executions(world)
    await this.#deliveries(world)
    await peek(world.store.trialBalance, ({ currencies }) => {
      for (const { currency, debits, credits } of currencies)
        if (debits !== credits) this.#wrong(`the trial balance in ${currency}: ${debits} against ${credits}`)
    })
  }

  /** The provider's own count: nothing paid twice; and where it spoke for itself alone, what it paid is what is shown. */
  async #executions(world: World): Promise<void> {
    const node = world.reachable(0)
    const sandbox = node?.context === undefined ? undefined : Context.get(node.context as Context.Context<any>, Sandbox) as Sandbox["Service"]
    if (sandbox === undefined) return
    for (const command of this.#commands) {
      const [id = ""] = command.split(".")
      const row = this.#movement(id)
      if (row === undefined) continue
      const paid = await world.ask(sandbox.executions(command))
      if (paid > 1) this.#wrong(`${command} was executed ${paid} times`)
      if (this.#strayed.has(id) || standing(row) === "failed" && (row.data as Data)["failure_reason"] === "refund_failed") continue
      const shown = row.status === "success" || (row.status === "returned" && row.kind !== "onramp") ? 1 : 0
      if (paid !== shown) this.#wrong(`${id} is ${row.status} (${row.state}), and the provider paid it ${paid} times`)
    }
  }

  async #deliveries(world: World): Promise<void> {
    const merchants = new Set(this.#publications.owed.map(({ merchant }) => merchant))
    const jobs = new Map<string, { readonly status: string }>()
    for (const merchant_id of merchants)
      for (let offset = 0; ; offset += 200) {
        let count = 0
        await peek(world.store.jobs({ merchant_id, queue: "delivery", offset, limit: 200 }), ({ items }) => {
          count = items.length
          for (const job of items) jobs.set(`${job.lane} ${String(job.body["event_id"])}`, job)
        })
        if (count < 200) break
      }
    for (const { endpoint, event } of this.#publications.owed) {
      const job = jobs.get(`${endpoint} ${event}`)
      const url = (this.#ledger.rows.get(`webhook_endpoint ${endpoint}`)?.data as Data | undefined)?.["url"]
      if (job === undefined) this.#wrong(`event ${event} has no delivery to ${endpoint}`)
      else if (job.status === "delivered" && !this.#delivered.has(`${url} msg_${event}`))
        this.#wrong(`event ${event} counts as delivered to ${endpoint}, which never got it`)
      else if (job.status === "pending") this.#wrong(`event ${event} is still on its way to ${endpoint}`)
    }
  }
}
