/** `corridor keys status` and `corridor keys rotate`: what stands under which encryption key, and moving it to the current one. */
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
  return `${name}: nothing${isCurrent || !isGiven ? "" : "; it may be removed from CORRIDOR_ENCRYPTION_KEY"}`
}

/** Does what is asked, and gives the lines to print: one for each key. */
export const manageKeys = (action: KeyAction): Effect.Effect<ReadonlyArray<string>, StorageFault, Storage | Cipher> =>
  Effect.gen(function* () {
    const moved = action === "rotate" ? [`${counted(yield* rotateKeys, "secret")} sealed again`] : []
    return [...moved, ...(yield* keyUse).map(lineOf)]
  })
