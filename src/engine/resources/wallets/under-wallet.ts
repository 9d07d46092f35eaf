/** What deposit addresses and wallet credentials have in common: reads under their wallet, freezing and disabling. */
import { Clock, Effect } from "effect"
import type { WalletSummary } from "../../../machines/parties/summaries.ts"
import { listRows, type DecodedListQuery, mapList, toIndexKeys } from "../../calls/list.ts"
import { findOfAnyMerchant } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import type { Kind } from "../../commit/kind.ts"
import { makeNotFound, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { InvalidStatus } from "../../ports/errors.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { walletSummary } from "../../representations/wallets/wallet.ts"
import { WalletKind } from "./wallet.ts"

const pastTense = { disable: "disabled", freeze: "frozen", unfreeze: "unfrozen" } as const

/**
 * Makes the operations of a kind that belongs to a wallet. `query`: the schema of the list's query.
 *
 * Errors: `NotFound` for a resource that is unknown, of another wallet, or of another merchant, with the same message. `move` and
 * `operate`: `InvalidStatus` when the state of the resource does not accept the event.
 */
export const makeUnderWallet = <
  Data extends { readonly wallet_id: string },
  Event extends { readonly type: string },
  Body,
  Q extends DecodedListQuery
>(
  kind: Kind<Data, Event>,
  query: Q,
  bodyOf: (row: Row<Data>, wallet: WalletSummary) => Body
) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const storage = yield* Storage
    const [first = "", ...others] = kind.kind.replaceAll("_", " ")
    const title = first.toUpperCase() + others.join("")

    const load = Effect.fnUntraced(function* (merchant_id: string, wallet_id: string, id: string) {
      const row = yield* unitOfWork.load(kind, merchant_id, id)
      return row.data.wallet_id === wallet_id ? row : yield* makeNotFound(kind, id)
    })

    const withWallet = Effect.fnUntraced(function* (row: Row<Data>) {
      const wallet = yield* unitOfWork.load(WalletKind, row.merchant_id, row.data.wallet_id)
      return bodyOf(row, walletSummary(wallet))
    })

    const move = Effect.fnUntraced(function* (
      row: Row<Data>,
      event: Extract<Event, { readonly type: keyof typeof pastTense }>
    ) {
      const next = yield* unitOfWork.step(kind, row, event, yield* Clock.currentTimeMillis)
      if (next !== undefined) return next
      return yield* new InvalidStatus({
        message: `${title} ${row.id} is ${row.status}: it cannot be ${pastTense[event.type]}.`
      })
    })

    return {
      load,
      move,

      get: Effect.fnUntraced(function* (call: Call, wallet_id: string, id: string) {
        const row = yield* load(call.merchant_id, wallet_id, id)
        return { body: yield* withWallet(row), version: String(row.version) }
      }),

      /** The resources of a wallet, including disabled ones. */
      list: Effect.fnUntraced(function* (call: Call, wallet_id: string, input: Q["Type"]) {
        const wallet = yield* unitOfWork.load(WalletKind, call.merchant_id, wallet_id)
        const keys = [`wallet_id=${wallet_id}`, ...toIndexKeys(query, input)]
        const listed = yield* listRows<Data>(storage, call.merchant_id, [kind.kind], keys, input)
        const summary = walletSummary(wallet)
        return mapList(listed, (row) => bodyOf(row, summary))
      }),

      /** Operator: applies the event to the resource with the id, of any merchant. */
      operate: Effect.fnUntraced(function* (
        call: Call,
        id: string,
        event: Extract<Event, { readonly type: keyof typeof pastTense }>
      ) {
        const { merchant_id } = yield* findOfAnyMerchant(storage, kind, id)
        return yield* unitOfWork.write({ ...call, merchant_id }, function* () {
          const next = yield* move(yield* unitOfWork.load(kind, merchant_id, id), event)
          return { changes: [next.changes], result: yield* withWallet(next.row) }
        })
      })
    }
  })
