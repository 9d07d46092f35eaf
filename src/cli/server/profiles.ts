/**
 * Profiles: credentials that `corridor login` has stored, by name, each with its server. They are in `corridor/profiles.json` of the
 * folder for settings of the person, in a file that nobody else may read.
 */
import { chmod, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect, Schema } from "effect"
import { unusable, usageFailure } from "../failure.ts"
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

/** The names of profiles: safe in a shell and in a path. */
export const isProfileName = (name: string): boolean => /^[a-z0-9][a-z0-9_.-]{0,63}$/i.test(name)

/** Where profiles are. `undefined`: the environment names no folder for them. */
const fileIn = (env: Readonly<Record<string, string | undefined>>): string | undefined => {
  const { APPDATA, HOME, XDG_CONFIG_HOME } = env
  const folder = XDG_CONFIG_HOME || APPDATA || (HOME ? join(HOME, ".config") : undefined)
  return folder === undefined ? undefined : join(folder, "corridor", "profiles.json")
}

/** What is stored. Errors: `CommandFailure` with 3 where others may read the file, or it is something else. */
export const readProfiles = Effect.fnUntraced(function* () {
  const file = fileIn((yield* Process).env)
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
        : Effect.fail(unusable(`${file}: ${(error as Error).message}.`))
    )
  )
  if (text === undefined) return none
  return yield* Effect.mapError(Schema.decodeUnknownEffect(Schema.fromJsonString(Profiles))(text), () =>
    unusable(`${file} is not what corridor login has written. Remove it, and log in again.`)
  )
})

/** Stores them whole, for their owner alone: a reader sees what was there before, or all of it. */
export const writeProfiles = Effect.fnUntraced(function* (profiles: Profiles) {
  const file = fileIn((yield* Process).env)
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
    catch: (error) => unusable(`${file} is not written: ${(error as Error).message}.`)
  })
})

/** The profile of a name, or the current one. Errors: `CommandFailure` with 2 for a name that nobody has stored. */
export const profileOf = Effect.fnUntraced(function* (name: string | undefined) {
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
