import { get, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { VerificationBody } from "../../representations/parties/verification.ts"
import {
  CreateVerification,
  ListVerifications,
  VerificationKind,
  Verifications
} from "../../resources/parties/verification.ts"
import type { Registration } from "../registration.ts"

const customer = { customerId: Id("cust") }

const operations = {
  merchant: section(
    { id: "verifications", title: "Verifications", description: "A customer's identity, proven on a hosted page." },
    {
      verifications: {
        /** The session under way is answered with again; one whose link has lapsed gets a new link. */
        create: post(
          "createVerification",
          "/v1/customers/:customerId/verifications",
          {
            summary: "Start a verification",
            description:
              "Answers with a link to show to the customer. Asked again while the link holds, it answers with the same session; once " +
              "the link has lapsed, the same session gets a new one.",
            params: customer,
            input: CreateVerification,
            output: VerificationBody,
            examples: { next: {}, tier: { tier: "tier_1", redirect_url: "https://example.com/verified" } },
            refusals: ["invalid_status"]
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
  )
} as const satisfies Sections

export const verification = { kind: VerificationKind, layer: Verifications.layer, operations } satisfies Registration
