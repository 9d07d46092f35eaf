/**
 * Canonical JSON: equal for values that differ only in the order of their members, at every depth, which stores do not keep. A
 * member without a value counts as absent. It distinguishes a repeat of a provider event from another event under the same id
 * (DEPOSIT-8). Errors: as `JSON.stringify`.
 */
import { Predicate } from "effect"

export const toCanonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    Predicate.isReadonlyObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member
  )

/** The most levels of what is stored as it was sent. Stores and `JSON.stringify` have a depth at which they end. */
const levelsMax = 64

const hasLevels = (value: unknown, most: number): boolean =>
  typeof value !== "object" ||
  value === null ||
  (most > 0 && Object.values(value).every((one) => hasLevels(one, most - 1)))

/** Whether a value can be stored as it was sent: not a bigint or a circle, which only embedded calls have, nor what is nested too deeply. */
export const isWritable = (value: unknown): boolean => {
  if (!hasLevels(value, levelsMax)) return false
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}
