/** Columns that several tables have. */
import type { StatisticsRow, Transaction } from "../../client/generated/resources.ts"
import { t } from "../frame/language.ts"
import { to } from "../frame/base.ts"
import { findPageUrl } from "./id.tsx"
import { Money, type MoneyProps } from "./money.tsx"
import { StatusPill } from "./status.tsx"
import type { Column } from "./table.tsx"
import { Time } from "./time.tsx"

export const createdColumn: Column<{ readonly created_at: string }> = {
  title: t("Created"),
  cell: ({ created_at }) => <Time at={created_at} />
}

export const statusColumn: Column<{ readonly status: string }> = {
  title: t("Status"),
  cell: ({ status }) => <StatusPill status={status} />
}

/** Makes a column of amounts with their currencies. */
export const moneyColumn = <Row,>(title: string, of: (row: Row) => MoneyProps): Column<Row> => ({
  title,
  align: "right",
  cell: (row) => <Money {...of(row)} />
})

interface OfMerchant {
  readonly merchant_id?: string | null
  readonly merchant_name?: string | null
}

/** A merchant's name, with its id in the tooltip. Without a merchant it is the platform. */
export const Merchant = ({ of: { merchant_id, merchant_name } }: { readonly of: OfMerchant }) =>
  !merchant_id || merchant_id === "mer_platform" ? (
    <span class="dim">{t("Platform")}</span>
  ) : (
    <a href={to(`/merchants/${merchant_id}`)} title={merchant_id}>
      {merchant_name ?? merchant_id}
    </a>
  )

/** Whose it is, for operators; below it, the provider of a movement. */
export const merchantColumn: Column<OfMerchant & { readonly provider?: string | null }> = {
  title: t("Merchant"),
  cell: (row) => (
    <>
      <Merchant of={row} />
      {row.provider && <div class="dim">{row.provider}</div>}
    </>
  )
}

interface OfCustomer {
  readonly customer_id: string
  readonly customer_name: string | null
}

/** A customer's name, with its id in the tooltip. */
export const Customer = ({ of: { customer_id, customer_name } }: { readonly of: OfCustomer }) => (
  <a href={findPageUrl(customer_id)!} title={customer_id}>
    {customer_name ?? customer_id}
  </a>
)

export const customerColumn: Column<OfCustomer> = {
  title: t("Customer"),
  cell: (row) => <Customer of={row} />
}

type Paying = Pick<Transaction, "recipient" | "beneficiary_id">

/** The name of a payout's recipient, with a link to its page. */
export const Recipient = ({ of: { beneficiary_id, recipient } }: { readonly of: Paying }) => {
  const href = beneficiary_id === null ? null : findPageUrl(beneficiary_id)
  return href === null ? <>{recipient}</> : <a href={href}>{recipient}</a>
}

export const recipientColumn: Column<Paying> = {
  title: t("Recipient"),
  cell: (row) => (row.recipient === null ? null : <Recipient of={row} />)
}

/** Amounts of several currencies, one a line. `href`: the movements that they sum. */
export const Sums = ({
  of = [],
  href
}: {
  readonly of?: ReadonlyArray<{ readonly amount: string; readonly currency: string }> | undefined
  readonly href?: string
}) => {
  const lines = of.map((one) => (
    <div key={one.currency}>
      <Money {...one} />
    </div>
  ))
  return href === undefined || lines.length === 0 ? <>{lines}</> : <a href={href}>{lines}</a>
}

/** What moved. */
export const volumeColumn: Column<Pick<StatisticsRow, "volume">> = {
  title: t("Volume"),
  align: "right",
  cell: ({ volume }) => <Sums of={volume} />
}
