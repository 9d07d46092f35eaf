/** `corridor events tail` */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { PrintJson } from "../globals.ts"
import { Process } from "../process.ts"
import { asMerchant, openMerchantApi } from "../server/api.ts"
import { type FeedEvent, followEvents, followOptions } from "../server/feed.ts"

export const formatEvent = ({
  event_created_at,
  event_id,
  event_object_id,
  event_object_status,
  event_type
}: FeedEvent): string =>
  [event_created_at, event_type, event_object_id, event_object_status ?? "", event_id]
    .filter((part) => part !== "")
    .join("  ")

const tail = Command.make(
  "tail",
  { ...asMerchant, ...followOptions },
  Effect.fnUntraced(function* (given) {
    const { complain, say } = yield* Process
    const isJson = yield* PrintJson
    const api = yield* openMerchantApi(given)
    const last = yield* followEvents(api, given, (event) =>
      Effect.sync(() => say(isJson ? JSON.stringify(event) : formatEvent(event)))
    )
    if (!isJson && last !== undefined) complain(`continue with --after ${last}`)
  })
).pipe(
  Command.withShortDescription("Print the events of a merchant as they are published"),
  Command.withDescription(
    "Prints the events of a merchant as they are published, in the order in which they were committed, without gaps, until it is stopped. A server that cannot be reached is asked again."
  ),
  Command.withExamples([
    { command: "corridor events tail --events offramp,transfer.failed" },
    {
      command: "corridor events tail --from-start --json | jq .event_type",
      description: "All events so far, and those to come"
    }
  ])
)

export const events = Command.make("events").pipe(
  Command.withDescription("Published events of a merchant."),
  Command.withSubcommands([tail])
)
