/** A simulated history on Postgres that is verified while it lasts: `corridor verify` accuses nothing that Corridor wrote (VERIFY-1). */
import { Effect, Layer } from "effect"
import type { Difference } from "../../../src/adapters/storage/audit/check.ts"
import { postgresSnapshot } from "../../../src/adapters/storage/audit/snapshot.ts"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { verifyDatabase } from "../../../src/cli/verify/run.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { live } from "../../../src/testing/index.ts"
import type { Program } from "../../../src/testing/program/program.ts"
import { Chance } from "../../../src/testing/program/random.ts"

/** What the checks of `corridor verify` find in a database. */
export const differencesIn = (url: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { checks } = yield* verifyDatabase(yield* postgresSnapshot(url), null, () => {})
      return checks.flatMap(({ differences, name }) => differences.map((one) => ({ name, ...one })))
    })
  )

export interface VerifiedHistory {
  /** Violations of the simulation. */
  readonly found: ReadonlyArray<string>
  /** What was accused first, during the history or at its end. */
  readonly accused: ReadonlyArray<Difference>
  readonly verified: number
}

/** How often a commit is followed by a check: one with a row of a state that few histories have, each second time. */
const often = 0.02

/** Runs a program on an empty database, and verifies it after commits that are drawn, and at the end. */
export const verifyThroughout = async (program: Program, url: string): Promise<VerifiedHistory> => {
  const chance = new Chance(`verify ${program.seed}`)
  let accused: ReadonlyArray<Difference> = []
  let verified = 0
  const verify = Effect.suspend(() => {
    if (accused.length > 0) return Effect.void
    verified++
    return Effect.map(differencesIn(url), (differences) => void (accused = differences))
  })
  const watched = Layer.effect(
    Storage,
    Effect.map(Storage, (storage) =>
      Storage.of({
        ...storage,
        commit: (change) =>
          Effect.tap(storage.commit(change), () =>
            chance.happens(
              change.rows.some(({ from, state }) =>
                [from, state].some((one) => one === "approving" || one === "refunding")
              )
                ? 0.5
                : often
            )
              ? verify
              : Effect.void
          )
      })
    )
  ).pipe(Layer.provide(PostgresStorage.layer({ url, clock: "caller" })))
  const { found } = await live(program, { storage: watched })
  await Effect.runPromise(verify)
  return { found, accused, verified }
}
