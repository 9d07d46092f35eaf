import { Schema } from "effect"
import { get, list, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { EventBody } from "../../representations/webhooks/event.ts"
import { Events, FeedEvents, ListEvents } from "../../resources/webhooks/event.ts"
import type { Registration } from "../registration.ts"

const operations = {
  merchant: section(
    {
      id: "events",
      title: "Events",
      description: "Published events, whether or not a webhook endpoint received them."
    },
    {
      events: {
        list: list(
          "listEvents",
          "/v1/notifications/events",
          { summary: "List events, newest first", input: ListEvents, output: EventBody },
          ({ call, input }) => Events.use((s) => s.list(call, input))
        ),
        /** Events in commit order and without gaps, after the named event. */
        feed: get(
          "feedEvents",
          "/v1/notifications/events/feed",
          {
            summary: "Read events in the order they were committed",
            description:
              "Returns events in commit order, after the named event: at most `limit`, from 1 to 200. Default: 50. The feed has no gaps, regardless of the number of concurrent writers. To catch up, continue from the last event received until the response is empty. Where the service deletes events after a time, an event from before that is a place before all that are kept.",
            input: FeedEvents,
            output: Schema.Array(EventBody).annotate({ description: "The events, oldest first." }),
            refusals: ["not_found"]
          },
          ({ call, input }) => Events.use((s) => s.feed(call, input))
        ),
        get: get(
          "getEvent",
          "/v1/notifications/events/:id",
          { summary: "Get an event as it was sent", params: { id: Id("evt") }, output: EventBody },
          ({ call, params }) => Events.use((s) => s.get(call, params.id))
        )
      }
    }
  )
} as const satisfies Sections

export const event = { layer: Events.layer, operations } satisfies Registration
