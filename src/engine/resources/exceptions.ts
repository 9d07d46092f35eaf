/** The operator's list of what fits no resource (decisions 13). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { ExceptionData } from "../../machines/exception.ts"
import { formatAmount } from "../../machines/kernel/money.ts"
import type { Call } from "../Call.ts"
import { InvalidStatus, NotFound } from "../errors.ts"
import { Host } from "../Host.ts"
import { currencyOf } from "../reference/currencies.ts"
import { amountBody, timestampBody } from "../representations/shared.ts"
import { listing, Optional, Text } from "../schemas.ts"
import { type Row, Storage } from "../Storage.ts"
import { iso, isoOrNull } from "../Time.ts"
import { ExceptionKind } from "./exception.ts"
import { facetsOf, listRows, mapListed } from "./list.ts"

export const ExceptionBody = Schema.Struct({
  id: Schema.String,
  merchant_id: Schema.String,
  resource_id: Schema.NullOr(Schema.String),
  resource_kind: Schema.NullOr(Schema.String),
  status: Schema.Literals(["open", "resolved"]),
  reason: Schema.String,
  provider: Schema.String,
  provider_event: Schema.Unknown,
  recorded: Schema.Unknown,
  severity: Schema.Literals(["low", "high"]),
  exposure: Schema.NullOr(Schema.Struct({ amount: amountBody, currency: Schema.String })),
  amount: Schema.NullOr(amountBody),
  currency: Schema.NullOr(Schema.String),
  action: Schema.NullOr(Schema.Literals(["refund", "credit", "dismiss"])),
  note: Schema.NullOr(Schema.String),
  resolved_at: Schema.NullOr(timestampBody),
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "Exception" })
export type ExceptionBody = typeof ExceptionBody.Type

export const ListExceptions = Schema.Struct({ status: Optional(Schema.Literals(["open", "resolved"])), ...listing })
export type ListExceptions = typeof ListExceptions.Type

export const ResolveException = Schema.Struct({
  action: Schema.Literals(["refund", "credit", "dismiss"]),
  note: Text(500)
})
export type ResolveException = typeof ResolveException.Type

const shown = (minor: string, currency: string): string => formatAmount(BigInt(minor), currencyOf(currency))

const exceptionBody = ({
  id,
  merchant_id,
  status,
  created_at,
  updated_at,
  data: e
}: Row<ExceptionData>): ExceptionBody => ({
  id,
  merchant_id,
  resource_id: e.resource_id,
  resource_kind: e.resource_kind,
  status: status as ExceptionBody["status"],
  reason: e.reason,
  provider: e.provider,
  provider_event: e.provider_event,
  recorded: e.recorded ?? null,
  severity: e.severity ?? "low",
  exposure:
    e.exposure === undefined || e.exposure === null
      ? null
      : { ...e.exposure, amount: shown(e.exposure.amount, e.exposure.currency) },
  amount: e.amount === null || e.currency === null ? null : shown(e.amount, e.currency),
  currency: e.currency,
  action: e.action,
  note: e.note,
  resolved_at: isoOrNull(e.resolved_at),
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})

export class Exceptions extends Context.Service<Exceptions>()("corridor/engine/Exceptions", {
  make: Effect.gen(function* () {
    const host = yield* Host
    const storage = yield* Storage
    return {
      list: Effect.fn("Exceptions.list")(function* (input: ListExceptions) {
        const listed = yield* listRows<ExceptionData>(
          storage,
          null,
          ["exception"],
          facetsOf({ status: input.status }),
          input
        )
        return mapListed(listed, (row: Row<ExceptionData>) => exceptionBody(row))
      }),
      /**
       * `credit`: the money in suspense goes to the wallet it belongs to. `refund`: it goes back to its payer. `dismiss`:
       * nothing came, and what was booked on the message alone is taken back.
       *
       * Errors: `NotFound`; `InvalidStatus` when it is resolved, or there is no money to credit or refund.
       */
      resolve: Effect.fn("Exceptions.resolve")(function* (call: Call, id: string, input: ResolveException) {
        const found = yield* storage.find("exception", id)
        if (found === undefined) return yield* new NotFound({ message: `There is no exception ${JSON.stringify(id)}.` })
        const { merchant_id } = found
        return yield* host.write(
          { ...call, merchant_id },
          Effect.gen(function* () {
            const row = yield* host.load(ExceptionKind, merchant_id, id)
            const at = yield* Clock.currentTimeMillis
            const next = yield* host.step(ExceptionKind, row, { type: "resolve", ...input, at }, at)
            if (next === undefined) {
              return yield* new InvalidStatus({
                message:
                  row.state === "open"
                    ? `There is no money to ${input.action} in exception ${id}.`
                    : `Exception ${id} is ${row.state}.`
              })
            }
            return { parts: [next.parts], result: exceptionBody(next.row) }
          })
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
