/**
 * Canonical JSON: equal for values that differ only in the order of their members, at every depth, which stores do not keep. A
 * member without a value counts as absent. It distinguishes a repeat of a provider event from another event under the same id
 * (DEPOSIT-8). Errors: as `JSON.stringify`.
 */
import { Predicate } from "effect"

export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    Predicate.isReadonlyObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member
  )
