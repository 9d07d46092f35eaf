import { Effect } from "effect"
import { AccessRequests } from "../../engine/resources/access/access-request.ts"
import { AccessRequestsApi, OperatorAccessApi } from "../api/access-request.ts"
import { endpoints } from "../endpoint.ts"

export const accessRequestEndpoints = Effect.map(AccessRequests, (requests) => [
  ...endpoints(AccessRequestsApi, {
    createAccessRequest: ({ call, params, body }) => requests.create(call, params.code, body),
    listAccessRequests: ({ call, query }) => requests.list(call, query)
  }),
  ...endpoints(OperatorAccessApi, {
    listAllAccessRequests: ({ query }) => requests.all(query),
    reviewAccessRequest: ({ call, params, body }) => requests.review(call, params.id, body),
    revokeAccessRequest: ({ call, params, body }) => requests.revoke(call, params.id, body)
  })
])
