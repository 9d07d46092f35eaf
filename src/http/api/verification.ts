import { VerificationBody } from "../../engine/representations/parties/verification.ts"
import { CreateVerification, ListVerifications } from "../../engine/resources/parties/verification.ts"
import { Id } from "../../engine/input/schemas.ts"
import { get, group, list, post } from "./contract.ts"

const customer = { customerId: Id("cust") }

export const VerificationsApi = group(
  "verifications",
  "Verifications",
  "A customer's identity, proven on a hosted page."
).add(
  post("createVerification", "/v1/customers/:customerId/verifications", CreateVerification, VerificationBody, {
    summary: "Start a verification",
    description:
      "Answers with a link to show to the customer. Asked again while the link holds, it answers with the same session; once " +
      "the link has lapsed, the same session gets a new one.",
    params: customer,
    errors: ["invalid_status"],
    examples: { next: {}, tier: { tier: "tier_1", redirect_url: "https://example.com/verified" } }
  }),
  list("listVerifications", "/v1/customers/:customerId/verifications", VerificationBody, {
    summary: "List a customer's verifications",
    params: customer,
    query: ListVerifications
  }),
  get("getVerification", "/v1/customers/:customerId/verifications/:kycId", VerificationBody, {
    summary: "Get a verification",
    params: { ...customer, kycId: Id("kyc") }
  })
)
