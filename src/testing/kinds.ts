/** The kinds that a simulation tells apart by what the provider does for them. */
import { kinds } from "../engine/registry.ts"

const all = [...kinds.byName.values()]

/** Kinds that the provider pays out. */
export const movements: ReadonlyArray<string> = all.filter(({ payout }) => payout !== undefined).map(({ kind }) => kind)

/** Kinds that the provider issues. */
export const issuable: ReadonlyArray<string> = all.filter(({ issue }) => issue !== undefined).map(({ kind }) => kind)
