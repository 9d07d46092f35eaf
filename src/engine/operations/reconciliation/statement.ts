import { get, list, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import { BankStatementBody } from "../../representations/reconciliation/statement.ts"
import { BankStatements, ListStatements } from "../../resources/reconciliation/statement.ts"
import {
  StatementChunkKind,
  StatementFileKind,
  StatementKind,
  StatementRosterKind
} from "../../resources/reconciliation/statement-kinds.ts"
import { reconciliationGroup } from "../groups.ts"
import type { Registration } from "../registration.ts"

const operations = {
  operator: section(reconciliationGroup, {
    statements: {
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
