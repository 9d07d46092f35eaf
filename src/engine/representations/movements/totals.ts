/** The totals of movements that filters match (TRANSACTION-12). */
import { Schema } from "effect"
import { describe } from "../../input/schemas.ts"
import { amountOf, countOf, currencyCodeOf, idOf, orNull, textOf } from "../members.ts"

const SumBody = Schema.Struct({
  currency: currencyCodeOf("The currency.", "NGN"),
  amount: amountOf("The sum, in `currency`.", "2955075.00")
}).annotate({ identifier: "Sum", description: "A sum in one currency." })

const makeSumsSchema = (description: string) => describe(Schema.Array(SumBody), description)

/** A member of a row that `by` asks for. */
const makeGroupSchema = <S extends Schema.Top>(schema: S) => Schema.optionalKey(schema)

const TotalBody = Schema.Struct({
  type: makeGroupSchema(textOf("The kind of movement. Only if `by` has `type`.", "offramp")),
  status: makeGroupSchema(textOf("The status of the movements. Only if `by` has `status`.", "success")),
  beneficiary_id: makeGroupSchema(
    orNull(idOf("ben", "Whom they pay. Null for what pays no beneficiary. Only if `by` has `recipient`."))
  ),
  recipient: makeGroupSchema(
    orNull(textOf("The name of the beneficiary in the newest of them. Only if `by` has `recipient`.", "Chidi Okafor"))
  ),
  failure_reason: makeGroupSchema(
    describe(
      Schema.NullOr(Schema.String),
      "Why they failed or were returned. Null for any other. Only if `by` has `failure_reason`.",
      null
    )
  ),
  provider: makeGroupSchema(orNull(textOf("The provider that has them. Only if `by` has `provider`.", "simulated"))),
  merchant_id: makeGroupSchema(idOf("mer", "The merchant. Only if `by` has `merchant`.")),
  merchant_name: makeGroupSchema(orNull(textOf("The name of the merchant. Only if `by` has `merchant`.", "Ada Ltd"))),
  count: countOf("The movements. Refunds, forwards and credits of the operator are none.", 183),
  succeeded: countOf("Those that succeeded, and deposits that arrived and are converted.", 176),
  failed: countOf("Those that failed or were returned.", 5),
  open: countOf("Those that have not ended.", 2),
  sent: makeSumsSchema("What those that succeeded have taken, fees included, by currency."),
  received: makeSumsSchema("What the recipients of those that succeeded have received, by currency."),
  fees: makeSumsSchema("The fees of those that succeeded, by currency.")
}).annotate({ identifier: "Total", description: "The movements of one recipient, failure reason, ..., or all." })
export type TotalBody = typeof TotalBody.Type

export const TotalsBody = Schema.Struct({
  rows: describe(Schema.Array(TotalBody), "The rows, most movements first. Without `by` there is one.")
}).annotate({ identifier: "Totals", description: "How many movements there are, and what they come to." })
export type TotalsBody = typeof TotalsBody.Type
