/** Search over all merchants, on every store (SEARCH-1 to SEARCH-7). */
import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { kinds } from "../../../src/engine/registry.ts"
import { OperatorLists } from "../../../src/engine/reports/operator-lists.ts"
import { type Search, Searches } from "../../../src/engine/reports/search.ts"
import { Statistics } from "../../../src/engine/reports/statistics.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { Reindexing } from "../../../src/engine/work/upkeep/Reindexing.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const ask = (q: string, more: Omit<Search, "q"> = {}) => Searches.use((s) => s.search({ q, per_page: 200, ...more }))
const found = (q: string, more: Omit<Search, "q"> = {}) =>
  Effect.map(ask(q, more), ({ items, total }) => {
    expect(items.length).toBe(total)
    return items.map(({ id, matched }) => [id, ...matched])
  })

let serial = 0
/** A word that nothing else has. */
const word = (stem: string): string =>
  `${stem}${(++serial).toString(36)}${Math.floor(Math.random() * 1e9).toString(36)}`

/** A customer with a name and an email, and an id number that nothing finds. */
const customerOf = Effect.fnUntraced(function* (
  m: Effect.Success<ReturnType<typeof merchantAtWork>>,
  name: string,
  email: string
) {
  const customers = yield* Customers
  return yield* customers.create(m.caller, {
    type: "individual",
    name,
    email,
    country_code: "NG",
    merchant_reference: word("c-"),
    profile: { id_number: "99887766554433" }
  })
})

onEveryStore("a search", (run) => {
  covers("SEARCH-1")
  it("has the newest first among equal matches, of one merchant or of all, and finds amounts with grouped digits", () =>
    run(
      Effect.gen(function* () {
        const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork("5000")]
        const reference = word("PO/")
        const older = (yield* m.transfer("3", { reference })).id
        yield* m.advance(5)
        const newer = (yield* other.transfer("1234.56", { reference })).id
        const ids = (more: Omit<Search, "q"> = {}) =>
          Effect.map(ask(reference, more), ({ items }) => items.map(({ id }) => id))
        expect(yield* ids()).toEqual([newer, older])
        expect(yield* ids({ merchant_id: m.merchant_id })).toEqual([older])
        expect(yield* ids({ merchant_id: other.merchant_id })).toEqual([newer])
        expect(yield* ids({ kind: "offramp" })).toEqual([])
        expect(yield* found(newer, { merchant_id: other.merchant_id })).toEqual([[newer, "id"]])
        expect(yield* found(newer, { merchant_id: m.merchant_id })).toEqual([])
        expect(yield* found(newer, { kind: "offramp" })).toEqual([])
        for (const amount of ["1,234.56 USDC", "1234.56 usdc", "1,234.56"])
          expect((yield* ask(amount, { merchant_id: other.merchant_id })).items.map(({ id }) => id)).toEqual([newer])
        yield* m.settle
        yield* other.settle
        yield* m.says(older, "success")
        yield* other.says(newer, "success")
      })
    ))

  covers("SEARCH-8")
  it("of a merchant has its own alone, and nothing by what only the platform knows", () =>
    run(
      Effect.gen(function* () {
        const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork()]
        const own = (q: string, more: object = {}) =>
          Effect.map(
            Searches.use((s) => s.own(m.caller, { q, ...more })),
            ({ items, total }) => {
              expect(items.length).toBe(total)
              for (const one of items)
                expect(Object.keys(one).filter((name) => name.startsWith("merchant"))).toEqual([])
              return items.map(({ id, matched }) => [id, ...matched])
            }
          )
        const [reference, name] = [word("PO/"), word("zed")]
        const mine = (yield* m.transfer("3", { reference })).id
        const theirs = (yield* other.transfer("4", { reference })).id
        const person = (yield* customerOf(m, `${name} Obi`, `${name}@example.com`)).id
        yield* customerOf(other, `${name} Okafor`, `other.${name}@example.com`)
        expect(yield* own(reference)).toEqual([[mine, "reference"]])
        expect(yield* own(mine)).toEqual([[mine, "id"]])
        expect(yield* own(theirs)).toEqual([])
        expect(yield* own(other.merchant_id)).toEqual([])
        // Its own merchant is no resource that its key reads under this id.
        expect(yield* own(m.merchant_id)).toEqual([])
        expect(yield* own(name)).toEqual([[person, "name"]])
        expect(yield* own(name, { kind: "beneficiary" })).toEqual([])
        expect((yield* Effect.flip(own(name, { kind: "exception" })))._tag).toBe("InvalidInput")
        yield* m.settle
        yield* other.settle
        yield* m.says(mine, "success")
        yield* other.says(theirs, "success")
        const storage = yield* Storage
        const { items } = yield* storage.list({
          ...{ merchant_id: m.merchant_id, kinds: ["deposit"], index_keys: [] },
          ...{ offset: 0, limit: 1 }
        })
        const [key] = items[0]!.index_keys.filter((one) => one.includes("=provider_reference:"))
        const known = key!.slice(key!.indexOf(":") + 1)
        expect((yield* found(known)).length).toBe(1)
        expect(yield* own(known)).toEqual([])
      })
    ))

  covers("SEARCH-2", "SEARCH-1")
  it("finds a movement by each thing that is known of it, whosever it is", () =>
    run(
      Effect.gen(function* () {
        const [m] = [yield* merchantAtWork(), yield* merchantAtWork()]
        const reference = word("INV/")
        const { id } = yield* m.transfer("7.13", { reference })
        yield* m.settle
        yield* m.says(id, "success")
        const row = yield* m.rowOf(id)
        const { transaction_hash, provider_reference } = row.data as Record<string, string | null>
        const one = [id, "id"]
        expect(yield* found(id)).toEqual([one])
        expect(yield* found(` ${id.toUpperCase()} `)).toEqual([one])
        expect(yield* found(`txn_${id.split("_")[1]}`)).toEqual([one])
        const [event] = (yield* (yield* Storage).history(m.merchant_id, id)).events
        expect(yield* found(event!.id)).toEqual([one])
        expect(yield* found(reference.toLowerCase())).toEqual([[id, "reference"]])
        expect(yield* found("7.130 usdc", { merchant_id: m.merchant_id })).toEqual([[id, "amount"]])
        expect(transaction_hash).not.toBeNull()
        expect(yield* found(transaction_hash ?? "")).toEqual([[id, "transaction_hash"]])
        if (typeof provider_reference === "string")
          expect(yield* found(provider_reference)).toEqual([[id, "provider_reference"]])
        const { items } = yield* ask(reference)
        expect(items).toEqual([
          {
            id,
            kind: "transfer",
            merchant_id: m.merchant_id,
            merchant_name: "Ada Ltd",
            customer_id: row.customer_id,
            customer_name: "Ada Ltd",
            status: "success",
            matched: ["reference"],
            title: reference,
            amount: "7.13",
            currency: "USDC",
            created_at: (yield* m.body(id))["created_at"]
          }
        ])
        expect((yield* found("evt_00000000000000000000000000")).length).toBe(0)
        expect((yield* found("tfr_00000000000000000000000000")).length).toBe(0)
      })
    ))

  covers("SEARCH-2", "SEARCH-3")
  it("finds people by name and email, accounts by their last four, and nobody by an id number", () =>
    run(
      Effect.gen(function* () {
        const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork()]
        const [first, last] = [word("Adaeze"), word("Ọbi")]
        const mine = yield* customerOf(m, `${first} ${last}`, `${first}@example.com`)
        const theirs = yield* customerOf(other, `${first} Bello`, `x.${first}@example.com`)
        expect(yield* found(first)).toEqual([
          [theirs.id, "name"],
          [mine.id, "name"]
        ])
        expect(yield* found(`${last.replace("Ọ", "o")} ${first}`)).toEqual([[mine.id, "name"]])
        expect(yield* found(`${first}@exam`)).toEqual([[mine.id, "email"]])
        expect(yield* found(first, { merchant_id: other.merchant_id })).toEqual([[theirs.id, "name"]])
        expect(yield* found(first, { kind: "transfer" })).toEqual([])
        expect(yield* found(mine.merchant_reference ?? "")).toEqual([[mine.id, "reference"]])
        for (const secret of ["99887766554433", "4433", "****4433"])
          expect((yield* found(secret)).filter(([id]) => id === mine.id)).toEqual([])
        const beneficiary = yield* m.bank("0011229753")
        expect((yield* found("9753")).filter(([id]) => id === beneficiary)).toEqual([[beneficiary, "account"]])
        expect((yield* found("0011229753")).length).toBe(0)
        // A new name replaces the old one.
        const customers = yield* Customers
        yield* customers.update(m.caller, mine.id, { name: word("Zainab") })
        expect((yield* found(first)).map(([id]) => id)).toEqual([theirs.id])
      })
    ))

  covers("SEARCH-1", "SEARCH-6")
  it("orders by what matched, then newest first, page by page", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const transfers = []
        for (const _ of [1, 2, 3]) {
          transfers.push((yield* m.transfer("4.75")).id)
          yield* m.advance(1)
        }
        const named = (yield* m.transfer("1", { reference: "4.75" })).id
        const here = { merchant_id: m.merchant_id }
        const all = yield* found("4.75", here)
        expect(all).toEqual([[named, "reference"], ...transfers.toReversed().map((id) => [id, "amount"])])
        const pages = []
        for (const page of [1, 2, 3]) {
          const one = yield* ask("4.75", { ...here, page, per_page: 3 })
          expect([one.page, one.per_page, one.total]).toEqual([page, 3, 4])
          pages.push(...one.items.map(({ id, matched }) => [id, ...matched]))
        }
        expect(pages).toEqual(all)
        const both = (yield* m.transfer("5.75", { reference: "5.75" })).id
        expect((yield* ask("5.75", here)).items[0]).toMatchObject({ id: both, matched: ["reference", "amount"] })
        yield* m.settle
        for (const id of [...transfers, named, both]) yield* m.says(id, "success")
      })
    ))

  covers("SEARCH-5")
  it("takes any text as itself, and finds with it only what has it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const odd = [
          "%%",
          "__",
          "a%b_c",
          "' or '1'='1",
          '";--',
          "{1,2}",
          "\\\\",
          "😀👩‍👩‍👧",
          "שלום عليكم",
          "$1",
          "é".repeat(128),
          "x".repeat(256)
        ]
        const customers = yield* Customers
        const made = new Map<string, string>()
        for (const [n, text] of odd.entries()) {
          const { id } = yield* customers.create(m.caller, {
            type: "individual",
            name: "Somebody",
            email: `odd${n}@example.com`,
            country_code: "NG",
            merchant_reference: text.slice(0, 128)
          })
          made.set(text, id)
        }
        for (const text of odd) {
          const ids = (yield* found(text.slice(0, 128), { merchant_id: m.merchant_id })).map(([id]) => id)
          expect([text, ids]).toEqual([text, [made.get(text)]])
        }
        for (const text of ["%", "_", "a%", "' or", "\\", "search_id=name:som", "name:somebody", "reference:%%"])
          expect([text, yield* found(text, { merchant_id: m.merchant_id })]).toEqual([text, []])
      })
    ))
})

describe("rows of an earlier release", () => {
  onEveryStore("are found after a pass", (run, store) => {
    covers("SEARCH-7", "STATS-6")
    it("that was interrupted, and lists know their providers", () =>
      run(
        Effect.gen(function* () {
          const storage = yield* Storage
          const m = yield* merchantAtWork()
          const [first, reference] = [word("Adaeze"), word("INV/")]
          const customer = yield* customerOf(m, first, `${first}@example.com`)
          const { id } = yield* m.transfer("3.25", { reference })
          yield* m.settle
          yield* m.says(id, "success")
          const here = { merchant_id: m.merchant_id }
          const seen = Effect.gen(function* () {
            const lists = yield* OperatorLists
            return [
              yield* found(first),
              yield* found(reference),
              yield* found("3.25", here),
              (yield* lists.movements({ ...here, provider: "simulated" })).total,
              (yield* Statistics.use((s) => s.all({ ...here, by: "operation,provider" }))).rows
            ]
          })
          const before = yield* seen
          expect(before.slice(0, 4)).toEqual([[[customer.id, "name"]], [[id, "reference"]], [[id, "amount"]], 2])
          expect(before[4]).toMatchObject([{ operation: "deposit" }, { operation: "transfer", succeeded: 1 }])

          // As the release before wrote them: without the index keys that this one has added.
          const rows = yield* storage.rowsHolding("", null, 10_000)
          const old = rows.map((row) => ({
            ...row,
            index_keys: row.index_keys.filter((key) => !/^(search_id|exact_id|provider|measured)=/.test(key))
          }))
          expect(yield* storage.reindex(old)).toBe(rows.length)
          yield* storage.assign("index_keys", "")
          expect(yield* seen).toEqual([[], [], [], 0, []])

          /** A process that indexes some batches and ends. */
          const process = (batches: number) =>
            Effect.gen(function* () {
              const { next } = yield* Reindexing
              let more = true
              for (let n = 0; n < batches && more; n++) more = yield* next
              return more
            }).pipe(Effect.provide(Layer.fresh(Reindexing.layer)))
          expect(yield* process(1)).toBe(true)
          expect(yield* process(1_000)).toBe(false)
          expect(yield* process(1)).toBe(false)
          expect(yield* seen).toEqual(before)
          const after = yield* storage.rowsHolding("", null, 10_000)
          const keys = (list: typeof rows) => list.map((row) => [row.id, row.version, row.index_keys.toSorted()])
          expect(keys(after)).toEqual(keys(rows))
          expect(rows.length, store).toBeGreaterThan(5)

          // The release before is started again, and then this one: the former has written rows anywhere.
          expect(yield* storage.reindex(old)).toBe(rows.length)
          yield* storage.assign("index_keys", "later")
          expect(yield* process(1_000)).toBe(false)
          expect(yield* seen).toEqual(before)
        })
      ))
  })

  it("have a name for people wherever they have names", () => {
    const without = [...kinds.byName.values()]
      .filter(({ searchValues: searched }) => searched === undefined)
      .map(({ kind }) => kind)
    expect(without).not.toContain("customer")
    for (const { kind } of kinds.transactions) expect(without).not.toContain(kind)
  })
})
