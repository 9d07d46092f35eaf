/** `corridor webhooks` */
import { Effect, Option } from "effect"
import { Argument, Command } from "effect/cli"
import type { ReplayedFailed, WebhookEndpointHealth } from "../../client/index.ts"
import { makeOptionalTextFlag, printResult } from "../globals.ts"
import { asDryRun, asEither, openEitherApi, printAct, type ServerApi } from "../server/api.ts"

const endpoint = Argument.String("id").pipe(Argument.withDescription("The id of the endpoint, whe_…"))

const makeEndpointPath = ({ credential }: ServerApi, id: string): string =>
  `${credential === "operator" ? "/operator/v1/webhook-endpoints" : "/v1/notifications/webhooks"}/${encodeURIComponent(id)}`

const health = Command.make(
  "health",
  { id: endpoint, ...asEither },
  Effect.fnUntraced(function* ({ id, ...given }) {
    const api = yield* openEitherApi(given)
    const { data } = yield* api.ask("GET", `${makeEndpointPath(api, id)}/health`)
    const found = data as WebhookEndpointHealth
    const { attempted, by_event_type, deactivated_for, failing_since, last_attempt, success_share } = found
    yield* printResult(
      [
        [
          found.health,
          ...(failing_since === null ? [] : [`since ${failing_since}`]),
          ...(deactivated_for === null ? [] : [`switched off: ${deactivated_for}`])
        ].join(", "),
        last_attempt === null
          ? "No delivery was attempted."
          : `Last answer: ${last_attempt.error ?? `HTTP ${last_attempt.response_status}`}, ${last_attempt.at}`,
        ...(success_share === null
          ? []
          : [
              `Delivered: ${(Number(success_share) * 100).toFixed(1)} % of ${attempted} attempted, since ${found.since}`
            ]),
        ...by_event_type.map(
          ({ attempts, delivered, event_type, failed, pending }) =>
            `${event_type}: ${attempts} attempts, ${delivered} delivered, ${failed} failed, ${pending} pending`
        )
      ],
      found
    )
  })
).pipe(
  Command.withDescription(
    "Shows how an endpoint does: its last answer, the share of the attempted of its newest deliveries that succeeded, and the counts by event type."
  ),
  Command.withExamples([{ command: "corridor webhooks health whe_01j9z3k4m5n6p7q8r9s0t1v2w3" }])
)

const replayFailed = Command.make(
  "replay-failed",
  {
    id: endpoint,
    note: makeOptionalTextFlag("note", "TEXT", "Why, for the audit log; with an operator's token only"),
    ...asDryRun,
    ...asEither
  },
  Effect.fnUntraced(function* ({ dryRun, id, note, ...given }) {
    const api = yield* openEitherApi(given)
    const body = Option.match(note, { onNone: () => ({}), onSome: (text) => ({ note: text }) })
    const response = yield* api.ask("POST", `${makeEndpointPath(api, id)}/replay-failed`, body, dryRun)
    const { remaining, replayed } = response.data as ReplayedFailed
    yield* printAct(response, [
      `${replayed} events are sent again.`,
      ...(remaining === 0 ? [] : [`${remaining} more failed: run it again for them.`])
    ])
  })
).pipe(
  Command.withShortDescription("Send all events that failed again"),
  Command.withDescription(
    "Sends the events again that failed and have not arrived, at most 5,000 and the oldest first. A repeat sends nothing twice."
  ),
  Command.withExamples([{ command: "corridor webhooks replay-failed whe_01j9z3k4m5n6p7q8r9s0t1v2w3" }])
)

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription(
    "How webhook endpoints do: with a merchant's API key its own, with an operator's token those of all merchants."
  ),
  Command.withSubcommands([health, replayFailed])
)
