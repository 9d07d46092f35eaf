/** A pay-in has one currency, one place and, once confirmed, one amount; an event id has one content (DEPOSIT-8). */
import { assert, describe, it } from "vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { PayinEvent, ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Payins } from "../../../src/engine/resources/deposits/payin.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { addressAt, freshAddress, makeIssuedEvent, payinEvent, findExceptions } from "../../support/merchants/payins.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { booksBalance, onEveryStore, type Run } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

type Stage = PayinEvent["stage"]

const inMemory = <A, E>(scenario: Effect.Effect<A, E, any>): Promise<A> =>
  Effect.runPromise(Effect.provide(scenario as Effect.Effect<A, E>, makeSimulatedEngine()))

/** Somewhere money can be paid to, what is paid there, and what else a provider could say of it. */
interface Payable {
  readonly paid: Pick<PayinEvent, "target" | "amount" | "currency" | "network">
  readonly others: Readonly<Record<"currency" | "target" | "network" | "amount", Partial<PayinEvent>>>
  /** What has come of it, minor units or words: the same as long as nothing has. */
  readonly standing: Effect.Effect<unknown, unknown, any>
}

const depositAddress = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const here = yield* addressAt(m, freshAddress())
  const there = yield* addressAt(m, freshAddress())
  return {
    paid: { target: here.target, amount: "100", currency: "USDC", network: "base" },
    others: {
      currency: { currency: "USDT" },
      target: { target: there.target },
      network: { network: "ethereum" },
      amount: { amount: "200" }
    },
    standing: m.balance
  } satisfies Payable
})

const credential = Effect.gen(function* () {
  const m = yield* openWay(ways[0]!)
  const { details } = yield* m.credential
  const { accountNumber, reference } = details as { accountNumber: string; reference: string }
  const wallet = yield* addressAt(m, freshAddress())
  return {
    paid: { target: `${accountNumber}/${reference}`, amount: "150750", currency: "NGN", network: "bank" },
    others: {
      currency: { currency: "GHS" },
      target: { target: wallet.target, currency: "USDC", network: "base" },
      network: { network: "base" },
      amount: { amount: "250750" }
    },
    standing: Effect.all([m.balances, m.balance, Effect.map(m.conversions, (all) => all.length)])
  } satisfies Payable
})

const onramp = Effect.gen(function* () {
  const m = yield* merchantCollecting
  const { id, deposit_instruction } = yield* m.onramp()
  const other = yield* m.onramp()
  return {
    paid: { target: deposit_instruction.depositReference, amount: "150000", currency: "NGN", network: "bank" },
    others: {
      currency: { currency: "GHS" },
      target: { target: other.deposit_instruction.depositReference },
      network: { network: "base" },
      amount: { amount: "1500" }
    },
    standing: Effect.all([
      Effect.map(m.collected(id), ({ status }) => status),
      Effect.map(m.collected(other.id), ({ status }) => status),
      m.balance
    ])
  } satisfies Payable
})

/** The stages that come after one that was told before, and whether another amount is another version there. */
const pairs: ReadonlyArray<readonly [Stage, Stage]> = [
  ["detected", "detected"],
  ["detected", "confirmed"],
  ["detected", "failed"],
  ["confirmed", "detected"],
  ["confirmed", "confirmed"],
  ["confirmed", "failed"]
]

covers("DEPOSIT-8")
describe.each<[string, Effect.Effect<Payable, any, any>]>([
  ["a deposit address", depositAddress],
  ["a credential that converts", credential],
  ["an onramp", onramp]
])("a pay-in to %s", (_, open) => {
  it.each(pairs)(
    "that was %s, then %s in another version, changes nothing and is an exception with both",
    (first, second) =>
      inMemory(
        Effect.gen(function* () {
          const inbox = yield* Inbox
          for (const member of ["currency", "target", "network", "amount"] as const) {
            // Until it is confirmed it may still turn out to be another amount, and a late detection names the first one.
            if (member === "amount" && (first === "detected" || second === "detected")) continue
            const { others, paid, standing } = yield* open
            const payin_id = `${paid.target}.paid`
            const event = (n: number, stage: Stage, more: Partial<PayinEvent> = {}) =>
              payinEvent({ ...paid, event_id: `${payin_id}.${n}`, payin_id, stage, ...more })
            const other = event(2, second, others[member])
            yield* inbox.receive("simulated", event(1, first))
            const reported = yield* standing
            yield* inbox.receive("simulated", other)
            yield* inbox.receive("simulated", other)
            assert.deepEqual(yield* standing, reported, member)
            const [exception, ...more] = yield* findExceptions(payin_id)
            assert.deepEqual(more, [], member)
            assert.deepInclude(exception!, { amount: null, provider_event: other })
            assert.deepInclude(exception!.recorded as object, { currency: paid.currency, target: paid.target })
            // What holds is still told again without a word, and what follows is still believed.
            yield* inbox.receive("simulated", event(3, first))
            yield* inbox.receive("simulated", event(4, "confirmed"))
            yield* inbox.receive("simulated", event(5, "confirmed"))
            assert.lengthOf(yield* findExceptions(payin_id), 1, member)
            if (first === "detected") assert.notDeepEqual(yield* standing, reported, member)
          }
          yield* booksBalance
        })
      )
  )
})

describe("an event id that comes again", () => {
  const word = (event_id: string, payin_id: string, target: string, more: Partial<PayinEvent> = {}) =>
    payinEvent({ event_id, payin_id, target, ...more })

  const shared = (run: Run): void => {
    it("with other content is an exception with both versions, once; with the same it is a repeat", () =>
      run(
        Effect.gen(function* () {
          const inbox = yield* Inbox
          const m = yield* merchantAtWork("0")
          const { target } = yield* addressAt(m, freshAddress())
          const first = word(`${target}.e`, `${target}.p`, target)
          const other = word(`${target}.e`, `${target}.q`, target, { amount: "7" })
          assert.strictEqual(yield* inbox.receive("simulated", first), "applied")
          assert.strictEqual(yield* inbox.receive("simulated", { ...first }), "duplicate")
          const results = yield* Effect.all(
            Array.from({ length: 6 }, () => inbox.receive("simulated", other)),
            { concurrency: 6 }
          )
          assert.sameMembers(results, ["ignored", ...Array.from({ length: 5 }, () => "duplicate")])
          assert.strictEqual(yield* inbox.receive("simulated", first), "duplicate")
          const [exception, ...more] = yield* findExceptions(`${target}.q`)
          assert.deepEqual(more, [])
          assert.deepInclude(exception!, {
            reason: "event_id_reused",
            amount: null,
            severity: "low",
            provider_event: other,
            recorded: first
          })
          assert.strictEqual((yield* m.balance).available, "100.00")
        })
      ))
  }
  onEveryStore("an event id", shared)

  it.each<[string, (about: string) => ProviderEvent, Partial<Record<string, unknown>>]>([
    [
      "movement",
      (resource_id) => ({
        _tag: "movement",
        event_id: `${resource_id}.e`,
        merchant_id: null,
        resource_id,
        outcome: "temporarily_unavailable",
        reason: null,
        transaction_hash: null
      }),
      { outcome: "success" }
    ],
    [
      "screened",
      (resource_id) => ({
        _tag: "screened",
        event_id: `${resource_id}.e`,
        merchant_id: null,
        resource_id,
        screening_id: "scr_1",
        cleared: true
      }),
      { cleared: false }
    ],
    [
      "verification",
      (resource_id) => ({
        _tag: "verification",
        event_id: `${resource_id}.e`,
        merchant_id: null,
        resource_id,
        outcome: "opened",
        reason: null
      }),
      { outcome: "approved" }
    ],
    [
      "issued",
      (resource_id) => makeIssuedEvent(resource_id, freshAddress(), "base", { event_id: `${resource_id}.e` }),
      {}
    ]
  ])("is an exception for a %s event too, where its content is another", (tag, eventOf, otherwise) =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("100")
        const resource_id =
          tag === "movement"
            ? (yield* m.transfer("10", { retry_on_failure: true })).id
            : `${{ screened: "ben", verification: "kyc", issued: "da" }[tag]}_nobody`
        const first = eventOf(resource_id)
        const other = {
          ...first,
          ...otherwise,
          ...(tag === "issued" ? { target: freshAddress() } : {})
        } as ProviderEvent
        yield* inbox.receive("simulated", first)
        yield* inbox.receive("simulated", first)
        const before = (yield* findExceptions(resource_id)).length
        yield* inbox.receive("simulated", other)
        yield* inbox.receive("simulated", other)
        const raised = yield* findExceptions(resource_id)
        assert.deepEqual(
          raised.slice(before).map(({ provider_event, reason, recorded }) => [reason, provider_event, recorded]),
          [["event_id_reused", other, first]]
        )
        if (tag === "movement") assert.notStrictEqual(yield* m.status(resource_id), "success")
      })
    )
  )

  it("of a pay-in that is known is an exception about its deposit", () =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress())
        const payin_id = `${target}.p`
        yield* inbox.receive("simulated", word("one", payin_id, target))
        yield* inbox.receive("simulated", word("one", payin_id, target, { amount: "7" }))
        assert.deepEqual(
          (yield* findExceptions(payin_id)).map(({ reason, resource_kind }) => [reason, resource_kind]),
          [["event_id_reused", "deposit"]]
        )
      })
    ))

  it("under another type of event is an exception", () =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("0")
        const { id, target } = yield* addressAt(m, freshAddress())
        yield* inbox.receive("simulated", word("one", `${target}.p`, target, { stage: "detected" }))
        const issued = makeIssuedEvent(id, target, "base", { event_id: "one" })
        yield* inbox.receive("simulated", issued)
        assert.deepEqual(
          (yield* findExceptions(id)).map(({ reason }) => reason),
          ["event_id_reused"]
        )
      })
    ))
})

describe("money", () => {
  it("is not made of a currency that changes between stages, nor of a place", () =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* openWay(ways[0]!)
        const { details } = yield* m.credential
        const { accountNumber, reference } = details as { accountNumber: string; reference: string }
        const here = `${accountNumber}/${reference}`
        const there = yield* addressAt(m, freshAddress())
        const word = (n: number, more: Partial<PayinEvent>) =>
          payinEvent({ event_id: `${here}.${n}`, payin_id: `${here}.p`, target: here, currency: "NGN", ...more })
        yield* inbox.receive("simulated", word(1, { stage: "detected", network: "bank" }))
        yield* inbox.receive("simulated", word(2, { target: there.target, currency: "USDC", network: "base" }))
        assert.deepInclude(yield* m.balances, { free: "0", held: "0" })
        assert.lengthOf(yield* findExceptions(`${here}.p`), 1)
        assert.lengthOf(yield* m.conversions, 0)
      })
    ))

  it("that is confirmed as another amount than was detected counts as confirmed", () =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress())
        const word = (n: number, more: Partial<PayinEvent>) =>
          payinEvent({ event_id: `${target}.${n}`, payin_id: `${target}.p`, target, ...more })
        yield* inbox.receive("simulated", word(1, { stage: "detected", amount: "90" }))
        yield* inbox.receive("simulated", word(2, { amount: "100" }))
        yield* inbox.receive("simulated", word(3, { stage: "detected", amount: "90" }))
        assert.strictEqual((yield* m.balance).available, "100.00")
        assert.deepEqual(yield* findExceptions(`${target}.p`), [])
      })
    ))

  it("that found no place keeps its version: what is told of it again is compared with that", () =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const target = freshAddress()
        const payin_id = `${target}.p`
        const word = (n: number, more: Partial<PayinEvent> = {}) =>
          payinEvent({ event_id: `${target}.${n}`, payin_id, target, ...more })
        yield* inbox.receive("simulated", word(1, { stage: "detected" }))
        yield* inbox.receive("simulated", word(2, { stage: "confirmed", currency: "USDT" }))
        yield* inbox.receive("simulated", word(3))
        yield* inbox.receive("simulated", word(4))
        yield* inbox.receive("simulated", word(5, { amount: "200" }))
        assert.deepEqual(
          (yield* findExceptions(payin_id)).map(({ amount, reason }) => [reason, amount]),
          [
            ["unknown_target", null],
            ["another_currency", null],
            ["unknown_target", "100.00"],
            ["another_amount", null]
          ]
        )
      })
    ))

  it("told of under the id of another merchant's pay-in is the first one's, or nobody's", () =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const one = yield* merchantAtWork("0")
        const other = yield* merchantAtWork("0")
        const here = yield* addressAt(one, freshAddress())
        const there = yield* addressAt(other, freshAddress())
        const word = (n: number, more: Partial<PayinEvent>) =>
          payinEvent({ event_id: `${here.target}.${n}`, payin_id: "shared", target: here.target, ...more })
        yield* inbox.receive("simulated", word(1, {}))
        yield* inbox.receive("simulated", word(2, { target: there.target }))
        assert.deepEqual([(yield* one.balance).available, (yield* other.balance).available], ["100.00", "0.00"])
        assert.deepEqual(
          (yield* findExceptions("shared")).map(({ merchant_id, reason }) => [reason, merchant_id]),
          [["another_target", one.merchant_id]]
        )
        const payins = yield* (yield* Storage).lookup("arrival", "simulated/shared")
        assert.strictEqual(payins?.merchant_id, one.merchant_id)
      })
    ))
})

covers("ONRAMP-9")
describe("a pay-in that fails after it was confirmed", () => {
  const exposed = (way: { readonly amount: string; readonly currency: string }) => ({
    reason: "recalled",
    severity: "high" as const,
    exposure: { amount: way.amount, currency: way.currency },
    amount: null
  })
  const none = { reason: "recalled", severity: "low" as const, exposure: null, amount: null }

  it("is told once, with what is at risk, where the wallet has had the money", () =>
    inMemory(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const pays = (stage: Stage) => m.deposit({ amount: "10", payin_id: "recalled", stage })
        const { transaction_id } = yield* pays("confirmed")
        yield* pays("failed")
        yield* pays("failed")
        yield* pays("confirmed")
        const [exception, ...others] = yield* m.exceptions
        assert.deepEqual(others, [])
        assert.deepInclude(exception!, {
          ...exposed({ amount: "10.00", currency: "USDC" }),
          resource_id: transaction_id
        })
        assert.strictEqual((yield* m.balance).available, "10.00")
        assert.strictEqual(yield* m.status(transaction_id!), "success")
      })
    ))

  it.each(ways)("is told with what arrived, where it was converted ($name)", (way) =>
    inMemory(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        const id = yield* m.pay(["confirmed", "failed", "failed"])
        const [exception, ...others] = yield* m.exceptions
        assert.deepEqual(others, [])
        assert.deepInclude(exception!, { ...exposed(way), resource_id: id })
        yield* m.finish
        assert.strictEqual((yield* m.conversion).status, "success")
      })
    )
  )

  it("takes a held deposit back: nobody has been given anything", () =>
    inMemory(
      Effect.gen(function* () {
        const m = yield* openWay(ways[0]!)
        yield* m.freeze
        const id = yield* m.pay(["confirmed", "failed", "failed"])
        assert.strictEqual(yield* m.status(id), "failed")
        assert.deepInclude(yield* m.balances, { held: "0", free: "0" })
        assert.deepEqual(yield* m.exceptions, [])
      })
    ))

  it.each([
    ["is told with what is on its way back to the payer, where a held deposit was rejected", "5550001", false, exposed],
    ["is told once it has gone back: the money has left twice", "5550001", true, exposed],
    ["is told where it could not go back, and stands in suspense", "5550007", true, () => none]
  ] as const)("%s", (_, account_number, settled, expected) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const way = ways[0]!
        const m = yield* openWay(way)
        yield* m.freeze
        const pays = (stage: Stage) => m.pay([stage], { payin_id: "rejected", sender: { account_number } })
        const id = yield* pays("confirmed")
        yield* (yield* Deposits).reject(m.operator, id, "sanctioned")
        if (settled) yield* m.advance(2)
        yield* pays("failed")
        yield* pays("failed")
        const raised = (yield* m.exceptions).filter(({ reason }) => reason === "recalled")
        assert.lengthOf(raised, 1)
        assert.deepInclude(raised[0], { ...expected(way), resource_id: id })
      }).pipe(Effect.provide(makeSimulatedEngine({ mode: "auto" })))
    )
  )

  it.each<["refund" | "dismiss" | null, "high" | "low"]>([
    [null, "low"],
    ["dismiss", "low"],
    ["refund", "high"]
  ])("is told for money in suspense that the operator chose to %s: %s", (action, severity) =>
    inMemory(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("0")
        const target = freshAddress()
        const word = (n: number, stage: Stage) =>
          payinEvent({ event_id: `${target}.${n}`, payin_id: `${target}.p`, target, stage })
        yield* inbox.receive("simulated", word(1, "confirmed"))
        const [kept] = yield* findExceptions(`${target}.p`)
        assert.deepInclude(kept!, { reason: "unknown_target", amount: "100.00", severity: "low", exposure: null })
        if (action !== null) yield* m.resolve(kept!.id, action)
        yield* m.settle
        yield* inbox.receive("simulated", word(2, "failed"))
        yield* inbox.receive("simulated", word(3, "failed"))
        const raised = (yield* findExceptions(`${target}.p`)).filter(({ id }) => id !== kept!.id)
        assert.lengthOf(raised, 1)
        assert.deepInclude(raised[0]!, severity === "low" ? none : exposed({ amount: "100.00", currency: "USDC" }))
      })
    )
  )
})

describe("a pay-in's id", () => {
  it("is one provider's: the same at a second provider is another pay-in", async () => {
    const runtime = ManagedRuntime.make(MemoryStorage.layer)
    const storage = Layer.succeed(Storage, await runtime.runPromise(Storage))
    const paid = (name: string) =>
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress(), "base", m.wallet.id, name)
        yield* (yield* Inbox).receive(name, payinEvent({ event_id: "one", payin_id: "one", target }))
        return [name, (yield* m.balance).available]
      })
    const at = (name: string) =>
      Effect.runPromise(
        Effect.provide(paid(name), makeSimulatedEngine({ storage, around: (inner) => ({ ...inner, name }) }))
      )
    assert.deepEqual(
      [await at("one"), await at("other")],
      [
        ["one", "100.00"],
        ["other", "100.00"]
      ]
    )
    await runtime.dispose()
  })

  it("is found for the merchant whose it is, and for no other", () =>
    inMemory(
      Effect.gen(function* () {
        const payins = yield* Payins
        const one = yield* merchantAtWork("0")
        const other = yield* merchantAtWork("0")
        const { target } = yield* addressAt(one, freshAddress())
        yield* (yield* Inbox).receive("simulated", payinEvent({ event_id: "one", payin_id: "one", target }))
        assert.match(
          (yield* payins.transactionOf(one.merchant_id, { provider: "simulated", payin_id: "one" })) ?? "",
          /^txn_/
        )
        assert.isUndefined(yield* payins.transactionOf(other.merchant_id, { provider: "simulated", payin_id: "one" }))
      })
    ))

  it("that two merchants chose in the sandbox is two, and each is shown its own transaction", () =>
    inMemory(
      Effect.gen(function* () {
        const one = yield* merchantAtWork("0")
        const other = yield* merchantAtWork("0")
        const mine = yield* one.deposit({ amount: "1", payin_id: "order-1" })
        const theirs = yield* other.deposit({ amount: "2", payin_id: "order-1" })
        assert.notStrictEqual(mine.transaction_id, theirs.transaction_id)
        assert.deepEqual([(yield* one.balance).available, (yield* other.balance).available], ["1.00", "2.00"])
        const again = yield* other.deposit({ amount: "2", payin_id: "order-1" })
        assert.deepEqual(again, theirs)
      })
    ))
})
