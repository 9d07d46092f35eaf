import { Schema } from "effect"
import { get, list, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { EventBody } from "../../representations/webhooks/event.ts"
import { Events, FeedEvents, ListEvents } from "../../resources/webhooks/event.ts"
import type { Registration } from "../registration.ts"

const operations = {
  merchant: section(
    { id: "events", title: "Events", description: "What was published, whether or not anybody received it." },
    {
      events: {
        list: list(
          "listEvents",
          "/v1/notifications/events",
          { summary: "List events, newest first", input: ListEvents, output: EventBody },
          ({ call, input }) => Events.use((s) => s.list(call, input))
        ),
        /** Oldest first and without gaps, after the event named. */
        feed: get(
          "feedEvents",
          "/v1/notifications/events/feed",
          {
            summary: "Read events in the order they were committed",
            description:
              "Oldest first, after the event named, at most `limit` (1 to 200, 50 when left out). Nothing is skipped, however many writers there are: " +
              "to catch up, go on from the last event received until the answer is empty.",
            input: FeedEvents,
            output: Schema.Array(EventBody),
            refusals: ["not_found"]
          },
          ({ call, input }) => Events.use((s) => s.feed(call, input))
        ),
        get: get(
          "getEvent",
          "/v1/notifications/events/:id",
          { summary: "Show an event as it was sent", params: { id: Id("evt") }, output: EventBody },
          ({ call, params }) => Events.use((s) => s.get(call, params.id))
        )
      }
    }
  )
} as const satisfies Sections

export const event = { layer: Events.layer, operations } satisfies Registration
