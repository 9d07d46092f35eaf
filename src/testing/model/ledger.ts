/**
 * The auditor's ledger: it sums every posting apart from the store, and checks the invariants of the sums after every
 * commit.
 */
import type { Change, Row, RowWrite, Storage } from "../../engine/ports/Storage.ts"
import { Effect, Exit, Fiber } from "effect"

/** Classes of accounts that never go below zero. */
const floored = new Set(["available", "reserved", "held", "credential"])

export const readClass = (account: string): string => account.split(":", 1)[0]!

/** Makes the key of a balance: `merchant account currency`, as one text. */
export const balanceKey = (merchant: string, account: string, currency: string): string =>
  `${merchant} ${account} ${currency}`

export const addToSum = <K>(map: Map<K, bigint>, key: K, amount: bigint): void => {
  const sum = (map.get(key) ?? 0n) + amount
  if (sum === 0n) map.delete(key)
  else map.set(key, sum)
}

/** Makes the key of a row. An access grant belongs to one merchant, but several merchants share its id. */
export const rowKey = ({ id, kind, merchant_id }: Pick<Row, "id" | "kind" | "merchant_id">): string =>
  kind === "access_grant" ? `${kind} ${merchant_id} ${id}` : `${kind} ${id}`

type Data = Readonly<Record<string, unknown>>

/** Money that a resource has reserved: the account and the amount. */
export interface ModelClaim {
  readonly key: string
  readonly amount: bigint
}

const readText = (data: Data, name: string): string => String(data[name])

/** The states in which movements and deposits reserve or hold money. */
export const setAsideStates = ["queued", "created", "approving", "held"] as const

/** Finds what a resource reserves or holds in its state. */
export const findSetAside = ({ merchant_id, kind, state, data: raw }: Row): ModelClaim | undefined => {
  const data = raw as Data
  const of = (account: string, amount: string, currency: string): ModelClaim => ({
    key: balanceKey(merchant_id, account, currency),
    amount: BigInt(amount)
  })
  switch (kind) {
    case "transfer":
      return state === "queued" || state === "approving"
        ? of(`reserved:${readText(data, "wallet_id")}`, readText(data, "amount"), readText(data, "currency"))
        : undefined
    case "offramp":
      return state === "created" || state === "approving"
        ? of(
            `reserved:${readText(data, "wallet_id")}`,
            readText(data, "source_amount"),
            readText(data, "source_currency")
          )
        : undefined
    case "conversion": {
      const owner = readText(data, "source_account").split(":")[1]!
      return state === "created"
        ? of(`reserved:${owner}`, readText(data, "source_amount"), readText(data, "source_currency"))
        : undefined
    }
    case "deposit": {
      const owner = data["exchange"] === undefined ? readText(data, "wallet_id") : readText(data, "source_id")
      return state === "held" ? of(`held:${owner}`, readText(data, "amount"), readText(data, "currency")) : undefined
    }
    case "exception":
      // A recall is open again when its money was paid out, or booked, before.
      return data["amount"] !== null && (data["gone"] ?? null) === null && state !== "resolved"
        ? of("suspense", readText(data, "amount"), readText(data, "currency"))
        : undefined
    case "adjusting_entry": {
      // That of an exception moves what the exception has set aside.
      const sign = data["from"] === "suspense" ? "-" : data["to"] === "suspense" ? "" : undefined
      return data["exception_id"] === null && sign !== undefined
        ? of("suspense", `${sign}${readText(data, "amount")}`, readText(data, "currency"))
        : undefined
    }
    default:
      return undefined
  }
}

/**
 * What opens an exception that had ended: an entry is reversed, or of a recalled pay-in more is paid out, or found not to be, or it is
 * confirmed again, or recalled again.
 */
const reopening = new Set(["reopened", "exposed", "kept", "payin.confirmed", "payin.failed"])

/** States of a movement that a provider has, or may have. */
const withProvider = new Set(["submitting", "unknown", "waiting", "rerouted"])

/** Terminal statuses. Only the success of an offramp can still change. */
export const terminal: Readonly<Record<string, ReadonlyArray<string>>> = {
  transfer: ["success", "failed"],
  offramp: ["success", "failed", "returned"],
  onramp: ["success", "failed", "returned"],
  conversion: ["success", "failed", "returned"],
  deposit: ["confirmed", "failed", "received", "credited"],
  exception: ["resolved"],
  quote: ["executed"],
  verification: ["approved", "rejected"],
  access_request: ["rejected", "revoked"],
  api_key: ["revoked"],
  webhook_endpoint: ["deleted"]
}

/** Reads the status of a resource; its state, if the shown status is less detailed. */
export const readStatus = ({ kind, state, status }: Pick<Row, "kind" | "state" | "status">): string =>
  kind === "deposit" || kind === "exception" ? state : status

export const isTerminalRow = (row: Pick<Row, "kind" | "state" | "status">): boolean =>
  terminal[row.kind]?.includes(readStatus(row)) === true

/** Runs a query on the store itself, synchronously if the store allows it. */
export const queryStore = <A, E>(question: Effect.Effect<A, E>, then: (answer: A) => void): void | Promise<void> => {
  const fiber = Effect.runFork(question)
  const ended = (exit: Exit.Exit<A, E>): void => {
    if (Exit.isSuccess(exit)) then(exit.value)
  }
  const exit = fiber.pollUnsafe()
  return exit === undefined ? Effect.runPromise(Fiber.await(fiber)).then(ended) : ended(exit)
}

export class Ledger {
  readonly #wrong: (what: string) => void
  readonly balances = new Map<string, bigint>()
  readonly rows = new Map<string, RowWrite>()
  /** By account: the sum that resources have reserved there. */
  readonly #claims = new Map<string, bigint>()
  readonly #claimOf = new Map<string, ModelClaim>()
  /** By resource and currency: its balance in each clearing account. */
  readonly #clearing = new Map<string, Map<string, bigint>>()
  readonly #aside = new Map<string, Map<string, bigint>>()
  /** By pay-in: the amount that it brought in, and the resources that it funded. */
  readonly #brought = new Map<string, { amount: bigint; readonly by: Set<string>; reported: bigint }>()
  /** By pay-in: what was refunded and did not come back. */
  readonly #sentBack = new Map<string, bigint>()
  /** Pay-ins whose refunds this Change books. */
  readonly #refunded = new Set<string>()

  constructor(wrong: (what: string) => void) {
    this.#wrong = wrong
  }

  balance(merchant: string, account: string, currency: string): bigint {
    return this.balances.get(balanceKey(merchant, account, currency)) ?? 0n
  }

  /** Adds a Change to the ledger and checks it. */
  enter(change: Change, store: Storage["Service"]): void | Promise<void> {
    const touched = new Set<string>()
    const accounts = new Set<string>()
    for (const row of change.rows) this.#row(row, touched)
    for (const { amount, credit, currency, debit, resource_id } of change.postings) {
      if (!/^[1-9]\d*$/.test(amount)) this.#wrong(`a posting of ${amount} ${currency} by ${resource_id}`)
      if (debit === credit) this.#wrong(`a posting from ${debit} to itself by ${resource_id}`)
      const value = BigInt(amount)
      for (const [account, by] of [
        [debit, -value],
        [credit, value]
      ] as const) {
        const key = balanceKey(change.merchant_id, account, currency)
        addToSum(this.balances, key, by)
        touched.add(key)
        const kind = readClass(account)
        if (floored.has(kind)) accounts.add(account)
        if (kind === "suspense" || kind === "losses") this.#putAside(resource_id, `${kind} ${currency}`, by)
        if (kind === "clearing") this.#clear(`${resource_id} ${currency}`, account, by)
        if (account === "world") this.#wrong(`${resource_id} posts to ${account}, which names no provider`)
      }
      if (readClass(debit) === "world") this.#bring(resource_id, value)
      if (readClass(credit) === "world") this.#bring(resource_id, -value)
    }
    for (const payin of this.#refunded) {
      const left = this.#sentBack.get(payin) ?? 0n
      if (left < 0n) this.#wrong(`refunds of pay-in ${payin} came back with ${-left} more than was refunded`)
    }
    this.#refunded.clear()
    for (const key of touched) this.#account(key)
    for (const row of change.rows) this.#cleared(row)
    if (accounts.size === 0) return
    return queryStore(store.accounts(change.merchant_id, [...accounts]), (kept) => {
      for (const { account, balance, currency } of kept)
        if (BigInt(balance) !== this.balance(change.merchant_id, account, currency))
          this.#wrong(
            `${account} holds ${balance} ${currency} in the store, but its postings sum to ${this.balance(change.merchant_id, account, currency)}`
          )
    })
  }

  #row(row: RowWrite, touched: Set<string>): void {
    const key = rowKey(row)
    const before = this.rows.get(key)
    if (row.version !== (before?.version ?? 0) + 1)
      this.#wrong(`${row.id} was written at version ${row.version} over ${before?.version ?? 0}`)
    if (row.from !== (before?.state ?? null))
      this.#wrong(`${row.id} records a transition from ${row.from}, but its state was ${before?.state}`)
    if (before !== undefined && isTerminalRow(before) && readStatus(before) !== readStatus(row)) {
      const returned = row.kind === "offramp" && before.status === "success" && row.status === "returned"
      const reopened = row.kind === "exception" && before.status === "resolved" && reopening.has(row.via)
      if (!returned && !reopened)
        this.#wrong(`${row.id} left the terminal status ${readStatus(before)} for ${readStatus(row)}`)
    }
    this.rows.set(key, row)
    const had = this.#claimOf.get(key)
    const has = findSetAside(row)
    if (had !== undefined) {
      addToSum(this.#claims, had.key, -had.amount)
      touched.add(had.key)
      this.#claimOf.delete(key)
    }
    if (has !== undefined) {
      addToSum(this.#claims, has.key, has.amount)
      touched.add(has.key)
      this.#claimOf.set(key, has)
    }
  }

  #account(key: string): void {
    const balance = this.balances.get(key) ?? 0n
    const [, account = "", currency] = key.split(" ")
    const kind = readClass(account)
    if (floored.has(kind) && balance < 0n) this.#wrong(`${account} is negative: ${balance} ${currency}`)
    if (kind === "reserved" || kind === "held" || kind === "suspense") {
      const claimed = this.#claims.get(key) ?? 0n
      if (claimed !== balance)
        this.#wrong(`${account} holds ${balance} ${currency}, but its open resources sum to ${claimed}`)
    }
  }

  #putAside(resource_id: string, key: string, by: bigint): void {
    const sums = this.#aside.get(resource_id) ?? new Map<string, bigint>()
    addToSum(sums, key, by)
    this.#aside.set(resource_id, sums)
  }

  /** What a resource has posted to suspense and losses, by class and currency. */
  aside(resource_id: string): ReadonlyMap<string, bigint> {
    return this.#aside.get(resource_id) ?? new Map()
  }

  #clear(key: string, account: string, by: bigint): void {
    const left = this.#clearing.get(key) ?? new Map<string, bigint>()
    addToSum(left, account, by)
    if (left.size === 0) this.#clearing.delete(key)
    else this.#clearing.set(key, left)
  }

  /**
   * A movement that has ended leaves nothing in clearing, and no movement takes more out of a provider's clearing account
   * than it put in. While a provider has a movement, the money is in its account and in no other.
   */
  #cleared(row: RowWrite): void {
    const data = row.data as Data
    for (const name of ["currency", "source_currency"]) {
      const currency = data[name]
      if (typeof currency !== "string") continue
      for (const [account, left] of this.#clearing.get(`${row.id} ${currency}`) ?? []) {
        if (isTerminalRow(row)) this.#wrong(`${row.id} is ${row.status} with ${left} ${currency} in ${account}`)
        if (left < 0n) this.#wrong(`${row.id} took ${-left} ${currency} more out of ${account} than it put in`)
        if (withProvider.has(row.state) && account !== `clearing:${readText(data, "provider")}`)
          this.#wrong(`${row.id} is with ${readText(data, "provider")}, but has ${left} ${currency} in ${account}`)
      }
    }
  }

  /**
   * Money from outside: a pay-in brings it in once. A pay-in may be booked after it was taken back, and a refunded
   * pay-in has been booked before: it comes back only if its refund bounces, and then no more than went out. What was dismissed of
   * a pay-in that had failed comes in with it when it is confirmed again, whatever had it.
   */
  #bring(resource_id: string, amount: bigint): void {
    for (const kind of ["deposit", "onramp", "exception"]) {
      const row = this.rows.get(`${kind} ${resource_id}`)
      const data = row?.data as Data | undefined
      const isPayin = row?.via === "payin.confirmed"
      const bounced = data?.["reason"] === "refund_bounced" && amount > 0n && !isPayin
      // What a refund did not bring to the payer has not gone out, until parts of it do: when they come, or when another refund of it,
      // under which they came, is rejected.
      const byParts = row?.via === "part" || row?.via === "refund.rejected"
      const short = data?.["reason"] === "partial_refund" && ((amount > 0n && !isPayin) || byParts)
      if (row !== undefined && (row.via === "refund.accepted" || bounced || short)) {
        const payin = String(data?.["payin_id"])
        this.#sentBack.set(payin, (this.#sentBack.get(payin) ?? 0n) - amount)
        this.#refunded.add(payin)
        return
      }
      if (amount < 0n && row?.via !== "payin.failed" && row?.via !== "resolve") continue
      const payin = data?.["payin_id"]
      if (typeof payin !== "string") continue
      const brought = this.#brought.get(payin) ?? { amount: 0n, by: new Set(), reported: 0n }
      brought.amount += amount
      brought.by.add(resource_id)
      this.#brought.set(payin, brought)
      const reported = BigInt(String(data?.["funded_amount"] ?? data?.["amount"]))
      // What came back of its refund in part may be credited for itself: that is less than came.
      if (reported > brought.reported) brought.reported = reported
      if (amount > 0n && brought.amount > brought.reported)
        this.#wrong(
          `pay-in ${payin} of ${brought.reported} was credited ${brought.amount}, by ${[...brought.by].join(" and ")}`
        )
      return
    }
  }

  /** At the end: in every currency, all accounts sum to zero, and every clearing balance belongs to a movement. */
  close(): void {
    const sums = new Map<string, bigint>()
    for (const [key, balance] of this.balances) {
      const [, account = "", currency = ""] = key.split(" ")
      addToSum(sums, currency, balance)
      if (
        readClass(account) === "clearing" &&
        ![...this.#clearing.keys()].some((open) => open.endsWith(` ${currency}`))
      )
        this.#wrong(`${account} holds ${balance} ${currency} that belongs to no movement`)
    }
    for (const [currency, sum] of sums) this.#wrong(`the ledger in ${currency} is off by ${sum}`)
  }
}
