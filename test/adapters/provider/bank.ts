/** A separate simulated bank for each test, with calls to it. */
import { methodsOf } from "../../support/engines/provider-methods.ts"
import { it } from "@effect/vitest"
import { type Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import {
  type ConversionCommand,
  type PayoutCommand,
  Provider,
  type RefundCommand
} from "../../../src/engine/ports/Provider.ts"
import { type PayinInput, Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { receivedEvents, summaryOf } from "./scheduled-events.ts"

export const base = Layer.mergeAll(Ids.layer, JobNotifier.layer)
export const days = (count: number): number => count * 24 * 60 * 60 * 1000

type Mode = "auto" | "manual"
export const provider = (mode: Mode, payshap = true) => SimulatedProvider.layer({ mode, delay_ms: 1000, payshap })

export const submit = (command: PayoutCommand | ConversionCommand) =>
  Effect.flatMap(Provider, (service) => methodsOf(service).submit(command))
export const answer = (command: PayoutCommand | ConversionCommand) =>
  submit(command).pipe(Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: ({ _tag }) => _tag }))
export const lookup = (command: PayoutCommand | ConversionCommand) =>
  Effect.flatMap(Provider, (service) => methodsOf(service).lookup(command))
export const executions = (id: string) => Effect.flatMap(Sandbox, (sandbox) => sandbox.executions(id))
export const words = Effect.map(receivedEvents(), (events) => events.map(summaryOf))
export const wait = (duration: Duration.Input) => Effect.andThen(TestClock.adjust(duration), words)

/** A store that lets other fibers run between a read and the write that follows, as a remote store does. */
const interleaving = Layer.effect(
  Storage,
  Effect.map(Storage, (storage) =>
    Storage.of({ ...storage, get: (keys) => Effect.tap(storage.get(keys), Effect.yieldNow) })
  )
).pipe(Layer.provide(Layer.fresh(MemoryStorage.layer)))

/** Each test has a bank of its own. */
export const bank = (mode: Mode, payshap = true) =>
  provider(mode, payshap).pipe(Layer.provideMerge(Layer.merge(base, interleaving)))

export type Needs = Provider | Sandbox | Storage | Ids | JobNotifier
const tested =
  (mode: Mode) =>
  <A, E>(name: string, test: Effect.Effect<A, E, Needs>) =>
    it.effect(name, () => test.pipe(Effect.provide(bank(mode))))
export const auto = tested("auto")
export const manual = tested("manual")

export const payin = (over: Partial<PayinInput> = {}): PayinInput => ({
  merchant_id: "mer_1",
  payin_id: "p1",
  stage: "confirmed",
  target: "1234567890/REF",
  amount: "100.00",
  currency: "NGN",
  network: "bank",
  from_address: null,
  sender: null,
  narration: null,
  ...over
})

export const refunding = (over: Partial<RefundCommand> = {}): RefundCommand => ({
  id: "txn_1.refund",
  merchant_id: "mer_1",
  resource_id: "txn_1",
  statement_reference: "01K6X0J4M60TRT5C",
  payin_id: "p1",
  amount: "100.00",
  currency: "NGN",
  ...over
})
export const refund = (command: RefundCommand) =>
  Effect.flatMap(Provider, (service) => methodsOf(service).refund(command)).pipe(
    Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: ({ _tag }) => _tag })
  )
