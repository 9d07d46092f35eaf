import { list, section, type Sections } from "../../calls/operation.ts"
import { ListAccounts, ListAllCustomers, ListMovements, OperatorLists } from "../../reports/operator-lists.ts"
import { LedgerAccountBody, MerchantCustomerBody, MovementBody } from "../../representations/operator.ts"
import { operatorGroup } from "../groups.ts"
import type { Registration } from "../registration.ts"

const operations = {
  operator: section(operatorGroup, {
    movements: {
      list: list(
        "listMovements",
        "/operator/v1/movements",
        { summary: "List the movements and deposits of all merchants", input: ListMovements, output: MovementBody },
        ({ input }) => OperatorLists.use((s) => s.movements(input))
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
      accounts: list(
        "listAccounts",
        "/operator/v1/ledger/accounts",
        {
          summary: "List the accounts of the ledger with their balances",
          input: ListAccounts,
          output: LedgerAccountBody
        },
        ({ input }) => OperatorLists.use((s) => s.accounts(input))
      )
    }
  })
} as const satisfies Sections

export const operatorLists = { layer: OperatorLists.layer, operations } satisfies Registration
