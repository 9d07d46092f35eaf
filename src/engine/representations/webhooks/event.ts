/** The envelope of an event (EVENT-1 to EVENT-11). A stored event is returned exactly as it was sent. */
import { Schema } from "effect"
import { stem } from "../../ports/Ids.ts"
import { Timestamp } from "../../input/schemas.ts"
import { iso } from "../../ports/Time.ts"

export const EventBody = Schema.Struct({
  event_id: Schema.String,
  event_type: Schema.String,
  event_category: Schema.String,
  event_developer_id: Schema.String,
  api_version: Schema.Literal("v1"),
  event_created_at: Timestamp,
  event_object_id: Schema.String,
  event_object_status: Schema.String,
  event_object_changes: Schema.NullOr(
    Schema.Struct({ status: Schema.Tuple([Schema.NullOr(Schema.String), Schema.String]) })
  ),
  event_sequence: Schema.Int,
  event_object: Schema.Record(Schema.String, Schema.Unknown)
}).annotate({ identifier: "Event" })
export type EventBody = typeof EventBody.Type

/** Parses the stored text of an event. */
export const eventBody = ({ body }: { readonly body: string }): EventBody => JSON.parse(body) as EventBody

/** The test event of an endpoint. It belongs to no resource and is not stored (WEBHOOK-11). */
export const pingBody = (
  event_id: string,
  merchant_id: string,
  endpoint: { readonly id: string },
  at: number
): EventBody => ({
  event_id,
  event_type: "ping",
  event_category: "ping",
  event_developer_id: `int_${stem(merchant_id)}`,
  api_version: "v1",
  event_created_at: iso(at),
  event_object_id: endpoint.id,
  event_object_status: "active",
  event_object_changes: null,
  event_sequence: 1,
  event_object: { ...endpoint }
})
