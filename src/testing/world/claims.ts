/** The claims of a simulation's processes, by a model of its own: when each can be taken, and that none is taken before. */
import { Context } from "effect"
import { releaseName } from "../../engine/ports/Ids.ts"
import type { Beat, Change, ClaimQuery, Job } from "../../engine/ports/Storage.ts"
import { NodeLease } from "../../engine/settings/settings.ts"
import type { SimulatedProcess } from "./virtual-time.ts"

const nodeLeaseMs = Context.get(Context.empty(), NodeLease)

/** The node that has claimed under a token; any other text where none has. */
const nodeIn = (token: string): string => token.slice(0, token.indexOf("/"))

/** Times are those of the store. `process`: that runs the job. Undefined: the job waits, as intended. */
interface Held {
  readonly until: number
  readonly token: string
  readonly process: SimulatedProcess | undefined
}

export class Leases {
  readonly #held = new Map<string, Held>()
  /** Until when each node counts as alive. */
  readonly #alive = new Map<string, number>()

  /** The earliest time at which a claimed job can be claimed again. */
  get first(): number | undefined {
    let first: number | undefined
    for (const { until } of this.#held.values()) if (first === undefined || until < first) first = until
    return first
  }

  beat({ lease_ms, node, wall }: Beat): void {
    this.#alive.set(node, wall + lease_ms)
  }

  /** Returns what is wrong with a claim. */
  claimed(
    process: SimulatedProcess,
    { lease_ms, released = [], token, wall }: ClaimQuery,
    jobs: ReadonlyArray<Job>
  ): ReadonlyArray<string> {
    const wrong: Array<string> = []
    for (const job of jobs) {
      const name = `${job.merchant_id} ${job.id}`
      const before = this.#held.get(name)
      // A process may take again what it has given back itself (SERVICE-27), and nothing of another.
      const isOwn =
        before?.process === process &&
        released.some((one) => one === before.token || one === releaseName(before.token, job))
      if (before !== undefined && wall < before.until && !isOwn) {
        if (before.process === undefined) wrong.push(`${process.name} has claimed ${job.id} before its time`)
        else if (wall < (this.#alive.get(nodeIn(before.token)) ?? Infinity))
          wrong.push(`${process.name} has claimed ${job.id} of ${before.process.name}, which lives`)
      }
      this.#held.set(name, { until: wall + lease_ms, token, process })
    }
    return wrong
  }

  /** Returns the jobs that the commit claims for its process. */
  committed(process: SimulatedProcess, { cancels, jobs, lease, merchant_id }: Change): ReadonlyArray<Job> {
    for (const id of [...(lease === undefined ? [] : [lease.job]), ...cancels, ...jobs.map((job) => job.id)])
      this.#held.delete(`${merchant_id} ${id}`)
    const taken: Array<Job> = []
    for (const { lease: own, ...job } of jobs) {
      if (own === undefined) continue
      const node = nodeIn(own.token)
      const isTaken = this.#alive.has(node)
      this.#held.set(`${merchant_id} ${job.id}`, {
        until: own.wall + own.lease_ms,
        token: own.token,
        process: isTaken ? process : undefined
      })
      if (isTaken) taken.push({ ...job, merchant_id, lease: own.token })
    }
    return taken
  }

  /** A process has stopped at a time: others look for what it has claimed when its node's lease has ended. */
  stopped(process: SimulatedProcess, at: number): void {
    for (const [name, held] of this.#held)
      if (held.process === process) this.#held.set(name, { ...held, until: Math.min(held.until, at + nodeLeaseMs) })
  }
}
