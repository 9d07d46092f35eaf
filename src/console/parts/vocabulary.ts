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
  MerchantWebhookEndpoint,
  Movement,
  Offramp,
  Verification,
  WebhookDelivery,
  WebhookEndpoint
} from "../../client/generated/resources.ts"

type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text

type Repeated<Text extends string> = Text extends `${infer Word} ${infer Rest}`
  ? Extract<Word, Words<Rest>> | Repeated<Rest>
  : never

/** What a list of words lacks of a type, has beside it, or has twice: of the right one, nothing. */
type Amiss<Word extends string, Text extends string> =
  | Exclude<Word, Words<Text>>
  | Exclude<Words<Text>, Word>
  | Repeated<Text>

/** All words of a type: one that the API gains or loses is an error of the compile, which names it. */
const all =
  <Word extends string>() =>
  <const Text extends string>(
    text: [Amiss<Word, Text>] extends [never] ? Text : `amiss: ${Amiss<Word, Text>}`
  ): ReadonlyArray<Word> =>
    text.split(" ") as ReadonlyArray<string> as ReadonlyArray<Word>

export const customerTypes = all<Customer["type"]>()("individual business")
export const kycStatuses = all<Customer["kyc_status"]>()("not_started pending in_progress approved rejected expired")
export const verificationStatuses = all<Verification["status"]>()("pending in_progress approved rejected expired")
export const movementKinds = all<Movement["type"]>()("onramp offramp conversion transfer deposit")
export const movementStatuses = all<Movement["status"]>()(
  "created awaiting_deposit received processing temporary_failure success confirmed failed returned"
)
/** Why a movement fails or is returned. The API may gain others, which the list and the statistics show. */
export const failureReasons: ReadonlyArray<string> =
  "failed quote_expired temporarily_unavailable cancelled reversed returned refund_failed".split(" ")
export const beneficiaryStatuses = all<Beneficiary["status"]>()("pending active blocked")
export const moneyTypes = all<Beneficiary["type"]>()("fiat crypto")
export const externalAccountUses = all<ExternalAccount["uses"][number]>()("payouts payins")
export const merchantStatuses = all<Merchant["status"]>()("pending active suspended")
export const accessRequestStatuses = all<AccessRequest["status"]>()("pending approved rejected revoked")
export const brakeScopes = all<Brake["scope"]>()("all provider corridor merchant")
export const brakeStatuses = all<Brake["status"]>()("active released")
export const deliveryStatuses = all<WebhookDelivery["status"]>()("pending delivered failed")
export const endpointConditions = all<MerchantWebhookEndpoint["health"]>()("healthy failing inactive")
export const eventCategories = all<WebhookEndpoint["categories"][number]>()(
  "onramp offramp conversion transfer deposit kyc"
)
export const breakKinds = all<Break["kind"]>()(
  "missing_in_books missing_on_statement amount_differs executed_twice contradicts_status balance_differs gap"
)
export const breakSeverities = all<Break["severity"]>()("high low")
export const approvalStatuses = all<Approval["status"]>()("pending approved declined expired")
/** Without the words of {@link ownRuleOperations}. */
const operatorRuleOperations = all<Exclude<ApprovalRule["operations"][number], (typeof ownRuleOperations)[number]>>()(
  "adjusting_entry exception_credit deposit_release break_resolution limit fee_schedule operator merchant brake_release"
)
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
export const ruleStatuses = all<ApprovalRule["status"]>()("active ended")
export const operatorRoles = all<ActingOperator["role"]>()("viewer support treasury admin")
export const limitScopes = all<Limit["scope"]>()("platform merchant customer wallet beneficiary api_key")
export const limitOperations = all<Limit["operations"][number]>()(
  "payout transfer offramp onramp conversion deposit adjusting_entry exception_credit deposit_release batch break_resolution limit approval_rule fee_schedule operator api_key merchant brake_release"
)
export const feeOperations = all<FeeSchedule["operation"]>()("offramp onramp conversion")
export const batchStatuses = all<Batch["status"]>()("draft processing completed cancelled")
export const payoutStatuses = all<Offramp["status"]>()("created processing temporary_failure success failed returned")
export const batchRowStatuses = all<BatchRow["status"]>()("valid invalid pending created failed cancelled")
