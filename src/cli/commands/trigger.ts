/** `corridor trigger EVENT_TYPE` */
import { Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { proposeNearest } from "../../engine/input/nearest.ts"
import { keyPrefix } from "../../engine/crypto/secrets.ts"
import { CommandFailure, usageFailure } from "../failure.ts"
import { makeSwitch, printResult } from "../globals.ts"
import { asMerchant, openMerchantApi } from "../server/api.ts"
import { awaitEvent, walks } from "../server/walks.ts"

const isLive = new CommandFailure({
  lines: ["the server is live; trigger moves money in the test environment only."],
  exit: 1
})

export const trigger = Command.make(
  "trigger",
  {
    type: Argument.String("event_type").pipe(
      Argument.withDescription("The type of event, such as offramp.success; --list has all"),
      Argument.optional
    ),
    list: makeSwitch("list").pipe(Flag.withDescription("List the event types, and do nothing")),
    ...asMerchant
  },
  Effect.fnUntraced(function* ({ list, type, ...given }) {
    const types = Object.keys(walks)
    if (list) return yield* printResult(types, { event_types: types })
    const wanted = Option.getOrUndefined(type)
    if (wanted === undefined) return yield* usageFailure("event_type is required, or --list.")
    const walk = walks[wanted]
    if (walk === undefined || !Object.hasOwn(walks, wanted))
      return yield* usageFailure(
        `event_type is ${JSON.stringify(wanted)}; it takes a type that --list has.${proposeNearest(wanted, types)}`
      )
    const api = yield* openMerchantApi(given)
    if (api.secret.startsWith(keyPrefix("live"))) return yield* isLive
    const { data } = yield* api.ask("GET", "/v1/me")
    if ((data as { readonly environment: string }).environment !== "test") return yield* isLive
    const object_id = yield* walk.walk(api)
    const { event_id } = yield* awaitEvent(api, wanted, object_id)
    const note = walk.note === undefined ? [] : [walk.note]
    yield* printResult([...note, `${wanted}: ${event_id}, of ${object_id}`], {
      event_type: wanted,
      event_id,
      event_object_id: object_id
    })
  })
).pipe(
  Command.withShortDescription("Have a test server publish an event of a type"),
  Command.withDescription(
    "Walks a server of the test environment to an event of a type: it creates what is missing (a verified customer, a funded wallet, a beneficiary, a quote) and has the simulated provider report the outcome. The event is published and delivered like every other event. Refuses a live server."
  ),
  Command.withExamples([
    { command: "corridor trigger offramp.success" },
    { command: "corridor trigger --list", description: "All event types" }
  ])
)
