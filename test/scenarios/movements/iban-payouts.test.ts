/** Payouts to IBANs, one by one and as rows of a batch: the provider is instructed the electronic form, people see blocks of four (BENEFICIARY-10). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { memoFault } from "../../../src/engine/input/addresses.ts"
import type { OwnAddresses, PayoutCommand } from "../../../src/engine/ports/Provider.ts"
import { Searches } from "../../../src/engine/reports/search.ts"
import { AccessRequests } from "../../../src/engine/resources/access/access-request.ts"
import { FileResponse } from "../../../src/engine/calls/operation.ts"
import { Batches } from "../../../src/engine/resources/movements/batch.ts"
import { Offramps } from "../../../src/engine/resources/movements/offramp.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

const stored = "DE89370400440532013000"
const shown = "DE89 3704 0044 0532 0130 00"
const detailsOf = (account_number: string) => ({ country_code: "DE", network: "bank", account_number })
const euros = (account_number: string) => ({
  type: "fiat" as const,
  name: "Jürgen Müller",
  currency: "EUR",
  details: detailsOf(account_number)
})

const merchantInEuro = Effect.gen(function* () {
  const m = yield* merchantAtWork("1000")
  const requests = yield* AccessRequests
  const { id } = yield* requests.create(m.caller, "EUR", {})
  yield* requests.review(m.operator, id, { decision: "approve" })
  return m
})

/** Runs with what the provider was instructed of each payout. */
const instructed = (
  use: (sent: ReadonlyArray<PayoutCommand>) => Effect.Effect<void, unknown, any>,
  addresses?: OwnAddresses
): Promise<void> => {
  const sent: Array<PayoutCommand> = []
  return Effect.runPromise(
    use(sent).pipe(
      Effect.provide(
        makeSimulatedEngine({
          around: (inner) => ({
            ...withMethods(inner, {
              submit: (command) => {
                sent.push(command as PayoutCommand)
                return inner.payouts!.submit(command as PayoutCommand)
              }
            }),
            ...(addresses === undefined ? {} : { addresses })
          })
        })
      )
    ) as Effect.Effect<void>
  )
}

covers("BENEFICIARY-10")
it("an offramp to an IBAN tells the provider its electronic form, and shows blocks of four", () =>
  instructed((sent) =>
    Effect.gen(function* () {
      const m = yield* merchantInEuro
      const payee = yield* Beneficiaries.use((s) => s.create(m.caller, euros("de89 3704 0044 0532 0130 00")))
      const order = { wallet_id: m.wallet.id, beneficiary_id: payee.id, source_amount: "100" }
      const quote = yield* Quotes.use((s) => s.offramp(m.caller, order))
      const offramp = yield* Offramps.use((s) => s.create(m.caller, { quote_id: quote.id }))
      yield* m.settle
      assert.deepEqual(
        sent.map(({ destination }) => destination),
        [
          {
            type: "fiat",
            ...detailsOf(stored),
            account_name: null,
            provider_id: null,
            bank_code: null,
            rail: null
          } as never
        ]
      )
      const { body } = yield* Offramps.use((s) => s.get(m.caller, offramp.id))
      assert.deepInclude(body.payment_instrument, { account_number: shown, provider: null })
      assert.deepInclude(body.beneficiary.details, { account_number: shown })
      const found = yield* Searches.use((s) => s.search({ q: "3000", kind: "beneficiary" } as never))
      assert.deepEqual(
        found.items.map(({ id }) => id),
        [payee.id]
      )
    })
  ))

covers("BENEFICIARY-10", "BATCH-7")
it("rows of a batch pay one recipient, however each of them spells the IBAN, and refuse one that is none", () =>
  instructed((sent) =>
    Effect.gen(function* () {
      const m = yield* merchantInEuro
      const row = (account_number: string) => ({
        operation: "offramp",
        wallet_id: m.wallet.id,
        source_amount: "20",
        beneficiary: euros(account_number)
      })
      const draft = yield* Batches.use((s) =>
        s.create(m.caller, {
          reference: "pay",
          rows: [row(stored), row(shown), row("de89370400440532013000"), row("DE89")]
        })
      )
      assert.deepEqual(
        draft.errors.map(({ code, field, row: n }) => [n, field, code]),
        [[4, "beneficiary.details.account_number", "invalid_value"]]
      )
      yield* Batches.use((s) => s.confirm(m.caller, draft.id))
      yield* m.settle
      const { items } = yield* Beneficiaries.use((s) => s.list(m.caller, { currency: "EUR" }))
      assert.lengthOf(items, 1)
      const rows = yield* Batches.use((s) => s.rows(m.caller, draft.id, { status: "created" }))
      if (rows instanceof FileResponse) throw new Error("a file")
      assert.lengthOf(rows.items, 3)
      assert.deepEqual(
        sent.map(({ destination }) => (destination as { account_number: string }).account_number),
        [stored, stored, stored]
      )
    })
  ))

covers("BENEFICIARY-15")
it("a row of a batch has no memo that cannot be sent", () =>
  instructed(
    () =>
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const [address] = ["9Z61nS8BauB7dVmpVVzNUBU2A2Av8TkyFqdR1rh8xZeA"]
        const row = (memo: string) => ({
          operation: "transfer",
          wallet_id: m.wallet.id,
          amount: "20",
          beneficiary: { type: "crypto", name: "Ada", currency: "USDC", details: { network: "solana", address, memo } }
        })
        const draft = yield* Batches.use((s) =>
          s.create(m.caller, { reference: "pay", rows: [row("😀".repeat(255)), row("1")] })
        )
        assert.deepEqual(
          draft.errors.map(({ field, message }) => [field, /has 1020 bytes in UTF-8/.test(message)]),
          [["beneficiary.details.memo", true]]
        )
      }),
    { hot_wallet: Effect.succeed(""), owns: () => Effect.succeed(false), memoFault }
  ))

covers("BENEFICIARY-11")
it("a row of a batch does not pay an address at which money would be lost", () =>
  instructed(() =>
    Effect.gen(function* () {
      const m = yield* merchantAtWork("1000")
      const row = (address: string) => ({
        operation: "transfer",
        wallet_id: m.wallet.id,
        amount: "20",
        beneficiary: { type: "crypto", name: "Ada", currency: "USDC", details: { network: "solana", address } }
      })
      const lost = ["1".repeat(32), "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"]
      const draft = yield* Batches.use((s) => s.create(m.caller, { reference: "pay", rows: lost.map(row) }))
      assert.deepEqual(
        draft.errors.map(({ field, message }) => [field, /What is paid to it is lost/.test(message)]),
        lost.map(() => ["beneficiary.details.address", true])
      )
    })
  ))
