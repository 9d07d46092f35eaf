/**
 * The canonical text of a provider event. It distinguishes a repeat from another event under the same id (DEPOSIT-8).
 */
import type { ProviderEvent } from "./Provider.ts"

/** Sorts the members at every depth, and leaves out members without a value. */
const ordered = (value: unknown): unknown =>
  value === null || typeof value !== "object"
    ? value
    : Array.isArray(value)
      ? value.map(ordered)
      : Object.fromEntries(
          Object.entries(value)
            .filter(([, member]) => member !== undefined)
            .sort(([one], [other]) => (one < other ? -1 : 1))
            .map(([name, member]) => [name, ordered(member)])
        )

/** The canonical JSON of an event. */
export const canonicalJson = (event: ProviderEvent): string => JSON.stringify(ordered(event))
