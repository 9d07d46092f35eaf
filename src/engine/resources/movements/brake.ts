/** Pauses: the operator stops submissions by provider, corridor, merchant or all (BRAKE-1, BRAKE-2). */
import { Clock, Context, Effect, Layer, Schema, Struct } from "effect"
import {
  Brake,
  type BrakeData,
  type BrakeEvent,
  brakeScopes,
  type BrakeTarget
} from "../../../machines/movements/brake.ts"
import { ActiveBrakes, activeBrakesMax, brakeKind } from "../../calls/ActiveBrakes.ts"
import { findOfAnyMerchant, listBodies } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import { makeApprovalEnding } from "../../commit/approval.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { BlockedJobs, makeResumingJob } from "../../commit/BlockedJobs.ts"
import { begin } from "../../commit/steps.ts"
import { makeNotFound, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { describe, listing, Optional, Text } from "../../input/schemas.ts"
import { findCurrency } from "../../input/amounts.ts"
import { makeWordFilter } from "../../input/members.ts"
import { findProviderKey } from "../../input/field-checks.ts"
import { DryRun } from "../../ports/dry-run.ts"
import { type InvalidInput, invalid, InvalidStatus, type NotFound, type StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { Providers } from "../../ports/Provider.ts"
import { PLATFORM_MERCHANT, Storage } from "../../ports/Storage.ts"
import { brakeBody, brakeStatuses } from "../../representations/movements/brake.ts"
import { MerchantKind } from "../access/api-key.ts"

export const BrakeKind: ResourceKind<BrakeData, BrakeEvent> = {
  kind: brakeKind,
  prefix: "brake",
  lifecycle: Brake,
  derivedWrites: makeApprovalEnding((state) => state === "active"),
  indexKeys: ({ scope }) => [`scope=${scope}`],
  auditView: ({ data }) =>
    Struct.pick(data, ["scope", "provider", "source_currency", "destination_currency", "merchant_id"])
}

const note = Optional(Text(1000), "Why. The pause and the audit log show it.", "Unexplained debits at the bank")

export const CreateBrake = Schema.Struct({
  scope: describe(
    Schema.Literals(brakeScopes),
    "What to stop. `all`: everything. `provider`: what goes to `provider`. `corridor`: from `source_currency` to `destination_currency`. `merchant`: that of `merchant_id`."
  ),
  provider: Optional(Text(64), "With scope `provider`: the name of the provider.", "simulated"),
  source_currency: Optional(Text(16), "With scope `corridor`: the source currency. Default: every currency.", "USDT"),
  destination_currency: Optional(
    Text(16),
    "With scope `corridor`: the destination currency. Default: every currency.",
    "KES"
  ),
  merchant_id: Optional(Schema.String, "With scope `merchant`: the merchant.", "mer_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  note
}).annotate({ identifier: "CreateBrake" })
export type CreateBrake = typeof CreateBrake.Type

export const ReleaseBrake = Schema.Struct({
  note
}).annotate({ identifier: "ReleaseBrake" })
export type ReleaseBrake = typeof ReleaseBrake.Type

export const ListBrakes = Schema.Struct({
  status: makeWordFilter(brakeStatuses, "status"),
  scope: makeWordFilter(brakeScopes, "scope"),
  ...listing
})
export type ListBrakes = typeof ListBrakes.Type

/** The members that each scope takes. */
const members = {
  all: [],
  provider: ["provider"],
  corridor: ["source_currency", "destination_currency"],
  merchant: ["merchant_id"]
} as const satisfies Record<BrakeTarget["scope"], ReadonlyArray<keyof BrakeTarget>>

const targets = [...new Set(Object.values(members).flat())]

export class Brakes extends Context.Service<Brakes>()("corridor/engine/Brakes", {
  make: Effect.gen(function* () {
    const [unitOfWork, storage, providers, brakes] = yield* Effect.all([UnitOfWork, Storage, Providers, ActiveBrakes])
    const blockedJobs = yield* BlockedJobs
    const ids = yield* Ids
    const list = listBodies(storage, BrakeKind, ListBrakes, brakeBody)

    /** Errors: `InvalidInput` for a member that the scope does not take or lacks, or an unknown provider; `NotFound`. */
    const targetOf = Effect.fnUntraced(function* (
      input: CreateBrake
    ): Effect.fn.Return<BrakeTarget, InvalidInput | NotFound | StorageFault> {
      const taken: ReadonlyArray<string> = members[input.scope]
      const stray = targets.find((name) => input[name] !== undefined && !taken.includes(name))
      if (stray !== undefined) return yield* invalid(stray, `A pause with the scope ${input.scope} takes no ${stray}.`)
      const [first] = members[input.scope]
      if (first !== undefined && members[input.scope].every((name) => input[name] === undefined))
        return yield* invalid(
          first,
          `A pause with the scope ${input.scope} requires ${members[input.scope].join(" or ")}.`
        )
      const provider =
        input.provider === undefined ? null : yield* findProviderKey(providers, "provider", input.provider)
      for (const name of ["source_currency", "destination_currency"] as const) {
        const code = input[name]
        if (code !== undefined) yield* findCurrency(code)
      }
      if (input.merchant_id !== undefined && (yield* storage.find(MerchantKind.kind, input.merchant_id)) === undefined)
        return yield* makeNotFound(MerchantKind, input.merchant_id)
      return {
        scope: input.scope,
        provider,
        source_currency: input.source_currency ?? null,
        destination_currency: input.destination_currency ?? null,
        merchant_id: input.merchant_id ?? null
      }
    })

    return {
      /**
       * Operator: stops submissions and refunds from now on. What is being submitted is followed to its end.
       *
       * Errors: `InvalidInput` for a member that the scope does not take or lacks, and for an unknown provider;
       * `NotFound` for the merchant or a currency; `InvalidStatus` when too many pauses are active.
       */
      create: Effect.fnUntraced(function* (call: Call, input: CreateBrake) {
        const target = yield* targetOf(input)
        if ((yield* brakes.refreshed).length >= activeBrakesMax)
          return yield* new InvalidStatus({ message: `${activeBrakesMax} pauses are active. Release some of them.` })
        const made = yield* unitOfWork.write({ ...call, merchant_id: PLATFORM_MERCHANT }, function* () {
          const at = yield* Clock.currentTimeMillis
          const brake = yield* begin(
            BrakeKind,
            { merchant_id: PLATFORM_MERCHANT, id: yield* ids.make(BrakeKind.prefix) },
            { ...target, note: input.note ?? null, release_note: null, released_at: null },
            at
          )
          return { changes: [brake.changes], result: brakeBody(brake.row) }
        })
        brakes.forget()
        return made
      }),

      /** Operator: a pause. Errors: `NotFound`. */
      get: (id: string) => Effect.map(findOfAnyMerchant(storage, BrakeKind, id), brakeBody),

      /** Operator: the pauses, newest first. */
      list: (input: ListBrakes) => list(PLATFORM_MERCHANT, input),

      /** Operator: lets the work go on that no other pause covers. Errors: `NotFound`; `InvalidStatus` when it is released. */
      release: Effect.fnUntraced(function* (call: Call, id: string, input: ReleaseBrake) {
        const { merchant_id } = yield* findOfAnyMerchant(storage, BrakeKind, id)
        const released = yield* unitOfWork.write({ ...call, merchant_id }, function* () {
          const at = yield* Clock.currentTimeMillis
          const row = yield* unitOfWork.load(BrakeKind, merchant_id, id)
          const next = yield* unitOfWork.step(BrakeKind, row, { type: "release", at, note: input.note ?? null }, at)
          if (next === undefined) return yield* new InvalidStatus({ message: `Pause ${id} is already released.` })
          return { changes: [next.changes, { jobs: [makeResumingJob(at)] }], result: brakeBody(next.row) }
        })
        brakes.forget()
        // What is few goes on with the response. A job moves the rest, also if this process ends here.
        if ((yield* DryRun) === undefined)
          yield* Effect.ignore(Effect.flatMap(Clock.currentTimeMillis, blockedJobs.resumeSome))
        return released
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
