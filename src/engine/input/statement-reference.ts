/**
 * The statement reference of a command: what a bank's statement can carry of it (MATCH-1). The id of a command is too long for every
 * field of a bank; 16 letters and digits fit into all of them.
 *
 * It is derived and stored nowhere: the time in the resource's id, as its ten characters, and six characters of a hash of the command's
 * id. The first part finds the resources that it can belong to by how their ids begin, the second says which command of which of them.
 */
import { digest } from "../crypto/secrets.ts"
import { cutStem, stemTimeLength, parseTime } from "../ports/Ids.ts"

/** Crockford's base 32, as ULIDs have it: no I, L, O or U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

const hashLength = 6

const statementReferenceLength = stemTimeLength + hashLength

/** Derives the statement reference of a command from its id: 16 of `A`–`Z` and `0`–`9`. */
export const deriveStatementReference = (command_id: string): string =>
  cutStem(command_id).slice(0, stemTimeLength).toUpperCase() +
  [...digest(command_id).subarray(0, hashLength)].map((byte) => alphabet[byte % 32]).join("")

/** Derives the first characters of the stem of the resource that a statement reference may belong to. */
export const deriveStemBeginning = (reference: string): string => reference.slice(0, stemTimeLength).toLowerCase()

const dayMs = 86_400_000
/** A command's resource was made at most this long before the day on which its line is booked. */
const longestMs = 400 * dayMs
/** Nothing is made after now, whatever day a bank gives to its line: by this much clocks may differ. */
const aheadMs = 2 * dayMs

const shaped = new RegExp(`^[${alphabet}]{${statementReferenceLength}}$`)

/**
 * The texts in `text` that can be a statement reference of a line booked on the day that begins at `booked`, as of `now` (UTC, epoch
 * milliseconds): every 16 characters of its letters and digits, in capitals, that begin with a time from 400 days before `booked` to `now`.
 * Banks wrap lines and add words, so nothing is taken to end a reference.
 *
 * Law: what is found stays found as time passes. A line may be dated before the command that it names.
 */
export const findStatementReferences = (text: string, booked: number, now: number): ReadonlyArray<string> => {
  const joined = text.toUpperCase().replace(/[^0-9A-Z]/g, "")
  const found = new Set<string>()
  for (let start = 0; start + statementReferenceLength <= joined.length; start++) {
    const one = joined.slice(start, start + statementReferenceLength)
    // The first character of a time has three bits.
    if (one[0]! > "7" || !shaped.test(one)) continue
    const time = parseTime(one.slice(0, stemTimeLength))
    if (time >= booked - longestMs && time <= now + aheadMs) found.add(one)
  }
  return [...found]
}
