/** The kinds that a simulation tells apart by what the provider does for them. */
import { isSubmitted } from "../../engine/commit/kind.ts"
import { kinds } from "../../engine/registry.ts"

const all = [...kinds.byName.values()]

/** Kinds that are submitted to the provider. */
export const movements: ReadonlyArray<string> = all.filter(isSubmitted).map(({ kind }) => kind)

export const issuable: ReadonlyArray<string> = all.filter(({ issue }) => issue !== undefined).map(({ kind }) => kind)

/** States that movements and deposits leave soon. */
export const passing: ReadonlySet<string> = new Set([
  "approving",
  "created",
  "queued",
  "unknown",
  "waiting",
  "refunding",
  "held",
  "detected_unpriced"
])
