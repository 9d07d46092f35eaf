/** How the CSV of a wallet's statement is read. */
import type { ReadOptions } from "../../../src/statements/index.ts"

export const statementMapping = (wallet_id: string, currency: string): ReadOptions => ({
  csv: {
    mapping: {
      columns: {
        booked_on: "at",
        amount: "amount",
        direction: "direction",
        balance: "balance",
        bank_reference: "resource_id",
        end_to_end_id: "reference",
        code: "type"
      },
      separator: ",",
      decimal: ".",
      dates: "ymd",
      words: { credit: ["credit"], debit: ["debit"] },
      opening: { column: "type", text: "opening_balance" },
      closing: { column: "type", text: "closing_balance" }
    },
    account: { identifiers: [{ scheme: "account_number", value: wallet_id }], currency }
  }
})
