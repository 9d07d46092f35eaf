/** `corridor migrate` */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { ConfigFile, printResult } from "../globals.ts"
import { explainFailure, readSettings } from "../settings.ts"
import { migrateStore } from "../stores.ts"

const run = Effect.gen(function* () {
  const config = yield* readSettings({ exit: 3 })
  const databases = yield* explainFailure(config, 3)(migrateStore(config))
  const lines = databases.map(
    ({ applied, store }) => `${store}: ${applied.length === 0 ? "nothing to apply" : `applied ${applied.join(", ")}`}`
  )
  yield* printResult(lines.length === 0 ? ["a store in memory has nothing to apply"] : lines, { databases })
})

export const migrate = Command.make("migrate", {}, () => run).pipe(
  Command.withGlobalFlags([ConfigFile]),
  Command.withShortDescription("Apply the migrations of this release to the store"),
  Command.withDescription(
    "Applies the migrations of this release to the database of DATABASE_URL and each cell, and prints what it applied. `serve` does the same when it starts. Several may run at once: one migrates, and the others wait."
  ),
  Command.withExamples([{ command: "DATABASE_URL=postgres://localhost/corridor corridor migrate" }])
)
