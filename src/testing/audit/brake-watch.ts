/**
 * Watches the pauses of a simulation: nothing begins to be submitted under one, what one stops waits and says so, and goes
 * on soon after the last one that covers it is released (BRAKE-1, BRAKE-2).
 */
import type { Change, ListQuery, RowWrite } from "../../engine/ports/Storage.ts"
import type { DrawnBrakeScope } from "../program/brakes.ts"
import type { Coverage } from "./coverage.ts"
import { movements } from "../program/kinds.ts"
import type { Ledger } from "../model/ledger.ts"
import type { Data } from "../model/orders.ts"
import { beginning, minute, type Op, second } from "../program/program.ts"
import type { SimulatedProcess, Timeline } from "../world/virtual-time.ts"

/** How long a submission may begin after the commit of a pause: a second until nodes know it, and what they had begun. */
const begunMs = 21 * second

/** How long work may wait after the last pause that covers it. Processes may be down for some of it. */
const releasedMs = 20 * minute

/** How long a list may be on its way. */
const listedMs = 5 * minute

/** A pause, with the time of its creation and of its release. The members that its scope does not use are null. */
interface Held {
  readonly scope: DrawnBrakeScope
  readonly provider: string | null
  readonly source_currency: string | null
  readonly destination_currency: string | null
  readonly merchant_id: string | null
  readonly since: number
  until: number
}

interface Stopped {
  readonly id: string
  /** The provider that it waits to be sent to. */
  readonly provider: string
  readonly since: number
}

export class BrakeWatch {
  timeline: Timeline | undefined
  readonly #ledger: Ledger
  readonly #coverage: Coverage
  readonly #wrong: (what: string) => void
  readonly #brakes = new Map<string, Held>()
  /** Jobs that a pause has stopped. */
  readonly #stopped = new Map<string, Stopped>()
  /** When a resource was last seen as stopped, after it went on. */
  readonly #wentOn = new Map<string, number>()
  /** When a process last failed to read the pauses, so that it uses those that it knows. */
  readonly #blind = new Map<string, number>()

  constructor(ledger: Ledger, coverage: Coverage, wrong: (what: string) => void) {
    this.#ledger = ledger
    this.#coverage = coverage
    this.#wrong = wrong
  }

  get #now(): number {
    return (this.timeline?.now ?? beginning) - beginning
  }

  #row(id: string): RowWrite | undefined {
    return [...movements, "deposit", "exception"]
      .map((kind) => this.#ledger.rows.get(`${kind} ${id}`))
      .find((row) => row !== undefined)
  }

  /** Whether a pause covers what a row sends out through a provider. */
  #covers(brake: Held, { data, merchant_id }: RowWrite, provider: string): boolean {
    const { currency, destination_currency = currency, source_currency = currency } = data as Data
    switch (brake.scope) {
      case "all":
        return true
      case "provider":
        return brake.provider === provider
      case "merchant":
        return brake.merchant_id === merchant_id
      case "corridor":
        return (
          [null, source_currency].includes(brake.source_currency) &&
          [null, destination_currency].includes(brake.destination_currency)
        )
    }
  }

  /** The pauses that cover a row and were active after a time. */
  #covering(row: RowWrite, provider: string, after: number): ReadonlyArray<Held> {
    return [...this.#brakes.values()].filter((brake) => brake.until > after && this.#covers(brake, row, provider))
  }

  unlisted(process: SimulatedProcess, { kinds }: ListQuery): void {
    if (kinds.includes("brake")) this.#blind.set(process.name, this.#now)
  }

  submitted(process: SimulatedProcess, provider: string, command: string): void {
    const row = this.#row(command.split(".")[0] ?? "")
    const now = this.#now
    if (row === undefined || now - (this.#blind.get(process.name) ?? -begunMs) < begunMs) return
    const brake = this.#covering(row, provider, now).find(({ since }) => now - since > begunMs)
    if (brake !== undefined)
      this.#wrong(
        `${command} was submitted to ${provider} (${row.state}), ${now - brake.since} ms after a brake of scope ${brake.scope}`
      )
  }

  /** Records the pauses, and the jobs that they stop, of a Change that the ledger has recorded. */
  committed({ cancels, jobs, lease, merchant_id, rows }: Change): void {
    for (const row of rows) if (row.kind === "brake") this.#braked(row)
    const gone = [...cancels, ...(lease === undefined ? [] : [lease.job])]
    for (const job of gone) if (!jobs.some(({ id }) => id === job)) this.#goesOn(`${merchant_id} ${job}`)
    for (const { body, id, queue } of jobs) {
      const key = `${merchant_id} ${id}`
      if ((queue as string) !== "paused") this.#goesOn(key)
      else if (!this.#stopped.has(key)) {
        const stopped = this.#stoppedBy(String(body["id"]), body["operation"] === "refund")
        this.#stopped.set(key, stopped)
      }
    }
  }

  #goesOn(key: string): void {
    const stopped = this.#stopped.get(key)
    if (stopped === undefined) return
    this.#stopped.delete(key)
    this.#wentOn.set(stopped.id, this.#now)
    this.#coverage.report("brake", "work goes on")
  }

  #braked({ data, id, state }: RowWrite): void {
    const known = this.#brakes.get(id)
    const now = this.#now
    if (state === "active") {
      this.#brakes.set(id, { ...(data as Held), since: now, until: Infinity })
      if ([...this.#brakes.values()].filter(({ until }) => until === Infinity).length > 1)
        this.#coverage.report("brake", "several at once")
    } else if (known !== undefined) {
      known.until = now
      this.timeline?.at(beginning + now + releasedMs + 1, () => this.#waits())
    }
  }

  /** Reports to the coverage which active pauses stop a command. All pay-ins and refunds belong to the simulated provider. */
  #stoppedBy(id: string, isRefund: boolean): Stopped {
    const row = this.#row(id)
    const { attempts = 0, provider: has } = (row?.data ?? {}) as Data
    const provider: string = isRefund ? "simulated" : (has ?? "simulated")
    const what = isRefund ? "stops a refund" : attempts > 0 ? "stops a resubmission" : "stops a submission"
    const covering = row === undefined ? [] : this.#covering(row, provider, this.#now)
    for (const { scope } of covering) this.#coverage.report(`brake ${scope}`, what)
    if (covering.length > 1) this.#coverage.report("brake", "several stop the same")
    return { id, provider, since: this.#now }
  }

  /** Whatever was stopped long ago is covered by a pause that is active, or was until now. */
  #waits(): void {
    const long = this.#now - releasedMs
    for (const { id, provider, since } of this.#stopped.values()) {
      const row = this.#row(id)
      if (row !== undefined && since < long && this.#covering(row, provider, long).length === 0)
        this.#wrong(`${id} (${row.state}) still waits for a brake, and none covers it`)
    }
  }

  /** Checks what `GET /operator/v1/stuck` shows of the work that is stopped. */
  listed(op: Op, { items, total }: Data): void {
    const now = this.#now
    const { older_than_seconds: older = 600 } = (op.args[0] ?? {}) as { readonly older_than_seconds?: number }
    const reasons = new Map<string, string>(items.map(({ id, reason }: Data) => [id, reason]))
    const stopped = new Map([...this.#stopped.values()].map(({ id, since }) => [id, since]))
    for (const [id, reason] of reasons)
      if (reason === "paused") {
        this.#coverage.report("brake", "is listed")
        if (!stopped.has(id) && now - (this.#wentOn.get(id) ?? -listedMs) >= listedMs)
          this.#wrong(`${id} is listed as paused, but no brake has stopped it`)
      }
    if (total > items.length) return
    for (const [id, since] of stopped) {
      const row = this.#row(id)
      if (row === undefined || !movements.includes(row.kind) || now - since < listedMs + older * second) continue
      const reason = reasons.get(id)
      // A provider that is not configured now is the nearer reason.
      if (reason !== "paused" && reason !== "other_provider")
        this.#wrong(`a brake has stopped ${id} (${row.state}), but it is listed with the reason ${reason ?? "none"}`)
    }
  }

  /** Final check: nothing is stopped for ever. */
  close(): void {
    for (const { id } of this.#stopped.values()) this.#wrong(`${id} still waits for a brake at the end`)
  }
}
