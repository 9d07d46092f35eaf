/** The `/v1` shape of a resource access request (ACCESS-6). */
import { Schema } from "effect"
import type { AccessRequestData } from "../../../machines/access/access-request.ts"
import type { Row } from "../../ports/Storage.ts"
import { isoOrNull } from "../../ports/Time.ts"
import { bodyOf, countryOf, currencyCodeOf, idOf, orNull, textOf, timeOf, times, wordOf } from "../members.ts"

export const accessRequestStatuses = ["pending", "approved", "rejected", "revoked"] as const

export const AccessRequestBody = Schema.Struct({
  id: idOf("rar", "The id of the access request."),
  resource_type: wordOf(["currency"], "`currency`."),
  resource_id: idOf("cur", "The id of the currency."),
  resource_code: currencyCodeOf("The code of the currency.", "XOF"),
  country_code: orNull(countryOf("The country of the currency. Null for EUR.", "SN")),
  status: wordOf(accessRequestStatuses, "Where the request stands.", {
    pending: "the operator has not decided",
    approved: "the merchant can use the currency",
    revoked: "the grant was withdrawn"
  }),
  merchant_id: idOf("mer", "The merchant that asks."),
  merchant_name: textOf("The name of the merchant.", "Lagos Trading"),
  reason: orNull(textOf("Why the merchant asks. Null if it gave no reason.", "Supplier payouts in Dakar")),
  reviewer_id: orNull(textOf("Who decided. Null before.", "opr_01j9z3k4m5n6p7q8r9s0t1v2w3")),
  review_reason: orNull(textOf("Why it was decided so. Null if no reason was given.", "licence checked")),
  reviewed_at: orNull(timeOf("When it was decided. Null before.", "2026-02-02T11:00:00.000Z")),
  ...times
}).annotate({ identifier: "AccessRequest", description: "A merchant's request to use a gated currency." })
export type AccessRequestBody = typeof AccessRequestBody.Type

export const accessRequestBody = bodyOf(AccessRequestBody, ({ merchant_id, data: r }: Row<AccessRequestData>) => ({
  resource_type: "currency" as const,
  merchant_id,
  reviewed_at: isoOrNull(r.reviewed_at)
}))
