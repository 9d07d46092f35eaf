import { words } from "../../parts/text.ts"

/** The actions that the audit log records: the sessions of operators, and every operation of theirs that writes. */
export const auditedActions = [
  "session.created session.ended",
  "createMerchant updateMerchant createMerchantApiKey revokeMerchantApiKey",
  "reviewAccessRequest revokeAccessRequest reviewVerification",
  "freezeWalletCredential unfreezeWalletCredential forwardWalletCredential disableWalletCredential freezeDepositAddress unfreezeDepositAddress",
  "replayFailedMerchantWebhookEvents",
  "releaseDeposit rejectDeposit resolveException",
  "createBrake releaseBrake acceptRate",
  "createFeeSchedule endFeeSchedule createLimit updateLimit",
  "createExternalAccount updateExternalAccount createAdjustingEntry reverseAdjustingEntry createStatementMapping",
  "takeStatements resolveBreaks resolveBreak createClosing",
  "createOperatorApprovalRule updateOperatorApprovalRule endOperatorApprovalRule approveOperatorApproval declineOperatorApproval",
  "createOperator updateOperator rotateOperatorToken revokeOperator"
].flatMap((names) => names.split(" "))

/** Formats the name of an audited action: `releaseDeposit` → `Release deposit`. */
export const formatAction = (action: string): string =>
  words(action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll(".", " "))
