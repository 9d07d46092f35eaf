/** The jobs that a dispatcher runs, and the claims in progress that may add more. */
import { Effect } from "effect"
import type { Job } from "../../ports/Storage.ts"

export class JobsInFlight {
  private readonly jobs = new Set<Job>()
  private readonly claims = new Set<object>()
  private readonly leaving = new Set<(item: object) => void>()
  private readonly entering = new Set<(job: Job) => void>()

  enter(job: Job): void {
    this.jobs.add(job)
    for (const listener of this.entering) listener(job)
  }

  leave(job: Job): void {
    this.jobs.delete(job)
    this.left(job)
  }

  /** Registers a claim. The returned function ends it, after the claimed jobs have entered. */
  claiming(): () => void {
    const claim = {}
    this.claims.add(claim)
    return () => {
      this.claims.delete(claim)
      this.left(claim)
    }
  }

  has(job: Job): boolean {
    return this.jobs.has(job)
  }

  of(isOne: (job: Job) => boolean): ReadonlyArray<Job> {
    return [...this.jobs].filter(isOne)
  }

  /** Calls `listener` for each job that enters, until the returned function is called. */
  listen(listener: (job: Job) => void): () => void {
    this.entering.add(listener)
    return () => this.entering.delete(listener)
  }

  /** Waits until none of these jobs is in flight. Jobs that enter in the meantime are not waited for. */
  finished(jobs: ReadonlyArray<Job>): Effect.Effect<void> {
    return Effect.suspend(() => this.gone(jobs.filter((job) => this.jobs.has(job))))
  }

  /** Waits for the claims that are in progress now, and for no later ones. */
  get claimed(): Effect.Effect<void> {
    return Effect.suspend(() => this.gone([...this.claims]))
  }

  private gone(items: ReadonlyArray<object>): Effect.Effect<void> {
    if (items.length === 0) return Effect.void
    return Effect.callback<void>((resume) => {
      const rest = new Set(items)
      const leaving = (item: object): void => {
        if (!rest.delete(item) || rest.size > 0) return
        this.leaving.delete(leaving)
        resume(Effect.void)
      }
      this.leaving.add(leaving)
      return Effect.sync(() => void this.leaving.delete(leaving))
    })
  }

  private left(item: object): void {
    for (const listener of this.leaving) listener(item)
  }
}
