/** Screening decides who is paid (BENEFICIARY-7), on every store. */
import { withMethods } from "../../support/engines/provider-methods.ts"
import { Effect } from "effect"
import { assert, it } from "vitest"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Approvals } from "../../../src/engine/resources/controls/approval.ts"
import { ApprovalRules } from "../../../src/engine/resources/controls/approval-rule.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Brakes, type CreateBrake } from "../../../src/engine/resources/movements/brake.ts"
import { Offramps } from "../../../src/engine/resources/movements/offramp.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { Provider, makeOpenManifest } from "../../../src/engine/ports/Provider.ts"
import type { RoutingPolicy } from "../../../src/engine/ports/Routing.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { less, movements, type Movement, story, untouched } from "../../support/merchants/movements.ts"
import { overtaken } from "../../support/stores/overtaken.ts"
import { onServers, type Run, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const provider_id = listBanks("NG")[0]!.id
const naira = {
  type: "fiat",
  name: "Chidi",
  currency: "NGN",
  details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id }
} as const
const coin = {
  type: "crypto",
  name: "Chidi",
  currency: "USDC",
  details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
} as const

/** A merchant with a beneficiary of each kind, made and changed as its callers do. */
const paying = Effect.gen(function* () {
  const m = yield* merchantAtWork()
  const [beneficiaries, inbox, offramps, quotes, sandbox, transfers] = yield* Effect.all([
    Beneficiaries,
    Inbox,
    Offramps,
    Quotes,
    SandboxOperations,
    Transfers
  ])
  let words = 0
  const quote = (beneficiary_id: string) =>
    quotes.offramp(m.caller, { wallet_id: m.wallet.id, beneficiary_id, source_amount: "100" })
  return {
    ...m,
    quote,
    saved: () => beneficiaries.create(m.caller, naira),
    payee: (kind: Movement) => beneficiaries.create(m.caller, kind === "transfer" ? coin : naira),
    change: (id: string, input: Parameters<Beneficiaries["Service"]["update"]>[2]) =>
      beneficiaries.update(m.caller, id, input),
    current: (id: string) => Effect.map(beneficiaries.get(m.caller, id), ({ body }) => body),
    execute: (quote_id: string, more: object = {}) => offramps.create(m.caller, { quote_id, ...more }),
    pay: Effect.fnUntraced(function* (kind: Movement, beneficiary_id: string, more: object = {}) {
      if (kind === "transfer")
        return yield* transfers.create(m.caller, { wallet_id: m.wallet.id, beneficiary_id, amount: "100", ...more })
      return yield* offramps.create(m.caller, { quote_id: (yield* quote(beneficiary_id)).id, ...more })
    }),
    refuse: (id: string) => sandbox.screenBeneficiary(m.caller, id, { outcome: "refused" }),
    /** The provider's verdict on a screening. */
    verdict: (resource_id: string, screening_id: string, cleared: boolean) =>
      inbox.receive("simulated", {
        _tag: "screened",
        event_id: `${m.merchant_id}.${++words}`,
        merchant_id: m.merchant_id,
        resource_id,
        screening_id,
        cleared
      })
  }
})

const account = { details: { account_number: "9876543210" } }

/** A provider that is asked, and says nothing yet. */
const deferring = {
  around: (inner: Provider["Service"]) => withMethods(inner, { screen: () => Effect.succeed("held") })
}

const refusalOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) => (result._tag === "Failure" ? result.failure._tag : "Success"))

const shared = (run: Run): void => {
  covers("BENEFICIARY-7")
  it.each([
    ["the account", [account]],
    ["the name", [{ name: "Chidi Eze" }]],
    ["the account, and back", [account, { details: { account_number: "0123456789" } }]]
  ])("a quote of a beneficiary is not executed once %s was changed", (_, changes) =>
    run(
      Effect.gen(function* () {
        const m = yield* paying
        const { id } = yield* m.saved()
        const quote = yield* m.quote(id)
        for (const change of changes) yield* m.change(id, change)
        assert.strictEqual(yield* refusalOf(m.execute(quote.id)), "InvalidStatus")
        assert.deepEqual(yield* m.balance, untouched)
        assert.strictEqual(yield* m.status(quote.id), "active")
        const again = yield* m.execute((yield* m.quote(id)).id)
        yield* m.settle
        yield* m.says(again.id, "success")
      })
    )
  )

  it("a quote stands through changes that move the money nowhere else", () =>
    run(
      Effect.gen(function* () {
        const m = yield* paying
        const { id } = yield* m.saved()
        const quote = yield* m.quote(id)
        yield* m.change(id, { label: "rent", metadata: { a: "1" }, details: { account_number: "0123456789" } })
        const made = yield* m.execute(quote.id)
        yield* m.settle
        yield* m.says(made.id, "success")
        assert.deepEqual(yield* m.balance, less("900.00"))
      })
    ))

  it("a change and an execution at once: the account quoted is paid, or nobody", () =>
    run(
      Effect.gen(function* () {
        const m = yield* paying
        for (let round = 0; round < 3; round++) {
          const { id } = yield* m.saved()
          const quote = yield* m.quote(id)
          const [made] = yield* Effect.all([Effect.result(m.execute(quote.id)), m.change(id, account)], {
            concurrency: "unbounded"
          })
          if (made._tag === "Failure") assert.strictEqual(made.failure._tag, "InvalidStatus")
          else {
            const { data } = yield* m.rowOf(made.success.id)
            assert.strictEqual(
              (data as { destination: { account_number: string } }).destination.account_number,
              "0123456789"
            )
            yield* m.settle
            yield* m.says(made.success.id, "success")
          }
        }
      })
    ))

  it.each(movements)("a blocked beneficiary gets no new %s, and one not submitted fails with the money back", (kind) =>
    run(
      Effect.gen(function* () {
        const m = yield* paying
        const { id } = yield* m.payee(kind)
        const quote = kind === "offramp" ? yield* m.quote(id) : undefined
        yield* m.behaves("hold")
        const queued = yield* m.pay(kind, id)
        yield* m.settle
        assert.strictEqual((yield* m.refuse(id)).status, "blocked")
        assert.strictEqual(yield* refusalOf(m.pay(kind, id)), "InvalidStatus")
        if (quote !== undefined) assert.strictEqual(yield* refusalOf(m.execute(quote.id)), "InvalidStatus")
        yield* m.settle
        assert.deepInclude(yield* m.body(queued.id), {
          status: "failed",
          failure_reason: "failed",
          failure_reason_message:
            "The beneficiary may no longer be paid, and no payout was made. The full source amount is in the wallet."
        })
        assert.deepEqual(yield* m.balance, untouched)
        assert.strictEqual(yield* m.executions(queued.id), 0)
        assert.match((yield* story(m, queued.id)).at(-1)!, /failed$/)
      })
    )
  )

  it.each(movements)("a refusal and the submission of a %s at once: it is paid once, or fails", (kind) =>
    run(
      Effect.gen(function* () {
        const m = yield* paying
        for (let round = 0; round < 3; round++) {
          const { id } = yield* m.payee(kind)
          const made = yield* m.pay(kind, id)
          yield* Effect.all([m.settle, m.refuse(id)], { concurrency: "unbounded" })
          yield* m.settle
          if ((yield* m.status(made.id)) !== "failed") yield* m.says(made.id, "success")
          const status = yield* m.status(made.id)
          assert.strictEqual(yield* m.executions(made.id), status === "success" ? 1 : 0)
        }
      })
    )
  )

  it("a verdict on an account clears nothing that took its place", () =>
    run(
      Effect.gen(function* () {
        const m = yield* paying
        const first = yield* m.saved()
        const second = yield* m.change(first.id, account)
        assert.notStrictEqual(second.screening_id, first.screening_id)
        assert.strictEqual(yield* m.verdict(first.id, first.screening_id, true), "ignored")
        assert.strictEqual((yield* m.current(first.id)).status, "pending")
        yield* m.verdict(first.id, second.screening_id, true)
        assert.strictEqual((yield* m.current(first.id)).status, "active")
        // The first account turns out badly: nobody is paid there any more, and a person is told.
        const before = yield* m.current(first.id)
        yield* m.verdict(first.id, first.screening_id, false)
        yield* m.verdict(first.id, first.screening_id, false)
        assert.deepEqual(yield* m.current(first.id), before)
        assert.deepEqual(
          (yield* m.exceptions).map(({ reason }) => reason),
          ["refused_screening", "refused_screening"]
        )
      }),
      deferring
    ))
}

onServers("screening", shared)

const once = <A, E>(
  effect: Effect.Effect<A, E, SimulatedEngine>,
  options: Parameters<typeof makeSimulatedEngine>[0] = {}
) => Effect.runPromise(Effect.provide(effect, makeSimulatedEngine(options)))

/** Refuses the beneficiary in some way after a payout was queued to it. */
type Refusing = (m: Effect.Success<typeof paying>, id: string, screening_id: string) => Effect.Effect<unknown, unknown>

const ways: Readonly<Record<string, Refusing>> = {
  "it was refused, and then given another account": (m, id) =>
    Effect.andThen(m.refuse(id), m.change(id, { name: "Eze" })),
  "it was given another account, and the first refused": (m, id, screening_id) =>
    Effect.andThen(m.change(id, { name: "Eze" }), m.verdict(id, screening_id, false)),
  "it was given another account, and that one refused": (m, id) =>
    Effect.andThen(m.change(id, { name: "Eze" }), m.refuse(id))
}

covers("APPROVAL-17")
it.each(movements.flatMap((kind) => Object.keys(ways).map((way) => [kind, way] as const)))(
  "a %s that waits for approval fails, and its money is back, as soon as %s",
  (kind, way) =>
    once(
      Effect.gen(function* () {
        const m = yield* paying
        yield* (yield* ApprovalRules).create(m.caller, { operations: ["payout"] })
        const { id, screening_id } = yield* m.payee(kind)
        const { id: made } = yield* m.pay(kind, id)
        yield* ways[way]!(m, id, screening_id)
        yield* m.settle
        assert.deepInclude(yield* m.body(made), { status: "failed", failure_reason: "failed" })
        assert.deepEqual(yield* m.balance, untouched)
        assert.strictEqual(yield* m.executions(made), 0)
        const { items } = yield* (yield* Approvals).list(m.caller, { resource_id: made })
        assert.deepEqual(
          items.map(({ refusal, status }) => [status, refusal?.code]),
          [["expired", "invalid_status"]]
        )
      })
    )
)

const stopped = (input: CreateBrake) =>
  Effect.gen(function* () {
    return yield* (yield* Brakes).create(yield* call(PLATFORM_MERCHANT), input)
  })

/** What keeps a payout from being submitted: pauses of every scope, and a merchant that is suspended. */
const obstacles: Readonly<
  Record<string, (m: Effect.Success<typeof paying>) => Effect.Effect<unknown, unknown, SimulatedEngine>>
> = {
  "a brake on everything": () => stopped({ scope: "all" }),
  "a brake on its provider": () => stopped({ scope: "provider", provider: "simulated" }),
  "a brake on its corridor": () => stopped({ scope: "corridor", source_currency: "USDC" }),
  "a brake on its merchant": (m) => stopped({ scope: "merchant", merchant_id: m.merchant_id }),
  "its merchant, which is suspended": (m) =>
    Effect.flatMap(Merchants, (merchants) => merchants.update(m.operator, m.merchant_id, { status: "suspended" }))
}

covers("BENEFICIARY-7")
it.each(movements.flatMap((kind) => Object.keys(obstacles).map((obstacle) => [kind, obstacle] as const)))(
  "a %s that waits behind %s fails, and its money is back, as soon as its beneficiary is blocked",
  (kind, obstacle) =>
    once(
      Effect.gen(function* () {
        const m = yield* paying
        const { id } = yield* m.payee(kind)
        const other = yield* m.payee(kind)
        yield* obstacles[obstacle]!(m)
        const { id: made } = yield* m.pay(kind, id)
        const before = yield* m.balance
        const { id: kept } = yield* m.pay(kind, other.id)
        yield* m.settle
        yield* m.refuse(id)
        yield* m.settle
        assert.deepInclude(yield* m.body(made), { status: "failed", failure_reason: "failed" })
        assert.notStrictEqual(yield* m.status(kept), "failed")
        assert.strictEqual((yield* m.balance).reserved, before.reserved)
        assert.strictEqual(yield* m.executions(made), 0)
      })
    )
)

it.each(movements.flatMap((kind) => Object.keys(ways).map((way) => [kind, way] as const)))(
  "a queued %s is not submitted where %s",
  (kind, way) =>
    once(
      Effect.gen(function* () {
        const m = yield* paying
        const { id, screening_id } = yield* m.payee(kind)
        const { id: made } = yield* m.pay(kind, id)
        yield* ways[way]!(m, id, screening_id)
        yield* m.settle
        assert.deepInclude(yield* m.body(made), { status: "failed", failure_reason: "failed" })
        assert.deepEqual(yield* m.balance, untouched)
      })
    )
)

/** Another provider that screens, is asked first until `name` changes, and says `early` before its result is written. */
const twoScreeners = (
  name: string,
  early: (resource_id: string, screening_id: string) => Effect.Effect<unknown>,
  result: "held" | "refused" = "held"
) => {
  const asked = { name }
  const checks = Provider.of({
    name: "checks",
    manifest: makeOpenManifest("screening"),
    screening: {
      screen: ({ resource_id, screening_id }) => Effect.as(early(resource_id, screening_id), result)
    }
  })
  const order: RoutingPolicy["order"] = (_, candidates) =>
    candidates.map((one) => one.name).toSorted((a, b) => Number(b === asked.name) - Number(a === asked.name))
  return { asked, options: { others: [checks], routing: { priorities: {}, order } } }
}

const saidBy = (
  provider: string,
  resource_id: string,
  screening_id: string,
  cleared: boolean,
  merchant_id: string | null = null
) =>
  Effect.flatMap(Inbox, (inbox) =>
    inbox.receive(provider, {
      _tag: "screened",
      event_id: `${screening_id}.${cleared}`,
      merchant_id,
      resource_id,
      screening_id,
      cleared
    })
  )

covers("BENEFICIARY-7")
it.each(movements)("a queued %s is not submitted where its account is refused by who screened that one", (kind) => {
  const { asked, options } = twoScreeners("checks", () => Effect.void)
  return once(
    Effect.gen(function* () {
      const m = yield* paying
      const { id, screening_id } = yield* m.payee(kind)
      yield* saidBy("checks", id, screening_id, true)
      yield* m.behaves("hold")
      const { id: made } = yield* m.pay(kind, id)
      yield* m.settle
      asked.name = "simulated"
      assert.strictEqual((yield* m.change(id, { name: "Eze" })).status, "active")
      yield* saidBy("checks", id, screening_id, false)
      yield* m.behaves("accept")
      yield* m.settle
      assert.deepInclude(yield* m.body(made), { status: "failed", failure_reason: "failed" })
      assert.strictEqual(yield* m.executions(made), 0)
      assert.deepEqual(
        (yield* m.exceptions).map(({ reason }) => reason),
        ["refused_screening"]
      )
    }),
    options
  )
})

it.each([
  ["cleared", true, "active"],
  ["refused", false, "blocked"]
] as const)(
  "a verdict of another provider than before, before its screening is written, counts: %s",
  (_, cleared, status) => {
    let early: Parameters<typeof twoScreeners>[1] = () => Effect.void
    const { asked, options } = twoScreeners("simulated", (id, screening_id) => early(id, screening_id))
    return once(
      Effect.gen(function* () {
        const m = yield* paying
        const context = yield* Effect.context<SimulatedEngine>()
        const { id } = yield* m.saved()
        asked.name = "checks"
        early = (resource_id, screening_id) =>
          Effect.orDie(Effect.provideContext(saidBy("checks", resource_id, screening_id, cleared), context))
        assert.strictEqual((yield* m.change(id, account)).status, status)
      }),
      options
    )
  }
)

covers("BENEFICIARY-7")
it.each([
  ["held", "pending"],
  ["refused", "blocked"]
] as const)(
  "who was not asked clears no beneficiary before its screening is written: %s by who was",
  (result, status) => {
    let early: Parameters<typeof twoScreeners>[1] = () => Effect.void
    const { asked, options } = twoScreeners("checks", (id, screening_id) => early(id, screening_id), result)
    return once(
      Effect.gen(function* () {
        const m = yield* paying
        const context = yield* Effect.context<SimulatedEngine>()
        early = (resource_id, screening_id) =>
          Effect.orDie(
            Effect.provideContext(saidBy("simulated", resource_id, screening_id, true, m.merchant_id), context)
          )
        const made = yield* m.saved()
        assert.deepEqual([asked.name, made.status], ["checks", status])
        assert.strictEqual((yield* m.change(made.id, account)).status, status)
        const { id, screening_id } = yield* m.current(made.id)
        yield* saidBy("checks", id, screening_id, true)
        assert.strictEqual((yield* m.current(id)).status, result === "held" ? "active" : "blocked")
      }),
      options
    )
  }
)

it.each(movements)("a queued %s whose beneficiary was given another cleared account is paid to the first", (kind) =>
  once(
    Effect.gen(function* () {
      const m = yield* paying
      const { id } = yield* m.payee(kind)
      const { id: made } = yield* m.pay(kind, id)
      yield* m.change(id, { name: "Eze" })
      yield* m.settle
      yield* m.says(made, "success")
      assert.deepInclude(yield* m.body(made), { status: "success" })
    })
  )
)

it.each(movements)("a %s that waits to be submitted again is not, once its beneficiary is blocked", (kind) =>
  once(
    Effect.gen(function* () {
      const m = yield* paying
      const { id } = yield* m.payee(kind)
      yield* m.behaves("unavailable")
      const { id: made } = yield* m.pay(kind, id, { retry_on_failure: true })
      yield* m.settle
      assert.deepEqual(yield* m.balance, less("900.00"))
      yield* m.refuse(id)
      yield* m.behaves("accept")
      yield* m.advance(10)
      const failed = yield* m.body(made)
      assert.deepInclude(failed, { status: "failed", failure_reason: "failed" })
      assert.match(failed.failure_reason_message!, /^The beneficiary may no longer be paid, and no payout was made\./)
      assert.deepEqual(yield* m.balance, untouched)
      assert.strictEqual(yield* m.executions(made), 0)
    })
  )
)

it.each(movements)("a %s under way when its beneficiary is blocked is followed to its end", (kind) =>
  once(
    Effect.gen(function* () {
      const m = yield* paying
      const [{ id }, other] = [yield* m.payee(kind), yield* m.payee(kind)]
      const { id: taken } = yield* m.pay(kind, id)
      yield* m.settle
      yield* m.behaves("timeout")
      const { id: unknown } = yield* m.pay(kind, other.id)
      yield* m.settle
      for (const one of [id, other.id]) yield* m.refuse(one)
      yield* m.advance(60)
      for (const one of [taken, unknown]) {
        yield* m.says(one, "success")
        assert.strictEqual((yield* m.body(one))["status"], "success")
        assert.strictEqual(yield* m.executions(one), 1)
      }
      assert.deepEqual(yield* m.balance, less("800.00"))
    })
  )
)

it.each(movements)("a refusal that is written right before the intent to submit a %s is seen by it", async (kind) => {
  const { layer, first } = overtaken()
  await once(
    Effect.gen(function* () {
      const m = yield* paying
      const context = yield* Effect.context<SimulatedEngine>()
      const { id, screening_id } = yield* m.payee(kind)
      const { id: made } = yield* m.pay(kind, id)
      first.before = Effect.orDie(Effect.provideContext(m.verdict(id, screening_id, false), context))
      yield* m.settle
      assert.deepInclude(yield* m.body(made), { status: "failed", failure_reason: "failed" })
      assert.strictEqual(yield* m.executions(made), 0)
      assert.deepEqual(yield* m.balance, untouched)
    }),
    { storage: layer }
  )
})

const early = [
  ["cleared", true, "active"],
  ["refused", false, "blocked"]
] as const

it.each(early)("a verdict that comes before the beneficiary is written counts: %s", (_, cleared, status) => {
  const asked: Array<{ readonly resource_id: string; readonly screening_id: string }> = []
  let speak: (resource_id: string, screening_id: string) => Effect.Effect<unknown> = () => Effect.void
  const around = (inner: Provider["Service"]): Provider["Service"] =>
    withMethods(inner, {
      screen: (one) => {
        asked.push(one)
        return Effect.as(speak(one.resource_id, one.screening_id), "held")
      }
    })
  return once(
    Effect.gen(function* () {
      const m = yield* paying
      const context = yield* Effect.context<SimulatedEngine>()
      speak = (resource_id, screening_id) =>
        Effect.orDie(Effect.provideContext(m.verdict(resource_id, screening_id, cleared), context))
      const made = yield* m.saved()
      assert.strictEqual(made.status, status)
      const changed = yield* m.change(made.id, account)
      assert.strictEqual(changed.status, status)
      assert.deepEqual(
        asked.map(({ screening_id }) => screening_id),
        [made.screening_id, changed.screening_id]
      )
    }),
    { around }
  )
})

it.each(early)("a verdict that is written right before the beneficiary counts: %s", async (_, cleared, status) => {
  const { layer, first } = overtaken()
  let word: Effect.Effect<unknown> = Effect.void
  let speak: (resource_id: string, screening_id: string) => Effect.Effect<unknown> = () => Effect.void
  const around = (inner: Provider["Service"]): Provider["Service"] =>
    withMethods(inner, {
      screen: (one) =>
        Effect.sync(() => {
          word = speak(one.resource_id, one.screening_id)
          first.before = word
          return "held"
        })
    })
  await once(
    Effect.gen(function* () {
      const m = yield* paying
      const context = yield* Effect.context<SimulatedEngine>()
      speak = (resource_id, screening_id) =>
        Effect.orDie(Effect.provideContext(m.verdict(resource_id, screening_id, cleared), context))
      assert.strictEqual((yield* m.saved()).status, status)
    }),
    { around, storage: layer }
  )
})

it("a beneficiary that was refused stays blocked, whatever is said of that screening, until it is screened anew", () =>
  once(
    Effect.gen(function* () {
      const m = yield* paying
      const { id, screening_id } = yield* m.saved()
      yield* m.refuse(id)
      yield* m.verdict(id, screening_id, true)
      assert.strictEqual((yield* m.current(id)).status, "blocked")
      assert.deepEqual(
        (yield* m.exceptions).map(({ reason, resource_id }) => [reason, resource_id]),
        [["contradicts_state", id]]
      )
      assert.strictEqual((yield* m.change(id, { label: "x" })).status, "blocked")
      assert.strictEqual((yield* m.change(id, account)).status, "active")
    })
  ))
