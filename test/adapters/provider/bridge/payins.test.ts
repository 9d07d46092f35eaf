/** Pay-ins through Bridge: accounts for them, what is paid to them, and what goes back. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { BridgeOptions } from "../../../../src/adapters/provider/bridge.ts"
import type { ProviderFault } from "../../../../src/engine/ports/errors.ts"
import type {
  IssueCommand,
  IssueResult,
  PayinEvent,
  Provider,
  ProviderEvent,
  RefundCommand,
  StatementPage
} from "../../../../src/engine/ports/Provider.ts"
import {
  bridgeWorld,
  type BridgeWorld,
  eurOf,
  usdOf,
  virtualAccountOf
} from "../../../support/companies/bridge-world.ts"
import type { FakeDeposit } from "../../../support/companies/fake-bridge.ts"
import { grace, minutes, wordOf } from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const days = (count: number): number => minutes(60 * 24 * count)
const inWorld = <A>(test: (world: BridgeWorld) => Effect.Effect<A, unknown>, options: Partial<BridgeOptions> = {}) =>
  Effect.scoped(
    Effect.flatMap(bridgeWorld({ payins: ["USD", "EUR"], ...options }), (world) => world.inWorld(test(world)))
  )

const refundOf = ({ id, units }: FakeDeposit, n = 1, over: Partial<RefundCommand> = {}): RefundCommand => ({
  ...{ id: `exc_${n}.refund`, merchant_id: "mer_1", resource_id: `exc_${n}`, statement_reference: "01K6X0B7Z26VDFC7" },
  ...{ payin_id: id, amount: (Number(units) / 1e6).toFixed(2), currency: "USD" },
  ...over
})

const describeEvent = (event: ProviderEvent | { readonly _tag: string }) => {
  const { _tag, amount, currency, outcome, payin_id, stage, target } = event as PayinEvent & { outcome?: string }
  return _tag === "payin" ? `${payin_id} ${stage} ${amount} ${currency} ${target}` : `${_tag} ${outcome ?? ""}`.trim()
}

const started = (world: BridgeWorld) =>
  Effect.map(world.start(), ({ provider }) => {
    let cursor: string | null = null
    return {
      provider,
      issue: (command = virtualAccountOf(1)) => provider.payins!.issue(command),
      refund: (command: RefundCommand) => wordOf(provider.payins!.refund(command)),
      lookup: (command: RefundCommand) => wordOf(provider.payins!.lookupRefund(command)),
      /** What the sweep tells that is new. */
      sweep: Effect.suspend(() =>
        Effect.map(provider.events!.after!(cursor), (page) => {
          cursor = page.cursor
          return [
            ...(page.events as ReadonlyArray<ProviderEvent>).map(describeEvent),
            ...(page.fault === undefined ? [] : ["fault"])
          ]
        })
      ),
      receive: ({ body, headers }: ReturnType<BridgeWorld["fake"]["depositMessage"]>) =>
        Effect.map(
          provider.events!.decode!(headers, body, Buffer.from(body)),
          (event) => event && describeEvent(event as never)
        )
    }
  })

/** A world with an account, and a payment of 120.00 USD to it. */
const paid = (world: BridgeWorld) =>
  Effect.gen(function* () {
    const adapter = yield* started(world)
    yield* adapter.issue()
    yield* adapter.sweep
    const [account] = world.fake.virtualAccounts
    return { ...adapter, account: account!, deposit: world.fake.arrive(account!, 120_000_000n, { fee: 1_500_000n }) }
  })

const confirmed = "deposit_1 confirmed 120.00 USD 001000000"

describe("an account for pay-ins", () => {
  covers("BRIDGE-10")
  it.live("has what the payer needs, pays into the wallet, and is the same however often it is asked for", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { issue } = yield* started(world)
        const first = yield* issue()
        assert.deepStrictEqual(first, {
          _tag: "issued",
          issued: {
            ...{ provider_resource_id: "va_0", target: "001000000" },
            details: {
              ...{ accountName: "Platform Inc", accountNumber: "001000000", bankName: "Lead Bank" },
              ...{ bankCode: "101019644", reference: null }
            }
          }
        })
        world.pass(days(3))
        assert.deepStrictEqual(yield* issue(), first)
        const euro = yield* issue(virtualAccountOf(2, { currency: "EUR", country_code: null }))
        assert.deepInclude((euro as Extract<typeof euro, { _tag: "issued" }>).issued.details, {
          ...{ accountNumber: "DE89370400440532013001", bankCode: "COBADEFFXXX" }
        })
        assert.strictEqual(world.fake.virtualAccounts.length, 2)
        assert.deepStrictEqual(world.fake.invalid, [])
      })
    )
  )

  covers("BRIDGE-10")
  it.live("is not issued for what Bridge does not take, nor twice for two", () =>
    inWorld(
      (world) =>
        Effect.gen(function* () {
          const { issue } = yield* started(world)
          const posts = () => world.fake.requests.filter(({ method }) => method === "POST").length
          for (const over of [
            { currency: "EUR" },
            { currency: "GBP" },
            { type: "crypto", currency: "USDC", network: "base" }
          ])
            assert.strictEqual((yield* issue(virtualAccountOf(1, over as Partial<IssueCommand>)))._tag, "rejected")
          assert.strictEqual(posts(), 0)
          world.fake.isShared = true
          assert.strictEqual((yield* issue())._tag, "issued")
          assert.strictEqual((yield* issue(virtualAccountOf(2)))._tag, "rejected")
          assert.strictEqual((yield* issue())._tag, "issued")
        }),
      { payins: ["USD"] }
    )
  )

  covers("BRIDGE-10")
  for (const [mishap, says] of [
    ["lost", "ProviderFault"],
    ["error_500", "ProviderFault"],
    ["done_truncated", "ProviderFault"],
    ["limited", "ProviderFault"]
  ] as const)
    it.live(`is asked for again when the answer is ${mishap}, under the same key`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { issue } = yield* started(world)
          let left = 1
          world.fake.mishap = ({ method }) => (method === "POST" && left-- > 0 ? mishap : undefined)
          assert.strictEqual(yield* wordOf(issue()), says)
          world.pass(minutes(1))
          assert.strictEqual(yield* wordOf(issue()), "issued")
          assert.strictEqual(world.fake.virtualAccounts.length, 1)
        })
      )
    )
})

/** For how long a key is used. */
const keyLife = minutes(20 * 60)

describe("an account whose answer was lost until its key has run out", () => {
  /** A world in which an account was asked for, and Bridge then answers nothing for as long as it keeps the key. */
  const lost = (world: BridgeWorld, mishap: "lost" | "refused") =>
    Effect.gen(function* () {
      const { issue } = yield* started(world)
      world.fake.mishap = ({ method }) => (method === "POST" ? mishap : undefined)
      assert.strictEqual(yield* wordOf(issue()), "ProviderFault")
      return { issue, last: yield* outlive(world, issue) }
    })
  /** Lets the key run out. Returns the last answer under it. */
  const outlive = (world: BridgeWorld, issue: () => Effect.Effect<IssueResult, ProviderFault>) =>
    Effect.gen(function* () {
      world.pass(keyLife - 1)
      const last = yield* wordOf(issue())
      world.fake.mishap = () => undefined
      world.pass(grace)
      return last
    })
  const idOf = (result: IssueResult) => (result._tag === "issued" ? result.issued.provider_resource_id : result._tag)

  covers("BRIDGE-14")
  it.live("is found among those that were made since, and no second one is made", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.fake.addVirtualAccount("usd")
        world.pass(days(1))
        const { issue, last } = yield* lost(world, "lost")
        world.fake.addVirtualAccount("eur")
        assert.strictEqual(last, "ProviderFault")
        for (let day = 0; day < 3; day++) {
          assert.strictEqual(idOf(yield* issue()), "va_1")
          world.pass(days(1))
        }
        assert.strictEqual(world.fake.virtualAccounts.length, 3)
      })
    )
  )

  covers("BRIDGE-14")
  it.live("is found whatever the options issue then", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* lost(world, "lost")
        const { provider } = yield* world.start({ payins: [] })
        assert.strictEqual(idOf(yield* provider.payins!.issue(virtualAccountOf(1))), "va_0")
        assert.strictEqual(yield* wordOf(provider.payins!.issue(virtualAccountOf(2))), "rejected")
      })
    )
  )

  covers("BRIDGE-14")
  it.live("is made once where none was, but not before the last request must have arrived", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { issue } = yield* started(world)
        world.fake.mishap = ({ method }) => (method === "POST" ? "queued" : undefined)
        assert.strictEqual(yield* wordOf(issue()), "ProviderFault")
        world.pass(keyLife - 1)
        assert.strictEqual(yield* wordOf(issue()), "ProviderFault")
        world.fake.mishap = () => undefined
        world.pass(minutes(20))
        assert.strictEqual(yield* wordOf(issue()), "ProviderFault")
        world.fake.drain()
        assert.strictEqual(idOf(yield* issue()), "va_0")
        assert.strictEqual(world.fake.virtualAccounts.length, 1)
      })
    )
  )

  covers("BRIDGE-14")
  it.live("is asked for under a new key where nothing was made", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { issue } = yield* lost(world, "refused")
        for (const _ of [1, 2]) assert.strictEqual(idOf(yield* issue()), "va_0")
        assert.strictEqual(world.fake.virtualAccounts.length, 1)
      })
    )
  )

  covers("BRIDGE-14")
  it.live("waits for a person where several may be it, and takes the one that is left", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const other = world.fake.addVirtualAccount("usd")
        const { issue } = yield* lost(world, "lost")
        world.fake.addVirtualAccount("usd")
        const waits = yield* issue()
        assert.deepStrictEqual(waits, {
          ...{ _tag: "pending" },
          awaited_person: {
            party: "operator",
            action: "deactivate at Bridge all but one of the accounts va_1, va_0, of which one was made for wcr_1.issue"
          }
        })
        assert.strictEqual(world.fake.virtualAccounts.length, 3)
        other.isActive = false
        assert.strictEqual(idOf(yield* issue()), "va_1")
      })
    )
  )

  covers("BRIDGE-14")
  for (const [whose, take] of [
    [
      "that another command has",
      (_: BridgeWorld, issue: (command: IssueCommand) => Effect.Effect<IssueResult, ProviderFault>) =>
        issue(virtualAccountOf(2))
    ],
    [
      "that was paid to",
      ({ fake }: BridgeWorld) => Effect.sync(() => void fake.arrive(fake.addVirtualAccount("usd"), 5_000_000n))
    ]
  ] as const)
    it.live(`is none ${whose}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { issue } = yield* started(world)
          world.fake.mishap = ({ method }) => (method === "POST" ? "refused" : undefined)
          assert.strictEqual(yield* wordOf(issue()), "ProviderFault")
          world.fake.mishap = () => undefined
          yield* take(world, issue)
          world.fake.mishap = ({ method }) => (method === "POST" ? "refused" : undefined)
          yield* outlive(world, issue)
          assert.strictEqual(idOf(yield* issue()), "va_1")
        })
      )
    )

  covers("BRIDGE-14")
  it.live("is not taken while another command may have made it, whose key still says so", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { issue } = yield* started(world)
        const second = virtualAccountOf(2)
        const fails = Effect.fnUntraced(function* (command: IssueCommand, mishap: "lost" | "refused") {
          world.fake.mishap = ({ method }) => (method === "POST" ? mishap : undefined)
          assert.strictEqual(yield* wordOf(issue(command)), "ProviderFault")
          world.fake.mishap = () => undefined
        })
        yield* fails(virtualAccountOf(1), "refused")
        world.pass(minutes(60))
        yield* fails(second, "lost")
        world.pass(keyLife - minutes(60) + grace)
        assert.strictEqual(yield* wordOf(issue()), "ProviderFault")
        assert.strictEqual(idOf(yield* issue(second)), "va_0")
        assert.strictEqual(idOf(yield* issue()), "va_1")
        assert.strictEqual(world.fake.virtualAccounts.length, 2)
      })
    )
  )

  covers("BRIDGE-14")
  it.live("is taken by one of two commands whose keys have run out, and the other is made then", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { issue, last } = yield* lost(world, "refused")
        assert.strictEqual(last, "ProviderFault")
        const second = virtualAccountOf(2)
        world.fake.mishap = ({ method }) => (method === "POST" ? "lost" : undefined)
        assert.strictEqual(yield* wordOf(issue(second)), "ProviderFault")
        world.fake.mishap = () => undefined
        world.pass(keyLife + grace)
        const both = yield* Effect.all([wordOf(issue()), wordOf(issue(second))], { concurrency: 2 })
        assert.include(both, "issued")
        assert.notInclude(both, "rejected")
        const ids = [idOf(yield* issue()), idOf(yield* issue(second))]
        assert.sameMembers(
          ids,
          world.fake.virtualAccounts.map(({ id }) => id)
        )
        assert.strictEqual(new Set(ids).size, 2)
      })
    )
  )

  covers("BRIDGE-14")
  it.live("is not made while the accounts cannot be listed", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { issue } = yield* lost(world, "lost")
        world.fake.mishap = ({ method, path }) =>
          method === "GET" && path.endsWith("/virtual_accounts") ? "html" : undefined
        assert.strictEqual(yield* wordOf(issue()), "ProviderFault")
        assert.strictEqual(world.fake.virtualAccounts.length, 1)
      })
    )
  )
})

describe("a payment to an account", () => {
  covers("BRIDGE-11", "COMPANY-9")
  it.live("is told once its USDC is in the wallet: what the payer sent, whatever the wallet got", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, provider, sweep } = yield* paid(world)
        assert.deepStrictEqual(yield* sweep, [])
        world.fake.happen(deposit, "payment_submitted")
        assert.deepStrictEqual(yield* sweep, [])
        world.fake.happen(deposit, "payment_processed")
        assert.deepStrictEqual(yield* sweep, [confirmed])
        assert.deepStrictEqual(yield* sweep, [])
        const [event] = (yield* provider.events!.after!(null)).events as ReadonlyArray<PayinEvent>
        assert.deepInclude(event, { sender: { name: "Chidi Eze" }, narration: "for deposit_1", network: "bank" })
      })
    )
  )

  /** Takes the last item of the activity away, and gives it back at its time, below what came after it. */
  const hideLast = ({ fake }: BridgeWorld) => {
    const hidden: Record<string, unknown> = { ...fake.activity.pop(), id: "va_event_late" }
    return () => {
      const next = fake.activity.findIndex((item) => String(item["created_at"]) > String(hidden["created_at"]))
      fake.activity.splice(next === -1 ? fake.activity.length : next, 0, hidden)
    }
  }

  covers("BRIDGE-11")
  it.live(
    "that is reviewed for weeks is told when it ends, however late that is listed, and one sent back is not",
    () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { account, deposit, sweep } = yield* paid(world)
          // The list of all accounts is read up to a page that is older, and here each item is a page.
          world.fake.pageMax = 1
          const other = world.fake.arrive(account, 5_000_000n)
          for (const one of [deposit, other]) world.fake.happen(one, "in_review")
          for (let week = 0; week < 5; week++) {
            assert.deepStrictEqual(yield* sweep, [])
            world.pass(days(7))
          }
          world.fake.happen(deposit, "payment_processed")
          const show = hideLast(world)
          world.fake.happen(other, "refunded")
          for (let day = 0; day < 5; day++) {
            world.pass(days(1))
            world.fake.happen(world.fake.arrive({ ...account, id: "va_of_another" }, 7_000_000n), "in_review")
            assert.deepStrictEqual(yield* sweep, [])
          }
          show()
          assert.deepStrictEqual(yield* sweep, [confirmed])
          world.pass(days(2))
          assert.deepStrictEqual(yield* sweep, [])
        })
      )
  )

  covers("BRIDGE-11")
  it.live("that goes back after it was told is told as failed, once", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, sweep } = yield* paid(world)
        world.fake.happen(deposit, "payment_processed")
        assert.deepStrictEqual(yield* sweep, [confirmed])
        world.fake.happen(deposit, "refunded")
        assert.deepStrictEqual(yield* sweep, ["deposit_1 failed 120.00 USD 001000000"])
        assert.deepStrictEqual(yield* sweep, [])
      })
    )
  )

  covers("BRIDGE-11")
  for (const type of ["funds_scheduled", "microdeposit", "account_update", "deactivation", "reactivation"])
    it.live(`is none where the account says ${type}`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { deposit, sweep } = yield* paid(world)
          world.fake.happen(deposit, type)
          assert.deepStrictEqual(yield* sweep, [])
        })
      )
    )

  covers("BRIDGE-11")
  it.live("whose items come in another order, or from two readings at once, is told once", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, sweep } = yield* paid(world)
        world.fake.happen(deposit, "payment_processed")
        world.fake.activity.reverse()
        const { provider } = yield* world.start()
        yield* Effect.all([sweep, provider.events!.after!(null), provider.events!.after!(null)], {
          concurrency: "unbounded"
        })
        assert.strictEqual((yield* provider.events!.after!(null)).events.length, 1)
      })
    )
  )

  covers("BRIDGE-11")
  it.live("to an account of others is not told, and what cannot be read holds up no other", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { account, deposit, sweep } = yield* paid(world)
        const stranger = world.fake.arrive({ ...account, id: "va_of_another" }, 7_000_000n)
        world.fake.happen(stranger, "payment_processed")
        const odd = world.fake.arrive(account, 9_000_000n)
        const unread = world.fake.arrive(account, 9_000_000n)
        world.fake.happen(odd, "frozen")
        world.fake.happen(deposit, "payment_processed")
        world.fake.shownActivity = (item) => (item["deposit_id"] === unread.id ? { ...item, amount: "9.001" } : item)
        assert.deepStrictEqual(yield* sweep, [confirmed, "fault"])
        world.fake.shownActivity = (item) => item
        world.fake.happen(unread, "payment_processed")
        assert.include(yield* sweep, "deposit_4 confirmed 9.00 USD 001000000")
      })
    )
  )

  covers("BRIDGE-11", "BRIDGE-2")
  it.live("is found although Bridge was away for days", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, sweep } = yield* paid(world)
        yield* sweep
        world.fake.mishap = () => "html"
        world.fake.happen(deposit, "payment_processed")
        for (let day = 0; day < 4; day++) {
          world.pass(days(1))
          assert.deepStrictEqual(yield* sweep, ["fault"])
        }
        world.fake.mishap = () => undefined
        assert.deepStrictEqual(yield* sweep, [confirmed])
      })
    )
  )

  covers("BRIDGE-11")
  it.live("is found although its arrival is listed late, beyond the list of all accounts", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { account, deposit, sweep } = yield* paid(world)
        world.fake.pageMax = 1
        const show = hideLast(world)
        world.fake.happen(deposit, "payment_processed")
        for (let day = 0; day < 4; day++) {
          assert.deepStrictEqual(yield* sweep, [])
          world.pass(days(1))
          world.fake.happen(world.fake.arrive({ ...account, id: "va_of_another" }, 7_000_000n), "in_review")
        }
        show()
        assert.deepStrictEqual(yield* sweep, [confirmed])
      })
    )
  )

  covers("BRIDGE-7", "BRIDGE-11")
  it.live("is told by a webhook as by a sweep, which looks up what it is about", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { account, deposit, receive, sweep } = yield* paid(world)
        assert.strictEqual(yield* receive(world.fake.depositMessage(deposit)), "none")
        world.fake.happen(deposit, "payment_processed")
        assert.strictEqual(yield* receive(world.fake.depositMessage(deposit)), confirmed)
        assert.deepStrictEqual(yield* sweep, [confirmed])
        const stranger = world.fake.arrive({ ...account, id: "va_of_another" }, 7_000_000n)
        assert.strictEqual(yield* receive(world.fake.depositMessage(stranger)), "none")
      })
    )
  )
})

describe("a deposit that is returned", () => {
  const arrived = (world: BridgeWorld) =>
    Effect.gen(function* () {
      const adapter = yield* paid(world)
      world.fake.happen(adapter.deposit, "payment_processed")
      yield* adapter.sweep
      return adapter
    })

  covers("BRIDGE-12")
  it.live("goes back to its payer from the wallet, whole, under the refund's reference", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, lookup, refund, sweep } = yield* arrived(world)
        const command = refundOf(deposit)
        assert.strictEqual(yield* refund(command), "accepted")
        const post = world.fake.requests.find(({ method, path }) => method === "POST" && path === "/transfers")
        assert.deepStrictEqual(post?.body, {
          ...{ client_reference_id: command.id, amount: "120.00", on_behalf_of: "cust_platform" },
          source: { payment_rail: "bridge_wallet", currency: "usdc", bridge_wallet_id: "bw_float" },
          destination: { payment_rail: "fiat_deposit_return", currency: "usd", deposit_id: "deposit_1" }
        })
        world.fake.become(world.fake.under(command.id)[0]!, "payment_processed")
        // Bridge may say of the deposit that it went back: that is the refund, and no other loss.
        world.fake.happen(deposit, "refunded")
        assert.deepStrictEqual(yield* sweep, ["refund success"])
        assert.strictEqual(yield* lookup(command), "settled success")
        assert.deepStrictEqual(yield* sweep, [])
        assert.deepStrictEqual(world.fake.invalid, [])
      })
    )
  )

  covers("BRIDGE-12")
  for (const [what, over] of [
    ["in part", { amount: "100.00" }],
    ["in more than it was", { amount: "120.01" }],
    ["in another currency", { currency: "EUR" }],
    ["that nobody paid", { payin_id: "deposit_9" }]
  ] as const)
    it.live(`is not returned ${what}, and nothing is sent`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { deposit, lookup, refund } = yield* arrived(world)
          const command = refundOf(deposit, 1, over)
          assert.strictEqual(yield* refund(command), "rejected")
          assert.isFalse(world.fake.requests.some(({ method, path }) => method === "POST" && path === "/transfers"))
          assert.strictEqual(yield* lookup(command), "absent")
        })
      )
    )

  covers("BRIDGE-12")
  it.live("in EUR is not returned from USDC", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { issue, refund, sweep } = yield* started(world)
        yield* issue(virtualAccountOf(1, { currency: "EUR" }))
        yield* sweep
        const deposit = world.fake.arrive(world.fake.virtualAccounts[0]!, 120_000_000n, { rail: "sepa" })
        world.fake.happen(deposit, "payment_processed")
        assert.deepStrictEqual(yield* sweep, ["deposit_1 confirmed 120.00 EUR DE89370400440532013000"])
        assert.strictEqual(yield* refund(refundOf(deposit, 1, { currency: "EUR" })), "rejected")
        assert.isFalse(world.fake.requests.some(({ method, path }) => method === "POST" && path === "/transfers"))
      })
    )
  )

  covers("BRIDGE-12")
  it.live("goes back once: another refund waits until the first one has failed", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, refund, sweep } = yield* arrived(world)
        assert.strictEqual(yield* refund(refundOf(deposit)), "accepted")
        assert.strictEqual(yield* refund(refundOf(deposit, 2)), "rejected")
        const sent = world.fake.requests.filter(({ method, path }) => method === "POST" && path === "/transfers")
        assert.strictEqual(sent.length, 1)
        const [transfer] = world.fake.under("exc_1.refund")
        world.fake.become(transfer!, "canceled")
        deposit.isReturned = false
        assert.deepStrictEqual(yield* sweep, ["refund failed"])
        assert.strictEqual(yield* refund(refundOf(deposit, 2)), "accepted")
        assert.strictEqual(yield* refund(refundOf(deposit)), "settled failed")
        assert.strictEqual(world.fake.transfers.length, 2)
      })
    )
  )

  covers("BRIDGE-12", "BRIDGE-2")
  for (const mishap of ["lost", "queued", "done_html", "done_truncated", "dependency"] as const)
    it.live(`whose answer is ${mishap} goes back once, after days too`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { deposit, lookup, refund } = yield* arrived(world)
          let left = 1
          world.fake.mishap = ({ method }) => (method === "POST" && left-- > 0 ? mishap : undefined)
          const command = refundOf(deposit)
          assert.strictEqual(yield* refund(command), "ProviderFault")
          world.fake.drain()
          world.pass(days(2))
          assert.strictEqual(yield* refund(command), "accepted")
          assert.strictEqual(yield* lookup(command), "pending")
          assert.strictEqual(world.fake.transfers.length, 1)
        })
      )
    )

  covers("BRIDGE-12")
  it.live("is `absent` where Bridge never had it, and may then go back by another refund", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, lookup, refund } = yield* arrived(world)
        let left = 1
        world.fake.mishap = ({ method }) => (method === "POST" && left-- > 0 ? "refused" : undefined)
        const command = refundOf(deposit)
        assert.strictEqual(yield* refund(command), "ProviderFault")
        assert.strictEqual(yield* refund(refundOf(deposit, 2)), "rejected")
        world.pass(grace)
        assert.strictEqual(yield* lookup(command), "ProviderFault")
        world.pass(minutes(2))
        assert.strictEqual(yield* lookup(command), "absent")
        assert.strictEqual(yield* refund(command), "accepted")
        assert.strictEqual(world.fake.transfers.length, 1)
      })
    )
  )

  const sentBack = "deposit_1 failed 120.00 USD 001000000"

  covers("BRIDGE-12")
  for (const when of ["before", "after", "between two sweeps after"] as const)
    it.live(`that Bridge sends back by itself is told, where it does so ${when} the refund fails`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { deposit, refund, sweep } = yield* arrived(world)
          assert.strictEqual(yield* refund(refundOf(deposit)), "accepted")
          const [transfer] = world.fake.under("exc_1.refund")
          if (when === "before") {
            world.fake.happen(deposit, "refunded")
            assert.deepStrictEqual(yield* sweep, [])
            world.pass(days(9))
            assert.deepStrictEqual(yield* sweep, [])
          }
          world.fake.become(transfer!, "canceled")
          if (when === "between two sweeps after") assert.deepStrictEqual(yield* sweep, ["refund failed"])
          if (when !== "before") world.fake.happen(deposit, "refunded")
          const events = [...(yield* sweep), ...(yield* sweep)]
          assert.deepStrictEqual(
            events.filter((one) => one !== "refund failed"),
            [sentBack]
          )
          assert.strictEqual(yield* refund(refundOf(deposit, 2)), "rejected")
          world.pass(days(2))
          assert.deepStrictEqual(yield* sweep, [])
        })
      )
    )

  covers("BRIDGE-12")
  it.live("whose refund bounces although it was a success is told as one that Bridge sent back", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, refund, sweep } = yield* arrived(world)
        assert.strictEqual(yield* refund(refundOf(deposit)), "accepted")
        const [transfer] = world.fake.under("exc_1.refund")
        world.fake.become(transfer!, "payment_processed")
        world.fake.happen(deposit, "refunded")
        assert.deepStrictEqual(yield* sweep, ["refund success"])
        world.pass(days(20))
        assert.deepStrictEqual(yield* sweep, [])
        world.fake.become(transfer!, "refunded")
        assert.deepStrictEqual(yield* sweep, ["refund failed", sentBack])
        assert.deepStrictEqual(yield* sweep, [])
      })
    )
  )

  covers("BRIDGE-12", "BRIDGE-7")
  for (const from of ["a webhook", "a sweep"] as const)
    it.live(`is no recall where the answer to the refund is lost and ${from} says that it went back`, () =>
      inWorld((world) =>
        Effect.gen(function* () {
          const { deposit, lookup, receive, refund, sweep } = yield* arrived(world)
          let left = 1
          world.fake.mishap = ({ method }) => (method === "POST" && left-- > 0 ? "lost" : undefined)
          const command = refundOf(deposit)
          assert.strictEqual(yield* refund(command), "ProviderFault")
          world.fake.become(world.fake.under(command.id)[0]!, "payment_processed")
          world.fake.happen(deposit, "refunded")
          if (from === "a webhook") assert.strictEqual(yield* receive(world.fake.depositMessage(deposit)), "none")
          else {
            // The list of transfers is away, so that the refund is not found in this sweep.
            world.fake.mishap = ({ path }) => (path === "/transfers" ? "html" : undefined)
            assert.deepStrictEqual(yield* sweep, ["fault"])
            world.fake.mishap = () => undefined
          }
          assert.deepStrictEqual(yield* sweep, ["refund success"])
          assert.strictEqual(yield* lookup(command), "settled success")
          world.pass(days(40))
          assert.deepStrictEqual(yield* sweep, [])
        })
      )
    )

  covers("BRIDGE-12")
  it.live("is told as sent back where Bridge never had the refund, once that is known", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, lookup, receive, refund, sweep } = yield* arrived(world)
        let left = 1
        world.fake.mishap = ({ method }) => (method === "POST" && left-- > 0 ? "refused" : undefined)
        const command = refundOf(deposit)
        assert.strictEqual(yield* refund(command), "ProviderFault")
        world.fake.happen(deposit, "refunded")
        assert.strictEqual(yield* receive(world.fake.depositMessage(deposit)), "none")
        assert.deepStrictEqual(yield* sweep, [])
        world.pass(grace)
        assert.strictEqual(yield* lookup(command), "ProviderFault")
        assert.deepStrictEqual(yield* sweep, [])
        world.pass(minutes(2))
        assert.strictEqual(yield* lookup(command), "absent")
        assert.deepStrictEqual(yield* sweep, [sentBack])
        assert.deepStrictEqual(yield* sweep, [])
      })
    )
  )
})

describe("the statement", () => {
  covers("BRIDGE-13")
  it.live("has what moved in the wallet, and what payers and recipients see of it, and sums to the balance", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { account, deposit, provider, refund, sweep } = yield* paid(world)
        world.fake.happen(deposit, "payment_processed")
        yield* sweep
        const lost = world.fake.arrive(account, 30_000_000n)
        world.fake.happen(lost, "payment_processed")
        yield* sweep
        world.pass(minutes(1))
        yield* refund(refundOf(lost, 1))
        world.fake.become(world.fake.under("exc_1.refund")[0]!, "payment_processed")
        world.fake.move("direct_deposit", 1_000_000n)
        world.pass(minutes(5))
        const page = yield* provider.statements!.lines(null)
        assert.deepStrictEqual(
          page.lines.map(({ amount, command_id, currency, direction, payin_id }) =>
            [direction, amount, currency, command_id ?? payin_id ?? ""].join(" ").trim()
          ),
          [
            "credit 120.00 USD deposit_1",
            "debit 120.00 USD",
            "credit 30.00 USD deposit_2",
            "debit 30.00 USD",
            "credit 118.50 USDC",
            "credit 30.00 USDC",
            "debit 30.00 USDC",
            "debit 30.00 USD exc_1.refund",
            "credit 30.00 USD",
            "credit 1.00 USDC"
          ]
        )
        const usdc = page.lines.filter(({ currency }) => currency === "USDC")
        const sum = usdc.reduce(
          (all, { amount, direction }) => all + (direction === "credit" ? 1 : -1) * Number(amount),
          0
        )
        const [balance] = yield* provider.statements!.balances
        assert.strictEqual(Number(balance?.available) - 1_000_000, sum)
        assert.deepStrictEqual((yield* provider.statements!.lines(page.cursor)).lines, [])
        assert.strictEqual((yield* provider.statements!.lines(page.cursor)).cursor, page.cursor)
      })
    )
  )

  covers("BRIDGE-13")
  it.live("shows an item that it cannot read as one, and guesses no direction", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* started(world)
        world.fake.move("undeliverable", 5_000_000n)
        world.fake.move("deposit", 5_000_000n)
        world.pass(minutes(5))
        const page = yield* provider.statements!.lines(null)
        assert.deepStrictEqual([page.lines.length, page.unreadable?.length], [1, 1])
        world.fake.mishap = () => "done_truncated"
        world.pass(minutes(5))
        assert.strictEqual((yield* Effect.flip(provider.statements!.lines(page.cursor)))._tag, "ProviderFault")
      })
    )
  )

  type Adapter = Pick<Provider["Service"], "statements">
  /** The pages after a cursor, until one says nothing new. */
  const pagesAfter = (adapter: Adapter, after: string | null) =>
    Effect.gen(function* () {
      const pages: Array<StatementPage> = []
      for (let cursor = after, n = 0; n < 50; n++) {
        const page: StatementPage = yield* adapter.statements!.lines(cursor)
        if (page.cursor === cursor) return pages
        pages.push(page)
        cursor = page.cursor
      }
      throw new Error("the statement does not end")
    })
  const linesIn = (pages: ReadonlyArray<StatementPage>) => pages.flatMap(({ lines }) => lines)
  const depositLines = (page: StatementPage) =>
    page.lines
      .filter(({ payin_id }) => payin_id !== null)
      .map(({ amount, currency, payin_id }) => `${payin_id} ${amount} ${currency}`)

  covers("BRIDGE-13")
  it.live("has a deposit that no sweep has heard of", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, provider } = yield* paid(world)
        const first = yield* provider.statements!.lines(null)
        world.pass(minutes(2))
        world.fake.happen(deposit, "payment_processed")
        const unheard = world.fake.arrive(world.fake.virtualAccounts[0]!, 5_000_000n)
        world.fake.happen(unheard, "payment_processed")
        const stranger = world.fake.arrive({ ...world.fake.virtualAccounts[0]!, id: "va_of_another" }, 7_000_000n)
        world.fake.happen(stranger, "payment_processed")
        world.pass(minutes(30))
        const page = yield* provider.statements!.lines(first.cursor)
        assert.deepStrictEqual(depositLines(page), ["deposit_1 120.00 USD", "deposit_2 5.00 USD"])
        assert.isUndefined(page.unreadable)
        assert.strictEqual(page.lines.filter(({ currency }) => currency === "USDC").length, 3)
      })
    )
  )

  covers("BRIDGE-13", "INGEST-8")
  for (const isReadLater of [true, false])
    it.live(
      `waits a day for what the payer sent, which ${isReadLater ? "is a line then" : "is unreadable after it"}`,
      () =>
        inWorld((world) =>
          Effect.gen(function* () {
            const { provider } = yield* paid(world)
            const first = yield* provider.statements!.lines(null)
            world.fake.shownActivity = (item) =>
              item["type"] === "funds_received" && item["deposit_id"] === "deposit_2"
                ? { ...item, amount: "9.001" }
                : item
            const unread = world.fake.arrive(world.fake.virtualAccounts[0]!, 9_000_000n)
            world.fake.happen(unread, "payment_processed")
            world.pass(minutes(30))
            const page = yield* provider.statements!.lines(first.cursor)
            // It holds up no other, and what cannot be read is named.
            assert.deepStrictEqual(
              [page.unreadable?.length, page.lines.map(({ amount, currency }) => `${amount} ${currency}`)],
              [1, ["9.00 USDC"]]
            )
            world.pass(isReadLater ? minutes(60 * 20) : days(3))
            if (isReadLater) world.fake.shownActivity = (item) => item
            const later = yield* pagesAfter(provider, page.cursor)
            assert.deepStrictEqual(later.flatMap(depositLines), isReadLater ? ["deposit_2 9.00 USD"] : [])
            // An item that is shown again is the one that was named before.
            const named = JSON.stringify(later.flatMap((one) => one.unreadable ?? []))
            assert.strictEqual(named.includes("payment_processed") && named.includes(unread.id), !isReadLater)
          })
        )
    )

  covers("BRIDGE-13", "INGEST-8")
  it.live("names activity of an account that it cannot read", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { deposit, provider } = yield* paid(world)
        world.fake.happen(deposit, "frozen")
        world.pass(minutes(5))
        const page = yield* provider.statements!.lines(null)
        assert.include(JSON.stringify(page.unreadable ?? []), "frozen")
      })
    )
  )

  covers("BRIDGE-13")
  it.live("asks for few transfers a page, however many there are, and has each line, oldest first", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* world.start()
        const count = 120
        for (let n = 0; n < count; n++) {
          yield* provider.payouts!.submit(usdOf(n))
          world.fake.become(world.transferOf(usdOf(n)), "payment_processed")
          // Some are of one moment.
          if (n % 3 === 0) world.pass(1000)
        }
        world.pass(minutes(5))
        const asked = () => world.fake.requests.filter(({ path }) => /^\/transfers\/./.test(path)).length
        const before = asked()
        const page = yield* provider.statements!.lines(null)
        assert.isAtMost(asked() - before, 60)
        const pages = [page, ...(yield* pagesAfter(provider, page.cursor))]
        assert.isAtLeast(pages.length, 2)
        const lines = linesIn(pages)
        assert.strictEqual(lines.length, 3 * count)
        assert.strictEqual(new Set(lines.map(({ id }) => id)).size, 3 * count)
        assert.deepStrictEqual(
          lines.map(({ booked_at }) => booked_at),
          lines.map(({ booked_at }) => booked_at).sort((a, b) => a - b)
        )
        assert.strictEqual(asked() - before, count)
      })
    )
  )

  covers("BRIDGE-13", "COMPANY-18")
  it.live("of a wallet that has moved very often is read in pages of few requests, each line once", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* started(world)
        for (let n = 0; n < 10_400; n++) {
          world.fake.move("deposit", 1_000_000n)
          world.pass(1000)
        }
        world.pass(minutes(5))
        const ids: Array<string> = []
        let cursor: string | null = null
        for (let page = 0; page < 400; page++) {
          const before = world.fake.requests.length
          const read: StatementPage = yield* provider.statements!.lines(cursor)
          assert.isAtMost(world.fake.requests.length - before, 120)
          ids.push(...read.lines.map(({ id }) => id))
          if (read.cursor === cursor) break
          cursor = read.cursor
          // What comes meanwhile is read after the walk.
          if (page === 3) world.fake.move("deposit", 1_000_000n)
          if (page === 3) world.pass(minutes(5))
        }
        assert.strictEqual(ids.length, 10_401)
        assert.strictEqual(new Set(ids).size, ids.length)
      })
    )
  )

  covers("BRIDGE-13", "INGEST-8")
  it.live("shows a transfer without an amount as unreadable, and hides no other by it", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* world.start()
        for (const command of [eurOf(1), usdOf(2)]) {
          yield* provider.payouts!.submit(command)
          world.fake.become(world.transferOf(command), "payment_processed")
        }
        world.pass(minutes(5))
        const odd = world.transferOf(eurOf(1)).id
        world.fake.shown = (one) =>
          one["id"] === odd ? { ...one, destination: { ...(one["destination"] as object), amount: null } } : one
        const page = yield* provider.statements!.lines(null)
        assert.deepStrictEqual(
          page.lines.map(({ amount, command_id, currency }) => `${amount} ${currency} ${command_id ?? ""}`.trim()),
          ["935.00 USDC", "250.50 USDC", `250.50 USD ${usdOf(2).id}`, "250.50 USD"]
        )
        assert.strictEqual(page.unreadable?.length, 1)
        assert.include(JSON.stringify(page.unreadable), odd)
      })
    )
  )

  covers("BRIDGE-13")
  it.live("has what Bridge lists late, within a day", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const { provider } = yield* started(world)
        world.fake.move("direct_deposit", 3_000_000n)
        world.pass(minutes(10))
        world.fake.move("direct_deposit", 5_000_000n)
        const late = world.fake.history.pop()!
        world.pass(minutes(60))
        world.fake.move("direct_deposit", 7_000_000n)
        world.pass(minutes(60))
        const page = yield* provider.statements!.lines(null)
        assert.deepStrictEqual(
          page.lines.map(({ amount }) => amount),
          ["3.00", "7.00"]
        )
        world.fake.history.splice(-1, 0, late)
        world.pass(minutes(60 * 20))
        const later = linesIn(yield* pagesAfter(provider, page.cursor))
        assert.include(
          later.map(({ amount }) => amount),
          "5.00"
        )
        // What is shown again is the same line.
        for (const line of later) if (line.amount !== "5.00") assert.deepInclude(page.lines, line)
      })
    )
  )
})
