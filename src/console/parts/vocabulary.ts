/** The words of the API among which a filter or a form chooses, in the order in which they are offered. */
import type {
  AccessRequest,
  Beneficiary,
  Brake,
  Customer,
  Merchant,
  Movement,
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
