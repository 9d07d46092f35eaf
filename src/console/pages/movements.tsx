/** Movements and deposits: of all merchants for operators, its own for a merchant. */
import { isOperator } from "../frame/session.ts"
import type { ListedTransaction, Movement, Transaction } from "../../client/generated/resources.ts"
import { t } from "../frame/language.ts"
import {
  createdColumn,
  customerColumn,
  merchantColumn,
  moneyColumn,
  recipientColumn,
  statusColumn
} from "../parts/columns.tsx"
import {
  byCurrency,
  byCustomer,
  byMerchant,
  byProvider,
  byRecipient,
  byStatus,
  byWallet,
  type Filter,
  period
} from "../parts/filters.tsx"
import { Id } from "../parts/id.tsx"
import { Listing } from "../parts/listing.tsx"
import { Page } from "../parts/page.tsx"
import type { Column } from "../parts/table.tsx"
import { words } from "../parts/text.ts"
import { failureReasons, movementKinds, movementStatuses } from "../parts/vocabulary.ts"
import { TotalsLine } from "./figures/totals.tsx"
import { resourceOf } from "./resource-of.ts"

const common: ReadonlyArray<Column<Transaction>> = [
  createdColumn,
  {
    title: t("Movement"),
    cell: (row) => (
      <>
        {words(row.type)}
        <br />
        <Id id={resourceOf(row)} brief />
        {row.reference !== null && <div class="dim">{row.reference}</div>}
      </>
    )
  },
  statusColumn,
  recipientColumn,
  moneyColumn(t("Amount"), (row) => ({ amount: row.source_amount, currency: row.source_currency })),
  moneyColumn(t("Recipient receives"), (row) => ({
    amount: row.received_amount ?? row.quoted_received_amount,
    currency: row.destination_currency
  }))
]

export const movementColumns: ReadonlyArray<Column<Movement>> = [...common, merchantColumn]

export const transactionColumns: ReadonlyArray<Column<ListedTransaction>> = [...common, customerColumn]

const makeKindFilter = (name: string): Filter => ({ name, label: t("Kind"), options: movementKinds })
const ownFilters: ReadonlyArray<Filter> = [makeKindFilter("type"), byCustomer, { ...byWallet, isRare: true }]
const operatorFilters: ReadonlyArray<Filter> = [makeKindFilter("kind"), byMerchant, { ...byProvider, isRare: true }]

const filters: ReadonlyArray<Filter> = [
  byStatus(movementStatuses),
  byRecipient,
  ...period,
  byCurrency,
  { name: "min_amount", label: t("At least"), placeholder: "100.00", isRare: true },
  { name: "max_amount", label: t("At most"), placeholder: "5000.00", isRare: true },
  { name: "failure_reason", label: t("Failed because"), options: failureReasons, isRare: true }
]

export const noMovements = [
  t("No money has moved yet"),
  t("Deposits, payouts, conversions and transfers appear here as they happen.")
] as const

/** A list of movements by the filters in the URL. `fixed` filters are not offered. */
export const MovementListing = ({ fixed = {} }: { readonly fixed?: Readonly<Record<string, string>> }) => {
  const [path, first, columns] = isOperator()
    ? (["/operator/v1/movements", operatorFilters, movementColumns] as const)
    : (["/v1/transactions", ownFilters, transactionColumns] as const)
  return (
    <Listing<Movement>
      filters={[...first, ...filters].filter(({ name }) => !(name in fixed))}
      caption={t("Movements, newest first")}
      path={path}
      query={fixed}
      every={5}
      columns={columns}
      above={(query) => <TotalsLine query={query} />}
      empty={noMovements}
      unmatched={t("No movement matches")}
    />
  )
}

export const MovementsPage = () => (
  <Page title={t("Movements")} lead={t("Everything that moved money, newest first. Open one to see its story.")}>
    <MovementListing />
  </Page>
)
