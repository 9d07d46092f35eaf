import { Effect, Schema } from "effect"
import { get, type Given, list, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { BankStatementBody } from "../../representations/reconciliation/statement.ts"
import { BankStatements, FILE_MAX, ListStatements, TakeStatements } from "../../resources/reconciliation/statement.ts"
import {
  StatementChunkKind,
  StatementFileKind,
  StatementKind,
  StatementRosterKind
} from "../../resources/reconciliation/statement-kinds.ts"
import { Reconciliations } from "../../work/reconciliation/Reconciliations.ts"
import { reconciliationGroup, type Registration } from "../registration.ts"

/** Stores the statements of a file, and matches their lines. A repeat returns the stored statements unchanged. */
const takeAndMatch = ({ call, input }: Given<{}, typeof TakeStatements>) =>
  Effect.tap(
    BankStatements.use((s) => s.take(call, input)),
    (statements) => Reconciliations.use((s) => s.taken(statements))
  )

const operations = {
  operator: section(reconciliationGroup, {
    statements: {
      take: post(
        "takeStatements",
        "/operator/v1/statements",
        {
          role: "treasury",
          summary: "Take a file of bank statements",
          description:
            "The body is the file, as the bank made it. It is taken whole or refused whole, with the place, what was found and what is taken in `meta.errors`. The same bytes again return the same statements, with `Idempotent-Replayed: true`.",
          input: TakeStatements,
          output: Schema.Array(BankStatementBody).annotate({
            description: "The statements of the file, in its order."
          }),
          fileMax: FILE_MAX,
          // What its lines are, and what it has in common with others, is known only once they are made.
          finish: ({ call, first, input, params }) =>
            Effect.map(
              first === undefined ? takeAndMatch({ call, input, params }) : Effect.succeed(first),
              (result) => ({
                result,
                isDone: true
              })
            ),
          refusals: ["not_found", "invalid_status"]
        },
        takeAndMatch
      ),
      list: list(
        "listStatements",
        "/operator/v1/statements",
        { summary: "List bank statements", input: ListStatements, output: BankStatementBody },
        ({ input }) => BankStatements.use((s) => s.list(input))
      ),
      get: get(
        "getStatement",
        "/operator/v1/statements/:id",
        { summary: "Get a bank statement", params: { id: Id("stm") }, output: BankStatementBody },
        ({ params }) => BankStatements.use((s) => s.get(params.id))
      )
    }
  })
} as const satisfies Sections

export const statement = {
  kind: StatementKind,
  records: [StatementFileKind, StatementChunkKind, StatementRosterKind],
  layer: BankStatements.layer,
  operations
} satisfies Registration
