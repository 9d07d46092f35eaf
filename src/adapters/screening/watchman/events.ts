/** What becomes of a screening that is held: the decision of a desk, or a search in other lists. */
import { Effect, Result } from "effect"
import type { EventSources, ScreenedEvent } from "../../../engine/ports/Provider.ts"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { readEvent } from "../../../protocol/messages.ts"
import type { Reports } from "../../provider/company/reports.ts"
import { toPortEvent, toUnreadableEvent } from "../../provider/http/results.ts"
import { isUnusable } from "./mapping.ts"
import { type HeldScreening, screeningIndex, type ScreeningParts, type Screenings } from "./screening.ts"

/** The most screenings that one reading searches for; the others are searched for by the next ones. */
const searchedMax = 20
/** A reading ends before the engine gives it up, milliseconds. */
const sweepMs = 20_000

export const makeEvents = (parts: ScreeningParts, screenings: Screenings, reports: Reports): EventSources => {
  const { books, calls, config, key } = parts
  const { desk_secrets, events_interval_ms, name } = config

  /** Where the next reading begins among what is held, so that each has its turn: what cannot be searched for holds up no other. */
  let turn = 0
  /** Returns why something could not be read. */
  const sweep = Effect.gen(function* () {
    const lists = yield* calls.lists
    if (isUnusable(lists)) return `${name} clears nobody: ${lists.sentence}`
    const held = yield* books.list({ kind: "watchman_held", index_keys: [screeningIndex(key)] })
    const stale = held.filter(({ data }) => (data as HeldScreening).version !== lists.version)
    const from = stale.length <= searchedMax ? 0 : turn % stale.length
    turn = from + searchedMax
    const chosen = [...stale.slice(from), ...stale.slice(0, from)].slice(0, searchedMax)
    const ends = yield* Effect.forEach(
      chosen,
      ({ data, id }) => Effect.result(screenings.again(id.slice(key.length + 1), data as HeldScreening)),
      { concurrency: 2 }
    )
    return ends.flatMap((end) => (Result.isFailure(end) ? [end.failure.message] : []))[0]
  })
  const swept = Effect.timeoutOption(sweep, sweepMs).pipe(
    Effect.map((end) => (end._tag === "Some" ? end.value : `the search did not end within ${sweepMs} ms`)),
    Effect.catch(({ message }: ProviderFault) => Effect.succeed(message))
  )

  const decode: NonNullable<EventSources["decode"]> = Effect.fnUntraced(function* (headers, body, bytes) {
    const read = readEvent(
      { headers, body: bytes ?? Buffer.from(body) },
      { secrets: desk_secrets, now_ms: yield* wallNow }
    )
    if (read === undefined) return undefined
    if (Result.isFailure(read)) return toUnreadableEvent(read.failure)
    if (read.success.type !== "screened")
      return { _tag: "unreadable", content: read.success, fault: `type is ${read.success.type}; a desk sends screened` }
    const event = toPortEvent(read.success) as ScreenedEvent
    yield* screenings.decided(event)
    return event
  })

  return {
    ...(desk_secrets.length > 0 && { decode }),
    after: Effect.fnUntraced(function* (cursor: string | null) {
      const fault = yield* swept
      return { ...(yield* reports.after(cursor)), fault }
    }),
    interval_ms: events_interval_ms
  }
}
