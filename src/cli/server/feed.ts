/** Follows the events of a merchant in the order in which they were committed. */
import { Duration, Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { type CommandFailure, usageFailure } from "../failure.ts"
import { makeSwitch, makeOptionalTextFlag, makeIntegerFlag } from "../globals.ts"
import { Process } from "../process.ts"
import type { ServerApi } from "./api.ts"

export interface FeedEvent {
  readonly event_id: string
  readonly event_type: string
  readonly event_object_id: string
  readonly event_object_status: string | null
  readonly event_created_at: string
  readonly [name: string]: unknown
}

/** The options of commands that follow events. */
export const followOptions = {
  events: makeOptionalTextFlag(
    "events",
    "TYPES",
    "Only these types or categories, separated by commas, such as offramp,transfer.success"
  ),
  fromStart: makeSwitch("from-start").pipe(Flag.withDescription("Begin with the first event, instead of the next one")),
  after: makeOptionalTextFlag("after", "EVENT_ID", "Begin after this event, such as the last one of an earlier run"),
  count: makeIntegerFlag("count", 1, 1_000_000).pipe(Flag.withDescription("End after so many events"), Flag.optional)
}

export interface Follow {
  readonly events: Option.Option<string>
  readonly fromStart: boolean
  readonly after: Option.Option<string>
  readonly count: Option.Option<number>
}

/** Events of one request. */
const pageSize = 100

/** The delay before the feed is read again when it has no more events, and between attempts to reach the server. */
const restMs = 500
const retryMs = 2_000

/** Reads the last event that exists: a follower begins after it. */
const readLastEvent = (api: ServerApi) =>
  Effect.gen(function* () {
    // The newest of the list may not be the last of the feed, which is in the order of commits.
    const { data } = yield* api.ask("GET", "/v1/notifications/events?per_page=1")
    let last = (data as ReadonlyArray<FeedEvent>)[0]?.event_id
    if (last === undefined) return undefined
    for (;;) {
      const page: ReadonlyArray<FeedEvent> = yield* readEventsAfter(api, last)
      if (page.length === 0) return last
      last = page.at(-1)!.event_id
    }
  })

const readEventsAfter = (
  api: ServerApi,
  after: string | undefined
): Effect.Effect<ReadonlyArray<FeedEvent>, CommandFailure> =>
  Effect.map(
    api.ask(
      "GET",
      `/v1/notifications/events/feed?limit=${pageSize}${after === undefined ? "" : `&after=${encodeURIComponent(after)}`}`
    ),
    ({ data }) => data as ReadonlyArray<FeedEvent>
  )

/**
 * Calls `use` with each event, one at a time, until `count` is reached or the process is stopped. If the server cannot be
 * reached, it is asked again. Returns the id of the last event, which `--after` takes.
 *
 * Errors: `CommandFailure` if the server rejects the key or the event of `after`, or cannot be reached at the start.
 */
export const followEvents = Effect.fnUntraced(function* <R>(
  api: ServerApi,
  { after, count, events, fromStart }: Follow,
  use: (event: FeedEvent) => Effect.Effect<void, CommandFailure, R>
) {
  const { complain, stopped } = yield* Process
  if (fromStart && Option.isSome(after)) return yield* usageFailure("--from-start and --after exclude each other.")
  const types = Option.map(events, (text) => text.split(",").map((type) => type.trim()))
  const isWanted = ({ event_type }: FeedEvent): boolean =>
    Option.match(types, {
      onNone: () => true,
      onSome: (wanted) => wanted.some((type) => event_type === type || event_type.startsWith(`${type}.`))
    })
  const most = Option.getOrElse(count, () => Number.POSITIVE_INFINITY)
  let last = Option.getOrUndefined(after) ?? (fromStart ? undefined : yield* readLastEvent(api))
  // Rejects the key and an unknown event before anything is said to work.
  let page = yield* readEventsAfter(api, last)
  const reading = Effect.gen(function* () {
    let seen = 0
    let isAway = false
    for (;;) {
      for (const event of page) {
        last = event.event_id
        if (!isWanted(event)) continue
        yield* use(event)
        if (++seen >= most) return
      }
      if (page.length < pageSize) yield* Effect.sleep(Duration.millis(isAway ? retryMs : restMs))
      page = yield* Effect.catch(readEventsAfter(api, last), (failure) => {
        if (failure.exit !== 3) return Effect.fail(failure)
        if (!isAway) complain(`${failure.lines[0]}; trying again`)
        isAway = true
        return Effect.succeed<ReadonlyArray<FeedEvent> | undefined>(undefined)
      }).pipe(
        Effect.map((read) => {
          if (read !== undefined && isAway) {
            isAway = false
            complain(`${api.url} is back`)
          }
          return read ?? []
        })
      )
    }
  })
  yield* Effect.raceFirst(reading, stopped(2_000))
  return last
})
