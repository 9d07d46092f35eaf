import { Schema } from "effect"
import { AccessRequestBody } from "../../engine/representations/access/access-request.ts"
import {
  CreateAccessRequest,
  ListAccessRequests,
  ReviewAccessRequest,
  RevokeAccessRequest
} from "../../engine/resources/access/access-request.ts"
import { Id } from "../../engine/input/schemas.ts"
import { group, list, post } from "./contract.ts"

const one = { id: Id("rar") }

export const AccessRequestsApi = group(
  "access",
  "Currency access",
  "Some currencies are gated: they are used under a grant."
).add(
  post("createAccessRequest", "/v1/currencies/:code/access-requests", CreateAccessRequest, AccessRequestBody, {
    summary: "Ask for access to a currency",
    description:
      "The country tells currencies of one code apart. While a request is pending, it is what a repeat is answered with.",
    params: { code: Schema.String },
    errors: ["access_already_granted"],
    examples: { XOF: { countryCode: "SN", reason: "Supplier payouts in Dakar" } }
  }),
  list("listAccessRequests", "/v1/currencies/access-requests", AccessRequestBody, {
    summary: "List your access requests",
    query: ListAccessRequests
  })
)

export const OperatorAccessApi = group(
  "operatorAccess",
  "Operator: currency access",
  "Who may use the gated currencies."
).add(
  list("listAllAccessRequests", "/operator/v1/access-requests", AccessRequestBody, {
    summary: "List every merchant's access requests",
    query: ListAccessRequests
  }),
  post("reviewAccessRequest", "/operator/v1/access-requests/:id/review", ReviewAccessRequest, AccessRequestBody, {
    summary: "Grant or refuse access to a currency",
    params: one,
    errors: ["invalid_status"],
    examples: { approve: { decision: "approve", reason: "licence checked" } }
  }),
  post("revokeAccessRequest", "/operator/v1/access-requests/:id/revoke", RevokeAccessRequest, AccessRequestBody, {
    summary: "Take a grant back",
    params: one,
    errors: ["invalid_status"],
    examples: { revoke: { reason: "licence lapsed" } }
  })
)
