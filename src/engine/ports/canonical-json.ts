/** What a provider's event says, as one text: it tells a repeat from another event under the same id (DEPOSIT-8). */
import type { ProviderEvent } from "./Provider.ts"

/** Members in one order, at any depth; what has no value is left out. */
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

/** What an event says, as one text. */
export const canonicalJson = (event: ProviderEvent): string => JSON.stringify(ordered(event))
