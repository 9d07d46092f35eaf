/** The sentences of a timeline: each can be read alone, by a person who knows neither the code nor its states. */
import { classOf, ownerOf } from "../../../machines/kernel/ledger.ts"
import type { AwaitedPerson } from "../../ports/Provider.ts"
import { iso } from "../../ports/Time.ts"

/** Writes a name of the code as words: `deposit_address` is `deposit address`. A number is left as it is. */
export const toWords = (name: string): string => name.replaceAll(/_|\.(?!\d)/g, " ")

/** Formats a time of day in UTC, with its date unless it is the day of `now`. */
export const formatTime = (at: number, now: number): string => {
  const [date, time] = iso(at).split("T")
  return `${date === iso(now).slice(0, 10) ? "" : `on ${date} `}at ${time!.slice(0, 5)} UTC`
}

/** What each event of a machine means. `$` is the resource. */
const happened: Readonly<Record<string, string>> = {
  create: "$ was created.",
  reversal: "$ was created, because a payout was returned.",
  update: "$ was updated.",
  "payout.begun": "Corridor began to submit $ to the provider.",
  "payout.blocked": "$ was not submitted, because its beneficiary may not be paid.",
  "provider.unavailable": "The provider could not take $ now.",
  "provider.unknown": "The provider gave no definite answer about $.",
  "provider.pending": "The provider is still working on $.",
  "provider.absent": "The provider does not have $.",
  "provider.succeeded": "The provider reported that $ succeeded.",
  "provider.failed": "The provider reported that $ failed.",
  "provider.cancelled": "The provider reported that $ was cancelled.",
  "provider.reversed": "The provider reported that $ was reversed.",
  "provider.returned": "The provider reported that the money of $ was returned.",
  "provider.refund_failed": "The provider could not return the money of $.",
  "provider.issued": "The provider issued $.",
  "provider.screened": "The screening of $ was decided.",
  "provider.opened": "The customer opened $.",
  "provider.approved": "The provider approved $.",
  "provider.rejected": "The provider rejected $.",
  "customer.submitted": "The customer submitted $.",
  "refund.accepted": "The provider returned the money of $.",
  "refund.rejected": "The provider rejected the refund of $.",
  "payin.confirmed": "The payment for $ was confirmed.",
  "payin.failed": "The payment for $ failed.",
  "payin.applied": "The payment for $ was applied.",
  recalled: "The payment for $ was recalled.",
  kept: "The refund of the money that $ reports failed, so nothing is at risk.",
  exposed: "The money that $ reports is being paid out, so it is at risk.",
  funds_received: "The funds for $ arrived.",
  relieved: "A reason to hold $ no longer applies.",
  released: "$ was released.",
  release: "$ was released.",
  rejected: "$ was rejected.",
  reject: "$ was rejected.",
  approve: "$ was approved.",
  revoke: "$ was revoked.",
  execute: "$ was executed.",
  resolve: "$ was resolved.",
  adjusted: "$ ended with an adjusting entry.",
  reopened: "$ is open again, because its adjusting entry was reversed.",
  reversed: "$ was reversed.",
  credited: "The money of $ was credited.",
  freeze: "$ was frozen.",
  unfreeze: "$ was unfrozen.",
  disable: "$ was disabled.",
  suspend: "$ was suspended.",
  activate: "$ was activated.",
  deactivate: "$ was deactivated.",
  delete: "$ was deleted.",
  rotate: "The secret of $ was replaced.",
  "timer.quote_expiry": "The quote of $ expired.",
  "timer.link_expiry": "The link of $ expired."
}

/** Describes a transition, with the state that it led to if that changed. */
export const describeTransition = (kind: string, event: string, from: string | null, to: string): string => {
  const noun = toWords(kind)
  const text = (happened[event] ?? `$ received ${toWords(event)}.`).replaceAll("$", `the ${noun}`)
  const sentence = `${text[0]!.toUpperCase()}${text.slice(1)}`
  return from === null || from === to ? sentence : `${sentence} It is now ${toWords(to)}.`
}

const places: Readonly<Record<string, string>> = {
  available: "the available balance of",
  reserved: "the reserved balance of",
  held: "the held balance of",
  credential: "the balance of",
  clearing: "clearing at",
  world: "the outside, through",
  costs: "the costs of",
  receivable: "the receivables at",
  float: "the float at"
}

const platformPlaces: Readonly<Record<string, string>> = {
  world: "the outside",
  fx: "currency exchange",
  fees: "fees",
  rounding: "rounding",
  suspense: "suspense",
  losses: "the platform's losses",
  platform: "the platform"
}

/** Describes an account: "the available balance of wal_…", "clearing at simulated". */
export const describeAccount = (account: string): string => {
  const owner = ownerOf(account)
  const name = classOf(account)
  return owner === "" ? (platformPlaces[name] ?? account) : `${places[name] ?? name} ${owner}`
}

export const describePosting = (amount: string, currency: string, debit: string, credit: string): string =>
  `${amount} ${currency} moved from ${describeAccount(debit)} to ${describeAccount(credit)}.`

export const describeRequest = (
  who: "operator" | "key" | "unknown",
  operation: string | null,
  name: string
): string => {
  const what = operation === null ? "made a request" : `called ${operation}`
  switch (who) {
    case "operator":
      return name === "operator" ? `An operator ${what}.` : `The operator ${name} ${what}.`
    case "key":
      return `The API key ${name} ${what}.`
    case "unknown":
      return `The merchant ${what}.`
  }
}

const operations: Readonly<Record<string, string>> = {
  submit: "the submission",
  lookup: "the look-up",
  refund: "the refund",
  lookup_refund: "the look-up of the refund",
  issue: "the request for details to pay to",
  verify: "the look-up of the verification",
  screen: "the screening",
  resolve_account: "the question for the account holder",
  resolve_proxy: "the question for the holder of the proxy",
  banks: "the question for its banks",
  instruct: "the request for payment instructions",
  start_verification: "the request for a verification link",
  price: "the question for a rate"
}

const parties: Readonly<Record<AwaitedPerson["party"], string>> = {
  operator: "a person of the platform",
  provider: "a person of the provider",
  customer: "the customer"
}

/** Names the person whom a command waits for, and the action of that person. */
export const describePerson = ({ action, party }: AwaitedPerson): string => `${parties[party]}, who must ${action}`

export const describeCall = (
  provider: string | null,
  operation: string,
  attempt: number,
  answer: string | null,
  latency_ms: number | null,
  awaited_person: AwaitedPerson | null = null
): string => {
  const what = `${operations[operation] ?? operation}${attempt > 1 ? `, attempt ${attempt}` : ""}`
  const name = provider ?? "the provider"
  const who = name.startsWith("the ") ? `T${name.slice(1)}` : name
  if (answer === null) return `${who} has no recorded answer to ${what}.`
  const after = latency_ms === null ? "" : ` after ${latency_ms} ms`
  const waits = awaited_person === null ? "" : ` It waits for ${describePerson(awaited_person)}.`
  return `${who} answered ${what}${after}: ${toWords(answer)}.${waits}`
}

export const describeProviderEvent = (provider: string, event: string): string =>
  `${provider} sent an event that was applied: ${toWords(event)}.`

export const describeTimer = (
  name: string,
  outcome: "armed" | "fired" | "cancelled",
  due_at: number | null,
  at: number
): string => {
  const timer = `The timer "${toWords(name)}"`
  if (outcome !== "armed") return outcome === "fired" ? `${timer} fired.` : `${timer} was cancelled.`
  return due_at === null ? `${timer} was set.` : `${timer} was set to fire ${formatTime(due_at, at)}.`
}

export const describeEvent = (event_type: string): string => `The event ${event_type} was published.`

interface DeliveryFacts {
  readonly event_type: string
  readonly url: string | null
  readonly attempt: number
  readonly error: string | null
  readonly status_code: number | null
  readonly outcome: "delivered" | "failed" | "retried" | "pending"
  readonly next_attempt_at: number | null
  readonly at: number
}

export const describeDelivery = (d: DeliveryFacts): string => {
  const where = d.url ?? "a deleted endpoint"
  const next = d.next_attempt_at === null ? "" : ` The next attempt is due ${formatTime(d.next_attempt_at, d.at)}.`
  switch (d.outcome) {
    case "pending":
      return `${d.event_type} waits to be delivered to ${where}.${next}`
    case "delivered":
      return `${d.event_type} was delivered to ${where}${d.attempt > 1 ? ` at attempt ${d.attempt}` : ""}.`
    case "retried":
    case "failed": {
      const why = d.status_code === null ? (d.error ?? "no answer") : `status ${d.status_code}`
      const last = d.outcome === "failed" ? " No attempt follows." : next
      return `Attempt ${d.attempt} to deliver ${d.event_type} to ${where} failed: ${why}.${last}`
    }
  }
}
