/** Compares the engine with the model, which receives the cause of each commit: what was written must agree with its prediction. */
import type { CommandStatus, PayinEvent, ProviderEvent, SubmissionResult } from "../../engine/ports/Provider.ts"
import type { Change, Row, RowWrite } from "../../engine/ports/Storage.ts"
import { kinds } from "../../engine/registry.ts"
import type { Cause } from "./causes.ts"
import type { Coverage } from "./coverage.ts"
import { ModelApprovals } from "../model/approvals.ts"
import { ModelExceptions } from "../model/exceptions.ts"
import { bookAmount } from "../program/amounts.ts"
import { ModelDeposits, type ModelPayin, statesOf } from "../model/deposits.ts"
import { readClass, balanceKey, type Ledger } from "../model/ledger.ts"
import { issuable, movements } from "../program/kinds.ts"
import { ModelLimits } from "../model/limits.ts"
import { Model, type Stimulus } from "../model/model.ts"
import type { Data, Orders } from "../model/orders.ts"
import { Returned } from "../model/booked-returns.ts"
import { normalizeTarget, Versions } from "../model/payin-facts.ts"

export const isMovement = ({ kind }: Pick<RowWrite, "kind">): boolean => movements.includes(kind)

/** Kinds whose rows influence how an event is handled. */
const judged: ReadonlySet<string> = new Set([...movements, ...issuable, "customer"])

const refundable = ["onramp", "deposit", "exception"] as const

interface About {
  readonly id: string
  readonly stimulus: Stimulus
}

export class Predictions {
  /** Deposits' payments that were told to have failed. */
  readonly #recalled = new Set<string>()
  readonly #bounced = new Set<string>()
  readonly #ledger: Ledger
  readonly #orders: Orders
  readonly #coverage: Coverage
  readonly #wrong: (what: string) => void
  readonly #model = new Model()
  readonly #returned: Returned
  readonly #deposits = new ModelDeposits()
  /** Pay-ins that an onramp received, confirmed or failed. None of them can fund an onramp again. */
  readonly #paid = new Set<string>()
  readonly #onramps = new Map<string, string>()
  readonly #versions = new Versions()
  /** Pay-ins to an unknown destination. The operator decides what happens to the money. */
  readonly #strays = new Set<string>()
  /** By process and row: the latest reads. */
  readonly #reads = new Map<string, ReadonlyArray<{ readonly now: number; readonly version: number }>>()
  /** By pay-in: the id of its deposit. */
  readonly #depositOf = new Map<string, string>()
  /** Screenings that the provider has refused. */
  readonly #refused = new Set<string>()
  readonly #cleared = new Set<string>()
  readonly #exceptions: ModelExceptions
  readonly #approvals: ModelApprovals
  readonly limits: ModelLimits

  constructor(ledger: Ledger, orders: Orders, coverage: Coverage, wrong: (what: string) => void) {
    this.#ledger = ledger
    this.#returned = new Returned(ledger)
    this.#orders = orders
    this.#coverage = coverage
    this.#wrong = wrong
    this.#exceptions = new ModelExceptions(wrong)
    this.#approvals = new ModelApprovals(wrong)
    this.limits = new ModelLimits(wrong)
  }

  movement(id: string): RowWrite | undefined {
    return this.#ledger.rows.get(`${kinds.ofId(id)?.kind} ${id}`)
  }

  /** Records the rows that a process read: a later decision may rely on an old version. */
  read(process: string, rows: ReadonlyArray<Row>, now: number): void {
    for (const { id, kind, version } of rows) {
      if (!judged.has(kind)) continue
      const reads = this.#reads.get(`${process} ${id}`) ?? []
      this.#reads.set(`${process} ${id}`, [...reads.slice(-7), { now, version }])
    }
  }

  /** Checks a Change after the ledger has recorded it. `before` maps each of its rows to its previous version. */
  hold(
    cause: Cause | undefined,
    change: Change,
    before: ReadonlyMap<RowWrite, RowWrite | undefined>,
    process: string
  ): void {
    for (const [row, was] of before) {
      if (was === undefined && isMovement(row)) this.#begun(change, row)
      if (row.kind === "deposit") {
        this.#decided(row, was)
        this.#autoConverted(row, was, change)
      }
      if (row.kind === "exception" && was === undefined) this.#exceptions.raised(row)
      if (row.kind === "approval_rule") this.#approvals.ruled(row, change.at)
      if (row.kind === "batch") this.#orders.batches.moved(row, change.at)
      if (row.kind === "fee_schedule") this.#orders.fees.scheduled(row, change.at)
      if (row.kind === "limit") this.limits.limited(row, change.at)
    }
    for (const [id, _tag] of this.#approvals.decided(change, before)) {
      if (_tag === "barred" && !this.#isBarred(id)) this.#wrong(`${id} was given up, although its payee may be paid`)
      const row = change.rows.find((one) => one.id === id)
      this.#model.handle(id, { _tag }, row?.updated_at ?? change.at)
    }
    const about = cause === undefined ? undefined : this.#about(cause, change, process)
    if (about !== undefined) {
      const row = change.rows.find(({ id }) => id === about.id)
      this.#model.handle(about.id, about.stimulus, row?.updated_at ?? change.at)
      this.#agrees(about.id)
    }
    for (const row of change.rows) {
      if (isMovement(row)) {
        this.#agrees(row.id)
        const made = this.#model.movements.get(row.id)

        // Whether a movement has ended, and nothing of it has moved (LIMITS-4).
        if (
          made !== undefined &&
          ((made.phase === "failed" && !made.unapplied) || (made.phase === "returned" && made.paid === null))
        )
          this.limits.ended(row.id, row.updated_at)
      }
      if (row.kind === "beneficiary") this.#screened(row)
    }
    for (const { debit, credit, currency } of change.postings)
      for (const account of [debit, credit]) this.#balanced(change.merchant_id, account, currency)
  }

  /** Final check: every predicted account balance is right. */
  close(): void {
    for (const what of this.#returned.wrong()) this.#wrong(what)
    this.#approvals.close()
    for (const { id, phase } of this.#model.movements.values())
      if (phase === "approving" && this.#isBarred(id)) this.#wrong(`${id} waits for approval, and its payee is barred`)
    for (const what of this.#orders.batches.wrong(this.#ledger.rows)) this.#wrong(what)
    for (const key of this.#model.accounts.keys()) {
      const [merchant = "", account = "", currency = ""] = key.split(" ")
      this.#balanced(merchant, account, currency)
    }
  }

  #agrees(id: string): void {
    const expected = this.#model.status(id)
    const row = this.movement(id)
    if (expected !== undefined && row !== undefined && row.status !== expected)
      this.#wrong(`${id} is ${row.status} (${row.state}, by ${row.via}) but should be ${expected}`)
    const provider = this.#model.provider(id)
    const { provider: has } = (row?.data ?? {}) as Data
    if (provider !== undefined && row !== undefined && has !== provider)
      this.#wrong(`${id} is with ${has} (${row.state}, by ${row.via}) but should be with ${provider}`)
    for (const what of this.#model.asideWrong(id, this.#ledger.aside(id))) this.#wrong(what)
  }

  #balanced(merchant: string, account: string, currency: string): void {
    const kind = readClass(account)
    if (kind !== "available" && kind !== "credential") return
    const expected = this.#model.accounts.get(balanceKey(merchant, account, currency)) ?? 0n
    const actual = this.#ledger.balance(merchant, account, currency)
    if (expected !== actual) this.#wrong(`${account} holds ${actual} ${currency} but should hold ${expected}`)
  }

  #begun(change: Change, row: RowWrite): void {
    const { made, wrong } = this.#orders.movement(change, row)
    if (wrong !== undefined) this.#wrong(wrong)
    if (row.kind === "onramp") this.#onramps.set((row.data as Data)["deposit_instruction"].depositReference, row.id)
    if (made === undefined) return
    this.limits.begun(made, row, change.at)
    const approvals = this.#approvals.begun(made, row, change)
    this.#model.begin(approvals === 0 ? made : { ...made, phase: "approving", approvals })
  }

  /** A deposit credited in another currency is converted in the same commit, unless it buys nothing. */
  #autoConverted(row: RowWrite, was: RowWrite | undefined, { rows }: Change): void {
    const { exchange, source_id } = row.data as Data
    if (row.state !== "received" || was?.state === "received" || exchange.price.received_amount === "0") return
    if (!rows.some(({ data, kind }) => kind === "conversion" && (data as Data)["credential_id"] === source_id))
      this.#wrong(`${row.id} was credited to ${source_id} but is not converted`)
  }

  #about(cause: Cause, change: Change, process: string): About | undefined {
    switch (cause._tag) {
      case "begun":
        return { id: cause.id, stimulus: { _tag: "begun", barred: this.#isBarred(cause.id) } }
      case "expired":
        return { id: cause.id, stimulus: { _tag: "expired" } }
      case "answer": {
        const { answer, attempt, id } = cause
        this.#covered(id, change, answer === null ? "no answer" : answer._tag)
        const { provider } = (this.movement(id)?.data ?? {}) as Data
        return { id, stimulus: { _tag: "answer", answer, attempt, provider: String(provider) } }
      }
      case "command_status": {
        const { id, commandStatus } = cause
        this.#covered(id, change, commandStatus === null ? "look-up failed" : `found ${commandStatus._tag}`)
        return { id, stimulus: { _tag: "command_status", commandStatus } }
      }
      case "refund": {
        const { answer, id } = cause
        this.#covered(id, change, "refund answered")
        return this.#refunded(id, answer)
      }
      case "event":
        return this.#reported(cause.event, cause.sender, change, (row) => this.#readOld(process, row, cause.since))
    }
  }

  #reported(
    event: ProviderEvent,
    sender: string,
    change: Change,
    old: (row: RowWrite | undefined) => boolean
  ): About | undefined {
    this.#returned.handled(event, sender, change)
    switch (event._tag) {
      case "movement": {
        const { outcome, resource_id } = event
        this.#covered(resource_id, change, outcome)
        return { id: resource_id, stimulus: { _tag: "word", sender, word: event } }
      }
      case "issued":
        this.#issued(event)
        return undefined
      case "payin":
        return this.#payin(event, change, old)
      case "screened":
        if (event.cleared) this.#cleared.add(event.screening_id)
        else this.#refused.add(event.screening_id)
        return undefined
      case "verification":
        return undefined
      case "refund": {
        const { outcome, reason, resource_id } = event
        this.#covered(resource_id, change, `refund ${outcome}`)
        if (outcome === "failed") this.#cameBack(resource_id, change)
        const refunded = { _tag: "settled", outcome: { outcome, reason, transaction_hash: null } } as const
        return this.#refunded(resource_id, refunded)
      }
    }
  }

  /** Money that comes back after its refund succeeded is kept by an exception, once. */
  #cameBack(id: string, { rows }: Change): void {
    const row = refundable.map((kind) => this.#ledger.rows.get(`${kind} ${id}`)).find((found) => found !== undefined)
    if (row?.via !== "refund.accepted" || ((row.data as Data)["refunds"] ?? 1) !== 1 || this.#bounced.has(id)) return
    this.#bounced.add(id)
    if (!rows.some(({ data }) => (data as Data)["reason"] === "refund_bounced"))
      this.#wrong(`the refund of ${id} came back, but no exception holds its money`)
  }

  /** A refund has ended: of an onramp, or of a rejected deposit. */
  #refunded(id: string, answer: SubmissionResult | CommandStatus | null): About {
    const { payin_id } = (this.#ledger.rows.get(`deposit ${id}`)?.data ?? {}) as Data
    const payin = this.#deposits.payins.get(payin_id)
    // The refund of what was taken back ends without an answer (REFUND-8).
    if (payin?.phase === "refunding" && (answer !== null || this.#recalled.has(payin_id))) {
      payin.phase = "failed"
      this.#deposited(payin_id)
    }
    return { id, stimulus: { _tag: "refund", answer } }
  }

  /** Whether the screening of a movement, or the current one of its beneficiary, was refused. */
  #isBarred(id: string): boolean {
    const { beneficiary, beneficiary_id } = (this.movement(id)?.data ?? {}) as Data
    const payee = this.#ledger.rows.get(`beneficiary ${beneficiary_id}`)?.data as Data | undefined
    return this.#refused.has(beneficiary?.screening_id) || this.#refused.has(payee?.["screening_id"])
  }

  /** Records a screening that was cleared at once. */
  cleared(screening_id: string): void {
    this.#cleared.add(screening_id)
  }

  /**
   * A beneficiary is blocked if and only if its current screening was refused, and active only if that screening was
   * cleared.
   */
  #screened({ data, id, state }: RowWrite): void {
    const { screening_id } = data as Data
    const isRefused = this.#refused.has(screening_id)
    if (state === "active" && !this.#cleared.has(screening_id))
      this.#wrong(`${id} is active, but its screening was not cleared`)
    if ((state === "blocked") !== isRefused)
      this.#wrong(`${id} is ${state}, but its screening was ${isRefused ? "" : "not "}refused`)
  }

  /** Counts, for the coverage, the state of a resource when it received an input. */
  #covered(id: string, change: Change, what: string): void {
    const moved = change.rows.find((row) => row.id === id)
    const row = moved ?? this.movement(id) ?? this.#ledger.rows.get(`deposit ${id}`)
    if (row !== undefined) this.#coverage.report(`${row.kind} ${moved === undefined ? row.state : moved.from}`, what)
  }

  /** Whether a process has read an outdated version of a row since a time. */
  #readOld(process: string, row: RowWrite | undefined, since: number): boolean {
    const reads = this.#reads.get(`${process} ${row?.id}`) ?? []
    return row !== undefined && reads.some(({ now, version }) => now >= since && version < row.version)
  }

  /** Each issued destination belongs to one resource. A resource that is issued another's destination stays pending. */
  #issued({ kind, resource_id, target }: Extract<ProviderEvent, { readonly _tag: "issued" }>): void {
    const row = this.#ledger.rows.get(`${kind} ${resource_id}`)
    if (row === undefined) return
    const { currency, network, wallet_currency, wallet_id } = row.data as Data
    const crosses = kind === "wallet_credential" && currency !== wallet_currency
    const isOwn = this.#versions.own(network, target, {
      kind,
      id: resource_id,
      merchant: row.merchant_id,
      customer: row.customer_id ?? "",
      account: crosses ? `credential:${resource_id}` : `available:${wallet_id}`,
      currency
    })
    if (row.state === "pending" && isOwn) this.#wrong(`${resource_id} was issued ${target} but is still pending`)
    if (row.state === "active" && !isOwn)
      this.#wrong(`${resource_id} is active with ${target}, which belongs to another resource`)
  }

  #payin(sent: PayinEvent, change: Change, old: (row: RowWrite | undefined) => boolean): About | undefined {
    const event = { ...sent, currency: sent.currency.trim() }
    if (this.#versions.contradicts(event, change.at)) {
      if (change.rows.some(({ from, kind }) => kind === "exception" && from === null)) return undefined
      if (this.#versions.precededAmount(event, change.at)) return undefined
      if (this.#deposits.payins.has(event.payin_id) || !this.#versions.overtook(event, change.at)) {
        this.#wrong(`${event.event_id} contradicts pay-in ${event.payin_id}, and no exception records it`)
        return undefined
      }
    }
    this.#exceptions.named(event)
    if (this.#strays.has(event.payin_id)) return undefined
    const onramp = this.#ledger.rows.get(`onramp ${this.#onramps.get(normalizeTarget(event.target))}`)
    const isPayment = onramp !== undefined && (onramp.data as Data)["source_currency"] === event.currency
    if (isPayment && (event.network === null || event.network === "bank")) return this.#paidFor(onramp, event, change)
    const place = this.#deposits.payins.get(event.payin_id)?.place ?? this.#versions.placeOf(event)
    if (place === undefined) {
      if (event.stage === "confirmed") this.#strays.add(event.payin_id)
      return undefined
    }
    const row = change.rows.find(
      ({ kind, data }) => kind === "deposit" && (data as Data)["payin_id"] === event.payin_id
    )
    if (row !== undefined) this.#depositOf.set(event.payin_id, row.id)
    const known = this.#ledger.rows.get(`deposit ${this.#depositOf.get(event.payin_id)}`)
    this.#coverage.report(
      `deposit ${row === undefined ? (known?.state ?? "—") : (row.from ?? "—")}`,
      `payin ${event.stage}`
    )
    if (event.stage === "failed") this.#recalled.add(event.payin_id)
    const customer = this.#ledger.rows.get(`customer ${place.customer}`)
    const at = this.#ledger.rows.get(`${place.kind} ${place.id}`)
    const failed = this.#deposits.payins.get(event.payin_id)?.phase === "failed"
    const { credited, wrong } = this.#deposits.handle(event, place, {
      moving: old(customer) || old(at),
      state: at?.state ?? "",
      tier: (customer?.data as Data | undefined)?.["tier"] ?? "tier_2",
      held: row?.state === "held",
      waits: row?.state === "waiting"
    })
    if (wrong !== undefined) this.#wrong(wrong)
    if (!failed && this.#deposits.payins.get(event.payin_id)?.phase === "failed") this.#versions.forget(event.payin_id)
    if (credited > 0n) this.#model.move(place.merchant, place.account, place.currency, credited)
    this.#deposited(event.payin_id)
    return undefined
  }

  #paidFor(onramp: RowWrite, event: PayinEvent, change: Change): About | undefined {
    this.#covered(onramp.id, change, `payin ${event.stage}`)
    if (event.stage === "failed" && (onramp.data as Data)["payin_id"] === event.payin_id)
      return { id: onramp.id, stimulus: { _tag: "recalled" } }
    if (
      event.stage === "confirmed" &&
      this.#paid.has(event.payin_id) &&
      (onramp.data as Data)["payin_id"] === event.payin_id
    )
      return { id: onramp.id, stimulus: { _tag: "confirmed again" } }
    const booked = bookAmount(event.amount, event.currency)?.booked
    const amount = booked === 0n ? undefined : booked
    // A pay-in that failed before its confirmation funds nothing, whatever is reported of it later.
    if (event.stage === "failed" && amount !== undefined) this.#paid.add(event.payin_id)
    if (event.stage !== "confirmed") return undefined
    const buys = amount === undefined ? undefined : this.#orders.buys(onramp, amount)
    if (amount === undefined || buys === undefined || this.#paid.has(event.payin_id)) return undefined
    this.#paid.add(event.payin_id)
    return {
      id: onramp.id,
      stimulus: { _tag: "paid", amount, buys, dues: this.#orders.onrampDues(onramp, amount, buys) }
    }
  }

  /** Checks that the deposit of a pay-in is in the phase that the model predicts. */
  #deposited(payin_id: string): void {
    const payin = this.#deposits.payins.get(payin_id)
    if (payin === undefined) return
    const row = this.#ledger.rows.get(`deposit ${this.#depositOf.get(payin_id)}`)
    if (row === undefined) this.#wrong(`pay-in ${payin_id} is ${payin.phase} but has no deposit`)
    else if (!statesOf[payin.phase].includes(row.state))
      this.#wrong(`${row.id} is ${row.state}, but its pay-in ${payin_id} is ${payin.phase}`)
  }

  #tierOf(customer: string): string {
    return (this.#ledger.rows.get(`customer ${customer}`)?.data as Data | undefined)?.["tier"] ?? "tier_2"
  }

  /** Decisions of operators and verifications on held deposits, and forwarded credential balances. */
  #decided(row: RowWrite, was: RowWrite | undefined): void {
    const { amount, currency, exchange, payin_id, source_id, source_type, wallet_id } = row.data as Data
    if (was === undefined && source_type === "deposit_forward") {
      const { destination_currency, price } = exchange
      this.#model.move(row.merchant_id, `credential:${source_id}`, currency, -BigInt(amount))
      this.#model.move(row.merchant_id, `available:${wallet_id}`, destination_currency, BigInt(price.received_amount))
      return
    }
    if (was === undefined && row.via === "credit") {
      const account = exchange === undefined ? `available:${wallet_id}` : `credential:${source_id}`
      this.#model.move(row.merchant_id, account, currency, BigInt(amount))
      const customer = row.customer_id ?? ""
      if (payin_id !== null) this.#deposits.count(customer, BigInt(amount), currency, this.#tierOf(customer))
      return
    }
    const payin = this.#deposits.payins.get(payin_id)
    if (payin === undefined) return
    if (was?.state === "waiting" && row.via === "payin.confirmed") {
      if (payin.phase !== "waiting") this.#wrong(`${row.id} was confirmed, but its pay-in is ${payin.phase}`)
      if (row.state === "held") payin.phase = "held"
      else this.#letIn(row, payin)
    }
    if (was?.state !== "held") return
    if (row.via === "released") {
      if (payin.phase !== "held") this.#wrong(`${row.id} was released, but its pay-in is ${payin.phase}`)
      this.#letIn(row, payin)
    }
    if (row.via === "rejected") payin.phase = "refunding"
  }

  #letIn({ merchant_id }: RowWrite, payin: ModelPayin): void {
    payin.phase = "credited"
    const { amount, currency, place } = payin
    this.#deposits.count(place.customer, amount, currency, this.#tierOf(place.customer))
    this.#model.move(merchant_id, place.account, currency, amount)
  }
}
