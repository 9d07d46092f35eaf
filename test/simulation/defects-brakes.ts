/** Defects of the operator's pauses: what they stop, what waits, and how it goes on. */
import { type Defect, defect } from "./defect.ts"

const handlers = "src/engine/work/queue/JobHandlers.ts"
const blockedJobs = "src/engine/commit/BlockedJobs.ts"

export const brakes: ReadonlyArray<Defect> = [
  defect(
    "a brake is ignored by resubmission after absent",
    handlers,
    `if (row === undefined) return false
        const work = toBrakedWork(row, provider.name)`,
    `if (row === undefined || row.state === "waiting") return false
        const work = toBrakedWork(row, provider.name)`
  ),
  defect(
    "a brake is ignored by refunds",
    handlers,
    `if (yield* stopIfPaused(self, job, kind, row.id, provider)) return true`,
    ``
  ),
  defect(
    "only the latest brake counts",
    handlers,
    `if (!active.some((brake) => isBraked(brake, work))) return false`,
    `if (!active.slice(0, 1).some((brake) => isBraked(brake, work))) return false`
  ),
  defect(
    "a brake of a corridor covers payouts in its source currency alone",
    "src/engine/calls/ActiveBrakes.ts",
    `isCurrencyCovered(brake.destination_currency, work.destination_currency)`,
    `brake.destination_currency === null`
  ),
  defect(
    "brakes are read once",
    "src/engine/calls/last-read.ts",
    `return known !== undefined && isRecent(now - known.at, fresh_ms) ? known.result`,
    `return known !== undefined && now >= known.at ? known.result`
  ),
  defect(
    "the release of a brake loses the jobs that it stopped",
    blockedJobs,
    `yield* replaceJob(deps, job, { ...kept, due_at, queue, attempt: attempt - 1 })`,
    `yield* replaceJob(deps, job, queue === "command" && attempt > 3 ? undefined : { ...kept, due_at, queue, attempt: attempt - 1 })`
  ),
  defect(
    "the release of a brake leaves what it stopped",
    "src/engine/resources/movements/brake.ts",
    `          return { changes: [next.changes, { jobs: [makeResumingJob(at)] }], result: brakeBody(next.row) }
        })
        brakes.forget()
        // What is few goes on with the response. A job moves the rest, also if this process ends here.
        if ((yield* DryRun) === undefined)
          yield* Effect.ignore(Effect.flatMap(Clock.currentTimeMillis, blockedJobs.resumeSome))
`,
    `          return { changes: [next.changes], result: brakeBody(next.row) }
        })
`
  ),
  defect(
    "what a brake stops does not say so",
    "src/engine/reports/progress.ts",
    `if (job.queue === pausedQueue) return "paused"`,
    ``
  )
]
