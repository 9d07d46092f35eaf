import { Effect, Layer } from "effect"
import { get, list, section, type Sections } from "../../calls/operation.ts"
import { ListAccounts, ListAllCustomers, ListMovements, OperatorLists } from "../../reports/operator-lists.ts"
import { LedgerAccountBody, MerchantCustomerBody, MovementBody } from "../../representations/operator.ts"
import { AllTotals, MovementTotals } from "../../reports/movement-totals.ts"
import { TotalsBody } from "../../representations/movements/totals.ts"
import { totalsDescription } from "./transaction.ts"
import { nameCustomers, nameMerchants } from "../named-rows.ts"
import { answerIn, reportFormats, withFormat } from "../report-file.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const operations = {
  operator: section(operatorGroup, {
    movements: {
      list: nameCustomers(
        list(
          "listMovements",
          "/operator/v1/movements",
          { summary: "List the movements and deposits of all merchants", input: ListMovements, output: MovementBody },
          ({ input }) => OperatorLists.use((s) => s.movements(input))
        )
      ),
      totals: get(
        "getMovementTotals",
        "/operator/v1/movements/totals",
        {
          summary: "Get totals of the movements of all merchants",
          description: `${totalsDescription} They are the movements that \`GET /operator/v1/movements\` lists with the same filters: refunds, forwards and credits of the operator are not counted.`,
          input: withFormat(AllTotals),
          output: TotalsBody,
          formats: reportFormats
        },
        ({ input: { format, ...input } }) =>
          Effect.map(
            MovementTotals.use((s) => s.all(input)),
            answerIn(TotalsBody, ["rows"], format)
          )
      )
    },
    customers: {
      list: list(
        "listAllCustomers",
        "/operator/v1/customers",
        { summary: "List the customers of all merchants", input: ListAllCustomers, output: MerchantCustomerBody },
        ({ input }) => OperatorLists.use((s) => s.customers(input))
      )
    },
    ledger: {
      accounts: nameMerchants(
        list(
          "listAccounts",
          "/operator/v1/ledger/accounts",
          {
            summary: "List the accounts of the ledger with their balances",
            input: ListAccounts,
            output: LedgerAccountBody
          },
          ({ input }) => OperatorLists.use((s) => s.accounts(input))
        )
      )
    }
  })
} as const satisfies Sections

export const operatorLists = {
  layer: Layer.mergeAll(OperatorLists.layer, MovementTotals.layer),
  operations
} satisfies Registration
