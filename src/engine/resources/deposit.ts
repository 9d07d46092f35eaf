/** Deposits as the operator sees them: held ones, released or sent back (decisions 10.3, 13). */
import { Clock, Context, Effect, Layer } from "effect"
import { Deposit, type DepositData, type DepositEvent } from "../../machines/deposit.ts"
import { formatAmount } from "../../machines/kernel/money.ts"
import type { Call } from "../Call.ts"
import { InvalidStatus, NotFound } from "../errors.ts"
import { Host } from "../Host.ts"
import type { Kind } from "../Kind.ts"
import { currencyOf } from "../reference/currencies.ts"
import { depositEvent, transactionBody } from "../representations/transaction.ts"
import { type Row, Storage } from "../Storage.ts"
import { refundFailed } from "./exception.ts"
import { type ListInput, listRows, mapListed } from "./list.ts"
import { Tiers } from "./tiers.ts"

const statuses: Readonly<Record<string, string>> = {
  detected: "processing",
  held: "processing",
  refunding: "processing",
  confirmed: "success",
  failed: "failed",
  credited: "confirmed"
}

const words: Readonly<Record<string, string>> = { detected: "received", refunding: "held" }

export const DepositKind: Kind<DepositData, DepositEvent> = {
  kind: "deposit",
  prefix: "txn",
  lifecycle: Deposit,
  ended: ["success", "failed", "confirmed"],
  status: (state) => statuses[state] ?? state,
  word: (state) => words[state] ?? state,
  facets: (d, state) => [
    `state=${state}`,
    "type=deposit",
    `source_type=${d.source_type}`,
    `wallet_id=${d.wallet_id}`,
    `source_currency=${d.currency}`,
    ...(d.payin_id === null ? [] : [`payin_id=${d.payin_id}`])
  ],
  category: "deposit",
  eventObject: depositEvent,
  refund: ({ merchant_id, id: resource_id, data: d }, id) => ({
    id,
    merchant_id,
    resource_id,
    payin_id: d.payin_id ?? "",
    amount: formatAmount(BigInt(d.amount), currencyOf(d.currency)),
    currency: d.currency
  }),
  accompany: refundFailed
}

const notHeld = (row: Row<DepositData>): InvalidStatus =>
  new InvalidStatus({ message: `Deposit ${row.id} is ${words[row.state] ?? row.state}. Only a held deposit can be released or rejected.` })

export class Deposits extends Context.Service<Deposits>()("corridor/engine/Deposits", {
  make: Effect.gen(function*() {
    const host = yield* Host
    const storage = yield* Storage
    const tiers = yield* Tiers

    const owned = Effect.fnUntraced(function*(id: string) {
      const row = yield* storage.find("deposit", id)
      if (row === undefined) return yield* new NotFound({ message: `There is no deposit ${JSON.stringify(id)}.` })
      return row as Row<DepositData>
    })

    const decide = (call: Call, id: string, event: (at: number) => DepositEvent, credits: boolean) =>
      Effect.gen(function*() {
        const { merchant_id } = yield* owned(id)
        return yield* host.write(
          { ...call, merchant_id },
          Effect.gen(function*() {
            const row = yield* host.load(DepositKind, merchant_id, id)
            const at = yield* Clock.currentTimeMillis
            const next = yield* host.step(DepositKind, row, event(at), at)
            if (next === undefined) return yield* notHeld(row)
            const counted = credits ? yield* tiers.count(merchant_id, row.data, at) : []
            return { parts: [next.parts, ...counted], result: transactionBody(next.row, []) }
          })
        )
      })

    return {
      /** Deposits of all merchants that wait for the operator's decision, newest first. */
      held: Effect.fn("Deposits.held")(function*(input: ListInput) {
        const listed = yield* listRows<DepositData>(storage, null, ["deposit"], ["state=held"], input)
        return mapListed(listed, (row: Row<DepositData>) => ({ ...transactionBody(row, []), merchant_id: row.merchant_id }))
      }),
      /** Credits a held deposit. Errors: `NotFound`; `InvalidStatus` when it is not held. */
      release: Effect.fn("Deposits.release")(function*(call: Call, id: string) {
        return yield* decide(call, id, (at) => ({ type: "released", at }), true)
      }),
      /** Sends a held deposit back; it fails once the provider has taken the refund. Errors: as `release`. */
      reject: Effect.fn("Deposits.reject")(function*(call: Call, id: string, reason: string) {
        return yield* decide(call, id, (at) => ({ type: "rejected", at, reason }), false)
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
