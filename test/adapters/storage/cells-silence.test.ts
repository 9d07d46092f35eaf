/** Several cells as one store: a silent cell, and interrupted writes. */
import { Context, Effect, Fiber, Layer, Scheduler, Scope } from "effect"
import { describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { makeCellsStore } from "../../../src/adapters/storage/cells/cells.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { type Job, Storage } from "../../../src/engine/ports/Storage.ts"
import { change, claimOf, fresh, freshQueue, job, promised, range, T0 } from "./support.ts"

type Shape = Storage["Service"]

const memory = async (): Promise<Shape> =>
  Context.get(await Effect.runPromise(Effect.scoped(Layer.build(MemoryStorage.layer))), Storage)

/** A cell that does its work, but withholds its responses until it may speak. */
const silent = (inner: Shape) => {
  const waiting: Array<(fault?: StorageFault) => void> = []
  let isSilent = true
  let asked = 0
  const held = <A>(effect: Effect.Effect<A, StorageFault>): Effect.Effect<A, StorageFault> =>
    Effect.suspend(() => {
      if (!isSilent) return effect
      asked++
      return Effect.flatMap(effect, (answer) =>
        Effect.callback<A, StorageFault>((resume) => {
          waiting.push((fault) => resume(fault === undefined ? Effect.succeed(answer) : Effect.fail(fault)))
        })
      )
    })
  const shape: Shape = {
    ...inner,
    claim: (query) => held(inner.claim(query)),
    nextDue: (queues) => held(inner.nextDue(queues))
  }
  return {
    shape,
    asked: () => asked,
    /** Responds to all calls, now and later. */
    speaks: () => {
      isSilent = false
      for (const answer of waiting.splice(0)) answer()
    },
    /** Fails the pending calls with a fault, and stays silent. */
    fails: () => {
      for (const answer of waiting.splice(0)) answer(new StorageFault({ message: "gave up", retryable: true }))
    }
  }
}

const partitions = range(40).map((n) => `key_${n}`)

/** Two cells, the second of them silent, with forty due jobs of as many merchants. */
const opened = async () => {
  const mute = silent(await memory())
  const service = makeCellsStore([await memory(), await memory(), mute.shape])
  const store = promised(service)
  const queue = freshQueue()
  for (const partition_key of partitions)
    await store.commit(change(fresh("mer"), { jobs: [job(queue, { partition_key })] }))
  let hints = 0
  await Effect.runPromise(
    Scope.provide(
      service.watch(() => void hints++),
      Scope.makeUnsafe()
    )
  )
  return { mute, queue, store, hints: () => hints }
}

const ids = (jobs: ReadonlyArray<Job>) => jobs.map(({ id }) => id)
const quick = async <A>(answer: Promise<A>): Promise<A> => {
  const began = performance.now()
  const given = await answer
  // A cell that is silent would be waited for as long as its time limit is.
  expect(performance.now() - began).toBeLessThan(900)
  return given
}

describe("a cell that is silent", () => {
  it("delays one claim for a moment and no later one; its late jobs go to the first claim after it responds", async () => {
    const { hints, mute, queue, store } = await opened()
    const here = await store.claim(claimOf(queue))
    expect(here.length).toBeGreaterThan(8)
    expect(here.length).toBeLessThan(32)
    for (const _ of range(20)) expect(await quick(store.claim(claimOf(queue)))).toEqual([])
    expect(mute.asked()).toBe(1)
    mute.speaks()
    expect(hints()).toBeGreaterThan(0)
    expect(await quick(store.claim(claimOf(queue, { busy: partitions })))).toEqual([])
    const few = await quick(store.claim(claimOf(queue, { limit: 3 })))
    const rest = await quick(store.claim(claimOf(queue)))
    expect(few.length).toBe(3)
    expect(new Set(ids([...here, ...few, ...rest])).size).toBe(40)
    for (const { attempt, lease } of [...few, ...rest]) expect([attempt, lease === null]).toEqual([1, false])
    expect(await quick(store.claim(claimOf(queue)))).toEqual([])
  })

  it("returns no job whose lease may expire too soon: the job is given back, and claimed again once", async () => {
    const { mute, queue, store } = await opened()
    const here = await store.claim(claimOf(queue))
    mute.speaks()
    const query = claimOf(queue)
    const late = { wall: query.wall + query.lease_ms / 2 }
    const again = await store.claim({ ...query, ...late })
    expect(new Set(ids([...here, ...again])).size).toBe(40)
    for (const { attempt, lease } of again) expect([attempt, lease]).toEqual([2, query.token])
    expect(await store.claim(claimOf(queue, late))).toEqual([])
  })

  it("gives what it claims beside its share a token of its own, so that it can be given back alone", async () => {
    const claimed: Array<string> = []
    const recorded = (inner: Shape): Shape => ({
      ...inner,
      claim: (query) => Effect.tap(inner.claim(query), () => Effect.sync(() => claimed.push(query.token)))
    })
    const [a, b] = [await memory(), await memory()]
    const queue = freshQueue()
    for (const partition_key of partitions)
      await promised(a).commit(change(fresh("mer"), { jobs: [job(queue, { partition_key })] }))
    const store = promised(makeCellsStore([await memory(), recorded(a), recorded(b)]))
    const jobs = await store.claim(claimOf(queue, { limit: 20, token: "node/lease" }))
    expect(jobs.length).toBe(20)
    expect(claimed.toSorted()).toEqual(["node/lease", "node/lease", "node/lease/more"])
    expect(new Set(jobs.map(({ lease }) => lease))).toEqual(new Set(["node/lease", "node/lease/more"]))
  })

  it("is not waited for after a timeout until it has responded", async () => {
    const { mute, queue, store } = await opened()
    const here = await store.claim(claimOf(queue))
    mute.fails()
    expect(await quick(store.claim(claimOf(queue)))).toEqual([])
    expect(mute.asked()).toBe(2)
    mute.speaks()
    const wall = claimOf(queue).wall + claimOf(queue).lease_ms + 1
    const again = await store.claim(claimOf(queue, { wall }))
    expect(again.length).toBe(40)
    expect(again.length).toBeGreaterThan(here.length)
  })

  it("does not affect the next due time of the others", async () => {
    const { mute, queue, store } = await opened()
    expect(await store.nextDue([queue])).toBe(T0)
    for (const _ of range(20)) expect(await quick(store.nextDue([queue]))).toBe(T0)
    expect(mute.asked()).toBe(1)
  })
})

/** Yields once before the `nth` step, and runs `act` before it continues. */
class YieldsAt extends Scheduler.MixedScheduler {
  private left: number
  private readonly act: () => void
  constructor(nth: number, act: () => void) {
    super()
    this.left = nth
    this.act = act
  }
  override shouldYield(): boolean {
    if (--this.left !== 0) return false
    queueMicrotask(this.act)
    return true
  }
}

describe("a write that is interrupted", () => {
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))
  const turns = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await turn()
  }
  /** A slow directory, so that a merchant's next writes arrive while the first is in progress. */
  const home = async (): Promise<Shape> => {
    const inner = await memory()
    return { ...inner, setting: (key) => Effect.andThen(Effect.promise(turn), inner.setting(key)) }
  }

  it.each([
    ["of the first in line", 0],
    ["of one that waits for it", 1]
  ])("%s, at any step, does not block later ones of its merchant", async (_, which) => {
    const store = makeCellsStore([await home(), await memory(), await memory()])
    const stuck: Array<number> = []
    const ends = { Success: 0, Failure: 0 }
    for (const step of range(120)) {
      const m = fresh("mer")
      const fibers = range(2).map((n) => {
        const lookup_keys = [{ scope: "payin", key: fresh("address"), kind: "deposit_address", id: fresh("da") }]
        const scheduler = new YieldsAt(n === which ? step + 1 : 0, () => fibers[n]!.interruptUnsafe())
        return Effect.runFork(store.commit(change(m, { lookup_keys })), { scheduler })
      })
      const later = [...fibers, Effect.runFork(store.commit(change(m)))].map((f) => Effect.runPromise(Fiber.await(f)))
      if ((await Promise.race([Promise.all(later), turns(200)])) === undefined) stuck.push(step)
      else ends[fibers[which]!.pollUnsafe()!._tag]++
    }
    expect(stuck).toEqual([])
    expect(ends.Failure).toBeGreaterThan(10)
    expect(ends.Success).toBeGreaterThan(0)
  })
})
