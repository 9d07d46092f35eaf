/** `corridor verify` */
import { Clock, Effect } from "effect"
import { Command } from "effect/cli"

import type { Config } from "../../http/config/config.ts"
import { found, runFailure } from "../failure.ts"
import { ConfigFile, printResult } from "../globals.ts"
import { drawProgress } from "../progress.ts"
import { explainFailure, readSettings } from "../settings.ts"
import { listSnapshots } from "../stores.ts"
import type { CheckReport, Sizes } from "../verify/run.ts"

interface Verified {
  readonly store: string
  readonly sizes: Sizes | null
  readonly checks: ReadonlyArray<CheckReport>
}

const verifyStore = Effect.fnUntraced(function* (config: Config, progress: (done: number, about: string) => void) {
  const [{ readMigrations }, { verifyDatabase }, { findCellDifferences }] = yield* Effect.promise(() =>
    Promise.all([
      import("../../adapters/storage/audit/release.ts"),
      import("../verify/run.ts"),
      import("../verify/cells.ts")
    ])
  )
  const databases = yield* listSnapshots(config)
  // The schema of the directory last: a merchant's cell and its lookup keys are there before they are in the cell.
  const last = yield* Effect.forEach(databases.toReversed(), ({ snapshot, store }) =>
    Effect.map(snapshot, (snapshot) => ({ store, snapshot }))
  )
  const opened = last.toReversed()
  for (const { snapshot, store } of opened) {
    const { different, missing, unknown } = yield* readMigrations(snapshot)
    const why = [
      ...(missing.length > 0 ? [`it lacks ${missing.join(", ")}: corridor migrate applies them`] : []),
      ...(unknown.length > 0 ? [`a newer release has applied ${unknown.join(", ")}`] : []),
      ...(different.length > 0 ? [`${different.join(", ")} came from another file`] : [])
    ]
    if (why.length > 0) return yield* runFailure(`${store} is not of this release: ${why.join("; ")}.`)
  }
  const verified: Array<Verified> = []
  for (const [at, { snapshot, store }] of opened.entries()) {
    const { checks, sizes } = yield* verifyDatabase(
      snapshot,
      config.keep_events,
      (done, about) => progress((at + done) / opened.length, `${about} of ${store}`),
      opened[0]!.snapshot
    )
    verified.push({ store, sizes, checks })
  }
  if (opened.length < 2) return verified
  const checks = yield* findCellDifferences(opened.map(({ snapshot }) => snapshot))
  return [...verified, { store: "all cells", sizes: null, checks }]
})

const run = Effect.gen(function* () {
  const config = yield* readSettings({ exit: 3 })
  const began = yield* Clock.currentTimeMillis
  const { end, progress } = yield* drawProgress()
  const stores = yield* Effect.scoped(explainFailure(config, 3)(verifyStore(config, progress))).pipe(
    Effect.ensuring(end)
  )
  const seconds = ((yield* Clock.currentTimeMillis) - began) / 1000
  const isRight = stores.every(({ checks }) => checks.every(({ count }) => count === 0))
  yield* printResult(
    [
      ...stores.flatMap(({ checks, sizes, store }) => {
        const count = checks.reduce((sum, { count }) => sum + count, 0)
        const differences = checks.flatMap(({ count, differences, name }) => [
          ...differences.map(
            (difference) =>
              `${name}: ${difference.subject}${difference.merchant_id === null ? "" : ` of ${difference.merchant_id}`}: expected ${difference.expected}; found ${difference.found}.`
          ),
          ...(count > differences.length ? [`${name}: ${count - differences.length} more.`] : [])
        ])
        const what =
          sizes === null
            ? ""
            : ` of ${sizes.resources} resources, ${sizes.transitions} transitions, ${sizes.postings} postings and ${sizes.events} events`
        return [
          ...differences,
          `${store}: ${checks.length} checks${what}: ${count === 0 ? "no difference" : `${count} differences`}`
        ]
      }),
      `${seconds.toFixed(1)} s`
    ],
    { ok: isRight, seconds, stores }
  )
  if (!isRight) return yield* found
})

export const verify = Command.make("verify", {}, () => run).pipe(
  Command.withGlobalFlags([ConfigFile]),
  Command.withShortDescription("Check the whole store against itself, without writing"),
  Command.withDescription(
    "Recomputes every balance from the postings, and checks every posting against its transition, every transition against its row, every event against its number, what movements have with providers and have set aside, index entries, list counters, statistics and keys. It names each difference: what it is about, what was expected and what was found. It only reads: a Postgres store as it is at one moment, beside servers that run; a PGlite directory that no process uses, from a copy. With CORRIDOR_KEEP_EVENTS_DAYS, events that are older may be absent. What is recorded once, such as the body of an event, it cannot compare: docs/concepts/ledger.md lists that. Exit code 1 if there is a difference."
  ),
  Command.withExamples([{ command: "DATABASE_URL=postgres://localhost/corridor corridor verify" }])
)
