/** Commits of a merchant that is being assigned to a cell: those behind the first get their turn, wherever their fibers pause. */
import { Context, Effect, Fiber, Layer, Scheduler } from "effect"
import { expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { makeShardedCommit } from "../../../src/adapters/storage/cells/commits.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { change, fresh, row } from "./support.ts"

const memory = (): Storage["Service"] =>
  Context.get(Effect.runSync(Effect.scoped(Layer.build(Layer.fresh(MemoryStorage.layer)))), Storage)

/** Pauses a fiber once, at its n-th step, until `goOn`. */
class PausingAt extends Scheduler.MixedScheduler {
  readonly #n: number
  #steps = 0
  #goOn: (() => void) | undefined
  constructor(n: number) {
    super("async", (run) => {
      this.#goOn = run
      return () => {}
    })
    this.#n = n
  }
  override shouldYield(): boolean {
    return ++this.#steps === this.#n
  }
  /** Whether it had paused. */
  goOn(): boolean {
    this.#goOn?.()
    return this.#goOn !== undefined
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A second commit of a merchant, which pauses at its n-th step until the first one is through. */
const behind = async (n: number): Promise<{ readonly paused: boolean; readonly verdict: string | undefined }> => {
  const merchant = fresh("mer")
  let assign = (): void => {}
  const assigning = new Promise<void>((resolve) => (assign = resolve))
  let shard: number | undefined
  const directory = {
    known: () => shard,
    find: () => Effect.succeed(1),
    assign: () => Effect.promise(() => assigning.then(() => (shard = 1)))
  }
  const commit = makeShardedCommit([memory(), memory()], directory, () => Effect.undefined)
  const one = () => change(merchant, { rows: [row(merchant)] })
  const first = Effect.runFork(commit(one()))
  const scheduler = new PausingAt(n)
  const second = Effect.runFork(commit(one()), { scheduler })
  assign()
  await Effect.runPromise(Fiber.join(first))
  await turn()
  const paused = scheduler.goOn()
  // Both stores are in memory: what has not ended after so many turns waits for ever.
  for (let turns = 0; turns < 50 && second.pollUnsafe() === undefined; turns++) await turn()
  const exit = second.pollUnsafe()
  return { paused, verdict: exit?._tag === "Success" ? exit.value._tag : exit?._tag }
}

it("a commit behind another of its merchant gets its turn, wherever it pauses", async () => {
  let steps = 0
  for (let n = 1; n < 200; n++) {
    const { paused, verdict } = await behind(n)
    expect([n, verdict]).toEqual([n, "Committed"])
    if (!paused) break
    steps = n
  }
  // It paused at each step up to the one at which it waits, and at those after it.
  expect(steps).toBeGreaterThan(5)
  expect(steps).toBeLessThan(199)
})
