import { Effect } from "effect"
import { Senders } from "../../engine/resources/parties/sender.ts"
import { SendersApi } from "../api/sender.ts"
import { endpoints } from "../endpoint.ts"

export const senderEndpoints = Effect.map(Senders, (senders) =>
  endpoints(SendersApi, {
    createSender: ({ call, body }) => senders.create(call, body),
    listSenders: ({ call, query }) => senders.list(call, query),
    getSender: ({ call, params }) => senders.get(call, params.id),
    updateSender: ({ call, params, body }) => senders.update(call, params.id, body)
  })
)
