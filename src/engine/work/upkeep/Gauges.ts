/**
 * Gauges about the store, the providers and the queues. They are read in the background: reading the metrics costs no round trip,
 * and a store or a provider that does not answer delays no scrape (METRICS-2).
 */
import { Cause, Clock, Context, Duration, Effect, Layer } from "effect"
import { classOf, ownerOf } from "../../../machines/kernel/ledger.ts"
import { breakKinds } from "../../../machines/reconciliation/break.ts"
import { exceptionReasons } from "../../../machines/deposits/exception.ts"
import { ActiveBrakes } from "../../calls/ActiveBrakes.ts"
import { RateBandCheck } from "../../calls/RateBand.ts"
import { Kinds } from "../../commit/kind.ts"
import type { StorageFault } from "../../ports/errors.ts"
import {
  metrics,
  type GaugeReading,
  readings,
  type Series,
  type WaitState,
  waits as waitNames
} from "../../ports/metrics.ts"
import { type Provider, Providers } from "../../ports/Provider.ts"
import { type Queue, Storage } from "../../ports/Storage.ts"
import { currencies, displayAmount } from "../../reference/currencies.ts"
import { progressRule, listWaits } from "../../reports/progress.ts"
import { BreakKind } from "../../resources/reconciliation/break.ts"
import { ExceptionKind } from "../../resources/deposits/exception.ts"
import { ClockSkew } from "./ClockSkew.ts"
import { readReadingState } from "../../reports/event-reading.ts"

/** The longest time of a reading. */
const timeoutMs = 5_000

/** The longest wait for the balances of one provider: shorter, so that one that hangs is told from the others. */
const answerMs = 4_500

/** What has waited for less is on its way. */
const stalledMs = 60_000

/** The most due jobs of a queue that are counted. */
const dueMax = 10_000

/** How much more seldom providers are asked for their balances. */
const floatFactor = 4

/** A reading is repeated after at least this many times the time that it took. */
const restFactor = 20

const queues: ReadonlyArray<Queue> = ["timer", "command", "simulated", "delivery"]

const byState: Readonly<Record<string, WaitState>> = {
  created: "waiting",
  queued: "waiting",
  waiting: "waiting",
  rerouted: "waiting",
  submitting: "submitted",
  unknown: "unknown",
  held: "held",
  refunding: "refunding"
}

/** Makes a function that sets the given series of a gauge, and sets to zero those of `first`, or of its last call, that are not given. */
const makeGaugeSetter = (first: ReadonlyArray<Series> = []) => {
  let last = new Set(first)
  for (const series of last) series.record(0)
  return (values: ReadonlyMap<Series, number>): void => {
    for (const series of last) if (!values.has(series)) series.record(0)
    for (const [series, value] of values) series.record(value)
    last = new Set([...last, ...values.keys()])
  }
}

const makeSelf = Effect.gen(function* () {
  const providers = yield* Providers
  const kinds = yield* Kinds
  const moneyKinds = new Set([ExceptionKind.kind, ...kinds.transactions.map(({ kind }) => kind)])
  const waiting = listWaits().filter(({ kind }) => moneyKinds.has(kind))
  const setBalances = makeGaugeSetter(
    currencies.flatMap(({ code: currency }) => [
      metrics.suspense.of({ currency }),
      ...providers.all.map(({ name: provider }) => metrics.clearing.of({ provider, currency }))
    ])
  )
  const readable = providers.all.filter(({ events }) => events?.after !== undefined)
  const setFloats = new Map(providers.all.map(({ name }) => [name, makeGaugeSetter()]))
  const clock = yield* Clock.Clock
  /** When each provider that reports what it holds last did so, or was first asked in vain. */
  const reportedAt = new Map<string, number>()
  return {
    storage: yield* Storage,
    providers,
    ...(yield* Effect.all({ brakes: ActiveBrakes, clockSkew: ClockSkew, rateBand: RateBandCheck })),
    waiting,
    setBalances,
    readable,
    setFloats,
    clock,
    reportedAt,
    silent: new Set<string>(),
    refreshedAt: new Map<GaugeReading, number>(),
    failing: new Set<GaugeReading>()
  }
})
type Self = Effect.Success<typeof makeSelf>

const readSeconds = ({ clock }: Self): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e9

const countExceptions = ({ storage }: Self, ...index_keys: ReadonlyArray<string>) =>
  Effect.map(storage.list({ kinds: [ExceptionKind.kind], index_keys, offset: 0, limit: 0 }), ({ total }) => total)

/** Sets the gauges of the platform's balances at a provider. One that does not report them, or does not answer, affects no other. */
const recordFloat = (self: Self, { name: provider, statements }: Provider["Service"]) =>
  statements === undefined
    ? Effect.sync(() => void self.reportedAt.delete(provider))
    : Effect.timeout(statements.balances, Duration.millis(answerMs)).pipe(
        Effect.map((balances) => {
          // A provider may report several accounts of one currency.
          const amounts = new Map<Series, number>()
          for (const { available, currency, network } of balances) {
            const series = metrics.float.of({ provider, network: network ?? "", currency })
            amounts.set(series, (amounts.get(series) ?? 0) + Number(available))
          }
          self.setFloats.get(provider)!(amounts)
          self.reportedAt.set(provider, readSeconds(self))
          self.silent.delete(provider)
        }),
        Effect.catch((fault) => {
          metrics.refreshFailed.of({ reading: "float" }).record(1)
          if (!self.reportedAt.has(provider)) self.reportedAt.set(provider, readSeconds(self))
          // Once, however long it lasts.
          if (self.silent.has(provider)) return Effect.void
          self.silent.add(provider)
          return Effect.logWarning(`the balances at ${provider} cannot be read; this is tried again`, fault)
        })
      )

/** Sets the gauges of the number of open breaks, and of the age of the oldest. */
const recordBreaks = ({ storage }: Self): Effect.Effect<void, StorageFault> =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const asked = (...keys: ReadonlyArray<string>) => ({
      kinds: [BreakKind.kind],
      index_keys: ["status=open", ...keys]
    })
    const count = (...keys: ReadonlyArray<string>) =>
      Effect.map(storage.list({ ...asked(...keys), offset: 0, limit: 0 }), ({ total }) => total)
    for (const severity of ["low", "high"] as const) {
      const open = yield* count(`severity=${severity}`)
      for (const kind of breakKinds)
        metrics.breaks
          .of({ kind, severity })
          .record(open === 0 ? 0 : yield* count(`severity=${severity}`, `kind=${kind}`))
      const { items } =
        open === 0
          ? { items: [] }
          : yield* storage.list({ ...asked(`severity=${severity}`), offset: open - 1, limit: 1 })
      metrics.oldestBreak
        .of({ severity })
        .record(items.length === 0 ? 0 : Math.max(0, now - items[0]!.created_at) / 1000)
    }
  })

/** Makes the readings of the gauges: the question of each, and the gauges that it sets. */
const makeReaders = (self: Self): Readonly<Record<GaugeReading, Effect.Effect<void, StorageFault>>> => {
  const { brakes, clockSkew, providers, rateBand, readable, setBalances, storage, waiting } = self
  return {
    waiting: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const found = yield* storage.stalled({ waits: waiting, ...progressRule, before: now - stalledMs, now })
      for (const wait of waitNames) {
        const rows = found.filter(({ state }) => byState[state] === wait)
        metrics.oldest.of({ state: wait }).record(Math.max(0, ...rows.map(({ since }) => now - since)) / 1000)
        metrics.stalled.of({ state: wait }).record(rows.reduce((sum, { n }) => sum + n, 0))
      }
    }),

    exceptions: Effect.gen(function* () {
      const open = yield* countExceptions(self, "status=open")
      for (const reason of exceptionReasons) {
        const all = open === 0 ? 0 : yield* countExceptions(self, "status=open", `reason=${reason}`)
        const high = all === 0 ? 0 : yield* countExceptions(self, "status=open", `reason=${reason}`, "severity=high")
        metrics.exceptions.of({ reason, severity: "high" }).record(high)
        metrics.exceptions.of({ reason, severity: "low" }).record(Math.max(0, all - high))
      }
    }),

    breaks: recordBreaks(self),

    balances: Effect.map(storage.platformBalances(["clearing", "suspense"]), (found) =>
      setBalances(
        new Map(
          found.map(({ account, balance, currency }) => [
            classOf(account) === "clearing"
              ? metrics.clearing.of({ provider: ownerOf(account), currency })
              : metrics.suspense.of({ currency }),
            Number(displayAmount(balance, currency))
          ])
        )
      )
    ),

    queues: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const age = (since: number | null): number => (since === null ? 0 : Math.max(0, now - since) / 1000)
      for (const { due, due_since, queue, retried_since } of yield* storage.backlog({
        queues,
        now,
        limit: dueMax
      })) {
        metrics.due.of({ queue }).record(due)
        if (queue !== "delivery") metrics.lag.of({ queue }).record(age(due_since))
        else {
          metrics.outbox.of({}).record(age(due_since))
          // A delivery that was never attempted is due from its creation on.
          metrics.undelivered.of({}).record(Math.max(age(due_since), age(retried_since)))
        }
      }
    }),

    brakes: Effect.map(brakes.refreshed, (active) => {
      for (const scope of ["all", "provider", "merchant", "corridor"] as const)
        metrics.brakes.of({ scope }).record(active.filter((brake) => brake.scope === scope).length)
    }),

    clock: Effect.asVoid(clockSkew.skew),

    // A rate that is held is asked for again without a quote, so that its gauge falls when it is back.
    rates: rateBand.recheck,

    feeds: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      for (const { name } of readable) {
        const { failing_since } = yield* readReadingState(storage, name)
        metrics.feed.of({ provider: name }).record(failing_since === null ? 0 : Math.max(0, now - failing_since) / 1000)
      }
    }),

    float: Effect.forEach(providers.all, (input) => recordFloat(self, input), {
      concurrency: "unbounded",
      discard: true
    })
  }
}

export class Gauges extends Context.Service<Gauges>()("corridor/engine/Gauges", {
  make: Effect.gen(function* () {
    const self = yield* makeSelf
    const { failing, providers, readable, refreshedAt, reportedAt } = self
    for (const { name } of readable) metrics.feed.of({ provider: name })
    const read = makeReaders(self)
    const refresh = (reading: GaugeReading): Effect.Effect<void> =>
      Effect.timeout(read[reading], Duration.millis(timeoutMs)).pipe(
        Effect.tap(() =>
          Effect.sync(() => {
            refreshedAt.set(reading, readSeconds(self))
            failing.delete(reading)
          })
        ),
        Effect.catchCause((cause) => {
          if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
          metrics.refreshFailed.of({ reading }).record(1)
          // Once, however long it lasts.
          if (failing.has(reading)) return Effect.void
          failing.add(reading)
          return Effect.logWarning(`the gauges of ${reading} cannot be refreshed; this is tried again`, cause)
        })
      )
    const start = Effect.fnUntraced(function* (interval_ms: number) {
      const began = readSeconds(self)
      for (const { name: provider } of providers.all)
        metrics.floatAge.observe({ provider }, () =>
          Math.max(0, readSeconds(self) - (reportedAt.get(provider) ?? readSeconds(self)))
        )
      for (const reading of readings) {
        metrics.refreshAge.observe({ reading }, () =>
          Math.max(0, readSeconds(self) - (refreshedAt.get(reading) ?? began))
        )
        const rest_ms = interval_ms * (reading === "float" ? floatFactor : 1)
        const repeated = Effect.gen(function* () {
          const before = readSeconds(self)
          yield* refresh(reading)
          const took_ms = (readSeconds(self) - before) * 1000
          yield* Effect.sleep(Duration.millis(Math.max(rest_ms, took_ms * restFactor)))
        })
        yield* Effect.forkScoped(Effect.forever(repeated))
      }
    })
    return {
      /** Makes one reading and sets its gauges. It takes at most five seconds. Law: it never fails; a failure is counted. */
      refresh,
      /** Makes each reading now, and again after `interval_ms`, until the scope closes. The readings do not wait for one another. */
      start
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
