/** Helpers of the conformance suite: a store as promises, unique names, and Changes with defaults. */
import { Effect, type Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll } from "vitest"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import {
  EMPTY,
  type Change,
  type ClaimQuery,
  type EventWrite,
  type JobWrite,
  type PostingWrite,
  type Queue,
  type RowWrite,
  Storage
} from "../../../src/engine/ports/Storage.ts"

type Service = Storage["Service"]

/** The port with promises instead of Effects. Its constants are functions here. */
export type Store = {
  readonly [K in Exclude<keyof Service, "watch">]: Service[K] extends (
    ...args: infer A
  ) => Effect.Effect<infer R, StorageFault>
    ? (...args: A) => Promise<R>
    : Service[K] extends Effect.Effect<infer R, StorageFault>
      ? () => Promise<R>
      : never
} & { readonly service: Service }

type Method = (...args: ReadonlyArray<never>) => Effect.Effect<unknown>

export const promised = (service: Service): Store =>
  Object.assign(
    Object.fromEntries(
      Object.entries(service).map(([name, member]) => [
        name,
        (...args: ReadonlyArray<never>) =>
          Effect.runPromise(
            typeof member === "function" ? (member as unknown as Method)(...args) : (member as Effect.Effect<unknown>)
          )
      ])
    ),
    { service }
  ) as unknown as Store

/** Two nodes on one store. A store with a single session has the same node twice. */
export interface Nodes {
  readonly a: Store
  readonly b: Store
}

/** Opens the layers for a test file. The nodes are available once the tests run. */
export const opened = (layers: () => Promise<ReadonlyArray<Layer.Layer<Storage, StorageFault>>>): Nodes => {
  const stores: Array<Store> = []
  const runtimes: Array<ManagedRuntime.ManagedRuntime<Storage, StorageFault>> = []
  beforeAll(async () => {
    for (const layer of await layers()) {
      const runtime = ManagedRuntime.make(layer)
      runtimes.push(runtime)
      stores.push(promised(await runtime.runPromise(Storage)))
    }
  })
  afterAll(async () => {
    for (const runtime of runtimes) await runtime.dispose()
  })
  return {
    get a() {
      return stores[0]!
    },
    get b() {
      return stores[1] ?? stores[0]!
    }
  }
}

let serial = 0
/** A name that no other test uses, because the tests of a file share one store. */
export const fresh = (prefix: string): string => `${prefix}_${(++serial).toString(36).padStart(8, "0")}`
export const freshQueue = (): Queue => fresh("queue") as Queue

export const T0 = 1_700_000_000_000

export const idempotency = (key: string = fresh("key"), over: Partial<NonNullable<Change["idempotency"]>> = {}) => ({
  key,
  fingerprint: "print",
  response: "answer",
  expires_at: null,
  ...over
})

export const change = (merchant_id: string, over: Partial<Change> = {}): Change => ({
  merchant_id,
  at: T0,
  ...("lease" in over ? {} : { idempotency: idempotency() }),
  ...EMPTY,
  ...over
})

export const row = (merchant_id: string, over: Partial<RowWrite> = {}): RowWrite => ({
  merchant_id,
  kind: "transfer",
  id: fresh("tfr"),
  version: 1,
  machine: "1",
  state: "processing",
  status: "pending",
  customer_id: null,
  root_id: null,
  created_at: T0,
  updated_at: T0,
  hidden: false,
  event_count: 0,
  index_keys: [],
  data: {},
  via: "create",
  from: null,
  ...over
})

/** The row that `get` returns after a write. */
export const kept = ({ via: _via, from: _from, ...rest }: RowWrite) => rest

export const posting = (debit: string, credit: string, amount: string | number, over: Partial<PostingWrite> = {}) =>
  ({ debit, credit, amount: `${amount}`, currency: "USDC", resource_id: "tfr_x", version: 1, ...over }) as PostingWrite

export const event = (over: Partial<EventWrite> = {}): EventWrite => ({
  id: fresh("evt"),
  object_id: fresh("tfr"),
  sequence: 1,
  type: "transfer.success",
  category: "transfer",
  created_at: T0,
  body: "{}",
  ...over
})

export const job = (queue: Queue, over: Partial<JobWrite> = {}): JobWrite => ({
  id: fresh("job"),
  queue,
  partition_key: fresh("partition"),
  status: "pending",
  due_at: T0,
  attempt: 0,
  created_at: T0,
  body: {},
  log: [],
  ...over
})

export const claimOf = (queue: Queue, over: Partial<ClaimQuery> = {}): ClaimQuery => ({
  queue,
  now: T0,
  wall: T0,
  lease_ms: 1_000,
  token: fresh("lease"),
  limit: 100,
  per_partition: 100,
  busy: [],
  ...over
})

/** Commits once, and waits for the roll-up that follows: what a test commits from then on, it rolls up itself. */
export const rolledUpOnce = async (
  store: Store,
  sql: { readonly unsafe: (text: string) => PromiseLike<ReadonlyArray<unknown>> }
): Promise<void> => {
  const merchant_id = fresh("mer")
  await store.commit(change(merchant_id, { rows: [row(merchant_id)] }))
  while ((await sql.unsafe("select 1 from setting where key = 'list_counter.mark'")).length === 0)
    await new Promise((later) => setTimeout(later, 5))
}

/** Credits `amount` to a guarded account of a merchant. */
export const fund = (s: Store, merchant_id: string, account: string, amount: string | number) =>
  s.commit(change(merchant_id, { postings: [posting("world", account, amount)] }))

export const balance = async (s: Store, merchant_id: string, account: string): Promise<string | undefined> =>
  (await s.accounts(merchant_id, [account]))[0]?.balance

/** The rule of the defect with which a promise was rejected. */
export const ruleOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => Promise.reject(new Error(`no defect, but ${JSON.stringify(value)}`)),
    (error: { name?: string; rule?: string }) => {
      if (error.name !== "InvariantViolation") throw error
      return error.rule!
    }
  )

export const range = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, i) => i)

export const countByTag = (verdicts: ReadonlyArray<{ readonly _tag: string }>): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { _tag } of verdicts) counts[_tag] = (counts[_tag] ?? 0) + 1
  return counts
}
