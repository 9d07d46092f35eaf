/** The shape of a brake in the operator API. */
import { Schema } from "effect"
import { type BrakeData, brakeScopes } from "../../../machines/movements/brake.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { timestampBody } from "../shared.ts"

export const brakeStatuses = ["active", "released"] as const

const nullable = Schema.NullOr(Schema.String)

export const BrakeBody = Schema.Struct({
  id: Schema.String,
  scope: Schema.Literals(brakeScopes),
  provider: nullable.annotate({ description: "The name of the provider that it stops. Null for other scopes." }),
  source_currency: nullable.annotate({
    description: "The source currency of its corridor. Null stands for every currency."
  }),
  destination_currency: nullable.annotate({
    description: "The destination currency of its corridor. Null stands for every currency."
  }),
  merchant_id: nullable,
  status: Schema.Literals(brakeStatuses),
  note: nullable,
  release_note: nullable,
  released_at: Schema.NullOr(timestampBody),
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "Brake" })
export type BrakeBody = typeof BrakeBody.Type

export const brakeBody = ({ id, status, created_at, updated_at, data: b }: Row<BrakeData>): BrakeBody => ({
  id,
  scope: b.scope,
  provider: b.provider,
  source_currency: b.source_currency,
  destination_currency: b.destination_currency,
  merchant_id: b.merchant_id,
  status: status as BrakeBody["status"],
  note: b.note,
  release_note: b.release_note,
  released_at: isoOrNull(b.released_at),
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
