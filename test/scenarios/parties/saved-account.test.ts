/** A bank account that was saved under an earlier rule (ZAR-4). */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { begin } from "../../../src/engine/commit/steps.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { BeneficiaryKind } from "../../../src/engine/resources/parties/beneficiary.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const fnb = { id: "prov_1", name: "FNB", code: "250655" }

covers("ZAR-4", "ZAR-5")
it.each([
  ["ten digits at FNB", { account_number: "1".repeat(10), provider: fnb }, /FNB.*11 digits.*10 digits/],
  ["eleven digits at FNB", { account_number: "1".repeat(11), provider: fnb }, null],
  ["a payshap proxy", { account_number: "+27821234567", provider: null, rail: "payshap" as const }, null]
])("of %s is looked at again when it is quoted", (_, details, refused) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const m = yield* merchantAtWork()
      const unitOfWork = yield* UnitOfWork
      const ids = yield* Ids
      const quotes = yield* Quotes
      const { customer_id, id: wallet_id } = m.wallet
      const saved = yield* begin(
        BeneficiaryKind,
        { merchant_id: m.merchant_id, id: yield* ids.make("ben"), customer_id },
        {
          customer_id,
          name: "Sipho",
          label: null,
          type: "fiat",
          currency: "ZAR",
          metadata: {},
          merchant_reference: null,
          screening_id: "scr_1",
          screening: "cleared",
          details: { country_code: "ZA", network: "bank", account_name: "Sipho", ...details }
        },
        yield* Clock.currentTimeMillis
      )
      const write = Effect.succeed({ changes: [saved.changes], result: undefined })
      yield* unitOfWork.apply(m.merchant_id, { deduplicationKey: `test/${saved.row.id}` }, write)
      const quoted = yield* Effect.result(
        quotes.offramp(m.caller, { wallet_id, beneficiary_id: saved.row.id, source_amount: "100" })
      )
      assert.strictEqual(quoted._tag, refused === null ? "Success" : "Failure")
      if (quoted._tag === "Failure") {
        assert.strictEqual(quoted.failure._tag, "InvalidInput")
        assert.match(JSON.stringify(quoted.failure), refused ?? /never/)
      }
    }).pipe(Effect.provide(makeSimulatedEngine()))
  )
)
