/** The inputs of the sandbox routes (SANDBOX-1 to SANDBOX-12). */
import { Schema } from "effect"
import { movementOutcomes } from "../ports/Provider.ts"
import { refundModes, submissionModes } from "../ports/Sandbox.ts"
import { Amount, describe, Id, Optional, Text } from "../input/schemas.ts"

const SandboxSender = Schema.Struct({
  name: Optional(Text(255), "The name of the payer.", "Chidi Eze"),
  bank: Optional(Text(255), "The payer's bank.", "Zenith Bank"),
  account_number: Optional(Text(64), "The payer's account number. Its last four digits are kept.", "0011223344")
}).annotate({ identifier: "SandboxSender", description: "The payer of a bank transfer." })

export const SandboxDeposit = Schema.Struct({
  wallet_id: Optional(
    Id("wal"),
    "The wallet that receives the money, on an address or credential that is made if it has none."
  ),
  deposit_address_id: Optional(Id("da"), "The deposit address that is paid to."),
  credential_id: Optional(Id("wcr"), "The credential that is paid to."),
  onramp_id: Optional(Id("onr"), "The onramp that is paid. Exactly one of the four ids is required."),
  amount: describe(Amount, "What the payer pays, in `currency`.", "500.00"),
  currency: Optional(
    Schema.String,
    "The currency of `amount`. Default: that of the earlier reports of the payment, or the one that is expected.",
    "USDC"
  ),
  stage: Optional(
    Schema.Literals(["detected", "confirmed", "failed"]),
    "How far the payment is. Default: `confirmed`. `detected`: seen, and not final. `failed`: it did not arrive after all."
  ),
  payin_id: Optional(
    Text(128),
    "The payment: the same id reports a later stage of it, as this call says; what contradicts an earlier report becomes an exception. Default: a new one.",
    "payin-1042"
  ),
  from_address: Optional(
    Text(128),
    "The address that a crypto payment comes from.",
    "0x8617E340B3D01FA5F11F306F4090FD50E238070D"
  ),
  sender: Optional(SandboxSender),
  narration: Optional(Text(255), "The text of the bank transfer.", "Invoice 1042")
}).annotate({ identifier: "SandboxDeposit" })
export type SandboxDeposit = typeof SandboxDeposit.Type

export const SandboxOutcome = Schema.Struct({
  resource_id: describe(
    Text(64),
    "The movement: an onramp, offramp, conversion or transfer.",
    "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  outcome: describe(
    Schema.Literals(movementOutcomes),
    "What the provider reports. `temporarily_unavailable`: the route is down. `refund_failed`: the money cannot be given back."
  ),
  reason: Optional(Text(255), "The provider's reason.", "account_closed"),
  transaction_hash: Optional(
    Text(255),
    "The hash of the payment on its network.",
    "0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52"
  ),
  amount: Optional(
    Amount,
    "What the provider states was paid out, or came back. Default: the whole amount.",
    "147753.75"
  ),
  currency: Optional(Text(16), "The currency of `amount`, to be certain.", "NGN"),
  fee: Optional(Amount, "What the provider states that it charged.", "50.00"),
  fee_currency: Optional(Text(16), "The currency of `fee`. Default: that of `amount`.", "NGN"),
  parts: Optional(
    Schema.Array(
      Schema.Struct({
        id: describe(Text(64), "The provider's id of the part.", "part_1"),
        amount: describe(Amount, "What the part brought.", "60.00")
      })
    ).check(Schema.isMinLength(1), Schema.isMaxLength(100)),
    "All parts of a return, or of a refund, so far, where it comes in several. Report it again with more of them.",
    [{ id: "part_1", amount: "60.00" }]
  ),
  complete: Optional(
    Schema.Boolean,
    "No more parts follow: what is missing is the provider's fee. Default: `false`.",
    true
  ),
  provider_reference: Optional(Text(255), "The provider's own reference of the payment.", "FT26031XK92"),
  event_id: Optional(
    Text(128),
    "The provider's id of the report. The same id again is a repeat; with another content it becomes an exception.",
    "evt-88121"
  )
}).annotate({ identifier: "SandboxOutcome" })
export type SandboxOutcome = typeof SandboxOutcome.Type

/** Converts the input of an outcome to the simulated provider's report. */
export const toReport = ({ event_id, outcome, reason, resource_id: _, transaction_hash, ...said }: SandboxOutcome) => ({
  outcome,
  reason: reason ?? null,
  transaction_hash: transaction_hash ?? null,
  event_id: event_id ?? null,
  figures: Object.fromEntries(Object.entries(said).filter(([, one]) => one !== undefined))
})

export const SandboxProvider = Schema.Struct({
  submissions: describe(
    Schema.Literals(submissionModes),
    "How submissions are answered. `accept`: taken. `hold`: not asked yet. `unavailable`: temporarily unavailable. `timeout`: taken, but the answer is lost."
  ),
  refunds: Optional(
    Schema.Literals(refundModes),
    "How refunds end. `settle`: they succeed. `accept`: they wait for `POST /sandbox/outcomes`. Default: as before."
  )
}).annotate({ identifier: "SandboxProvider", description: "How the simulated provider treats the merchant." })
export type SandboxProvider = typeof SandboxProvider.Type

const aDuration = { expected: "a number of seconds from 0 to 315360000" }

export const SandboxAdvance = Schema.Struct({
  seconds: describe(
    Schema.Number.annotate(aDuration).check(
      Schema.isFinite(aDuration),
      Schema.isBetween({ minimum: 0, maximum: 315_360_000 }, aDuration)
    ),
    "How far to move the clock forward, in seconds, from 0 to 315360000.",
    3600
  )
}).annotate({ identifier: "SandboxAdvance" })
export type SandboxAdvance = typeof SandboxAdvance.Type

export const SandboxVerification = Schema.Struct({
  outcome: describe(
    Schema.Literals(["opened", "approved", "rejected"]),
    "What the provider reports. `opened`: the customer opened the link."
  ),
  reason: Optional(Text(255), "With `rejected`: why.", "identity_mismatch")
}).annotate({ identifier: "SandboxVerification" })
export type SandboxVerification = typeof SandboxVerification.Type

export const SandboxIssue = Schema.Struct({
  outcome: describe(Schema.Literal("issued"), "`issued`.")
}).annotate({ identifier: "SandboxIssue" })

export const SandboxScreen = Schema.Struct({
  outcome: describe(
    Schema.Literals(["screened", "refused"]),
    "The verdict. `screened`: cleared. `refused`: not cleared, the beneficiary is blocked."
  ),
  screening_id: Optional(
    Text(128),
    "The screening that the verdict is about. Default: the beneficiary's current one.",
    "scr_01j9z3k4m5n6p7q8r9s0t1v2w3"
  )
}).annotate({ identifier: "SandboxScreen" })
export type SandboxScreen = typeof SandboxScreen.Type
