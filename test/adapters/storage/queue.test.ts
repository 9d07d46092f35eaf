import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  type BatchResult,
  Exclusive,
  BatchQueue,
  type Touching,
  Turns
} from "../../../src/adapters/storage/sql/queue.ts"
import { toFault } from "../../../src/adapters/storage/sql/driver.ts"

it("a full queue fails further calls at once with a retryable error", async () => {
  const served: Array<number> = []
  const gate = Promise.withResolvers<void>()
  const run = async (items: ReadonlyArray<number>): Promise<ReadonlyArray<BatchResult<number>>> => {
    await gate.promise
    served.push(...items)
    return items.map((value) => ({ ok: true, value }))
  }
  const line = new BatchQueue(run, { concurrency: 1, size: 2, most: 3 })
  const answers = Promise.all(
    [1, 2, 3, 4, 5].map((n) => new Promise<BatchResult<number>>((resolve) => void line.ask(n, resolve)))
  )
  gate.resolve()
  const found = await answers
  expect(found.map(({ ok }) => ok)).toEqual([true, true, true, false, false])
  expect(served).toEqual([1, 2, 3])
  const fault = found[3]!
  expect(fault.ok ? undefined : toFault(fault.error)).toMatchObject({ _tag: "StorageFault", retryable: true })
})

it.each([
  [
    Object.assign(new Error("connect ECONNREFUSED 127.0.0.1:1"), { code: "ECONNREFUSED" }),
    "connect ECONNREFUSED 127.0.0.1:1"
  ],
  [Object.assign(new Error("no such table"), { code: "42P01" }), "42P01: no such table"],
  [
    Object.assign(
      new AggregateError([new Error("connect ECONNREFUSED ::1:1"), new Error("connect ECONNREFUSED 127.0.0.1:1")]),
      {
        code: "ECONNREFUSED"
      }
    ),
    "connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1"
  ]
])("a fault says the code of its error once, and every address of a host of several", (error, message) => {
  expect(toFault(error).message).toBe(message)
})

describe("while a batch is under way", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  const held = () => {
    const batches: Array<ReadonlyArray<number>> = []
    const ends: Array<() => void> = []
    const run = async (items: ReadonlyArray<{ readonly n: number }>): Promise<ReadonlyArray<BatchResult<number>>> => {
      batches.push(items.map(({ n }) => n))
      await new Promise<void>((resolve) => ends.push(resolve))
      return items.map(({ n }) => ({ ok: true, value: n }))
    }
    const end = () => ends.forEach((one) => one())
    return { batches, run, end, passes: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
  }
  const nobody = () => {}

  it("another connection is used for a crowd, or when the batch takes long", async () => {
    const { batches, end, passes, run } = held()
    const line = new BatchQueue(run, { concurrency: 2, size: 8, crowd: 3 })
    line.ask({ n: 1 }, nobody)
    await passes(1)
    for (const n of [2, 3]) line.ask({ n }, nobody)
    await passes(1)
    expect(batches).toEqual([[1]])
    line.ask({ n: 4 }, nobody)
    await passes(1)
    expect(batches).toEqual([[1], [2, 3, 4]])
    end()
    await passes(1)
    line.ask({ n: 5 }, nobody)
    await passes(1)
    line.ask({ n: 6 }, nobody)
    await passes(15)
    expect(batches).toEqual([[1], [2, 3, 4], [5]])
    await passes(10)
    expect(batches).toEqual([[1], [2, 3, 4], [5], [6]])
  })

  it("withdrawn items that are apart delay nobody", async () => {
    const { batches, passes, run } = held()
    const line = new Exclusive<Item, number>(run, { concurrency: 2, size: 8, crowd: 3 })
    line.ask(item(1, "one", false), nobody)
    await passes(1)
    line.ask(item(2, "two", true), nobody)()
    line.ask(item(3, "three", false), nobody)
    await passes(25)
    expect(batches).toEqual([[1], [3]])
  })
})

interface Item extends Touching {
  readonly n: number
}

const item = (n: number, name: string, apart: boolean): Item => ({
  n,
  merchant_id: "mer",
  touched: { names: [name], reads: [], subscribers: "none" },
  apart
})

const crowd = () => {
  const batches: Array<ReadonlyArray<number>> = []
  const under = new Set<string>()
  const run = async (items: ReadonlyArray<Item>): Promise<ReadonlyArray<BatchResult<number>>> => {
    batches.push(items.map(({ n }) => n))
    expect(new Set(items.map(({ apart }) => apart)).size).toBe(1)
    for (const { touched } of items) {
      expect(under.has(touched.names[0]!)).toBe(false)
      under.add(touched.names[0]!)
    }
    await new Promise((resolve) => setTimeout(resolve, 2))
    for (const { touched } of items) under.delete(touched.names[0]!)
    return items.map(({ n }) => ({ ok: true, value: n }))
  }
  const line = new Exclusive<Item, number>(run, { concurrency: 2, size: 64 })
  const asked = (one: Item) => new Promise<number>((resolve) => void line.ask(one, (a) => a.ok && resolve(a.value)))
  return { batches, asked }
}

it("items that are apart gather, leave in their own batches, and do not wait for the others", async () => {
  const { batches, asked } = crowd()
  const all = Array.from({ length: 40 }, (_, n) => asked(item(n, `job${n}`, n % 2 === 0)))
  expect(await Promise.all(all)).toEqual(all.map((_, n) => n))
  expect(batches).toEqual([
    all.flatMap((_, n) => (n % 2 === 1 ? [n] : [])),
    all.flatMap((_, n) => (n % 2 === 0 ? [n] : []))
  ])
})

it("readers of one row leave together, and exclude a writer of it", async () => {
  const { batches, asked } = crowd()
  const reader = (n: number): Item => {
    const one = item(n, `payout${n}`, false)
    return { ...one, touched: { ...one.touched, reads: ["beneficiary"] } }
  }
  const writer = (n: number): Item => item(n, "beneficiary", false)
  const all = [reader(0), reader(1), writer(2), reader(3), item(4, "other", false), reader(5), writer(6)].map(asked)
  expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4, 5, 6])
  expect(batches).toEqual([[0, 1, 4], [2], [3, 5], [6]])
})

it("items that are apart and share names are decided in order, and none is left waiting", async () => {
  const { batches, asked } = crowd()
  const all: Array<Promise<number>> = []
  for (let n = 0; n < 400; n++) {
    all.push(asked(item(n, `job${n % 7}`, n % 3 !== 0)))
    if (n % 50 === 0) await new Promise((resolve) => setTimeout(resolve, 3))
  }
  expect(await Promise.all(all)).toEqual(all.map((_, n) => n))
  for (let job = 0; job < 7; job++) {
    const order = batches.flat().filter((n) => n % 7 === job)
    expect(order).toEqual(order.toSorted((a, b) => a - b))
  }
})

describe("queues that share turns", () => {
  /** Queues with one turn, whose batches end when the test says so. */
  const sharing = (count: number, crowd?: number) => {
    const batches: Array<string> = []
    const ends: Array<() => void> = []
    const turns = new Turns(1)
    const queues = Array.from({ length: count }, (_, n) => {
      const run = async (items: ReadonlyArray<string>): Promise<ReadonlyArray<BatchResult<string>>> => {
        batches.push(`${n}: ${items.join(" ")}`)
        await new Promise<void>((resolve) => ends.push(resolve))
        return items.map((value) => ({ ok: true, value }))
      }
      return new BatchQueue<string, string>(run, {
        concurrency: 2,
        size: 3,
        turns,
        ...(crowd === undefined ? {} : { crowd })
      })
    })
    const ask = (n: number, item: string) => queues[n]!.ask(item, () => {})
    const passes = () => new Promise((resolve) => setTimeout(resolve, 1))
    const end = async () => {
      ends.shift()!()
      await passes()
    }
    return { ask, batches, end, passes }
  }

  it("take a batch when their turn comes, in the order in which they asked, with what has gathered", async () => {
    const { ask, batches, end, passes } = sharing(3)
    ask(0, "a")
    await passes()
    for (const [n, item] of [
      [2, "b"],
      [1, "c"],
      [2, "d"],
      [0, "e"]
    ] as const)
      ask(n, item)
    await passes()
    ask(1, "f")
    expect(batches).toEqual(["0: a"])
    await end()
    expect(batches).toEqual(["0: a", "2: b d"])
    for (const item of ["g", "h", "i", "j"]) ask(1, item)
    await end()
    await end()
    await end()
    expect(batches).toEqual(["0: a", "2: b d", "1: c f g", "0: e", "1: h i j"])
  })

  it("leave a turn to the others that they do not use", async () => {
    const { ask, batches, end, passes } = sharing(2)
    ask(0, "a")
    await passes()
    const withdraw = ask(1, "b")
    await passes()
    ask(0, "c")
    await passes()
    withdraw()
    await end()
    expect(batches).toEqual(["0: a", "0: c"])
    await end()
    ask(1, "d")
    await passes()
    expect(batches).toEqual(["0: a", "0: c", "1: d"])
  })

  it("leave some to the others: a share has at most its own", () => {
    const turns = new Turns(3)
    const share = turns.share(1)
    const given: Array<string> = []
    const take = (from: Turns, name: string) => from.take(() => void given.push(name)) && given.push(name)
    take(share, "share 1")
    take(share, "share 2")
    take(turns, "all 1")
    take(turns, "all 2")
    take(turns, "all 3")
    expect(given).toEqual(["share 1", "all 1", "all 2"])
    share.end()
    expect(given).toEqual(["share 1", "all 1", "all 2", "all 3"])
    turns.end()
    expect(given.at(-1)).toBe("share 2")
    for (const one of [turns, turns, share]) one.end()
    take(share, "share 3")
    for (const name of ["all 4", "all 5", "all 6"]) take(turns, name)
    expect(given.slice(5)).toEqual(["share 3", "all 4", "all 5"])
  })
})
