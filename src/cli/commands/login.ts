/** `corridor login`, `corridor logout` and `corridor profiles` */
import { Effect, Option, Redacted } from "effect"
import { Argument, Command, Flag, Prompt } from "effect/cli"
import type { ActingOperator, Me } from "../../client/index.ts"
import { usageFailure } from "../failure.ts"
import { makeOptionalTextFlag, printResult } from "../globals.ts"
import { Process } from "../process.ts"
import { asSecret, chooseSecret, openApi } from "../server/api.ts"
import { isProfileName, readProfiles, writeProfiles } from "../server/profiles.ts"

const nameArgument = Argument.String("profile").pipe(
  Argument.withDescription("The name of the profile; default default"),
  Argument.withDefault("default")
)

const describeCaller = (data: unknown): string => {
  const { api_key: key, merchant } = data as Partial<Me>
  if (merchant !== undefined) return `${merchant.name} (${merchant.id}), API key ${key!.id}, role ${key!.role}`
  const { email, role } = data as ActingOperator
  return `${email ?? "the configured operator token"}, role ${role}`
}

export const login = Command.make(
  "login",
  { name: nameArgument, ...asSecret },
  Effect.fnUntraced(function* ({ name, ...given }) {
    if (!isProfileName(name))
      return yield* usageFailure(
        `PROFILE is ${JSON.stringify(name)}; it takes 1 to 64 letters, digits, "-", "_" and ".", not the last three first.`
      )
    const { isTerminal = false } = yield* Process
    const found = (yield* chooseSecret(given))?.secret
    const secret =
      found !== undefined || !isTerminal
        ? found
        : Redacted.value(
            yield* Effect.mapError(
              Prompt.run(
                Prompt.Password({
                  message: "API key of a merchant, or operator's token",
                  // What it fails with is shown, and the credential is asked for again.
                  validate: (typed: string) => {
                    const secret = typed.trim()
                    if (secret === "") return Effect.fail("A key or a token is required.")
                    return /\s/.test(secret) ? Effect.fail("A key or a token has no spaces.") : Effect.succeed(secret)
                  }
                })
              ),
              () => usageFailure("nothing is stored.")
            )
          )
    if (secret === undefined)
      return yield* usageFailure("--key, --token or their variables are required where there is no terminal to ask.")
    const api = yield* openApi(given.url, secret)
    const { data } = yield* api.ask("GET", api.credential === "merchant" ? "/v1/me" : "/operator/v1/me")
    const stored = yield* readProfiles()
    const profile = { url: api.url, credential: api.credential, secret: api.secret }
    yield* writeProfiles({ current: name, profiles: { ...stored.profiles, [name]: profile } })
    yield* printResult([`${describeCaller(data)}, at ${api.url}.`, `Commands use the profile ${name} from now on.`], {
      profile: name,
      url: api.url,
      credential: api.credential,
      caller: data
    })
  })
).pipe(
  Command.withShortDescription("Store a credential for the commands that call a server"),
  Command.withDescription(
    "Asks the server who a merchant's API key or an operator's token is, and stores it under a name, in a file that only you may read. Commands use the current profile where they are given no credential; it is never sent to another server. On a terminal it asks for the credential without showing it; with --token - it reads it from the standard input."
  ),
  Command.withExamples([
    { command: "corridor login --url https://pay.example.com", description: "Asks for the key" },
    { command: "corridor login --token - < FILE", description: "The first line of a file" },
    { command: "CORRIDOR_OPERATOR_TOKEN=$TOKEN corridor login desk --url https://pay.example.com" }
  ])
)

export const logout = Command.make(
  "logout",
  { name: nameArgument },
  Effect.fnUntraced(function* ({ name }) {
    const { current, profiles } = yield* readProfiles()
    if (!Object.hasOwn(profiles, name)) return yield* usageFailure(`there is no profile ${JSON.stringify(name)}.`)
    const { [name]: _, ...rest } = profiles
    yield* writeProfiles({ current: current === name ? null : current, profiles: rest })
    yield* printResult([`The profile ${name} is removed. Its credential is still valid at its server.`], {
      profile: name
    })
  })
).pipe(
  Command.withDescription("Removes a stored credential from this machine. To end it, revoke the key at the server."),
  Command.withExamples([{ command: "corridor logout desk" }])
)

export const profiles = Command.make(
  "profiles",
  { use: makeOptionalTextFlag("use", "PROFILE", "Make this one the current profile").pipe(Flag.withAlias("u")) },
  Effect.fnUntraced(function* ({ use }) {
    const stored = yield* readProfiles()
    const current = Option.getOrElse(use, () => stored.current)
    if (Option.isSome(use)) {
      if (!Object.hasOwn(stored.profiles, use.value))
        return yield* usageFailure(`there is no profile ${JSON.stringify(use.value)}.`)
      yield* writeProfiles({ ...stored, current })
    }
    const rows = Object.entries(stored.profiles).map(([name, { credential, url }]) => ({
      name,
      ...{ url, credential, is_current: name === current }
    }))
    const lines = rows.map(
      ({ credential, is_current, name, url }) => `${is_current ? "*" : " "} ${name}  ${credential}  ${url}`
    )
    yield* printResult(lines.length === 0 ? ["No profiles. corridor login makes one."] : lines, rows)
  })
).pipe(
  Command.withShortDescription("List the stored credentials, or choose the current one"),
  Command.withDescription(
    "Lists the profiles of this machine, without their secrets. An asterisk marks the current one."
  ),
  Command.withExamples([{ command: "corridor profiles --use desk" }])
)
