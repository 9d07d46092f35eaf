import { Schema } from "effect"
import { list, post, section, type Sections } from "../../calls/operation.ts"
import { describe, Id } from "../../input/schemas.ts"
import { AccessRequestBody } from "../../representations/access/access-request.ts"
import {
  AccessGrantKind,
  AccessRequestKind,
  AccessRequests,
  CreateAccessRequest,
  ListAccessRequests,
  ListAllAccessRequests,
  ReviewAccessRequest,
  RevokeAccessRequest
} from "../../resources/access/access-request.ts"
import type { Registration } from "../registration.ts"

const one = { id: Id("rar") }

const operations = {
  merchant: section(
    {
      id: "access",
      title: "Currency access",
      description: "Some currencies are gated: a merchant needs a grant to use them."
    },
    {
      currencies: {
        /** Requests access to a gated currency. */
        requestAccess: post(
          "createAccessRequest",
          "/v1/currencies/:code/access-requests",
          {
            summary: "Request access to a currency",
            description:
              "The country selects between currencies with the same code. While a request is pending, a repeat returns that request.",
            params: { code: describe(Schema.String, "The code of the currency.", "XOF") },
            input: CreateAccessRequest,
            output: AccessRequestBody,
            examples: { XOF: { countryCode: "SN", reason: "Supplier payouts in Dakar" } },
            refusals: ["prohibited_country", "access_already_granted"]
          },
          ({ call, params, input }) => AccessRequests.use((s) => s.create(call, params.code, input))
        ),
        accessRequests: list(
          "listAccessRequests",
          "/v1/currencies/access-requests",
          { summary: "List your access requests", input: ListAccessRequests, output: AccessRequestBody },
          ({ call, input }) => AccessRequests.use((s) => s.list(call, input))
        )
      }
    }
  ),
  operator: section(
    {
      id: "operatorAccess",
      title: "Operator: currency access",
      description: "Requests for gated currencies, and the grants."
    },
    {
      accessRequests: {
        list: list(
          "listAllAccessRequests",
          "/operator/v1/access-requests",
          { summary: "List every merchant's access requests", input: ListAllAccessRequests, output: AccessRequestBody },
          ({ input }) => AccessRequests.use((s) => s.all(input))
        ),
        review: post(
          "reviewAccessRequest",
          "/operator/v1/access-requests/:id/review",
          {
            role: "support",
            summary: "Approve or reject an access request",
            params: one,
            input: ReviewAccessRequest,
            output: AccessRequestBody,
            examples: { approve: { decision: "approve", reason: "licence checked" } },
            refusals: ["invalid_status"]
          },
          ({ call, params, input }) => AccessRequests.use((s) => s.review(call, params.id, input))
        ),
        revoke: post(
          "revokeAccessRequest",
          "/operator/v1/access-requests/:id/revoke",
          {
            role: "support",
            summary: "Revoke a grant",
            params: one,
            input: RevokeAccessRequest,
            output: AccessRequestBody,
            examples: { revoke: { reason: "licence lapsed" } },
            refusals: ["invalid_status"]
          },
          ({ call, params, input }) => AccessRequests.use((s) => s.revoke(call, params.id, input))
        )
      }
    }
  )
} as const satisfies Sections

export const accessRequest = {
  kind: AccessRequestKind,
  records: [AccessGrantKind],
  layer: AccessRequests.layer,
  operations
} satisfies Registration
