/** Columns that several tables have. */
import type { StatisticsRow } from "../../client/generated/resources.ts"
import { Money, type MoneyProps } from "./money.tsx"
import type { Column } from "./table.tsx"

/** An amount with its currency. */
export const moneyColumn = <Row,>(title: string, of: (row: Row) => MoneyProps, wide = false): Column<Row> => ({
  title,
  align: "right",
  wide,
  cell: (row) => <Money {...of(row)} />
})

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
