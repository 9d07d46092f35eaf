/** Transfers and redemptions through Circle: one POST a submission, and nothing guessed about those whose answer is lost. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { CircleOptions } from "../../../../src/adapters/provider/circle.ts"
import type { PayoutCommand } from "../../../../src/engine/ports/Provider.ts"
import type { CircleMishap } from "../../../support/companies/fake-circle.ts"
import {
  approved,
  circleWorld,
  type CircleWorld,
  keyFor,
  redemptionOf,
  transferOf
} from "../../../support/companies/circle-world.ts"
import { checkOvertaken, minutes, numbered } from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const command = transferOf(1)
const grace = minutes(31)

const inWorld = <A>(test: (world: CircleWorld) => Effect.Effect<A, unknown>) =>
  Effect.scoped(Effect.flatMap(circleWorld(), (world) => world.inWorld(test(world))))

const isPayment = ({ method, path }: { readonly method: string; readonly path: string }) =>
  method === "POST" && /\/(?:transfers|payouts)$/.test(path)
const posts = ({ fake }: CircleWorld) => fake.requests.filter(isPayment)

const onPost = (world: CircleWorld, mishap: CircleMishap, times = 1): void => {
  let left = times
  world.fake.mishap = (request) => (isPayment(request) && left-- > 0 ? mishap : undefined)
}

const started = (world: CircleWorld, over: Partial<CircleOptions> = {}) =>
  Effect.map(world.start(over), ({ provider }) => {
    const { lookup, submit } = numbered(provider)
    return {
      submit: (one: PayoutCommand = command) => submit(one),
      lookup: (one: PayoutCommand = command) => lookup(one),
      sweep: Effect.map(provider.events!.after!(null), ({ events }) => events),
      provider
    }
  })

describe("a transfer", () => {
  covers("CIRCLE-1", "CIRCLE-4")
  it.live(
    "goes to the approved address, under the key of its command, and is a success with its transaction and fee",
    () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, provider, submit } = yield* started(world)
          assert.strictEqual(yield* submit(), "accepted")
          const [post] = posts(world)
          assert.deepStrictEqual(post?.body, {
            idempotencyKey: keyFor(command),
            destination: { type: "verified_blockchain", addressId: world.fake.recipients[0]!.id },
            amount: { amount: "25.50", currency: "USD" }
          })
          assert.strictEqual(yield* lookup(), "pending")
          const payment = world.paymentOf(command)
          payment.fee = 10_000n
          world.fake.become(payment, "complete")
          assert.deepStrictEqual(yield* provider.payouts!.lookup(command), {
            _tag: "settled",
            outcome: {
              ...{
                outcome: "success",
                reason: null,
                transaction_hash: `0x${payment.id}`,
                amount: "25.50",
                fee: "0.01"
              },
              provider_reference: payment.id
            }
          })
          assert.deepStrictEqual(world.fake.invalid, [])
        })
      )
  )

  covers("CIRCLE-3")
  for (const [first, says, later] of [
    ["pending", "accepted", "pending"],
    ["running", "accepted", "pending"],
    ["complete", "settled success", "settled success"],
    ["failed", "settled failed", "settled failed"],
    ["a_new_word", "ProviderFault", "ProviderFault"]
  ] as const)
    it.live(`that is ${first} is ${says}, and ${later} when it is looked up`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          world.fake.first = first
          const { lookup, submit } = yield* started(world)
          assert.strictEqual(yield* submit(), says)
          assert.strictEqual(yield* lookup(), later)
        })
      )
    )

  covers("CIRCLE-2", "COMPANY-1", "COMPANY-2")
  for (const mishap of [
    ...(["lost", "refused", "queued", "silent", "html", "done_html", "done_truncated", "redirect"] as const),
    ...(["error_500", "done_500", "limited_html", "forbidden_html"] as const)
  ])
    it.live(`is unknown when its answer is ${mishap}: one POST, nothing followed, and nothing released`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit } = yield* started(world, mishap === "silent" ? { timeout_ms: 400 } : {})
          onPost(world, mishap)
          assert.strictEqual(yield* submit(), "ProviderFault")
          assert.strictEqual(yield* lookup(), "ProviderFault")
          assert.strictEqual(posts(world).length, 1)
          assert.isFalse(world.fake.requests.some(({ path }) => path === "/elsewhere"))
        })
      )
    )

  covers("CIRCLE-1", "COMPANY-1")
  it.live("that Circle has given an id to is asked about when it is submitted again, and not sent", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        yield* submit()
        assert.strictEqual(yield* submit(), "accepted")
        world.fake.become(world.paymentOf(command), "complete")
        assert.strictEqual(yield* submit(), "settled success")
        assert.strictEqual(posts(world).length, 1)
      })
    )
  )

  covers("CIRCLE-1", "CIRCLE-2")
  it.live("that the engine submits again is the same request, byte by byte, whatever has changed meanwhile", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit, sweep } = yield* started(world)
        onPost(world, "lost")
        yield* submit()
        world.fake.recipients.splice(0)
        world.fake.addRecipient(approved)
        assert.strictEqual(yield* lookup(), "ProviderFault")
        assert.strictEqual(yield* submit(), "accepted")
        const [first, second, ...others] = posts(world)
        assert.strictEqual(first?.text, second?.text)
        assert.deepStrictEqual(others, [])
        assert.strictEqual(yield* lookup(), "pending")
        world.fake.become(world.paymentOf(command), "complete")
        assert.deepInclude((yield* sweep)[0] as object, { outcome: "success", resource_id: command.resource_id })
        assert.strictEqual(world.fake.executions.get(keyFor(command)), 1)
      })
    )
  )

  covers("CIRCLE-2")
  for (const [what, mishap, one] of [
    ["never arrived", "refused", command],
    ["was executed", "lost", command],
    ["never arrived, to a bank", "refused", undefined],
    ["may still arrive", "queued", command]
  ] as const)
    it.live(`that ${what} is never sent by a sweep or a look-up, and stays unknown beside a payment like it`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit, sweep } = yield* started(world)
          const sent = one ?? redemptionOf(1, world.bank)
          onPost(world, mishap)
          yield* submit(sent)
          const { destination } = sent
          if (destination.type === "fiat") world.fake.payByHand(world.bank, 1_000_000_000n, null)
          else world.fake.become(world.fake.payByHand(approved, 25_500_000n), "complete")
          for (let n = 0; n < 60; n++) {
            world.pass(minutes(n < 30 ? 2 : 60))
            yield* sweep
            assert.strictEqual(yield* lookup(sent), "ProviderFault")
          }
          assert.strictEqual(posts(world).length, 1)
          assert.strictEqual(world.fake.executions.get(keyFor(sent)) ?? 0, mishap === "lost" ? 1 : 0)
        })
      )
    )

  /** Forms that no document has, of what Circle makes of a transfer. */
  const forms: ReadonlyArray<readonly [what: string, shown: (payment: Record<string, unknown>) => object]> = [
    [
      "the destination of the request",
      (payment) => ({ ...payment, destination: { type: "verified_blockchain", id: "r" } })
    ],
    [
      "another name of the chain",
      (payment) => ({ ...payment, destination: { type: "blockchain", address: approved, chain: "BASE-SEPOLIA" } })
    ],
    [
      "another address",
      (payment) => ({ ...payment, destination: { type: "blockchain", address: "0x1", chain: "BASE" } })
    ],
    ["another name of the currency", (payment) => ({ ...payment, amount: { amount: "25.50", currency: "USDC" } })],
    ["an amount that is none", (payment) => ({ ...payment, amount: { amount: "25,50", currency: "USD" } })],
    ["an amount less a fee", (payment) => ({ ...payment, amount: { amount: "25.49", currency: "USD" } })],
    ["a number as its amount", (payment) => ({ ...payment, amount: 25.5 })],
    ["a status with a space", (payment) => ({ ...payment, status: "in review" })],
    ["its id alone", ({ id }) => ({ id })]
  ]
  covers("CIRCLE-12")
  for (const [what, shown] of forms)
    it.live(`that is answered with ${what} is known by its id: it is never absent, and never sent again`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit, sweep } = yield* started(world)
          world.fake.shown = shown
          assert.strictEqual(yield* submit(), "ProviderFault")
          for (let n = 0; n < 4; n++) {
            world.pass(grace)
            yield* sweep
            assert.strictEqual(yield* lookup(), "ProviderFault")
            assert.strictEqual(yield* submit(), "ProviderFault")
          }
          // Not even where the list has nothing.
          world.fake.instead = ({ method, path }) =>
            method === "GET" && path.endsWith("/transfers") ? [200, { data: [] }] : undefined
          world.pass(grace)
          assert.strictEqual(yield* lookup(), "ProviderFault")
          assert.strictEqual(posts(world).length, 1)
          world.fake.shown = (payment) => payment
          assert.strictEqual(yield* lookup(), "pending")
          world.fake.become(world.paymentOf(command), "complete")
          assert.strictEqual((yield* sweep).length, 1)
          assert.strictEqual(yield* lookup(), "settled success")
        })
      )
    )

  covers("CIRCLE-2")
  for (const [what, shown] of forms)
    it.live(`whose answer was lost is not absent where the list has ${what}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit } = yield* started(world)
          onPost(world, "lost")
          yield* submit()
          world.fake.shown = shown
          for (let n = 0; n < 4; n++) {
            assert.strictEqual(yield* lookup(), "ProviderFault")
            world.pass(grace)
          }
        })
      )
    )

  covers("CIRCLE-2")
  it.live("whose answer was lost is not absent where Circle cuts its pages", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        onPost(world, "lost")
        yield* submit()
        world.pass(1000)
        for (let n = 1; n < 6; n++) world.fake.payByHand("0x0000000000000000000000000000000000000001", BigInt(n))
        world.fake.pageMax = 2
        for (let n = 0; n < 4; n++) {
          assert.strictEqual(yield* lookup(), "ProviderFault")
          world.pass(grace)
        }
      })
    )
  )

  covers("CIRCLE-2")
  it.live("whose answer was lost is not absent where a list does not go on", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        onPost(world, "refused")
        yield* submit()
        const arrival = world.fake.arrive("0x1", 1n)
        const { transfer } = JSON.parse(
          (JSON.parse(world.fake.arrivalMessage(arrival).body) as { readonly Message: string }).Message
        ) as { readonly transfer: object }
        world.fake.instead = ({ method, path }) =>
          method === "GET" && path.endsWith("/transfers") ? [200, { data: [transfer] }] : undefined
        for (let n = 0; n < 4; n++) {
          assert.strictEqual(yield* lookup(), "ProviderFault")
          world.pass(grace)
        }
        world.fake.instead = () => undefined
        yield* lookup()
        world.pass(grace)
        assert.strictEqual(yield* lookup(), "absent")
      })
    )
  )

  covers("CIRCLE-2")
  it.live("whose answer was lost is not absent because our clock is fast", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        world.fake.now = () => world.time.now - minutes(45)
        onPost(world, "lost")
        yield* submit()
        for (let n = 0; n < 4; n++) {
          assert.strictEqual(yield* lookup(), "ProviderFault")
          world.pass(grace)
        }
      })
    )
  )

  covers("CIRCLE-2")
  it.live("of another command, alike, is not taken for its own", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        yield* submit(transferOf(2))
        onPost(world, "refused")
        yield* submit()
        yield* lookup()
        world.pass(grace)
        assert.strictEqual(yield* lookup(), "absent")
        assert.strictEqual(yield* submit(), "accepted")
        assert.strictEqual(world.fake.executions.get(keyFor(command)), 1)
      })
    )
  )

  covers("COMPANY-19")
  it.live("whose submission was overtaken by an absent sends nothing, and a later submission does", () =>
    inWorld((world) =>
      Effect.flatMap(started(world), ({ provider }) =>
        checkOvertaken(provider, command, () => world.fake.executions.get(keyFor(command)) ?? 0)
      )
    )
  )

  covers("COMPANY-4")
  it.live("that was never made is absent after half an hour and two look-ups, and not while it may be in a queue", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit, sweep } = yield* started(world)
        assert.strictEqual(yield* lookup(), "absent")
        onPost(world, "queued")
        yield* submit()
        for (let n = 0; n < 29; n++) {
          assert.strictEqual(yield* lookup(), "ProviderFault")
          world.pass(minutes(1))
        }
        world.fake.drain()
        world.pass(grace)
        yield* sweep
        assert.strictEqual(yield* lookup(), "ProviderFault")
        assert.strictEqual(yield* submit(), "accepted")
        assert.strictEqual(yield* lookup(), "pending")
        onPost(world, "refused")
        yield* submit(transferOf(2))
        world.pass(grace)
        assert.strictEqual(yield* lookup(transferOf(2)), "ProviderFault")
        world.pass(minutes(1))
        assert.strictEqual(yield* lookup(transferOf(2)), "absent")
      })
    )
  )

  covers("CIRCLE-2")
  it.live("is not absent where the list cannot be read whole", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        onPost(world, "lost")
        yield* submit()
        world.fake.instead = ({ method, path }) =>
          method === "GET" && path.endsWith("/transfers") ? [200, { data: [{ id: "another shape" }] }] : undefined
        yield* lookup()
        world.pass(grace)
        assert.strictEqual(yield* lookup(), "ProviderFault")
      })
    )
  )

  covers("CIRCLE-1")
  it.live("is unknown where Circle has another body under its key", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        for (const status of [400, 409]) {
          world.fake.instead = (request) =>
            isPayment(request) ? [status, { code: 1083, message: "Idempotency key already bound." }] : undefined
          assert.strictEqual(yield* submit(), "ProviderFault")
        }
      })
    )
  )

  covers("CIRCLE-3")
  for (const [code, hash, says] of [
    ["insufficient_funds", null, "settled failed"],
    ["transfer_denied", null, "settled failed"],
    ["transfer_failed", null, "settled failed"],
    ["blockchain_error", null, "settled failed"],
    ["blockchain_error", "0x1", "ProviderFault"],
    ["transfer_failed", "0x1", "ProviderFault"],
    ["a_new_code", null, "ProviderFault"],
    [null, null, "ProviderFault"]
  ] as const)
    it.live(`that failed with ${code} ${hash === null ? "" : "and has a transaction "}is ${says}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, submit } = yield* started(world)
          yield* submit()
          world.fake.become(world.paymentOf(command), "failed", code, hash)
          assert.strictEqual(yield* lookup(), says)
        })
      )
    )

  covers("CIRCLE-3")
  it.live("that Circle's risk service denied says compliance, with its code", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider, submit } = yield* started(world)
        yield* submit()
        world.fake.become(world.paymentOf(command), "failed", "transfer_denied")
        const status = yield* provider.payouts!.lookup(command)
        assert.deepInclude((status as { readonly outcome: object }).outcome, {
          reason: "compliance: transfer_denied (3300)"
        })
      })
    )
  )

  covers("CIRCLE-5")
  it.live("waits for a person as long as it takes", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit, sweep } = yield* started(world)
        yield* submit()
        for (let day = 0; day < 10; day++) {
          world.pass(minutes(60 * 24))
          assert.strictEqual(yield* lookup(), "pending")
          assert.deepStrictEqual(yield* sweep, [])
        }
        world.fake.become(world.paymentOf(command), "complete")
        assert.strictEqual((yield* sweep).length, 1)
      })
    )
  )

  covers("CIRCLE-4")
  it.live("to an address that is not active yet is unavailable, and is paid once it is", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        for (const status of ["pending_verification", "verification_succeeded"]) {
          world.fake.recipients[0]!.status = status
          world.pass(minutes(1))
          assert.strictEqual(yield* submit(), "unavailable")
        }
        assert.strictEqual(posts(world).length, 0)
        world.fake.recipients[0]!.status = "active"
        world.pass(minutes(1))
        assert.strictEqual(yield* submit(), "accepted")
      })
    )
  )

  covers("CIRCLE-4")
  it.live("finds an address on any page of the list", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        for (let n = 0; n < 120; n++)
          world.fake.recipients.unshift({ id: `r${n}`, address: `0x${n}`, chain: "BASE", status: "active" })
        const { submit } = yield* started(world)
        assert.strictEqual(yield* submit(), "accepted")
      })
    )
  )

  covers("CIRCLE-4", "ROUTE-12")
  for (const [what, over] of [
    [
      "a stranger's address",
      { destination: { ...command.destination, address: "0x0000000000000000000000000000000000000001" } }
    ],
    ["the approved address on another chain", { destination: { ...command.destination, network: "ethereum" } }],
    ["another chain", { destination: { ...command.destination, network: "tron" } }],
    ["an address with a memo", { destination: { ...command.destination, memo: "1" } }],
    ["an address in another currency", { currency: "USDT" }],
    ["an address in tenths of a cent", { amount: "1.001" }]
  ] as const)
    it.live(`to ${what} is rejected, and nothing is sent`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { lookup, provider, submit } = yield* started(world)
          const one = { ...command, ...over } as PayoutCommand
          assert.strictEqual(yield* provider.payouts!.serves!(one), "amount" in over ? "yes" : "no")
          assert.strictEqual(yield* submit(one), "rejected")
          assert.strictEqual(yield* lookup(one), "absent")
          assert.strictEqual(posts(world).length, 0)
        })
      )
    )

  covers("CIRCLE-3")
  for (const [what, sent, says] of [
    ["the balance is too low", [400, { code: 1093, message: "Insufficient funds" }], "unavailable"],
    ["the address is not active", [400, { code: 5003, message: "Inactive destination address." }], "unavailable"],
    ["the limit is reached", [400, { code: 1107, message: "Payout limit exceeded." }], "unavailable"],
    ["the API key is refused", [401, { code: 1, message: "Malformed authorization header." }], "unavailable"],
    ["the API key may not", [403, { code: 3, message: "Forbidden." }], "unavailable"],
    ["there are too many requests", [429, { code: 429, message: "Too many requests." }], "unavailable"],
    ["the address is not approved", [400, { code: 2004, message: "Not verified." }], "rejected"],
    ["the destination is not found", [404, { code: 5004, message: "Not found." }], "rejected"],
    ["the request is invalid", [400, { code: 2, message: "Invalid entity." }], "rejected"],
    ["something else is refused", [400, { code: 9999, message: "Something" }], "ProviderFault"],
    ["something went wrong", [400, { code: -1, message: "Something went wrong." }], "ProviderFault"],
    ["a proxy forbids it", [403, { message: "Forbidden" }], "ProviderFault"],
    ["a page is not found", [404, "<html>not found</html>"], "ProviderFault"]
  ] as const)
    it.live(`is ${says} when ${what}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { submit } = yield* started(world)
          world.fake.instead = (request) => (isPayment(request) ? sent : undefined)
          assert.strictEqual(yield* submit(), says)
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
          isPayment(request) ? [400, { code: 1093, message: "Insufficient" }] : undefined
        assert.strictEqual(yield* submit(), "ProviderFault")
      })
    )
  )

  covers("CIRCLE-4", "ROUTE-12")
  it.live("goes to an address that is not known to be approved yet: whether it can be paid is unknown", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* started(world)
        world.fake.recipients[0]!.status = "pending_verification"
        assert.strictEqual(yield* provider.payouts!.serves!(command), "unknown")
        const { provider: other } = yield* started(world)
        world.fake.mishap = () => "html"
        assert.strictEqual((yield* Effect.flip(other.payouts!.serves!(command)))._tag, "ProviderFault")
      })
    )
  )

  covers("CIRCLE-4")
  it.live("is unavailable, and nothing is sent, while Circle does not say which addresses are approved", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        world.fake.mishap = () => "html"
        assert.strictEqual(yield* submit(), "unavailable")
        assert.strictEqual(yield* lookup(), "absent")
      })
    )
  )

  covers("CIRCLE-3")
  it.live("of another amount or destination under its id is unknown", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        yield* submit()
        const { id } = world.paymentOf(command)
        const own = {
          ...{ id, status: "complete", createDate: new Date(0).toISOString(), source: { type: "wallet", id: "1" } },
          ...{
            amount: { amount: "25.50", currency: "USD" },
            destination: { type: "blockchain", address: approved, chain: "BASE" }
          }
        }
        for (const [changed, says] of [
          [{}, "settled success"],
          [{ amount: { amount: "25.51", currency: "USD" } }, "ProviderFault"],
          [{ amount: { amount: "25.50", currency: "EUR" } }, "ProviderFault"],
          [{ destination: { ...own.destination, address: "0x1" } }, "ProviderFault"],
          [{ destination: { ...own.destination, chain: "ETH" } }, "ProviderFault"]
        ] as const) {
          world.fake.instead = ({ path }) => (path.endsWith(id) ? [200, { data: { ...own, ...changed } }] : undefined)
          assert.strictEqual(yield* lookup(), says)
        }
      })
    )
  )

  covers("CIRCLE-3")
  it.live("that Circle no longer finds is not absent", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        yield* submit()
        world.fake.payments.splice(0)
        yield* lookup()
        world.pass(grace)
        assert.strictEqual(yield* lookup(), "ProviderFault")
      })
    )
  )
})

describe("a redemption", () => {
  covers("CIRCLE-4", "CIRCLE-6")
  it.live("goes to the linked bank, and is a success with what reached it, its fee and its reference", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider, submit } = yield* started(world)
        const redemption = redemptionOf(1, world.bank)
        assert.strictEqual(yield* submit(redemption), "accepted")
        assert.deepStrictEqual(posts(world)[0]?.body?.["destination"], { type: "wire", id: world.bank })
        const payment = world.paymentOf(redemption)
        Object.assign(payment, { fee: 20_000_000n, net: 980_000_000n })
        world.fake.become(payment, "complete")
        assert.deepStrictEqual(yield* provider.payouts!.lookup(redemption), {
          _tag: "settled",
          outcome: {
            ...{ outcome: "success", reason: null, transaction_hash: null, amount: "980.00", fee: "20.00" },
            provider_reference: `CIR-${payment.id.slice(0, 8)}`
          }
        })
      })
    )
  )

  covers("CIRCLE-6", "COMPANY-9")
  it.live(
    "that comes back is a success until the return is complete, and then returned with its own amount and fee",
    () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { provider, submit } = yield* started(world)
          const redemption = redemptionOf(1, world.bank)
          yield* submit(redemption)
          const payment = world.paymentOf(redemption)
          world.fake.become(payment, "complete")
          const first = yield* provider.events!.after!(null)
          assert.deepInclude(first.events[0] as object, { outcome: "success" })
          world.pass(minutes(60 * 24 * 30))
          world.fake.bringBack(payment, 15_000_000n)
          const second = yield* provider.events!.after!(first.cursor)
          assert.deepStrictEqual(second.events, [])
          world.fake.complete(payment)
          const third = yield* provider.events!.after!(second.cursor)
          assert.strictEqual(third.events.length, 1)
          assert.deepInclude(third.events[0] as object, {
            ...{ outcome: "returned", amount: "1000.00", fee: "15.00", reason: "payout_returned" }
          })
          assert.deepStrictEqual((yield* provider.events!.after!(third.cursor)).events, [])
        })
      )
  )

  covers("CIRCLE-6")
  it.live("that failed as returned is pending until the return is complete", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { lookup, submit } = yield* started(world)
        const redemption = redemptionOf(1, world.bank)
        yield* submit(redemption)
        const payment = world.paymentOf(redemption)
        world.fake.become(payment, "failed", "transaction_returned")
        assert.strictEqual(yield* lookup(redemption), "pending")
        world.fake.bringBack(payment)
        assert.strictEqual(yield* lookup(redemption), "pending")
        payment.back!.status = "failed"
        assert.strictEqual(yield* lookup(redemption), "ProviderFault")
        payment.back!.status = "pending"
        world.fake.complete(payment)
        assert.strictEqual(yield* lookup(redemption), "settled returned")
      })
    )
  )

  covers("CIRCLE-4")
  for (const [what, over, says] of [
    ["another account", { account_number: "000123450011" }, "rejected"],
    ["another bank", { bank_code: "another" }, "rejected"],
    ["the account, written in groups", { account_number: "0001 2345-0010" }, "accepted"]
  ] as const)
    it.live(`to ${what} is ${says}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { submit } = yield* started(world)
          const one = redemptionOf(1, world.bank)
          assert.strictEqual(
            yield* submit({ ...one, destination: { ...one.destination, ...over } as typeof one.destination }),
            says
          )
        })
      )
    )

  covers("CIRCLE-4")
  it.live("to a bank that Circle still reviews is unavailable, and to one that it refused is rejected", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { submit } = yield* started(world)
        const pending = world.fake.addWire("A BANK ****0010", "pending")
        const refused = world.fake.addWire("A BANK ****0010", "failed")
        assert.strictEqual(yield* submit(redemptionOf(1, pending)), "unavailable")
        assert.strictEqual(yield* submit(redemptionOf(2, refused)), "rejected")
      })
    )
  )
})
