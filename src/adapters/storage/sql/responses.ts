/**
 * How the response of a key is stored. It repeats most of an event of the same Change, and is stored without that part: an event lives
 * longer than the keys of calls. `corridor_response` (`0002_commit.sql`) puts it together again.
 */
import type { Change, EventWrite } from "../../../engine/ports/Storage.ts"
import { keyLifetime } from "../../../engine/settings/retention.ts"

/** Encloses what is said of the part. */
const SEPARATOR = "\u0013"
/** Begins a response that is stored without a part, or that began with it itself. */
const MARK = `sealed:${SEPARATOR}`

/** The fewest characters that are worth a read of the event. */
const LEAST = 256

/** What JavaScript and databases do not count alike: halves of characters, and bytes where the encoding is `SQL_ASCII`. */
const uncountable = /[^ -~]/

/** Undefined: the response has too little of the event's object. */
const without = (response: string, { body, id, object_id }: EventWrite): string | undefined => {
  const begin = `{"id":${JSON.stringify(object_id)},`
  const at = response.indexOf(begin)
  const from = body.indexOf(begin)
  if (at < 0 || from < 0 || !/^[!-~]+$/.test(id)) return undefined
  if (uncountable.test(body.slice(0, from)) || uncountable.test(response.slice(0, at))) return undefined
  let end = at
  while (end < response.length && response.charCodeAt(end) === body.charCodeAt(from + end - at)) end++
  const counted = response.slice(at, end).search(uncountable)
  const length = counted < 0 ? end - at : counted
  if (length < LEAST) return undefined
  return `${MARK}${id} ${at + 1} ${from + 1} ${length}${SEPARATOR}${response.slice(0, at)}${response.slice(at + length)}`
}

/** A response that is stored whole. */
export const wholeResponse = (response: string): string =>
  response.startsWith(MARK) ? `${MARK}${SEPARATOR}${response}` : response

/** The response of a Change's key, as it is stored. */
export const storedResponse = ({ at, events, idempotency }: Change): string | null => {
  if (idempotency === undefined || idempotency.response === null) return null
  const { expires_at, response } = idempotency
  // A key that never expires may outlive the event.
  if (response.length < LEAST || expires_at === null || expires_at > at + keyLifetime) return wholeResponse(response)
  for (const event of events) {
    const stored = without(response, event)
    if (stored !== undefined) return stored
  }
  return wholeResponse(response)
}
