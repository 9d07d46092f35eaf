/** Columns that several tables have. */
import type { StatisticsRow, Transaction } from "../../client/generated/resources.ts"
import { pageOf } from "./id.tsx"
import { Money, type MoneyProps } from "./money.tsx"
import type { Column } from "./table.tsx"

/** An amount with its currency. */
export const moneyColumn = <Row,>(title: string, of: (row: Row) => MoneyProps, wide = false): Column<Row> => ({
  title,
  align: "right",
  wide,
  cell: (row) => <Money {...of(row)} />
})

/** Whom a payout pays, by name. */
export const recipientColumn: Column<Pick<Transaction, "recipient"> & { readonly beneficiary_id: string | null }> = {
  title: "Recipient",
  free: true,
  cell: ({ beneficiary_id, recipient }) => {
    const href = beneficiary_id === null ? null : pageOf(beneficiary_id)
    if (recipient === null) return <span class="dim">—</span>
    return href === null ? recipient : <a href={href}>{recipient}</a>
  }
}

/** What moved, a line for each currency. */
export const volumeColumn: Column<Pick<StatisticsRow, "volume">> = {
  title: "Volume",
  align: "right",
  cell: ({ volume }) =>
    volume.map((one) => (
      <div key={one.currency}>
        <Money {...one} />
      </div>
    ))
}
