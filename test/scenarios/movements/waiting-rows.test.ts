/** Rows of a batch that wait, and the others: a row holds up only itself (BATCH-9), and a batch that pays is not stuck (OPERATOR-4). */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { begin } from "../../../src/engine/commit/steps.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { FileResponse } from "../../../src/engine/calls/operation.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import type { BatchRowBody } from "../../../src/engine/representations/movements/batch.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Batches } from "../../../src/engine/resources/movements/batch.ts"
import { Beneficiaries, BeneficiaryKind } from "../../../src/engine/resources/parties/beneficiary.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onEveryStore, onMemory } from "../../support/engines/every-store.ts"
import { covers } from "../../support/repository/covers.ts"

type Given = Readonly<Record<string, unknown>>

/** Addresses that end in `dead` are screened on request only. */
const described = (ending: string, name = "Ada Obi") => ({
  type: "crypto" as const,
  name,
  currency: "USDC",
  details: { network: "base", address: `0x${"1".repeat(40 - ending.length)}${ending}` }
})
const paying = (m: MerchantAtWork, to: Given): Given => ({
  operation: "transfer",
  wallet_id: m.wallet.id,
  amount: "1.00",
  ...to
})
/** A merchant with a wallet on base, and one who can be paid at once. */
const merchant = Effect.gen(function* () {
  const m = yield* merchantAtWork("1000")
  yield* m.networked("base")
  const { id } = yield* Beneficiaries.use((s) => s.create(m.caller, described("b1", "Known")))
  return { ...m, payee: id }
})
type Merchant = Effect.Success<typeof merchant>
const known = (m: Merchant) => paying(m, { beneficiary_id: m.payee })
const unknown = (m: MerchantAtWork, ending: string) => paying(m, { beneficiary: described(ending) })

const confirmed = Effect.fnUntraced(function* (m: MerchantAtWork, rows: ReadonlyArray<Given>) {
  const { errors, id } = yield* Batches.use((s) => s.create(m.caller, { reference: "pay", rows }))
  assert.deepEqual(errors, [])
  yield* Batches.use((s) => s.confirm(m.caller, id))
  return id
})
const get = (m: MerchantAtWork, id: string) =>
  Effect.map(
    Batches.use((s) => s.get(m.caller, id)),
    ({ body }) => body
  )
const withStatus = (m: MerchantAtWork, id: string, status: "pending" | "created" | "failed") =>
  Effect.map(
    Effect.forEach([1, 2], (page) => Batches.use((s) => s.rows(m.caller, id, { per_page: 200, page, status }))),
    (pages) => pages.flatMap((one) => (one instanceof FileResponse ? [] : (one.items as ReadonlyArray<BatchRowBody>)))
  )
const screen = (m: MerchantAtWork, id: string, outcome: "screened" | "refused") =>
  SandboxOperations.use((s) => s.screenBeneficiary(m.caller, id, { outcome }))
const pendingOf = (m: MerchantAtWork) =>
  Effect.map(
    Beneficiaries.use((s) => s.list(m.caller, { status: "pending", per_page: 200 })),
    ({ items }) => items
  )
const stuck = (m: MerchantAtWork) =>
  Effect.map(
    LedgerReports.use((s) => s.stuck({ kind: "batch", merchant_id: m.merchant_id, older_than_seconds: 600 })),
    ({ items }) => items.map(({ id, reason, state }) => [id, state, reason])
  )
const succeed = Effect.fnUntraced(function* (m: MerchantAtWork, id: string) {
  for (const { resource_id } of yield* withStatus(m, id, "created")) yield* m.says(resource_id!, "success")
})

onEveryStore("a row of a batch that waits for the screening of its recipient", (run) => {
  covers("BATCH-9")
  it("keeps no other from being paid, in whichever part, and is paid as soon as it can be", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const id = yield* confirmed(m, [unknown(m, "dead"), ...Array.from({ length: 149 }, () => known(m))])
        yield* m.settle
        assert.deepInclude(yield* get(m, id), { status: "processing" })
        assert.deepInclude((yield* get(m, id)).counts, { created: 149, failed: 0 })
        assert.deepEqual(
          (yield* withStatus(m, id, "pending")).map(({ row }) => row),
          [1]
        )
        yield* m.advance(7200)
        const [payee] = yield* pendingOf(m)
        yield* screen(m, payee!.id, "screened")
        yield* m.advance(10)
        assert.deepInclude(yield* get(m, id), { status: "completed" })
        assert.deepInclude((yield* get(m, id)).counts, { created: 150, failed: 0 })
        yield* m.settle
        yield* succeed(m, id)
      })
    ))
})

onMemory("rows of a batch that wait", (run) => {
  covers("BATCH-9")
  it("each end by themselves: one with its recipient's refusal, one with its clearance, one after a day", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const others = Array.from({ length: 99 }, () => known(m))
        const id = yield* confirmed(m, [
          ...[unknown(m, "1dead"), ...others],
          ...[unknown(m, "2dead"), ...others],
          ...[unknown(m, "3dead"), unknown(m, "1dead")]
        ])
        yield* m.settle
        assert.deepInclude((yield* get(m, id)).counts, { created: 198, failed: 0 })
        const payees = yield* pendingOf(m)
        const payee = (ending: string) =>
          payees.find(({ details }) => (details as { address: string }).address.endsWith(ending))!.id
        assert.lengthOf(payees, 3)
        yield* m.advance(7200)
        yield* screen(m, payee("2dead"), "refused")
        yield* m.advance(10)
        assert.deepInclude((yield* get(m, id)).counts, { created: 198, failed: 1 })
        const [refused] = yield* withStatus(m, id, "failed")
        assert.deepInclude(refused!.errors[0], { row: 101, field: "beneficiary", code: "invalid_status" })
        yield* screen(m, payee("1dead"), "screened")
        yield* m.advance(10)
        // Two rows have one recipient.
        assert.deepInclude((yield* get(m, id)).counts, { created: 200, failed: 1 })
        assert.deepInclude(yield* get(m, id), { status: "processing" })
        yield* m.advance(86_400 - 7200)
        assert.deepInclude(yield* get(m, id), { status: "completed" })
        assert.deepInclude((yield* get(m, id)).counts, { created: 200, failed: 2 })
        const late = (yield* withStatus(m, id, "failed")).find(({ row }) => row === 201)
        assert.include(late!.errors[0]!.message, "not screened in time")
        yield* succeed(m, id)
      })
    ))

  covers("BATCH-7")
  it("wait a day from when they begin to: a day in which their merchant was suspended before is none of it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const merchants = yield* Merchants
        const id = yield* confirmed(m, [known(m), unknown(m, "1dead"), unknown(m, "2dead")])
        yield* merchants.update(m.operator, m.merchant_id, { status: "suspended" })
        yield* m.advance(25 * 3600)
        yield* merchants.update(m.operator, m.merchant_id, { status: "active" })
        yield* m.advance(60)
        assert.deepInclude((yield* get(m, id)).counts, { created: 1, failed: 0 })
        yield* m.advance(23 * 3600)
        assert.deepInclude((yield* get(m, id)).counts, { created: 1, failed: 0 })
        const payees = yield* pendingOf(m)
        const first = payees.find(({ details }) => (details as { address: string }).address.endsWith("1dead"))
        yield* screen(m, first!.id, "screened")
        yield* m.advance(20)
        assert.deepInclude((yield* get(m, id)).counts, { created: 2, failed: 0 })
        yield* m.advance(2 * 3600)
        assert.deepInclude(yield* get(m, id), { status: "completed" })
        const [late] = yield* withStatus(m, id, "failed")
        assert.deepInclude(late!.errors[0], { row: 3, code: "invalid_status" })
        yield* succeed(m, id)
      })
    ))

  covers("BATCH-9")
  it("write nothing while they wait: neither they nor the batch have another version", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const id = yield* confirmed(m, [unknown(m, "dead"), known(m)])
        yield* m.settle
        const storage = yield* Storage
        const versions = Effect.map(
          storage.get([
            { merchant_id: m.merchant_id, kind: "batch", id },
            { merchant_id: m.merchant_id, kind: "batch_part", id: `${id}.0` }
          ]),
          (rows) => rows.map(({ version }) => version)
        )
        const before = yield* versions
        yield* m.advance(3600)
        assert.deepEqual(yield* versions, before)
        yield* succeed(m, id)
      })
    ))

  covers("BATCH-6", "BATCH-9")
  it("are not begun once the batch is cancelled, and what was begun in any part is counted", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const id = yield* confirmed(m, [unknown(m, "dead"), ...Array.from({ length: 120 }, () => known(m))])
        yield* m.settle
        const [payee] = yield* pendingOf(m)
        yield* Batches.use((s) => s.cancel(m.caller, id))
        yield* screen(m, payee!.id, "screened")
        yield* m.advance(60)
        assert.deepInclude(yield* get(m, id), { status: "cancelled" })
        assert.deepInclude((yield* get(m, id)).counts, { created: 120, failed: 0, cancelled: 1 })
        const storage = yield* Storage
        // Nothing is left to look at.
        assert.isUndefined(yield* storage.job(m.merchant_id, `${id}.pay`))
        yield* succeed(m, id)
      })
    ))

  covers("BATCH-7")
  it("find the recipient that they describe, however many others have its name or its account, at whichever customer", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const ids = yield* Ids
        const unitOfWork = yield* UnitOfWork
        const stored = yield* Beneficiaries.use((s) => s.create(m.caller, described("a1")))
        const row = yield* m.rowOf(stored.id)
        const written = Effect.fnUntraced(function* (over: Given, customer_id: string) {
          const id = yield* ids.make("ben")
          const data = { ...(row.data as object), ...over, customer_id } as never
          const at = yield* Clock.currentTimeMillis
          const made = yield* begin(BeneficiaryKind, { merchant_id: m.merchant_id, id, customer_id }, data, at)
          const change = Effect.succeed({ changes: [made.changes], result: undefined })
          yield* unitOfWork.apply(m.merchant_id, { deduplicationKey: `test/${id}` }, change)
        })
        yield* m.advance(1)
        const here = row.customer_id!
        for (let n = 0; n < 250; n++) {
          // Namesakes with accounts of their own, the same account under other names, and all of it at another customer.
          yield* written(
            { details: { network: "base", address: `0x${n.toString(16).padStart(40, "3")}`, memo: null } },
            here
          )
          yield* written({ name: `Ada ${n}` }, here)
          yield* written({}, "cust_01j9z3k4m5n6p7q8r9s0t1v2w9")
        }
        const id = yield* confirmed(m, [unknown(m, "a1"), unknown(m, "A1")])
        yield* m.settle
        assert.deepInclude((yield* get(m, id)).counts, { created: 2, failed: 0 })
        for (const { resource_id } of yield* withStatus(m, id, "created"))
          assert.deepInclude((yield* m.rowOf(resource_id!)).data, { beneficiary_id: stored.id })
        yield* succeed(m, id)
      })
    ))

  covers("OPERATOR-4")
  it("make the batch one that needs attention, unless others of it ended since", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const id = yield* confirmed(m, [unknown(m, "1dead"), unknown(m, "2dead"), known(m)])
        yield* m.settle
        const [one, other] = yield* pendingOf(m)
        yield* m.advance(590)
        assert.deepEqual(yield* stuck(m), [])
        yield* screen(m, one!.id, "screened")
        yield* m.advance(10)
        assert.deepInclude((yield* get(m, id)).counts, { created: 2 })
        yield* m.advance(500)
        assert.deepEqual(yield* stuck(m), [])
        yield* m.advance(110)
        // It was looked at again and again since.
        assert.deepEqual(yield* stuck(m), [[id, "processing", "awaiting_screening"]])
        const { since } = yield* LedgerReports.use((books) => books.history(id))
        const [line] = (yield* LedgerReports.use((s) => s.stuck({ kind: "batch", merchant_id: m.merchant_id }))).items
        assert.strictEqual(line!.since, since)
        yield* screen(m, other!.id, "refused")
        yield* m.advance(10)
        assert.deepEqual(yield* stuck(m), [])
        yield* succeed(m, id)
      })
    ))
})
