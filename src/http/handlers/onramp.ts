import { Effect } from "effect"
import { Onramps } from "../../engine/resources/movements/onramp.ts"
import { OnrampsApi } from "../api/onramp.ts"
import { endpoints } from "../endpoint.ts"

export const onrampEndpoints = Effect.map(Onramps, (onramps) =>
  endpoints(OnrampsApi, {
    createOnramp: ({ call, body }) => onramps.create(call, body),
    listOnramps: ({ call, query }) => onramps.list(call, query),
    getOnramp: ({ call, params }) => onramps.get(call, params.id)
  })
)
