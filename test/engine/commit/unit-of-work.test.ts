/** What the unit of work makes of each answer of a store: when it decides again, asks again, gives up, and what it says then. */
import { Cause, Context, Effect, Exit, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { setup } from "xstate"
import { lifecycle, outcomes } from "../../../src/machines/kernel/lifecycle.ts"
import { type KeyScope, referenceScope, takeUniqueKey } from "../../../src/engine/commit/changeset.ts"
import { Kinds, type ResourceKind } from "../../../src/engine/commit/kind.ts"
import { begin } from "../../../src/engine/commit/steps.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { returnedScope } from "../../../src/engine/resources/deposits/exception.ts"
import { payinScope } from "../../../src/engine/resources/deposits/payin-record.ts"
import { targetScope } from "../../../src/engine/resources/deposits/payin-target.ts"
import { executedScope } from "../../../src/engine/resources/movements/creation.ts"
import { firstScope, refusedScope } from "../../../src/engine/resources/parties/screening.ts"
import { linkScope } from "../../../src/engine/resources/parties/verification.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import type { Call } from "../../../src/engine/commit/call.ts"
import { Cipher } from "../../../src/engine/ports/Cipher.ts"
import * as Engine from "../../../src/engine/Engine.ts"
import { NotFound, StorageFault } from "../../../src/engine/ports/errors.ts"
import { kinds } from "../../../src/engine/registry.ts"
import { type Decision, UnitOfWork, isRefusal, summarizeCause } from "../../../src/engine/commit/UnitOfWork.ts"
import { keyLifetime } from "../../../src/engine/settings/retention.ts"
import { WalletKind } from "../../../src/engine/resources/wallets/wallet.ts"
import { DepositAddressKind } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { type IdempotencyRecord, type Change, Storage, type CommitResult } from "../../../src/engine/ports/Storage.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { T0, wallClock } from "../../support/engines/wall-clock.ts"

type Answer = CommitResult | StorageFault

const committed = { _tag: "Committed" } as const satisfies CommitResult
const conflict: CommitResult = { _tag: "VersionConflict", kind: "wallet", id: "wal_1" }
const lost: CommitResult = { _tag: "LeaseLost" }
const taken = (scope: string, key = "k"): CommitResult => ({ _tag: "Taken", scope, key, owner: "tfr_1" })
const poor: CommitResult = { _tag: "InsufficientFunds", account: "available:wal_1", currency: "USDC" }
const repeated = (record: Partial<IdempotencyRecord>): CommitResult => ({
  _tag: "Repeated",
  record: { key: "idem/key-0001", fingerprint: "print", response: "{}", expires_at: null, at: T0, ...record }
})
const away = (retryable: boolean): StorageFault => new StorageFault({ message: "away", retryable })

const keyed = { key: "key-0001", fingerprint: "print" }
const callOf = (idempotency: Call["idempotency"]): Call => ({
  merchant_id: "mer_1",
  role: "admin",
  key_id: null,
  operator: null,
  operation: "aTest",
  request_id: "req_1",
  idempotency,
  if_match: null,
  reply: (result) => JSON.stringify(result)
})

const job = {
  id: "j1",
  queue: "command",
  partition_key: "tfr_1",
  status: "pending",
  due_at: T0,
  attempt: 0,
  created_at: T0,
  body: {},
  log: []
} as const
const event = { id: "evt_1", object_id: "tfr_1", sequence: 1, type: "t", category: "c", created_at: T0, body: "{}" }

interface Seen {
  readonly changes: Array<Change>
  readonly hints: Array<string>
  decisions: number
}

/** A unit of work over a store that answers as told, and then as it would; the n-th decision's result is n. */
const asked = async <A, E>(
  answers: ReadonlyArray<Answer>,
  ask: (
    unitOfWork: UnitOfWork["Service"],
    decide: (more?: Partial<Decision<number>>) => Effect.Effect<Decision<number>>,
    storage: Storage["Service"]
  ) => Effect.Effect<A, E>
): Promise<Seen & { readonly exit: Exit.Exit<A, E> }> => {
  const seen: Seen = { changes: [], hints: [], decisions: 0 }
  const left = [...answers]
  const store = Layer.effect(
    Storage,
    Effect.map(Storage, (storage) =>
      Storage.of({
        ...storage,
        commit: (change) =>
          Effect.suspend(() => {
            seen.changes.push(change)
            const answer = left.shift()
            if (answer === undefined) return storage.commit(change)
            return answer._tag === "StorageFault" ? Effect.fail(answer) : Effect.succeed(answer)
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  const cipher = Layer.succeed(
    Cipher,
    Cipher.of({
      keys: ["test"],
      seal: (plain) => Effect.succeed(plain.split("").toReversed().join("")),
      open: (sealed) => Effect.succeed(sealed.split("").toReversed().join(""))
    })
  )
  const environment = UnitOfWork.layer.pipe(
    Layer.provideMerge(Layer.mergeAll(store, cipher, Engine.local, Layer.succeed(Kinds, kinds))),
    // Nobody waits here: how often is what is asked.
    Layer.provide(
      wallClock(
        () => T0,
        () => Effect.void
      )
    )
  )
  const decide = (more: Partial<Decision<number>> = {}) =>
    Effect.sync(() => ({ changes: [], result: ++seen.decisions, ...more }))
  const program = Effect.gen(function* () {
    const context = yield* Effect.context<UnitOfWork | Storage | JobNotifier>()
    const unlisten = Context.get(context, JobNotifier).listen((queue) => seen.hints.push(queue))
    const exit = yield* Effect.exit(ask(Context.get(context, UnitOfWork), decide, Context.get(context, Storage)))
    unlisten()
    return exit
  })
  const exit = await Effect.runPromise(
    Effect.provide(program, [
      environment,
      wallClock(
        () => T0,
        () => Effect.void
      )
    ])
  )
  return { ...seen, exit }
}

const write = (answers: ReadonlyArray<Answer>, idempotency: Call["idempotency"] = keyed) =>
  asked(answers, (unitOfWork, decide) => unitOfWork.write(callOf(idempotency), decide()))

/** The error that a failed exit holds, or its defect. */
const errorOf = (exit: Exit.Exit<unknown, unknown>): Error & { readonly _tag?: string } => {
  if (Exit.isSuccess(exit)) throw new Error("it succeeded")
  const error = Cause.squash(exit.cause)
  return error instanceof Error ? error : new Error(String(error))
}
const tagOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => errorOf(exit)._tag
const valueOf = (exit: Exit.Exit<unknown, unknown>): unknown => {
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}

describe("a call's write", () => {
  it("carries its key, what tells a repeat from a reuse, and its answer, for a day", async () => {
    const { exit, changes } = await write([])
    expect(valueOf(exit)).toBe(1)
    expect(changes.map(({ merchant_id, at, idempotency }) => ({ merchant_id, at, idempotency }))).toEqual([
      {
        merchant_id: "mer_1",
        at: T0,
        idempotency: { key: "idem/key-0001", fingerprint: "print", response: "1", expires_at: T0 + 86_400_000 }
      }
    ])
    expect(keyLifetime).toBe(86_400_000)
  })

  it("without a key is named by nothing that comes again, and keeps no answer", async () => {
    const [first, second] = [await write([], null), await write([], null)]
    const records = [...first.changes, ...second.changes].map(({ idempotency }) => idempotency!)
    for (const record of records) {
      expect(record.key).toMatch(/^req\/req_/)
      expect(record).toMatchObject({ fingerprint: "", response: null, expires_at: T0 + 86_400_000 })
    }
    expect(new Set(records.map(({ key }) => key)).size).toBe(2)
  })

  it("is decided again when what it read has changed, and answers what was decided last", async () => {
    const { exit, changes, decisions } = await write([conflict, conflict, committed])
    expect([valueOf(exit), decisions, changes.map(({ idempotency }) => idempotency?.response)]).toEqual([
      3,
      3,
      ["1", "2", "3"]
    ])
  })

  it("gives up after twelve decisions", async () => {
    const { exit, decisions } = await write(Array.from({ length: 20 }, () => conflict))
    expect([tagOf(exit), decisions]).toEqual(["Conflict", 12])
    expect(errorOf(exit).message).toContain("Read it again")
  })

  const takes = (scope: KeyScope, written = scope.name) =>
    asked([taken(written), committed], (unitOfWork, decide) =>
      unitOfWork.write(callOf(null), decide({ changes: [takeUniqueKey(scope, "k", "tfr_1")] }))
    )

  it.each([
    targetScope,
    returnedScope,
    payinScope("arrival"),
    payinScope("detection"),
    payinScope("late_arrival"),
    payinScope("recall"),
    firstScope,
    refusedScope
  ])("is decided again where another has taken the same key: $name", async (scope) => {
    const { exit, decisions } = await takes(scope)
    expect([valueOf(exit), decisions]).toEqual([2, 2])
  })

  it("is decided again where another has published the same event", async () => {
    const machine = setup({ actions: outcomes }).createMachine({
      id: "memo",
      initial: "made",
      context: {},
      states: { made: { type: "final", entry: { type: "publish", params: { type: "made" } } } }
    })
    const MemoKind: ResourceKind = {
      kind: "memo",
      prefix: "mem",
      lifecycle: lifecycle("memo", machine),
      events: { category: "memo", object: () => ({}) }
    }
    const { changes } = await Effect.runPromise(
      Effect.provide(begin(MemoKind, { merchant_id: "mer_1", id: "mem_1" }, {}, T0), Ids.layer)
    )
    const { exit, decisions } = await asked([taken("event"), committed], (unitOfWork, decide) =>
      unitOfWork.write(callOf(null), decide({ changes: [changes] }))
    )
    expect([changes.events?.map(({ type }) => type), valueOf(exit), decisions]).toEqual([["memo.made"], 2, 2])
  })

  it.each([
    [referenceScope, 'The reference "k" is in use by another movement. References are unique per merchant.'],
    [executedScope, "Quote k was already executed. A quote can be executed only once."],
    [{ name: "label", taken: (key) => `The label "${key}" is taken.` } satisfies KeyScope, 'The label "k" is taken.']
  ])("is refused as the scope of its key says where the key is taken: %o", async (scope, message) => {
    const { exit, decisions } = await takes(scope)
    expect([tagOf(exit), errorOf(exit).message, decisions]).toEqual(["DuplicateResource", message, 1])
  })

  it("whose key nobody else can have, or that took no such key, is a bug", async () => {
    for (const written of [await takes(linkScope), await takes(referenceScope, "label")])
      expect([String(errorOf(written.exit)), written.decisions]).toEqual([
        expect.stringContaining("k belongs to tfr_1"),
        1
      ])
  })

  it("is refused where the money is not there, by its currency", async () => {
    const { exit } = await write([poor])
    expect([tagOf(exit), errorOf(exit).message]).toEqual([
      "InsufficientFunds",
      "The wallet's available USDC balance is below the amount."
    ])
  })

  it("that lost a lease it cannot hold is a bug", async () => {
    expect(String(errorOf((await write([lost])).exit))).toContain("a call has no lease")
  })

  it("that finds its own answer kept was written before: its acknowledgement was lost", async () => {
    const { exit, changes } = await write([away(true), repeated({ response: "1" })])
    expect(valueOf(exit)).toBe(1)
    expect(changes[1]).toBe(changes[0])
  })

  it.each([
    ["another answer to the same request", { response: "0" }, "IdempotencyInProgress"],
    ["another request", { response: "0", fingerprint: "other" }, "IdempotencyConflict"],
    ["the same answer under another key", { key: "idem/key-0002", response: "1" }, "IdempotencyInProgress"]
  ])("that finds %s kept is refused", async (_, record, tag) => {
    const { exit, decisions } = await write([repeated(record)])
    expect([tagOf(exit), decisions]).toEqual([tag, 1])
    expect(errorOf(exit).message).toMatch(
      tag === "IdempotencyConflict" ? /used before with another request/ : /still running/
    )
  })

  it("is committed again, as it is, while the store is away: six times", async () => {
    const { exit, changes, decisions } = await write(Array.from({ length: 9 }, () => away(true)))
    expect([tagOf(exit), changes.length, decisions]).toEqual(["StorageFault", 6, 1])
    expect(new Set(changes).size).toBe(1)
    const { exit: fifth } = await write([...Array.from({ length: 5 }, () => away(true)), committed])
    expect(valueOf(fifth)).toBe(1)
  })

  it("is not committed again where that cannot help", async () => {
    const { exit, changes } = await write([away(false)])
    expect([tagOf(exit), changes.length]).toEqual(["StorageFault", 1])
  })

  it("tells the dispatcher what it left to do, once it is written", async () => {
    const changes = [{ jobs: [job], events: [event] }]
    const written = (answers: ReadonlyArray<Answer>, decided = changes) =>
      asked(answers, (unitOfWork, decide) => unitOfWork.write(callOf(keyed), decide({ changes: decided })))
    expect((await written([committed])).hints).toEqual(["command"])
    expect((await written([{ ...committed, deliveries: true }])).hints).toEqual(["command", "delivery"])
    expect((await written([poor])).hints).toEqual([])
    expect((await written([committed], [])).hints).toEqual([])
  })
})

describe("an answer that holds a secret", () => {
  it("is kept sealed, and opened for a repeat", async () => {
    const { exit, changes } = await asked([], (unitOfWork, decide) =>
      Effect.gen(function* () {
        yield* unitOfWork.write(callOf(keyed), decide({ result: 123, secret: true }))
        return yield* unitOfWork.replay(callOf(keyed))
      })
    )
    expect([changes[0]?.idempotency?.response, valueOf(exit)]).toEqual(["sealed:321", "123"])
  })
})

describe("a repeat", () => {
  const replayed = (idempotency: Call["idempotency"]) =>
    asked([], (unitOfWork, decide) =>
      Effect.andThen(unitOfWork.write(callOf(keyed), decide()), unitOfWork.replay(callOf(idempotency)))
    )
  it("is answered as before, by key and request, and nothing else is", async () => {
    expect(valueOf((await replayed(keyed)).exit)).toBe("1")
    expect(valueOf((await replayed({ ...keyed, key: "key-0002" })).exit)).toBeUndefined()
    expect(valueOf((await replayed(null)).exit)).toBeUndefined()
    expect(tagOf((await replayed({ ...keyed, fingerprint: "other" })).exit)).toBe("IdempotencyConflict")
  })
})

describe("a refusal", () => {
  const refused = (answers: ReadonlyArray<Answer>, idempotency: Call["idempotency"] = keyed) =>
    asked(answers, (unitOfWork) => unitOfWork.recordRefusal(callOf(idempotency), "no"))

  it("is kept under its key, and writes nothing else", async () => {
    const { exit, changes } = await refused([])
    expect(Exit.isSuccess(exit)).toBe(true)
    expect(changes).toEqual([
      expect.objectContaining({
        idempotency: { key: "idem/key-0001", fingerprint: "print", response: "no", expires_at: T0 + 86_400_000 },
        rows: [],
        postings: [],
        events: []
      })
    ])
  })

  it("of a call without a key is not kept", async () => {
    expect((await refused([], null)).changes).toEqual([])
  })

  it("stands where it is kept already, and gives way to another answer", async () => {
    expect(Exit.isSuccess((await refused([repeated({ response: "no" })])).exit)).toBe(true)
    expect(tagOf((await refused([repeated({ response: "yes" })])).exit)).toBe("IdempotencyInProgress")
    expect(tagOf((await refused([repeated({ response: "yes", fingerprint: "o" })])).exit)).toBe("IdempotencyConflict")
  })
})

describe("what happened outside", () => {
  const apply = (answers: ReadonlyArray<Answer>, source = {}) =>
    asked(answers, (unitOfWork, decide) =>
      unitOfWork.apply(
        "mer_1",
        source,
        decide({ changes: [takeUniqueKey(targetScope, "k", "tfr_1"), takeUniqueKey(referenceScope, "k", "tfr_1")] })
      )
    )
  const lease = { job: "j1", token: "t1" }

  it("is written under the name and the lease that it came with, and its name is kept for ever, or as long as it says", async () => {
    const { exit, changes } = await apply([committed], { deduplicationKey: "provider/p/e1", lease })
    expect(valueOf(exit)).toEqual({ _tag: "applied", result: 1 })
    const idempotency = { key: "provider/p/e1", fingerprint: "", response: null, expires_at: null }
    expect(changes[0]).toMatchObject({ merchant_id: "mer_1", at: T0, idempotency, lease })
    const [short] = (await apply([committed], { deduplicationKey: "tick", deduplication_ms: 1000 })).changes
    expect(short?.idempotency?.expires_at).toBe(T0 + 1000)
    const [bare] = (await apply([committed])).changes
    expect([bare?.idempotency, bare?.lease]).toEqual([undefined, undefined])
  })

  it.each([
    ["heard before", repeated({})],
    ["somebody else's by now", lost]
  ])("and was %s changes nothing", async (_, verdict) => {
    expect(valueOf((await apply([verdict])).exit)).toEqual({ _tag: "duplicate" })
  })

  it("and was heard before with other content is told from a repeat", async () => {
    const source = { deduplicationKey: "e1", content: "what it says" }
    const written = (await apply([committed], source)).changes[0]!.idempotency!
    expect(written.response).toBe("what it says")
    expect(valueOf((await apply([repeated(written)], source)).exit)).toEqual({ _tag: "duplicate" })
    const other = { ...source, content: "something else" }
    expect(valueOf((await apply([repeated(written)], other)).exit)).toEqual({ _tag: "reused" })
  })

  it("is decided again when what it read has changed, or another wrote the same", async () => {
    const { exit, decisions } = await apply([conflict, taken("payin"), committed])
    expect([valueOf(exit), decisions]).toEqual([{ _tag: "applied", result: 3 }, 3])
  })

  it.each([
    ["names what is taken", taken("reference"), "reference k belongs to tfr_1"],
    ["takes money that is not there", poor, "available:wal_1 would go below zero"]
  ])("and %s is a bug: nobody is there to be told", async (_, verdict, message) => {
    const { exit, decisions } = await apply([verdict])
    expect(String(errorOf(exit))).toContain(message)
    expect(decisions).toBe(1)
  })

  it("is decided 48 times, and is then to be told again", async () => {
    const { exit, decisions } = await apply(
      Array.from({ length: 60 }, () => conflict),
      { deduplicationKey: "o" }
    )
    expect(errorOf(exit)).toMatchObject({ _tag: "StorageFault", retryable: true })
    expect(String(errorOf(exit))).toContain(
      'rows of mer_1 were modified repeatedly by other writes during {"deduplicationKey":"o"}'
    )
    expect(decisions).toBe(48)
  })
})

const counter = {
  merchant_id: "mer_1",
  kind: "wallet",
  id: "wal_1",
  machine: "1",
  state: "active",
  status: "active",
  customer_id: null,
  root_id: null,
  created_at: T0,
  updated_at: T0,
  hidden: false,
  event_count: 0,
  index_keys: [],
  via: "update",
  from: "active"
}

describe("writes that want one row at once", () => {
  /** Each counts one up, having read what stands: `decisions` is how often all of them were decided. */
  const counted = (rivals: number, apply: boolean) =>
    asked([], (unitOfWork, decide, storage) =>
      Effect.gen(function* () {
        const key = { merchant_id: "mer_1", kind: "wallet", id: "wal_1" }
        const up = Effect.gen(function* () {
          const [row] = yield* storage.get([key])
          yield* Effect.yieldNow
          const { version = 0, data } = (row ?? {}) as { version?: number; data?: { count: number } }
          const next = { ...counter, version: version + 1, data: { count: (data?.count ?? 0) + 1 } }
          return yield* decide({ changes: [{ rows: [next] }] })
        })
        const one = (n: number): Effect.Effect<unknown, unknown> =>
          apply ? unitOfWork.apply("mer_1", { deduplicationKey: `e${n}` }, up) : unitOfWork.write(callOf(null), up)
        yield* Effect.all(
          Array.from({ length: rivals }, (_, n) => one(n)),
          { concurrency: "unbounded" }
        )
        return (yield* storage.get([key]))[0]?.data
      })
    )

  it.each([
    ["calls", false],
    ["words from outside", true]
  ])("are decided twice at most, however many %s they are", async (_, apply) => {
    const { exit, decisions } = await counted(200, apply)
    expect(valueOf(exit)).toEqual({ count: 200 })
    expect(decisions).toBeLessThanOrEqual(400)
  })
})

describe("a row", () => {
  it("that is missing is named by its kind and id, the first of several", async () => {
    const { exit } = await asked([], (unitOfWork) => unitOfWork.load(DepositAddressKind, "mer_1", "da_1"))
    expect([tagOf(exit), errorOf(exit).message]).toEqual(["NotFound", 'There is no deposit address "da_1".'])
    const both = await asked([], (unitOfWork) =>
      unitOfWork.loadAll("mer_1", [WalletKind, "wal_1"], [DepositAddressKind, "da_1"])
    )
    expect(errorOf(both.exit).message).toBe('There is no wallet "wal_1".')
  })
})

describe("what went wrong", () => {
  it("is the caller's business, or the world's", () => {
    expect(isRefusal(new NotFound({ message: "no" }))).toBe(true)
    expect([away(true), { _tag: "ProviderFault" }].map(isRefusal)).toEqual([false, false])
  })

  it("is said in one line", () => {
    expect(summarizeCause(Cause.die(new Error("the first\nand more")))).toBe("Error: the first")
  })
})
