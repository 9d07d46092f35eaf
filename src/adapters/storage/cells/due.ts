/**
 * Due jobs and the leases of nodes, of all shards at once. A silent shard, such as a cell whose statements wait for a lock, or whose
 * server is away, does not delay the others: a claim waits for it for a moment, and does not repeat the request until it responds. Jobs that arrive late are under lease. They go to the next
 * claim while most of the lease remains; after that they are given back.
 */
import { Effect, type Result } from "effect"
import { StorageFault } from "../../../engine/ports/errors.ts"
import { nameReleasedJob } from "../../../engine/ports/Ids.ts"
import { describeShard, type Shards } from "./commits.ts"
import { mergePending } from "./merge.ts"
import type { Beat, ClaimQuery, Job, Queue, Storage } from "../../../engine/ports/Storage.ts"

type Store = Storage["Service"]

/** Timeout for a shard that responded to the last request, in milliseconds. */
const timeoutMs = 1_000

type Answer<A> = Result.Result<A, StorageFault>

/**
 * Makes a function that sends a request to one of `shards`, as `ask(n, query)`. It returns `undefined` while the previous request
 * to that shard is unanswered. A response that arrives after its timeout goes to `late`.
 */
const askEachStore = <Q, A>(
  shards: Shards,
  question: (store: Store, query: Q) => Effect.Effect<A, StorageFault>,
  late: (answer: A, query: Q) => void
) => {
  const silent = new Set<number>()
  /** Shards that timed out and have not succeeded in time since. Requests do not wait for them. */
  const doubted = new Set<number>()

  return (n: number, query: Q): Effect.Effect<Answer<A> | undefined> =>
    Effect.suspend(() => {
      if (silent.has(n)) return Effect.undefined
      return Effect.flatMap(
        Effect.forkDetach(Effect.result(question(shards[n]!, query)), { startImmediately: true }),
        (fiber) =>
          Effect.callback<Answer<A> | undefined>((resume) => {
            let isAwaited = true
            const leave = (): void => {
              clearTimeout(timer)
              isAwaited = false
              silent.add(n)
            }
            const timer = setTimeout(
              () => {
                leave()
                const message = `no reply within ${timeoutMs} ms`
                resume(
                  doubted.has(n)
                    ? Effect.undefined
                    : Effect.result(Effect.fail(new StorageFault({ message, retryable: true })))
                )
              },
              doubted.has(n) ? 0 : timeoutMs
            )
            fiber.addObserver((exit) => {
              clearTimeout(timer)
              silent.delete(n)
              if (isAwaited || (exit._tag === "Success" && exit.value._tag === "Success")) doubted.delete(n)
              else doubted.add(n)
              if (isAwaited) resume(exit)
              else if (exit._tag === "Success" && exit.value._tag === "Success") late(exit.value.success, query)
            })
            return Effect.sync(leave)
          })
      )
    })
}

/** Sends a request to all shards at once. Returns the successful results, or the first fault when there are none. */
const collectAnswers = <A>(
  shards: Shards,
  ask: (n: number) => Effect.Effect<Answer<A> | undefined>
): Effect.Effect<ReadonlyArray<{ readonly n: number; readonly value: A }>, StorageFault> =>
  Effect.flatMap(
    Effect.forEach(shards, (_, n) => ask(n), { concurrency: "unbounded" }),
    Effect.fnUntraced(function* (results) {
      const answers = results.flatMap((result, n) => (result?._tag === "Success" ? [{ n, value: result.success }] : []))
      let fault: StorageFault | undefined
      for (const [n, result] of results.entries()) {
        if (result?._tag !== "Failure") continue
        fault ??= result.failure
        if (answers.length > 0)
          yield* Effect.logWarning(`${describeShard(n, shards.length)} does not respond`, result.failure)
      }
      if (answers.length > 0) return answers
      return yield* fault ?? new StorageFault({ message: "no cell responds", retryable: true })
    })
  )

/** Divides a limit into fair shares. The remainder goes to the shards that come first in this turn. */
const divideLimit = (limit: number, count: number, turn: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, n) => {
    const position = (n - turn + count) % count
    return Math.floor(limit / count) + (position < limit % count ? 1 : 0)
  })

/** Reduces a claim by jobs that were already found. Full partition keys become busy; the others keep the smallest remaining share. */
const reduceClaim = (query: ClaimQuery, jobs: ReadonlyArray<Job>): ClaimQuery => {
  const counts = new Map<string, number>()
  for (const { partition_key } of jobs) counts.set(partition_key, (counts.get(partition_key) ?? 0) + 1)
  const full = [...counts.keys()].filter((partition_key) => counts.get(partition_key)! >= query.per_partition)
  const rest = [...counts.values()].filter((count) => count < query.per_partition)
  return {
    ...query,
    limit: query.limit - jobs.length,
    busy: [...query.busy, ...full],
    per_partition: query.per_partition - Math.max(0, ...rest)
  }
}

/** Keeps the jobs of one queue that arrived after their claim had ended, each until a quarter of its lease has passed. */
const makeLateJobs = () => {
  let jobs: ReadonlyArray<{ readonly job: Job; readonly until: number }> = []
  /** Those that no claim took in time: they are given back. */
  let left: ReadonlyArray<{ readonly claim: string; readonly until: number }> = []
  return {
    add: (brought: ReadonlyArray<Job>, { wall, lease_ms }: ClaimQuery): void => {
      jobs = [...jobs, ...brought.map((job) => ({ job, until: wall + lease_ms / 4 }))]
    },
    left: (): ReadonlyArray<string> => left.map(({ claim }) => claim),
    take: ({ busy, lease_ms, limit, wall }: ClaimQuery): Array<Job> => {
      if (left.length > 0) left = left.filter(({ until }) => wall < until)
      if (jobs.length === 0) return []
      const good = jobs.filter(({ until }) => wall < until)
      const old = jobs.filter(({ until }) => wall >= until)
      left = [...left, ...old.map(({ job }) => ({ claim: nameReleasedJob(job.lease!, job), until: wall + lease_ms }))]
      const taken = new Set(good.filter(({ job }) => !busy.includes(job.partition_key)).slice(0, limit))
      jobs = good.filter((one) => !taken.has(one))
      return [...taken].map(({ job }) => job)
    }
  }
}

/**
 * Makes the methods for claims, due times and leases over all `shards`. Calls `hint` when a cell returns jobs after their claim
 * has ended: the next claim takes them.
 */
export const makeJobMethods = (
  shards: Shards,
  hint: () => void
): Pick<Store, "claim" | "heartbeat" | "nextDue" | "pending"> => {
  const claims = (late: ReturnType<typeof makeLateJobs>) =>
    askEachStore(
      shards,
      (store, query: ClaimQuery) => store.claim(query),
      (jobs, query) => {
        late.add(jobs, query)
        if (jobs.length > 0) hint()
      }
    )
  const queues = new Map<
    Queue,
    { readonly late: ReturnType<typeof makeLateJobs>; readonly ask: ReturnType<typeof claims> }
  >()
  const queueOf = (queue: Queue) => {
    let found = queues.get(queue)
    if (found === undefined) {
      const late = makeLateJobs()
      found = { late, ask: claims(late) }
      queues.set(queue, found)
    }
    return found
  }
  let turn = 0

  /** Claims a fair share from each shard, and offers what one leaves unused to those that have more. */
  const claim = Effect.fnUntraced(function* (given: ClaimQuery) {
    const { ask, late } = queueOf(given.queue)
    const jobs: Array<Job> = late.take(given)
    const query = { ...given, released: [...(given.released ?? []), ...late.left()] }
    if (jobs.length >= query.limit) return jobs
    const shares = divideLimit(query.limit - jobs.length, shards.length, turn++ % shards.length)
    const fresh = collectAnswers(shards, (n) => ask(n, { ...reduceClaim(query, jobs), limit: shares[n]! }))
    // Late jobs are already claimed: a fault must not lose them.
    const first = yield* jobs.length === 0 ? fresh : Effect.orElseSucceed(fresh, () => [])
    for (const { value } of first) jobs.push(...value)
    for (const { n, value } of first) {
      if (jobs.length >= query.limit) break
      if (value.length < shares[n]! || (value.length === 0 && shares[n]! > 0)) continue
      // A claim that fails is given back by its token: this one has its own.
      const more = yield* ask(n, { ...reduceClaim(query, jobs), token: `${query.token}/more` })
      if (more?._tag === "Success") jobs.push(...more.success)
    }
    return jobs.sort((a, b) => (a.due_at ?? 0) - (b.due_at ?? 0))
  })

  interface DueQuery {
    readonly queues: ReadonlyArray<Queue>
    readonly after: number | undefined
  }
  const due = new Map<string, (n: number, query: DueQuery) => Effect.Effect<Answer<number | undefined> | undefined>>()
  const dueOf = (asked: ReadonlyArray<Queue>) => {
    const key = asked.join()
    const ask =
      due.get(key) ??
      askEachStore(
        shards,
        (store, { after, queues }: DueQuery) => store.nextDue(queues, after),
        () => {}
      )
    due.set(key, ask)
    return ask
  }

  const pendingIn = askEachStore(
    shards,
    (store, queues: ReadonlyArray<Queue>) => store.pending(queues),
    () => {}
  )

  /** The node of which a shard has said, late, that its lease had ended. It says so once: the next beat tells it. */
  let ended: string | undefined
  const beats = askEachStore(
    shards,
    (store, beat: Beat) => store.heartbeat(beat),
    (hadEnded, { node }) => {
      if (hadEnded) ended = node
    }
  )

  return {
    claim,
    heartbeat: (beat) =>
      Effect.map(
        collectAnswers(shards, (n) => beats(n, beat)),
        (answers) => {
          const isTold = ended === beat.node
          if (isTold) ended = undefined
          return isTold || answers.some(({ value }) => value)
        }
      ),
    pending: (queues) =>
      Effect.map(
        collectAnswers(shards, (n) => pendingIn(n, queues)),
        (answers) => mergePending(answers.flatMap(({ value }) => value))
      ),
    nextDue: (asked, after) =>
      Effect.map(
        collectAnswers(shards, (n) => dueOf(asked)(n, { queues: asked, after })),
        (answers) => {
          const times = answers.flatMap(({ value }) => (value === undefined ? [] : [value]))
          return times.length === 0 ? undefined : Math.min(...times)
        }
      )
  }
}
