import { Effect } from "effect"
import { SandboxOperations } from "../../engine/sandbox/sandbox.ts"
import { SandboxApi } from "../api/sandbox.ts"
import type { Endpoint } from "../endpoint.ts"
import { endpoints } from "../endpoint.ts"

/** None where there is no simulated provider: the routes are then unknown. */
export const sandboxEndpoints: Effect.Effect<ReadonlyArray<Endpoint>> = Effect.map(
  Effect.serviceOption(SandboxOperations),
  (found) =>
    found._tag === "None"
      ? []
      : endpoints(SandboxApi, {
          sandboxDeposit: ({ call, body }) => found.value.deposit(call, body),
          sandboxOutcome: ({ call, body }) => found.value.outcome(call, body),
          sandboxIssueDepositAddress: ({ call, params }) => found.value.issueDepositAddress(call, params.id),
          sandboxIssueWalletCredential: ({ call, params }) => found.value.issueWalletCredential(call, params.id),
          sandboxScreenBeneficiary: ({ call, params, body }) => found.value.screenBeneficiary(call, params.id, body),
          sandboxVerification: ({ call, params, body }) => found.value.verification(call, params.kycId, body),
          sandboxProvider: ({ call, body }) => found.value.behave(call, body),
          sandboxAdvanceClock: ({ body }) => found.value.advance(body),
          sandboxSettle: ({ call }) => found.value.settle(call)
        })
)
