/** The settings of the service, as `corridor serve` reads them: from the environment and a configuration file. */
import { Cause, Effect, Option } from "effect"
import type { Config } from "../http/config/config.ts"
import { CommandFailure } from "./failure.ts"
import { ConfigFile } from "./globals.ts"
import { Process } from "./process.ts"
import { findMisspeltVariables } from "./variables.ts"

/**
 * Reads the settings. `isServing`: whether a server is to start, which has more requirements in `live`.
 *
 * Errors: `CommandFailure` with one line for each fault of the file and the environment. `exit`: its exit code.
 */
export const readSettings = Effect.fnUntraced(function* ({
  exit,
  isServing = false
}: {
  readonly exit: 1 | 3
  readonly isServing?: boolean
}) {
  const { complain, directory, env } = yield* Process
  const file = Option.getOrUndefined(yield* ConfigFile)
  const decoded = yield* Effect.promise(async () => {
    const { decodeConfig } = await import("../http/config/decode.ts")
    if (file === undefined) return decodeConfig(env, undefined, { literals: "refused", isServing })
    const { loadConfigFile, resolveConfig } = await import("../http/config/resolve.ts")
    const loaded = await loadConfigFile(file, directory)
    if ("faults" in loaded) {
      const decoded = decodeConfig(env)
      return { faults: [...loaded.faults, ...("faults" in decoded ? decoded.faults : [])] }
    }
    const resolved = await resolveConfig(loaded.definition, env, loaded.source)
    const warning = await findMisspeltVariables(env, resolved.read)
    if (warning !== undefined) complain(warning)
    return decodeConfig(env, resolved, { literals: "refused", isServing })
  })
  if ("faults" in decoded) return yield* new CommandFailure({ lines: decoded.faults, exit })
  return decoded.config
})

/** Fails with one line for the reason when an effect on the store or the address of a configuration fails. */
export const explainFailure =
  (config: Config, exit: 1 | 3) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, CommandFailure, R> =>
    Effect.catchCause(effect, (cause) =>
      Effect.gen(function* () {
        const failure = Cause.squash(cause)
        if (failure instanceof CommandFailure) return yield* failure
        const { describeFailure: reasonOf } = yield* Effect.promise(() => import("../http/serve/failures.ts"))
        return yield* new CommandFailure({ lines: [reasonOf(cause, config)], exit })
      })
    )
