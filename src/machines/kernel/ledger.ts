/**
 * Double-entry bookkeeping: postings, the classes of account, and the law that every store keeps.
 *
 * The balance of an account is its credits less its debits. A customer's account is therefore positive when the
 * platform owes the customer. `world` and `fx` may be positive or negative. Every account belongs to one merchant.
 */
import { type Minor, toMinorUnits } from "./money.ts"

/**
 * The classes of account. An account id is `class:owner` (`available:wal_…`, `clearing:simulated`), or the class alone
 * (`fees`) where a merchant has one account of the class.
 *
 * - `available`, `reserved`, `held`: a wallet's money: spendable, set aside for a movement, or withheld for review.
 * - `credential`: the balance of a cross-currency wallet credential before conversion.
 * - `clearing`: money handed to a provider whose outcome is not known yet. Zero for every ended movement.
 * - `world`: everything outside the platform, by the provider through which it comes and goes. `fx`: the platform's side of a
 *   conversion. `fees`, `rounding`: the platform's income.
 * - `suspense`: money whose owner an operator must decide.
 * - `losses`: what the platform paid and did not get back. Its balance is negative. It has no owner, so that it is not
 *   in suspense, where it would hide the money of others.
 * - `costs`, `receivable`, `float`: what a provider charged the platform, what it owes the platform, and what the platform has put
 *   into its accounts with it. Only adjusting entries post there.
 */
type AccountClass =
  | "available"
  | "reserved"
  | "held"
  | "credential"
  | "clearing"
  | "world"
  | "fx"
  | "fees"
  | "rounding"
  | "suspense"
  | "losses"
  | "costs"
  | "receivable"
  | "float"

export type AccountId = `${AccountClass}:${string}` | AccountClass

/**
 * Classes whose accounts never go below zero. A store locks these accounts and keeps their balances; it only appends
 * postings to the others.
 */
export const guarded: ReadonlySet<string> = new Set<AccountClass>(["available", "reserved", "held", "credential"])

/** The class of an account: the part of its id before the first colon. */
export const classOf = (account: string): string => {
  const colon = account.indexOf(":")
  return colon < 0 ? account : account.slice(0, colon)
}

/** The owner of an account: the part of its id after the first colon. Empty for the platform's own accounts. */
export const ownerOf = (account: string): string => account.slice(classOf(account).length + 1)

export const isGuarded = (account: string): boolean => guarded.has(classOf(account))

export const available = (wallet: string): AccountId => `available:${wallet}`
export const reserved = (wallet: string): AccountId => `reserved:${wallet}`
export const held = (wallet: string): AccountId => `held:${wallet}`
export const credentialBalance = (credential: string): AccountId => `credential:${credential}`
export const clearing = (provider: string): AccountId => `clearing:${provider}`
export const world = (provider: string): AccountId => `world:${provider}`

/**
 * One movement of money between two accounts.
 *
 * Shapes: `amount` is a decimal integer string of minor units, > 0. It is a string because the data of a machine is
 * JSON.
 * Law: a posting has one currency; a conversion is two postings through `fx`.
 */
export interface Posting {
  readonly debit: AccountId
  readonly credit: AccountId
  readonly amount: string
  readonly currency: string
}

/** A posting of `amount`, or no posting when the amount is zero. Throws `RangeError` for a negative amount. */
export const makePosting = (
  debit: AccountId,
  credit: AccountId,
  amount: bigint | string,
  currency: string
): ReadonlyArray<Posting> => {
  const value = toMinorUnits(amount)
  if (value < 0n) throw new RangeError(`a posting must not be negative: ${value} ${currency}`)
  return value === 0n ? [] : [{ debit, credit, amount: value.toString(), currency }]
}

/** Makes the postings that take these back, in the opposite order. */
export const reversePostings = (postings: ReadonlyArray<Posting>): ReadonlyArray<Posting> =>
  postings.toReversed().map((p) => ({ ...p, debit: p.credit, credit: p.debit }))

/** The key of one account in one currency. */
export const accountKey = (account: string, currency: string): string => `${account}/${currency}`

/**
 * The change that a set of postings makes to the balance of each account.
 *
 * Law: the values of one currency sum to zero. The postings of one Change are applied as one sum: their order inside
 * the Change does not matter, and a guarded account may be negative between two of them.
 */
export const sumChanges = (postings: ReadonlyArray<Posting>): Map<string, Minor> => {
  const sums = new Map<string, Minor>()
  const add = (account: string, currency: string, amount: bigint): void => {
    const key = accountKey(account, currency)
    sums.set(key, ((sums.get(key) ?? 0n) + amount) as Minor)
  }
  for (const p of postings) {
    const amount = toMinorUnits(p.amount)
    add(p.debit, p.currency, -amount)
    add(p.credit, p.currency, amount)
  }
  return sums
}
