/** Deposit addresses (ADDRESS-1, ADDRESS-3 to ADDRESS-5). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import {
  DepositAddress,
  type DepositAddressData,
  type DepositAddressEvent
} from "../../../machines/wallets/deposit-address.ts"
import type { Call } from "../../commit/call.ts"
import { begin } from "../../commit/steps.ts"
import { invalid } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { Routes } from "../../calls/Routes.ts"
import { requireCurrency } from "../../reference/currencies.ts"
import { depositAddressBody, depositAddressStatuses } from "../../representations/wallets/deposit-address.ts"
import { walletSummary } from "../../representations/wallets/wallet.ts"
import { CurrencyEcho, describe, listing, Metadata, Optional, Text, TextOrEmpty } from "../../input/schemas.ts"
import { label, makeWordFilter } from "../../input/members.ts"
import { checkVersion } from "../../calls/list.ts"
import { requireSameCurrency } from "../../input/amounts.ts"
import { requireOnNetwork } from "../../input/field-checks.ts"
import { makeUnderWallet } from "./under-wallet.ts"
import { WalletKind } from "./wallet.ts"

export const DepositAddressKind: ResourceKind<DepositAddressData, DepositAddressEvent> = {
  kind: "deposit_address",
  prefix: "da",
  lifecycle: DepositAddress,
  indexKeys: ({ wallet_id }) => [`wallet_id=${wallet_id}`],
  searchValues: ({ address, label }) => ({ title: label, addresses: [address] }),
  issue: ({ merchant_id, id: resource_id, data }, id) => ({
    id,
    merchant_id,
    kind: "deposit_address",
    resource_id,
    type: "crypto",
    currency: data.currency,
    country_code: null,
    network: data.network,
    holder: data.wallet_id
  })
}

/** `currency`, when given, must be the wallet's. */
export const CreateDepositAddress = Schema.Struct({
  network: describe(Text(32), "The network of the address: one of the wallet's currency.", "base"),
  currency: Optional(CurrencyEcho, "If given, it must be the wallet's currency.", "USDC"),
  label,
  metadata: Optional(Metadata)
}).annotate({ identifier: "CreateDepositAddress" })
export type CreateDepositAddress = typeof CreateDepositAddress.Type

export const ListDepositAddresses = Schema.Struct({
  status: makeWordFilter(depositAddressStatuses, "status"),
  ...listing
})

export const DisableDepositAddress = Schema.Struct({
  reason: Optional(TextOrEmpty(255), "Why. The address shows it as `disabled_reason`.", "Rotated")
}).annotate({ identifier: "DisableDepositAddress" })
export type DisableDepositAddress = typeof DisableDepositAddress.Type

export class DepositAddresses extends Context.Service<DepositAddresses>()("corridor/engine/DepositAddresses", {
  make: Effect.gen(function* () {
    const [unitOfWork, routes, ids] = yield* Effect.all([UnitOfWork, Routes, Ids])

    const { get, list, load, move, operate } = yield* makeUnderWallet(
      DepositAddressKind,
      ListDepositAddresses,
      depositAddressBody
    )

    return {
      /**
       * Requests an address for the wallet from the provider. It is `pending` until the provider issues it.
       *
       * Errors: `NotFound` for the wallet; `InvalidInput` for a fiat wallet, for a `currency` that is not the wallet's, and for
       * a network that the currency is not issued on.
       */
      create: Effect.fnUntraced(function* (call: Call, wallet_id: string, input: CreateDepositAddress) {
        const { merchant_id } = call
        return yield* unitOfWork.write(call, function* () {
          const wallet = yield* unitOfWork.load(WalletKind, merchant_id, wallet_id)
          const currency = requireCurrency(wallet.data.currency)
          if (currency.type !== "crypto")
            return yield* invalid(
              "wallet_id",
              `Wallet ${wallet_id} holds ${currency.code}. Deposit addresses require a crypto wallet.`
            )
          yield* requireSameCurrency("currency", input.currency, currency.code, "the wallet's currency")
          yield* requireOnNetwork("network", currency, input.network)
          const [provider] = yield* routes.requireOrder("network", {
            operation: "issue",
            merchant_id,
            currency: currency.code,
            country_code: null,
            network: input.network,
            amount: null
          })
          const summary = walletSummary(wallet)
          const address = yield* begin(
            DepositAddressKind,
            { merchant_id, id: yield* ids.make(DepositAddressKind.prefix), customer_id: wallet.data.customer_id },
            {
              wallet_id,
              wallet: summary,
              currency: currency.code,
              network: input.network,
              label: input.label ?? null,
              metadata: input.metadata ?? {},
              address: null,
              provider_resource_id: null,
              disabled_reason: null,
              provider
            },
            yield* Clock.currentTimeMillis
          )
          return { changes: [address.changes], result: depositAddressBody(address.row, summary) }
        })
      }),

      get,

      list,

      /**
       * Disables an address. Deposits that arrive from now on are held.
       *
       * Errors: `NotFound`; `InvalidStatus` when it is frozen or already disabled; `Conflict` when `If-Match` does not match.
       */
      disable: Effect.fnUntraced(function* (call: Call, wallet_id: string, id: string, input: DisableDepositAddress) {
        return yield* unitOfWork.write(call, function* () {
          const row = yield* load(call.merchant_id, wallet_id, id)
          yield* checkVersion(call, String(row.version))
          const next = yield* move(row, { type: "disable", reason: input.reason ?? null })
          return { changes: [next.changes], result: { id, success: true as const } }
        })
      }),

      /** Operator: deposits that arrive from now on are held. Errors: `NotFound`; `InvalidStatus` unless `active`. */
      freeze: (call: Call, id: string) => operate(call, id, { type: "freeze" }),

      /** Operator: ends a freeze. Held deposits stay held. Errors: `NotFound`; `InvalidStatus` unless `frozen`. */
      unfreeze: (call: Call, id: string) => operate(call, id, { type: "unfreeze" })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
