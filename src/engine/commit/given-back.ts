/**
 * Jobs that this node has claimed and could not run: the store did not answer, or the work failed. Its next claims may take them, long
 * before their leases end. A job that fails again waits twice as long each time, so that one that can never succeed is no load.
 */
import { backoff } from "../../machines/kernel/backoff.ts"
import { BoundedMap } from "../ports/bounded-map.ts"
import { releaseName } from "../ports/Ids.ts"
import type { Job, Queue } from "../ports/Storage.ts"

/** How long a job waits after its first failure, in milliseconds. */
const firstMs = 250

/** The most jobs that are remembered. Those beyond wait for their leases. */
const givenMax = 4096

interface Given {
  readonly queue: Queue
  /** Wall time from which it is offered, and until when: then its lease has ended. */
  readonly from: number
  readonly until: number
}

type Name = Pick<Job, "id" | "merchant_id">

const nameOf = ({ id, merchant_id }: Name): string => `${merchant_id}/${id}`

export class GivenBack {
  /** By the claim of the one job, as `ClaimQuery.released` names it. */
  readonly #jobs = new BoundedMap<string, Given>(givenMax)
  /** How often a job has failed since it last succeeded. */
  readonly #failures = new BoundedMap<string, number>(givenMax)
  readonly #lease_ms: number

  /** `lease_ms`: the longest wait. */
  constructor(lease_ms: number) {
    this.#lease_ms = lease_ms
  }

  /** The job is offered at once: nothing is known against it. */
  add({ id, lease, merchant_id, queue }: Job, wall: number, after_ms = 0): void {
    if (lease === null) return
    const from = wall + after_ms
    this.#jobs.set(releaseName(lease, { id, merchant_id }), { queue, from, until: from + 2 * this.#lease_ms })
  }

  /** The job is offered again later. */
  failed(job: Job, wall: number): void {
    const failures = this.#failures.get(nameOf(job)) ?? 0
    this.#failures.set(nameOf(job), failures + 1)
    this.add(job, wall, backoff(firstMs, failures, this.#lease_ms))
  }

  succeeded(job: Name): void {
    this.#failures.delete(nameOf(job))
  }

  /** What a claim may take. */
  offered(queue: Queue, wall: number): ReadonlyArray<string> {
    const offered: Array<string> = []
    for (const [claim, given] of this.#jobs) {
      if (given.until <= wall) this.#jobs.delete(claim)
      else if (given.queue === queue && given.from <= wall) offered.push(claim)
    }
    return offered
  }

  /** When the next job of a queue is offered that was not yet at `wall`. */
  next(queue: Queue, wall: number): number | undefined {
    let next: number | undefined
    for (const given of this.#jobs.values())
      if (given.queue === queue && given.from > wall && (next === undefined || given.from < next)) next = given.from
    return next
  }
}
