/** The shapes of operators in the operator API (OPERATOR-6, OPERATOR-7). */
import { Schema } from "effect"
import type { OperatorData } from "../../../machines/access/operator.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { timestampBody } from "../shared.ts"

export const operatorStatuses = ["active", "revoked"] as const
export const OperatorRoleName = Schema.Literals(["viewer", "support", "treasury", "admin"])

const fields = {
  id: Schema.String.annotate({ examples: ["opr_01j9z3k4m5n6p7q8r9s0t1v2w3"] }),
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  role: OperatorRoleName,
  status: Schema.Literals(operatorStatuses),
  prefix: Schema.String.annotate({ description: "The first characters of the token.", examples: ["op_a1B2"] }),
  created_at: timestampBody,
  updated_at: timestampBody
}

export const OperatorBody = Schema.Struct(fields).annotate({ identifier: "Operator" })
export type OperatorBody = typeof OperatorBody.Type

/** An operator with a new token, which is returned only once. */
export const OperatorTokenBody = Schema.Struct({
  ...fields,
  token: Schema.String.annotate({ description: "The token itself. Returned only in this response, and not stored." })
}).annotate({ identifier: "OperatorWithToken" })
export type OperatorTokenBody = typeof OperatorTokenBody.Type

/** Who calls the operator API. `id` is null for the configured token and for an embedding application. */
export const ActingOperatorBody = Schema.Struct({
  id: Schema.NullOr(Schema.String),
  name: Schema.String,
  email: Schema.NullOr(Schema.String),
  role: OperatorRoleName
}).annotate({ identifier: "ActingOperator" })
export type ActingOperatorBody = typeof ActingOperatorBody.Type

export const operatorBody = ({ created_at, data, id, status, updated_at }: Row<OperatorData>): OperatorBody => ({
  id,
  name: data.name,
  email: data.email,
  role: data.role,
  status: status as OperatorBody["status"],
  prefix: data.prefix,
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
