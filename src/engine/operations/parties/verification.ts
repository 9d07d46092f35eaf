import { Layer } from "effect"
import { get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { VerificationBody } from "../../representations/parties/verification.ts"
import {
  CreateVerification,
  ListVerifications,
  VerificationKind,
  Verifications
} from "../../resources/parties/verification.ts"
import {
  ListReviews,
  ReviewBody,
  ReviewVerification,
  VerificationReviews
} from "../../resources/parties/verification-review.ts"
import { nameMerchants } from "../named-rows.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const customer = { customerId: Id("cust") }

const operations = {
  merchant: section(
    {
      id: "verifications",
      title: "Verifications",
      description: "Identity verification of a customer on a hosted page."
    },
    {
      verifications: {
        /** While a session is open, a repeat returns it. A session whose link has expired gets a new link. */
        create: post(
          "createVerification",
          "/v1/customers/:customerId/verifications",
          {
            summary: "Start a verification",
            description:
              "The response has a link to the hosted page. While the link is valid, a repeat returns the same session. After the link expires, the same session gets a new link.",
            params: customer,
            input: CreateVerification,
            output: VerificationBody,
            examples: { next: {}, tier: { tier: "tier_1", redirect_url: "https://example.com/verified" } },
            refusals: ["invalid_status", "external_service_unavailable"]
          },
          ({ call, params, input }) => Verifications.use((s) => s.create(call, params.customerId, input))
        ),
        list: list(
          "listVerifications",
          "/v1/customers/:customerId/verifications",
          {
            summary: "List a customer's verifications",
            params: customer,
            input: ListVerifications,
            output: VerificationBody
          },
          ({ call, params, input }) => Verifications.use((s) => s.list(call, params.customerId, input))
        ),
        get: get(
          "getVerification",
          "/v1/customers/:customerId/verifications/:kycId",
          { summary: "Get a verification", params: { ...customer, kycId: Id("kyc") }, output: VerificationBody },
          ({ call, params }) => Verifications.use((s) => s.get(call, params.customerId, params.kycId))
        )
      }
    }
  ),
  operator: section(operatorGroup, {
    verifications: {
      list: nameMerchants(
        list(
          "listVerificationReviews",
          "/operator/v1/verifications",
          {
            summary: "List the verifications that wait for a review",
            description:
              "Oldest first, with what the customers submitted. With `status`: all verifications with that status, reviewed by whom they may be.",
            input: ListReviews,
            output: ReviewBody
          },
          ({ input }) => VerificationReviews.use((s) => s.list(input))
        ),
        "ListedVerificationReview"
      ),
      review: post(
        "reviewVerification",
        "/operator/v1/verifications/:id/review",
        {
          role: "support",
          summary: "Approve or reject a verification",
          description: "Decides on what the customer submitted on the hosted page.",
          params: { id: Id("kyc") },
          input: ReviewVerification,
          output: ReviewBody,
          examples: {
            approve: { decision: "approve", note: "matches the passport" },
            reject: { decision: "reject", reason: "document_invalid" }
          },
          refusals: ["invalid_status"]
        },
        ({ call, params, input }) => VerificationReviews.use((s) => s.review(call, params.id, input))
      )
    }
  })
} as const satisfies Sections

export const verification = {
  kind: VerificationKind,
  layer: Layer.mergeAll(Verifications.layer, VerificationReviews.layer),
  operations
} satisfies Registration
