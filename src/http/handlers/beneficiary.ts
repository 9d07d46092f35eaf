import { Effect } from "effect"
import { Beneficiaries } from "../../engine/resources/parties/beneficiary.ts"
import { BeneficiariesApi } from "../api/beneficiary.ts"
import { endpoints } from "../endpoint.ts"

export const beneficiaryEndpoints = Effect.map(Beneficiaries, (beneficiaries) =>
  endpoints(BeneficiariesApi, {
    createBeneficiary: ({ call, body }) => beneficiaries.create(call, body),
    listBeneficiaries: ({ call, query }) => beneficiaries.list(call, query),
    getBeneficiary: ({ call, params }) => beneficiaries.get(call, params.id),
    updateBeneficiary: ({ call, params, body }) => beneficiaries.update(call, params.id, body)
  })
)
