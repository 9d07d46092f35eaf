/** A store whose provider is exchanged for another: what the first one has in hand is not asked of the second, nor believed of it. */
import { methodsOf, withMethods } from "../../support/engines/provider-methods.ts"
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { Provider } from "../../../src/engine/ports/Provider.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { type ProviderEvent } from "../../../src/engine/ports/Provider.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { Verifications } from "../../../src/engine/resources/parties/verification.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { onServers, onMemory } from "../../support/engines/every-store.ts"
import { payinEvent, findExceptions } from "../../support/merchants/payins.ts"
import { createUnscreened } from "../../support/merchants/movements.ts"

const day = 86_400
const lost = Effect.fail(new ProviderFault({ message: "no answer" }))

/** Takes every submission and refund without an answer, and issues nothing: all of its work is left undone. */
const silent = (inner: Provider["Service"]) =>
  withMethods(inner, {
    submit: (command) => Effect.andThen(methodsOf(inner).submit(command), lost),
    refund: () => lost,
    issue: () => Effect.succeed({ _tag: "pending" })
  })

/** Another provider, which knows of nothing and takes everything. `asked`: what it was asked. */
const another = (asked: Array<string>) => (inner: Provider["Service"]) => {
  const note = <A>(what: string, answer: A) => Effect.sync(() => (asked.push(what), answer))
  return withMethods(inner, {
    name: "another",
    submit: ({ resource_id }) => note(`submit ${resource_id}`, { _tag: "accepted" } as const),
    lookup: ({ resource_id }) => note(`lookup ${resource_id}`, { _tag: "absent" } as const),
    refund: ({ resource_id }) => note(`refund ${resource_id}`, { _tag: "accepted" } as const),
    lookupRefund: ({ resource_id }) => note(`lookup refund ${resource_id}`, { _tag: "absent" } as const),
    issue: ({ resource_id }) => note(`issue ${resource_id}`, { _tag: "pending" } as const)
  })
}

/** A resource of each kind that a provider has in hand. */
const jobsInFlight = Effect.gen(function* () {
  const m = yield* merchantConverting()
  const ramps = yield* onrampsOf(m)
  const addresses = yield* DepositAddresses
  const credentials = yield* WalletCredentials
  const transfer = (yield* m.transfer("10")).id
  const offramp = (yield* m.offramp("10")).id
  const conversion = (yield* m.conversion("10")).id
  const onramp = (yield* ramps.onramp()).id
  yield* ramps.pays(onramp, "150000")
  // Too little to buy anything: it goes back.
  const refund = (yield* ramps.onramp()).id
  yield* ramps.pays(refund, "1")
  const address = (yield* addresses.create(m.caller, m.wallet.id, { network: "base" })).id
  const credential = (yield* credentials.create(m.caller, m.naira.id, {
    type: "fiat",
    currency: "NGN",
    network: "bank"
  })).id
  return { m, work: { transfer, offramp, conversion, onramp, refund, address, credential } }
})

const states = (
  m: { readonly rowOf: (id: string) => Effect.Effect<{ readonly state: string }, any, any> },
  work: Readonly<Record<string, string>>
) => Effect.forEach(Object.entries(work), ([name, id]) => Effect.map(m.rowOf(id), ({ state }) => `${name} ${state}`))

/** Time passes, and all that falls due is done. */
const later = (seconds: number) =>
  Effect.gen(function* () {
    const clock = yield* ServiceClock
    yield* clock.moveTo((yield* Clock.currentTimeMillis) + seconds * 1000)
    yield* (yield* Dispatcher).drain()
  })

onServers("another provider is configured", (run) => {
  it("asks it nothing about what the first one has in hand, for however long, and the first one goes on when it is back", async () => {
    const { m, work, before } = await run(
      Effect.gen(function* () {
        const { m, work } = yield* jobsInFlight
        yield* m.settle
        return { m, work, before: yield* states(m, work) }
      }),
      { around: silent }
    )
    assert.deepEqual(before, [
      "transfer unknown",
      "offramp unknown",
      "conversion unknown",
      "onramp unknown",
      "refund refunding",
      "address pending",
      "credential pending"
    ])
    const asked: Array<string> = []
    const meanwhile = await run(
      Effect.gen(function* () {
        for (const seconds of [10, 60, 3600, day, 40 * day]) yield* later(seconds)
        const { items } = yield* LedgerReports.use((books) => books.stuck({ merchant_id: m.merchant_id }))
        assert.sameMembers(
          items.map(({ id }) => id),
          Object.values(work)
        )
        for (const { next_attempt_at, reason } of items)
          assert.deepEqual({ next_attempt_at, reason }, { next_attempt_at: null, reason: "other_provider" })
        return yield* states(m, work)
      }),
      { around: another(asked) }
    )
    assert.deepEqual(asked, [])
    assert.deepEqual(meanwhile, before)
    await run(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox
        yield* later(0)
        yield* later(0)
        for (const kind of ["transfer", "offramp", "conversion", "onramp"] as const) {
          assert.strictEqual((yield* m.rowOf(work[kind])).state, "submitting", kind)
          yield* m.says(work[kind], "success")
          assert.strictEqual(yield* m.status(work[kind]), "success")
          assert.strictEqual(yield* sandbox.executionsOf(work[kind]), 1, kind)
        }
        assert.strictEqual(yield* m.status(work.refund), "returned")
        assert.strictEqual(yield* m.status(work.address), "active")
        assert.strictEqual(yield* m.status(work.credential), "active")
      })
    )
  })
})

onMemory("another provider speaks", (run) => {
  it("is not believed of what is the first one's: nothing moves, and the operator is told once", async () => {
    const { m, work, reference } = await run(
      Effect.gen(function* () {
        const made = yield* jobsInFlight
        const { m } = made
        yield* m.settle
        const [customers, verifications, ramps] = [yield* Customers, yield* Verifications, yield* onrampsOf(m)]
        const who = { type: "individual", name: "Bisi", email: "b@example.com", country_code: "NG" } as const
        const customer = (yield* customers.create(m.caller, who)).id
        const verification = (yield* verifications.create(m.caller, customer, { tier: "tier_1" })).id
        const beneficiary = (yield* createUnscreened(m)).id
        const unpaid = yield* ramps.onramp()
        const { depositReference } = unpaid.deposit_instruction
        const more = { verification, beneficiary, unpaid: unpaid.id }
        return { m, work: { ...made.work, ...more }, reference: depositReference }
      }),
      { around: silent }
    )
    const movement = (resource_id: string, outcome: "success" | "failed" | "returned"): ProviderEvent => ({
      _tag: "movement",
      event_id: `${resource_id} ${outcome}`,
      merchant_id: m.merchant_id,
      resource_id,
      outcome,
      reason: null,
      transaction_hash: null
    })
    const { merchant_id } = m
    const events: ReadonlyArray<ProviderEvent> = [
      ...(["transfer", "offramp", "conversion", "onramp", "refund"] as const).flatMap((kind) =>
        (["success", "failed", "returned"] as const).map((outcome) => movement(work[kind], outcome))
      ),
      {
        _tag: "issued",
        event_id: "issued",
        merchant_id,
        kind: "deposit_address",
        resource_id: work.address,
        provider_resource_id: "x",
        target: "0x52908400098527886e0f7030069857d2e4161234",
        details: { network: "base", address: "0x52908400098527886e0f7030069857d2e4161234" }
      },
      {
        _tag: "issued",
        event_id: "issued too",
        merchant_id,
        kind: "wallet_credential",
        resource_id: work.credential,
        provider_resource_id: "y",
        target: "0011223344",
        details: { accountName: "Ada Ltd", accountNumber: "0011223344", bankName: "Example Bank" }
      },
      {
        _tag: "screened",
        event_id: "screened",
        merchant_id,
        resource_id: work.beneficiary,
        screening_id: "s",
        cleared: true
      },
      {
        _tag: "verification",
        event_id: "opened",
        merchant_id,
        resource_id: work.verification,
        outcome: "opened",
        reason: null
      },
      {
        _tag: "verification",
        event_id: "approved",
        merchant_id,
        resource_id: work.verification,
        outcome: "approved",
        reason: null
      },
      payinEvent({
        event_id: "paid",
        payin_id: "payin_of_another",
        stage: "detected",
        target: reference,
        amount: "150000",
        currency: "NGN",
        observed_at: 0
      })
    ]
    await run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const exceptions = yield* Exceptions
        const before = yield* states(m, work)
        for (const event of [...events, ...events]) yield* inbox.receive("another", event)
        assert.deepEqual(yield* states(m, work), before)
        const { items } = yield* exceptions.list({ status: "open", per_page: 200 })
        const raised = items.filter((one) => one.merchant_id === merchant_id)
        // A bank's number or reference is its own: a pay-in to another bank's finds nobody here.
        assert.deepEqual(
          (yield* findExceptions("payin_of_another")).map((one) => [one.reason, one.merchant_id]),
          [["unknown_target", PLATFORM_MERCHANT]]
        )
        assert.strictEqual(raised.length, events.length - 1)
        for (const { amount, reason } of raised)
          assert.deepEqual({ amount, reason }, { amount: null, reason: "another_provider" })
      }),
      { around: another([]) }
    )
    // What it has in hand ends as it says itself.
    await run(
      Effect.gen(function* () {
        yield* later(day)
        yield* later(0)
        for (const kind of ["transfer", "offramp", "conversion", "onramp"] as const)
          yield* m.says(work[kind], "success")
        assert.strictEqual(yield* m.status(work.refund), "returned")
      })
    )
  })
})
