/** References: a merchant's own names for its movements. */
import type { KeyScope } from "../commit/changeset.ts"

export const referenceScope: KeyScope = {
  name: "reference",
  taken: (reference) =>
    `The reference ${JSON.stringify(reference)} is in use by another movement. References are unique per merchant.`
}
