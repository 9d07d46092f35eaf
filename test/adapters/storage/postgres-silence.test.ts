/** A silent network: half-open connections must not block what waits for them. */
import { Effect, ManagedRuntime } from "effect"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { type SilentProxy, silentProxy } from "../../support/faults/silent-proxy.ts"
import { balance, change, fresh, fund, idempotency, posting, promised, range, type Store } from "./support.ts"

const bound = { statement_timeout_ms: 800 }

let direct: string
let proxy: SilentProxy
beforeAll(async () => {
  direct = await freshDatabase()
  proxy = await silentProxy(Number(new URL(direct).port))
})
afterAll(() => proxy.close())

const open = async (connections: number) => {
  const url = Object.assign(new URL(direct), { port: `${proxy.port}` }).href
  const runtime = ManagedRuntime.make(PostgresStorage.layer({ url, connections, ...bound }))
  return { store: promised(await runtime.runPromise(Storage)), close: () => runtime.dispose() }
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

describe("a network that goes silent", () => {
  it("loses and duplicates no acknowledged commit, wherever a statement was cut off", async () => {
    const { store, close } = await open(4)
    const m = fresh("mer")
    await fund(store, m, "available:w", 1_000_000)
    const answers = { Committed: 0, Repeated: 0, unknown: 0 }
    const insist = async (s: Store): Promise<void> => {
      const asked = change(m, { idempotency: idempotency(), postings: [posting("available:w", "fees", 1)] })
      for (;;) {
        try {
          const { _tag } = await s.commit(asked)
          if (_tag !== "Committed" && _tag !== "Repeated") throw new Error(_tag)
          answers[_tag]++
          return
        } catch (error) {
          if ((error as { retryable?: boolean }).retryable !== true) throw error
          answers.unknown++
        }
      }
    }
    let working = true
    let sent = 0
    const workers = range(16).map(async () => {
      while (working) {
        sent++
        await insist(store)
      }
    })
    // Cut points: nothing of the statement arrives, a part, or all of it with no reply or the beginning of one.
    for (const passes of [{}, { up: 700 }, { up: 1_000_000 }, { up: 1_000_000, down: 40 }]) {
      await pause(150)
      proxy.silence(passes)
      await pause(100)
      proxy.heal()
      const before = answers.Committed
      while (answers.Committed < before + 50) await pause(20)
    }
    working = false
    await Promise.all(workers)
    // An idle read connection may not have noticed yet that it is half open.
    const left = await balance(store, m, "available:w").catch(() => balance(store, m, "available:w"))
    await close()
    expect(answers.Committed + answers.Repeated).toBe(sent)
    expect(left).toBe(`${1_000_000 - sent}`)
    expect(answers.Repeated).toBeGreaterThan(0)
  })

  it("fails each waiting call with a retryable fault, drops the connection, and serves the next call", async () => {
    const { store, close } = await open(2)
    await store.ping()
    const before = proxy.dropped()
    proxy.silence()
    const faults = await Promise.all(range(3).map(() => store.setting("none").catch((error: unknown) => error)))
    // Withdrawn while its connection was being opened, and therefore never sent.
    await store.assign("late", "x").catch(() => {})
    proxy.heal()
    await store.ping()
    await pause(300)
    const late = await store.setting("late")
    const dropped = proxy.dropped() - before
    await close()
    expect(late).toBeUndefined()
    expect(faults).toMatchObject(range(3).map(() => ({ _tag: "StorageFault", retryable: true })))
    expect(dropped).toBeGreaterThan(0)
  })

  it("does not block listening or closing", async () => {
    const { store, close } = await open(2)
    proxy.silence()
    const received = await Effect.runPromise(Effect.result(Effect.scoped(store.service.watch(() => {}))))
    await close()
    proxy.heal()
    expect(received).toMatchObject({ _tag: "Failure", failure: { retryable: true } })
  })
})

describe("a long-running statement", () => {
  it("delays no commit, however many there are", async () => {
    const { store, close } = await open(4)
    const m = fresh("mer")
    await store.commit(change(m))
    const holder = postgres(direct, { max: 1, onnotice: () => {} })
    const [verdict, slow] = await holder.begin(async (tx) => {
      await tx.unsafe("lock table setting in access exclusive mode")
      const reads = range(20).map((n) => store.setting(`s${n}`).catch((error: Error) => error.message))
      return [await store.commit(change(m)), await Promise.all(reads)]
    })
    await holder.end()
    await close()
    expect(verdict._tag).toBe("Committed")
    expect(slow.every((message) => /^(57014|STATEMENT_TIMEOUT)/.test(`${message}`))).toBe(true)
  })

  it("is cancelled by the server, and has certainly written nothing", async () => {
    const { store, close } = await open(2)
    const m = fresh("mer")
    await fund(store, m, "available:w", 5)
    const holder = postgres(direct, { max: 1, onnotice: () => {} })
    const fault = await holder.begin(async (tx) => {
      await tx.unsafe("select 1 from account where account = 'available:w' for update")
      return store.commit(change(m, { postings: [posting("available:w", "fees", 5)] })).catch((error: unknown) => error)
    })
    await holder.end()
    const left = await balance(store, m, "available:w")
    await close()
    expect(fault).toMatchObject({ _tag: "StorageFault", retryable: true })
    expect((fault as Error).message).toMatch(/^57014/)
    expect(left).toBe("5")
  })
})
