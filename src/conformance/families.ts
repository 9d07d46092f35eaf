/** The operations that are commands: `PUT` under an id of Corridor's, and `GET` of what became of it. */
import type { Schema } from "effect"
import {
  CommandStatus,
  InstructionResult,
  InstructionStatus,
  IssueResult,
  IssueStatus,
  Submission,
  VerificationResult,
  VerificationStatus
} from "../protocol/results.ts"

export type FamilyName = "payout" | "conversion" | "refund" | "issue" | "instruction" | "verification"

export interface CaseFamily {
  readonly name: FamilyName
  /** The first part of the path. */
  readonly collection: string
  readonly operation: string
  readonly statusOperation: string
  /** The operation of the manifest that offers it. */
  readonly offered: "payout" | "conversion" | "payin" | "issue" | "verification"
  readonly result: Schema.Decoder<unknown>
  readonly status: Schema.Decoder<unknown>
}

const family = (
  name: FamilyName,
  offered: CaseFamily["offered"],
  result: Schema.Decoder<unknown>,
  status: Schema.Decoder<unknown>
): CaseFamily => ({
  name,
  collection: `${name}s`,
  operation: name,
  statusOperation: `${name}_status`,
  offered,
  result,
  status
})

export const families = {
  payout: family("payout", "payout", Submission, CommandStatus),
  conversion: family("conversion", "conversion", Submission, CommandStatus),
  refund: family("refund", "payin", Submission, CommandStatus),
  issue: family("issue", "issue", IssueResult, IssueStatus),
  instruction: family("instruction", "payin", InstructionResult, InstructionStatus),
  verification: family("verification", "verification", VerificationResult, VerificationStatus)
} as const satisfies Readonly<Record<FamilyName, CaseFamily>>
