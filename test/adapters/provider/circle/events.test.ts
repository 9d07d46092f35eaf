/** What Circle tells, and what it does not: notifications over SNS, sweeps, deposits, and the statement. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { decodeEvent } from "../../../../src/engine/ports/checked-ports.ts"
import type { IssueCommand, Provider, StatementLine } from "../../../../src/engine/ports/Provider.ts"
import type { CircleOptions } from "../../../../src/adapters/provider/circle.ts"
import { circleWorld, type CircleWorld, redemptionOf, transferOf } from "../../../support/companies/circle-world.ts"
import { minutes, wordOf } from "../../../support/companies/paystack-world.ts"
import { wallClock } from "../../../support/engines/wall-clock.ts"
import { covers } from "../../../support/repository/covers.ts"

const command = transferOf(1)

/** No time passes while work is done: a sweep of some seconds is never cut short by a slow machine. */
const inWorld = <A>(
  test: (world: CircleWorld, provider: Provider["Service"]) => Effect.Effect<A, unknown>,
  options: Partial<CircleOptions> = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const world = yield* circleWorld(options)
      const { provider } = yield* world.start()
      return yield* Effect.provide(
        world.inWorld(test(world, provider)),
        wallClock(() => world.time.now)
      )
    })
  )

/** As JavaScript may say it. */
const withoutNotifications = { notifications: undefined } as unknown as Partial<CircleOptions>

interface Message {
  readonly body: string
  readonly headers: Record<string, string>
}
const deliver = ({ events }: Provider["Service"], { body, headers }: Message) =>
  events!.decode!(headers, body, Buffer.from(body))

const issue = (n = 1, network = "base"): IssueCommand => ({
  ...{ id: `da_01k6x0b7z2${String(n).padStart(16, "0")}.issue`, merchant_id: "mer_1", kind: "deposit_address" },
  ...{ resource_id: `da_01k6x0b7z2${String(n).padStart(16, "0")}`, type: "crypto", currency: "USDC" },
  ...{ country_code: null, network, holder: "Ada Obi" }
})
const issued = (provider: Provider["Service"], n = 1, network = "base") =>
  Effect.map(provider.payins!.issue(issue(n, network)), (result) =>
    result._tag === "issued" ? result.issued.target : result._tag
  )

const snsCalls = ({ fake }: CircleWorld) => fake.requests.filter(({ path }) => path.endsWith(".pem") || path === "/")

describe("a notification", () => {
  covers("CIRCLE-9", "COMPANY-8", "COMPANY-9")
  for (const SignatureVersion of ["1", "2"])
    it.live(`of SNS in version ${SignatureVersion} is a reason to look up: what it says is not believed`, () =>
      inWorld((world, provider) =>
        Effect.gen(function* () {
          yield* provider.payouts!.submit(command)
          const payment = world.paymentOf(command)
          const over = { SignatureVersion }
          const lie = world.fake.message(
            { notificationType: "transfers", transfer: { id: payment.id, status: "complete" } },
            { over }
          )
          assert.deepStrictEqual(yield* deliver(provider, lie), { _tag: "none" })
          world.fake.become(payment, "complete")
          const event = yield* deliver(provider, world.fake.paymentMessage(payment, { over }))
          assert.deepInclude(event as object, { outcome: "success", resource_id: command.resource_id })
          assert.deepStrictEqual(decodeEvent(event), event as never)
          assert.deepStrictEqual(yield* deliver(provider, lie), event)
          assert.deepStrictEqual((yield* provider.events!.after!(null)).events as ReadonlyArray<unknown>, [event])
          assert.strictEqual(snsCalls(world).length, 1)
        })
      )
    )

  covers("CIRCLE-9")
  it.live("does not count with another topic, time, certificate or text, nor signed by another", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        yield* provider.payouts!.submit(command)
        const payment = world.paymentOf(command)
        const old = new Date(world.time.now - minutes(61)).toISOString()
        const next = new Date(world.time.now + minutes(61)).toISOString()
        // The certificate is known from here on.
        yield* deliver(provider, world.fake.paymentMessage(payment))
        for (const options of [
          { over: { TopicArn: "arn:aws:sns:us-east-1:908968368384:another-topic" } },
          ...[old, next, "yesterday"].map((Timestamp) => ({ over: { Timestamp } })),
          { isStranger: true },
          { over: { Type: "Order" } },
          { over: { SignatureVersion: "3" } },
          ...["Message", "MessageId", "Timestamp", "Subject"].map((name) => ({
            tampered: { [name]: `${world.fake.now()}` }
          })),
          { tampered: { Signature: "" } },
          { tampered: { SignatureVersion: "1" } }
        ])
          assert.isUndefined(
            yield* deliver(provider, world.fake.paymentMessage(payment, options)),
            JSON.stringify(options)
          )
        for (const body of ["", "7", "null", "{}", "<html>"])
          assert.isUndefined(yield* deliver(provider, { body, headers: {} }))
        assert.strictEqual(snsCalls(world).length, 1)
      })
    )
  )

  covers("CIRCLE-9")
  it.live("names its certificate, and no other address is ever visited for one", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        yield* provider.payouts!.submit(command)
        const { url } = world.fake
        const name = "SimpleNotificationService-0123456789abcdef.pem"
        for (const SigningCertURL of [
          `${url}/${name}`,
          `http://sns.us-east-1.amazonaws.com/${name}`,
          `https://sns.us-east-1.amazonaws.com.example.com/${name}`,
          `https://example.com/https://sns.us-east-1.amazonaws.com/${name}`,
          `https://sns.us-east-1.amazonaws.com@example.com/${name}`,
          `https://sns.eu-west-1.amazonaws.com/${name}`,
          `https://sns-us-east-1.amazonaws.com/${name}`,
          `https://s3.us-east-1.amazonaws.com/${name}`,
          "https://sns.us-east-1.amazonaws.com/../secret.pem",
          `https://sns.us-east-1.amazonaws.com/${name}?x=1`,
          `https://sns.us-east-1.amazonaws.com:8080/${name}`,
          `https://sns.us-east-1.amazonaws.com/${name}\n`,
          "http://169.254.169.254/latest/meta-data/",
          "file:///etc/passwd"
        ]) {
          const message = world.fake.paymentMessage(world.paymentOf(command), { over: { SigningCertURL } })
          assert.isUndefined(yield* deliver(provider, message), SigningCertURL)
        }
        assert.deepStrictEqual(snsCalls(world), [])
      })
    )
  )

  covers("CIRCLE-9")
  it.live("causes at most one request for a certificate in ten seconds, whoever sends it", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        yield* provider.payouts!.submit(command)
        const messageOf = (n: number) =>
          world.fake.paymentMessage(world.paymentOf(command), {
            over: { SigningCertURL: `https://sns.us-east-1.amazonaws.com/SimpleNotificationService-${n}.pem` }
          })
        for (let n = 0; n < 20; n++) yield* Effect.exit(deliver(provider, messageOf(n)))
        assert.strictEqual(snsCalls(world).length, 1)
        world.pass(10_000)
        yield* Effect.exit(deliver(provider, messageOf(20)))
        assert.strictEqual(snsCalls(world).length, 2)
        world.pass(10_000)
        assert.deepStrictEqual(yield* deliver(provider, world.fake.paymentMessage(world.paymentOf(command))), {
          _tag: "none"
        })
      })
    )
  )

  covers("CIRCLE-9")
  it.live("of a subscription is confirmed at SNS by its token, and the address in it is not visited", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const over = {
          ...{ Type: "SubscriptionConfirmation", Token: "2336412f37fb", SubscribeURL: `${world.fake.url}/elsewhere` }
        }
        assert.isUndefined(yield* deliver(provider, world.fake.message("Confirm", { over, isStranger: true })))
        assert.isUndefined(
          yield* deliver(provider, world.fake.message("Confirm", { over, tampered: { Token: "other" } }))
        )
        assert.deepStrictEqual(world.fake.confirmed, [])
        assert.deepStrictEqual(yield* deliver(provider, world.fake.message("Confirm", { over })), { _tag: "none" })
        assert.deepStrictEqual(world.fake.confirmed, ["2336412f37fb"])
        assert.isFalse(world.fake.requests.some(({ path }) => path === "/elsewhere"))
        assert.isTrue(snsCalls(world).every(({ key }) => key === ""))
        assert.deepStrictEqual(world.fake.invalid, [])
      })
    )
  )

  covers("CIRCLE-9", "COMPANY-8")
  it.live("is not acknowledged while SNS or Circle does not answer", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        yield* provider.payouts!.submit(command)
        const message = world.fake.paymentMessage(world.paymentOf(command))
        const answered = Effect.match(deliver(provider, message), {
          onFailure: ({ _tag }) => _tag,
          onSuccess: (event) => event?._tag
        })
        for (const isAway of [
          (path: string) => path.endsWith(".pem"),
          (path: string) => path.includes("/transfers/")
        ]) {
          world.fake.mishap = ({ path }) => (isAway(path) ? "error_500" : undefined)
          assert.strictEqual(yield* answered, "ProviderFault")
          world.pass(10_000)
        }
        world.fake.mishap = () => undefined
        assert.strictEqual(yield* answered, "none")
      })
    )
  )

  covers("COMPANY-8")
  it.live("about nothing of ours is acknowledged and not recorded, and one that is none is recorded", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const byHand = world.fake.payByHand("0x1", 5n)
        for (const message of [
          world.fake.paymentMessage(byHand),
          world.fake.message({ notificationType: "wire", wire: { id: "w" } }),
          world.fake.message({ notificationType: "payouts", payout: { id: "p" } }),
          world.fake.message("bye", { over: { Type: "UnsubscribeConfirmation", Token: "t", SubscribeURL: "u" } })
        ])
          assert.deepStrictEqual(yield* deliver(provider, message), { _tag: "none" })
        const unreadable = yield* deliver(provider, world.fake.message("no JSON"))
        assert.deepInclude(unreadable as object, { _tag: "unreadable", content: "no JSON" })
      })
    )
  )

  covers("CIRCLE-9", "COMPANY-8")
  it.live("of another environment, which has the same topic, is acknowledged and changes nothing", () =>
    inWorld((world, provider) =>
      Effect.scoped(
        Effect.gen(function* () {
          const other = yield* circleWorld()
          const elsewhere = yield* other.start()
          const target = yield* issued(elsewhere.provider)
          for (const one of [command, redemptionOf(1, other.bank)]) yield* elsewhere.provider.payouts!.submit(one)
          yield* provider.payouts!.submit(command)
          for (const message of [
            other.fake.arrivalMessage(other.fake.arrive(target, 5_000_000n)),
            ...other.fake.payments.map((payment) => {
              other.fake.become(payment, "complete")
              return other.fake.paymentMessage(payment)
            })
          ])
            assert.deepStrictEqual(yield* deliver(provider, message), { _tag: "none" })
          assert.deepStrictEqual((yield* provider.events!.after!(null)).events, [])
          assert.strictEqual(yield* wordOf(provider.payouts!.lookup(command)), "pending")
          // Only Circle can say that it has none.
          world.fake.instead = () => [404, "<html>nothing here</html>"]
          const arrival = other.fake.arrivalMessage(other.fake.arrivals[0]!)
          assert.strictEqual((yield* Effect.flip(deliver(provider, arrival)))._tag, "ProviderFault")
        })
      )
    )
  )

  covers("CIRCLE-9")
  it.live("is not taken where no topic is configured", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const world = yield* circleWorld()
        const { provider } = yield* world.start(withoutNotifications)
        assert.isUndefined(provider.events!.decode)
      })
    )
  )
})

describe("a sweep", () => {
  covers("COMPANY-9")
  it.live("reports what it found although another part cannot be read, and says so", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        yield* provider.payouts!.submit(command)
        world.fake.become(world.paymentOf(command), "complete")
        world.fake.mishap = ({ path }) => (path.endsWith("/payouts") ? "error_500" : undefined)
        const { events, fault } = yield* provider.events!.after!(null)
        assert.strictEqual(events.length, 1)
        assert.include(fault ?? "", "500")
      })
    )
  )
})

describe("a return", () => {
  covers("COMPANY-9", "CIRCLE-13")
  for (const [what, broken] of [
    [
      "has no amount",
      (payout: Record<string, unknown>) => ({
        ...payout,
        return: { ...(payout["return"] as object), amount: { amount: "0.00", currency: "USD" } }
      })
    ],
    [
      "is in another currency",
      (payout: Record<string, unknown>) => ({
        ...payout,
        return: { ...(payout["return"] as object), amount: { amount: "9.00", currency: "EUR" } }
      })
    ],
    ["cannot be read at all", ({ id }: Record<string, unknown>) => ({ id })]
  ] as const)
    it.live(`that ${what} holds up no other, and is named`, () =>
      inWorld((world, provider) =>
        Effect.gen(function* () {
          const [older, bad] = [redemptionOf(1, world.bank), redemptionOf(2, world.bank)]
          for (const one of [older, bad]) {
            yield* provider.payouts!.submit(one)
            world.fake.become(world.paymentOf(one), "complete")
            world.pass(1000)
          }
          const { cursor, fault } = yield* provider.events!.after!(null)
          assert.isUndefined(fault)
          for (const one of [older, bad]) world.fake.bringBack(world.paymentOf(one), 0n, "complete")
          const { id } = world.paymentOf(bad)
          world.fake.shown = (payment) => (payment["id"] === id ? broken(payment) : payment)
          const next = yield* provider.events!.after!(cursor)
          assert.deepStrictEqual(
            next.events.map((one) => [
              (one as { outcome: string }).outcome,
              (one as { resource_id: string }).resource_id
            ]),
            [["returned", older.resource_id]]
          )
          assert.include(next.fault ?? "", id)
          world.fake.shown = (payment) => payment
          const last = yield* provider.events!.after!(next.cursor)
          assert.deepStrictEqual([last.events.length, last.fault], [1, undefined])
        })
      )
    )
})

describe("a payout that failed", () => {
  covers("COMPANY-17")
  for (const [what, codes] of [
    ["transfer", "transfer_failed"],
    ["payout", "bank_transaction_error"]
  ] as const)
    it.live(`is told as paid when Circle says so of the ${what} later, although no notification says it`, () =>
      inWorld((world, provider) =>
        Effect.gen(function* () {
          const one = what === "transfer" ? command : redemptionOf(1, world.bank)
          yield* provider.payouts!.submit(one)
          world.fake.become(world.paymentOf(one), "failed", codes)
          const { cursor, events } = yield* provider.events!.after!(null)
          assert.deepInclude(events[0], { outcome: "failed" })
          world.pass(minutes(60 * 24 * 2))
          world.fake.become(world.paymentOf(one), "complete")
          const later = yield* provider.events!.after!(cursor)
          assert.deepInclude(later.events[0], {
            _tag: "movement",
            outcome: "success",
            resource_id: one.resource_id
          })
          assert.strictEqual(later.events.length, 1)
        })
      )
    )
})

describe("a deposit", () => {
  covers("CIRCLE-7")
  it.live("to an address of a network that is not served any more is reported", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const arrival = world.fake.arrive(yield* issued(provider), 5_000_000n)
        const changed = yield* world.start({ networks: ["solana"] })
        const { events } = yield* changed.provider.events!.after!(null)
        assert.deepInclude(events[0], { payin_id: arrival.id, network: "base" })
      })
    )
  )

  covers("CIRCLE-7", "COMPANY-9", "COMPANY-10")
  it.live("to an address that was issued is reported once, by notification or by sweep, when it is complete", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const target = yield* issued(provider)
        assert.strictEqual(yield* issued(provider), target)
        const arrival = world.fake.arrive(target.toUpperCase().replace("0X", "0x"), 1_234_567n)
        const late = world.fake.arrive(target, 5_000_000n, "pending")
        world.fake.arrive("0xstranger", 9_000_000n)
        world.fake.arrive(target, 9_000_000n, "failed")
        world.fake.arrive(target, 9_000_000n, "complete", "ETH")
        assert.deepStrictEqual(yield* deliver(provider, world.fake.arrivalMessage(late)), { _tag: "none" })
        const event = yield* deliver(provider, world.fake.arrivalMessage(arrival))
        assert.deepStrictEqual(event, {
          ...{ _tag: "payin", event_id: `payin/${arrival.id}`, payin_id: arrival.id, stage: "confirmed", target },
          ...{ amount: "1.234567", currency: "USDC", network: "base", transaction_hash: `0x${arrival.id}` },
          ...{ from_address: null, sender: null, narration: null, observed_at: world.time.now }
        })
        assert.deepStrictEqual(decodeEvent(event), event as never)
        const first = yield* provider.events!.after!(null)
        assert.deepStrictEqual(first.events as ReadonlyArray<unknown>, [event])
        for (let day = 0; day < 5; day++) {
          world.pass(minutes(60 * 24))
          yield* provider.events!.after!(first.cursor)
        }
        world.fake.mishap = ({ path }) => (path.endsWith(late.id) ? "error_500" : undefined)
        const fresh = world.fake.arrive(target, 7_000_000n)
        const meanwhile = yield* provider.events!.after!(first.cursor)
        assert.deepStrictEqual(
          meanwhile.events.map((one) => (one as { readonly payin_id: string }).payin_id),
          [fresh.id]
        )
        world.fake.mishap = () => undefined
        late.status = "complete"
        const second = yield* provider.events!.after!(meanwhile.cursor)
        assert.deepStrictEqual(
          second.events.map((one) => (one as { readonly payin_id: string }).payin_id),
          [late.id]
        )
        world.pass(minutes(60))
        assert.deepStrictEqual((yield* provider.events!.after!(second.cursor)).events, [])
      })
    )
  )

  covers("CIRCLE-7")
  it.live("is reported beside a transfer of the list that cannot be read", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const arrival = world.fake.arrive(yield* issued(provider), 1_000_000n)
        world.fake.instead = ({ path, query }) => {
          if (!path.endsWith("/transfers")) return undefined
          const { body } = world.fake.arrivalMessage(arrival)
          const { transfer } = JSON.parse((JSON.parse(body) as { readonly Message: string }).Message) as {
            transfer: object
          }
          if (query.has("pageAfter")) return [200, { data: [] }]
          return [200, { data: [{ id: "t-1", status: "complete", amount: { amount: "1.00" } }, transfer] }]
        }
        const { cursor, events, fault } = yield* provider.events!.after!(null)
        assert.strictEqual(events.length, 1)
        assert.match(fault ?? "", /a transfer that cannot be read: t-1/)
        // It is asked about until it can be read, and then it is a deposit like any other.
        world.fake.instead = () => undefined
        world.pass(minutes(60 * 24))
        assert.match((yield* provider.events!.after!(cursor)).fault ?? "", /404/)
        const late = world.fake.arrive(arrival.address, 2_000_000n)
        const { transfer } = JSON.parse(
          (JSON.parse(world.fake.arrivalMessage(late).body) as { readonly Message: string }).Message
        ) as { readonly transfer: object }
        world.fake.instead = ({ path }) =>
          path.endsWith("/t-1") ? [200, { data: { ...transfer, id: "t-1" } }] : undefined
        const next = yield* provider.events!.after!(cursor)
        assert.deepStrictEqual(
          next.events.map((one) => (one as { readonly payin_id: string }).payin_id).toSorted(),
          [late.id, "t-1"].toSorted()
        )
        assert.isUndefined(next.fault)
      })
    )
  )

  covers("CIRCLE-7")
  it.live("address that Circle gives a second time belongs to the first command alone", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        world.fake.hasManyAddresses = false
        const target = yield* issued(provider, 1)
        assert.strictEqual(yield* issued(provider, 2), "rejected")
        // A repeat does not get it either.
        assert.strictEqual(yield* issued(provider, 2), "rejected")
        assert.strictEqual(yield* issued(provider, 1), target)
        assert.notInclude(["rejected", target], yield* issued(provider, 3, "solana"))
        assert.deepStrictEqual(world.fake.invalid, [])
      })
    )
  )

  covers("CIRCLE-7")
  it.live("address is issued for USDC on the configured networks alone, and a deposit is not returned", () =>
    inWorld(
      (world, provider) =>
        Effect.gen(function* () {
          assert.strictEqual(yield* issued(provider, 1, "ethereum"), "rejected")
          for (const over of [{ type: "fiat" }, { currency: "USDT" }] as const)
            assert.strictEqual(yield* wordOf(provider.payins!.issue({ ...issue(), ...over })), "rejected")
          const refund = { ...issue(), statement_reference: "S", payin_id: "p", amount: "1.00" }
          assert.strictEqual(yield* wordOf(provider.payins!.refund(refund)), "rejected")
          assert.strictEqual(yield* wordOf(provider.payins!.lookupRefund(refund)), "absent")
          assert.deepStrictEqual(
            provider.manifest.offers.map(({ currency, network, operation }) =>
              [operation, currency, network].join(" ").trim()
            ),
            ["payout USDC base", "payin USDC base", "issue USDC base"]
          )
          assert.isFalse(world.fake.requests.some(({ method }) => method === "POST"))
        }),
      { networks: ["base"], bank_countries: [] }
    )
  )
})

/** Reads a statement to its end. */
const read = Effect.fnUntraced(function* (provider: Provider["Service"], from: string | null) {
  const lines: Array<StatementLine> = []
  let cursor = from
  for (let page = 0; page < 30; page++) {
    const next = yield* provider.statements!.lines(cursor)
    lines.push(...next.lines)
    if (next.cursor === cursor) break
    cursor = next.cursor
    if (next.lines.length === 0 && page > 12) break
  }
  return { lines, cursor }
})
const shownLine = ({ amount, command_id, currency, direction, id, payin_id }: StatementLine) =>
  [id.replace(/[0-9a-f-]{36}/, "#"), direction, amount, currency, command_id ?? payin_id ?? ""].join(" ").trim()

const sumOf = (lines: ReadonlyArray<StatementLine>, currency: string): number =>
  lines.reduce(
    (sum, line) => sum + (line.currency === currency ? Number(line.amount) * (line.direction === "debit" ? -1 : 1) : 0),
    0
  )

describe("a statement", () => {
  covers("CIRCLE-8")
  it.live("has what moved once, when it is final, and comes to the balance", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        world.fake.balance = 0n
        const target = yield* issued(provider)
        world.fake.mint(5_000_000_000n)
        const arrival = world.fake.arrive(target, 100_000_000n)
        world.pass(minutes(5))
        const first = yield* read(provider, null)
        assert.deepStrictEqual(first.lines.map(shownLine), [
          `transfer/# credit 100.00 USDC ${arrival.id}`,
          "deposit/# credit 5000.00 USD",
          "deposit/#/minted/usd debit 5000.00 USD",
          "deposit/#/minted credit 5000.00 USDC"
        ])
        const redemption = redemptionOf(2, world.bank)
        yield* provider.payouts!.submit(command)
        yield* provider.payouts!.submit(redemption)
        world.pass(minutes(1))
        const early = world.fake.payByHand("0x1", 1_000_000n)
        world.fake.become(early, "complete")
        world.pass(minutes(5))
        const second = yield* read(provider, first.cursor)
        assert.deepStrictEqual(second.lines.map(shownLine), ["transfer/# debit 1.00 USDC"])
        world.pass(minutes(60 * 24 * 3))
        world.fake.become(world.paymentOf(command), "complete")
        const payout = world.paymentOf(redemption)
        world.fake.become(payout, "complete")
        const third = yield* read(provider, second.cursor)
        assert.deepStrictEqual(third.lines.map(shownLine), [
          `transfer/# debit 25.50 USDC ${command.id}`,
          "payout/#/redeemed debit 1000.00 USDC",
          "payout/#/redeemed/usd credit 1000.00 USD",
          `payout/# debit 1000.00 USD ${redemption.id}`
        ])
        world.pass(minutes(60 * 24 * 20))
        world.fake.bringBack(payout, 15_000_000n)
        world.pass(minutes(60))
        const waiting = yield* read(provider, third.cursor)
        assert.deepStrictEqual(waiting.lines, [])
        world.fake.complete(payout)
        world.pass(minutes(5))
        const fourth = yield* read(provider, waiting.cursor)
        assert.deepStrictEqual(fourth.lines.map(shownLine), [
          `payout/#/return credit 1000.00 USD ${redemption.id}`,
          "payout/#/minted/usd debit 1000.00 USD",
          "payout/#/minted credit 1000.00 USDC",
          "payout/#/return/fee debit 15.00 USDC"
        ])
        const all = [first, second, third, fourth].flatMap(({ lines }) => lines)
        assert.strictEqual(new Set(all.map(({ id }) => id)).size, all.length)
        assert.deepStrictEqual(
          (yield* read(provider, null)).lines.map(({ id }) => id).sort(),
          all.map(({ id }) => id).sort()
        )
        const [balance, ...others] = yield* provider.statements!.balances
        assert.deepStrictEqual(others, [])
        assert.deepStrictEqual(balance, { currency: "USDC", network: null, available: "5058.50", pending: "0.00" })
        assert.strictEqual(sumOf(all, "USDC"), 5058.5)
        assert.strictEqual(sumOf(all, "USD"), 0)
      })
    )
  )

  covers("CIRCLE-8")
  it.live("has no line of what failed, and one of what failed as returned", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const denied = world.fake.payByHand("0x1", 1_000_000n)
        world.fake.become(denied, "failed", "transfer_denied")
        const returned = world.fake.payByHand(world.bank, 2_000_000n, null)
        world.fake.become(returned, "failed", "transaction_returned")
        world.fake.mint(3_000_000n, "failed")
        world.pass(minutes(5))
        const { lines } = yield* read(provider, null)
        assert.deepStrictEqual(lines.map(shownLine), [
          ...["payout/#/redeemed debit 2.00 USDC", "payout/#/redeemed/usd credit 2.00 USD", "payout/# debit 2.00 USD"]
        ])
      })
    )
  )
})

describe("the directory", () => {
  covers("CIRCLE-4")
  it.live("has the linked banks, and says who holds an account whose number ends as Circle shows it", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const [bank, ...others] = yield* provider.directory!.banks("US")
        assert.deepStrictEqual(others, [])
        assert.deepInclude(bank!, { code: world.bank, name: "WELLS FARGO BANK, NA ****0010", country_code: "US" })
        assert.deepStrictEqual(yield* provider.directory!.banks("NG"), [])
        const resolved = (account_number: string) =>
          provider.directory!.resolveAccount({ country_code: "US", bank: bank!, account_number, account_name: null })
        assert.deepStrictEqual(yield* resolved("000123450010"), { _tag: "resolved", account_name: "Platform Ltd" })
        assert.deepStrictEqual(yield* resolved("000123450011"), { _tag: "unresolved" })
      })
    )
  )
})

describe("a long list", () => {
  covers("CIRCLE-14")
  it.live("of deposits is read in shorter times, and each deposit is told once", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const address = yield* issued(provider)
        yield* provider.events!.after!(null)
        for (let n = 0; n < 700; n++) {
          if (n % 50 === 0) world.pass(10_000)
          world.fake.arrive(address, 1_000_000n)
        }
        const found = new Set<string>()
        let cursor: string | null = null
        for (let page = 0; page < 25; page++) {
          const read: {
            readonly events: ReadonlyArray<unknown>
            readonly cursor: string
            readonly fault?: string | undefined
          } = yield* provider.events!.after!(cursor)
          assert.isUndefined(read.fault)
          for (const event of read.events) found.add((event as { readonly payin_id: string }).payin_id)
          if (read.events.length === 0) break
          cursor = read.cursor
        }
        assert.strictEqual(found.size, 700)
      })
    )
  )

  covers("COMPANY-20")
  it.live("of payouts rests as long as it is, and what came back meanwhile is told then", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const paid = redemptionOf(1, world.bank)
        yield* provider.payouts!.submit(paid)
        world.fake.become(world.paymentOf(paid), "complete")
        for (let n = 0; n < 500; n++) {
          if (n % 20 === 0) world.pass(10_000)
          world.fake.become(world.fake.payByHand(world.bank, 1_000_000n, null), "complete")
        }
        const listed = () =>
          world.fake.requests.filter(({ method, path }) => method === "GET" && path.endsWith("/payouts")).length
        yield* provider.events!.after!(null)
        const before = listed()
        assert.isAtLeast(before, 10)
        world.fake.bringBack(world.paymentOf(paid), 0n, "complete")
        for (let sweep = 0; sweep < 9; sweep++) {
          world.pass(30_000)
          yield* provider.events!.after!(null)
        }
        assert.strictEqual(listed(), before)
        world.pass(60_000)
        const { events } = yield* provider.events!.after!(null)
        assert.deepInclude(events.at(-1), { outcome: "returned", resource_id: paid.resource_id })
      })
    )
  )

  covers("COMPANY-9", "COMPANY-20")
  it.live("of payouts names what it could not read in every sweep, and looks again after five minutes at most", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const paid = redemptionOf(1, world.bank)
        yield* provider.payouts!.submit(paid)
        world.fake.become(world.paymentOf(paid), "complete")
        for (let n = 0; n < 1_000; n++) {
          if (n % 20 === 0) world.pass(10_000)
          world.fake.become(world.fake.payByHand(world.bank, 1_000_000n, null), "complete")
        }
        world.fake.bringBack(world.paymentOf(paid), 0n, "complete")
        const lone = `/payouts/${world.paymentOf(paid).id}`
        world.fake.mishap = ({ method, path }) => (method === "GET" && path.endsWith(lone) ? "error_500" : undefined)
        // A list of 1,001 rests for ten minutes where it was read whole.
        for (let sweep = 0; sweep < 10; sweep++) {
          if (sweep > 0) world.pass(30_000)
          const { fault } = yield* provider.events!.after!(null)
          assert.include(fault, world.paymentOf(paid).id, `sweep ${sweep}`)
        }
        world.fake.mishap = () => undefined
        world.pass(30_000)
        const { events, fault } = yield* provider.events!.after!(null)
        assert.isUndefined(fault)
        assert.deepInclude(events.at(-1), { outcome: "returned", resource_id: paid.resource_id })
      })
    )
  )

  covers("COMPANY-9", "CIRCLE-14", "CIRCLE-7")
  it.live("is read to its end by sweeps of which each can ask little", () =>
    inWorld((world, provider) =>
      Effect.gen(function* () {
        const address = yield* issued(provider)
        yield* provider.events!.after!(null)
        const last = redemptionOf(1, world.bank)
        for (let n = 0; n < 700; n++) {
          if (n % 20 === 0) world.pass(10_000)
          world.fake.arrive(address, 1_000_000n)
          world.fake.become(world.fake.payByHand(world.bank, 1_000_000n, null), "complete")
        }
        yield* provider.payouts!.submit(last)
        world.fake.become(world.paymentOf(last), "complete")
        world.fake.bringBack(world.paymentOf(last), 0n, "complete")
        world.pass(1000)
        // Circle answers the first 15 requests of each sweep for each list.
        const asked = new Map<string, number>()
        world.fake.mishap = ({ path }) => {
          asked.set(path, (asked.get(path) ?? 0) + 1)
          return /\/(transfers|payouts)$/.test(path) && asked.get(path)! > 15 ? "error_500" : undefined
        }
        for (let sweep = 0; sweep < 30; sweep++) {
          asked.clear()
          yield* provider.events!.after!("0")
        }
        const outcomes: Array<string> = []
        for (let cursor = "0"; ; ) {
          const { cursor: next, events } = yield* provider.events!.after!(cursor)
          outcomes.push(...events.map((one) => ("payin_id" in one ? "payin" : (one as { outcome: string }).outcome)))
          if (events.length === 0) break
          cursor = next!
        }
        assert.strictEqual(outcomes.filter((one) => one === "payin").length, 700)
        assert.deepStrictEqual(outcomes.filter((one) => one !== "payin").slice(-1), ["returned"])
      })
    )
  )
})
