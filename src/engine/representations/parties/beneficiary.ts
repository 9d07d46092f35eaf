/** The `/v1` shape of a beneficiary (BENEFICIARY-2). */
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { BeneficiaryBody } from "../shared.ts"
import { firstScreening, storedDetails } from "../stored.ts"

export { BeneficiaryBody }

export const beneficiaryBody = ({
  id,
  status,
  created_at,
  updated_at,
  data: b
}: Row<BeneficiaryData>): BeneficiaryBody => ({
  id,
  customer_id: b.customer_id,
  name: b.name,
  label: b.label,
  type: b.type,
  currency: b.currency,
  details: storedDetails(b.type, b.details),
  metadata: b.metadata,
  status: status as BeneficiaryBody["status"],
  screening_id: (b as Partial<BeneficiaryData>).screening_id ?? firstScreening(id),
  merchant_reference: b.merchant_reference,
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})
