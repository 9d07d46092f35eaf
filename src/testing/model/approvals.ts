/**
 * Which payouts wait for approval, and what becomes of them: the rules of operators and merchants as they were when a payout was decided,
 * and each decision about it (APPROVAL-1, APPROVAL-4, APPROVAL-5).
 */
import { type Change, PLATFORM_MERCHANT, type RowWrite } from "../../engine/ports/Storage.ts"
import { minute } from "../program/program.ts"
import type { Movement } from "./model.ts"
import type { Data } from "./orders.ts"

/** A version of a rule, on the service clock. */
interface Rule {
  readonly id: string
  readonly owner: string
  readonly data: Data
  readonly from: number
  until: number
}

interface Awaited {
  readonly resource: string
  readonly needed: number
  readonly expires_at: number
  readonly by: Set<string>
  state: "pending" | "approved" | "declined" | "expired"
}

/** What the rules of one side ask for. */
interface Demand {
  readonly side: string
  readonly needed: number
  readonly expires_after: number
}

export type Decided = readonly [resource: string, decision: "approved" | "declined" | "barred"]

/** How old the rules are that a process may use, with the difference of two clocks, and how long it may take to read them. */
const knownMs = minute
const readMs = 3 * minute

const durations: Readonly<Record<string, number>> = { M: minute, H: 60 * minute }

export class ModelApprovals {
  readonly #rules: Array<Rule> = []
  readonly #approvals = new Map<string, Awaited>()
  readonly #wrong: (what: string) => void

  constructor(wrong: (what: string) => void) {
    this.#wrong = wrong
  }

  /** A rule was made, changed or ended. */
  ruled({ data, id, merchant_id, state }: RowWrite, at: number): void {
    for (const rule of this.#rules) if (rule.id === id && rule.until === Infinity) rule.until = at
    if (state === "active") this.#rules.push({ id, owner: merchant_id, data: data as Data, from: at, until: Infinity })
  }

  /** Whether a payout must wait, and for how many approvals. `decided`: when it was decided; its Change has its approvals. */
  begun(made: Movement, row: RowWrite, { at, rows }: Change): number {
    if (row.kind !== "transfer" && row.kind !== "offramp") return 0
    const waits = row.state === "approving"
    const own = rows.filter(({ data, kind }) => kind === "approval" && (data as Data)["resource_id"] === row.id)
    for (const { data, id, state } of own) {
      const { expires_at, needed } = data as Data
      this.#approvals.set(id, { resource: row.id, needed, expires_at, by: new Set(), state: "pending" })
      if (state !== "pending") this.#wrong(`${id} begins as ${state}`)
    }
    if (waits !== own.length > 0) this.#wrong(`${row.id} is ${row.state} with ${own.length} approvals`)
    const decided = row.created_at
    const isSettled = this.#rules.every(
      ({ from, until }) =>
        (from < decided - knownMs || from > at + readMs) && (until < decided - knownMs || until > at + readMs)
    )
    if (!isSettled) return own.length
    const due = this.#demands(made, row.merchant_id, decided)
    const found = own.map(({ data }): Demand => {
      const { expires_at, needed, side } = data as Data
      return { side, needed, expires_after: expires_at - decided }
    })
    const shown = (demands: ReadonlyArray<Demand>): string =>
      demands.map(({ expires_after, needed, side }) => `${needed} of ${side} in ${expires_after} ms`).join(" and ")
    if (shown(due) !== shown(found))
      this.#wrong(`${row.id} waits for [${shown(found)}], but its rules ask for [${shown(due)}]`)
    return own.length
  }

  #demands(made: Movement, merchant: string, at: number): ReadonlyArray<Demand> {
    return [
      ["operator", PLATFORM_MERCHANT],
      ["merchant", merchant]
    ].flatMap(([side = "", owner]) => {
      const covering = this.#rules
        .filter((rule) => rule.owner === owner && rule.from <= at && at < rule.until)
        .map(({ data }) => data)
        .filter(({ operations }) => operations.includes(made.kind) || operations.includes("payout"))
        .filter(({ above }) => above === null || this.#isAbove(made, above))
      if (covering.length === 0) return []
      return [
        {
          side,
          needed: Math.max(...covering.map(({ approvals }) => approvals)),
          expires_after: Math.min(
            ...covering.map(({ expires_after }) => {
              // An ISO 8601 duration of minutes or hours.
              const [, count = "", unit = ""] = /^PT(\d+)([MH])$/.exec(expires_after) ?? []
              return Number(count) * durations[unit]!
            })
          )
        }
      ]
    })
  }

  /** What cannot be compared waits. */
  #isAbove(made: Movement, above: { readonly amount: string; readonly currency: string }): boolean {
    const amounts: ReadonlyArray<readonly [bigint, string]> = [
      [made.amount, made.currency],
      ...(made.kind === "offramp" ? [[made.dues.due.amount, made.dues.due.currency] as const] : [])
    ]
    const same = amounts.filter(([, currency]) => currency === above.currency)
    return same.length === 0 || same.some(([amount]) => amount > BigInt(above.amount))
  }

  /** What the decisions of a Change mean for the payouts that wait. */
  decided({ rows }: Change, before: ReadonlyMap<RowWrite, RowWrite | undefined>): ReadonlyArray<Decided> {
    const ended: Array<string> = []
    const decided = rows.flatMap((row): ReadonlyArray<Decided> => {
      const known = row.kind === "approval" && before.get(row) !== undefined ? this.#approvals.get(row.id) : undefined
      if (known === undefined) return []
      if (known.state !== "pending") this.#wrong(`${row.id} was ${known.state}, and is ${row.state} by ${row.via}`)
      if (row.via === "ended") {
        known.state = "expired"
        ended.push(known.resource)
        if (row.state !== "expired") this.#wrong(`${row.id} is ${row.state}, although ${known.resource} was decided`)
        return []
      }
      this.#apply(row, known)
      if (row.state !== known.state)
        this.#wrong(`${row.id} is ${row.state} after ${known.by.size} of ${known.needed} approvals, not ${known.state}`)
      if (known.state === "pending") return []
      return [[known.resource, known.state === "approved" ? "approved" : "declined"]]
    })
    const barred = rows.filter(({ via }) => via === "payout.blocked").map(({ id }) => id)
    const over = new Set([...barred, ...decided.flatMap(([resource, how]) => (how === "declined" ? [resource] : []))])
    for (const resource of ended)
      if (!over.has(resource)) this.#wrong(`an approval of ${resource} ended, which nobody has declined`)
    for (const [id, { resource, state }] of over.size === 0 ? [] : this.#approvals)
      if (state === "pending" && over.has(resource)) this.#wrong(`${id} still waits for ${resource}, which is over`)
    return [...decided, ...barred.map((id) => [id, "barred"] as const)]
  }

  #apply({ data, id, updated_at, via }: RowWrite, known: Awaited): void {
    const { approvals, made_by } = data as Data
    const isLate = updated_at >= known.expires_at
    if (isLate !== (via === "timer.expiry"))
      this.#wrong(`${id} takes ${via} at ${updated_at}, and ends at ${known.expires_at}`)
    if (via === "timer.expiry") known.state = "expired"
    else if (via === "decline") known.state = "declined"
    else {
      const { person } = approvals.at(-1).by
      if (person === null || person === made_by.person || known.by.has(person))
        this.#wrong(`${id} was approved by ${person}, who made it, has approved it, or is nobody`)
      known.by.add(person)
      if (known.by.size >= known.needed) known.state = "approved"
    }
  }

  /** What still waits at the end, although its time is over. */
  close(): void {
    for (const [id, { resource, state }] of this.#approvals)
      if (state === "pending") this.#wrong(`${id} of ${resource} is still pending at the end`)
  }
}
