/**
 * What needs attention: whatever is not at its end and makes no progress, with why, whether or not work is due
 * (OPERATOR-4).
 */
import { withMethods } from "../../support/engines/provider-methods.ts"
import { assert, describe, expect, it } from "vitest"
import { CircuitBreaker } from "../../../src/engine/calls/Routes.ts"
import { Effect } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { kinds } from "../../../src/engine/registry.ts"
import { isWaiting, nextJobOf, waitingKinds } from "../../../src/engine/reports/progress.ts"
import type { Provider } from "../../../src/engine/ports/Provider.ts"
import { LedgerReports, type Stuck } from "../../../src/engine/reports/ledger.ts"
import { Timelines } from "../../../src/engine/reports/timeline/timeline.ts"
import { DepositAddresses } from "../../../src/engine/resources/wallets/deposit-address.ts"
import type { Row } from "../../../src/engine/ports/Storage.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { createUnscreened } from "../../support/merchants/movements.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"

const day = 86_400

const stuck = (m: Pick<MerchantAtWork, "merchant_id">, input: Stuck = {}) =>
  LedgerReports.use((books) => books.stuck({ merchant_id: m.merchant_id, ...input }))

/** The one line about a resource, which its history says too. */
const lineOf = Effect.fnUntraced(function* (m: MerchantAtWork, id: string) {
  const { items } = yield* stuck(m, { older_than_seconds: 0 })
  const line = items.find((one) => one.id === id)
  assert.isDefined(line, `${id} among ${items.map((one) => one.id).join(" ")}`)
  const history = yield* LedgerReports.use((books) => books.history(id))
  const { attempts, awaited_person, last_answer, next_attempt_at, reason, since, state } = line!
  assert.deepInclude(history, { attempts, awaited_person, last_answer, next_attempt_at, reason, since, state })
  return line!
})

const secondsFrom = (since: string, at: string | null): number | null =>
  at === null ? null : Math.round((Date.parse(at) - Date.parse(since)) / 1000)

const silence = Effect.fail(new ProviderFault({ message: "no answer within 30000 ms" }))

onServers("what needs attention", (run) => {
  covers("OPERATOR-4")
  it("is a payout that the provider does not take yet, that it does not answer, or that is unknown for forty days", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const held = (yield* m.transfer("10")).id
        yield* m.advance(200)
        const first = yield* lineOf(m, held)
        expect(first).toMatchObject({ kind: "transfer", status: "processing", state: "queued", attempts: 0 })
        expect([first.reason, first.last_answer]).toEqual(["provider_not_ready", null])
        expect((yield* stuck(m)).total).toBe(0)
        yield* m.advance(600)
        expect((yield* stuck(m)).items.map(({ id, since }) => [id, since])).toEqual([[held, first.since]])

        yield* m.behaves("timeout")
        yield* m.advance(3600)
        const lost = yield* lineOf(m, held)
        expect(lost).toMatchObject({ state: "submitting", reason: "awaiting_outcome", attempts: 1 })
        expect(lost.last_answer?.answer).toBe("pending")
        // Being asked about and told "pending" was no progress: only the submission was.
        expect(Date.parse(lost.since)).toBeGreaterThan(Date.parse(first.since))
        yield* m.advance(40 * day)
        const old = yield* lineOf(m, held)
        expect([old.since, old.state]).toEqual([lost.since, "submitting"])
        expect(secondsFrom(old.last_answer!.at, old.next_attempt_at)).toBe(day)
        yield* m.says(held, "success")
        expect((yield* stuck(m, { older_than_seconds: 0 })).total).toBe(0)
        expect(yield* LedgerReports.use((books) => books.history(held))).toMatchObject({ since: null, reason: null })
      })
    ))

  covers("TIMELINE-8", "OPERATOR-4", "SANDBOX-24")
  it("is a payout that waits for a person at the provider: who, and what to do, for the operator alone", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("100", { account_number: "0123450010" })
        yield* m.advance(2)
        const awaited_person = { party: "provider", action: "review the payout" }
        const timelines = yield* Timelines
        const timeline = yield* timelines.whole(id)
        expect(timeline.waits_for).toMatchObject({ reason: "awaiting_person", awaited_person })
        expect(timeline.waits_for!.sentence).toMatch(
          /^The offramp is at the provider, and waits for a person of the provider, who must review the payout\. Corridor asks again/
        )
        expect(timeline.explanation.next_step).toBe(
          "Ask the provider if this takes long: a person of the provider, who must review the payout. Corridor asks again by itself."
        )
        const call = timeline.entries.find((entry) => entry.type === "provider_call")
        expect(call).toMatchObject({ operation: "submit", answer: "accepted", awaited_person })
        expect(call!.summary).toMatch(/It waits for a person of the provider, who must review the payout\.$/)
        // Also before it is looked up first.
        const first = yield* lineOf(m, id)
        expect(first).toMatchObject({ reason: "awaiting_person", awaited_person, attempts: 1 })
        expect(first.last_answer?.answer).toBe("accepted")
        yield* m.advance(900)
        const line = yield* lineOf(m, id)
        expect(line).toMatchObject({ reason: "awaiting_person", awaited_person, attempts: 1 })
        expect((yield* stuck(m)).items.map((one) => one.id)).toEqual([id])
        const own = yield* timelines.own(m.caller, id)
        expect(own.waits_for).toMatchObject({ reason: "processing", awaited_person: null })
        expect(JSON.stringify(own)).not.toContain("review the payout")
        yield* m.advance(1000)
        expect(yield* m.status(id)).toBe("success")
        expect((yield* timelines.whole(id)).waits_for).toBeNull()
        expect(yield* m.executions(id)).toBe(1)
      }),
      { mode: "auto" }
    ))

  covers("OPERATOR-4")
  it("is a deposit that is detected and not confirmed, in the wallet's currency or in another; none once it is confirmed", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[0]!)
        const across = yield* m.pay(["detected"])
        const confirmed = yield* m.pay(["detected", "confirmed"])
        yield* m.finish
        const plain = yield* Effect.flatMap(SandboxOperations, (sandbox) =>
          sandbox.deposit(m.caller, { wallet_id: m.wallet.id, amount: "5", stage: "detected" })
        )
        yield* m.advance(1200)
        const { items, total } = yield* stuck(m)
        expect(new Map(items.map(({ id, reason, state }) => [id, [state, reason]]))).toEqual(
          new Map([across, plain.transaction_id!].map((id) => [id, ["detected", "awaiting_confirmation"]]))
        )
        expect(total).toBe(2)
        yield* lineOf(m, across)
        const { waits_for } = yield* Timelines.use((timelines) => timelines.whole(across))
        expect(waits_for?.reason).toBe("awaiting_confirmation")
        expect((yield* stuck(m, { older_than_seconds: 0 })).items.map(({ id }) => id)).not.toContain(confirmed)
      })
    ))

  it("is paged, oldest first, of a kind and of a merchant", () =>
    run(
      Effect.gen(function* () {
        const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork()]
        yield* m.behaves("hold")
        yield* other.behaves("hold")
        const ids: Array<string> = []
        for (const amount of ["1", "2", "3"]) {
          ids.push((yield* m.transfer(amount)).id)
          yield* m.advance(10)
        }
        const offramp = (yield* m.offramp("10")).id
        yield* other.transfer("1")
        yield* m.advance(100)
        const all = { older_than_seconds: 60 }
        expect((yield* stuck(m, all)).items.map(({ id }) => id)).toEqual([...ids, offramp])
        const second = yield* stuck(m, { ...all, page: 2, per_page: 2 })
        expect([second.items.map(({ id }) => id), second.total]).toEqual([[ids[2], offramp], 4])
        expect((yield* stuck(m, { ...all, kind: "offramp" })).items.map(({ id }) => id)).toEqual([offramp])
        expect((yield* stuck(m, { older_than_seconds: 125 })).total).toBe(1)
        expect((yield* stuck({ merchant_id: "mer_unknown" }, all)).total).toBe(0)
        const everybody = yield* LedgerReports.use((books) => books.stuck({ ...all, per_page: 200 }))
        expect(everybody.total).toBeGreaterThan(4)
        // They end, so that the next test's books are whole.
        for (const one of [m, other]) {
          yield* one.behaves("accept")
          yield* m.advance(3600)
          for (const { id } of (yield* stuck(one, { older_than_seconds: 0 })).items) yield* one.says(id, "success")
        }
      })
    ))
})

describe("why", () => {
  const inWorld = <A, E>(
    effect: Effect.Effect<A, E, any>,
    around?: (inner: Provider["Service"]) => Provider["Service"]
  ) =>
    Effect.runPromise(
      effect.pipe(
        Effect.provide(makeSimulatedEngine(around === undefined ? {} : { around })),
        Effect.provideService(CircuitBreaker, { faults: Infinity, delay_ms: 1, max_delay_ms: 1 })
      ) as Effect.Effect<A, E>
    )

  it("says of a payout whose look-ups fail what was heard last, and when it is asked again", () =>
    inWorld(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("10")
        yield* m.advance(200)
        const line = yield* lineOf(m, id)
        expect(line).toMatchObject({
          status: "temporary_failure",
          state: "unknown",
          reason: "outcome_unknown",
          attempts: 1
        })
        expect(line.last_answer?.answer).toBe("no answer within 30000 ms")
        expect(secondsFrom(line.last_answer!.at, line.next_attempt_at)).toBe(300)
        // The money has left the reserve: it is in clearing with the provider.
        const { entries, waits_for } = yield* (yield* Timelines).whole(id)
        expect(JSON.stringify(entries)).toContain("clearing:simulated")
        expect(waits_for?.sentence).toMatch(/neither returned nor paid again\. Corridor asks again /)
        expect((yield* stuck(m, { older_than_seconds: 150 })).total).toBe(1)
      }),
      (inner) => withMethods(inner, { submit: () => silence, lookup: () => silence })
    ))

  it("says of one that the provider has no room for how often it was submitted", () =>
    inWorld(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("unavailable")
        const { id } = yield* m.transfer("10", { retry_on_failure: true })
        yield* m.advance(40)
        const line = yield* lineOf(m, id)
        expect(line).toMatchObject({ state: "waiting", reason: "provider_unavailable", attempts: 4 })
        expect(line.last_answer?.answer).toBe("unavailable")
        expect(secondsFrom(line.last_answer!.at, line.next_attempt_at)).toBe(40)
        // Submitting again is no progress.
        expect((yield* stuck(m, { older_than_seconds: 30 })).total).toBe(1)
      })
    ))

  it("says of a refund, an address and an account that are not answered", () =>
    inWorld(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const ramps = yield* onrampsOf(m)
        const onramp = (yield* ramps.onramp()).id
        yield* ramps.pays(onramp, "1")
        const address = (yield* (yield* DepositAddresses).create(m.caller, m.wallet.id, { network: "base" })).id
        yield* m.advance(900)
        for (const [id, reason] of [
          [onramp, "awaiting_refund"],
          [address, "awaiting_issue"]
        ] as const) {
          const line = yield* lineOf(m, id)
          expect([line.reason, line.last_answer?.answer]).toEqual([reason, "no answer within 30000 ms"])
          expect(line.attempts).toBeGreaterThan(5)
          expect(line.next_attempt_at).not.toBeNull()
        }
      }),
      (inner) => withMethods(inner, { refund: () => silence, issue: () => silence })
    ))

  covers("TIMELINE-8", "BRIDGE-14")
  it("says of an address that waits for a person who that is, and what to do", () => {
    const awaited_person = { party: "operator", action: "deactivate one of two accounts" } as const
    return inWorld(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* (yield* DepositAddresses).create(m.caller, m.wallet.id, { network: "base" })
        yield* m.advance(900)
        const line = yield* lineOf(m, id)
        expect(line).toMatchObject({ reason: "awaiting_person", awaited_person, attempts: 1 })
        const { explanation, waits_for } = yield* (yield* Timelines).whole(id)
        expect(waits_for!.sentence).toMatch(
          /^The deposit address is at the provider, and waits for a person of the platform, who must deactivate one of two accounts\. Corridor asks again/
        )
        expect(explanation.next_step).toBe(
          "At the provider: deactivate one of two accounts. Corridor asks again by itself, and does nothing twice before an answer."
        )
      }),
      (inner) => withMethods(inner, { issue: () => Effect.succeed({ _tag: "pending", awaited_person }) })
    )
  })

  it("says of what waits for a person whom it waits for; a payer and a customer have until their deadline", () =>
    inWorld(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const ramps = yield* onrampsOf(m)
        const onramp = (yield* ramps.onramp()).id
        const beneficiary = (yield* createUnscreened(m)).id
        const transfer = (yield* m.transfer("10")).id
        yield* m.settle
        yield* m.says(transfer, "success")
        yield* m.says(transfer, "reversed")
        const [exception] = yield* m.exceptions
        yield* m.advance(1200)
        const { items } = yield* stuck(m)
        expect(new Map(items.map(({ id, reason }) => [id, reason]))).toEqual(
          new Map([
            [beneficiary, "awaiting_screening"],
            [exception!.id, "awaiting_operator"]
          ])
        )
        expect(items.map(({ id }) => id)).not.toContain(onramp)
        expect(items.find(({ id }) => id === exception!.id)).toMatchObject({ amount: "10.00", currency: "USDC" })
        expect(items.find(({ id }) => id === beneficiary)).toMatchObject({ amount: null, currency: null })
        // An exception has a list of its own, and of a verification only one that a person reviews.
        const own = yield* stuck(m, { without_queues: true })
        expect([own.items.map(({ id }) => id), own.total]).toEqual([[beneficiary], 1])
        expect((yield* stuck(m, { without_queues: true, kind: "exception" })).total).toBe(0)
      })
    ))
})

describe("the statuses in which a kind waits", () => {
  const states = (kind: string) =>
    Object.entries(
      (kinds.byName.get(kind)!.lifecycle.machine.config as { states: Record<string, { always?: unknown }> }).states
    )
      .filter(([, { always }]) => always === undefined)
      .map(([state]) => state)
  /** At rest without having ended: they may be used. */
  const resting: Readonly<Record<string, ReadonlyArray<string>>> = {
    // One that was cancelled only counts what had begun.
    batch: ["draft", "cancelled"],
    beneficiary: ["active", "blocked"],
    deposit_address: ["active", "frozen"],
    wallet_credential: ["active", "frozen"],
    access_request: ["approved", "rejected", "revoked"],
    verification: ["approved", "rejected", "expired"]
  }

  it.each(waitingKinds)("%s: all but those of its end and those in which it is at rest", (name) => {
    const kind = kinds.byName.get(name)!
    for (const state of states(name)) {
      const status = kind.status?.(state, {}) ?? state
      const isOver = kind.lifecycle.hasEnded(state) || (resting[name] ?? []).includes(status)
      assert.strictEqual(isWaiting({ kind: name, status }), !isOver, `${state} (${status})`)
    }
  })

  it("are of every kind that a provider is asked for", () => {
    for (const [name, kind] of kinds.byName)
      if (kind.payout ?? kind.conversion ?? kind.refund ?? kind.issue) assert.include(waitingKinds, name)
  })

  it("name the job that a payout's next step comes of", () => {
    for (const state of ["submitting", "unknown", "waiting"])
      assert.strictEqual(
        nextJobOf({ id: "tfr_1", kind: "transfer", state, status: "processing" } as Row),
        "tfr_1.payout"
      )
  })
})
