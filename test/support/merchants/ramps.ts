/** Conversions and onramps of a merchant at work: what their scenarios say and ask. */
import { Effect } from "effect"
import { Conversions, type CreateConversion } from "../../../src/engine/resources/movements/conversion.ts"
import { Onramps, type CreateOnramp } from "../../../src/engine/resources/movements/onramp.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import type { SandboxDeposit } from "../../../src/engine/sandbox/inputs.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { type MerchantAtWork, merchantAtWork } from "./merchant-at-work.ts"

/** A merchant with a USDC wallet that holds `funds`, an NGN wallet that money can reach, and what moves between them. */
export const merchantConverting = Effect.fnUntraced(function* (funds = "1000") {
  const m = yield* merchantAtWork(funds)
  const credentials = yield* WalletCredentials
  const sandbox = yield* SandboxOperations
  const wallets = yield* Wallets
  const quotes = yield* Quotes
  const conversions = yield* Conversions

  /** A credential of a wallet's, issued. */
  const credential = Effect.fnUntraced(function* (wallet_id: string, currency: "USDC" | "NGN", network: string) {
    const type = currency === "NGN" ? "fiat" : "crypto"
    const { id } = yield* credentials.create(m.caller, wallet_id, { type, currency, network })
    yield* sandbox.issueWalletCredential(m.caller, id)
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
    freeze: (id: string) => credentials.freeze(m.operator, id),
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
