/** What a quote needs of the parties it names, beyond their being there. */
import { withMethods } from "../../support/engines/provider-methods.ts"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine, type SimulatedEngineOptions } from "../../support/engines/simulated-engine.ts"

const run = <A, E>(effect: Effect.Effect<A, E, SimulatedEngine>, options?: SimulatedEngineOptions): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, makeSimulatedEngine(options)))

const refused = <A, E extends { readonly _tag: string; readonly message: string }>(
  effect: Effect.Effect<A, E, SimulatedEngine>
) => Effect.map(Effect.flip(effect), ({ _tag, message }) => [_tag, message] as const)

const bisi = { type: "individual", name: "Bisi", email: "bisi@example.com", country_code: "NG" } as const
const naira = {
  type: "fiat",
  name: "Chidi",
  currency: "NGN",
  details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: listBanks("NG")[0]!.id }
} as const

covers("QUOTE-6")
describe("an offramp's beneficiary", () => {
  it("is the wallet's customer's own, or the merchant's for all of them", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const [customers, wallets, beneficiaries, quotes] = yield* Effect.all([
          Customers,
          Wallets,
          Beneficiaries,
          Quotes
        ])
        const { id: customer_id } = yield* customers.create(m.caller, bisi)
        const { id: hers } = yield* wallets.create(m.caller, { currency: "USDC", customer_id })
        const [own, everyones] = [
          yield* beneficiaries.create(m.caller, { ...naira, customer_id }),
          yield* beneficiaries.create(m.caller, naira)
        ]
        const quote = (wallet_id: string, { id }: { readonly id: string }) =>
          quotes.offramp(m.caller, { wallet_id, beneficiary_id: id, source_amount: "10" })
        expect((yield* quote(hers, own)).customer_id).toBe(customer_id)
        expect((yield* quote(hers, everyones)).beneficiary_id).toBe(everyones.id)
        expect((yield* quote(m.wallet.id, everyones)).beneficiary_id).toBe(everyones.id)
        expect(yield* refused(quote(m.wallet.id, own))).toEqual([
          "InvalidInput",
          "The beneficiary belongs to a different customer than the wallet."
        ])
      })
    ))

  it("has been screened", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const beneficiaries = yield* Beneficiaries
        const quotes = yield* Quotes
        const sandbox = yield* SandboxOperations
        const { id } = yield* beneficiaries.create(m.caller, naira)
        const quote = quotes.offramp(m.caller, { wallet_id: m.wallet.id, beneficiary_id: id, source_amount: "10" })
        expect(yield* refused(quote)).toEqual([
          "InvalidStatus",
          `Beneficiary ${id} is pending: it is still being screened.`
        ])
        yield* sandbox.screenBeneficiary(m.caller, id, { outcome: "screened" })
        expect((yield* quote).status).toBe("active")
      }),
      { around: (provider) => withMethods(provider, { screen: () => Effect.succeed("held") }) }
    ))

  it("has an account that fits its bank, also where it was taken before the rule was", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        expect(yield* refused(m.quote("10", "12345"))).toEqual([
          "InvalidInput",
          "The beneficiary's account number is invalid for its bank: GTB account numbers have 6 to 20 digits and nothing else; this one has 5 digits."
        ])
        expect((yield* m.quote("10", "123456")).source_amount).toBe("10.00")
      })
    ))
})

describe("a conversion into a fiat wallet", () => {
  it("takes an active credential of that wallet", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const [credentials, quotes, sandbox, wallets] = yield* Effect.all([
          WalletCredentials,
          Quotes,
          SandboxOperations,
          Wallets
        ])
        const [to, other] = [
          yield* wallets.create(m.caller, { currency: "NGN" }),
          yield* wallets.create(m.caller, { currency: "NGN" })
        ]
        const credential = (wallet_id: string) =>
          credentials.create(m.caller, wallet_id, { type: "fiat", currency: "NGN", network: "bank" })
        const quote = quotes.conversion(m.caller, {
          source_wallet_id: m.wallet.id,
          destination_wallet_id: to.id,
          source_amount: "10"
        })
        const unreachable = [
          "InvalidInput",
          `Wallet ${to.id} holds NGN and has no active credential. Create one with POST /v1/wallets/${to.id}/credentials.`
        ]
        expect(yield* refused(quote)).toEqual(unreachable)
        yield* sandbox.issueWalletCredential(m.caller, (yield* credential(other.id)).id)
        const { id } = yield* credential(to.id)
        expect(yield* refused(quote), "another wallet's, and a pending one").toEqual(unreachable)
        yield* sandbox.issueWalletCredential(m.caller, id)
        const { destination_wallet_id, status } = yield* quote
        expect([destination_wallet_id, status]).toEqual([to.id, "active"])
        yield* credentials.freeze(m.operator, id)
        expect(yield* refused(quote)).toEqual(unreachable)
      })
    ))
})

describe("the one amount", () => {
  it("is told of as missing where there is none, and as wrong where there are two", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const quotes = yield* Quotes
        const price = (amounts: object) =>
          Effect.flip(quotes.offramp(m.caller, { wallet_id: m.wallet.id, beneficiary_id: "ben_1", ...amounts }))
        const none = yield* price({})
        const both = yield* price({ source_amount: "1", target_amount: "1" })
        const fields = ["source_amount", "target_amount"]
        expect(none).toMatchObject({
          _tag: "BadRequest",
          message: "Exactly one of source_amount and target_amount is required; the request has neither.",
          errors: fields.map((field) => ({ field, code: "required" }))
        })
        expect(both).toMatchObject({
          _tag: "BadRequest",
          message: "Exactly one of source_amount and target_amount is required; the request has both.",
          errors: fields.map((field) => ({ field, code: "invalid_value" }))
        })
      })
    ))
})
