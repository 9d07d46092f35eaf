/** What the live environment requires, and what it never has (SERVICE-3). */
import { createHash } from "node:crypto"
import type { Config } from "./config.ts"
import type { Env } from "./resolve.ts"
import { settingsIn } from "./settings.ts"

/** The fixed encryption key of the test environment. It is public. */
export const developmentKey = createHash("sha256").update("corridor development key").digest("base64")

const simulated = settingsIn("live").flatMap(({ member, variable }) =>
  member.startsWith("sandbox.") ? [variable] : []
)

const real = "the live environment takes real providers only."

/**
 * One line for each reason why a server cannot start in `live`: all of them. `given`: which members of the configuration
 * are set, whether or not they are valid.
 */
export const liveFaults = (
  { database, encryption_keys, environment, providers }: Config,
  env: Env,
  given: (member: string) => boolean
): ReadonlyArray<string> => {
  if (environment !== "live") return []
  const required = (member: string, takes: string): ReadonlyArray<string> =>
    given(member)
      ? []
      : [
          `${member} is not set; the live environment requires ${takes}, in a configuration (corridor serve --config FILE).`
        ]
  const isVolatile = database._tag === "memory" || (database._tag === "pglite" && database.dir === null)
  return [
    ...required("providers", "at least one provider adapter"),
    ...required("rates", "rates of your own"),
    ...required("pricing", "fees and ranges of your own"),
    ...(providers ?? []).flatMap((provider, at) =>
      provider.simulated ? [`providers[${at}] is a simulated provider, which moves no money; ${real}`] : []
    ),
    ...(given("sandbox") ? [`sandbox is set; it configures the simulated provider, and ${real}`] : []),
    ...simulated
      .filter((name) => (env[name] ?? "") !== "")
      .map((name) => `${name} is set; it configures the simulated provider, and ${real}`),
    ...(encryption_keys?.includes(developmentKey) === true
      ? ["the encryption key is the fixed key of the test environment, which is public; generate one of your own."]
      : []),
    ...(isVolatile
      ? [
          "the database is in memory (DATABASE_URL or database), and ends with the process; the live environment requires one that lasts."
        ]
      : [])
  ]
}
