/** What a provider reports, where none of it may be unreadable. */
import type { ProviderEvent, UnreadableEvent } from "../../../src/engine/ports/Provider.ts"

/** Throws for a report that could not be read. */
export const readable = (events: ReadonlyArray<ProviderEvent | UnreadableEvent>): ReadonlyArray<ProviderEvent> =>
  events.map((event) => {
    if (event._tag === "unreadable") throw new Error(`a report cannot be read: ${event.fault}`)
    return event
  })
