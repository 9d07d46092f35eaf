/** What reads the bytes of a file of statements, chosen by the format that is given or recognised. */
import { Context, Effect } from "effect"
import { type ReadOptions, statementSteps } from "../../../statements/read.ts"
import { type BankStatement, UnreadableStatement } from "../../../statements/statement.ts"

/** Runs steps of some milliseconds, between which others run. Errors: the `UnreadableStatement` that a step throws. */
export const runInSteps = <A>(make: () => Generator<unknown, A>): Effect.Effect<A, UnreadableStatement> =>
  Effect.suspend(() => {
    const steps = make()
    const next: Effect.Effect<A, UnreadableStatement> = Effect.suspend(() => {
      try {
        const { done, value } = steps.next()
        return done === true ? Effect.succeed(value) : Effect.flatMap(Effect.yieldNow, () => next)
      } catch (error) {
        if (error instanceof UnreadableStatement) return Effect.fail(error)
        throw error
      }
    })
    return next
  })

/** Reads a whole file. Errors: `UnreadableStatement`; nothing of the file is taken then. Tests replace it. */
export const StatementFileReader = Context.Reference<
  (bytes: Uint8Array, options: ReadOptions) => Effect.Effect<ReadonlyArray<BankStatement>, UnreadableStatement>
>("corridor/engine/StatementFileReader", {
  defaultValue: () => (bytes, options) => runInSteps(() => statementSteps(bytes, options))
})
