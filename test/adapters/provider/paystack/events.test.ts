/** What Paystack tells, and what it does not: callbacks, sweeps, pay-ins and refunds. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { decodeEvent } from "../../../../src/engine/ports/checked-ports.ts"
import type { IssueCommand, Provider } from "../../../../src/engine/ports/Provider.ts"
import { jsonOf, ngnKey } from "../../../support/companies/fake-paystack.ts"
import {
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
const reference = referenceFor(command)
const payins = { email_domain: "pay.example.com", bank: { NGN: "test-bank" } }

const inWorld = <A>(test: (world: PaystackWorld, provider: Provider["Service"]) => Effect.Effect<A, unknown>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const world = yield* paystackWorld({ payins })
      const { provider } = yield* world.start()
      return yield* world.inWorld(test(world, provider))
    })
  )

const deliver = (
  { events }: Provider["Service"],
  { body, headers }: { readonly body: string; readonly headers: Record<string, string> }
) => events!.decode!(headers, body, Buffer.from(body))

const first = (world: PaystackWorld, status: string): void =>
  world.fake.integrations.forEach((one) => (one.first = status))

const tagsOf = (events: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  events.map((event) => {
    const { _tag, outcome, stage } = event as {
      readonly _tag: string
      readonly outcome?: string
      readonly stage?: string
    }
    return [_tag, outcome ?? stage].filter(Boolean).join(" ")
  })

const issue = (n = 1): IssueCommand => ({
  ...{ id: `wcr_01k6x0b7z2${String(n).padStart(16, "0")}.issue`, merchant_id: "mer_1", kind: "wallet_credential" },
  ...{ resource_id: `wcr_01k6x0b7z2${String(n).padStart(16, "0")}`, type: "fiat", currency: "NGN", country_code: "NG" },
  ...{ network: "bank", holder: "Ada Ngozi Obi" }
})

const issued = (provider: Provider["Service"], n = 1) =>
  Effect.map(provider.payins!.issue(issue(n)), (result) =>
    result._tag === "issued" ? result.issued.target : result._tag
  )

describe("a callback", () => {
  covers("COMPANY-8", "COMPANY-9")
  it.live("about a payout is a reason to look up: what the look-up says is reported, once and in the same words", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        first(world, "pending")
        yield* provider.payouts!.submit(command)
        const early = world.fake.transferCallback(reference, "transfer.success")
        assert.deepStrictEqual(yield* deliver(provider, early), { _tag: "none" })
        world.fake.become(reference, "success")
        const event = yield* deliver(provider, early)
        assert.deepInclude(event as object, { _tag: "movement", outcome: "success", resource_id: command.resource_id })
        assert.deepStrictEqual(decodeEvent(event), event)
        world.fake.transfers.get(reference)!.fee = 5n
        assert.deepStrictEqual(yield* deliver(provider, early), event)
        const { cursor, events } = yield* provider.events!.after!(null)
        assert.deepStrictEqual(events as ReadonlyArray<unknown>, [event])
        assert.deepStrictEqual((yield* provider.events!.after!(cursor)).events, [])
      })
    )
  )

  covers("COMPANY-1", "COMPANY-8")
  it.live("that comes before the answer to the POST is about a payout that is known", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        world.fake.mishap = ({ method, path }) => (method === "POST" && path === "/transfer" ? "lost" : undefined)
        yield* wordOf(provider.payouts!.submit(command))
        const event = yield* deliver(provider, world.fake.transferCallback(reference))
        assert.deepStrictEqual(tagsOf([event]), ["movement success"])
      })
    )
  )

  covers("COMPANY-8")
  it.live("counts with the new key and the old one, over the bytes as they came, and with nothing else", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const world = yield* paystackWorld()
        const newKey = "sk_test_cccccccccccccccccccc"
        world.fake.integrations.set(newKey, world.fake.integrations.get(ngnKey)!)
        const { provider } = yield* world.start({ keys: { NGN: [newKey, ngnKey] } })
        yield* provider.payouts!.submit(command)
        for (const key of [newKey, ngnKey])
          assert.deepStrictEqual(
            tagsOf([yield* deliver(provider, world.fake.transferCallback(reference, undefined, key))]),
            ["movement success"]
          )
        const { body, headers } = world.fake.transferCallback(reference)
        for (const wrong of [
          { body: `${body} `, headers },
          { body, headers: {} },
          { body, headers: { "x-paystack-signature": "00" } },
          world.fake.transferCallback(reference, undefined, "sk_test_dddddddddddddddddddd")
        ])
          assert.isUndefined(yield* deliver(provider, wrong))
        assert.isTrue(world.fake.requests.every(({ key }) => key === newKey))
      })
    )
  )

  covers("COMPANY-8")
  it.live("about nothing of ours is acknowledged and not recorded", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const stranger = { id: 1, reference: "made-in-the-dashboard", status: "success", currency: "NGN" }
        for (const event of ["transfer.success", "charge.success", "charge.dispute.create", "subscription.create"])
          assert.deepStrictEqual(yield* deliver(provider, world.fake.callback(event, stranger)), { _tag: "none" })
        assert.deepStrictEqual(yield* deliver(provider, world.fake.callback("invoice.update", { amount: 1 })), {
          _tag: "none"
        })
      })
    )
  )

  covers("COMPANY-8")
  it.live("that is signed and no event is recorded", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const event = yield* deliver(provider, world.fake.callback(null as unknown as string, {}))
        assert.deepStrictEqual(tagsOf([event]), ["unreadable"])
      })
    )
  )

  covers("COMPANY-8", "COMPANY-9")
  it.live("that is told again for 72 hours, after a success and after its return, is the same event each time", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        /** Every three minutes four times, and then each hour. */
        const rests = [0, ...Array<number>(4).fill(3), ...Array<number>(72).fill(60)].map(minutes)
        const success = "transfer.success"
        const deliveries: Array<unknown> = []
        const cursors: Array<string | null> = []
        yield* provider.payouts!.submit(command)
        for (const [state, callbacks] of [
          ["success", [success]],
          ["reversed", ["transfer.reversed", success]]
        ] as const) {
          world.fake.become(reference, state)
          const events = new Set<string>()
          for (const rest of rests) {
            world.pass(rest)
            for (const callback of callbacks)
              events.add(jsonOf(yield* deliver(provider, world.fake.transferCallback(reference, callback))))
          }
          deliveries.push([...events].map((one) => JSON.parse(one) as unknown))
          const page = yield* provider.events!.after!(cursors.at(-1) ?? null)
          assert.deepStrictEqual(page.events as ReadonlyArray<unknown>, deliveries.at(-1))
          cursors.push(page.cursor)
        }
        assert.deepStrictEqual(
          deliveries.map((events) => tagsOf(events as ReadonlyArray<unknown>)),
          [["movement success"], ["movement returned"]]
        )
        assert.strictEqual(world.fake.executions.get(reference), 1)
      })
    )
  )

  covers("COMPANY-8")
  it.live("that cannot be looked up now is not acknowledged", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        yield* provider.payouts!.submit(command)
        world.fake.mishap = () => "error_500"
        const call = deliver(provider, world.fake.transferCallback(reference))
        assert.strictEqual(
          yield* Effect.match(call, { onFailure: ({ _tag }) => _tag, onSuccess: () => "answered" }),
          "ProviderFault"
        )
      })
    )
  )
})

describe("a sweep", () => {
  covers("COMPANY-9")
  it.live("finds outcomes that no callback told, and a return that follows a success", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        first(world, "pending")
        yield* provider.payouts!.submit(command)
        const none = yield* provider.events!.after!(null)
        assert.deepStrictEqual([none.events, none.fault], [[], undefined])
        world.fake.become(reference, "success")
        const page = yield* provider.events!.after!(none.cursor)
        assert.deepStrictEqual(tagsOf(page.events), ["movement success"])
        world.pass(minutes(60 * 24 * 30))
        world.fake.become(reference, "reversed")
        const last = yield* provider.events!.after!(page.cursor)
        assert.deepStrictEqual(tagsOf(last.events), ["movement returned"])
        for (let hour = 0; hour < 3; hour++)
          yield* deliver(provider, world.fake.transferCallback(reference, "transfer.reversed"))
        assert.deepStrictEqual((yield* provider.events!.after!(last.cursor)).events, [])
        assert.deepStrictEqual((yield* provider.events!.after!(page.cursor)).events, last.events)
      })
    )
  )

  covers("COMPANY-9")
  it.live("reports what it found although another part cannot be read, and says so", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        first(world, "pending")
        yield* provider.payouts!.submit(command)
        world.fake.become(reference, "failed")
        world.fake.mishap = ({ path, query }) =>
          path === "/transfer" && query.get("status") === "reversed" ? "error_500" : undefined
        const { events, fault } = yield* provider.events!.after!(null)
        assert.deepStrictEqual(tagsOf(events), ["movement failed"])
        assert.include(fault ?? "", "500")
      })
    )
  )

  it.live("has the reason of a failure, without what a store cannot keep", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        first(world, "pending")
        yield* provider.payouts!.submit(command)
        world.fake.instead = ({ path }) => {
          const data = {
            id: 7,
            reference,
            status: "failed",
            amount: 150_050n,
            currency: "NGN",
            gateway_response: "Dormant\u0000\ud800"
          }
          return path.startsWith("/transfer/verify") ? [200, { status: true, message: "", data }] : undefined
        }
        const [event] = (yield* provider.events!.after!(null)).events
        assert.deepInclude(event as object, { reason: "failed: Dormant\ufffd" })
        assert.deepStrictEqual(decodeEvent(event), event as never)
      })
    )
  )
})

describe("a pay-in", () => {
  covers("COMPANY-9", "COMPANY-10")
  it.live("to an account that was issued is reported once, by callback or by sweep, with its leading zeros", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const target = yield* issued(provider)
        assert.match(target, /^00\d{8}$/)
        assert.strictEqual(yield* issued(provider), target)
        const byCallback = world.fake.pay(target, 250_075n)
        const bySweep = world.fake.pay(target, 1n)
        world.fake.pay("unknown", 5n)
        world.fake.pay(target, 5n, "card")
        const event = yield* deliver(provider, world.fake.chargeCallback(byCallback))
        assert.deepStrictEqual(event, {
          ...{
            _tag: "payin",
            event_id: `payin/${byCallback.id}`,
            payin_id: String(byCallback.id),
            stage: "confirmed",
            target
          },
          ...{ amount: "2500.75", currency: "NGN", network: "bank", transaction_hash: null, from_address: null },
          ...{ sender: { name: "Ada Obi", bank: "Access Bank", account_number: "4321" }, narration: "rent" },
          observed_at: world.time.now
        })
        const { cursor, events } = yield* provider.events!.after!(null)
        assert.deepStrictEqual(
          events.map((one) => (one as { readonly payin_id: string }).payin_id),
          [byCallback, bySweep].map(({ id }) => String(id))
        )
        world.pass(minutes(60))
        assert.deepStrictEqual((yield* provider.events!.after!(cursor)).events, [])
      })
    )
  )

  covers("COMPANY-12")
  it.live("is returned by one request, which is looked up by its note from then on", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const { id } = world.fake.pay(yield* issued(provider), 100_00n)
        const refund = refundOf(1, String(id))
        world.fake.mishap = ({ method, path }) => (method === "POST" && path === "/refund" ? "lost" : undefined)
        assert.strictEqual(yield* wordOf(provider.payins!.refund(refund)), "ProviderFault")
        world.fake.mishap = () => undefined
        assert.strictEqual(yield* wordOf(provider.payins!.refund(refund)), "accepted")
        assert.strictEqual(yield* wordOf(provider.payins!.lookupRefund(refund)), "pending")
        world.fake.refunds[0]!.status = "processed"
        assert.strictEqual(yield* wordOf(provider.payins!.lookupRefund(refund)), "settled success")
        assert.strictEqual(world.fake.executions.get(refund.id), 1)
        const { events } = yield* provider.events!.after!(null)
        assert.include(tagsOf(events), "refund success")
      })
    )
  )

  covers("COMPANY-4", "COMPANY-12")
  it.live("whose refund was lost on its way is refunded by a second request only after it is absent", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const { id } = world.fake.pay(yield* issued(provider), 100_00n)
        const refund = refundOf(1, String(id))
        world.fake.mishap = ({ method, path }) => (method === "POST" && path === "/refund" ? "refused" : undefined)
        yield* wordOf(provider.payins!.refund(refund))
        world.fake.mishap = () => undefined
        assert.strictEqual(yield* wordOf(provider.payins!.refund(refund)), "ProviderFault")
        yield* wordOf(provider.payins!.lookupRefund(refund))
        world.pass(minutes(31))
        assert.strictEqual(yield* wordOf(provider.payins!.lookupRefund(refund)), "absent")
        assert.strictEqual(yield* wordOf(provider.payins!.refund(refund)), "accepted")
        assert.strictEqual(world.fake.executions.get(refund.id), 1)
        const more = yield* wordOf(provider.payins!.refund(refundOf(2, String(id))))
        assert.strictEqual(more, "rejected")
      })
    )
  )

  it.live("is not offered where no accounts are configured, nor in a country without them", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const world = yield* paystackWorld()
        const { provider } = yield* world.start()
        assert.strictEqual(yield* issued(provider), "rejected")
        assert.deepStrictEqual(
          [...new Set(provider.manifest.offers.map(({ operation }) => operation))],
          ["payout", "directory"]
        )
      })
    )
  )
})

describe("a statement", () => {
  covers("COMPANY-10")
  it.live("has each row of the ledger once, oldest first, with the command or the pay-in that it is of", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const { id } = world.fake.pay(yield* issued(provider), 100_00n)
        world.pass(minutes(60 * 24 * 3))
        yield* provider.payouts!.submit(command)
        world.pass(minutes(1))
        const refund = refundOf(1, String(id))
        yield* provider.payins!.refund(refund)
        world.pass(minutes(5))
        const lines: Array<unknown> = []
        let cursor: string | null = null
        for (let read = 0; read < 9; read++) {
          const page: { readonly lines: ReadonlyArray<unknown>; readonly cursor: string | null } =
            yield* provider.statements!.lines(cursor)
          lines.push(...page.lines)
          if (page.cursor === cursor) break
          cursor = page.cursor
        }
        assert.deepStrictEqual(
          lines.map((line) => {
            const { amount, command_id, direction, payin_id } = line as Record<string, string | null>
            return [direction, amount, command_id, payin_id]
          }),
          [
            ["credit", "100.00", null, String(id)],
            ["debit", "1500.50", command.id, null],
            ["debit", "100.00", refund.id, null]
          ]
        )
        assert.deepStrictEqual(yield* provider.statements!.balances, [
          { currency: "NGN", network: null, available: "998499.50", pending: "0.00" },
          { currency: "GHS", network: null, available: "1000000.00", pending: "0.00" }
        ])
      })
    )
  )

  it.live("has all rows of a day that has more than a list can", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const rows = Array.from({ length: 2_500 }, (_, n) => ({
          ...{
            id: n + 1,
            difference: 100,
            balance: 0,
            currency: "NGN",
            reason: null,
            model_responsible: "Other",
            model_row: n
          },
          createdAt: new Date(world.time.now - minutes(60 * 24) + n * 1000).toISOString()
        }))
        world.fake.instead = ({ key, path, query }) => {
          if (path !== "/balance/ledger" || key !== ngnKey) return undefined
          const [from, to] = [Date.parse(query.get("from")!), Date.parse(query.get("to")!)]
          const listed = rows.filter(({ createdAt }) => Date.parse(createdAt) >= from && Date.parse(createdAt) <= to)
          const [page, size] = [Number(query.get("page")), Number(query.get("perPage"))]
          return [200, jsonOf({ status: true, message: "", data: listed.slice((page - 1) * size, page * size) })]
        }
        const found = new Set<string>()
        let cursor: string | null = JSON.stringify({ NGN: world.time.now - minutes(60 * 48) })
        let count = 0
        for (let read = 0; read < 60; read++) {
          const page: { readonly lines: ReadonlyArray<{ readonly id: string }>; readonly cursor: string | null } =
            yield* provider.statements!.lines(cursor)
          count += page.lines.length
          for (const { id } of page.lines) found.add(id)
          if (page.cursor === cursor) break
          cursor = page.cursor
        }
        assert.deepStrictEqual([found.size, count], [2_500, 2_500])
      })
    )
  )
})

const zarKey = "sk_test_cccccccccccccccccccc"

describe("a payout that failed", () => {
  covers("COMPANY-17")
  it.live("is told as paid when Paystack says so later, although no callback says it", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        first(world, "failed")
        yield* provider.payouts!.submit(command)
        const { cursor } = yield* provider.events!.after!(null)
        world.fake.become(referenceFor(command), "success")
        world.pass(minutes(60 * 24 * 2))
        const { events } = yield* provider.events!.after!(cursor)
        assert.deepInclude(events[0], { _tag: "movement", outcome: "success", resource_id: command.resource_id })
        assert.strictEqual(events.length, 1)
        assert.deepStrictEqual((yield* provider.events!.after!(null)).events.length, 2)
      })
    )
  )

  covers("COMPANY-9", "COMPANY-17")
  it.live("is told as paid in the end, whatever it was meanwhile, and each of its outcomes once", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const walks = [0, 1, 2].reduce<ReadonlyArray<ReadonlyArray<string>>>(
          (all) => [[], ...all.flatMap((walk) => ["failed", "pending"].map((state) => [...walk, state]))],
          [[]]
        )
        first(world, "pending")
        for (const [n, walk] of walks.entries()) {
          const one = payoutOf(n + 1)
          yield* provider.payouts!.submit(one)
          const begin = yield* provider.events!.after!(null)
          const outcomes: Array<string> = []
          let { cursor } = begin
          for (const state of [...walk, "success"]) {
            world.fake.become(referenceFor(one), state)
            const { cursor: next, events } = yield* provider.events!.after!(cursor)
            outcomes.push(...tagsOf(events))
            cursor = next
            // It may be pending for long.
            world.pass(minutes(60 * 24 * (state === "pending" ? 10 : 1)))
          }
          const expected = [...(walk.includes("failed") ? ["movement failed"] : []), "movement success"]
          assert.deepStrictEqual(outcomes, expected, walk.join())
        }
      })
    )
  )

  covers("COMPANY-17")
  it.live("is not asked about for ever", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        first(world, "failed")
        yield* provider.payouts!.submit(command)
        world.pass(minutes(60 * 24 * 5))
        const asked = () => world.fake.requests.filter(({ path }) => path.startsWith("/transfer/verify/")).length
        const before = asked()
        yield* provider.events!.after!(null)
        assert.strictEqual(asked(), before)
      })
    )
  )
})

describe("the directory", () => {
  covers("COMPANY-10", "COMPANY-13")
  it.live("has the banks that can be paid, with their codes as text, and a name where Paystack can say it", () =>
    inWorld((_, provider) =>
      Effect.gen(function* () {
        const banks = yield* provider.directory!.banks("NG")
        assert.deepStrictEqual(
          banks.map(({ code }) => code),
          ["035", "035A", "044", "057"]
        )
        const resolved = (account_number: string, country_code = "NG") =>
          provider.directory!.resolveAccount({ country_code, bank: banks[0]!, account_number, account_name: null })
        assert.deepStrictEqual(yield* resolved("0001234567"), { _tag: "resolved", account_name: "ADA OBI" })
        assert.deepStrictEqual(yield* resolved("9001234567"), { _tag: "unresolved" })
        assert.deepStrictEqual(yield* resolved("0001234567", "GH"), { _tag: "unchecked" })
        assert.deepStrictEqual(
          (yield* provider.directory!.banks("GH")).map(({ code }) => code),
          ["030100", "MTN"]
        )
      })
    )
  )

  covers("COMPANY-15")
  it.live("says in ZA whether an account is the holder's, by the holder's document, and nothing without one", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.fake.integrations.set(zarKey, { ...world.fake.integrations.get(ngnKey)!, number: 3, currency: "ZAR" })
        const { provider } = yield* world.start({ keys: { ZAR: zarKey } })
        const bank = { id: "prov_1", code: "632005", name: "Absa", country_code: "ZA" }
        const resolved = (account_number: string, id_number: string | null, id_type = "national_id") =>
          provider.directory!.resolveAccount({
            ...{ country_code: "ZA", bank, account_number, account_name: null, name: "Ann Bron" },
            holder_document: id_number === null ? null : { id_type, id_number }
          })
        assert.deepStrictEqual(yield* resolved("0123456789", "8001015009087"), {
          _tag: "resolved",
          account_name: "Ann Bron"
        })
        assert.deepStrictEqual(yield* resolved("0123456789", "8001015000000"), { _tag: "unresolved" })
        assert.deepStrictEqual(yield* resolved("9123456789", "8001015009087"), { _tag: "unchecked" })
        assert.deepStrictEqual(yield* resolved("0123456789", null), { _tag: "unchecked" })
        assert.deepStrictEqual(yield* resolved("0123456789", "8001015009087", "voters_card"), { _tag: "unchecked" })
      })
    )
  )
})
