import { Effect } from "effect"
import { Transfers } from "../../engine/resources/movements/transfer.ts"
import { TransfersApi } from "../api/transfer.ts"
import { endpoints } from "../endpoint.ts"

export const transferEndpoints = Effect.map(Transfers, (transfers) =>
  endpoints(TransfersApi, {
    createTransfer: ({ call, body }) => transfers.create(call, body),
    listTransfers: ({ call, query }) => transfers.list(call, query),
    getTransfer: ({ call, params }) => transfers.get(call, params.id)
  })
)
