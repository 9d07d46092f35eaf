/**
 * The limits of payouts: what each has used, summed apart from the counters of the store. None is passed, nothing is refused for which there
 * was room, what failed is given back once, and an unknown outcome is not (LIMITS-3 to LIMITS-6).
 *
 * A process may use limits that are some seconds old, and older ones while it cannot read them (LIMITS-8). A payout that was decided meanwhile counts as uncertain: it is left out of
 * what must not be passed, and counts as used where a refusal is judged.
 */
import type { RowWrite, StoredCounter } from "../../engine/ports/Storage.ts"
import { day, hour, minute } from "../program/program.ts"
import type { Movement } from "./model.ts"
import type { Data } from "./orders.ts"

/** How old the limits are that a process may use, with the difference of two clocks, and how long it may take to read them. */
const knownMs = minute
const readMs = 3 * minute

/** A limit as it was for a while, on the service clock. */
interface Version {
  readonly data: Data
  readonly isActive: boolean
  readonly from: number
  until: number
}

interface Taken {
  readonly id: string
  readonly subjects: Readonly<Record<string, string | null>>
  readonly words: ReadonlyArray<string>
  /** Minor units of a stablecoin: they are worth the same. */
  readonly amount: bigint
  readonly at: number
  /** The limits that count it, and those that may. */
  readonly certain: Set<string>
  readonly possible: Set<string>
  given_back: number | null
}

/** An attempt to pay out, as a call made it. */
export interface PayoutAttempt {
  readonly kind: string
  readonly subjects: Taken["subjects"]
  readonly amount: bigint
  /** The service clock at the earliest and at the latest decision about it. */
  readonly from: number
  readonly until: number
}

const zones: Readonly<Record<string, number>> = { UTC: 0, "Africa/Lagos": hour }
const rollings: Readonly<Record<string, number>> = { PT6H: 6 * hour, P1D: day, P3D: 3 * day }
const stablecoins: ReadonlySet<string> = new Set(["USDC", "USDT"])

/** Finds the bucket of a counter to which an act adds. */
const findBucket = (window: Data, at: number): number => {
  const rolling = window["rolling"] as string | undefined
  if (rolling !== undefined) return Math.floor(at / Math.ceil(rollings[rolling]! / 60))
  const offset = zones[window["time_zone"]]!
  const local = new Date(at + offset)
  const first = window["calendar"] === "month" ? 1 : local.getUTCDate()
  return Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), first) - offset
}

/**
 * Whether an act counts towards the usage of a window at a time. `exactly`: by the exact length of a rolling window; otherwise by
 * the longest time that its stored parts may cover.
 */
const isInWindow = (window: Data, act: number, at: number, exactly: boolean): boolean => {
  const length = rollings[window["rolling"] as string]
  if (length === undefined) return findBucket(window, act) === findBucket(window, at)
  return act > at - (exactly ? length : Math.ceil(length * (1 + 2 / 60)))
}

export class ModelLimits {
  readonly #versions = new Map<string, Array<Version>>()
  readonly #taken: Array<Taken> = []
  readonly #byId = new Map<string, Taken>()
  readonly #wrong: (what: string) => void

  constructor(wrong: (what: string) => void) {
    this.#wrong = wrong
  }

  /** A limit was made or changed. */
  limited({ data, id, state }: RowWrite, at: number): void {
    const { operations } = data as Data
    if (!operations.every((word: string) => ["payout", "transfer", "offramp"].includes(word))) return
    const versions = this.#versions.get(id) ?? []
    this.#versions.set(id, versions)
    for (const version of versions) version.until = Math.min(version.until, at)
    versions.push({ data: data as Data, isActive: state === "active", from: at, until: Infinity })
  }

  /** The versions that a decision may have used. */
  #between(id: string, from: number, until: number): ReadonlyArray<Version> {
    return this.#versions.get(id)!.filter((version) => version.from <= until && version.until > from)
  }

  /** A payout was made. `at`: when its Change was committed. */
  begun(made: Movement, { created_at, customer_id, data, id, merchant_id, kind }: RowWrite, at: number): void {
    if ((kind !== "transfer" && kind !== "offramp") || !stablecoins.has(made.currency)) return
    const { beneficiary_id, wallet_id } = data as Data
    const taken: Taken = {
      id,
      subjects: {
        platform: "platform",
        merchant: merchant_id,
        customer: customer_id ?? null,
        wallet: wallet_id,
        beneficiary: beneficiary_id
      },
      words: [kind, "payout"],
      amount: made.amount,
      at: created_at,
      certain: new Set(),
      possible: new Set(),
      given_back: null
    }
    this.#taken.push(taken)
    this.#byId.set(id, taken)
    for (const limit of this.#versions.keys()) {
      const versions = this.#between(limit, created_at - knownMs, at + readMs)
      const before = this.#versions.get(limit)![0]!.from > created_at - knownMs
      if (!versions.some(({ isActive }) => isActive) || this.#subject(versions[0]!, taken) === undefined) continue
      taken.possible.add(limit)
      if (before || !versions.every(({ isActive }) => isActive)) continue
      taken.certain.add(limit)
      for (const sort of ["amount", "count"] as const) this.#kept(limit, versions, taken, sort)
    }
  }

  /** What an act counts to. `undefined`: the limit does not cover it. */
  #subject({ data }: Version, { subjects, words }: Pick<Taken, "subjects" | "words">): string | undefined {
    const { operations, scope, scope_id } = data
    const subject = subjects[scope] ?? undefined
    const isNamed = scope_id === null || scope_id === subject
    return isNamed && operations.some((word: string) => words.includes(word)) ? subject : undefined
  }

  #maximum({ data }: Version, sort: "amount" | "count"): bigint | undefined {
    const max = sort === "amount" ? data["max_amount"] : data["max_count"]
    return max === null ? undefined : BigInt(max)
  }

  #counted(limit: string, version: Version, of: Pick<Taken, "subjects" | "words">, which: "certain" | "possible") {
    const subject = this.#subject(version, of)
    return this.#taken.filter((one) => one[which].has(limit) && this.#subject(version, one) === subject)
  }

  #kept(limit: string, versions: ReadonlyArray<Version>, taken: Taken, sort: "amount" | "count"): void {
    const maxima = versions.map((version) => this.#maximum(version, sort))
    const max = maxima.reduce((a, b) => (a === undefined || b === undefined ? undefined : a > b ? a : b))
    if (max === undefined) return
    const { window } = versions[0]!.data
    const sum =
      window === "movement"
        ? [taken]
        : this.#counted(limit, versions[0]!, taken, "certain").filter(
            ({ at, given_back }) => given_back === null && isInWindow(window, at, taken.at, true)
          )
    const used = sum.reduce((sum, { amount }) => sum + (sort === "count" ? 1n : amount), 0n)
    if (used > max) this.#wrong(`${taken.id} passes ${limit}: ${used} (${sort}) of ${max} are used`)
  }

  /** Nothing of a payout has moved, or ever will. */
  ended(id: string, at: number): void {
    const taken = this.#byId.get(id)
    if (taken !== undefined) taken.given_back ??= at
  }

  /** A payout was refused by a limit: there was no room for it. */
  refused(message: string, { amount, from, kind, subjects, until }: PayoutAttempt): void {
    const limit = /^The limit (lim_\w+) (?:allows|of the platform)/.exec(message)?.[1] ?? ""
    if (!this.#versions.has(limit)) return this.#wrong(`a payout was refused by ${limit}, which limits none`)
    const versions = this.#between(limit, from - knownMs, until + readMs).filter(({ isActive }) => isActive)
    const of = { subjects, words: [kind, "payout"] }
    const [version] = versions
    if (version === undefined || this.#subject(version, of) === undefined)
      return this.#wrong(`a ${kind} was refused by ${limit}, which did not cover it`)
    const { window } = version.data
    const used =
      window === "movement"
        ? []
        : this.#counted(limit, version, of, "possible").filter(
            ({ at, given_back }) =>
              (given_back === null || given_back >= from) &&
              (isInWindow(window, at, from, false) ||
                isInWindow(window, at, until, false) ||
                (at > from && at <= until))
          )
    const isFull = (["amount", "count"] as const).some((sort) => {
      const maxima = versions.flatMap((one) => this.#maximum(one, sort) ?? [])
      const sum = used.reduce(
        (sum, { amount }) => sum + (sort === "count" ? 1n : amount),
        sort === "count" ? 1n : amount
      )
      return maxima.some((max) => sum > max)
    })
    if (!isFull) this.#wrong(`a ${kind} of ${amount} was refused, but there was room for it: ${message}`)
  }

  /** The counters to compare at the end. */
  keys(): ReadonlyArray<string> {
    return [...this.#versions].flatMap(([limit, [version]]) => {
      const of = new Set(this.#taken.flatMap((one) => this.#subject(version!, one) ?? []))
      return [...of].flatMap((subject) => ["amount", "count"].map((sort) => `${limit}/${subject}/${sort}`))
    })
  }

  /** How a counter differs from the payouts that count. Those of an uncertain payout are left out. */
  differing({ amounts, key }: StoredCounter): ReadonlyArray<string> {
    const [limit = "", subject, sort] = key.split("/")
    const [version] = this.#versions.get(limit) ?? []
    if (version === undefined) return []
    const own = this.#taken.filter((one) => one.possible.has(limit) && this.#subject(version, one) === subject)
    return amounts.flatMap(({ amount, bucket }) => {
      const counted = own.filter(({ at }) => findBucket(version.data["window"], at) === bucket)
      if (counted.some(({ certain }) => !certain.has(limit))) return []
      const left = counted.filter(({ given_back }) => given_back === null)
      const due = left.reduce((sum, one) => sum + (sort === "count" ? 1n : one.amount), 0n)
      return BigInt(amount) === due ? [] : [`${key} has counted ${amount} in ${bucket}, not ${due}`]
    })
  }
}
