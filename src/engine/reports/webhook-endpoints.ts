/** The operator's list of the webhook endpoints of all merchants (DELIVERY-14). */
import { Context, Effect, Layer, Schema } from "effect"
import type { WebhookEndpointData } from "../../machines/webhooks/webhook-endpoint.ts"
import { mapList } from "../calls/list.ts"
import { findOf, listBodies } from "../calls/reads.ts"
import { makeNotFound } from "../commit/UnitOfWork.ts"
import { ofMerchant, only } from "../input/members.ts"
import { listing } from "../input/schemas.ts"
import { type Row, Storage } from "../ports/Storage.ts"
import {
  endpointConditions,
  merchantEndpointBody,
  type MerchantEndpointBody
} from "../representations/webhooks/endpoint-health.ts"
import { WebhookEndpointKind } from "../resources/webhooks/webhook-endpoint.ts"
import { merchantNames } from "./names.ts"

export const ListAllEndpoints = Schema.Struct({
  merchant_id: ofMerchant,
  health: only(endpointConditions, "health"),
  ...listing
})
export type ListAllEndpoints = typeof ListAllEndpoints.Type

const ListOfMerchant = Schema.Struct({ health: ListAllEndpoints.fields.health, ...listing })

export class AllWebhookEndpoints extends Context.Service<AllWebhookEndpoints>()("corridor/engine/AllWebhookEndpoints", {
  make: Effect.gen(function* () {
    const storage = yield* Storage
    const list = listBodies(storage, WebhookEndpointKind, ListOfMerchant, merchantEndpointBody, ["health"])

    return {
      /** Endpoints, newest first. */
      list: Effect.fnUntraced(function* ({ merchant_id, ...input }: ListAllEndpoints) {
        const listed = yield* list(merchant_id ?? null, input)
        const nameOf = yield* merchantNames(storage, listed.items)
        return mapList(
          listed,
          (body): MerchantEndpointBody => ({
            ...body,
            merchant_name: nameOf(body.merchant_id)
          })
        )
      }),

      /** Errors: `NotFound`. */
      get: Effect.fnUntraced(function* (id: string) {
        const row: Row<WebhookEndpointData> = yield* findOf(storage, WebhookEndpointKind, id)
        if (row.state === "deleted") return yield* makeNotFound(WebhookEndpointKind, id)
        const nameOf = yield* merchantNames(storage, [row])
        const body: MerchantEndpointBody = { ...merchantEndpointBody(row), merchant_name: nameOf(row.merchant_id) }
        return { body, version: String(row.version) }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
