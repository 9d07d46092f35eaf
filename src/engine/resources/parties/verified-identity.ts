/** Whom a verdict is about: the customer as the provider was told of it, and as it is (KYC-16). */
import type { CustomerData } from "../../../machines/parties/customer.ts"
import type { VerificationData } from "../../../machines/parties/verification.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { makeCommand } from "../../commit/steps.ts"
import type { Row } from "../../ports/Storage.ts"

/** The version of a customer's verified data: two states of a customer with one number have the same. */
export const identityVersionOf = ({ identity_version = 0 }: CustomerData): number => identity_version

/** The versions of the customer that a session's provider was told of. Without them, the customer has not changed since. */
export const identityVersionsOf = ({ identity_versions = { first: 0, latest: 0 } }: VerificationData) =>
  identity_versions

/** Whether the page of a session is a provider's, which was told of the customer. */
export const isAtProvider = ({ data }: Row): boolean => {
  const { link, starts } = data as VerificationData
  return link?.url_sealed !== undefined && starts !== undefined
}

/**
 * Whether a verdict on a session is about the customer as it is. `asked`: the version that a look-up was about. Absent: the verdict does
 * not say, and may be on any that the provider was told of.
 */
export const isAboutCustomer = (row: Row<VerificationData>, customer: CustomerData, asked?: number): boolean => {
  if (!isAtProvider(row)) return true
  const { first, latest } = identityVersionsOf(row.data)
  return identityVersionOf(customer) === (asked ?? (first === latest ? latest : undefined))
}

/** The change set with a look-up of a session at its provider, due now. One that is under way no longer counts as the one that is due. */
export const makeDueLookup = (session: Row, at: number): ChangeSet =>
  makeCommand(session, { operation: "verify", name: "verify" }, at)
