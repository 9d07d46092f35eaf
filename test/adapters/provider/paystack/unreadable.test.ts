/** What cannot be read proves nothing, names itself, and holds up nothing else; a long list is read to its end. */
import { Effect, Fiber, Latch } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "@effect/vitest"
import type { CompanySubmissions } from "../../../../src/adapters/provider/company/submissions.ts"
import { makeSweep } from "../../../../src/adapters/provider/company/sweep.ts"
import type { Provider } from "../../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../../src/engine/ports/Storage.ts"
import { jsonOf } from "../../../support/companies/fake-paystack.ts"
import {
  grace,
  minutes,
  payoutOf,
  paystackWorld,
  type PaystackWorld,
  referenceFor,
  refundOf,
  wordOf
} from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const command = payoutOf(1)
const payins = { email_domain: "pay.example.com", bank: { NGN: "test-bank" } }

const inWorld = <A>(test: (world: PaystackWorld, provider: Provider["Service"]) => Effect.Effect<A, unknown>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const world = yield* paystackWorld({ payins })
      const { provider } = yield* world.start()
      return yield* world.inWorld(test(world, provider))
    })
  )

const issued = (provider: Provider["Service"]) =>
  Effect.map(
    provider.payins!.issue({
      ...{ id: "wcr_01k6x0b7z20000000000000001.issue", merchant_id: "mer_1", kind: "wallet_credential" },
      ...{ resource_id: "wcr_01k6x0b7z20000000000000001", type: "fiat", currency: "NGN", country_code: "NG" },
      ...{ network: "bank", holder: "Ada Ngozi Obi" }
    }),
    (result) => (result._tag === "issued" ? result.issued.target : result._tag)
  )

const lose = (world: PaystackWorld, path: string, mishap: "lost" | "refused" | "queued" = "lost") => {
  world.fake.mishap = (request) => (request.method === "POST" && request.path === path ? mishap : undefined)
}

const list = (data: ReadonlyArray<object>) =>
  [200, jsonOf({ status: true, message: "", data, meta: { pageCount: 1 } })] as const

/** Looks up until the time of grace is over; returns what the last look-up says. */
const lookedUp = Effect.fnUntraced(function* (world: PaystackWorld, lookup: Effect.Effect<string>) {
  yield* lookup
  world.pass(grace)
  yield* lookup
  world.pass(minutes(1))
  return yield* lookup
})

const outcomesOf = (events: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  events.map((event) => {
    const { _tag, outcome, payin_id } = event as { _tag: string; outcome?: string; payin_id?: string }
    return `${_tag} ${outcome ?? payin_id ?? ""}`
  })

describe("a refund whose answer was lost", () => {
  covers("COMPANY-4", "COMPANY-12")
  for (const [what, changed] of [
    ["a state with a space", { status: "needs attention" }],
    ["an amount with decimals", { amount: "100.00" }],
    ["no currency", { currency: undefined }],
    ["another note", { merchant_note: "Refund" }],
    ["a note around ours", { merchant_note: `Refund: ${refundOf(1, "1").id}` }],
    ["another note, and no pay-in", { merchant_note: null, transaction: undefined }]
  ] as const)
    it.live(`is not absent while the list has it with ${what}`, () =>
      inWorld((world, provider) =>
        Effect.gen(function* () {
          const { id } = world.fake.pay(yield* issued(provider), 100_00n)
          const refund = refundOf(1, String(id))
          lose(world, "/refund")
          yield* wordOf(provider.payins!.refund(refund))
          world.fake.mishap = () => undefined
          world.fake.instead = ({ method, path }) =>
            method === "GET" && path === "/refund"
              ? list([{ ...world.fake.refundData(world.fake.refunds[0]!), ...changed }])
              : path === "/balance/ledger"
                ? list([])
                : undefined
          const last = yield* lookedUp(world, wordOf(provider.payins!.lookupRefund(refund)))
          assert.notStrictEqual(last, "absent")
          yield* wordOf(provider.payins!.refund(refund))
          assert.strictEqual(world.fake.executions.get(refund.id), 1)
        })
      )
    )

  covers("COMPANY-4", "COMPANY-12")
  it.live("is not absent while the ledger has its debit", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const { id } = world.fake.pay(yield* issued(provider), 100_00n)
        const refund = refundOf(1, String(id))
        lose(world, "/refund")
        yield* wordOf(provider.payins!.refund(refund))
        world.fake.instead = ({ method, path }) => (method === "GET" && path === "/refund" ? list([]) : undefined)
        assert.strictEqual(yield* lookedUp(world, wordOf(provider.payins!.lookupRefund(refund))), "ProviderFault")
      })
    )
  )

  covers("COMPANY-12")
  it.live("that was made after it was absent is found, and not made again", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const { id } = world.fake.pay(yield* issued(provider), 300_00n)
        const refund = refundOf(1, String(id))
        lose(world, "/refund", "queued")
        yield* wordOf(provider.payins!.refund(refund))
        world.fake.mishap = () => undefined
        assert.strictEqual(yield* lookedUp(world, wordOf(provider.payins!.lookupRefund(refund))), "absent")
        world.fake.drain()
        assert.notStrictEqual(yield* wordOf(provider.payins!.refund(refund)), "unavailable")
        assert.strictEqual(world.fake.executions.get(refund.id), 1)
      })
    )
  )

  covers("COMPANY-19")
  it.live("is not sent by a submission that an absent has overtaken", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const { id } = world.fake.pay(yield* issued(provider), 300_00n)
        const refund = refundOf(1, String(id))
        const [reached, gate] = yield* Effect.all([Latch.make(), Latch.make()])
        let isRunning = true
        // The process is stopped while it asks whose key it is.
        const { provider: stopped } = yield* world.start(
          {},
          Storage.of({
            ...world.storage,
            get: (keys) =>
              keys[0]?.kind === "company_owner" && !isRunning
                ? Effect.andThen(Effect.andThen(reached.open, gate.await), world.storage.get(keys))
                : world.storage.get(keys)
          })
        )
        isRunning = false
        const submission = yield* Effect.forkChild(wordOf(stopped.payins!.refund(refund)))
        yield* reached.await
        assert.strictEqual(yield* wordOf(provider.payins!.lookupRefund(refund)), "absent")
        yield* gate.open
        assert.strictEqual(yield* Fiber.join(submission), "unavailable")
        assert.isUndefined(world.fake.executions.get(refund.id))
        yield* wordOf(provider.payins!.refund(refund))
        assert.strictEqual(world.fake.executions.get(refund.id), 1)
      })
    )
  )

  covers("COMPANY-12")
  it.live("is absent beside the refunds of other pay-ins, and of other commands", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const target = yield* issued(provider)
        const [{ id }, other] = [world.fake.pay(target, 300_00n), world.fake.pay(target, 100_00n)]
        const refund = refundOf(1, String(id))
        lose(world, "/refund", "refused")
        yield* wordOf(provider.payins!.refund(refund))
        lose(world, "/refund")
        yield* wordOf(provider.payins!.refund(refundOf(2, String(id))))
        world.fake.mishap = () => undefined
        yield* wordOf(provider.payins!.refund(refundOf(3, String(other.id))))
        yield* wordOf(provider.payins!.lookupRefund(refundOf(2, String(id))))
        assert.strictEqual(yield* lookedUp(world, wordOf(provider.payins!.lookupRefund(refund))), "absent")
      })
    )
  )
})

describe("a payout that nobody finds", () => {
  const debit = {
    ...{ id: 7, difference: -150_050, balance: 0, currency: "NGN", reason: null, model_responsible: "Transfer" },
    ...{ model_row: 77, createdAt: new Date(Date.UTC(2026, 10, 29)).toISOString() }
  }
  covers("COMPANY-4")
  for (const [what, row] of [
    ["a difference with decimals", { ...debit, difference: "-1500.50" }],
    ["another name of its time", { ...debit, createdAt: undefined, created_at: "2026-11-29T00:00:00.000Z" }],
    ["no currency", { ...debit, currency: undefined }],
    ["another word for what it is of", { ...debit, model_responsible: "transfer" }],
    ["nothing that says what it is of", { ...debit, model_responsible: null, model_row: null }]
  ] as const)
    it.live(`is not absent by a ledger whose debit has ${what}`, () =>
      inWorld((world, provider) =>
        Effect.gen(function* () {
          lose(world, "/transfer", "refused")
          yield* wordOf(provider.payouts!.submit(command))
          world.fake.instead = ({ path }) => (path === "/balance/ledger" ? list([row]) : undefined)
          const last = yield* lookedUp(world, wordOf(provider.payouts!.lookup(command)))
          assert.strictEqual(last, "ProviderFault")
        })
      )
    )

  covers("COMPANY-4")
  it.live("is not absent by the time of a later submission: the debit of the first one counts", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        lose(world, "/transfer")
        yield* wordOf(provider.payouts!.submit(command))
        world.pass(minutes(20))
        lose(world, "/transfer", "refused")
        yield* wordOf(provider.payouts!.submit(command))
        world.fake.instead = ({ path }) =>
          path.startsWith("/transfer/verify/") ? [404, { status: false, message: "Transfer not found" }] : undefined
        const last = yield* lookedUp(world, wordOf(provider.payouts!.lookup(command)))
        assert.strictEqual(last, "ProviderFault")
      })
    )
  )
})

describe("a refund that waits for its payer", () => {
  covers("COMPANY-7")
  it.live("holds back no payout", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const { id } = world.fake.pay(yield* issued(provider), 100_00n)
        const refund = refundOf(1, String(id))
        yield* provider.payins!.refund(refund)
        world.fake.refunds[0]!.status = "needs-attention"
        assert.strictEqual(yield* wordOf(provider.payins!.lookupRefund(refund)), "pending")
        assert.strictEqual(yield* wordOf(provider.payouts!.submit(command)), "settled success")
      })
    )
  )
})

describe("a payout that waits for a code", () => {
  covers("COMPANY-7")
  it.live("holds back the others also after it was submitted again", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const ngn = [...world.fake.integrations.values()][0]!
        ngn.first = "otp"
        yield* provider.payouts!.submit(command)
        yield* wordOf(provider.payouts!.submit(command))
        ngn.first = "success"
        assert.strictEqual(yield* wordOf(provider.payouts!.submit(payoutOf(2))), "unavailable")
      })
    )
  )
})

describe("a refund that fails after it was processed", () => {
  const processed = Effect.fnUntraced(function* (world: PaystackWorld, provider: Provider["Service"]) {
    const { id } = world.fake.pay(yield* issued(provider), 100_00n)
    yield* provider.payins!.refund(refundOf(1, String(id)))
    const refund = world.fake.refunds[0]!
    refund.status = "processed"
    const { cursor } = yield* provider.events!.after!(null)
    refund.status = "failed"
    return { refund, cursor }
  })
  covers("COMPANY-9")
  it.live("is found by a sweep", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const { cursor } = yield* processed(world, provider)
        world.pass(minutes(60 * 24 * 30))
        const { events, fault } = yield* provider.events!.after!(cursor)
        assert.deepStrictEqual([outcomesOf(events), fault], [["refund failed"], undefined])
      })
    )
  )

  covers("COMPANY-8", "COMPANY-9")
  it.live("is told by a callback", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const { refund } = yield* processed(world, provider)
        const { body, headers } = world.fake.refundCallback(refund)
        const event = yield* provider.events!.decode!(headers, body, Buffer.from(body))
        assert.deepStrictEqual(outcomesOf([event]), ["refund failed"])
      })
    )
  )
})

describe("a sweep with an item that cannot be read", () => {
  covers("COMPANY-9")
  it.live("reports the returns behind it, and names it", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const all = [1, 2, 3].map((n) => payoutOf(n))
        for (const one of all) yield* provider.payouts!.submit(one)
        const { cursor } = yield* provider.events!.after!(null)
        for (const one of all) world.fake.become(referenceFor(one), "reversed")
        world.fake.mishap = ({ path }) =>
          path === `/transfer/verify/${referenceFor(all[0]!)}` ? "error_500" : undefined
        const { events, fault } = yield* provider.events!.after!(cursor)
        assert.deepStrictEqual(outcomesOf(events), ["movement returned", "movement returned"])
        assert.include(fault ?? "", referenceFor(all[0]!))
      })
    )
  )

  covers("COMPANY-9")
  it.live("reports the pay-ins behind it, and itself when it can be read, however much later", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const target = yield* issued(provider)
        const unread = world.fake.pay(target, 1n)
        const next = world.fake.pay(target, 2n)
        world.fake.mishap = ({ path }) => (path === `/transaction/verify/${unread.reference}` ? "error_500" : undefined)
        const { cursor, events, fault } = yield* provider.events!.after!(null)
        assert.deepStrictEqual(outcomesOf(events), [`payin ${next.id}`])
        assert.include(fault ?? "", unread.reference)
        for (let day = 0; day < 3; day++) {
          world.pass(minutes(60 * 24))
          yield* provider.events!.after!(cursor)
        }
        world.fake.mishap = () => undefined
        assert.deepStrictEqual(outcomesOf((yield* provider.events!.after!(cursor)).events), [`payin ${unread.id}`])
      })
    )
  )

  covers("COMPANY-9")
  it.live("asks for a pay-in whose item has no time that can be read", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const paid = world.fake.pay(yield* issued(provider), 1n)
        world.fake.instead = ({ path }) =>
          path === "/transaction" ? list([{ id: paid.id, reference: paid.reference, status: "success" }]) : undefined
        const { events } = yield* provider.events!.after!(null)
        assert.deepStrictEqual(outcomesOf(events), [`payin ${paid.id}`])
      })
    )
  )
})

describe("a list that is longer than one read of it", () => {
  covers("COMPANY-9")
  it.live("has all pay-ins of a busy day", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const target = yield* issued(provider)
        const paid = world.fake.pay(target, 1n)
        const now = world.time.now
        const others = Array.from({ length: 2_500 }, (_, n) => ({
          ...{ id: n + 1, reference: `T${n}`, status: "success", amount: 5, currency: "NGN" },
          ...{ channel: "dedicated_nuban", customer: { email: "a@b.example" } },
          at: now - n * 30_000
        }))
        const ours = { ...others[0]!, id: paid.id, reference: paid.reference, customer: { email: paid.email } }
        world.fake.instead = ({ path, query }) => {
          if (path !== "/transaction") return undefined
          const [from, to] = [Date.parse(query.get("from")!), Date.parse(query.get("to") ?? "2100-01-01")]
          const listed = [...others, { ...ours, at: now - 80_000_000 }]
            .filter(({ at }) => at >= from && at <= to)
            .map(({ at, ...one }) => ({ ...one, paid_at: new Date(at).toISOString() }))
          const [page, size] = [Number(query.get("page")), Number(query.get("perPage"))]
          return [200, jsonOf({ status: true, message: "", data: listed.slice((page - 1) * size, page * size) })]
        }
        const { events, fault } = yield* provider.events!.after!(null)
        assert.deepStrictEqual([outcomesOf(events), fault], [[`payin ${paid.id}`], undefined])
      })
    )
  )
})

describe("a day with many pay-ins", () => {
  covers("COMPANY-20")
  it.live("is listed again after a rest, and what is new by each sweep", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const target = yield* issued(provider)
        for (let n = 0; n < 120; n++) world.fake.pay(target, 100_00n)
        const froms = Effect.map(provider.events!.after!(null), () =>
          world.fake.requests.flatMap(({ path, query }) =>
            path === "/transaction" ? [world.time.now - Date.parse(query.get("from")!)] : []
          )
        )
        assert.isAtLeast((yield* froms).at(-1)!, minutes(60 * 24))
        world.pass(30_000)
        assert.isAtMost((yield* froms).at(-1)!, minutes(11))
        world.fake.pay(target, 55_00n)
        world.pass(30_000)
        const { events } = yield* provider.events!.after!("100")
        assert.deepInclude(events.at(-1), { amount: "55.00" })
        world.pass(60_000)
        assert.isAtLeast((yield* froms).at(-1)!, minutes(60 * 24))
      })
    )
  )
})

describe("a sweep whose open commands are slow", () => {
  covers("COMPANY-9")
  it.effect("looks at the rest beside them, and says that it did not end", () =>
    Effect.gen(function* () {
      const open = Array.from({ length: 50 }, (_, n) => ({ command_id: `c${n}` }))
      const submissions = {
        open: Effect.succeed(["open"]),
        endedWithin: () => Effect.succeed([]),
        list: () => Effect.succeed(open)
      } as unknown as CompanySubmissions
      let listed = 0
      const other = Effect.sync(() => void listed++)
      const sweep = yield* Effect.forkChild(makeSweep(submissions, () => Effect.never, [other, other]))
      yield* TestClock.adjust("21 seconds")
      assert.deepStrictEqual([yield* Fiber.join(sweep), listed], ["a part of the sweep did not end within 20000 ms", 2])
    })
  )
})

describe("a command that is absent", () => {
  covers("COMPANY-9")
  it.live("is listed no more among those that are open, and is again when it is sent", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const open = Effect.map(
          world.storage.list({
            kinds: ["company_command"],
            index_keys: ["company_open=paystack"],
            offset: 0,
            limit: 10
          }),
          ({ items }) => items.length
        )
        lose(world, "/transfer", "refused")
        yield* wordOf(provider.payouts!.submit(command))
        assert.strictEqual(yield* open, 1)
        yield* lookedUp(world, wordOf(provider.payouts!.lookup(command)))
        assert.strictEqual(yield* open, 0)
        yield* wordOf(provider.payouts!.submit({ ...command, attempt: 1 }))
        assert.strictEqual(yield* open, 1)
      })
    )
  )
})

describe("a statement", () => {
  covers("COMPANY-10")
  it.live("has a row that cannot be read among those that it cannot read", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        yield* provider.payouts!.submit(command)
        world.pass(minutes(60))
        const rows = [
          { id: 5, difference: "1.5", currency: "NGN", createdAt: new Date(world.time.now - minutes(30)).toISOString() }
        ]
        world.fake.instead = ({ key, path }) =>
          path === "/balance/ledger" && key.includes("aaa") ? list(rows) : undefined
        const page = yield* provider.statements!.lines(JSON.stringify({ NGN: world.time.now - minutes(59) }))
        assert.deepStrictEqual(page.lines, [])
        assert.strictEqual(page.unreadable?.length, 1)
      })
    )
  )

  covers("COMPANY-10", "COMPANY-18")
  it.live("says that it cannot go on where a second has more rows than can be read", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        world.pass(minutes(60))
        const isLedger = ({ key, path }: { readonly key: string; readonly path: string }) =>
          path === "/balance/ledger" && key.includes("aaa")
        world.fake.instead = (request) =>
          isLedger(request)
            ? [200, jsonOf({ status: true, message: "", data: [{}], meta: { pageCount: 50 } })]
            : undefined
        const at = JSON.stringify({ NGN: world.time.now - minutes(59), GHS: world.time.now - minutes(2) })
        const fault = yield* Effect.flip(provider.statements!.lines(at))
        assert.match(fault.message, /the statement in NGN cannot go on after 2026-.+more than can be read at once/)
      })
    )
  )

  covers("COMPANY-18")
  it.live("of one currency waits for no other, and a fault is told when there is nothing else", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        yield* provider.payouts!.submit(command)
        world.pass(minutes(60))
        world.fake.instead = ({ key, path }) =>
          path === "/balance/ledger" && !key.includes("aaa")
            ? [500, jsonOf({ status: false, message: "away" })]
            : undefined
        const page = yield* provider.statements!.lines(null)
        assert.isNotEmpty(page.lines)
        assert.strictEqual((yield* Effect.flip(provider.statements!.lines(page.cursor)))._tag, "ProviderFault")
        world.fake.instead = () => undefined
        assert.deepStrictEqual((yield* provider.statements!.lines(page.cursor)).lines, [])
      })
    )
  )
})
