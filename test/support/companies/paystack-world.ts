/** A fake Paystack, and providers over it that share a store: each is a process of its own. */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { PaystackProvider, type PaystackOptions } from "../../../src/adapters/provider/paystack.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { type PayoutCommand, Provider, type RefundCommand } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { WallTime } from "../../../src/engine/ports/Time.ts"
import { FakePaystack, ghsKey, ngnKey } from "./fake-paystack.ts"

export const minutes = (count: number): number => count * 60_000

/** Half an hour, and the time between two look-ups. */
export const grace = minutes(31)

export const payoutOf = (n: number, over: Partial<PayoutCommand> = {}): PayoutCommand => {
  const resource_id = `off_01k6x0b7z2${String(n).padStart(16, "0")}`
  return {
    id: `${resource_id}.payout`,
    merchant_id: "mer_1",
    resource_id,
    statement_reference: "01K6X0B7Z26VDFC6",
    reference: `ref_${n}`,
    originator: null,
    attempt: 0,
    kind: "offramp",
    amount: "1500.50",
    currency: "NGN",
    source_amount: "1.00",
    source_currency: "USDC",
    destination: {
      ...{ type: "fiat", country_code: "NG", network: "bank", account_number: "0001234567", account_name: "ADA OBI" },
      ...{ bank_code: "044", provider_id: "prov_1", rail: null }
    },
    beneficiary: { id: "ben_1", name: "Ada Obi" },
    purpose: null,
    narration: "Invoice 1",
    ...over
  }
}

export const refundOf = (n: number, payin_id: string, amount = "100.00"): RefundCommand => ({
  ...{ id: `dep_01k6x0b7z2${String(n).padStart(16, "0")}.refund`, merchant_id: "mer_1", payin_id, amount },
  ...{
    resource_id: `dep_01k6x0b7z2${String(n).padStart(16, "0")}`,
    statement_reference: "01K6X0B7Z26VDFC6",
    currency: "NGN"
  }
})

/** The reference that Paystack gets for a command, as its document allows one. */
export const referenceFor = ({ id }: { readonly id: string }): string => id.replaceAll(".", "-")

/** A provider as one process has it. `end` ends the process. */
export interface Process {
  readonly provider: Provider["Service"]
  readonly end: Effect.Effect<void>
}

const began = Date.UTC(2026, 10, 29)

/** A fake, a store, and a clock that moves by hand. All end with the scope. */
export const paystackWorld = (options: Partial<PaystackOptions> = {}) =>
  Effect.gen(function* () {
    const fake = yield* Effect.acquireRelease(
      Effect.promise(() => new FakePaystack().start()),
      (one) => Effect.promise(() => one.stop())
    )
    const time = { now: began }
    fake.now = () => time.now
    const shared = yield* Layer.build(Layer.mergeAll(Layer.fresh(MemoryStorage.layer), Ids.layer, JobNotifier.layer))
    const wall = Context.make(
      WallTime,
      Effect.sync(() => time.now)
    )
    const layer = (over: Partial<PaystackOptions>) =>
      PaystackProvider.layer({
        url: fake.url,
        keys: { NGN: ngnKey, GHS: ghsKey },
        timeout_ms: 15_000,
        ...options,
        ...over
      }).pipe(Layer.provide(Layer.succeedContext(Context.merge(shared, wall))))
    /** Another process over the same store. */
    const start = (over: Partial<PaystackOptions> = {}, storage = Context.get(shared, Storage)) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(
          layer(over).pipe(Layer.provide(Layer.succeed(Storage, storage))),
          scope
        ) as Effect.Effect<Context.Context<Provider>, StorageFault>
        return { provider: Context.get(context, Provider), end: Scope.close(scope, Exit.void) } satisfies Process
      }).pipe(Effect.provideContext(wall))
    const inWorld = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, wall)
    return {
      fake,
      time,
      start,
      storage: Context.get(shared, Storage),
      /** Runs with the world's wall clock. */
      inWorld,
      pass: (ms: number) => {
        time.now += ms
      }
    }
  })

export type PaystackWorld = Effect.Success<ReturnType<typeof paystackWorld>>

/** What a call comes to, in a word or two. */
export const wordOf = <A extends { readonly _tag: string }>(call: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.match(call, {
    onFailure: ({ _tag }) => _tag,
    onSuccess: (result) =>
      result._tag === "settled"
        ? `settled ${(result as unknown as { outcome: { outcome: string } }).outcome.outcome}`
        : result._tag
  })
