/** The event envelope as a receiver reads it (EVENT-1 to EVENT-11). */
import { terminalStatuses } from "./statuses.ts"

export interface ReceivedEvent {
  /** `evt_…`, the same on every retry and replay. */
  readonly event_id: string
  readonly event_type: string
  readonly event_category: string
  readonly event_developer_id: string
  readonly api_version: string
  /** When the event happened: ISO 8601, UTC. */
  readonly event_created_at: string
  readonly event_object_id: string
  readonly event_object_status: string
  /** `[previous, new]`; previous is null for the first event. Null when the status did not change. */
  readonly event_object_changes: { readonly status: readonly [string | null, string] } | null
  /** 1, 2, 3… per `event_object_id`. */
  readonly event_sequence: number
  /** The resource at the time of the event, with members that only events have. */
  readonly event_object: { readonly [member: string]: unknown }
}

const texts = ["event_id", "event_type", "event_category", "event_object_id", "event_object_status"] as const

/** Parses the event in a body; undefined when the body is not an event. Unknown members are kept. */
export const parseEvent = (body: string): ReceivedEvent | undefined => {
  let given: unknown
  try {
    given = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof given !== "object" || given === null) return undefined
  const event = given as ReceivedEvent
  const isWhole =
    texts.every((name) => typeof event[name] === "string" && event[name] !== "") &&
    Number.isSafeInteger(event.event_sequence) &&
    event.event_sequence > 0 &&
    typeof event.event_object === "object" &&
    event.event_object !== null
  return isWhole ? event : undefined
}

/** Lists the statuses that can follow a terminal one, at once or later (MOVEMENT-2). Undefined: the status is not terminal. */
const listCorrections = (category: string, status: string): ReadonlyArray<string> | undefined => {
  const statuses = Object.hasOwn(terminalStatuses, category) ? terminalStatuses[category]! : {}
  return Object.hasOwn(statuses, status) ? statuses[status] : undefined
}

export const isTerminal = (category: string, status: string): boolean => listCorrections(category, status) !== undefined

/**
 * Whether an object of `category` can move from status `from` to `to`: from any status that is not terminal; from an
 * offramp's `success` to `returned`, because banks return payouts days later (OFFRAMP-13); and from an onramp's `failed`,
 * because an operator may apply a payment that was made in time (ONRAMP-10).
 */
export const canMove = (category: string, from: string, to: string): boolean =>
  from === to || (listCorrections(category, from)?.includes(to) ?? true)
