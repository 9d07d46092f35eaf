/**
 * A plain model of what the service promises (docs/rules.md): it hears what the engine was
 * told, in the order in which the engine wrote it down, and says where every movement and deposit stands and what every
 * wallet holds. It shares nothing with the machines but the words on the wire.
 */
import type { SubmissionResult, MovementOutcomeType, CommandStatus } from "../engine/ports/Provider.ts"
import { add, keyOf } from "./ledger.ts"
import { day } from "./program.ts"

export type MovementKind = "transfer" | "offramp" | "conversion" | "onramp"

/**
 * - `reserved`: the money is set aside, and the provider was not asked. `awaiting`: an onramp that nobody has paid.
 * - `asked`: the provider was asked, and has it or is about to. `unsure`: nobody knows. `refused`: to be asked again.
 * - `refunding`: what a payer sent is on its way back.
 */
export type Phase =
  | "awaiting"
  | "reserved"
  | "asked"
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
  /** Where the money comes from and goes back to; null: from outside. */
  readonly from: string | null
  readonly amount: bigint
  readonly currency: string
  /** What a success credits here: an account, and how much of what. */
  readonly to: { readonly account: string; readonly amount: bigint; readonly currency: string } | null
  /** Service clock; null: the rate holds for ever. */
  readonly locked_until: number | null
  readonly retries: boolean
  phase: Phase
  attempts: number
  /** Whether what became of the last submission was asked. */
  looked: boolean
  /** A refusal that is not believed before a look-up says that nothing was executed. */
  refusal: { readonly reason: string | null; readonly refundable: boolean } | null
  refused_at: number | null
  /** Nobody could give the money back. */
  stranded: boolean
  /** An onramp that is sent back for no fault of anybody's, and so ends `returned`. */
  goes_back: boolean
  /** What an onramp's payer sent, and what that buys; null: nothing that can be paid out. */
  funded: { readonly amount: bigint; readonly buys: bigint | null } | null
}

export type Stimulus =
  /** `barred`: whoever is to be paid has been refused. */
  | { readonly _tag: "begun"; readonly barred: boolean }
  | { readonly _tag: "expired" }
  | { readonly _tag: "answer"; readonly attempt: number; readonly answer: SubmissionResult | null }
  | { readonly _tag: "standing"; readonly standing: CommandStatus | null }
  | { readonly _tag: "word"; readonly outcome: MovementOutcomeType; readonly reason: string | null }
  | { readonly _tag: "refund"; readonly answer: SubmissionResult | null }
  | { readonly _tag: "paid"; readonly amount: bigint; readonly buys: bigint | null }
  | { readonly _tag: "recalled" }

const over = new Set<Phase>(["success", "failed", "returned"])

/** What `/v1` shows of a phase. */
const statusOf = ({ kind, phase, funded }: Movement): string => {
  if (over.has(phase)) return phase
  if (phase === "awaiting") return "awaiting_deposit"
  if (phase === "refunding") return "processing"
  if (kind === "transfer") return "processing"
  if (phase === "reserved") return kind === "onramp" && funded !== null ? "processing" : "created"
  return phase === "asked" ? "processing" : "temporary_failure"
}

export class Model {
  readonly movements = new Map<string, Movement>()
  /** What every account of a wallet's or a credential's is worth, by merchant, account and currency. */
  readonly accounts = new Map<string, bigint>()

  /** A movement that was made: its money is set aside. */
  begin(movement: Movement): void {
    this.movements.set(movement.id, movement)
    if (movement.from !== null) this.move(movement.merchant, movement.from, movement.currency, -movement.amount)
  }

  move(merchant: string, account: string, currency: string, amount: bigint): void {
    add(this.accounts, keyOf(merchant, account, currency), amount)
  }

  status(id: string): string | undefined {
    const movement = this.movements.get(id)
    return movement === undefined ? undefined : statusOf(movement)
  }

  /** A movement hears something at a time of the service's clock. */
  hear(id: string, stimulus: Stimulus, at: number): void {
    const m = this.movements.get(id)
    if (m === undefined) return
    switch (stimulus._tag) {
      case "begun":
        if (stimulus.barred && (m.phase === "reserved" || m.phase === "refused")) this.#fail(m)
        else if (m.phase === "reserved" && m.locked_until !== null && m.kind !== "onramp" && at >= m.locked_until)
          this.#fail(m)
        else if (m.phase === "reserved" || m.phase === "refused") {
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
      case "answer":
        this.#answer(m, stimulus, at)
        return
      case "standing":
        if (!this.#under(m)) return
        // "Not executed" is definite: a refusal of that submission may follow it.
        if (stimulus.standing === null || stimulus.standing._tag === "pending") m.looked = true
        this.#standing(m, stimulus.standing, at)
        return
      case "word":
        this.#word(m, stimulus.outcome, stimulus.reason, at)
        return
      case "paid":
        if (m.phase !== "awaiting") return
        if (m.locked_until !== null && at >= m.locked_until) {
          this.#fail(m)
          return
        }
        m.funded = { amount: stimulus.amount, buys: stimulus.buys }
        m.goes_back = stimulus.buys === null
        m.phase = stimulus.buys === null ? "refunding" : "reserved"
        return
      case "recalled":
        // What the payer took back is not paid out, unless the provider has been asked to.
        if ((m.phase === "reserved" && m.funded !== null) || m.phase === "refused") m.phase = "failed"
        return
      case "refund":
        if (m.phase !== "refunding" || stimulus.answer === null) return
        if (stimulus.answer._tag === "accepted") m.phase = m.goes_back ? "returned" : "failed"
        else if (stimulus.answer._tag === "rejected") this.#strand(m)
    }
  }

  /** Whether the provider was asked, and what became of it is not known. */
  #under({ phase }: Movement): boolean {
    return phase === "asked" || phase === "unsure"
  }

  #answer(m: Movement, { answer, attempt }: Extract<Stimulus, { readonly _tag: "answer" }>, at: number): void {
    if (answer === null) {
      if (this.#under(m)) m.phase = "unsure"
    } else if (answer._tag === "rejected") this.#rejected(m, answer, attempt, at)
    else if (answer._tag === "unavailable" && this.#under(m) && attempt === m.attempts) this.#turnedAway(m, at, false)
  }

  /** The last word on a submission; after others, or when its outcome was unknown, a look-up is waited for. */
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
        m.refusal = { reason, refundable }
        return
      }
    }
    this.#word(m, refundable ? "failed" : "refund_failed", reason, at)
  }

  #standing(m: Movement, standing: CommandStatus | null, at: number): void {
    if (standing === null) m.phase = "unsure"
    else if (standing._tag === "pending") m.phase = "asked"
    else if (standing._tag === "absent" && m.refusal !== null)
      this.#word(m, m.refusal.refundable ? "failed" : "refund_failed", m.refusal.reason, at)
    else if (standing._tag === "absent") this.#turnedAway(m, at, true)
    else if (standing.outcome.outcome === "temporarily_unavailable") this.#turnedAway(m, at, false)
    else this.#word(m, standing.outcome.outcome, standing.outcome.reason, at)
  }

  /** Not executed: asked again while there is time, a day from the first time; `found`: a look-up's word, which needs no leave to retry. */
  #turnedAway(m: Movement, at: number, found: boolean): void {
    const since = m.refused_at ?? at
    const may = found || m.retries || m.kind === "conversion" || m.kind === "onramp"
    if (may && at < since + day) {
      m.refused_at = since
      m.phase = "refused"
    } else this.#refuse(m, "temporarily_unavailable")
  }

  #word(m: Movement, outcome: MovementOutcomeType, reason: string | null, at: number): void {
    if (m.phase === "success") {
      if (m.kind === "offramp" && (outcome === "returned" || outcome === "reversed")) {
        m.phase = "returned"
        this.#giveBack(m)
      }
      return
    }
    if (over.has(m.phase) || m.phase === "awaiting") return
    if (m.phase === "refunding") {
      if (outcome === "refund_failed") this.#strand(m)
      return
    }
    if (m.phase === "reserved" && m.kind !== "onramp") {
      if (outcome === "returned" && m.kind !== "transfer") {
        m.phase = "returned"
        this.#giveBack(m)
      }
      return
    }
    switch (outcome) {
      case "success":
        if (m.phase !== "reserved") this.#succeed(m)
        return
      case "failed":
      case "cancelled":
        this.#refuse(m, outcome === "failed" ? reason : null)
        return
      case "reversed":
      case "returned":
        if (m.kind === "transfer") this.#fail(m)
        else {
          m.phase = "returned"
          if (m.kind !== "onramp") this.#giveBack(m)
        }
        return
      case "refund_failed":
        this.#strand(m)
        return
      case "temporarily_unavailable":
        if (m.phase === "refused" || m.phase === "reserved") return
        // After several submissions nobody knows which one it speaks of.
        if (m.attempts > 1) {
          m.phase = "unsure"
          m.looked = true
        } else this.#turnedAway(m, at, false)
    }
  }

  #succeed(m: Movement): void {
    m.phase = "success"
    const bought = m.kind === "onramp" && m.to !== null ? { ...m.to, amount: m.funded?.buys ?? 0n } : m.to
    if (bought !== null) this.move(m.merchant, bought.account, bought.currency, bought.amount)
  }

  /** It is not paid out: the money goes back to where it came from. */
  #refuse(m: Movement, reason: string | null): void {
    if (m.kind !== "onramp") this.#fail(m)
    else {
      m.phase = "refunding"
      m.goes_back = reason?.startsWith("compliance") === true
    }
  }

  #fail(m: Movement): void {
    m.phase = "failed"
    this.#giveBack(m)
  }

  #strand(m: Movement): void {
    m.phase = "failed"
    m.stranded = true
  }

  #giveBack(m: Movement): void {
    if (m.from !== null) this.move(m.merchant, m.from, m.currency, m.amount)
  }
}
