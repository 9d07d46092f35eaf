/** The customers of all merchants, or of the merchant who is signed in. */
import { isOperator } from "../frame/session.ts"
import type { Customer, MerchantCustomer } from "../../client/generated/resources.ts"
import { t } from "../frame/language.ts"
import { createdColumn, merchantColumn } from "../parts/columns.tsx"
import { byMerchant } from "../parts/filters.tsx"
import { findPageUrl } from "../parts/id.tsx"
import { ListPage } from "../parts/listing.tsx"
import { StatusPill } from "../parts/status.tsx"
import type { Column } from "../parts/table.tsx"
import { words } from "../parts/text.ts"
import { customerTypes, kycStatuses } from "../parts/vocabulary.ts"

const columns: ReadonlyArray<Column<Customer>> = [
  {
    title: t("Name"),
    cell: ({ id, is_default, name }) => (
      <>
        <a href={findPageUrl(id)!}>{name}</a>
        {is_default && <div class="dim">{t("Its own business")}</div>}
      </>
    )
  },
  { title: t("Verification"), cell: ({ kyc_status }) => <StatusPill status={kyc_status} /> },
  { title: t("Tier"), cell: ({ tier }) => words(tier) },
  { title: t("Type"), cell: ({ type }) => words(type) },
  { title: t("Email"), cell: ({ email }) => email },
  { title: t("Country"), cell: ({ country_code }) => country_code },
  createdColumn
]

const filters = [
  { name: "type", label: t("Type"), options: customerTypes },
  { name: "kyc_status", label: t("Verification"), options: kycStatuses }
]

export const CustomersPage = () =>
  isOperator() ? (
    <ListPage<MerchantCustomer>
      title={t("Customers")}
      lead={t("The customers of all merchants. To find one by name or email, use the search.")}
      filters={[...filters, byMerchant]}
      path="/operator/v1/customers"
      every={10}
      columns={[...columns, merchantColumn]}
      empty={[t("No customer matches"), t("Clear the filters to see all customers.")]}
    />
  ) : (
    <ListPage<Customer>
      title={t("Customers")}
      lead={t("The people and businesses whose money you move.")}
      filters={filters}
      path="/v1/customers"
      columns={columns}
      empty={[t("There is no customer yet"), <code>POST /v1/customers</code>]}
      unmatched={t("No customer matches")}
    />
  )
