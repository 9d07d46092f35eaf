import { Schema } from "effect"
import { post, section, type Sections } from "../../calls/operation.ts"
import { Id, Timestamp } from "../../input/schemas.ts"
import {
  SandboxAdvance,
  SandboxDeposit,
  SandboxIssue,
  SandboxOutcome,
  SandboxProvider,
  SandboxScreen,
  SandboxVerification
} from "../../sandbox/inputs.ts"
import { SandboxOperations } from "../../sandbox/sandbox.ts"
import type { Registration } from "../registration.ts"

const sandboxGroup = {
  id: "sandbox",
  title: "Sandbox",
  description: "Makes the simulated provider speak; in the test environment only."
} as const

const issued = { schema: SandboxIssue, value: { outcome: "issued" } } as const

const ResourceStatus = Schema.Struct({ id: Schema.String, status: Schema.String })

const operations = {
  sandbox: section(sandboxGroup, {
    deposit: post(
      "sandboxDeposit",
      "/sandbox/deposits",
      {
        summary: "Report a pay-in",
        input: SandboxDeposit,
        output: Schema.Struct({ payin_id: Schema.String, transaction_id: Schema.NullOr(Schema.String) }),
        examples: { confirmed: { wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3", amount: "500.00" } },
        refusals: ["invalid_input", "not_found", "external_service_unavailable"]
      },
      ({ call, input }) => SandboxOperations.use((s) => s.deposit(call, input))
    ),
    outcome: post(
      "sandboxOutcome",
      "/sandbox/outcomes",
      {
        summary: "Report the outcome of a movement",
        input: SandboxOutcome,
        output: Schema.Struct({ resource_id: Schema.String, status: Schema.String }),
        examples: { success: { resource_id: "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3", outcome: "success" } },
        refusals: ["invalid_input", "not_found"]
      },
      ({ call, input }) => SandboxOperations.use((s) => s.outcome(call, input))
    ),
    issueDepositAddress: post(
      "sandboxIssueDepositAddress",
      "/sandbox/deposit-addresses/:id",
      {
        summary: "Issue a deposit address now",
        params: { id: Id("da") },
        input: issued,
        output: ResourceStatus,
        examples: { issued: { outcome: "issued" } }
      },
      ({ call, params }) => SandboxOperations.use((s) => s.issueDepositAddress(call, params.id))
    ),
    issueWalletCredential: post(
      "sandboxIssueWalletCredential",
      "/sandbox/credentials/:id",
      {
        summary: "Issue a wallet credential now",
        params: { id: Id("wcr") },
        input: issued,
        output: ResourceStatus,
        examples: { issued: { outcome: "issued" } }
      },
      ({ call, params }) => SandboxOperations.use((s) => s.issueWalletCredential(call, params.id))
    ),
    screenBeneficiary: post(
      "sandboxScreenBeneficiary",
      "/sandbox/beneficiaries/:id",
      {
        summary: "Report the verdict on a screening",
        description:
          "Not cleared, the beneficiary is blocked. A verdict on another screening than the beneficiary's own changes nothing.",
        params: { id: Id("ben") },
        input: SandboxScreen,
        output: ResourceStatus,
        examples: { screened: { outcome: "screened" }, refused: { outcome: "refused" } }
      },
      ({ call, params, input }) => SandboxOperations.use((s) => s.screenBeneficiary(call, params.id, input))
    ),
    verification: post(
      "sandboxVerification",
      "/sandbox/verifications/:kycId",
      {
        summary: "Report what became of a verification",
        params: { kycId: Id("kyc") },
        input: SandboxVerification,
        output: ResourceStatus,
        examples: {
          approved: { outcome: "approved" },
          rejected: { outcome: "rejected", reason: "identity_mismatch" }
        },
        refusals: ["external_service_unavailable"]
      },
      ({ call, params, input }) => SandboxOperations.use((s) => s.verification(call, params.kycId, input))
    ),
    /** How submissions are answered from now on. */
    provider: post(
      "sandboxProvider",
      "/sandbox/provider",
      {
        summary: "Say how submissions are answered from now on",
        input: SandboxProvider,
        output: SandboxProvider,
        examples: { hold: { submissions: "hold" } }
      },
      ({ call, input }) => SandboxOperations.use((s) => s.behave(call, input))
    ),
    /** Runs the merchant's work that is due, and what that makes due. */
    settle: post(
      "sandboxSettle",
      "/sandbox/settle",
      {
        summary: "Run the merchant's work that is due now",
        description: "A node that takes no work (`CORRIDOR_DISPATCHER=off`) refuses this and moving the clock.",
        output: Schema.Struct({ steps: Schema.Int, deliveries_pending: Schema.Int }),
        refusals: ["forbidden"]
      },
      ({ call }) => SandboxOperations.use((s) => s.settle(call))
    )
  }),
  clock: section(sandboxGroup, {
    /** Moves the service's clock forward; what falls due on the way is run. */
    advance: post(
      "sandboxAdvanceClock",
      "/sandbox/clock/advance",
      {
        summary: "Move the service's clock forward",
        input: SandboxAdvance,
        output: Schema.Struct({ now: Timestamp, steps: Schema.Int }),
        examples: { hour: { seconds: 3600 } },
        refusals: ["invalid_input", "forbidden"]
      },
      ({ input }) => SandboxOperations.use((s) => s.advance(input))
    )
  })
} as const satisfies Sections

export const sandbox = { operations } satisfies Registration
