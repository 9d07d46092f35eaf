/** Movements with several providers: which of them gets a movement, when it goes on to the next, and where its money is meanwhile. */
import { assert, describe, it } from "vitest"
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import type { PayoutCommand, PayoutRecipient, Provider } from "../../../src/engine/ports/Provider.ts"
import { defaultOrder } from "../../../src/engine/ports/Routing.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Batches } from "../../../src/engine/resources/movements/batch.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { type Answer, makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import type { SimulatedEngineOptions } from "../../support/engines/simulated-engine.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

const kinds = ["transfer", "offramp", "conversion", "onramp"] as const
type Movement = (typeof kinds)[number]
type Answers = ReadonlyArray<Answer>

/** Three providers. The first is the simulated one, which also receives money; its submissions are scripted. */
const three = (first: Answers, second: Answers = ["accepted"], third: Answers = ["accepted"]) => {
  const all = {
    simulated: makeScriptedProvider("simulated", ...first),
    second: makeScriptedProvider("second", ...second),
    third: makeScriptedProvider("third", ...third)
  }
  const around = (inner: Provider["Service"]): Provider["Service"] => {
    const { payouts, liquidity } = all.simulated.provider
    return { ...inner, payouts: payouts!, liquidity: liquidity! }
  }
  const options = { around, others: [all.second.provider, all.third.provider] } satisfies SimulatedEngineOptions
  const submissions = (id: string): Readonly<Record<string, number>> =>
    Object.fromEntries(
      Object.entries(all).map(([name, { submitted }]) => [
        name,
        submitted.filter(({ resource_id }) => resource_id === id).length
      ])
    )
  /** How often all providers together have executed a movement. */
  const executions = (id: string): number =>
    Object.values(all).reduce((sum, { executions }) => sum + (executions.get(`${id}.payout`) ?? 0), 0)
  return { ...all, options, submissions, executions }
}

const fault = "fault"
type Saying = "yes" | "no" | "unknown" | typeof fault

/** Three providers that are asked whether they can pay a recipient, and what they were asked. */
const asking = (...says: readonly [Saying, Saying, Saying]) => {
  const asked: Array<PayoutRecipient & { readonly name: string }> = []
  const of = (name: string, said: Saying, provider: Provider["Service"]): Provider["Service"] => ({
    ...provider,
    payouts: {
      ...provider.payouts!,
      serves: (recipient) =>
        Effect.suspend(() => {
          asked.push({ name, ...recipient })
          return said === fault ? Effect.fail(new ProviderFault({ message: "away" })) : Effect.succeed(said)
        })
    }
  })
  const p = three([])
  const { around, others } = p.options
  const options = {
    around: (inner: Provider["Service"]) => of("simulated", says[0], around(inner)),
    others: others.map((one, at) => of(one.name, says[at + 1]!, one))
  } satisfies SimulatedEngineOptions
  return { ...p, options, asked }
}

const merchant = Effect.gen(function* () {
  const m = yield* merchantConverting()
  const ramps = yield* onrampsOf(m)
  const inbox = yield* Inbox
  const storage = yield* Storage
  return {
    ...m,
    /** A movement that is not submitted yet. */
    make: Effect.fnUntraced(function* (kind: Movement, retry_on_failure = true) {
      if (kind === "transfer") return (yield* m.transfer("10", { retry_on_failure })).id
      if (kind === "offramp") return (yield* m.offramp("10", { retry_on_failure })).id
      if (kind === "conversion") return (yield* m.conversion("10")).id
      const { id } = yield* ramps.onramp()
      yield* ramps.pays(id, "150000")
      return id
    }),
    /** A provider reports an outcome in a callback. */
    reports: (provider: string, resource_id: string, outcome: "success" | "failed" | "temporarily_unavailable") =>
      inbox.receive(provider, {
        _tag: "movement",
        event_id: `${provider} ${resource_id} ${outcome}`,
        merchant_id: m.merchant_id,
        resource_id,
        outcome,
        reason: null,
        transaction_hash: null
      }),
    /** The state, the provider, and the candidates that are left. */
    where: Effect.fnUntraced(function* (id: string) {
      const { data, state } = yield* m.rowOf(id)
      const { provider, route } = data as { readonly provider: string; readonly route: ReadonlyArray<string> }
      return [state, provider, ...route].join(" ")
    }),
    /** The clearing accounts in which a movement has money, with the amounts. */
    clearing: Effect.fnUntraced(function* (id: string) {
      const { postings } = yield* storage.history(m.merchant_id, id)
      const sums = new Map<string, bigint>()
      for (const { debit, credit, amount } of postings)
        for (const [account, by] of [
          [debit, -BigInt(amount)],
          [credit, BigInt(amount)]
        ] as const)
          if (account.startsWith("clearing:")) sums.set(account, (sums.get(account) ?? 0n) + by)
      return [...sums].filter(([, sum]) => sum !== 0n).map(([account]) => account)
    }),
    outside: Effect.fnUntraced(function* (id: string) {
      const { postings } = yield* storage.history(m.merchant_id, id)
      return [...new Set(postings.flatMap(({ debit, credit }) => [debit, credit]))].filter((one) =>
        one.startsWith("world")
      )
    })
  }
})

/** Does all that is due, and all that becomes due by it. */
const settle = Effect.gen(function* () {
  const dispatcher = yield* Dispatcher
  for (let round = 0; round < 4; round++) yield* dispatcher.drain()
})

const later = (seconds: number) =>
  Effect.gen(function* () {
    const clock = yield* ServiceClock
    yield* clock.moveTo((yield* Clock.currentTimeMillis) + seconds * 1000)
    yield* settle
  })

onServers("a movement with several providers", (run, store) => {
  // Where a movement goes is decided before the store is told.
  describe.each(store === "memory" ? kinds : kinds.slice(0, 1))("%s", (kind) => {
    const isPayout = kind === "transfer" || kind === "offramp"

    covers("ROUTE-1", "ROUTE-2", "ROUTE-4", "ROUTE-5", "ROUTE-7")
    it("goes to the next provider at once when one cannot take it, with its money, and ends there", async () => {
      const p = three(["unavailable"], ["unavailable"])
      await run(
        Effect.gen(function* () {
          const m = yield* merchant
          const id = yield* m.make(kind, false)
          yield* settle
          assert.deepEqual(p.submissions(id), { simulated: 1, second: 1, third: 1 })
          const ids = [p.simulated, p.second, p.third].map(({ submitted }) => submitted.at(-1)!.id)
          assert.deepEqual(ids, [`${id}.payout`, `${id}.payout`, `${id}.payout`])
          assert.deepEqual(
            [p.simulated, p.second, p.third].map(({ submitted }) => submitted.at(-1)!.attempt),
            [0, 1, 2]
          )
          assert.strictEqual(yield* m.where(id), "submitting third")
          assert.deepEqual(yield* m.clearing(id), ["clearing:third"])
          assert.strictEqual(yield* m.reports("third", id, "success"), "applied")
          assert.strictEqual(yield* m.status(id), "success")
          assert.deepEqual(yield* m.clearing(id), [])
          if (isPayout) assert.deepEqual(yield* m.outside(id), ["world:third"])
          assert.strictEqual(p.executions(id), 1)
          assert.deepEqual(yield* m.exceptions, [])
        }),
        p.options
      )
    })

    covers("ROUTE-3")
    it.each([
      ["executes it and loses the answer", "lost", "settled"],
      ["loses it", "dropped", "absent"],
      ["does not say what became of it", "dropped", "pending"]
    ] as const)("stays with a provider that %s", async (_, answer, status) => {
      const p = three([answer, "unavailable"])
      p.simulated.lookups.answer = status
      await run(
        Effect.gen(function* () {
          const m = yield* merchant
          const id = yield* m.make(kind)
          yield* settle
          assert.strictEqual(yield* m.where(id), "unknown simulated")
          for (const seconds of [10, 60, 5, 300, 3600, 7200]) {
            yield* later(seconds)
            const { data } = yield* m.rowOf(id)
            assert.deepInclude(data as object, { provider: "simulated", route: [] })
          }
          // Its later refusals are of a command whose first submission was unknown: they give it to no one.
          assert.deepInclude(p.submissions(id), { second: 0, third: 0 })
          p.simulated.lookups.answer = "settled"
          yield* later(86_400)
          yield* later(86_400)
          // A day after the first refusal it fails, and gives the money back.
          assert.strictEqual(yield* m.status(id), status === "absent" ? "failed" : "success")
          assert.strictEqual(p.executions(id), answer === "lost" ? 1 : 0)
          assert.deepEqual(yield* m.exceptions, [])
        }),
        p.options
      )
    })

    covers("ROUTE-3")
    it("is given to no other provider by a callback or a look-up", async () => {
      const p = three(["accepted", "unavailable"])
      await run(
        Effect.gen(function* () {
          const m = yield* merchant
          const id = yield* m.make(kind)
          yield* settle
          assert.strictEqual(yield* m.where(id), "submitting simulated second third")
          p.simulated.executions.clear()
          yield* m.reports("simulated", id, "temporarily_unavailable")
          yield* settle
          assert.strictEqual(yield* m.where(id), "waiting simulated")
          // The second submission is refused by the provider's own word: too late, the first was accepted.
          yield* later(5)
          assert.deepEqual(p.submissions(id), { simulated: 2, second: 0, third: 0 })
          assert.strictEqual(yield* m.where(id), "waiting simulated")
          yield* m.reports("simulated", id, "success")
          assert.strictEqual(yield* m.status(id), "success")
        }),
        p.options
      )
    })

    covers("ROUTE-5")
    it("is not ended by a provider that had it, whose late success is reported with what it may have paid", async () => {
      const p = three(["unavailable"])
      await run(
        Effect.gen(function* () {
          const m = yield* merchant
          const id = yield* m.make(kind)
          yield* settle
          assert.strictEqual(yield* m.where(id), "submitting second third")
          for (let time = 0; time < 2; time++) {
            assert.strictEqual(yield* m.reports("simulated", id, "failed"), time === 0 ? "ignored" : "duplicate")
            assert.strictEqual(yield* m.reports("simulated", id, "success"), time === 0 ? "ignored" : "duplicate")
          }
          assert.strictEqual(yield* m.where(id), "submitting second third")
          const raised = yield* m.exceptions
          assert.sameDeepMembers(
            raised.map(({ reason, severity, provider, amount }) => ({ reason, severity, provider, amount })),
            (["low", "high"] as const).map((severity) => ({
              reason: "another_provider",
              severity,
              provider: "simulated",
              amount: null
            }))
          )
          const { exposure } = raised.find(({ severity }) => severity === "high")!
          const command = p.simulated.submitted[0]!
          const { amount, currency } =
            "destination" in command ? command : { amount: command.source_amount, currency: command.source_currency }
          assert.deepEqual(exposure, { amount, currency })
          yield* m.reports("second", id, "success")
          assert.strictEqual(yield* m.status(id), "success")
        }),
        p.options
      )
    })

    covers("ROUTE-2")
    it("stays with the last provider, which is tried again as a single one is", async () => {
      const p = three(["unavailable"], ["unavailable"], ["unavailable", "unavailable", "accepted"])
      await run(
        Effect.gen(function* () {
          const m = yield* merchant
          const id = yield* m.make(kind)
          yield* settle
          assert.strictEqual(yield* m.where(id), "waiting third")
          // The third attempt of the movement: as long as a single provider's third.
          assert.deepEqual(yield* m.next(id), { operation: "submit", seconds: 20 })
          yield* later(20)
          yield* later(40)
          assert.deepEqual(p.submissions(id), { simulated: 1, second: 1, third: 3 })
          assert.strictEqual(yield* m.where(id), "submitting third")
          yield* m.reports("third", id, "success")
          assert.strictEqual(p.executions(id), 1)
        }),
        p.options
      )
    })

    covers("ROUTE-1", "ROUTE-2")
    it("keeps its order when the configuration changes, and skips who is gone", async () => {
      const p = three(["unavailable"])
      const { m, id } = await run(
        Effect.gen(function* () {
          const m = yield* merchant
          return { m, id: yield* m.make(kind) }
        }),
        p.options
      )
      await run(
        Effect.gen(function* () {
          assert.strictEqual(
            (yield* m.where(id)).replace(/^\w+ /, ""),
            "simulated second third",
            "the order of its creation"
          )
          yield* settle
          assert.deepEqual(p.submissions(id), { simulated: 1, second: 0, third: 1 })
          assert.strictEqual(yield* m.where(id), "submitting third")
          yield* m.reports("third", id, "success")
        }),
        {
          ...p.options,
          others: [p.third.provider],
          routing: { priorities: { third: -1 }, order: defaultOrder }
        }
      )
    })

    covers("ROUTE-6")
    it("waits for a provider that is gone, with its candidates untouched", async () => {
      const p = three(["unavailable"], ["dropped"])
      const { m, id } = await run(
        Effect.gen(function* () {
          const m = yield* merchant
          const id = yield* m.make(kind)
          yield* settle
          assert.strictEqual(yield* m.where(id), "unknown second")
          return { m, id }
        }),
        p.options
      )
      await run(
        Effect.gen(function* () {
          for (const seconds of [60, 3600, 40 * 86_400]) yield* later(seconds)
          const { items } = yield* LedgerReports.use((books) => books.stuck({ merchant_id: m.merchant_id }))
          assert.deepEqual(
            items.map((one) => [one.id, one.reason, one.next_attempt_at]),
            [[id, "other_provider", null]]
          )
          assert.strictEqual(yield* m.where(id), "unknown second")
        }),
        { ...p.options, others: [p.third.provider] }
      )
      assert.deepEqual(p.submissions(id), { simulated: 1, second: 1, third: 0 })
      await run(
        Effect.gen(function* () {
          p.second.lookups.answer = "settled"
          yield* later(1)
          assert.strictEqual(yield* m.status(id), "success")
        }),
        p.options
      )
    })
  })

  describe.each(["transfer", "offramp"] as const)("%s to a recipient", (kind) => {
    covers("ROUTE-12")
    it("goes to the first provider that does not say that it cannot pay the recipient", async () => {
      const p = asking("no", fault, "unknown")
      await run(
        Effect.gen(function* () {
          const m = yield* merchant
          const id = yield* m.make(kind)
          assert.strictEqual((yield* m.where(id)).replace(/^\w+ /, ""), "second third")
          yield* settle
          assert.deepEqual(p.submissions(id), { simulated: 0, second: 1, third: 0 })
          const { beneficiary, currency, destination } = p.second.submitted[0] as PayoutCommand
          assert.deepEqual(
            p.asked,
            ["simulated", "second", "third"].map((name) => ({ name, beneficiary, currency, destination }))
          )
          yield* m.reports("second", id, "success")
        }),
        p.options
      )
    })

    covers("ROUTE-12")
    it("is not made where no provider can pay the recipient", async () => {
      const p = asking("no", "no", "no")
      await run(
        Effect.gen(function* () {
          const m = yield* merchant
          const { available } = yield* m.balance
          const { _tag, message } = yield* Effect.flip(m.make(kind))
          assert.strictEqual(_tag, "InvalidInput")
          assert.match(message, /^No configured provider can pay this recipient: [\d.]+ \w+ on \w+( in NG)?\.$/)
          assert.strictEqual((yield* m.balance).available, available)
        }),
        p.options
      )
    })
  })

  covers("ROUTE-12")
  it("asks once for each recipient of a batch when it is checked, and once again when it is paid", async () => {
    const p = asking("no", "unknown", "yes")
    await run(
      Effect.gen(function* () {
        const m = yield* merchant
        const batches = yield* Batches
        const payees = [m.beneficiary, yield* m.crypto()]
        const rows = [0, 1, 0, 0, 1].map((payee) => ({
          ...{ operation: "transfer", wallet_id: m.wallet.id, amount: "1", beneficiary_id: payees[payee] }
        }))
        const batch = yield* batches.create(m.caller, { reference: "pay", rows })
        assert.strictEqual(p.asked.length, 3 * 2)
        yield* batches.confirm(m.caller, batch.id)
        yield* settle
        assert.strictEqual(p.asked.length, 3 * 4)
        for (const { source_id, status } of yield* m.transactions)
          if (status === "processing") yield* m.reports("second", source_id, "success")
      }),
      p.options
    )
  })

  covers("ROUTE-2", "ROUTE-3")
  it("is executed once, however many callers create and run movements at once", async () => {
    const p = three(["unavailable", "accepted"], ["dropped", "unavailable", "accepted"])
    await run(
      Effect.gen(function* () {
        const m = yield* merchant
        const made = yield* Effect.forEach(
          Array.from({ length: 12 }, (_, i) => kinds[i % 3]!),
          (kind) => m.make(kind),
          { concurrency: "unbounded" }
        )
        yield* Effect.all(
          Array.from({ length: 4 }, () => settle),
          { concurrency: "unbounded" }
        )
        // So many faults at once open the provider's circuit breaker: its probes take their time.
        for (let round = 0; round < 40; round++)
          yield* Effect.all([later(60), settle, settle], { concurrency: "unbounded" })
        for (const id of made) {
          assert.strictEqual(yield* m.status(id), "success")
          assert.strictEqual(p.executions(id), 1)
          assert.deepEqual(p.submissions(id), { simulated: 1, second: 3, third: 0 })
        }
      }),
      p.options
    )
  })
})
