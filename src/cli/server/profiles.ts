/**
 * Profiles: credentials that `corridor login` has stored, by name, each with its server. They are in `corridor/profiles.json` of the
 * folder for settings of the person, in a file that nobody else may read.
 */
import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { runFailure, usageFailure } from "../failure.ts"
import { Process } from "../process.ts"

export const Profile = Schema.Struct({
  url: Schema.String,
  credential: Schema.Literals(["merchant", "operator"]),
  secret: Schema.String
})
export type Profile = typeof Profile.Type

const Profiles = Schema.Struct({
  /** The one that commands use where they are given nothing else. */
  current: Schema.NullOr(Schema.String),
  profiles: Schema.Record(Schema.String, Profile)
})
export type Profiles = typeof Profiles.Type

const none: Profiles = { current: null, profiles: {} }

/** Whether a name is allowed for a profile: safe in a shell and in a path. */
export const isProfileName = (name: string): boolean => /^[a-z0-9][a-z0-9_.-]{0,63}$/i.test(name)

/** Finds the path of the file of profiles. `undefined`: the environment names no folder for it. */
const findProfileFile = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const { APPDATA, HOME, XDG_CONFIG_HOME } = env
  const folder = XDG_CONFIG_HOME || APPDATA || (HOME ? join(HOME, ".config") : undefined)
  return folder === undefined ? undefined : join(folder, "corridor", "profiles.json")
}

/** Reads the stored profiles. Errors: `CommandFailure` with exit code 3 if other users may read the file, or it is malformed. */
export const readProfiles = Effect.fnUntraced(function* () {
  const file = findProfileFile((yield* Process).env)
  if (file === undefined) return none
  const text = yield* Effect.tryPromise({
    try: async () => {
      const { mode } = await stat(file)
      // Windows has no such modes.
      if (process.platform !== "win32" && (mode & 0o077) !== 0)
        throw new Error(`others may read it; chmod 600 ${file} first`)
      return await readFile(file, "utf8")
    },
    catch: (error) => error
  }).pipe(
    Effect.catch((error) =>
      (error as NodeJS.ErrnoException).code === "ENOENT"
        ? Effect.succeed(undefined)
        : Effect.fail(runFailure(`${file}: ${(error as Error).message}.`))
    )
  )
  if (text === undefined) return none
  return yield* Effect.mapError(Schema.decodeUnknownEffect(Schema.fromJsonString(Profiles))(text), () =>
    runFailure(`${file} is not what corridor login has written. Remove it, and log in again.`)
  )
})

/** Writes the profiles, readable by their owner only, by replacing the file: a reader sees the old ones or all of the new ones. */
export const writeProfiles = Effect.fnUntraced(function* (profiles: Profiles) {
  const file = findProfileFile((yield* Process).env)
  if (file === undefined)
    return yield* usageFailure("XDG_CONFIG_HOME or HOME is required: the folder in which profiles are stored.")
  const partial = `${file}.${process.pid}`
  yield* Effect.tryPromise({
    try: async () => {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      await writeFile(partial, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 })
      await chmod(partial, 0o600)
      await rename(partial, file)
    },
    catch: (error) => runFailure(`${file} is not written: ${(error as Error).message}.`)
  })
})

/** Reads the profile of a name, or the current one. Errors: `CommandFailure` with exit code 2 for an unknown name. */
export const readProfile = Effect.fnUntraced(function* (name: string | undefined) {
  const { current, profiles } = yield* readProfiles()
  const asked = name ?? current
  if (asked === null) return undefined
  const found = Object.hasOwn(profiles, asked) ? profiles[asked] : undefined
  if (found !== undefined) return found
  const names = Object.keys(profiles)
  return yield* usageFailure(
    `there is no profile ${JSON.stringify(asked)}; ${names.length === 0 ? "corridor login makes one" : `there are ${names.join(", ")}`}.`
  )
})
