/** `corridor keys status` lists the use of each encryption key, and `corridor keys rotate` moves all secrets to the current key. */
import { Effect } from "effect"
import type { Cipher } from "../engine/ports/Cipher.ts"
import { isUnused, type KeyUse, keyUse, rotateKeys } from "../engine/crypto/EncryptionKeys.ts"
import type { StorageFault } from "../engine/ports/errors.ts"
import type { Storage } from "../engine/ports/Storage.ts"

export const keyActions = ["status", "rotate"] as const
export type KeyAction = (typeof keyActions)[number]

const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`

const lineOf = (use: KeyUse): string => {
  const { answers, isCurrent, isGiven, key, rows } = use
  const what = Object.entries(rows).map(([kind, n]) => counted(n, kind.replaceAll("_", " ")))
  if (answers > 0) what.push(counted(answers, "stored response"))
  const name = `${key} (${isCurrent ? "current" : isGiven ? "old" : "not given"})`
  if (!isUnused(use)) return `${name}: ${what.join(", ")}`
  return `${name}: nothing${isCurrent || !isGiven ? "" : "; it can be removed from CORRIDOR_ENCRYPTION_KEY"}`
}

/** Runs the action, and returns the lines to print: one for each key. */
export const manageKeys = (action: KeyAction): Effect.Effect<ReadonlyArray<string>, StorageFault, Storage | Cipher> =>
  Effect.gen(function* () {
    const moved = action === "rotate" ? [`${counted(yield* rotateKeys, "secret")} encrypted again`] : []
    return [...moved, ...(yield* keyUse).map(lineOf)]
  })
