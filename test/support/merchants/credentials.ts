/** A merchant with a crypto wallet, a fiat wallet, and credentials that convert what arrives into either. */
import { assert } from "vitest"
import { Effect, Layer } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { Rates } from "../../../src/engine/ports/Rates.ts"
import { AutoConversions } from "../../../src/engine/resources/deposits/auto-conversion.ts"
import { Conversions } from "../../../src/engine/resources/movements/conversion.ts"
import type { SandboxDeposit } from "../../../src/engine/sandbox/inputs.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork, eventLine } from "./merchant-at-work.ts"

/** Which way money is converted: what arrives, what it becomes, and figures that follow from the table of rates. */
export interface Way {
  readonly name: string
  readonly type: "fiat" | "crypto"
  readonly currency: string
  readonly network: string
  readonly wallet_currency: string
  readonly amount: string
  readonly becomes: string
  readonly rate: string
  readonly gateway: string
}

/** 150,750.00 NGN less 376.88 at 1/1507.5, and 100 USDC less 0.25 at 1492.5, rounded down. */
export const ways: ReadonlyArray<Way> = [
  {
    name: "auto-onramp",
    type: "fiat",
    currency: "NGN",
    network: "bank",
    wallet_currency: "USDC",
    amount: "150750.00",
    becomes: "99.74",
    rate: "0.000663349917081",
    gateway: "376.88"
  },
  {
    name: "auto-offramp",
    type: "crypto",
    currency: "USDC",
    network: "base",
    wallet_currency: "NGN",
    amount: "100.00",
    becomes: "148876.87",
    rate: "1492.5",
    gateway: "0.25"
  }
]

/** Both ways in memory, and one on each database: they differ in what is asked of no store. */
export const waysOn = (store: string, all: ReadonlyArray<Way>): ReadonlyArray<Way> =>
  store === "memory" ? all : store === "pglite" ? all.slice(0, 1) : all.slice(1)

/** A wallet of which all is free to spend. */
export const balances = (available: string) => ({ available, reserved: "0.00", held: "0.00" })

/** An amount of what arrives, in minor units. */
export const minor = (amount: string, way: Way): string =>
  amount.replace(".", "") + (way.type === "crypto" ? "0000" : "")

let serial = 0

/** A merchant whose `way` is open: an issued credential in one currency on an empty wallet of another. */
export const openWay = Effect.fnUntraced(function* (way: Way, tier: "tier_0" | null = null) {
  const m = yield* merchantAtWork("0", tier)
  const storage = yield* Storage
  const wallets = yield* Wallets
  const credentials = yield* WalletCredentials
  const conversions = yield* Conversions
  const auto = yield* AutoConversions
  const sandbox = yield* SandboxOperations
  const wallet =
    way.wallet_currency === "USDC"
      ? m.wallet
      : yield* wallets.create(m.caller, {
          currency: way.wallet_currency,
          ...(m.customer === undefined ? {} : { customer_id: m.customer })
        })
  const { id: credential_id } = yield* credentials.create(m.caller, wallet.id, {
    type: way.type,
    currency: way.currency,
    network: way.network,
    label: "collections",
    metadata: { shop: "4" }
  })
  yield* sandbox.issueWalletCredential(m.caller, credential_id)

  const balances = Effect.fnUntraced(function* (account: string, currency: string) {
    const accounts = yield* storage.accounts(m.merchant_id, [account])
    return accounts.find((one) => one.currency === currency)?.balance ?? "0"
  })

  return {
    ...m,
    wallet,
    credential_id,
    credential: Effect.map(credentials.get(m.caller, wallet.id, credential_id), ({ body }) => body),
    freeze: credentials.freeze(m.operator, credential_id),
    disable: credentials.disable(m.operator, credential_id),
    forward: auto.forward(m.operator, credential_id),
    /** Words of the provider's on one pay-in, in the order given. */
    pay: Effect.fnUntraced(function* (
      stages: ReadonlyArray<"detected" | "confirmed" | "failed">,
      more: Partial<SandboxDeposit> = {}
    ) {
      const payin_id = `payin_w${++serial}_${m.merchant_id}`
      let id = ""
      for (const stage of stages) {
        const reported = yield* sandbox.deposit(m.caller, {
          credential_id,
          amount: way.amount,
          payin_id,
          stage,
          ...more
        })
        id = reported.transaction_id ?? ""
      }
      return id
    }),
    balance: Effect.map(wallets.get(m.caller, wallet.id), ({ body }) => body.balance),
    /** What stands on the credential, and what is withheld of it: minor units. */
    balances: Effect.all({
      free: balances(`credential:${credential_id}`, way.currency),
      reserved: balances(`reserved:${credential_id}`, way.currency),
      held: balances(`held:${credential_id}`, way.currency)
    }),
    /** The merchant's conversions, oldest first. */
    conversions: Effect.map(conversions.list(m.caller, { per_page: 200 }), ({ items }) => items.toReversed()),
    /** The one conversion there is. */
    conversion: Effect.map(conversions.list(m.caller, {}), ({ items }) => {
      assert.strictEqual(items.length, 1)
      return items[0]!
    }),
    /** The provider completes what is under way. */
    finish: Effect.gen(function* () {
      yield* sandbox.settle(m.caller)
      const { items } = yield* conversions.list(m.caller, { status: "processing", per_page: 200 })
      for (const { id } of items) yield* sandbox.outcome(m.caller, { resource_id: id, outcome: "success" })
    }),
    story: (id: string) => Effect.map(m.published(id), (events) => events.map(eventLine))
  }
})

/**
 * The table of rates, until the market moves: from then on everything buys `factor` times as much. While it is closed
 * there is no rate at all.
 */
export const market = () => {
  let factor = 1n
  let closed: (currency: string) => boolean = () => false
  const open = <A>(rate: Effect.Effect<A, ProviderFault>, ...currencies: ReadonlyArray<string>) =>
    Effect.suspend(() =>
      currencies.some(closed) ? Effect.fail(new ProviderFault({ message: "the market is closed" })) : rate
    )
  const layer = Layer.effect(
    Rates,
    Effect.map(Rates, (rates) =>
      Rates.of({
        perUsd: (code) => open(rates.perUsd(code), code),
        rate: (source, destination) =>
          Effect.map(open(rates.rate(source, destination), source, destination), (rate) => {
            const [whole = "", decimals = ""] = rate.split(".")
            const product = (BigInt(whole + decimals) * factor).toString()
            // A rate has 12 significant digits at most.
            const digits = product
              .slice(0, 12)
              .padEnd(product.length, "0")
              .padStart(decimals.length + 1, "0")
            const moved =
              decimals === "" ? digits : `${digits.slice(0, -decimals.length)}.${digits.slice(-decimals.length)}`
            return product.length > 12 ? moved.replace(/0+$/, "") : moved
          })
      })
    )
  ).pipe(Layer.provide(Rates.layer))
  return {
    layer,
    closes: Effect.sync(() => {
      closed = () => true
    }),
    /** There is no rate of some currencies. */
    loses: (...currencies: ReadonlyArray<string>) =>
      Effect.sync(() => {
        closed = (one) => currencies.includes(one)
      }),
    opens: Effect.sync(() => {
      closed = () => false
    }),
    moves: (to: bigint) =>
      Effect.sync(() => {
        factor = to
      })
  }
}
