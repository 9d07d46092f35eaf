import { Schema } from "effect"
import { get, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
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
import { anyIdOf, countOf, idOf, orNull, textOf, timeOf } from "../../representations/members.ts"
import type { Registration } from "../registration.ts"

const sandboxGroup = {
  id: "sandbox",
  title: "Sandbox",
  description: "Controls the simulated provider. Available in the test environment only."
} as const

const issued = { schema: SandboxIssue, value: { outcome: "issued" } } as const

const ResourceStatus = Schema.Struct({
  id: anyIdOf("The id of the resource.", "ben"),
  status: textOf("Its status now.", "active")
}).annotate({ identifier: "ResourceStatus", description: "A resource and its status." })

const MovementStatus = Schema.Struct({
  resource_id: anyIdOf("The id of the movement.", "ofr"),
  status: textOf("Its status now.", "success")
}).annotate({ identifier: "MovementStatus", description: "A movement and its status." })

const ReportedPayin = Schema.Struct({
  payin_id: textOf("The id of the payment. Send it again to report a later stage.", "payin_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  transaction_id: orNull(
    idOf(
      "txn",
      "The transaction of the deposit or the onramp. Null if the payment made none, such as one that is not credited."
    )
  )
}).annotate({ identifier: "ReportedPayin", description: "A payment that was reported." })

const Settled = Schema.Struct({
  steps: countOf("The jobs that were run.", 4),
  deliveries_pending: countOf("The webhook deliveries that are still under way.", 0)
}).annotate({ identifier: "Settled", description: "What was run." })

const now = timeOf("The time of the service now.")

const ClockTime = Schema.Struct({
  now,
  latest: timeOf("The latest time that it can be moved to.", "2100-01-01T00:00:00.000Z")
}).annotate({ identifier: "ClockTime", description: "The clock of the service." })

const Advanced = Schema.Struct({ now, steps: countOf("The jobs that fell due and were run.", 12) }).annotate({
  identifier: "Advanced",
  description: "The clock after the move."
})

const operations = {
  sandbox: section(sandboxGroup, {
    deposit: post(
      "sandboxDeposit",
      "/sandbox/deposits",
      {
        summary: "Report a pay-in",
        input: SandboxDeposit,
        output: ReportedPayin,
        examples: { confirmed: { wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3", amount: "500.00" } },
        refusals: ["invalid_input", "not_found", "external_service_unavailable"]
      },
      ({ call, input }) => SandboxOperations.use((s) => s.deposit(call, input))
    ),
    outcome: post(
      "sandboxOutcome",
      "/sandbox/outcomes",
      {
        summary: "Report the outcome of a movement or a refund",
        description:
          "Where a refund is in progress, the outcome is that of the refund. After a refund that succeeded, `refund_failed` says that the money came back.",
        input: SandboxOutcome,
        output: MovementStatus,
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
          "If the verdict is negative, the beneficiary is blocked. A verdict on a screening other than the current one has no effect.",
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
        summary: "Report the outcome of a verification",
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
    /** Sets the response of the provider to later submissions. */
    provider: post(
      "sandboxProvider",
      "/sandbox/provider",
      {
        summary: "Set the response of the provider to later submissions",
        input: SandboxProvider,
        output: SandboxProvider,
        examples: { hold: { submissions: "hold" } }
      },
      ({ call, input }) => SandboxOperations.use((s) => s.behave(call, input))
    ),
    behaviour: get(
      "getSandboxProvider",
      "/sandbox/provider",
      { summary: "Get the response of the provider to later submissions", output: SandboxProvider },
      ({ call }) => SandboxOperations.use((s) => s.behaviour(call))
    ),
    /** Runs the jobs of the merchant that are due, and those that they make due. */
    settle: post(
      "sandboxSettle",
      "/sandbox/settle",
      {
        summary: "Run the jobs of the merchant that are due",
        description: "A node that runs no jobs (`CORRIDOR_DISPATCHER=off`) rejects this operation and the clock.",
        output: Settled,
        refusals: ["forbidden"]
      },
      ({ call }) => SandboxOperations.use((s) => s.settle(call))
    )
  }),
  clock: section(sandboxGroup, {
    now: get("getSandboxClock", "/sandbox/clock", { summary: "Get the clock of the service", output: ClockTime }, () =>
      SandboxOperations.use((s) => s.clock)
    ),
    /** Moves the clock of the service forward, and runs the jobs that fall due. */
    advance: post(
      "sandboxAdvanceClock",
      "/sandbox/clock/advance",
      {
        summary: "Move the clock of the service forward",
        input: SandboxAdvance,
        output: Advanced,
        examples: { hour: { seconds: 3600 } },
        refusals: ["invalid_input", "forbidden"]
      },
      ({ input }) => SandboxOperations.use((s) => s.advance(input))
    )
  })
} as const satisfies Sections

export const sandbox = { operations } satisfies Registration
