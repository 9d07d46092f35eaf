import { get, list, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { BankStatementLineBody } from "../../representations/reconciliation/statement-line.ts"
import { ListStatementLines, StatementLineKind, StatementLines } from "../../resources/reconciliation/statement-line.ts"
import { reconciliationGroup, type Registration } from "../registration.ts"

const operations = {
  operator: section(reconciliationGroup, {
    statementLines: {
      list: list(
        "listStatementLines",
        "/operator/v1/statement-lines",
        {
          summary: "List the lines of bank statements",
          description:
            "Lines of all statements, newest first. A filter by text, value date, days from and to, or an amount without `currency` reads at most 50,000 lines, which the other filters must leave.",
          input: ListStatementLines,
          output: BankStatementLineBody
        },
        ({ input }) => StatementLines.use((s) => s.list(input))
      ),
      get: get(
        "getStatementLine",
        "/operator/v1/statement-lines/:id",
        { summary: "Get a line of a bank statement", params: { id: Id("stl") }, output: BankStatementLineBody },
        ({ params }) => StatementLines.use((s) => s.get(params.id))
      )
    }
  })
} as const satisfies Sections

export const statementLine = {
  kind: StatementLineKind,
  layer: StatementLines.layer,
  operations
} satisfies Registration
