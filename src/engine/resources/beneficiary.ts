/** Beneficiaries (interface, Beneficiary; decisions 7). */
import { Beneficiary, type BeneficiaryData, type BeneficiaryEvent } from "../../machines/beneficiary.ts"
import type { Kind } from "../Kind.ts"

export const BeneficiaryKind: Kind<BeneficiaryData, BeneficiaryEvent> = {
  kind: "beneficiary",
  prefix: "ben",
  lifecycle: Beneficiary,
  ended: [],
  facets: ({ type, currency }) => [`type=${type}`, `currency=${currency}`]
}
