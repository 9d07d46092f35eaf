/**
 * A plain model of the service's promises (the interface specification and the decisions behind it). It receives the
 * same inputs as the engine, in the order in which the engine recorded them, and predicts the status of every movement
 * and deposit and the balance of every wallet. It shares nothing with the machines but the terms of the public API.
 */
import type { SubmissionResult, MovementOutcome, CommandStatus } from "../../engine/ports/Provider.ts"
import { type Dues, readStatedAmount } from "../world/stated-amounts.ts"
import { addToSum, balanceKey } from "./ledger.ts"
import { day, minute } from "../program/program.ts"

export type MovementKind = "transfer" | "offramp" | "conversion" | "onramp"

/**
 * - `approving`: the money is reserved, and other people must approve the payout first.
 * - `reserved`: the money is reserved, and nothing was submitted. `awaiting`: an onramp without a payment.
 * - `moved`: the next provider has it, and nothing was submitted there.
 * - `asked`: the payment was submitted. `unsure`: its outcome is unknown. `refused`: it will be submitted again.
 * - `refunding`: the payer's money is on its way back.
 */
export type Phase =
  | "awaiting"
  | "approving"
  | "reserved"
  | "asked"
  | "moved"
  | "unsure"
  | "refused"
  | "refunding"
  | "success"
  | "failed"
  | "returned"

export interface Movement {
  readonly id: string
  readonly kind: MovementKind
  readonly merchant: string
  /** The account that pays and receives the money back. Null: from outside. */
  readonly from: string | null
  readonly amount: bigint
  readonly currency: string
  /** What a success credits. Null: nothing here. */
  readonly to: { readonly account: string; readonly amount: bigint; readonly currency: string } | null
  /** Service clock. Null: the rate never expires. */
  locked_until: number | null
  /** How many approvals it waits for: one of each side whose rules cover it. */
  approvals: number
  readonly retries: boolean
  /** What the provider delivers, and what a return brings back. An onramp's follow from its payment. */
  dues: Dues
  /** What the provider has paid, in the currency of `dues.due`. Null: nothing. */
  paid: bigint | null
  /** What it has in suspense and in losses, by class and currency, as long as nobody decides about it. */
  readonly booked: Map<string, bigint>
  phase: Phase
  /** The provider that has it, and those that may get it, in order. */
  provider: string
  route: ReadonlyArray<string>
  attempts: number
  /** Whether the last submission was looked up. */
  looked: boolean
  /** A rejection that a lookup has yet to confirm. */
  refusal: { readonly reason: string | null; readonly refundable: boolean } | null
  refused_at: number | null
  /** The money could not be refunded. */
  unapplied: boolean
  /** An onramp that is refunded through nobody's fault, and so ends as `returned`. */
  goes_back: boolean
  /** Its payer took the payment back after it was submitted, or while it was refunded. */
  recalled?: boolean
  /** The payer's payment and what it buys. `buys` is null when nothing can be paid out. */
  funded: ModelPayment | null
  /** The provider that the payer has paid. Another one that converts gives back to it (ROUTE-8). */
  bank?: string
}

/** A payer's payment, what it buys, and what the provider is given for it and delivers. */
export interface ModelPayment {
  readonly amount: bigint
  readonly buys: bigint | null
  readonly dues: Dues
}

export type Stimulus =
  /** `barred`: the beneficiary's screening was refused. */
  | { readonly _tag: "begun"; readonly barred: boolean }
  | { readonly _tag: "expired" }
  /** One of its approvals was given; it was declined, or nobody decided in time. */
  | { readonly _tag: "approved" }
  | { readonly _tag: "declined" }
  /** Its beneficiary may not be paid any more while it waits for approval. */
  | { readonly _tag: "barred" }
  /** `provider`: the one that has the movement afterwards. */
  | {
      readonly _tag: "answer"
      readonly attempt: number
      readonly answer: SubmissionResult | null
      readonly provider: string
    }
  | { readonly _tag: "command_status"; readonly commandStatus: CommandStatus | null }
  | { readonly _tag: "word"; readonly sender: string; readonly word: MovementOutcome }
  | { readonly _tag: "refund"; readonly answer: SubmissionResult | CommandStatus | null }
  | ({ readonly _tag: "paid" } & ModelPayment)
  | { readonly _tag: "recalled" }
  | { readonly _tag: "confirmed again" }

/** Whether an onramp is with another provider than the one that its payer has paid: what that gives back goes to the bank. */
const isElsewhere = ({ bank, kind, provider }: Movement): boolean =>
  kind === "onramp" && (bank ?? provider) !== provider

/** How long the rate of a payout holds after its last approval. */
const relocked = 15 * minute

const over = new Set<Phase>(["success", "failed", "returned"])

/** Whether the payer has the money back (true), or will never get it (false). Undefined: the provider has not reported either. */
const isRefunded = (answer: SubmissionResult | CommandStatus): boolean | undefined => {
  if (answer._tag !== "settled") return answer._tag === "rejected" ? false : undefined
  const { outcome } = answer.outcome
  return outcome === "temporarily_unavailable" ? undefined : outcome === "success"
}

const predictStatus = ({ kind, phase, funded }: Movement): string => {
  if (over.has(phase)) return phase
  if (phase === "awaiting") return "awaiting_deposit"
  if (phase === "refunding" || phase === "moved") return "processing"
  if (kind === "transfer") return "processing"
  if (phase === "approving") return "created"
  if (phase === "reserved") return kind === "onramp" && funded !== null ? "processing" : "created"
  return phase === "asked" ? "processing" : "temporary_failure"
}

export class Model {
  readonly movements = new Map<string, Movement>()
  /** The balances of wallet and credential accounts, by merchant, account and currency. */
  readonly accounts = new Map<string, bigint>()

  /** A new movement: reserves its money. */
  begin(movement: Movement): void {
    this.movements.set(movement.id, movement)
    if (movement.from !== null) this.move(movement.merchant, movement.from, movement.currency, -movement.amount)
  }

  move(merchant: string, account: string, currency: string, amount: bigint): void {
    addToSum(this.accounts, balanceKey(merchant, account, currency), amount)
  }

  provider(id: string): string | undefined {
    return this.movements.get(id)?.provider
  }

  status(id: string): string | undefined {
    const movement = this.movements.get(id)
    return movement === undefined ? undefined : predictStatus(movement)
  }

  /** How what a movement has posted to suspense and losses differs from what the provider's amounts leave there. */
  asideWrong(id: string, actual: ReadonlyMap<string, bigint>): ReadonlyArray<string> {
    const expected = this.movements.get(id)?.booked ?? actual
    return [...new Set([...expected.keys(), ...actual.keys()])]
      .filter((key) => expected.get(key) !== actual.get(key))
      .map((key) => `${id} has ${actual.get(key) ?? 0n} in ${key}, not ${expected.get(key) ?? 0n}`)
  }

  /** A movement handles an input at a time of the service clock. */
  handle(id: string, stimulus: Stimulus, at: number): void {
    const m = this.movements.get(id)
    if (m === undefined) return
    switch (stimulus._tag) {
      case "begun":
        if (stimulus.barred && (m.phase === "reserved" || m.phase === "refused" || m.phase === "moved")) this.#fail(m)
        else if (m.phase === "reserved" && m.locked_until !== null && m.kind !== "onramp" && at >= m.locked_until)
          this.#fail(m)
        else if (m.phase === "reserved" || m.phase === "refused" || m.phase === "moved") {
          m.phase = "asked"
          m.attempts++
          m.looked = false
          m.refusal = null
        }
        return
      case "expired":
        if ((m.phase === "reserved" && m.kind !== "transfer" && m.kind !== "onramp") || m.phase === "awaiting")
          this.#fail(m)
        return
      case "approved":
        if (m.phase !== "approving" || --m.approvals > 0) return
        m.phase = "reserved"
        // Its rate holds for the time of a quote from the last approval on.
        if (m.locked_until !== null) m.locked_until = Math.max(m.locked_until, at + relocked)
        return
      case "declined":
        if (m.phase === "approving") this.#fail(m)
        return
      case "barred":
        if (["approving", "reserved", "refused", "moved"].includes(m.phase)) this.#fail(m)
        return
      case "answer":
        this.#answer(m, stimulus, at)
        return
      case "command_status":
        // Of a success, only a return whose amount cannot be true is asked about: the answer is the provider's word (OUTCOME-6).
        if (m.phase === "success" && stimulus.commandStatus?._tag === "settled")
          this.#word(m, stimulus.commandStatus.outcome, at)
        if (!this.#under(m)) return
        m.route = []
        // "Not executed" is definite: a rejection of that submission may follow it.
        if (stimulus.commandStatus === null || stimulus.commandStatus._tag === "pending") m.looked = true
        this.#commandStatus(m, stimulus.commandStatus, at)
        return
      case "word":
        // Only the provider that has a movement decides it.
        if (stimulus.sender === m.provider) this.#word(m, stimulus.word, at)
        return
      case "paid":
        if (m.phase !== "awaiting") return
        if (m.locked_until !== null && at >= m.locked_until) {
          this.#fail(m)
          return
        }
        m.funded = { amount: stimulus.amount, buys: stimulus.buys, dues: stimulus.dues }
        m.dues = stimulus.dues
        m.bank = m.provider
        m.goes_back = stimulus.buys === null
        m.phase = stimulus.buys === null ? "refunding" : "reserved"
        return
      case "recalled":
        // A payment that the payer took back is not paid out, unless the payout was submitted.
        if ((m.phase === "reserved" && m.funded !== null) || m.phase === "refused" || m.phase === "moved")
          m.phase = "failed"
        else if (this.#under(m) || m.phase === "refunding") m.recalled = true
        return
      case "confirmed again":
        m.recalled = false
        return
      case "refund": {
        if (m.phase !== "refunding") return
        const isBack = stimulus.answer === null ? undefined : isRefunded(stimulus.answer)
        if (isBack === true) m.phase = m.goes_back ? "returned" : "failed"
        // What was taken back is not sent back as well (REFUND-8).
        else if (isBack === false || m.recalled === true) this.#leaveUnapplied(m)
      }
    }
  }

  /** Whether the payment was submitted and its outcome is unknown. */
  #under({ phase }: Movement): boolean {
    return phase === "asked" || phase === "unsure"
  }

  #answer(
    m: Movement,
    { answer, attempt, provider }: Extract<Stimulus, { readonly _tag: "answer" }>,
    at: number
  ): void {
    // A provider that cannot take the latest submission gives it to the next, if nothing before was uncertain.
    const moves = answer?._tag === "unavailable" && m.phase === "asked" && attempt === m.attempts
    if (moves && m.route.includes(provider) && m.recalled !== true) {
      m.route = m.route.slice(m.route.indexOf(provider) + 1)
      m.provider = provider
      m.phase = "moved"
    } else if (answer === null) {
      if (this.#under(m)) {
        m.phase = "unsure"
        m.route = []
      }
    } else if (answer._tag === "rejected") this.#rejected(m, answer, attempt, at)
    else if (answer._tag === "settled" && answer.outcome.outcome !== "temporarily_unavailable")
      this.#word(m, answer.outcome, at)
    else if (answer._tag !== "accepted" && this.#under(m) && attempt === m.attempts) this.#turnedAway(m, at, false)
  }

  /** A rejection. It needs a lookup if it follows other submissions, or if the outcome was unknown. */
  #rejected(
    m: Movement,
    answer: Extract<SubmissionResult, { readonly _tag: "rejected" }>,
    attempt: number,
    at: number
  ): void {
    const { reason, refundable } = answer
    if (this.#under(m) || m.phase === "refused") {
      if (attempt !== m.attempts) return
      if (attempt > 1 || m.looked) {
        m.phase = "unsure"
        m.looked = true
        m.route = []
        m.refusal = { reason, refundable }
        return
      }
    }
    this.#word(m, { outcome: refundable ? "failed" : "refund_failed", reason }, at)
  }

  #commandStatus(m: Movement, commandStatus: CommandStatus | null, at: number): void {
    if (commandStatus === null) m.phase = "unsure"
    else if (commandStatus._tag === "pending") m.phase = "asked"
    else if (commandStatus._tag === "absent" && m.refusal !== null)
      this.#word(m, { outcome: m.refusal.refundable ? "failed" : "refund_failed", reason: m.refusal.reason }, at)
    else if (commandStatus._tag === "absent") this.#turnedAway(m, at, true)
    else if (commandStatus.outcome.outcome === "temporarily_unavailable") this.#turnedAway(m, at, false)
    else this.#word(m, commandStatus.outcome, at)
  }

  /**
   * Not executed: submitted again until a day after the first time. `found`: reported by a lookup, which always allows
   * a retry.
   */
  #turnedAway(m: Movement, at: number, found: boolean): void {
    m.route = []
    if (m.recalled === true) {
      // What its payer has taken back goes to nobody (ONRAMP-9).
      m.phase = "failed"
      addToSum(m.booked, `suspense ${m.currency}`, m.funded?.amount ?? 0n)
      return
    }
    const since = m.refused_at ?? at
    const may = found || m.retries || m.kind === "conversion" || m.kind === "onramp"
    if (may && at < since + day) {
      m.refused_at = since
      m.phase = "refused"
    } else this.#refuse(m, "temporarily_unavailable")
  }

  #word(m: Movement, word: Omit<MovementOutcome, "transaction_hash">, at: number): void {
    const { outcome, reason } = word
    const stated = readStatedAmount(m.dues, word)
    if (stated === undefined) {
      // It cannot be true: it is no outcome, and the provider is asked again (OUTCOME-6).
      if (!this.#under(m) && m.phase !== "refused") return
      m.phase = "unsure"
      m.looked = true
      m.route = []
      return
    }
    if (m.phase === "success") {
      if (m.kind === "offramp" && (outcome === "returned" || outcome === "reversed")) {
        m.phase = "returned"
        this.#cameBack(m, stated)
        this.#giveBack(m)
      }
      return
    }
    // Nothing was submitted of what waits for approval: no report decides it.
    if (over.has(m.phase) || m.phase === "awaiting" || m.phase === "approving" || m.phase === "moved") return
    // Nor does one of the payout decide its refund (REFUND-9).
    if (m.phase === "refunding") return
    if (m.phase === "reserved" && m.kind !== "onramp") {
      if (outcome === "returned" && m.kind !== "transfer") {
        m.phase = "returned"
        this.#giveBack(m)
      }
      return
    }
    switch (outcome) {
      case "success":
        if (m.phase !== "reserved") this.#succeed(m, stated)
        return
      case "failed":
      case "cancelled":
        this.#refuse(m, outcome === "failed" ? reason : null)
        return
      case "reversed":
      case "returned":
        this.#cameBack(m, stated)
        if (m.kind === "transfer") this.#fail(m)
        else if (isElsewhere(m)) this.#refuse(m, "compliance")
        else {
          m.phase = "returned"
          if (m.kind !== "onramp") this.#giveBack(m)
        }
        return
      case "refund_failed":
        this.#leaveUnapplied(m)
        return
      case "temporarily_unavailable":
        if (m.phase === "refused" || m.phase === "reserved") return
        // After several submissions it is unclear which one this outcome belongs to.
        if (m.attempts > 1) {
          m.phase = "unsure"
          m.looked = true
          m.route = []
        } else this.#turnedAway(m, at, false)
    }
  }

  /** The recipient gets what was paid, and at most what is due. What is missing is in suspense (OUTCOME-2). */
  #succeed(m: Movement, stated: bigint | null): void {
    m.phase = "success"
    const { amount: due, currency } = m.dues.due
    m.paid = stated === null || stated > due ? due : stated
    const missing = due - m.paid
    addToSum(m.booked, `suspense ${currency}`, missing)
    const bought = m.kind === "onramp" && m.to !== null ? { ...m.to, amount: m.funded?.buys ?? 0n } : m.to
    if (bought === null) return
    const credited = bought.amount > missing ? bought.amount - missing : 0n
    this.move(m.merchant, bought.account, bought.currency, credited)
  }

  /** The customer gets everything back; what did not come back is lost (OUTCOME-4), or the payer's (OUTCOME-5). */
  #cameBack(m: Movement, stated: bigint | null): void {
    const { due, given } = m.dues
    const had = m.paid ?? given.amount
    const came = stated === null || stated > had ? had : stated
    if (m.kind === "onramp" && !isElsewhere(m)) addToSum(m.booked, `suspense ${given.currency}`, given.amount - came)
    else if (m.kind === "conversion" || m.kind === "onramp")
      addToSum(m.booked, `losses ${given.currency}`, came - given.amount)
    else addToSum(m.booked, `losses ${due.currency}`, came - due.amount)
  }

  /** Not paid out: the money goes back to its source. */
  #refuse(m: Movement, reason: string | null): void {
    if (m.kind !== "onramp") this.#fail(m)
    else if (m.recalled === true) this.#leaveUnapplied(m)
    else {
      m.phase = "refunding"
      m.goes_back = reason?.startsWith("compliance") === true
    }
  }

  #fail(m: Movement): void {
    m.phase = "failed"
    this.#giveBack(m)
  }

  #leaveUnapplied(m: Movement): void {
    m.phase = "failed"
    m.unapplied = true
    addToSum(m.booked, `suspense ${m.currency}`, m.funded?.amount ?? m.amount)
  }

  #giveBack(m: Movement): void {
    if (m.from !== null) this.move(m.merchant, m.from, m.currency, m.amount)
  }
}
