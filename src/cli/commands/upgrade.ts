/** `corridor upgrade --check` */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import type { Snapshot } from "../../adapters/storage/audit/snapshot.ts"
import type { Config } from "../../http/config/config.ts"
import { found, usageFailure } from "../failure.ts"
import { ConfigFile, makeSwitch, printResult } from "../globals.ts"
import { explainFailure, readSettings } from "../settings.ts"
import { readKeyUse, listSnapshots } from "../stores.ts"

interface Versions {
  readonly kind: string
  readonly machine: string
  readonly resources: number
  /** Whether this release can load them. Null for records of an adapter, which has its own versions. */
  readonly loadable: boolean | null
}

const countMachineVersions = Effect.fnUntraced(function* (snapshot: Snapshot) {
  const { kinds } = yield* Effect.promise(() => import("../../engine/registry.ts"))
  const rows = yield* snapshot.query(
    "select kind, machine, count(*)::text as n from resource group by 1, 2 order by 1, 2"
  )
  return rows.map((row): Versions => {
    const [kind, machine] = [String(row["kind"]), String(row["machine"])]
    const loadable = kinds.byName.get(kind)?.lifecycle.knows(machine) ?? null
    return { kind, machine, resources: Number(row["n"]), loadable }
  })
})

const checkDatabases = Effect.fnUntraced(function* (config: Config) {
  const { hasNoTables, readMigrations } = yield* Effect.promise(() => import("../../adapters/storage/audit/release.ts"))
  const databases = yield* listSnapshots(config)
  return yield* Effect.forEach(databases, ({ snapshot, store }) =>
    Effect.scoped(
      Effect.gen(function* () {
        const opened = yield* snapshot
        const migrations = yield* readMigrations(opened)
        const isNew = hasNoTables(migrations)
        const versions = isNew ? [] : yield* countMachineVersions(opened)
        const keys = isNew ? { recorded: [], missing: [] } : yield* readKeyUse(config, opened)
        return { store, migrations, versions, keys }
      })
    )
  )
})

type Checked = Effect.Success<ReturnType<typeof checkDatabases>>[number]

const listUpgradeFaults = ({ keys, migrations, versions }: Checked): ReadonlyArray<string> => [
  ...migrations.unknown.map((name) => `a newer release has applied ${name}, which this release does not know`),
  ...migrations.different.map((name) => `${name} was applied from another file than that of this release`),
  ...versions
    .filter(({ loadable }) => loadable === false)
    .map(
      ({ kind, machine, resources }) =>
        `this release cannot load version ${machine} of ${kind}, which ${resources} resources have`
    ),
  ...keys.missing.map(
    (key) => `the store was written under the encryption key ${key}, which CORRIDOR_ENCRYPTION_KEY does not contain`
  )
]

export const upgrade = Command.make(
  "upgrade",
  { check: makeSwitch("check").pipe(Flag.withDescription("Check, and change nothing")) },
  Effect.fnUntraced(function* ({ check }) {
    if (!check)
      return yield* usageFailure(
        "--check is required: a release is started with corridor serve, which migrates the store."
      )
    const config = yield* readSettings({ exit: 3 })
    const databases = yield* explainFailure(config, 3)(checkDatabases(config))
    const isRight = databases.every((one) => listUpgradeFaults(one).length === 0)
    yield* printResult(
      databases.flatMap((checked) => {
        const { keys, migrations, store, versions } = checked
        const faults = listUpgradeFaults(checked)
        const resources = versions.reduce((sum, one) => sum + one.resources, 0)
        return [
          `${store}: ${resources} resources in ${versions.length} versions of machines, encryption keys ${keys.recorded.join(", ") || "none"}`,
          ...(migrations.missing.length === 0 ? [] : [`  to be applied: ${migrations.missing.join(", ")}`]),
          ...faults.map((fault) => `  FAULT: ${fault}`),
          faults.length === 0 ? "  this release can start on it" : "  this release must not start on it"
        ]
      }),
      {
        ok: isRight,
        databases: databases.map((one) => ({ ...one, faults: listUpgradeFaults(one) }))
      }
    )
    if (!isRight) return yield* found
  })
).pipe(
  Command.withGlobalFlags([ConfigFile]),
  Command.withShortDescription("Check whether this release can start on a store"),
  Command.withDescription(
    "Compares a store with this release before it is started: migrations to be applied or unknown, the version of every stored machine, and the encryption keys. It reads a Postgres store in one snapshot beside servers that run, and a PGlite directory that no process uses from a copy. Exit code 1 if this release must not start."
  ),
  Command.withExamples([{ command: "DATABASE_URL=postgres://localhost/corridor corridor upgrade --check" }])
)
