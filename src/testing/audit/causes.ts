/** Finds the cause of a commit: traces the keys and leases of a Change back to calls and events at the ports. */
import type { SubmissionResult, ProviderEvent, CommandStatus } from "../../engine/ports/Provider.ts"
import type { Change, Job } from "../../engine/ports/Storage.ts"
import { isGarbled } from "../world/deviations.ts"
import type { SimulatedProcess } from "../world/virtual-time.ts"

/**
 * An `answer` or `commandStatus` of null: the provider did not respond. `since`: when the event was first reported, in
 * milliseconds of the simulation.
 */
export type Cause =
  | { readonly _tag: "begun"; readonly id: string }
  | { readonly _tag: "expired"; readonly id: string }
  | { readonly _tag: "answer"; readonly id: string; readonly attempt: number; readonly answer: SubmissionResult | null }
  | { readonly _tag: "command_status"; readonly id: string; readonly commandStatus: CommandStatus | null }
  | { readonly _tag: "refund"; readonly id: string; readonly answer: SubmissionResult | CommandStatus | null }
  | { readonly _tag: "event"; readonly event: ProviderEvent; readonly sender: string; readonly since: number }

/** Provider timeout of a process, in milliseconds. Later responses are ignored. */
const waitedMs = 30_000

/** Reads the content of an event as text, without the parts that may be shortened in storage. */
export const readEventContent = (event: ProviderEvent): string => {
  const { amount, cleared, outcome, payin_id, stage, target } = event as unknown as Readonly<Record<string, unknown>>
  const name = typeof target === "string" ? target.trim() : target
  return JSON.stringify([amount, cleared, outcome, payin_id, stage, name])
}

export class Causes {
  readonly #jobs = new Map<string, Job>()
  /** When a job was last claimed. The provider is not called earlier. */
  readonly #since = new Map<string, number>()
  readonly #answers = new Map<string, SubmissionResult | null>()
  readonly #looks = new Map<string, CommandStatus | null>()
  readonly #refunds = new Map<string, SubmissionResult | CommandStatus>()
  readonly #events = new Map<string, { readonly event: ProviderEvent; readonly since: number }>()
  /** Events that a different merchant handled than the first one under their id. */
  readonly #apart = new Set<ProviderEvent>()
  /** By event id: the merchant that handled it first. */
  readonly #handledBy = new Map<string, string>()
  /** Events that reuse the id of another event. */
  readonly reused = new Set<ProviderEvent>()
  /** The ids under which an unreadable event was sent. */
  readonly garbled = new Set<string>()
  /** Commands that were submitted to the provider. */
  readonly commands = new Set<string>()
  /** Movements for which the provider was made to report an outcome that does not follow from its commands. */
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

  looked(process: SimulatedProcess, command: string, commandStatus: CommandStatus | null): void {
    this.#looks.set(`${process.name} ${command}`, commandStatus)
  }

  /** Keeps the results that can end a refund. */
  refunded(process: SimulatedProcess, command: string, answer: SubmissionResult | CommandStatus | null): void {
    if (answer?._tag === "settled" || answer?._tag === "rejected")
      this.#refunds.set(`${process.name} ${command}`, answer)
  }

  spoken(event: ProviderEvent, own: boolean, now: number): void {
    if (isGarbled(event)) {
      this.garbled.add(event.event_id)
      return
    }
    const first = this.#events.get(event.event_id)?.event
    if (first === undefined) this.#events.set(event.event_id, { event, since: now })
    // A different event under the id of a handled event is not handled.
    else if (readEventContent(first) !== readEventContent(event) && !this.#apart.has(event)) this.reused.add(event)
    // A provider that reports a drop and then pays contradicts itself. The magic ending 0008 does so, out of order.
    if (event._tag === "movement" && (!own || event.outcome === "temporarily_unavailable"))
      this.strayed.add(event.resource_id)
  }

  /**
   * Event ids are scoped to a merchant: when another merchant has handled the first event, this one's event is handled.
   */
  #handledAs(first: ProviderEvent, { merchant_id }: Change): ProviderEvent {
    const { event_id } = first
    const by = this.#handledBy.get(event_id) ?? merchant_id
    this.#handledBy.set(event_id, by)
    const other = by === merchant_id ? undefined : [...this.reused].find((event) => event.event_id === event_id)
    if (other === undefined) return first
    this.reused.delete(other)
    this.#apart.add(other)
    return other
  }

  /** Whether the process recorded a timeout: it was paused, so that the response came too late. */
  #gaveUp(command: string, change: Change, now: number): boolean {
    return (
      now - (this.#since.get(command) ?? now) >= waitedMs && change.rows.some(({ via }) => via === "provider.unknown")
    )
  }

  /** `undefined`: an operation, or a Change that moves nothing. */
  of(process: SimulatedProcess, change: Change, now: number): Cause | undefined {
    const key = change.idempotency?.key ?? ""
    const answer = /^answer\/((\w+)\.payout)\/(\d+)$/.exec(key)
    if (answer !== null) {
      const [, command = "", id = "", attempt] = answer
      const known = this.#gaveUp(command, change, now) ? undefined : this.#answers.get(`${command} ${attempt}`)
      return { _tag: "answer", id, attempt: Number(attempt), answer: known ?? null }
    }
    // The answer to a refund that was submitted: its job waits for the next look-up meanwhile, or goes with its end.
    const [, refund, of = ""] = /^answer\/((\w+)\.refund\w*)\//.exec(key) ?? []
    if (refund !== undefined)
      return change.rows.some((row) => row.id === of)
        ? { _tag: "refund", id: of, answer: this.#refunds.get(`${process.name} ${refund}`) ?? null }
        : undefined
    const [, sender = "", event_id = ""] = /^provider\/([^/]+)\/(.*)$/.exec(key) ?? []
    const known = this.#events.get(event_id)
    if (known !== undefined) return { _tag: "event", ...known, sender, event: this.#handledAs(known.event, change) }
    const job = change.lease && this.#jobs.get(`${change.merchant_id} ${change.lease.job} ${change.lease.token}`)
    return job === undefined ? undefined : this.#worked(process, change, job, now)
  }

  #worked(process: SimulatedProcess, change: Change, job: Job, now: number): Cause | undefined {
    const { name, operation } = job.body
    const id = String(job.body["id"])
    if (job.queue === "timer") return name === "quote_expiry" ? { _tag: "expired", id } : undefined
    const again = change.jobs.find(({ id }) => id === job.id)
    switch (operation) {
      case "submit":
        return again?.body["operation"] === "submit" ? undefined : { _tag: "begun", id }
      case "lookup":
        return {
          _tag: "command_status",
          id,
          commandStatus: this.#gaveUp(job.id, change, now)
            ? null
            : (this.#looks.get(`${process.name} ${job.id}`) ?? null)
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
