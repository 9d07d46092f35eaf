/** The sending side of an event: what a connector sends to Corridor. */
import { Schema } from "effect"
import { Event } from "../../../src/protocol/events.ts"
import type { Signing } from "../../../src/protocol/messages.ts"
import { signMessage } from "../../../src/protocol/signature.ts"

/** Signs an event for Corridor. `message_id` becomes its `webhook-id`; the event's own id will do. */
export const makeEvent = (event: Event, message_id: string, { secrets, now_ms }: Signing) => {
  const body = JSON.stringify(Schema.encodeUnknownSync(Event)(event))
  return {
    headers: { "content-type": "application/json", ...signMessage(secrets, message_id, now_ms, body) },
    body
  }
}
