/** Payouts through Paystack: one POST a submission, and nothing guessed about those whose answer is lost. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { Storage } from "../../../../src/engine/ports/Storage.ts"
import { ghsKey, type Mishap } from "../../../support/companies/fake-paystack.ts"
import {
  checkOvertaken,
  grace,
  minutes,
  payoutOf,
  paystackWorld,
  type PaystackWorld,
  referenceFor,
  wordOf
} from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const command = payoutOf(1)
const reference = referenceFor(command)

const inWorld = <A>(test: (world: PaystackWorld) => Effect.Effect<A, unknown>) =>
  Effect.scoped(Effect.flatMap(paystackWorld(), (world) => world.inWorld(test(world))))

const posts = ({ fake }: PaystackWorld) =>
  fake.requests.filter(({ method, path }) => method === "POST" && path === "/transfer")

const onTransfer = (world: PaystackWorld, mishap: Mishap, times = 1): void => {
  let left = times
  world.fake.mishap = ({ method, path }) =>
    method === "POST" && path === "/transfer" && left-- > 0 ? mishap : undefined
}

/** What a silent company is waited for: long enough for one that answers, on a machine that is busy. */
const silence = { timeout_ms: 1_500 }

const started = (world: PaystackWorld, over = {}) =>
  Effect.map(world.start(over), ({ provider }) => ({
    submit: (one = command) => wordOf(provider.payouts!.submit(one)),
    lookup: (one = command) => wordOf(provider.payouts!.lookup(one)),
    provider
  }))

describe("a payout", () => {
  it.live("is a success with its amount in kobo, its narration, and what Paystack says of it", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* started(world)
        const result = yield* provider.payouts!.submit(command)
        const transfer = world.fake.transfers.get(reference)!
        assert.deepStrictEqual(
          [transfer.amount, transfer.currency, transfer.reason, transfer.recipient],
          [150_050n, "NGN", "Invoice 1", "RCP_0440001234567"]
        )
        assert.deepStrictEqual(result, {
          _tag: "settled",
          outcome: {
            ...{ outcome: "success", reason: null, transaction_hash: null, fee: "10.00" },
            provider_reference: `0000${transfer.id}`
          }
        })
        assert.deepStrictEqual(world.fake.invalid, [])
      })
    )
  )

  it.live("goes to a mobile wallet with the type that the list of banks has", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        const destination = {
          ...command.destination,
          country_code: "GH",
          bank_code: "MTN"
        } as typeof command.destination
        assert.strictEqual(yield* submit({ ...command, currency: "GHS", destination }), "settled success")
        const recipient = world.fake.requests.find(({ path }) => path === "/transferrecipient")!
        assert.strictEqual(recipient.body?.["type"], "mobile_money")
      })
    )
  )

  covers("COMPANY-3")
  for (const [first, says, later] of [
    ["pending", "accepted", "pending"],
    ["received", "accepted", "pending"],
    ["otp", "accepted", "pending"],
    ["failed", "settled failed", "settled failed"],
    ["reversed", "settled returned", "settled returned"],
    ["abandoned", "settled failed", "settled failed"],
    ["blocked", "settled failed", "settled failed"],
    ["rejected", "settled failed", "settled failed"],
    ["a_new_word", "ProviderFault", "ProviderFault"]
  ] as const)
    it.live(`that is ${first} is ${says}, and ${later} when it is looked up`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit } = yield* started(world)
          world.fake.integrations.forEach((one) => (one.first = first))
          assert.strictEqual(yield* submit(), says)
          assert.strictEqual(yield* lookup(), later)
        })
      )
    )

  covers("COMPANY-1", "COMPANY-2")
  for (const mishap of [
    ...[
      "lost",
      "refused",
      "queued",
      "silent",
      "html",
      "done_html",
      "done_truncated",
      "redirect",
      "error_500",
      "done_500"
    ],
    ...["false_200", "done_false_200", "limited_html"]
  ] as ReadonlyArray<Mishap>)
    it.live(`is unknown when its answer is ${mishap}: one POST, nothing followed, and nothing released`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit } = yield* started(world, mishap === "silent" ? silence : {})
          onTransfer(world, mishap)
          assert.strictEqual(yield* submit(), "ProviderFault")
          assert.strictEqual(posts(world).length, 1)
          const isDone = world.fake.transfers.has(reference)
          assert.strictEqual(yield* lookup(), isDone ? "settled success" : "ProviderFault")
          assert.deepStrictEqual(
            world.fake.requests.filter(({ path }) => path === "/elsewhere"),
            []
          )
        })
      )
    )

  covers("COMPANY-2")
  it.live("that was made although its answer was lost is not made again: the duplicate is looked up", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        onTransfer(world, "lost")
        yield* submit()
        for (const status of [400, 404, 409, 422])
          for (const body of [
            { message: "Please provide a unique reference. Reference already exists on a transfer" },
            { message: "Something else", code: "duplicate_transfer_reference" }
          ]) {
            world.fake.instead = ({ method, path }) =>
              method === "POST" && path === "/transfer" ? [status, { status: false, ...body }] : undefined
            assert.strictEqual(yield* submit(), "settled success")
          }
        assert.strictEqual(world.fake.executions.get(reference), 1)
      })
    )
  )

  covers("COMPANY-4")
  it.live("that is still in a queue is absent to no look-up within half an hour, and is found when it was made", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        onTransfer(world, "queued")
        yield* submit()
        for (let n = 0; n < 29; n++) {
          assert.strictEqual(yield* lookup(), "ProviderFault")
          world.pass(minutes(1))
        }
        world.fake.drain()
        assert.strictEqual(yield* lookup(), "settled success")
      })
    )
  )

  covers("COMPANY-4")
  it.live("that was never made is absent after half an hour and two look-ups, and not after one", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        onTransfer(world, "refused")
        yield* submit()
        world.pass(grace)
        assert.strictEqual(yield* lookup(), "ProviderFault")
        world.pass(minutes(1))
        assert.strictEqual(yield* lookup(), "absent")
        assert.strictEqual(yield* submit({ ...command, attempt: 1 }), "settled success")
        assert.strictEqual(world.fake.executions.get(reference), 1)
      })
    )
  )

  covers("COMPANY-4")
  it.live("that nobody finds is not absent while the ledger has its debit", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        onTransfer(world, "lost")
        yield* submit()
        world.fake.instead = ({ path }) =>
          path.startsWith("/transfer/verify/") ? [404, { status: false, message: "Transfer not found" }] : undefined
        yield* lookup()
        world.pass(grace)
        assert.strictEqual(yield* lookup(), "ProviderFault")
      })
    )
  )

  covers("COMPANY-4")
  it.live("whose debit is another transfer's is absent", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        onTransfer(world, "refused")
        yield* submit()
        yield* submit(payoutOf(2))
        yield* lookup()
        world.pass(grace)
        assert.strictEqual(yield* lookup(), "absent")
      })
    )
  )

  covers("COMPANY-4")
  it.live("that was never submitted is absent at once", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup } = yield* started(world)
        assert.strictEqual(yield* lookup(), "absent")
      })
    )
  )

  covers("COMPANY-4")
  it.live("that Paystack has, and of which a restored copy has no row, is found", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* (yield* started(world)).submit()
        const { storage } = world
        const get: typeof storage.get = (keys) =>
          Effect.map(storage.get(keys), (rows) =>
            rows.filter(({ kind }) => kind !== "paystack_request" && kind !== "company_command")
          )
        const { provider } = yield* world.start({}, Storage.of({ ...storage, get }))
        assert.strictEqual(yield* wordOf(provider.payouts!.lookup(command)), "settled success")
      })
    )
  )

  covers("COMPANY-4")
  it.live("that was not sent is absent, and one that was is unknown, where its key was taken away", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        const other = payoutOf(2)
        world.fake.mishap = ({ path }) => (path === "/transfer" ? "lost" : undefined)
        assert.strictEqual(yield* submit(other), "ProviderFault")
        world.fake.mishap = ({ path }) => (path === "/transfer" ? "limited" : undefined)
        assert.strictEqual(yield* submit(), "unavailable")
        world.fake.mishap = () => undefined
        const { lookup } = yield* started(world, { keys: { GHS: ghsKey } })
        assert.strictEqual(yield* lookup(), "absent")
        assert.strictEqual(yield* lookup(other), "ProviderFault")
      })
    )
  )

  covers("COMPANY-4")
  it.live("that a build before sent, and whose request it did not record, is found", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        world.fake.mishap = ({ path }) => (path === "/transfer" ? "lost" : undefined)
        assert.strictEqual(yield* submit(), "ProviderFault")
        world.fake.mishap = () => undefined
        const { storage } = world
        const get: typeof storage.get = (keys) =>
          Effect.map(storage.get(keys), (rows) => rows.filter(({ kind }) => kind !== "paystack_request"))
        const { provider } = yield* world.start({}, Storage.of({ ...storage, get }))
        assert.strictEqual(yield* wordOf(provider.payouts!.lookup(command)), "settled success")
        const page = yield* provider.events!.after!(null)
        assert.deepStrictEqual([page.events.length, page.fault], [1, undefined])
      })
    )
  )

  covers("COMPANY-19")
  it.live("whose submission was overtaken by an absent sends nothing, and a later submission does", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* started(world)
        yield* checkOvertaken(provider, command, () => world.fake.executions.get(reference) ?? 0)
      })
    )
  )

  covers("COMPANY-5")
  it.live("that was sent is not rejected because its currency has no key any more", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        onTransfer(world, "done_500")
        assert.strictEqual(yield* submit(), "ProviderFault")
        const changed = yield* started(world, { keys: { GHS: ghsKey } })
        assert.strictEqual(yield* changed.submit(), "ProviderFault")
        assert.strictEqual(yield* changed.lookup(), "ProviderFault")
      })
    )
  )

  covers("COMPANY-5")
  it.live("is not unavailable because an earlier submission of its own has taken the balance", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        onTransfer(world, "queued")
        yield* submit()
        world.fake.integrations.forEach((one) => (one.balance = 0n))
        assert.strictEqual(yield* submit(), "ProviderFault")
        world.fake.integrations.forEach((one) => (one.balance = 1_000_000_00n))
        world.fake.drain()
        assert.strictEqual(yield* lookup(), "settled success")
      })
    )
  )

  covers("COMPANY-3")
  for (const [what, sent, says] of [
    [
      "the balance is too low",
      [400, { status: false, message: "Your balance is not enough to fulfil this request" }],
      "unavailable"
    ],
    ["the key is refused", [401, { status: false, message: "Invalid key" }], "unavailable"],
    ["the key may not", [403, { status: false, message: "Not allowed" }], "unavailable"],
    ["a proxy forbids it", [403, "<html>forbidden</html>"], "ProviderFault"],
    [
      "the business is a starter",
      [400, { status: false, message: "You cannot initiate third party payouts as a starter business" }],
      "rejected"
    ],
    ["the account is on a list", [400, { status: false, message: "Account flagged for fraud" }], "rejected"],
    ["the recipient is invalid", [400, { status: false, message: "Recipient specified is invalid" }], "rejected"],
    ["the recipient is gone", [404, { status: false, message: "Recipient not found" }], "rejected"],
    ["the name cannot be resolved", [422, { status: false, message: "Could not resolve account name" }], "rejected"],
    ["a page is not found", [404, "<html>not found</html>"], "ProviderFault"],
    ["something else is refused", [400, { status: false, message: "Something went wrong" }], "ProviderFault"],
    ["there are too many requests", [429, { status: false, message: "Too many requests" }], "unavailable"]
  ] as const)
    it.live(`is ${says} when ${what}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { submit } = yield* started(world)
          world.fake.instead = ({ method, path }) =>
            method === "POST" && path === "/transfer" ? (sent as unknown as [number, object]) : undefined
          assert.strictEqual(yield* submit(), says)
        })
      )
    )

  covers("COMPANY-3")
  it.live("is unavailable when Paystack is not reached at all, and absent", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* world.start({ url: "http://127.0.0.1:1" })
        assert.strictEqual(yield* wordOf(provider.payouts!.submit(command)), "ProviderFault")
        const { lookup } = yield* started(world)
        assert.strictEqual(yield* lookup(), "absent")
      })
    )
  )

  covers("COMPANY-6")
  it.live("waits as long as 429 asks, and nothing is sent meanwhile", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        onTransfer(world, "limited")
        assert.strictEqual(yield* submit(), "unavailable")
        const sent = world.fake.requests.length
        world.pass(1_999)
        assert.strictEqual(yield* submit(), "unavailable")
        assert.strictEqual(world.fake.requests.length, sent)
        world.pass(1)
        assert.strictEqual(yield* submit(), "settled success")
      })
    )
  )

  covers("COMPANY-7")
  it.live("holds back the others of its currency while it waits for a code", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, provider, submit } = yield* started(world)
        const ngn = world.fake.integrations.get("sk_test_aaaaaaaaaaaaaaaaaaaa")!
        ngn.first = "otp"
        const awaited_person = {
          party: "operator",
          action: "enter the code (OTP) that Paystack sent to the owner's telephone"
        } as const
        assert.deepStrictEqual(yield* provider.payouts!.submit(command), { _tag: "accepted", awaited_person })
        assert.deepStrictEqual(yield* provider.payouts!.lookup(command), { _tag: "pending", awaited_person })
        ngn.first = "success"
        assert.strictEqual(yield* submit(payoutOf(2)), "unavailable")
        const destination = {
          ...command.destination,
          country_code: "GH",
          bank_code: "030100"
        } as typeof command.destination
        assert.strictEqual(yield* submit(payoutOf(3, { currency: "GHS", destination })), "settled success")
        world.fake.become(reference, "abandoned")
        assert.strictEqual(yield* lookup(), "settled failed")
        assert.strictEqual(yield* submit(payoutOf(2)), "settled success")
      })
    )
  )

  covers("COMPANY-3")
  it.live("of another amount, currency or mode under its reference is unknown", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        yield* submit()
        for (const changed of [
          { amount: 1 },
          { currency: "GHS" },
          { domain: "live" },
          { reference: "another_reference" }
        ]) {
          const transfer = {
            id: 5,
            reference,
            status: "failed",
            amount: 150_050,
            currency: "NGN",
            domain: "test",
            ...changed
          }
          world.fake.instead = ({ path }) =>
            path.startsWith("/transfer/verify/") ? [200, { status: true, message: "ok", data: transfer }] : undefined
          assert.strictEqual(yield* lookup(), "ProviderFault")
        }
      })
    )
  )

  covers("ROUTE-12")
  for (const [what, over] of [
    ["a currency without a key", { currency: "KES" }],
    ["a blockchain", { destination: { type: "crypto", network: "base", address: "0x1", memo: null } }],
    ["a rail of its own", { destination: { ...command.destination, rail: "payshap" } }],
    ["another country", { destination: { ...command.destination, country_code: "GH" } }],
    ["an account without a bank", { destination: { ...command.destination, bank_code: null } }]
  ] as const)
    it.live(`to ${what} is rejected, and nothing is sent`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { provider, submit } = yield* started(world)
          const one = { ...command, ...over } as typeof command
          assert.strictEqual(yield* provider.payouts!.serves!(command), "unknown")
          assert.strictEqual(yield* provider.payouts!.serves!(one), "no")
          assert.strictEqual(yield* submit(one), "rejected")
          assert.strictEqual(posts(world).length, 0)
        })
      )
    )
})
