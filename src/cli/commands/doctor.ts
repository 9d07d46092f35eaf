/** `corridor doctor` */
import { connect } from "node:net"
import { Clock, Effect, Option } from "effect"
import { Command } from "effect/cli"
import type { Snapshot } from "../../adapters/storage/audit/snapshot.ts"
import type { ConfiguredProvider } from "../../client/index.ts"
import type { Config } from "../../http/config/config.ts"
import { checkAdapters } from "../adapters.ts"
import { type CommandFailure, found, isUnreachable } from "../failure.ts"
import { ConfigFile, printResult } from "../globals.ts"
import { Process } from "../process.ts"
import { readProfile } from "../server/profiles.ts"
import { asOperator, readAllItems, openOperatorApi, operatorVariable, readVariableSecret } from "../server/api.ts"
import { readSettings } from "../settings.ts"
import { readKeyUse, listSnapshots } from "../stores.ts"

interface Finding {
  readonly status: "ok" | "warn" | "fail"
  /** What was looked at, in one word or two. */
  readonly about: string
  readonly sentence: string
}

const pass = (about: string, sentence: string): Finding => ({ status: "ok", about, sentence })
const warn = (about: string, sentence: string): Finding => ({ status: "warn", about, sentence })
const fail = (about: string, sentence: string): Finding => ({ status: "fail", about, sentence })

const checkSettings = (config: Config): ReadonlyArray<Finding> => {
  const { database, dispatcher, encryption_keys, environment, metrics_token, operator_token, public_url, screening } =
    config
  const isLasting = database._tag !== "memory" && !(database._tag === "pglite" && database.dir === null)
  const warnings: ReadonlyArray<readonly [applies: boolean, about: string, sentence: string]> = [
    [
      operator_token === undefined,
      "operator token",
      "CORRIDOR_OPERATOR_TOKEN is not set: the token is the one that the first start printed."
    ],
    [
      metrics_token === undefined,
      "metrics token",
      "CORRIDOR_METRICS_TOKEN is not set: Prometheus needs an operator's token to read /metrics from another machine, and every process of this machine can read it."
    ],
    [
      !dispatcher,
      "dispatcher",
      "CORRIDOR_DISPATCHER is off: this node submits no payout, runs no timer and delivers no event. Another node must."
    ],
    [
      environment === "live" && screening === "none",
      "screening",
      "screening is none: a beneficiary that no provider screens is cleared. Configure a provider that screens, and remove the setting."
    ],
    [!isLasting, "store", "the store is in memory and ends with the process. Set DATABASE_URL."],
    [
      environment === "live" && isLasting && database._tag === "pglite",
      "store",
      "the store is a PGlite directory, which is never flushed to the disk: a crash of the machine may lose what was acknowledged before it. Set DATABASE_URL to a Postgres server."
    ],
    [
      public_url === undefined,
      "base URL",
      "CORRIDOR_PUBLIC_URL is not set: links point to the listening address, which others may not reach."
    ]
  ]
  return [
    pass("configuration", `every setting is valid, for the ${environment} environment`),
    encryption_keys === undefined
      ? warn(
          "encryption key",
          "CORRIDOR_ENCRYPTION_KEY is not set: secrets are under the fixed key of the test environment, which is public. Set it before real data arrive."
        )
      : pass("encryption key", `${encryption_keys.length} configured`),
    ...warnings.flatMap(([applies, about, sentence]) => (applies ? [warn(about, sentence)] : []))
  ]
}

/** A clock that differs by more than this claims no jobs (SERVICE-15). */
const skewMaxMs = 5_000
const skewNotedMs = 1_000

const checkDatabaseClock = Effect.fnUntraced(function* (snapshot: Snapshot) {
  const before = yield* Clock.currentTimeMillis
  const [row] = yield* snapshot.query("select floor(extract(epoch from clock_timestamp()) * 1000)::text as now")
  const after = yield* Clock.currentTimeMillis
  const there = Number(row?.["now"])
  const skew = there < before ? before - there : there > after ? there - after : 0
  const shown = `the clock of this machine and the database's differ by ${(skew / 1000).toFixed(1)} s`
  if (skew > skewMaxMs)
    return fail("clock", `${shown}; beyond ${skewMaxMs / 1000} s this node claims no jobs. Synchronize it (NTP).`)
  return skew > skewNotedMs ? warn("clock", `${shown}. Synchronize it (NTP).`) : pass("clock", shown)
})

/** How long a connection may take, and how many receivers are tried. */
const connectMs = 3_000
const originsMax = 50

/** Connects to the host of a URL. Returns why it cannot be reached; null if it can. */
const findConnectFault = (url: URL): Effect.Effect<string | null> =>
  Effect.callback<string | null>((resume) => {
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80))
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ""), port, timeout: connectMs })
    const end = (reason: string | null): void => {
      socket.destroy()
      resume(Effect.succeed(reason))
    }
    socket.once("connect", () => end(null))
    socket.once("timeout", () => end(`no connection within ${connectMs / 1000} seconds`))
    socket.once("error", ({ message }) => end(message))
  })

const checkEndpoints = Effect.fnUntraced(function* (snapshot: Snapshot) {
  const origins = new Map<string, string>()
  yield* snapshot.each(
    "select id, data from resource where kind = 'webhook_endpoint' and not hidden order by id",
    (rows) =>
      Effect.sync(() => {
        for (const row of rows) {
          const { origin } = new URL((JSON.parse(String(row["data"])) as { readonly url: string }).url)
          if (!origins.has(origin)) origins.set(origin, String(row["id"]))
        }
      })
  )
  const tried = yield* Effect.forEach(
    [...origins].slice(0, originsMax),
    ([origin, id]) => Effect.map(findConnectFault(new URL(origin)), (reason) => ({ id, origin, reason })),
    { concurrency: 8 }
  )
  const away = tried.flatMap(({ id, origin, reason }) =>
    reason === null
      ? []
      : [
          warn(
            "webhooks",
            `${origin}, of ${id}, cannot be reached from here: ${reason}. Its merchant must start it or change the endpoint.`
          )
        ]
  )
  const reached = tried.length - away.length
  const untried = origins.size > tried.length ? `; ${origins.size - tried.length} more were not tried` : ""
  return reached === 0
    ? away
    : [pass("webhooks", `${reached} of ${tried.length} receivers can be reached from here${untried}`), ...away]
})

/** Checks whether the database is a restored copy: compares where it is with where it was recorded. */
const checkIdentity = Effect.fnUntraced(function* (store: string, snapshot: Snapshot, isServer: boolean) {
  const [{ identity, recordedIdentity }, { isOriginal }] = yield* Effect.promise(() =>
    Promise.all([import("../../adapters/storage/sql/identity.ts"), import("../../engine/work/upkeep/StoreIdentity.ts")])
  )
  // A cell is where the directory is. What an earlier release recorded in the cell is not updated.
  const [cell] = yield* snapshot.query(
    "select 1 as one from setting where key = 'database' and starts_with(value, 'cell/')"
  )
  if (cell !== undefined) return []
  const asked = (value: string) =>
    Effect.map(
      Effect.orElseSucceed(snapshot.query(`select ${value} as value`), () => []),
      ([row]) => {
        const found = row?.["value"]
        return typeof found === "string" ? found : null
      }
    )
  const recorded = yield* asked(recordedIdentity)
  if (recorded === null || isOriginal({ found: isServer ? yield* asked(identity) : null, recorded })) return []
  return [
    fail(
      "store",
      `${store} is a restored copy or a promoted standby, so no node runs its jobs: docs/runbooks/backup-and-restore.md has the steps to corridor reconcile accept.`
    )
  ]
})

const checkDatabase = Effect.fnUntraced(function* (config: Config, store: string, snapshot: Snapshot) {
  const { hasNoTables, readMigrations } = yield* Effect.promise(() => import("../../adapters/storage/audit/release.ts"))
  const migrations = yield* readMigrations(snapshot)
  const { different, missing, unknown } = migrations
  const findings: Array<Finding> = []
  if (unknown.length > 0)
    findings.push(fail("store", `${store}: a newer release has applied ${unknown.join(", ")}. Start that release.`))
  if (different.length > 0)
    findings.push(
      fail("store", `${store}: ${different.join(", ")} came from another file. It belongs to an unreleased version.`)
    )
  if (missing.length > 0)
    findings.push(
      warn("store", `${store} lacks ${missing.join(", ")}: corridor migrate, or the next start, applies them.`)
    )
  if (findings.length === 0) findings.push(pass("store", `${store} can be read, and is migrated`))
  findings.push(yield* checkDatabaseClock(snapshot))
  if (hasNoTables(migrations)) return findings
  const keys = yield* readKeyUse(config, snapshot)
  for (const key of keys.missing)
    findings.push(
      fail(
        "encryption key",
        `${store} was written under the key ${key}, which CORRIDOR_ENCRYPTION_KEY does not contain. Add it after the current one.`
      )
    )
  if (keys.missing.length === 0 && keys.recorded.length > 0 && !keys.recorded.includes(keys.current))
    findings.push(
      warn(
        "encryption key",
        `No server has encrypted with the first key ${keys.current} yet. Put it first only when every running server has it, at any place: others cannot read what it encrypts.`
      )
    )
  const [row] = yield* snapshot.query("select value from setting where key = 'environment'")
  const stored = row?.["value"]
  if (stored !== undefined && stored !== config.environment)
    findings.push(
      fail(
        "environment",
        `the store is of the ${String(stored)} environment, and the configuration of ${config.environment}. Correct CORRIDOR_ENVIRONMENT or DATABASE_URL.`
      )
    )
  findings.push(...(yield* checkEndpoints(snapshot)))
  // At the end: a role that may not ask for the identity ends the transaction of the snapshot.
  return [...findings, ...(yield* checkIdentity(store, snapshot, config.database._tag !== "pglite"))]
})

const checkStore = (config: Config) =>
  Effect.gen(function* () {
    if (config.database._tag === "memory" || (config.database._tag === "pglite" && config.database.dir === null))
      return []
    const databases = yield* listSnapshots(config)
    const findings = yield* Effect.forEach(databases, ({ snapshot, store }) =>
      Effect.scoped(Effect.flatMap(snapshot, (opened) => checkDatabase(config, store, opened))).pipe(
        Effect.catch(({ message }) => {
          if (message.includes("is in use by"))
            return Effect.succeed([pass("store", `${message}: a server runs on it`)])
          if (message.endsWith("has no store"))
            return Effect.succeed([warn("store", `${message} yet: the first start makes it.`)])
          return Effect.succeed([
            fail("store", `${store} cannot be used: ${message}. Correct DATABASE_URL, or start the database.`)
          ])
        })
      )
    )
    return findings.flat()
  }).pipe(Effect.catch(({ message }) => Effect.succeed([fail("store", message)])))

/** A provider that a server has. One of an earlier release says nothing of foreign addresses. */
type Provided = Omit<ConfiguredProvider, "foreign_addresses"> & Partial<Pick<ConfiguredProvider, "foreign_addresses">>

const checkServer = Effect.fnUntraced(function* (given: Command.Command.Config.Infer<typeof asOperator>) {
  const { env } = yield* Process
  const isGiven =
    Option.isSome(given.token) ||
    Option.isSome(given.profile) ||
    readVariableSecret(env, operatorVariable) !== undefined
  if (!isGiven && (yield* readProfile(env["CORRIDOR_PROFILE"] || undefined))?.credential !== "operator")
    return [warn("server", "no operator's token is given (--token), so no server was asked about its providers.")]
  const api = yield* openOperatorApi(given)
  return yield* readAllItems(api, "/operator/v1/providers").pipe(
    Effect.map((data) => [
      pass("server", `${api.url} answers`),
      ...(data as ReadonlyArray<Provided>).flatMap(
        ({ events, foreign_addresses = [], health, name, paused, simulated }) => [
          ...foreign_addresses.map(({ address, external_account_id }) =>
            warn(
              "account",
              `${external_account_id} has the address ${address}, which is not of ${name}: no statement is of it. Correct the account's identifiers.`
            )
          ),
          ...(events.rescan ? [pass("rescan", `${name}: ${events.rescan}`)] : []),
          events.last_fault !== null
            ? fail(
                "provider",
                `the events of ${name} are not all read and handled: ${events.last_fault.answer} (${events.last_fault.at}). See docs/runbooks/stopped-feed.md.`
              )
            : health === "healthy" && !paused
              ? pass("provider", `${name}${simulated ? " (simulated)" : ""} is healthy`)
              : paused
                ? warn("provider", `${name} is paused: GET /operator/v1/brakes shows by which pause.`)
                : fail(
                    "provider",
                    `${name} does not answer, and its circuit breaker is open. Look at its connector; GET /operator/v1/stuck shows what waits.`
                  )
        ]
      )
    ]),
    Effect.catch((failure) =>
      Effect.succeed([
        isUnreachable(failure)
          ? warn("server", `${failure.lines[0]}. Start it with corridor serve, or give --url.`)
          : fail("server", `${failure.lines[0]}`)
      ])
    )
  )
})

const marks = { ok: 32, warn: 33, fail: 31 } as const

export const doctor = Command.make(
  "doctor",
  asOperator,
  Effect.fnUntraced(function* (given) {
    const { colors } = yield* Process
    const read = yield* Effect.result(readSettings({ exit: 3 }))
    const findings: Array<Finding> = []
    if (read._tag === "Failure") findings.push(...read.failure.lines.map((line) => fail("configuration", line)))
    else {
      const config = read.success
      findings.push(...checkSettings(config), ...(yield* checkStore(config)))
      const { public_url: base } = config
      if (base !== undefined) {
        const reason = yield* findConnectFault(new URL(base))
        findings.push(
          reason === null
            ? pass("base URL", `${base} can be reached from here`)
            : warn(
                "base URL",
                `${base} cannot be reached from here: ${reason}. Links in responses and hosted pages point there.`
              )
        )
      }
      for (const one of yield* checkAdapters(config)) findings.push({ about: "adapter", ...one })
    }
    findings.push(
      ...(yield* Effect.catchTag(checkServer(given), "CommandFailure", ({ lines }: CommandFailure) =>
        Effect.succeed(lines.map((line) => fail("server", line)))
      ))
    )
    const isWell = findings.every(({ status }) => status !== "fail")
    const lines = findings.map(({ about, sentence, status }) => {
      const mark = status.padEnd(4)
      return `${colors ? `\u001b[${marks[status]}m${mark}\u001b[0m` : mark}  ${about.padEnd(14)}  ${sentence}`
    })
    yield* printResult(lines, { ok: isWell, findings })
    if (!isWell) return yield* found
  })
).pipe(
  Command.withGlobalFlags([ConfigFile]),
  Command.withShortDescription("Look at configuration, store, clock, providers and URLs, and say what to do"),
  Command.withDescription(
    "Looks at the configuration, the store and its migrations, the clock, the encryption keys, the webhook endpoints and the base URL; starts each adapter of the configuration and asks it for its packages, nodes, tokens and keys; and looks at the providers of a running server and at their feeds. Each line is ok, warn or fail, with what to do. It writes nothing. Exit code 1 if anything fails."
  ),
  Command.withExamples([{ command: "DATABASE_URL=postgres://localhost/corridor corridor doctor" }])
)
