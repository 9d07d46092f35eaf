/** The envelope of an event (EVENT-1 to EVENT-11). A stored event is returned exactly as it was sent. */
import { Schema } from "effect"
import { cutStem } from "../../ports/Ids.ts"
import { categories } from "../../reference/vocabulary.ts"
import { describe } from "../../input/schemas.ts"
import { anyIdOf, countOf, idOf, textOf, timeOf } from "../members.ts"
import { iso } from "../../ports/Time.ts"

/** The members of every event but its object. */
export const envelope = {
  event_id: idOf(
    "evt",
    "The id of the event. It is the same in every delivery of it: use it to handle each event once."
  ),
  event_type: textOf("What happened: a type of the webhooks of this document, or `ping`.", "offramp.success"),
  event_category: textOf(
    `What endpoints subscribe to: ${categories.map((one) => `\`${one}\``).join(", ")}; \`ping\` for a test event.`,
    "offramp"
  ),
  event_developer_id: anyIdOf("The public id of the merchant's integration, from `GET /v1/me`.", "int"),
  api_version: describe(Schema.Literal("v1"), "The version of this envelope."),
  event_created_at: timeOf("When it happened. It is the same in every delivery.", "2026-01-31T09:30:04.000Z"),
  event_object_id: anyIdOf("The id of the resource that it happened to.", "ofr"),
  event_object_status: textOf("The status of the resource at the event.", "success"),
  event_object_changes: describe(
    Schema.NullOr(
      Schema.Struct({
        status: describe(
          Schema.Tuple([Schema.NullOr(Schema.String), Schema.String]),
          "The status before, and the new status. The first is null for the first event of a resource.",
          ["processing", "success"]
        )
      }).annotate({ identifier: "EventChanges", description: "What the event changed." })
    ),
    "What the event changed. Null if the status is the same as before."
  ),
  event_sequence: countOf(
    "1, 2, 3 … for each resource. Ignore an event that is older than what you know of its resource.",
    4
  )
}

export const EventBody = Schema.Struct({
  ...envelope,
  event_object: describe(
    Schema.Record(Schema.String, Schema.Unknown),
    "The resource as of the event. Its shape follows from `event_type`: see the webhook of that name.",
    { id: "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3", status: "success" }
  )
}).annotate({
  identifier: "Event",
  description: "An event as it was sent. The webhooks of this document have one schema for each type."
})
export type EventBody = typeof EventBody.Type

/** Parses the stored text of an event. */
export const parseEventBody = ({ body }: { readonly body: string }): EventBody => JSON.parse(body) as EventBody

/** Makes the test event of an endpoint. It belongs to no resource and is not stored (WEBHOOK-11). */
export const pingBody = (
  event_id: string,
  merchant_id: string,
  endpoint: { readonly id: string },
  at: number
): EventBody => ({
  event_id,
  event_type: "ping",
  event_category: "ping",
  event_developer_id: `int_${cutStem(merchant_id)}`,
  api_version: "v1",
  event_created_at: iso(at),
  event_object_id: endpoint.id,
  event_object_status: "active",
  event_object_changes: null,
  event_sequence: 1,
  event_object: { ...endpoint }
})
