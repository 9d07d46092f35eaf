import { Schema } from "effect"
import {
  SandboxAdvance,
  SandboxDeposit,
  SandboxIssue,
  SandboxOutcome,
  SandboxProvider,
  SandboxScreen,
  SandboxVerification
} from "../../engine/sandbox/inputs.ts"
import { Timestamp, Id } from "../../engine/input/schemas.ts"
import { group, Nothing, post } from "./contract.ts"

const ResourceStatus = Schema.Struct({ id: Schema.String, status: Schema.String })

export const SandboxApi = group(
  "sandbox",
  "Sandbox",
  "Makes the simulated provider speak; in the test environment only."
).add(
  post(
    "sandboxDeposit",
    "/sandbox/deposits",
    SandboxDeposit,
    Schema.Struct({ payin_id: Schema.String, transaction_id: Schema.NullOr(Schema.String) }),
    {
      summary: "Report a pay-in",
      errors: ["invalid_input", "not_found", "external_service_unavailable"],
      examples: { confirmed: { wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3", amount: "500.00" } }
    }
  ),
  post(
    "sandboxOutcome",
    "/sandbox/outcomes",
    SandboxOutcome,
    Schema.Struct({ resource_id: Schema.String, status: Schema.String }),
    {
      summary: "Report the outcome of a movement",
      errors: ["invalid_input", "not_found"],
      examples: { success: { resource_id: "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3", outcome: "success" } }
    }
  ),
  post("sandboxIssueDepositAddress", "/sandbox/deposit-addresses/:id", SandboxIssue, ResourceStatus, {
    summary: "Issue a deposit address now",
    params: { id: Id("da") },
    examples: { issued: { outcome: "issued" } }
  }),
  post("sandboxIssueWalletCredential", "/sandbox/credentials/:id", SandboxIssue, ResourceStatus, {
    summary: "Issue a wallet credential now",
    params: { id: Id("wcr") },
    examples: { issued: { outcome: "issued" } }
  }),
  post("sandboxScreenBeneficiary", "/sandbox/beneficiaries/:id", SandboxScreen, ResourceStatus, {
    summary: "Report the verdict on a screening",
    description:
      "Not cleared, the beneficiary is blocked. A verdict on another screening than the beneficiary's own changes nothing.",
    params: { id: Id("ben") },
    examples: { screened: { outcome: "screened" }, refused: { outcome: "refused" } }
  }),
  post("sandboxVerification", "/sandbox/verifications/:kycId", SandboxVerification, ResourceStatus, {
    summary: "Report what became of a verification",
    params: { kycId: Id("kyc") },
    errors: ["external_service_unavailable"],
    examples: { approved: { outcome: "approved" }, rejected: { outcome: "rejected", reason: "identity_mismatch" } }
  }),
  post("sandboxProvider", "/sandbox/provider", SandboxProvider, SandboxProvider, {
    summary: "Say how submissions are answered from now on",
    examples: { hold: { submissions: "hold" } }
  }),
  post(
    "sandboxAdvanceClock",
    "/sandbox/clock/advance",
    SandboxAdvance,
    Schema.Struct({ now: Timestamp, steps: Schema.Int }),
    {
      summary: "Move the service's clock forward",
      errors: ["invalid_input", "forbidden"],
      examples: { hour: { seconds: 3600 } }
    }
  ),
  post(
    "sandboxSettle",
    "/sandbox/settle",
    Nothing,
    Schema.Struct({ steps: Schema.Int, deliveries_pending: Schema.Int }),
    {
      summary: "Run the merchant's work that is due now",
      description: "A node that takes no work (`CORRIDOR_DISPATCHER=off`) refuses this and moving the clock.",
      errors: ["forbidden"]
    }
  )
)
