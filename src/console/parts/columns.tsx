/** Columns that several tables have. */
import type { StatisticsRow, Transaction } from "../../client/generated/resources.ts"
import { t } from "../frame/language.ts"
import { to } from "../frame/base.ts"
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

/** Whose it is, for operators; below it, the provider of a movement. */
export const merchantColumn: Column<{
  readonly merchant_id: string
  readonly merchant_name: string | null
  readonly provider?: string | null
}> = {
  title: t("Merchant"),
  wide: true,
  free: true,
  cell: ({ merchant_id, merchant_name, provider }) => (
    <>
      <a href={to(`/merchants/${merchant_id}`)}>{merchant_name ?? merchant_id}</a>
      {provider && <div class="dim">{provider}</div>}
    </>
  )
}

/** Whom a payout pays, by name. */
export const recipientColumn: Column<Pick<Transaction, "recipient"> & { readonly beneficiary_id: string | null }> = {
  title: t("Recipient"),
  free: true,
  cell: ({ beneficiary_id, recipient }) => {
    const href = beneficiary_id === null ? null : pageOf(beneficiary_id)
    if (recipient === null) return <span class="dim">—</span>
    return href === null ? recipient : <a href={href}>{recipient}</a>
  }
}

/** Amounts of several currencies, a line for each. */
export const Sums = ({
  of
}: {
  readonly of: ReadonlyArray<{ readonly amount: string; readonly currency: string }>
}) => (
  <>
    {of.map((one) => (
      <div key={one.currency}>
        <Money {...one} />
      </div>
    ))}
  </>
)

/** What moved. */
export const volumeColumn: Column<Pick<StatisticsRow, "volume">> = {
  title: t("Volume"),
  align: "right",
  cell: ({ volume }) => <Sums of={volume} />
}
