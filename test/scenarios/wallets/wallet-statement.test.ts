/** Statements of wallets: line by line on every store, and as files through every entry point. */
import { Effect, Layer } from "effect"
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { CorridorError } from "../../../src/embedded/error.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { available } from "../../../src/machines/kernel/ledger.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import {
  formatStatementCamt053,
  formatStatementCsv
} from "../../../src/engine/representations/wallets/wallet-statement.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { WalletStatements } from "../../../src/engine/reports/wallet-statement.ts"
import { readStatements } from "../../../src/statements/index.ts"
import { type EntryPoint, effects, http, promises } from "../../support/engines/entry-points.ts"
import { onEveryStore, type Run } from "../../support/engines/every-store.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { merchantConverting } from "../../support/merchants/ramps.ts"
import { statementMapping } from "../../support/statements/wallet-mapping.ts"
import { type Api, startApi } from "../../support/http/server.ts"
import { createClient } from "../../../src/client/index.ts"
import { covers } from "../../support/repository/covers.ts"
import { bytesOf } from "../../support/statements/samples.ts"

const today = () => new Date().toISOString().slice(0, 10)

const statementOf = Effect.fnUntraced(function* (
  caller: Parameters<WalletStatements["Service"]["get"]>[0],
  wallet: string
) {
  const statements = yield* WalletStatements
  const body = yield* statements.get(caller, wallet, { from: "2026-01-01", to: "2026-12-31" })
  return "lines" in body ? body : assert.fail("json is the body")
})

const shared = (run: Run): void => {
  covers("STATEMENT-11")
  it("has a line for what came, what left and what came back, and none for what is reserved or released", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting("1000")
        const begun = yield* m.transfer("100")
        const lines = Effect.map(statementOf(m.caller, m.wallet.id), (body) =>
          body.lines.map(({ amount, balance, direction, type }) => `${type} ${direction} ${amount} ${balance}`)
        )
        // Reserved money is the wallet's still.
        assert.deepEqual(yield* lines, ["deposit credit 1000.00 1000.00"])
        yield* m.settle
        yield* m.says(begun.id, "success")
        const failed = yield* m.transfer("50")
        yield* m.settle
        yield* m.says(failed.id, "failed")
        const converted = yield* m.conversion("10")
        yield* m.settle
        yield* m.says(converted.id, "success")
        assert.deepEqual(yield* lines, [
          "deposit credit 1000.00 1000.00",
          "transfer debit 100.00 900.00",
          "transfer debit 50.00 850.00",
          "transfer credit 50.00 900.00",
          "conversion debit 10.00 890.00"
        ])
        const body = yield* statementOf(m.caller, m.wallet.id)
        assert.deepInclude(body, {
          wallet_id: m.wallet.id,
          currency: "USDC",
          opening_balance: "0.00",
          closing_balance: "890.00"
        })
        const { rate, reference } = yield* m.converted(converted.id)
        const [transaction] = (yield* m.transactions).filter(({ source_id }) => source_id === converted.id)
        const fees = transaction!.fee.line_items
        assert.isAbove(fees.length, 0)
        assert.deepInclude(body.lines[4]!, {
          resource_id: converted.id,
          reference,
          fees,
          rate
        })
        assert.deepInclude(body.lines[3]!, {
          resource_id: failed.id,
          reference: failed.reference,
          fees: [],
          rate: null
        })
        const [gained] = (yield* statementOf(m.caller, m.naira.id)).lines
        assert.deepInclude(gained!, { type: "conversion", direction: "credit", resource_id: converted.id, rate })
      })
    ))

  covers("STATEMENT-11")
  it("has what a forward brings with its fees and its rate", () =>
    run(
      Effect.gen(function* () {
        const way = ways[1]!
        const m = yield* openWay(way)
        yield* m.pay(["confirmed"])
        yield* m.settle
        yield* m.says((yield* m.conversion).id, "failed")
        yield* m.forward
        const { lines } = yield* statementOf(m.caller, m.wallet.id)
        assert.strictEqual(lines.length, 1)
        assert.deepInclude(lines[0], {
          type: "deposit",
          direction: "credit",
          amount: way.becomes,
          fees: [{ name: "gateway", amount: way.gateway, currency: way.currency }],
          rate: way.rate
        })
      })
    ))

  covers("STATEMENT-11")
  it("has money that is held from when it is held, and no line when it is released", () =>
    run(
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const m = yield* merchantConverting("0")
        const credential_id = yield* m.credential(m.wallet.id, "USDC", "solana")
        yield* m.freeze(credential_id)
        const paid = yield* m.deposit({ wallet_id: undefined as never, credential_id, amount: "25" })
        const lines = Effect.map(statementOf(m.caller, m.wallet.id), (body) =>
          body.lines.map(({ amount, balance, direction, resource_id }) => [resource_id, direction, amount, balance])
        )
        assert.deepInclude(yield* m.balance, { available: "0.00", held: "25.00" })
        const held = [[paid.transaction_id, "credit", "25.00", "25.00"]]
        assert.deepEqual<unknown>(yield* lines, held)
        yield* deposits.release(m.operator, paid.transaction_id!, "looked at")
        assert.deepInclude(yield* m.balance, { available: "25.00", held: "0.00" })
        assert.deepEqual<unknown>(yield* lines, held)
      })
    ))
}
onEveryStore("statements of wallets", shared)

covers("STATEMENT-13")
it.each([
  [100_000, null],
  [100_001, "From 2026-01-01 to 2026-12-31 the wallet has more than 100000 postings"]
])("a statement of %d postings", async (n, refusal) => {
  const posting = { debit: "world" as const, amount: "1", currency: "USDC", position: 0 }
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (inner) =>
      Storage.of({
        ...inner,
        owned: ({ limit, owner }) =>
          Effect.succeed({
            before: "0",
            postings: Array.from({ length: Math.min(n, limit) }, (_, at) => ({
              ...{ ...posting, credit: available(owner), at, resource_id: `adj_${at}`, version: 1 },
              merchant_id: "mer"
            }))
          })
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  const asked = Effect.gen(function* () {
    const m = yield* merchantAtWork("0")
    return yield* statementOf(m.caller, m.wallet.id)
  })
  const result = await Effect.runPromise(Effect.result(Effect.provide(asked, makeSimulatedEngine({ storage }))))
  if (refusal === null) expect(result._tag).toBe("Success")
  else expect(result).toMatchObject({ failure: { message: expect.stringContaining(refusal) } })
})

covers("STATEMENT-12")
it.each([
  ["csv", formatStatementCsv],
  ["camt053", formatStatementCamt053]
] as const)("a statement as %s is written in steps, between which others run", (format, write) => {
  const line = {
    at: "2026-01-01T10:00:00.000Z",
    resource_id: "ofr_1",
    type: "offramp",
    reference: null,
    fees: [],
    rate: null
  }
  const lines = Array.from({ length: 1600 }, (_, n) => ({
    ...line,
    direction: "credit" as const,
    amount: "1.00",
    balance: `${n + 1}.00`
  }))
  const ends = { from: "2026-01-01", to: "2026-01-31", opening_balance: "0.00", closing_balance: "1600.00" }
  const steps = write({ wallet_id: "wal_1", currency: "NGN", ...ends, lines }, "2026-02-01T00:00:00.000Z")
  let count = 0
  let step = steps.next()
  for (; step.done !== true; step = steps.next()) count++
  expect(count).toBeGreaterThan(2)
  const [found] = readStatements(bytesOf(step.value), format === "csv" ? statementMapping("wal_1", "NGN") : {})
  expect(found!.lines.length).toBe(1600)
})

covers("STATEMENT-12", "STATEMENT-13")
describe.each([
  ["promises", promises],
  ["effects", effects],
  ["http", http]
] as const)("a statement by %s", (_, open) => {
  let entry: EntryPoint
  let merchant_id: string
  let wallets: { readonly usdc: string; readonly ngn: string }
  const range = { from: "2020-01-01", to: today() } as const
  const year = { from: `${today().slice(0, 4)}-01-01`, to: today() } as const
  beforeAll(async () => {
    entry = await open(MemoryStorage.layer)
    merchant_id = (await entry.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })).merchant.id
    const own = entry.as(merchant_id)
    const [usdc, ngn] = [await own.wallets.create({ currency: "USDC" }), await own.wallets.create({ currency: "NGN" })]
    wallets = { usdc: usdc.id, ngn: ngn.id }
    await own.walletCredentials.create(ngn.id, { type: "fiat", currency: "NGN", network: "bank" })
    await entry.sandbox.as(merchant_id).settle()
    for (const wallet_id of [usdc.id, ngn.id])
      await entry.sandbox.as(merchant_id).deposit({ wallet_id, amount: "250.00" })
  })
  afterAll(() => entry.close())

  it("is JSON, and as a file the same to its closing balance", async () => {
    const own = entry.as(merchant_id).wallets
    const body = await own.statement(wallets.ngn, year)
    expect(body).toEqual(await own.statement(wallets.ngn, { ...year, format: "json" }))
    expect([body.opening_balance, body.closing_balance, body.lines.length]).toEqual(["0.00", "250.00", 1])
    const csv: string = await own.statement(wallets.ngn, { ...year, format: "csv" })
    expect(csv.split("\r\n")[0]).toBe("at,resource_id,type,reference,direction,amount,balance,fees,rate")
    const camt: string = await own.statement(wallets.ngn, { ...year, format: "camt053" })
    for (const [file, options] of [
      [csv, statementMapping(wallets.ngn, "NGN")],
      [camt, {}]
    ] as const) {
      const [found] = readStatements(bytesOf(file), options)
      expect([found!.closing_balance!.amount, found!.lines[0]!.bank_reference]).toEqual([
        "250",
        body.lines[0]!.resource_id
      ])
    }
    expect(await own.statement(wallets.usdc, { ...year, format: "csv" })).toContain("closing_balance")
  })

  it("dates no balance after now, also for days that have not come", async () => {
    const own = entry.as(merchant_id).wallets
    const inDays = (n: number): string => new Date(Date.now() + n * 86_400_000).toISOString().slice(0, 10)
    const until = Date.now() + 1000
    for (const from of [today(), inDays(20)]) {
      const days = { from, to: inDays(30) } as const
      const csv: string = await own.statement(wallets.ngn, { ...days, format: "csv" })
      const rows = csv.split("\r\n").filter((row) => row.includes("_balance"))
      expect(rows.map((row) => Date.parse(row.split(",")[0]!) <= until)).toEqual([true, true])
      const camt: string = await own.statement(wallets.ngn, { ...days, format: "camt053" })
      const [found] = readStatements(bytesOf(camt), {})
      expect([found!.opening_balance!.date <= inDays(0), found!.closing_balance!.date <= inDays(0)]).toEqual([
        true,
        true
      ])
    }
  })

  covers("LIST-4")
  it.each([
    ["too many days", range, "to"],
    ["a day before the first", { from: "2026-01-02", to: "2026-01-01" }, "from", "to"],
    ["367 days", { from: "2024-01-01", to: "2025-01-01" }, "to"],
    ["a day that is none", { from: "2026-02-30", to: "2026-03-01" }, "from"],
    ["a time", { from: "2026-01-01", to: "2026-01-02T00:00:00Z" }, "to"],
    ["no first day", { to: "2026-01-02" }, "from"],
    ["another format", { ...year, format: "pdf" }, "format"],
    ["camt053 of four letters", { ...year, format: "camt053" }, "format"]
  ])("is refused for %s", async (_, query, ...names) => {
    const asked = entry.as(merchant_id).wallets.statement(wallets.usdc, query as never)
    const error = await Promise.resolve(asked).then(
      () => undefined,
      (reason: unknown) => reason
    )
    if (!(error instanceof CorridorError)) throw new Error("it was not refused", { cause: error })
    expect([error.code, error.errors.map(({ field }) => field)]).toEqual(["invalid_input", names])
  })

  it("takes 366 days, and no wallet of another merchant", async () => {
    expect(
      (await entry.as(merchant_id).wallets.statement(wallets.usdc, { from: "2024-01-01", to: "2024-12-31" })).lines
    ).toEqual([])
    const other = await entry.merchants.create({ name: "Kano", country_code: "NG", status: "active" })
    const asked = entry.as(other.merchant.id).wallets.statement(wallets.usdc, year)
    await expect(asked).rejects.toMatchObject({ code: "not_found" })
  })
})

covers("STATEMENT-12")
describe("a file over HTTP", () => {
  let api: Api
  beforeAll(async () => void (api = await startApi()))
  afterAll(() => api.close())

  it("has its media type and the request id, and a refusal has the envelope", async () => {
    const wallet = (await api.ask("/v1/wallets", { body: { currency: "NGN" } })).json as { data: { id: string } }
    const path = `/v1/wallets/${wallet.data.id}/statement?from=2026-01-01&to=2026-01-31`
    for (const [format, type] of [
      ["csv", "text/csv"],
      ["camt053", "application/xml"]
    ] as const) {
      const { headers, status } = await api.ask(`${path}&format=${format}`, {
        headers: { "x-request-id": `req-${format}` }
      })
      expect([status, headers.get("content-type"), headers.get("x-request-id")]).toEqual([
        200,
        `${type}; charset=utf-8`,
        `req-${format}`
      ])
    }
    const refused = await api.ask(`${path.replace("2026-01-31", "2025-01-31")}&format=csv`)
    expect([refused.status, refused.headers.get("content-type")]).toEqual([400, "application/json"])
    const client = createClient({ baseUrl: api.base, apiKey: api.key })
    const csv: string = await client.wallets.statement(wallet.data.id, {
      from: "2026-01-01",
      to: "2026-01-31",
      format: "csv"
    })
    expect(csv).toContain("opening_balance")
    const body = await client.wallets.statement(wallet.data.id, { from: "2026-01-01", to: "2026-01-31" })
    expect(body.lines).toEqual([])
  })
})
