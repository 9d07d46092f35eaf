/**
 * A dry run of every operation against the call itself: the same answer but for ids, times and secrets, and a store that is as before,
 * down to its sequences.
 */
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { canDryRun } from "../../../src/engine/calls/operation.ts"
import { entries } from "../../../src/engine/operations.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { type Answer, startApi } from "../../support/http/server.ts"
import { type Stock, startStocked, stockOf } from "../../support/http/stocked-server.ts"
import { catalogue, onrampQuote, type Request } from "../../support/http/successful-requests.ts"
import { inTurn } from "../../support/repository/turns.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { dumping } from "../../support/stores/dumped.ts"
import { covers } from "../../support/repository/covers.ts"
import { storesHere } from "../../support/engines/every-store.ts"

/** What writes to a store. `verdict` and a `take` that peeks do not. */
const writes = ["commit", "reindex", "claim", "forget", "define", "assign", "replaceResponse"] as const

/** A store whose writes are counted. */
const counted = (count: { writes: number }, layer: Layer.Layer<Storage>): Layer.Layer<Storage> =>
  Layer.effect(
    Storage,
    Effect.map(Storage, (storage) =>
      Storage.of({
        ...storage,
        ...(Object.fromEntries(
          writes.map((name) => [
            name,
            (...args: ReadonlyArray<never>) =>
              Effect.suspend(() => {
                count.writes++
                return (storage[name] as unknown as (...given: typeof args) => Effect.Effect<unknown>)(...args)
              })
          ])
        ) as object),
        take: (bucket) => {
          if (bucket.peek !== true) count.writes++
          return storage.take(bucket)
        }
      })
    )
  ).pipe(Layer.provide(layer))

interface Opened {
  readonly storage: Layer.Layer<Storage>
  /** The store as it is, to be compared. */
  readonly dump: () => Promise<unknown>
  readonly close: () => Promise<void>
}

const opened: Readonly<Record<string, () => Promise<Opened>>> = {
  memory: async () => {
    const count = { writes: 0 }
    return { storage: counted(count, MemoryStorage.layer), dump: async () => count.writes, close: async () => {} }
  },
  postgres: async () => {
    const url = await freshDatabase()
    return { storage: Layer.orDie(PostgresStorage.layer({ url, connections: 6 })), ...(await dumping(url)) }
  }
}

const dryRunnable = entries.flatMap(({ operation }) => (canDryRun(operation) ? [operation.id] : []))

const dry = (path: string): string => `${path}${path.includes("?") ? "&" : "?"}dry_run=true`

const secrets = [
  /\b[a-z]{2,5}_[0-9a-hjkmnp-tv-z]{26}(?:\.\w+)?/g,
  /\b\d{4}-\d\d-\d\dT[\d:.]+Z/g,
  /\b[0-9a-hjkmnp-tv-z]{26}(?=@)/g,
  /\bsk_test_[\w-]{4,}(?:…)?/g,
  /\bop_[\w-]{4,}/g,
  /\bwhsec_[\w+/=-]+/g,
  /\bv[0-9a-f]{16}\b/g,
  /\/verify\/[\w-]+/g
]

/** What an answer says, without what no two calls share. Where no provider was asked, without what it would have said. */
const contentOf = ({ json, status }: Answer): unknown => {
  const { dry_run: _, ...meta } = json.meta
  const { deposit_instruction: __, depositInstruction: ___, ...data } = json.data ?? {}
  return {
    status,
    ...JSON.parse(secrets.reduce((text, secret) => text.replace(secret, "…"), JSON.stringify({ ...json, data, meta })))
  }
}

/** The first call that uses a rate has it written beside itself, also while a later call is compared. These are written here. */
const acceptRates = async ({ operate }: Stock): Promise<void> => {
  const { json } = await operate("/operator/v1/rates?per_page=100")
  for (const { currency, per_usd } of json.data)
    await operate(`/operator/v1/rates/${currency}/accept`, { body: { per_usd, note: "as it is" } })
}

describe.each(storesHere(Object.keys(opened)))("a dry run of, on %s,", (store) => {
  let s: Stock
  let books: Opened
  beforeAll(async () => {
    books = await opened[store]!()
    s = await stockOf(await startApi({ rate_per_second: 0 }, books.storage))
    await acceptRates(s)
  })
  afterAll(async () => {
    await s.api.close()
    await books.close()
  })

  /** The answers of a dry run, of another, and of the call, and whether the store was as before. */
  const compared = async ({ path, ...options }: Request) => {
    const before = await books.dump()
    const tried = await s.api.ask(dry(path), options)
    const again = await s.api.ask(dry(path), options)
    const after = await books.dump()
    return { tried, again, before, after, done: await s.api.ask(path, options) }
  }

  // What a database is from one moment to the next is compared of those operations that have their turn.
  const those = store === "memory" ? dryRunnable : inTurn("a dry run of", dryRunnable, String)

  covers("DRYRUN-1", "DRYRUN-2")
  it.each(those)("%s answers what the call then answers", async (id) => {
    const { after, again, before, done, tried } = await compared(await catalogue[id]!(s))
    expect(after).toEqual(before)
    expect(contentOf(tried)).toEqual(contentOf(done))
    expect(contentOf(again)).toEqual(contentOf(tried))
    expect(done.json).toMatchObject({ code: "ok", meta: { request_id: expect.any(String) } })
    expect(done.json.meta).not.toHaveProperty("dry_run")
    expect(tried.json.meta.dry_run).toEqual({
      postings: expect.any(Array),
      events: expect.any(Array),
      route: tried.json.meta.dry_run.route,
      limits: [],
      approval: null,
      not_asked: expect.any(Array)
    })
  })

  it.each(those)("%s with what it does not take is refused as the call is", async (id) => {
    const { path, ...options } = await catalogue[id]!(s)
    const wrong = { path: path.replace(/[0-9a-hjkmnp-tv-z]{26}/, "0".repeat(26)), ...options, body: { wallet_id: 7 } }
    const { after, before, done, tried } = await compared(wrong)
    expect(after).toEqual(before)
    expect(contentOf(tried)).toEqual(contentOf(done))
    if (done.status !== 200) expect(tried.json.meta.dry_run).toMatchObject({ postings: [], events: [], route: null })
  })
})

describe("a dry run", () => {
  let s: Stock
  beforeAll(async () => {
    s = await startStocked()
  })
  afterAll(() => s.api.close())
  const paying = (amount: string) => ({ wallet_id: s.wallet, beneficiary_id: s.crypto, amount })
  const transfers = async (): Promise<number> => (await s.api.ask("/v1/transfers")).json.meta.total

  covers("DRYRUN-1", "DRYRUN-3", "DRYRUN-4")
  it("of a transfer shows a merchant its postings, events and way, and no provider", async () => {
    const { json } = await s.api.ask("/v1/transfers?dry_run=true", { body: { ...paying("2.50"), reference: "dry-1" } })
    const { id } = json.data
    expect(json.meta.dry_run).toEqual({
      postings: [
        {
          resource_id: id,
          debit: `available:${s.wallet}`,
          credit: `reserved:${s.wallet}`,
          amount: "2.50",
          currency: "USDC"
        }
      ],
      events: [{ type: "transfer.processing", resource_id: id }],
      route: {
        provider: null,
        fallbacks: [],
        source_currency: "USDC",
        destination_currency: "USDC",
        network: "solana"
      },
      limits: [],
      approval: null,
      not_asked: [{ provider: null, operation: "submit" }]
    })
    expect((await s.api.ask(`/v1/transfers/${id}`)).status).toBe(404)
    // The reference is still free.
    await s.make("/v1/transfers", { ...paying("2.50"), reference: "dry-1" })
    const taken = await s.api.ask("/v1/transfers?dry_run=true", { body: { ...paying("2.50"), reference: "dry-1" } })
    expect([taken.status, taken.json.code, taken.json.meta.dry_run.postings]).toEqual([409, "duplicate_resource", []])
  })

  it("of what the wallet does not cover is refused, as the transfer is", async () => {
    const { json, status } = await s.api.ask("/v1/transfers?dry_run=true", { body: paying("100000") })
    expect([status, json.code, json.meta.dry_run.events]).toEqual([422, "ledger_insufficient_funds", []])
  })

  it("of an onramp has an account that nobody can pay to, and leaves its quote active", async () => {
    const quote_id = await onrampQuote(s)
    const { json } = await s.api.ask("/v1/onramps?dry_run=true", { body: { quote_id } })
    expect(json.data.deposit_instruction.accountNumber).toBe("not asked in a dry run")
    expect(json.data.deposit_instruction.message).toMatch(/^Transfer nothing yet: .* says when it is made\./)
    expect(json.meta.dry_run.not_asked).toEqual([{ provider: null, operation: "instruct" }])
    expect((await s.api.ask(`/v1/quotes/${quote_id}`)).json.data.status).toBe("active")
  })

  covers("DRYRUN-3", "DRYRUN-6")
  it("of an act that would wait shows what it does once it is approved, and what is not asked for it", async () => {
    const rules = "/operator/v1/approval-rules"
    const entry = { from: "suspense", to: "world:simulated", amount: "1", currency: "USDC", note: "sent back" }
    const acts = [
      ["onramp", async () => s.api.ask("/v1/onramps?dry_run=true", { body: { quote_id: await onrampQuote(s) } })],
      ["adjusting_entry", () => s.operate("/operator/v1/adjusting-entries?dry_run=true", { body: entry })]
    ] as const
    const saidOf = async (act: () => Promise<Answer>): Promise<Record<string, unknown>> => {
      const { json } = await act()
      return JSON.parse(JSON.stringify(json.meta.dry_run).replaceAll(json.data.id, "…"))
    }
    for (const [word, act] of acts) {
      const without = await saidOf(act)
      expect(without["approval"]).toBeNull()
      const { id } = (await s.operate(rules, { body: { operations: [word], approvals: 2 } })).json.data
      expect(await saidOf(act)).toEqual({ ...without, approval: { operation: word, needed: 2 } })
      expect((await s.operate(`${rules}/${id}`, { method: "DELETE" })).status).toBe(200)
    }
  })

  covers("BATCH-8")
  it("of a batch shows the approval that a valid row would wait for, and none for a row that is refused", async () => {
    const rules = "/operator/v1/approval-rules"
    const rule = { operations: ["transfer"], above: { amount: "50", currency: "USDC" }, approvals: 2 }
    const { id } = (await s.operate(rules, { body: rule })).json.data
    const waitsOf = async (...amounts: ReadonlyArray<string>): Promise<unknown> => {
      const rows = amounts.map((amount) => ({ operation: "transfer", ...paying(amount) }))
      const body = { reference: `waits ${amounts.join()}`, rows }
      const { json } = await s.api.ask("/v1/batches?dry_run=true", { body })
      return [json.data.counts.valid, json.meta.dry_run.approval]
    }
    expect(await waitsOf("1", "51")).toEqual([2, { operation: "transfer", needed: 2 }])
    expect(await waitsOf("1", "2")).toEqual([2, null])
    // The funds do not reach it.
    expect(await waitsOf("1", "900000")).toEqual([1, null])
    expect(await waitsOf("900000", "51")).toEqual([1, { operation: "transfer", needed: 2 }])
    expect((await s.operate(`${rules}/${id}`, { method: "DELETE" })).status).toBe(200)
  })

  it("of an operator's act shows the accounts of the platform", async () => {
    const body = { from: "suspense", to: "world:simulated", amount: "1", currency: "USDC", note: "sent back" }
    const { json } = await s.operate("/operator/v1/adjusting-entries?dry_run=true", { body })
    expect(json.meta.dry_run.postings).toEqual([
      { resource_id: json.data.id, debit: "suspense", credit: "world:simulated", amount: "1.00", currency: "USDC" }
    ])
    const { json: audit } = await s.operate(`/operator/v1/audit?resource_id=${json.data.id}`)
    expect(audit.data).toEqual([])
  })

  covers("DRYRUN-5")
  it("with a key that was used answers as the call, and uses no key up", async () => {
    const headers = { "idempotency-key": "dry-run-key-1" }
    const before = await transfers()
    const first = await s.api.ask("/v1/transfers?dry_run=true", { body: paying("1"), headers })
    expect(first.json.meta.dry_run.events).toHaveLength(1)
    expect(await transfers()).toBe(before)
    const done = await s.api.ask("/v1/transfers", { body: paying("1"), headers })
    expect(done.headers.get("idempotent-replayed")).toBeNull()
    const again = await s.api.ask("/v1/transfers?dry_run=true", { body: paying("1"), headers })
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([done.text, "true"])
    const other = await s.api.ask("/v1/transfers?dry_run=true", { body: paying("2"), headers })
    expect([other.status, other.json.code]).toEqual([409, "idempotency_conflict"])
    expect(await transfers()).toBe(before + 1)
  })

  it("with another value than true and false is refused and does nothing; false is the call", async () => {
    const before = await transfers()
    for (const query of ["dry_run=yes", "dry_run=", "dry_run=true&dry_run=false", "dry_run=1"]) {
      const { json, status } = await s.api.ask(`/v1/transfers?${query}`, { body: paying("1") })
      expect([status, json.code, json.meta.errors[0].field]).toEqual([400, "invalid_input", "dry_run"])
    }
    expect(await transfers()).toBe(before)
    await s.make("/v1/transfers?dry_run=false", paying("1"))
    expect(await transfers()).toBe(before + 1)
  })

  it("is no parameter of a read, nor of the sandbox", async () => {
    const { json } = await s.api.ask("/v1/me?dry_run=true")
    expect(json.meta.warnings).toMatchObject([{ field: "dry_run" }])
    expect(json.meta).not.toHaveProperty("dry_run")
    const strict = { body: { wallet_id: s.wallet, amount: "1" }, headers: { prefer: "handling=strict" } }
    expect((await s.api.ask("/sandbox/deposits?dry_run=true", strict)).json.code).toBe("invalid_input")
  })

  it("needs the role of the call", async () => {
    const { json, status } = await s.api.ask("/v1/transfers?dry_run=true", { body: paying("1"), key: s.keys.viewer })
    expect([status, json.code]).toEqual([403, "forbidden"])
    expect(json.meta).not.toHaveProperty("dry_run")
  })
})

describe("the rate limit", () => {
  covers("DRYRUN-2")
  it("refuses a dry run when there is no token, and gives none to it", async () => {
    const s = await startStocked({ rate_per_second: 1000 })
    const limited = await startApi({ rate_per_second: 1 }, Layer.succeed(Storage, s.api.storage))
    try {
      const body = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
      const ask = async (query: string): Promise<number> =>
        (await limited.ask(`/v1/transfers${query}`, { body, key: s.api.key })).status
      for (let i = 0; i < 5; i++) expect(await ask("?dry_run=true")).toBe(200)
      const spent: Array<number> = []
      while (!spent.includes(429)) spent.push(await ask(""))
      expect(spent.filter((status) => status === 200).length).toBeGreaterThanOrEqual(2)
      expect(await ask("?dry_run=true")).toBe(429)
    } finally {
      await limited.close()
      await s.api.close()
    }
  })
})
