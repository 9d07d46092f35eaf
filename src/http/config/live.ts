/** What the live environment requires, and what it never has (SERVICE-3). */
import { createHash } from "node:crypto"
import type { Config } from "./config.ts"
import type { Env } from "./resolve.ts"
import { listAllSettings } from "./settings.ts"

/** The fixed encryption key of the test environment. It is public. */
export const developmentKey = createHash("sha256").update("corridor development key").digest("base64")

const simulated = listAllSettings("live").flatMap(({ member, variable }) =>
  member.startsWith("sandbox.") ? [variable] : []
)

const real = "the live environment takes real providers only."

/** Lists the providers whose keys are for the other environment, one line each (COMPANY-11). */
const listKeyFaults = ({ environment, providers = [] }: Config): ReadonlyArray<string> =>
  providers.flatMap((provider, at) => {
    if (provider.environment === undefined || provider.environment === environment) return []
    return environment === "live"
      ? [`providers[${at}] has keys of a test mode, which move no money; ${real}`]
      : [`providers[${at}] has live keys, which move real money; the test environment takes keys of a test mode.`]
  })

/**
 * Lists all reasons why a server cannot start with a configuration, one line each; most of them apply in `live`. `given`: which
 * members of the configuration are set, whether or not they are valid.
 */
export const listStartFaults = (
  config: Config,
  env: Env,
  given: (member: string) => boolean
): ReadonlyArray<string> => {
  const { database, encryption_keys, environment, providers } = config
  if (environment !== "live") return listKeyFaults(config)
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
    ...listKeyFaults(config),
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
