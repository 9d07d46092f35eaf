/**
 * Bodies that are stored inside the data of another resource, as they were when it was created. The rows of earlier releases have
 * them without the members that were added since (CONTRIBUTING.md, Adding a field).
 */
import type { Schema } from "effect"
import { stem } from "../ports/Ids.ts"
import {
  BeneficiaryBody,
  CryptoDetailsBody,
  CustomerSummaryBody,
  FiatDetailsBody,
  SenderSummaryBody,
  WalletSummaryBody
} from "./shared.ts"

/**
 * Shows a stored body as its schema is today. `added`: what a member is in bodies that were stored before there was one. Members that
 * the schema does not have any more are left out.
 */
export const storedAs = <F extends Schema.Struct.Fields>(
  { fields }: Schema.Struct<F>,
  added: Partial<Schema.Struct<F>["Type"]> = {}
) => {
  const names = Object.keys(fields)
  const defaults: Readonly<Record<string, unknown>> = added
  return (stored: object): Schema.Struct<F>["Type"] => {
    const found: Readonly<Record<string, unknown>> = { ...stored }
    const shown: Record<string, unknown> = {}
    for (const name of names) {
      const value = found[name] === undefined ? defaults[name] : found[name]
      if (value !== undefined) shown[name] = value
    }
    return shown as Schema.Struct<F>["Type"]
  }
}

export const storedCustomer = storedAs(CustomerSummaryBody)
export const storedWallet = storedAs(WalletSummaryBody)
export const storedSender = storedAs(SenderSummaryBody)

const fiatDetails = storedAs(FiatDetailsBody, { name_match: null })
const cryptoDetails = storedAs(CryptoDetailsBody)
const beneficiary = storedAs(BeneficiaryBody)

/** The id of the screening of a beneficiary that was screened before screenings had ids: its own, so that it is always the same. */
export const firstScreening = (beneficiary_id: string): string => `scr_${stem(beneficiary_id)}`

export const storedDetails = (type: string, details: object): BeneficiaryBody["details"] =>
  type === "fiat" ? fiatDetails(details) : cryptoDetails(details)

export const storedBeneficiary = (stored: {
  readonly id: string
  readonly type: string
  readonly details: object
}): BeneficiaryBody => ({
  ...beneficiary({ screening_id: firstScreening(stored.id), ...stored }),
  details: storedDetails(stored.type, stored.details)
})
