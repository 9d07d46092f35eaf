import { Effect } from "effect"
import { Offramps } from "../../engine/resources/movements/offramp.ts"
import { OfframpsApi } from "../api/offramp.ts"
import { endpoints } from "../endpoint.ts"

export const offrampEndpoints = Effect.map(Offramps, (offramps) =>
  endpoints(OfframpsApi, {
    createOfframp: ({ call, body }) => offramps.create(call, body),
    listOfframps: ({ call, query }) => offramps.list(call, query),
    getOfframp: ({ call, params }) => offramps.get(call, params.id)
  })
)
