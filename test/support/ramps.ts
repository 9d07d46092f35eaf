/** Conversions and onramps of a merchant at work: what their scenarios say and ask. */
import { assert } from "vitest"
import { Clock, Effect } from "effect"
import { begin, joined } from "../../src/engine/Change.ts"
import { Ids } from "../../src/engine/Ids.ts"
import { Conversions, type CreateConversion } from "../../src/engine/resources/conversion.ts"
import { Onramps, type CreateOnramp } from "../../src/engine/resources/onramp.ts"
import { Quotes } from "../../src/engine/resources/quote.ts"
import { SandboxOperations } from "../../src/engine/resources/sandbox.ts"
import type { SandboxDeposit } from "../../src/engine/SandboxInputs.ts"
import { WalletKind, Wallets } from "../../src/engine/resources/wallet.ts"
import { Storage } from "../../src/engine/Storage.ts"
import { type MerchantAtWork, merchantAtWork } from "./actors.ts"

/** A merchant with a USDC wallet that holds `funds`, an NGN wallet that money can reach, and what moves between them. */
export const merchantConverting = Effect.fnUntraced(function* (funds = "1000") {
  const m = yield* merchantAtWork(funds)
  const ids = yield* Ids
  const storage = yield* Storage
  const wallets = yield* Wallets
  const quotes = yield* Quotes
  const conversions = yield* Conversions

  /** A credential as it stands once the provider has issued it. */
  const credential = Effect.fnUntraced(function* (
    wallet_id: string,
    currency: string,
    network: string,
    status = "active"
  ) {
    const id = yield* ids.make("wcr")
    const at = yield* Clock.currentTimeMillis
    const { parts, row } = yield* begin(
      WalletKind,
      { merchant_id: m.merchant_id, id },
      { currency, network } as never,
      at
    )
    const kept = {
      ...row,
      kind: "wallet_credential",
      state: status,
      status,
      facets: [`wallet_id=${wallet_id}`, `status=${status}`]
    }
    const once = { key: `test/${id}`, fingerprint: "", response: null, expires_at: null }
    const verdict = yield* storage.commit({
      merchant_id: m.merchant_id,
      at,
      once,
      ...joined([{ ...parts, rows: [kept] }])
    })
    assert.strictEqual(verdict._tag, "Committed")
    return id
  })
  const naira = yield* wallets.create(m.caller, { currency: "NGN" })
  yield* credential(naira.id, "NGN", "bank")

  const price = (source_amount: string) =>
    quotes.conversion(m.caller, { source_wallet_id: m.wallet.id, destination_wallet_id: naira.id, source_amount })

  return {
    ...m,
    naira,
    credential,
    price,
    /** Executes a quote. */
    convert: (quote_id: string, more: Partial<CreateConversion> = {}) =>
      conversions.create(m.caller, { quote_id, ...more }),
    /** Quotes and executes a conversion of `amount` USDC into naira. */
    conversion: Effect.fnUntraced(function* (amount: string, more: Partial<CreateConversion> = {}) {
      return yield* conversions.create(m.caller, { quote_id: (yield* price(amount)).id, ...more })
    }),
    converted: (id: string) => Effect.map(conversions.get(m.caller, id), ({ body }) => body),
    balanceOf: (wallet_id: string) => Effect.map(wallets.get(m.caller, wallet_id), ({ body }) => body.balance)
  }
})

/** Naira of payers that are turned into USDC in a merchant's wallet. */
export const onrampsOf = Effect.fnUntraced(function* (m: Pick<MerchantAtWork, "caller" | "wallet">) {
  const quotes = yield* Quotes
  const onramps = yield* Onramps
  const sandbox = yield* SandboxOperations

  const price = (source_amount: string) =>
    quotes.onramp(m.caller, { wallet_id: m.wallet.id, source_currency: "NGN", source_amount })
  const execute = (quote_id: string, more: Partial<CreateOnramp> = {}) =>
    onramps.create(m.caller, { quote_id, ...more })

  return {
    price,
    /** Executes a quote. */
    collect: execute,
    /** Quotes and executes an onramp of `amount` naira. */
    onramp: Effect.fnUntraced(function* (amount = "150000", more: Partial<CreateOnramp> = {}) {
      return yield* execute((yield* price(amount)).id, more)
    }),
    /** The bank reports a payment with the onramp's reference. */
    pays: (onramp_id: string, amount: string, more: Partial<SandboxDeposit> = {}) =>
      sandbox.deposit(m.caller, { onramp_id, amount, ...more }),
    collected: (id: string) => Effect.map(onramps.get(m.caller, id), ({ body }) => body)
  }
})

/** A merchant whose USDC wallet is empty, and its onramps. */
export const merchantCollecting = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  return { ...m, ...(yield* onrampsOf(m)) }
})
