import { Effect } from "effect"
import { Verifications } from "../../engine/resources/parties/verification.ts"
import { VerificationsApi } from "../api/verification.ts"
import { endpoints } from "../endpoint.ts"

export const verificationEndpoints = Effect.map(Verifications, (verifications) =>
  endpoints(VerificationsApi, {
    createVerification: ({ call, params, body }) => verifications.create(call, params.customerId, body),
    listVerifications: ({ call, params, query }) => verifications.list(call, params.customerId, query),
    getVerification: ({ call, params }) => verifications.get(call, params.customerId, params.kycId)
  })
)
