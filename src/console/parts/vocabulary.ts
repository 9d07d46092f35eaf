/** The words of the API among which a filter or a form chooses, in the order in which they are offered. */
import type {
  AccessRequest,
  ActingOperator,
  Approval,
  ApprovalRule,
  Beneficiary,
  Batch,
  BatchRow,
  Brake,
  Break,
  Customer,
  ExternalAccount,
  FeeSchedule,
  Limit,
  Merchant,
  Movement,
  Offramp,
  Verification,
  WebhookDelivery,
  WebhookEndpoint
} from "../../client/generated/resources.ts"

/** All words of a type: one that the API gains or loses is an error of the compile. */
const all = <Word extends string>(words: Readonly<Record<Word, true>>): ReadonlyArray<Word> =>
  Object.keys(words) as Array<Word>

export const customerTypes = all<Customer["type"]>({ individual: true, business: true })
export const kycStatuses = all<Customer["kyc_status"]>({
  not_started: true,
  pending: true,
  in_progress: true,
  approved: true,
  rejected: true,
  expired: true
})
export const verificationStatuses = all<Verification["status"]>({
  pending: true,
  in_progress: true,
  approved: true,
  rejected: true,
  expired: true
})
export const movementKinds = all<Movement["type"]>({
  onramp: true,
  offramp: true,
  conversion: true,
  transfer: true,
  deposit: true
})
export const beneficiaryStatuses = all<Beneficiary["status"]>({ pending: true, active: true, blocked: true })
export const moneyTypes = all<Beneficiary["type"]>({ fiat: true, crypto: true })
export const externalAccountUses = all<ExternalAccount["uses"][number]>({ payouts: true, payins: true })
export const merchantStatuses = all<Merchant["status"]>({ pending: true, active: true, suspended: true })
export const accessRequestStatuses = all<AccessRequest["status"]>({
  pending: true,
  approved: true,
  rejected: true,
  revoked: true
})
export const brakeScopes = all<Brake["scope"]>({ all: true, provider: true, corridor: true, merchant: true })
export const brakeStatuses = all<Brake["status"]>({ active: true, released: true })
export const deliveryStatuses = all<WebhookDelivery["status"]>({ pending: true, delivered: true, failed: true })
export const eventCategories = all<WebhookEndpoint["categories"][number]>({
  onramp: true,
  offramp: true,
  conversion: true,
  transfer: true,
  deposit: true,
  kyc: true
})
export const breakKinds = all<Break["kind"]>({
  missing_in_books: true,
  missing_on_statement: true,
  amount_differs: true,
  executed_twice: true,
  contradicts_status: true,
  balance_differs: true,
  gap: true
})
export const breakSeverities = all<Break["severity"]>({ high: true, low: true })
export const approvalStatuses = all<Approval["status"]>({
  pending: true,
  approved: true,
  declined: true,
  expired: true
})
/** Without the words of {@link ownRuleOperations}. */
const operatorRuleOperations = all<Exclude<ApprovalRule["operations"][number], (typeof ownRuleOperations)[number]>>({
  adjusting_entry: true,
  exception_credit: true,
  deposit_release: true,
  break_resolution: true,
  limit: true,
  fee_schedule: true,
  operator: true,
  merchant: true,
  brake_release: true
})
/** What a merchant's own rules can let wait. */
export const ownRuleOperations = [
  "payout",
  "transfer",
  "offramp",
  "onramp",
  "conversion",
  "batch",
  "approval_rule",
  "api_key"
] as const
export const ruleOperations: ReadonlyArray<string> = [...ownRuleOperations, ...operatorRuleOperations]
export const ruleStatuses = all<ApprovalRule["status"]>({ active: true, ended: true })
export const operatorRoles = all<ActingOperator["role"]>({ viewer: true, support: true, treasury: true, admin: true })
export const limitScopes = all<Limit["scope"]>({
  platform: true,
  merchant: true,
  customer: true,
  wallet: true,
  beneficiary: true,
  api_key: true
})
export const limitOperations = all<Limit["operations"][number]>({
  payout: true,
  transfer: true,
  offramp: true,
  onramp: true,
  conversion: true,
  deposit: true,
  adjusting_entry: true,
  exception_credit: true,
  deposit_release: true,
  batch: true,
  break_resolution: true,
  limit: true,
  approval_rule: true,
  fee_schedule: true,
  operator: true,
  api_key: true,
  merchant: true,
  brake_release: true
})
export const feeOperations = all<FeeSchedule["operation"]>({ offramp: true, onramp: true, conversion: true })
export const batchStatuses = all<Batch["status"]>({ draft: true, processing: true, completed: true, cancelled: true })
export const payoutStatuses = all<Offramp["status"]>({
  created: true,
  processing: true,
  temporary_failure: true,
  success: true,
  failed: true,
  returned: true
})
export const batchRowStatuses = all<BatchRow["status"]>({
  valid: true,
  invalid: true,
  pending: true,
  created: true,
  failed: true,
  cancelled: true
})
