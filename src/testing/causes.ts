/** What made a commit: the keys and leases of Changes, traced back to what was told at the ports. */
import type { SubmissionResult, ProviderEvent, CommandStatus } from "../engine/ports/Provider.ts"
import type { Change, Job } from "../engine/ports/Storage.ts"
import { garbledMark } from "./rude.ts"
import type { Process } from "./timeline.ts"

/** `null`: the provider gave no answer. `since`: when the event was first told, milliseconds of the world. */
export type Cause =
  | { readonly _tag: "begun"; readonly id: string }
  | { readonly _tag: "expired"; readonly id: string }
  | { readonly _tag: "answer"; readonly id: string; readonly attempt: number; readonly answer: SubmissionResult | null }
  | { readonly _tag: "standing"; readonly id: string; readonly standing: CommandStatus | null }
  | { readonly _tag: "refund"; readonly id: string; readonly answer: SubmissionResult | null }
  | { readonly _tag: "event"; readonly event: ProviderEvent; readonly since: number }

/** After which a process has stopped waiting for an answer: what comes then is not heard. */
const waitedMs = 30_000

/** What an event says, without what may be told shorter when it is kept. */
export const contentOf = (event: ProviderEvent): string => {
  const { amount, cleared, outcome, payin_id, stage, target } = event as unknown as Readonly<Record<string, unknown>>
  const name = typeof target === "string" ? target.trim() : target
  return JSON.stringify([amount, cleared, outcome, payin_id, stage, name])
}

export class Causes {
  readonly #jobs = new Map<string, Job>()
  /** When a job was last claimed: the provider is not asked before. */
  readonly #since = new Map<string, number>()
  readonly #answers = new Map<string, SubmissionResult | null>()
  readonly #looks = new Map<string, CommandStatus | null>()
  readonly #refunds = new Map<string, SubmissionResult | null>()
  readonly #events = new Map<string, { readonly event: ProviderEvent; readonly since: number }>()
  /** Those that another merchant heard than the first one's. */
  readonly #apart = new Set<ProviderEvent>()
  /** By event: the merchant that heard it first. */
  readonly #heardBy = new Map<string, string>()
  /** Events under an id that was used for another. */
  readonly reused = new Set<ProviderEvent>()
  /** Commands the provider was asked to carry out. */
  readonly commands = new Set<string>()
  /** Movements of which the provider was made to say what did not follow from what it was asked. */
  readonly strayed = new Set<string>()

  claimed(jobs: ReadonlyArray<Job>, now: number): void {
    for (const job of jobs) {
      this.#jobs.set(`${job.merchant_id} ${job.id} ${job.lease}`, job)
      this.#since.set(job.id, now)
    }
  }

  answered(command: string, attempt: number, answer: SubmissionResult | null): void {
    this.commands.add(command)
    this.#answers.set(`${command} ${attempt}`, answer)
  }

  looked(process: Process, command: string, standing: CommandStatus | null): void {
    this.#looks.set(`${process.name} ${command}`, standing)
  }

  refunded(process: Process, command: string, answer: SubmissionResult | null): void {
    this.#refunds.set(`${process.name} ${command}`, answer)
  }

  spoken(event: ProviderEvent, own: boolean, now: number): void {
    if (event.event_id.endsWith(garbledMark)) return
    const first = this.#events.get(event.event_id)?.event
    if (first === undefined) this.#events.set(event.event_id, { event, since: now })
    // What comes under the id of an event that was heard is not heard.
    else if (contentOf(first) !== contentOf(event) && !this.#apart.has(event)) this.reused.add(event)
    // A provider that says it dropped what it then pays contradicts itself (the magic ending 0008 does, out of order).
    if (event._tag === "movement" && (!own || event.outcome === "temporarily_unavailable"))
      this.strayed.add(event.resource_id)
  }

  /** An id is its merchant's: under that of an event which another merchant has heard, the other event is heard. */
  #heardAs(first: ProviderEvent, { merchant_id }: Change): ProviderEvent {
    const { event_id } = first
    const by = this.#heardBy.get(event_id) ?? merchant_id
    this.#heardBy.set(event_id, by)
    const other = by === merchant_id ? undefined : [...this.reused].find((event) => event.event_id === event_id)
    if (other === undefined) return first
    this.reused.delete(other)
    this.#apart.add(other)
    return other
  }

  /** Whether a process may have waited for an answer until it gave up, and says so: it stood still, and the answer was late. */
  #gaveUp(command: string, change: Change, now: number): boolean {
    return (
      now - (this.#since.get(command) ?? now) >= waitedMs && change.rows.some(({ via }) => via === "provider.unknown")
    )
  }

  /** `undefined`: an operation, or nothing that moves anything. */
  of(process: Process, change: Change, now: number): Cause | undefined {
    const key = change.once?.key ?? ""
    const answer = /^answer\/((\w+)\.payout)\/(\d+)$/.exec(key)
    if (answer !== null) {
      const [, command = "", id = "", attempt] = answer
      const told = this.#gaveUp(command, change, now) ? undefined : this.#answers.get(`${command} ${attempt}`)
      return {
        _tag: "answer",
        id,
        attempt: Number(attempt),
        answer: told ?? null
      }
    }
    const [, event_id = ""] = /^provider\/[^/]+\/(.*)$/.exec(key) ?? []
    const told = this.#events.get(event_id)
    if (told !== undefined) return { _tag: "event", ...told, event: this.#heardAs(told.event, change) }
    const job = change.lease && this.#jobs.get(`${change.merchant_id} ${change.lease.job} ${change.lease.token}`)
    return job === undefined ? undefined : this.#worked(process, change, job, now)
  }

  #worked(process: Process, change: Change, job: Job, now: number): Cause | undefined {
    const { name, operation } = job.body
    const id = String(job.body["id"])
    if (job.queue === "timer") return name === "quote_expiry" ? { _tag: "expired", id } : undefined
    const again = change.jobs.find((one) => one.id === job.id)
    switch (operation) {
      case "submit":
        return again?.body["operation"] === "submit" ? undefined : { _tag: "begun", id }
      case "lookup":
        return {
          _tag: "standing",
          id,
          standing: this.#gaveUp(job.id, change, now) ? null : (this.#looks.get(`${process.name} ${job.id}`) ?? null)
        }
      case "refund":
        return again === undefined
          ? { _tag: "refund", id, answer: this.#refunds.get(`${process.name} ${job.id}`) ?? null }
          : undefined
      default:
        return undefined
    }
  }
}
