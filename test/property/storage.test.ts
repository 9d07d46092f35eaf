/** The memory store is the model: the same random Changes get the same verdicts and leave the same contents everywhere. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { listTouchedKeys } from "../../src/adapters/storage/change.ts"
import { MemoryStorage } from "../../src/adapters/storage/memory.ts"
import { PostgresStorage } from "../../src/adapters/storage/postgres.ts"
import type { Change, ForgetQuery, PostingWrite, Queue } from "../../src/engine/ports/Storage.ts"
import { until } from "../support/repository/poll-timeout.ts"
import { freshDatabase } from "../support/stores/database.ts"
import { freshPglite } from "../support/stores/pglite.ts"
import { opened, range, type Store, T0 } from "../adapters/storage/support.ts"
import { triesOf } from "../support/properties/tries.ts"

const model = opened(async () => [MemoryStorage.layer])
const pglite = opened(async () => [await freshPglite()])
const server = opened(async () => [PostgresStorage.layer({ url: await freshDatabase(), clock: "caller" })])

const pick = <A>(...values: ReadonlyArray<A>) => fc.constantFrom(...values)
const few = <A>(arbitrary: fc.Arbitrary<A>, maxLength = 2) => fc.array(arbitrary, { maxLength })
const unique = <A>(arbitrary: fc.Arbitrary<A>, selector: (a: A) => unknown, maxLength = 2) =>
  fc.uniqueArray(arbitrary, { maxLength, selector })

const at = fc.integer({ min: 0, max: 20 }).map((n) => T0 + n)
// Small amounts on few accounts: floors are reached, and often by several Changes of one batch.
const accounts = ["available:x", "available:y", "held:x", "fees", "world", "clearing:p"]
const text = fc.oneof(
  pick("", "a", "{x}", `"`, "\\"),
  fc.string({ unit: "grapheme", maxLength: 6 }).map((s) => s.replaceAll("\u0000", "").replace(/^\ufeff/, ""))
)

const arbitraryChange: fc.Arbitrary<Change> = fc
  .record({
    merchant_id: pick("mer_a", "mer_a", "mer_b"),
    at,
    idempotency: fc.option(
      fc.record({
        key: pick(...range(12).map((n) => `k${n}`)),
        fingerprint: text,
        response: fc.option(text),
        expires_at: fc.option(at)
      }),
      { nil: undefined, freq: 4 }
    ),
    lease: fc.option(fc.record({ job: pick("j1", "j2", "j3"), token: pick("born", "t1", "t2", "t3") }), {
      nil: undefined,
      freq: 1
    }),
    rows: unique(
      fc.record({
        kind: pick("transfer", "wallet"),
        id: pick("x_1", "x_2", "y_1"),
        version: pick(1, 1, 2, 2, 3, 4),
        machine: text,
        state: text,
        status: pick("open", "done"),
        customer_id: fc.option(text),
        root_id: fc.option(pick("x_1", "x_2")),
        created_at: at,
        updated_at: at,
        hidden: pick(false, false, true),
        event_count: fc.nat(5),
        index_keys: few(pick("a=1", "a=2", 'b="')),
        data: fc.jsonValue({ maxDepth: 2 }).map((v) => JSON.parse(JSON.stringify(v))),
        via: text,
        from: fc.option(text)
      }),
      (r) => `${r.kind}/${r.id}`
    ),
    checks: unique(
      fc.record({ kind: pick("transfer"), id: pick("x_1", "x_2", "y_2"), version: pick(0, 0, 1, 2) }),
      (r) => r.id,
      1
    ),
    postings: few(
      fc.record({
        debit: pick(...accounts),
        credit: pick(...accounts),
        currency: pick("USDC", "USDC", "USDC", "NGN"),
        resource_id: pick("x_1", "x_2"),
        amount: fc.oneof(
          { weight: 9, arbitrary: pick("1", "2", "3", "5") },
          { weight: 1, arbitrary: pick("9".repeat(38), `5${"0".repeat(37)}`) }
        ),
        version: pick(1, 2)
      }) as fc.Arbitrary<PostingWrite>,
      3
    ),
    unique_keys: unique(
      fc.record({ scope: pick("s", "t"), key: pick("1", "2", "3"), owner: text }),
      (c) => `${c.scope}/${c.key}`,
      1
    ),
    lookup_keys: unique(
      fc.record({ scope: pick("s"), key: pick("1", "2", "3"), kind: text, id: text }),
      (a) => a.key,
      1
    ),
    events: unique(
      fc.record({
        id: pick(...range(12).map((n) => `evt_01abcdefgh${n}`)),
        object_id: pick("x_1", "x_2", "y_1"),
        sequence: pick(1, 2, 3, 4, 5, 6),
        type: pick("t.a", "t.b", "t.c", "w.a"),
        category: pick("t", "w"),
        created_at: at,
        body: text
      }),
      (e) => e.id
    ),
    jobs: unique(
      fc
        .record({
          id: pick("j1", "j2", "j3"),
          queue: pick("q1", "q2") as unknown as fc.Arbitrary<Queue>,
          partition_key: pick("x_1", "l2"),
          status: pick("pending", "pending", "done"),
          due_at: at,
          attempt: fc.nat(3),
          created_at: at,
          body: fc.dictionary(pick("a", "b"), text, { maxKeys: 2 }),
          log: few(text, 1),
          lease: fc.option(fc.record({ token: pick("born"), wall: at, lease_ms: pick(0, 2, 50) }), {
            nil: undefined,
            freq: 1
          })
        })
        .map(({ lease, ...j }) => ({
          ...j,
          due_at: j.status === "pending" ? j.due_at : null,
          ...(lease === undefined ? {} : { lease })
        })),
      (j) => j.id
    ),
    cancels: few(pick("j1", "j2", "j9"), 1),
    subscriptions: unique(
      fc.record({ endpoint_id: pick("whe_1", "whe_2"), categories: few(pick("t", "w")) }),
      (s) => s.endpoint_id,
      1
    ),
    counters: few(
      fc.record({
        key: pick("c_1", "c_2"),
        bucket: pick(1, 2, 3),
        from: pick(1, 2, 3, null),
        add: pick("1", "2", "5", "-2"),
        max: pick("6", "6", "9", null)
      })
    )
  })
  .map(({ idempotency, lease, ...rest }) => ({
    ...rest,
    ...(idempotency === undefined ? {} : { idempotency }),
    ...(lease === undefined ? {} : { lease }),
    rows: rest.rows.map((r) => ({ ...r, merchant_id: rest.merchant_id })),
    checks: rest.checks.filter((c) => !rest.rows.some((r) => r.kind === c.kind && r.id === c.id))
  }))

type Step =
  | { readonly type: "commit"; readonly changes: ReadonlyArray<Change> }
  | {
      readonly type: "claim"
      readonly queue: Queue
      readonly now: number
      readonly wall: number
      readonly limit: number
      readonly per_partition: number
      readonly busy: ReadonlyArray<string>
      readonly token: string
    }
  | { readonly type: "take"; readonly now: number }
  | { readonly type: "forget"; readonly sort: ForgetQuery["sort"]; readonly before: number }

const arbitraryStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("commit" as const),
      changes: fc.array(arbitraryChange, { minLength: 1, maxLength: 5 })
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("claim" as const),
      queue: pick("q1", "q2", "delivery") as unknown as fc.Arbitrary<Queue>,
      now: at,
      wall: at,
      limit: pick(1, 2, 10),
      per_partition: pick(1, 2),
      busy: few(pick("x_1", "whe_1"), 1),
      token: pick("t1", "t2", "t3")
    })
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("take" as const), now: at }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("forget" as const),
      sort: pick<ForgetQuery["sort"]>("keys", "jobs", "events"),
      before: at
    })
  }
)

/** Changes that share no name may be sent at once; a store decides them in their order. */
const independent = (changes: ReadonlyArray<Change>): boolean => {
  const names = changes.flatMap((c) => listTouchedKeys(c).names)
  const events = changes.flatMap((c) =>
    c.events.flatMap((e) => [`${c.merchant_id} ${e.id}`, `${c.merchant_id} ${e.object_id} ${e.sequence}`])
  )
  return (
    [names, events].every((n) => new Set(n).size === n.length) && changes.every((c) => c.subscriptions.length === 0)
  )
}

let runs = 0

/** Gives the names of one run a mark of their own, since the runs share a store. */
const marked = (
  steps: ReadonlyArray<Step>
): { readonly steps: ReadonlyArray<Step>; readonly mark: (name: string) => string } => {
  const suffix = `.${++runs}`
  const mark = (name: string): string => name + suffix
  const steps_ = steps.map((s): Step => {
    if (s.type === "claim") return { ...s, queue: (s.queue === "delivery" ? s.queue : mark(s.queue)) as Queue }
    if (s.type === "take" || s.type === "forget") return s
    return {
      ...s,
      changes: s.changes.map((c) => ({
        ...c,
        merchant_id: mark(c.merchant_id),
        rows: c.rows.map((r) => ({ ...r, merchant_id: mark(r.merchant_id) })),
        lookup_keys: c.lookup_keys.map((a) => ({ ...a, scope: mark(a.scope) })),
        counters: c.counters.map((one) => ({ ...one, key: mark(one.key) })),
        jobs: c.jobs.map((j) => ({ ...j, queue: mark(j.queue) as Queue })),
        postings: c.postings.map((p) => ({ ...p, currency: mark(p.currency) }))
      }))
    }
  })
  return { steps: steps_, mark }
}

const answered = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: { name?: string }) => {
    if (error.name !== "InvariantViolation") throw error
    return "died"
  })

/** Changes that share a statement share `deliveries`: it is a hint, and only its absence is a promise. So none has it, or all. */
const sharedVerdicts = (verdicts: ReadonlyArray<unknown>): unknown => {
  const any = verdicts.some((v) => typeof v === "object" && v !== null && "deliveries" in v)
  const each = verdicts.map((v) => (typeof v === "object" && v !== null ? { ...v, deliveries: undefined } : v))
  return { each, any }
}

/** The feed with all events. A transaction of another test that ends while it is read may delay it. */
const wholeFeed = async (s: Store, merchant_id: string) => {
  const { total } = await s.events({ merchant_id, offset: 0, limit: 1 })
  return until(
    () => s.feed(merchant_id, null, 1_000),
    (fed) => fed?.length === total
  )
}

/** Runs the steps and tells all that was answered, and all that is there in the end. */
const reported = async (s: Store, steps: ReadonlyArray<Step>, mark: (name: string) => string): Promise<unknown> => {
  const answers: Array<unknown> = []
  for (const step of steps) {
    if (step.type === "commit") {
      if (independent(step.changes)) {
        answers.push(sharedVerdicts(await Promise.all(step.changes.map((c) => answered(s.commit(c))))))
      } else for (const c of step.changes) answers.push(await answered(s.commit(c)))
    } else if (step.type === "take") {
      answers.push(await s.take({ merchant_id: mark("mer_a"), per_second: 100, burst: 2, now: step.now }))
    } else if (step.type === "forget") {
      // How much it was is told by what is left: the runs of a store share it.
      await s.forget({ sort: step.sort, before: step.before, limit: 1_000_000 })
    } else if (step.queue !== "delivery") {
      answers.push(await s.claim({ ...step, lease_ms: 5 }))
    }
  }
  const merchants = ["mer_a", "mer_b"].map(mark)
  const page = { offset: 0, limit: 1_000 }
  const queues = [mark("q1"), mark("q2"), "delivery"] as ReadonlyArray<Queue>
  const contents = await Promise.all(
    merchants.map(async (m) => ({
      rows: await s.get(
        ["transfer", "wallet"].flatMap((kind) => ["x_1", "x_2", "y_1"].map((id) => ({ merchant_id: m, kind, id })))
      ),
      listed: await s.list({ merchant_id: m, kinds: ["wallet", "transfer"], index_keys: [], ...page }),
      filtered: await s.list({
        merchant_id: m,
        kinds: ["transfer", "wallet"],
        index_keys: ["a=1"],
        created_after: T0 + 3,
        offset: 1,
        limit: 1
      }),
      descendants: await s.descendants(m, ["x_1", "x_2"]),
      accounts: await s.accounts(m, accounts),
      applied: await Promise.all(range(12).map((n) => s.idempotencyRecord(m, `k${n}`, T0 + 10))),
      unique_keys: await Promise.all(
        ["s", "t"].flatMap((scope) => ["1", "2", "3"].map((key) => s.uniqueKeyOwner(m, scope, key)))
      ),
      jobs: await Promise.all(queues.map((queue) => s.jobs({ merchant_id: m, queue, ...page }))),
      feed: await wholeFeed(s, m),
      events: await s.events({ merchant_id: m, ...page }),
      histories: await Promise.all(["x_1", "x_2", "y_1"].map((id) => s.history(m, id)))
    }))
  )
  const { currencies, classes } = await s.trialBalance()
  const mine = <A extends { readonly currency: string }>(all: ReadonlyArray<A>) =>
    all.filter((c) => ["USDC", "NGN"].some((n) => mark(n) === c.currency))
  return {
    answers,
    contents,
    lookup_keys: await Promise.all(["1", "2", "3"].map((key) => s.lookup(mark("s"), key))),
    due: await s.nextDue(queues.slice(0, 2)),
    trial: [mine(currencies), mine(classes)]
  }
}

describe("a store and its model", () => {
  const same = (nodes: typeof pglite, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(fc.array(arbitraryStep, { minLength: 1, maxLength: 12 }), async (random) => {
        const { steps, mark } = marked(random)
        expect(await reported(nodes.a, steps, mark)).toEqual(await reported(model.a, steps, mark))
      }),
      // A difference that takes long to shrink is told as it is by then, and not as a test that timed out.
      { numRuns: triesOf(numRuns), plugins: [fc.interruptAfterTimeLimit(240_000, { failOnInterrupt: true })] }
    )

  // Its statements are those of Postgres, and a run costs three times as much.
  it("agree on PGlite", () => same(pglite, 40))
  it("agree on Postgres", () => same(server, 120))

  it("balance every currency, whatever was committed", async () => {
    for (const s of [model.a, pglite.a, server.a]) {
      const { currencies } = await s.trialBalance()
      expect(currencies.filter((c) => c.debits !== c.credits)).toEqual([])
      expect(currencies.length).toBeGreaterThan(10)
    }
  })
})
