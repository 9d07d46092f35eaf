/** Payouts through Bridge: one POST a submission, a key that is worth one day, and people who are waited for. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { BridgeOptions } from "../../../../src/adapters/provider/bridge.ts"
import type { PayoutCommand } from "../../../../src/engine/ports/Provider.ts"
import {
  bridgeWorld,
  type BridgeWorld,
  eurOf,
  iban,
  routingNumber,
  usdOf
} from "../../../support/companies/bridge-world.ts"
import { type BridgeMishap, customerId, type FakeBridge, walletId } from "../../../support/companies/fake-bridge.ts"
import { checkOvertaken, grace, minutes, numbered } from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const command = usdOf(1)
const hours = (count: number): number => minutes(60 * count)

const inWorld = <A>(test: (world: BridgeWorld) => Effect.Effect<A, unknown>, options: Partial<BridgeOptions> = {}) =>
  Effect.scoped(Effect.flatMap(bridgeWorld(options), (world) => world.inWorld(test(world))))

type Asked = FakeBridge["requests"][number]
const isPayment = ({ method, path }: Asked): boolean => method === "POST" && path === "/transfers"
const isAccount = ({ method, path }: Asked): boolean => method === "POST" && path.endsWith("/external_accounts")
const posts = ({ fake }: BridgeWorld) => fake.requests.filter(isPayment)

const onPost = (world: BridgeWorld, mishap: BridgeMishap, times = 1): void => {
  let left = times
  world.fake.mishap = (request) => (isPayment(request) && left-- > 0 ? mishap : undefined)
}

const started = (world: BridgeWorld, over: Partial<BridgeOptions> = {}) =>
  Effect.map(world.start(over), ({ provider }) => {
    const { lookup, submit } = numbered(provider)
    return {
      submit: (one: PayoutCommand = command) => submit(one),
      lookup: (one: PayoutCommand = command) => lookup(one),
      sweep: Effect.map(provider.events!.after!(null), ({ events, fault }) => ({ events, fault })),
      provider
    }
  })

describe("a payout", () => {
  covers("BRIDGE-1", "BRIDGE-3")
  it.live("of USD goes to the beneficiary's account, under its reference, and is a success with what reached it", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, provider, submit } = yield* started(world)
        world.fake.fee = 500_000n
        assert.strictEqual(yield* submit(), "accepted")
        const [account] = world.fake.accounts
        assert.deepStrictEqual(account?.body, {
          ...{ currency: "usd", account_owner_name: "Ada Obi", account_type: "us" },
          account: { account_number: "000123456789", routing_number: routingNumber, checking_or_savings: "checking" },
          address: {
            ...{
              street_line_1: "1 Main Street",
              city: "San Francisco",
              state: "CA",
              postal_code: "94102",
              country: "USA"
            }
          }
        })
        const [post, ...others] = posts(world)
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(post?.body, {
          ...{ client_reference_id: command.id, amount: "250.50", on_behalf_of: customerId },
          source: { payment_rail: "bridge_wallet", currency: "usdc", bridge_wallet_id: walletId },
          destination: { payment_rail: "ach", currency: "usd", external_account_id: account?.id }
        })
        assert.strictEqual(yield* lookup(), "pending")
        const transfer = world.transferOf(command)
        world.fake.become(transfer, "payment_processed")
        assert.deepStrictEqual(yield* provider.payouts!.lookup(command), {
          _tag: "settled",
          outcome: {
            ...{ outcome: "success", reason: null, transaction_hash: null, amount: "250.00", fee: "0.50" },
            ...{ fee_currency: "USD", provider_reference: `T${transfer.id.slice(0, 8)}` }
          }
        })
        assert.deepStrictEqual(world.fake.invalid, [])
      })
    )
  )

  covers("BRIDGE-3")
  it.live("whose transaction hash changes until it is final shows none, and is told once", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, provider, submit, sweep } = yield* started(world)
        let hash = "0xearly"
        world.fake.shown = (transfer) => ({
          ...{ ...transfer, receipt: { ...(transfer["receipt"] as object), destination_tx_hash: hash } },
          destination: { ...(transfer["destination"] as object), tx_hash: hash }
        })
        yield* submit()
        world.fake.become(world.transferOf(command), "payment_submitted")
        assert.strictEqual(yield* lookup(), "pending")
        assert.deepStrictEqual(yield* sweep, { events: [], fault: undefined })
        world.fake.become(world.transferOf(command), "payment_processed")
        const seen = yield* provider.payouts!.lookup(command)
        assert.deepInclude((seen as { readonly outcome: object }).outcome, {
          ...{ outcome: "success", transaction_hash: null }
        })
        hash = "0xfinal"
        assert.deepStrictEqual(yield* provider.payouts!.lookup(command), seen)
        const { events } = yield* sweep
        assert.deepStrictEqual([events.length, (yield* sweep).events], [1, events])
      })
    )
  )

  covers("BRIDGE-3")
  it.live("asks for no developer fee, and is paid with what reached the bank where Bridge takes one inside", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider, submit } = yield* started(world)
        const receipt = { initial_amount: "250.5", developer_fee: "1.5", exchange_fee: "0.0", gas_fee: "0.0" }
        world.fake.shown = (transfer) => ({
          ...{ ...transfer, developer_fee: "1.5", receipt: { ...receipt, final_amount: "249.0" } }
        })
        assert.strictEqual(yield* submit(), "accepted")
        assert.notMatch(JSON.stringify(posts(world)[0]?.body), /developer_fee/)
        world.fake.become(world.transferOf(command), "payment_processed")
        const { outcome } = (yield* provider.payouts!.lookup(command)) as { readonly outcome: object }
        assert.deepInclude(outcome, { outcome: "success", amount: "249.00", fee: "1.50", fee_currency: "USD" })
      })
    )
  )

  covers("BRIDGE-3")
  it.live("of EUR fixes what the recipient gets, and has its statement reference and narration at the bank", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider, submit } = yield* started(world)
        const payout = eurOf(1, { narration: "Ünpaid; invoice 7" })
        assert.strictEqual(yield* submit(payout), "accepted")
        const [account] = world.fake.accounts
        assert.deepInclude(account?.body, { account_type: "iban", iban: { account_number: iban, country: "DEU" } })
        assert.deepStrictEqual(posts(world)[0]?.body?.["destination"], {
          ...{ payment_rail: "sepa", currency: "eur", external_account_id: account?.id, amount: "850.00" },
          sepa_reference: "01K6X0B7Z26VDFC6  npaid  invoice 7"
        })
        world.fake.become(world.transferOf(payout), "payment_processed")
        const found = yield* provider.payouts!.lookup(payout)
        assert.deepInclude((found as { readonly outcome: object }).outcome, { outcome: "success", amount: "850.00" })
        assert.strictEqual(world.fake.balance, 1_000_000_000_000n - 935_000_000n)
        assert.deepStrictEqual(world.fake.invalid, [])
      })
    )
  )

  covers("BRIDGE-4")
  for (const [state, says, party] of [
    ["awaiting_funds", "pending", "operator"],
    ["pending", "pending", undefined],
    ["in_review", "pending", "provider"],
    ["funds_received", "pending", undefined],
    ["payment_submitted", "pending", undefined],
    ["payment_processed", "settled success", undefined],
    ["undeliverable", "pending", "operator"],
    ["returned", "pending", undefined],
    ["refund_in_flight", "pending", undefined],
    ["refund_failed", "pending", "operator"],
    ["missing_return_policy", "pending", "operator"],
    ["refunded", "settled returned", undefined],
    ["canceled", "settled failed", undefined],
    ["error", "ProviderFault", undefined]
  ] as const)
    it.live(`that is ${state} is ${says}, and waits for ${party ?? "nobody"}, for days`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, provider, submit, sweep } = yield* started(world)
          yield* submit()
          world.fake.become(world.transferOf(command), state)
          for (let day = 0; day < 3; day++) {
            world.pass(hours(24))
            assert.strictEqual(yield* lookup(), says)
            if (says === "pending") assert.deepStrictEqual((yield* sweep).events, [])
          }
          const found = yield* Effect.result(provider.payouts!.lookup(command))
          const person =
            found._tag === "Success" && "awaited_person" in found.success ? found.success.awaited_person : null
          assert.strictEqual(person?.party, party)
          assert.strictEqual(posts(world).length, 1)
        })
      )
    )

  covers("BRIDGE-2", "COMPANY-1", "COMPANY-2")
  for (const mishap of [
    ...(["lost", "refused", "queued", "silent", "html", "done_html", "done_truncated", "redirect"] as const),
    ...(["error_500", "done_500", "dependency", "limited_html", "forbidden_html"] as const)
  ])
    it.live(`is unknown when its answer is ${mishap}: one POST, nothing followed, and nothing released`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit } = yield* started(world, mishap === "silent" ? { timeout_ms: 400 } : {})
          onPost(world, mishap)
          assert.strictEqual(yield* submit(), "ProviderFault")
          const isListed = world.fake.transfers.length > 0
          assert.strictEqual(yield* lookup(), isListed ? "pending" : "ProviderFault")
          assert.strictEqual(posts(world).length, 1)
          assert.isFalse(world.fake.requests.some(({ path }) => path === "/elsewhere"))
        })
      )
    )

  covers("BRIDGE-1", "BRIDGE-2")
  it.live("that is submitted again within a day is the same request under the same key, byte by byte", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        onPost(world, "refused")
        yield* submit()
        world.pass(hours(19))
        for (const account of world.fake.accounts) account.active = false
        world.fake.accounts[0]!.active = true
        assert.strictEqual(yield* submit(), "accepted")
        const [first, second, ...others] = posts(world)
        assert.strictEqual(first?.text, second?.text)
        assert.strictEqual(first?.idempotency_key, second?.idempotency_key)
        assert.deepStrictEqual(others, [])
        assert.strictEqual(yield* submit(), "accepted")
        assert.strictEqual(posts(world).length, 2)
        assert.strictEqual(yield* lookup(), "pending")
      })
    )
  )

  covers("BRIDGE-2")
  for (const [mishap, says] of [
    ["lost", "accepted"],
    ["queued", "accepted"],
    ["refused", "ProviderFault"]
  ] as const)
    it.live(`whose answer was ${mishap} a day ago is looked up, and never sent again`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { submit } = yield* started(world)
          onPost(world, mishap)
          yield* submit()
          world.fake.drain()
          for (const pause of [hours(21), hours(4), hours(24 * 6)]) {
            world.pass(pause)
            assert.strictEqual(yield* submit(), says)
          }
          assert.strictEqual(posts(world).length, 1)
          assert.isAtMost(world.fake.under(command.id).length, 1)
        })
      )
    )

  covers("BRIDGE-2")
  it.live("that was nowhere gets another key a day later, and the same one before", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        const keys: Array<string | undefined> = []
        for (const pause of [minutes(0), hours(1), hours(24)]) {
          world.pass(pause)
          onPost(world, "refused")
          assert.strictEqual(yield* submit(), "ProviderFault")
          assert.strictEqual(yield* lookup(), "ProviderFault")
          world.pass(grace)
          assert.strictEqual(yield* lookup(), "absent")
          keys.push(posts(world).at(-1)?.idempotency_key)
        }
        assert.strictEqual(keys[0], keys[1])
        assert.notStrictEqual(keys[1], keys[2])
        world.fake.mishap = () => undefined
        assert.strictEqual(yield* submit(), "accepted")
        assert.strictEqual(world.fake.under(command.id).length, 1)
      })
    )
  )

  covers("BRIDGE-2")
  it.live("that Bridge has refused is sent under another key: the first one is bound to the refusal", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        world.fake.balance = 1n
        assert.strictEqual(yield* submit(), "unavailable")
        assert.strictEqual(yield* submit(), "unavailable")
        world.fake.balance = 1_000_000_000n
        assert.strictEqual(yield* submit(), "accepted")
        assert.strictEqual(new Set(posts(world).map(({ idempotency_key }) => idempotency_key)).size, 3)
      })
    )
  )

  covers("COMPANY-5")
  it.live("is not unavailable because an earlier submission of its own may have been executed", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        onPost(world, "queued")
        yield* submit()
        world.fake.instead = (request) =>
          isPayment(request) ? [400, { code: "invalid_parameters", message: "insufficient funds" }] : undefined
        assert.strictEqual(yield* submit(), "ProviderFault")
        assert.strictEqual(yield* submit(), "ProviderFault")
        assert.strictEqual(new Set(posts(world).map(({ idempotency_key }) => idempotency_key)).size, 1)
      })
    )
  )

  covers("COMPANY-19")
  it.live("whose submission was overtaken by an absent sends nothing, and a later submission does", () =>
    inWorld((world) =>
      Effect.flatMap(started(world), ({ provider }) =>
        checkOvertaken(provider, command, () => world.fake.under(command.id).length)
      )
    )
  )

  covers("COMPANY-4")
  it.live("that was never made is absent after half an hour and two look-ups, and not while it may be in a queue", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        assert.strictEqual(yield* lookup(), "absent")
        onPost(world, "queued")
        yield* submit()
        for (let n = 0; n < 29; n++) {
          assert.strictEqual(yield* lookup(), "ProviderFault")
          world.pass(minutes(1))
        }
        world.fake.drain()
        world.pass(grace)
        assert.strictEqual(yield* lookup(), "pending")
      })
    )
  )

  covers("BRIDGE-2")
  for (const [what, change] of [
    ["a list with an item that cannot be read", (fake: FakeBridge) => void (fake.shown = () => ({ id: "x" }))],
    [
      "a list that does not go on",
      (fake: FakeBridge) =>
        void (fake.shown = (one) => ({ ...one, id: "same", client_reference_id: "another", destination: {} }))
    ],
    [
      "a transfer like it that has no reference",
      (fake: FakeBridge) => void fake.payByHand(fake.accounts[0]!.id, 250_500_000n)
    ],
    [
      "a transfer whose destination cannot be read",
      (fake: FakeBridge) => {
        fake.payByHand("another", 1n)
        fake.shown = (one) => ({ ...one, amount: "all", destination: {} })
      }
    ],
    ["a short page", (fake: FakeBridge) => void (fake.pageMax = 1)]
  ] as const)
    it.live(`whose answer was lost is not absent because of ${what}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit } = yield* started(world)
          onPost(world, what === "a short page" || what.includes("item") ? "lost" : "refused")
          yield* submit()
          world.pass(1000)
          for (let n = 0; n < 3; n++) world.fake.payByHand("another", 5_000_000n)
          change(world.fake)
          for (let n = 0; n < 4; n++) {
            assert.notStrictEqual(yield* lookup(), "absent")
            world.pass(grace)
          }
        })
      )
    )

  covers("BRIDGE-2")
  it.live("whose answer was lost is found by its reference, however fast our clock is", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        world.fake.now = () => world.time.now - minutes(45)
        onPost(world, "lost")
        yield* submit()
        // Ours is behind one that is newer, on a page of its own.
        world.pass(1000)
        world.fake.payByHand("another", 5_000_000n)
        world.fake.pageMax = 1
        assert.strictEqual(yield* lookup(), "pending")
      })
    )
  )

  covers("BRIDGE-5")
  for (const [what, changed] of [
    ["another amount", { amount: "250.51" }],
    ["an amount that is none", { amount: "250,50" }],
    ["another account", { destination: { currency: "usd", external_account_id: "another" } }],
    ["another currency", { destination: { currency: "eur", amount: "250.5" } }],
    ["another reference", { client_reference_id: "another" }],
    ["a state with a space", { state: "in review" }],
    ["a new state", { state: "on_hold" }]
  ] as const)
    it.live(`that is answered with ${what} is known by its id: it is never absent, and never sent again`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit } = yield* started(world)
          world.fake.shown = (one) => ({ ...one, ...changed })
          assert.strictEqual(yield* submit(), "ProviderFault")
          // Not even where Bridge says that there is nothing.
          world.fake.instead = ({ method, path }) =>
            method === "GET" && path.startsWith("/transfers") ? [404, { code: "not_found", message: "No." }] : undefined
          for (let n = 0; n < 4; n++) {
            world.pass(grace)
            assert.strictEqual(yield* lookup(), "ProviderFault")
            assert.strictEqual(yield* submit(), "ProviderFault")
          }
          assert.strictEqual(posts(world).length, 1)
          world.fake.instead = () => undefined
          world.fake.shown = (one) => one
          assert.strictEqual(yield* lookup(), "pending")
        })
      )
    )

  covers("BRIDGE-4")
  for (const [code, status, says] of [
    ["invalid_parameters", 400, "rejected"],
    ["deactivated_external_account", 400, "rejected"],
    ["not_found", 404, "rejected"],
    ["not_allowed", 403, "rejected"],
    ["requires_active_kyc_status", 400, "rejected"],
    ["developer_limits_exceeded", 403, "unavailable"],
    ["invalid_credentials", 401, "unavailable"],
    ["rate_limited", 429, "unavailable"],
    ["duplicate_record", 400, "ProviderFault"],
    ["not_truly_idempotent", 422, "ProviderFault"],
    ["resource_state_conflict", 409, "ProviderFault"],
    ["idempotency_key_expired", 422, "ProviderFault"],
    ["external_dependency_failed", 424, "ProviderFault"],
    ["something_new", 400, "ProviderFault"]
  ] as const)
    it.live(`is ${says} when Bridge answers ${status} ${code}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { provider } = yield* started(world)
          world.fake.instead = (request) => (isPayment(request) ? [status, { code, message: "No." }] : undefined)
          const result = yield* Effect.result(provider.payouts!.submit(command))
          assert.strictEqual(result._tag === "Success" ? result.success._tag : result.failure._tag, says)
          if (code === "requires_active_kyc_status")
            assert.match((result as { readonly success: { readonly reason: string } }).success.reason, /^compliance: /)
        })
      )
    )
})

describe("the account of a beneficiary", () => {
  covers("BRIDGE-6")
  it.live("is made once, and again where Bridge has closed or lost it", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        const isKept = () => world.fake.requests.filter(isAccount).length
        yield* submit(usdOf(1))
        yield* submit(usdOf(2))
        assert.strictEqual(isKept(), 1)
        world.fake.accounts[0]!.active = false
        assert.strictEqual(yield* submit(usdOf(3)), "accepted")
        world.fake.accounts.splice(0)
        assert.strictEqual(yield* submit(usdOf(4)), "accepted")
        assert.strictEqual(isKept(), 3)
        const address = { ...command.beneficiary, name: "Bayo Ade" }
        assert.strictEqual(yield* submit(usdOf(5, { beneficiary: address })), "accepted")
        assert.strictEqual(isKept(), 4)
      })
    )
  )

  covers("BRIDGE-6")
  for (const [mishap, says] of [
    ["lost", "unavailable"],
    ["html", "unavailable"],
    ["done_500", "unavailable"]
  ] as const)
    it.live(`whose answer is ${mishap} leaves a payout ${says}, and is one account`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit } = yield* started(world)
          world.fake.mishap = (request) => (isAccount(request) ? mishap : undefined)
          assert.strictEqual(yield* submit(), says)
          assert.strictEqual(yield* lookup(), "absent")
          world.fake.mishap = () => undefined
          assert.strictEqual(yield* submit(), "accepted")
          assert.strictEqual(world.fake.accounts.length, 1)
        })
      )
    )

  covers("BRIDGE-6")
  it.live("that Bridge refuses rejects the payout, and nothing is sent", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        const beneficiary = { ...command.beneficiary, name: "A".repeat(300) }
        assert.strictEqual(yield* submit(usdOf(1, { beneficiary })), "rejected")
        assert.strictEqual(posts(world).length, 0)
      })
    )
  )

  covers("BRIDGE-6")
  for (const [type, named] of [
    ["individual", { first_name: "Ada Ngozi", last_name: "Obi" }],
    ["business", { business_name: "Ada Ngozi Obi" }]
  ] as const)
    it.live(`is one of a kind of owner, where the configuration says ${type}`, () =>
      inWorld(
        (world) =>
          Effect.gen(function* () {
            const { submit } = yield* started(world)
            yield* submit(
              eurOf(1, {
                beneficiary: { id: "ben_1", name: "x" },
                destination: { ...eurOf(1).destination, account_name: "Ada Ngozi Obi" } as never
              })
            )
            assert.deepInclude(world.fake.accounts[0]?.body, { account_owner_type: type, ...named })
          }),
        { account_owner_type: type }
      )
    )

  covers("BRIDGE-6", "ROUTE-12")
  for (const [what, over] of [
    ["no routing number", { destination: { ...command.destination, bank_code: "044" } }],
    ["a routing number with a wrong digit", { destination: { ...command.destination, bank_code: "021000022" } }],
    ["another country", { destination: { ...command.destination, country_code: "NG" } }],
    ["a rail", { destination: { ...command.destination, rail: "payshap" } }],
    ["an address on a chain", { destination: { type: "crypto", network: "base", address: "0x1", memo: null } }],
    ["another currency", { currency: "GBP" }],
    ["tenths of a cent", { amount: "1.001" }],
    ["EUR and no IBAN", { ...eurOf(1), destination: { ...eurOf(1).destination, account_number: "123" } }]
  ] as const)
    it.live(`with ${what} is rejected, and nothing is sent`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, provider, submit } = yield* started(world)
          const one = { ...command, ...over } as PayoutCommand
          assert.strictEqual(yield* provider.payouts!.serves!(one), what === "tenths of a cent" ? "unknown" : "no")
          assert.strictEqual(yield* submit(one), "rejected")
          assert.strictEqual(yield* lookup(one), "absent")
          assert.strictEqual(world.fake.requests.filter(({ method }) => method === "POST").length, 0)
        })
      )
    )
})
