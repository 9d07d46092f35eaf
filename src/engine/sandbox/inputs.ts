/** The inputs of the sandbox routes (SANDBOX-1 to SANDBOX-12). */
import { Schema } from "effect"
import { movementOutcomes } from "../ports/Provider.ts"
import { refundModes, submissionModes } from "../ports/Sandbox.ts"
import { Amount, Id, Optional, Text } from "../input/schemas.ts"

export const SandboxDeposit = Schema.Struct({
  wallet_id: Optional(Id("wal")),
  deposit_address_id: Optional(Id("da")),
  credential_id: Optional(Id("wcr")),
  onramp_id: Optional(Id("onr")),
  amount: Amount,
  currency: Optional(Schema.String),
  stage: Optional(Schema.Literals(["detected", "confirmed", "failed"])),
  payin_id: Optional(Text(128)),
  from_address: Optional(Text(128)),
  sender: Optional(
    Schema.Struct({ name: Optional(Text(255)), bank: Optional(Text(255)), account_number: Optional(Text(64)) })
  ),
  narration: Optional(Text(255))
})
export type SandboxDeposit = typeof SandboxDeposit.Type

export const SandboxOutcome = Schema.Struct({
  resource_id: Text(64),
  outcome: Schema.Literals(movementOutcomes),
  reason: Optional(Text(255)),
  transaction_hash: Optional(Text(255)),
  /** What the provider states: what was paid out, or came back. */
  amount: Optional(Amount),
  currency: Optional(Text(16)),
  fee: Optional(Amount),
  fee_currency: Optional(Text(16)),
  provider_reference: Optional(Text(255)),
  event_id: Optional(Text(128))
})
export type SandboxOutcome = typeof SandboxOutcome.Type

/** What the provider states of an outcome. */
export const statedIn = ({ event_id, outcome, reason, resource_id: _, transaction_hash, ...said }: SandboxOutcome) => ({
  outcome,
  reason: reason ?? null,
  transaction_hash: transaction_hash ?? null,
  event_id: event_id ?? null,
  figures: Object.fromEntries(Object.entries(said).filter(([, one]) => one !== undefined))
})

/** `refunds`: how refunds are treated. Default: as before. */
export const SandboxProvider = Schema.Struct({
  submissions: Schema.Literals(submissionModes),
  refunds: Optional(Schema.Literals(refundModes))
})
export type SandboxProvider = typeof SandboxProvider.Type

export const SandboxAdvance = Schema.Struct({
  seconds: Schema.Number.annotate({ expected: "a number of seconds from 0 to 315360000" }).check(
    Schema.makeFilter((seconds: number) => seconds >= 0 && seconds <= 315_360_000, {
      expected: "a number of seconds from 0 to 315360000",
      code: "invalid_value"
    })
  )
})
export type SandboxAdvance = typeof SandboxAdvance.Type

export const SandboxVerification = Schema.Struct({
  outcome: Schema.Literals(["opened", "approved", "rejected"]),
  reason: Optional(Text(255))
})
export type SandboxVerification = typeof SandboxVerification.Type

export const SandboxIssue = Schema.Struct({ outcome: Schema.Literal("issued") })

/** `screening_id`: the screening that the verdict is about. Default: the beneficiary's current one. */
export const SandboxScreen = Schema.Struct({
  outcome: Schema.Literals(["screened", "refused"]),
  screening_id: Optional(Text(128))
})
export type SandboxScreen = typeof SandboxScreen.Type
