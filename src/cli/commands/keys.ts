/** `corridor keys status` lists the use of each encryption key, and `corridor keys rotate` moves all secrets to the current key. */
import { Effect, Layer, Logger } from "effect"
import { Command } from "effect/cli"

import type { Config } from "../../http/config/config.ts"
import { ConfigFile, printResult } from "../globals.ts"
import { explainFailure, readSettings } from "../settings.ts"

const pluralize = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`

/** Reports which encryption keys the store uses, or rotates them. It uses the store and the cipher only. */
const reportOrRotateKeys = Effect.fnUntraced(function* (config: Config, isRotating: boolean) {
  const [{ keyUse, rotateKeys }, { makeCipherLayer, makeStorageLayer }, MovableClock] = yield* Effect.promise(() =>
    Promise.all([
      import("../../engine/crypto/EncryptionKeys.ts"),
      import("../../http/serve/composition.ts"),
      import("../../adapters/clock/movable.ts")
    ])
  )
  const store = Layer.mergeAll(makeCipherLayer(config), MovableClock.layer).pipe(
    Layer.provideMerge(makeStorageLayer(config))
  )
  const work = Effect.all({ moved: isRotating ? rotateKeys : Effect.succeed(null), uses: keyUse })
  const { moved, uses } = yield* Effect.provide(work, store)
  const lines = moved === null ? [] : [`${pluralize(moved, "secret")} encrypted again`]
  yield* printResult(
    [
      ...lines,
      ...uses.map((use) => {
        const { answers, isCurrent, isGiven, isRecorded, key, rows } = use
        const what = Object.entries(rows).map(([kind, n]) => pluralize(n, kind.replaceAll("_", " ")))
        if (answers > 0) what.push(pluralize(answers, "stored response"))
        const name = `${key} (${isCurrent ? "current" : isGiven ? "old" : "not given"})`
        if (what.length > 0) return `${name}: ${what.join(", ")}`
        if (isCurrent && !isRecorded && uses.some((one) => one.isRecorded))
          return `${name}: nothing yet; put it first only when every running server has it, at any place`
        if (isCurrent || !isGiven) return `${name}: nothing`
        return `${name}: nothing; ${isRecorded ? "after corridor keys rotate " : ""}it can be removed from CORRIDOR_ENCRYPTION_KEY`
      })
    ],
    {
      ...(moved === null ? {} : { encrypted_again: moved }),
      keys: uses.map(({ answers, isCurrent, isGiven, key, rows }) => ({
        key,
        status: isCurrent ? "current" : isGiven ? "old" : "not_given",
        resources: rows,
        stored_responses: answers
      }))
    }
  )
})

const runKeys = (isRotating: boolean) =>
  Effect.flatMap(readSettings({ exit: 1 }), (config) =>
    explainFailure(config, 1)(reportOrRotateKeys(config, isRotating))
  ).pipe(Effect.provide(Logger.layer([Logger.consoleJson])))

const status = Command.make("status", {}, () => runKeys(false)).pipe(
  Command.withDescription("Lists the encryption keys in use, and the number of secrets under each."),
  Command.withExamples([{ command: "CORRIDOR_ENCRYPTION_KEY=$NEW,$OLD corridor keys status" }])
)

const rotate = Command.make("rotate", {}, () => runKeys(true)).pipe(
  Command.withDescription(
    "Encrypts all secrets again, under the first key, and forgets keys that nothing uses. Services may keep running if each has both keys, the new one first. Each resource with a secret gets a new version."
  ),
  Command.withExamples([{ command: "CORRIDOR_ENCRYPTION_KEY=$NEW,$OLD corridor keys rotate" }])
)

export const keys = Command.make("keys").pipe(
  Command.withDescription("The encryption keys of the store."),
  Command.withSubcommands([status, rotate]),
  Command.withGlobalFlags([ConfigFile])
)
