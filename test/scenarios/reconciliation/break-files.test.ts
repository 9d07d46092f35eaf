/** A file of breaks decides what its rows show: a break that has become another since is refused, and so is what an action does not take (BREAK-7). */
import { Effect } from "effect"
import { parse } from "csv-parse/sync"
import { assert, it } from "vitest"
import type { FileResponse } from "../../../src/engine/calls/operation.ts"
import { makeDryRun } from "../../../src/engine/calls/dry-run.ts"
import { DryRun } from "../../../src/engine/ports/dry-run.ts"
import type { ListBreaks } from "../../../src/engine/resources/reconciliation/break.ts"
import type { ResolvedBreaks } from "../../../src/engine/work/reconciliation/break-files.ts"
import { writeCsv } from "../../../src/statements/csv/write.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { amountOfItsOwn, offered, reading } from "../../support/statements/adoptions.ts"
import { matchingDesk } from "../../support/statements/desk.ts"

type Desk = Effect.Success<typeof matchingDesk>
type Cells = Readonly<Record<string, string>>

/** The rows of a file of breaks, as a spreadsheet shows them. */
const exported = (desk: Desk, query: ListBreaks) =>
  Effect.map(
    desk.files.list({ format: "csv", external_account_id: desk.id, ...query }),
    (file) => parse((file as FileResponse).text, { columns: true }) as ReadonlyArray<Cells>
  )

/** Sends rows with these cells, some without others, and returns their results. A dry run says the same as the act. */
const send = Effect.fnUntraced(function* (
  desk: Desk,
  rows: ReadonlyArray<Cells>,
  changes: Cells,
  without: ReadonlyArray<string> = []
) {
  const columns = Object.keys(rows[0]!).filter((name) => !without.includes(name))
  const text = writeCsv(
    columns,
    rows.map((row) => columns.map((name) => changes[name] ?? row[name] ?? null))
  )
  const resolve = Effect.map(
    desk.files.resolve(desk.operator, { file: new TextEncoder().encode(text), format: "json" }),
    (done) => (done as ResolvedBreaks).rows.map(({ result }) => result)
  )
  const tried = yield* Effect.provideService(resolve, DryRun, makeDryRun(undefined))
  const done = yield* resolve
  assert.deepEqual(tried, done)
  return done
})

const dismiss = { action: "dismiss", note: "known" }
const explain = { action: "explain", note: "a fee", from: "costs:simulated", to: "world:simulated" }

onMemory("a file of breaks", (run) => {
  covers("BREAK-7")
  it.each([
    { ...{ acts: dismiss, without: [] }, why: /^kind is missing_in_books, but break brk_\w+ has contradicts_status/ },
    { ...{ acts: explain, without: [] }, why: /^kind is missing_in_books, but/ },
    { ...{ acts: explain, without: ["kind"] }, why: /^severity is low, but break brk_\w+ has high/ },
    { ...{ acts: explain, without: ["kind", "severity"] }, why: /has become another/ },
    { ...{ acts: dismiss, without: ["kind", "severity", "version"] }, why: /^resource_ids is none, but/ }
  ])("decides no break that has become another: $acts.action, $without", ({ acts, without, why }) =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const reference = `INV-${amountOfItsOwn()}`
          const [line] = yield* desk.says([{ amount: "50", remittance: reference }])
          const rows = yield* exported(desk, { line_id: line!.id })
          const { id } = yield* m.transfer("50", { reference })
          yield* m.settle
          yield* m.says(id, "failed")
          yield* desk.match
          const [now] = yield* desk.about(line!.id)
          assert.deepEqual([now!.id, now!.kind, now!.amount], [rows[0]!["id"], "contradicts_status", "50.00"])
          const changed = without.includes("version") ? { resource_ids: "none" } : {}
          const [result] = yield* send(desk, rows, { ...acts, ...changed }, without)
          assert.match(result!, why)
          assert.include(result!, "Export it again.")
          assert.strictEqual((yield* desk.breakOf(now!.id)).status, "open")
        })
      )
    )
  )

  covers("BREAK-7")
  it("takes a break of which only what its line may be has changed, and says at a repeat that it is resolved", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const m = yield* merchantAtWork("100000")
          const amount = amountOfItsOwn()
          const paid = Effect.gen(function* () {
            const { id } = yield* m.transfer(amount)
            yield* m.settle
            yield* m.says(id, "success")
          })
          for (let n = 0; n < 2; n++) yield* paid
          const [line] = yield* desk.says([{ amount }])
          const rows = yield* exported(desk, { line_id: line!.id })
          yield* paid
          yield* desk.match
          assert.lengthOf((yield* desk.about(line!.id))[0]!.candidates, 3)
          const [without] = yield* send(desk, rows, dismiss, ["version"])
          assert.match(without!, /^resource_ids is .*Export it again\.$/)
          const file = rows.map((row) => ({ ...row, ...dismiss }))
          const resolve = (format: "json") =>
            desk.files.resolve(desk.operator, {
              file: new TextEncoder().encode(
                writeCsv(
                  Object.keys(file[0]!),
                  file.map((row) => Object.values(row))
                )
              ),
              format
            })
          assert.deepInclude(yield* resolve("json"), { succeeded: 1 })
          const [again] = ((yield* resolve("json")) as ResolvedBreaks).rows
          assert.match(again!.result, /is resolved, and takes reopen; dismiss is none of it/)
        })
      )
    ))

  covers("BREAK-5", "BREAK-7")
  it("adopts the payment that its row names, or none", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { desk, id, line, m, open } = yield* offered()
          const other = yield* m.transfer(amountOfItsOwn())
          yield* m.settle
          const rows = yield* exported(desk, { line_id: line.id })
          const adopt = { action: "adopt", note: "paid" }
          assert.deepEqual(yield* send(desk, rows, { ...adopt, resource_ids: other.id }), [
            `resource_id is ${other.id}; the line names ${id}.`
          ])
          assert.deepEqual([yield* m.status(id), yield* m.status(other.id)], ["processing", "processing"])
          const text = `id,resource_ids,action,note\n${open.id},${id},adopt,paid`
          const file = new TextEncoder().encode(text)
          assert.deepInclude(yield* desk.files.resolve(desk.operator, { file, format: "json" }), { succeeded: 1 })
          assert.strictEqual(yield* m.status(id), "success")
          yield* m.says(other.id, "success")
        })
      )
    ))

  covers("BREAK-6", "BREAK-7")
  it("undoes the resolution that its row shows, and no other", () =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [line] = yield* desk.says([{ amount: amountOfItsOwn() }])
          const { amount, id } = (yield* desk.about(line!.id))[0]!
          const entry = { action: "explain", to: "world:simulated" } as const
          yield* desk.resolve(id, { ...entry, from: "suspense" })
          const rows = yield* exported(desk, { line_id: line!.id })
          yield* desk.resolve(id, { action: "reopen" })
          yield* desk.resolve(id, { ...entry, from: "costs:simulated" })
          const { adjusting_entry_id } = yield* desk.breakOf(id)
          const [result] = yield* send(desk, rows, { action: "reopen", note: "wrong account" })
          assert.match(result!, /has become another since this row was written\. Export it again/)
          assert.strictEqual((yield* desk.entryOf(adjusting_entry_id!)).status, "posted")
          const file = (yield* exported(desk, { line_id: line!.id })).map((row) => ({ ...row, action: "reopen" }))
          assert.deepEqual(yield* send(desk, file, { note: "wrong account", amount: "1" }), [
            `amount is 1, but break ${id} is of ${amount} USDC. Export it again.`
          ])
        })
      )
    ))

  covers("BREAK-7")
  it.each([
    [{ external_account_id: "xac_01j9z3k4m5n6p7q8r9s0t1v2w3" }, "external_account_id"],
    [{ kind: "gap" }, "kind"],
    [{ severity: "high" }, "severity"],
    [{ currency: "EUR" }, "currency"],
    [{ status: "resolved" }, "status"],
    [{ amount: "1" }, "amount"],
    [{ line_ids: "stl_01j9z3k4m5n6p7q8r9s0t1v2w3" }, "line_ids"],
    [{ resource_ids: "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3", version: "" }, "resource_ids"],
    [{ version: "v1" }, "version"],
    [{ from: "suspense" }, "from"],
    [{ to: "suspense" }, "to"]
  ])("decides nothing that its row does not show: %j", (cells, name) =>
    run(
      reading(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const [line] = yield* desk.says([{ amount: amountOfItsOwn() }])
          const rows = yield* exported(desk, { line_id: line!.id })
          const [result] = yield* send(desk, rows, { ...dismiss, ...cells } as Cells)
          assert.match(
            result!,
            name === "version"
              ? /has become another/
              : name === "from" || name === "to"
                ? new RegExp(`^${name} is suspense, which dismiss does not take\\.$`)
                : new RegExp(`^${name} is .* Export it again\\.$`)
          )
          assert.lengthOf(yield* desk.about(line!.id), 1)
        })
      )
    )
  )
})
