/** The shapes of operators in the operator API (OPERATOR-6, OPERATOR-7). */
import { Schema } from "effect"
import type { OperatorData } from "../../../machines/access/operator.ts"
import type { Row } from "../../ports/Storage.ts"
import { bodyOf, emailOf, idOf, orNull, textOf, times, wordOf } from "../members.ts"

export const operatorStatuses = ["active", "revoked"] as const
export const operatorRoleNames = ["viewer", "support", "treasury", "admin"] as const
export const roleMeanings = {
  viewer: "reads",
  support: "reviews and freezes as well",
  treasury: "acts on money as well: deposits, exceptions, pauses",
  admin: "everything: merchants, their keys, operators"
}
export const OperatorRoleName = wordOf(operatorRoleNames, "The role of the operator.", roleMeanings)

const fields = {
  id: idOf("opr", "The id of the operator."),
  name: textOf("The name of the operator.", "Ada Obi"),
  email: orNull(emailOf("The email address of the operator. Null if none was given.")),
  role: OperatorRoleName,
  status: wordOf(operatorStatuses, "Whether the token is accepted.", {
    active: "it is",
    revoked: "it is not, for ever"
  }),
  prefix: textOf("The first characters of the token, to tell tokens apart.", "op_a1B2"),
  ...times
}

export const OperatorBody = Schema.Struct(fields).annotate({
  identifier: "Operator",
  description: "A person who uses the operator API."
})
export type OperatorBody = typeof OperatorBody.Type

/** An operator with a new token, which is returned only once. */
export const OperatorTokenBody = Schema.Struct({
  ...fields,
  token: textOf(
    "The token itself. Returned only in this response, and not stored.",
    "op_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V"
  )
}).annotate({ identifier: "OperatorWithToken", description: "A person who uses the operator API, with a new token." })
export type OperatorTokenBody = typeof OperatorTokenBody.Type

/** Who calls the operator API. `id` is null for the configured token and for an embedding application. */
export const ActingOperatorBody = Schema.Struct({
  id: orNull(idOf("opr", "The id of the operator. Null for the configured token and for an embedding application.")),
  name: textOf("The name of the operator.", "Ada Obi"),
  email: orNull(emailOf("The email address of the operator. Null if there is none.")),
  role: OperatorRoleName
}).annotate({ identifier: "ActingOperator", description: "Who calls." })
export type ActingOperatorBody = typeof ActingOperatorBody.Type

export const operatorBody = bodyOf(OperatorBody, (_: Row<OperatorData>) => ({}))
