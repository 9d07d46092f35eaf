/**
 * Double entry: what a posting is, which accounts exist, and the law every store keeps.
 *
 * An account's balance is its credits less its debits. Customers' accounts are therefore positive when the platform owes
 * the customer; `world` and `fx` may stand on either side. Every account belongs to one merchant.
 */
import { type Minor, minorUnits } from "./money.ts"

/**
 * The classes of account. An account's id is `class:owner` (`available:wal_…`, `clearing:simulated`) or, where the
 * merchant has one of its kind, the class alone (`fees`).
 *
 * - `available`, `reserved`, `held`: a wallet's money, spendable, set aside for a movement, and withheld for review.
 * - `credential`: what stands on a cross-currency wallet credential before it is converted.
 * - `clearing`: money handed to a provider whose outcome is not known yet. Zero for every ended movement.
 * - `world`: everything outside the platform. `fx`: the platform's side of a conversion. `fees`, `rounding`: the platform's income.
 * - `suspense`: money whose owner a person must decide.
 */
export type AccountClass =
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

export type AccountId = `${AccountClass}:${string}` | AccountClass

/** Classes whose accounts never go below zero. A store locks them and keeps their balance; the rest are append-only. */
export const guarded: ReadonlySet<string> = new Set<AccountClass>(["available", "reserved", "held", "credential"])

/** The class an account id belongs to: the part before its first colon. */
export const classOf = (account: string): string => {
  const colon = account.indexOf(":")
  return colon < 0 ? account : account.slice(0, colon)
}

/** Whose account it is: what follows its first colon; empty for the platform's own. */
export const ownerOf = (account: string): string => account.slice(classOf(account).length + 1)

export const isGuarded = (account: string): boolean => guarded.has(classOf(account))

export const available = (wallet: string): AccountId => `available:${wallet}`
export const reserved = (wallet: string): AccountId => `reserved:${wallet}`
export const held = (wallet: string): AccountId => `held:${wallet}`
export const credentialBalance = (credential: string): AccountId => `credential:${credential}`
export const clearing = (provider: string): AccountId => `clearing:${provider}`

/**
 * One movement of money between two accounts.
 *
 * Shapes: `amount` is a decimal integer string of minor units, > 0 (JSON, so that machines can carry it).
 * Law: a posting has one currency; a conversion is two postings through `fx`.
 */
export interface Posting {
  readonly debit: AccountId
  readonly credit: AccountId
  readonly amount: string
  readonly currency: string
}

/** A posting of `amount`, or nothing when there is nothing to move. */
export const posting = (
  debit: AccountId,
  credit: AccountId,
  amount: bigint | string,
  currency: string
): ReadonlyArray<Posting> => {
  const value = minorUnits(amount)
  if (value < 0n) throw new RangeError(`a posting of ${value} ${currency}`)
  return value === 0n ? [] : [{ debit, credit, amount: value.toString(), currency }]
}

/** The postings that undo `postings`, in the opposite order. */
export const reversed = (postings: ReadonlyArray<Posting>): ReadonlyArray<Posting> =>
  postings.toReversed().map((p) => ({ ...p, debit: p.credit, credit: p.debit }))

/** The key of one account in one currency. */
export const accountKey = (account: string, currency: string): string => `${account}/${currency}`

/**
 * What a set of postings adds to each account.
 *
 * Law: the values of one currency sum to zero. Postings of one Change are applied as one sum, so their order inside the
 * Change does not matter and a guarded account may pass through a value it could not stop at.
 */
export const changesOf = (postings: ReadonlyArray<Posting>): Map<string, Minor> => {
  const sums = new Map<string, Minor>()
  const add = (account: string, currency: string, amount: bigint): void => {
    const key = accountKey(account, currency)
    sums.set(key, ((sums.get(key) ?? 0n) + amount) as Minor)
  }
  for (const p of postings) {
    const amount = minorUnits(p.amount)
    add(p.debit, p.currency, -amount)
    add(p.credit, p.currency, amount)
  }
  return sums
}
