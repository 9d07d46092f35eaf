/** The customers of all merchants. */
import type { MerchantCustomer } from "../../client/generated/resources.ts"
import { to } from "../frame/base.ts"
import { ListPage } from "../parts/listing.tsx"
import { StatusPill } from "../parts/status.tsx"
import { words } from "../parts/text.ts"
import { Time } from "../parts/time.tsx"
import { customerTypes, kycStatuses } from "../parts/vocabulary.ts"

export const AllCustomersPage = () => (
  <ListPage<MerchantCustomer>
    title="Customers"
    lead="The customers of all merchants. To find one by name or email, use the search."
    filters={[
      { name: "type", label: "Type", options: customerTypes },
      { name: "kyc_status", label: "Verification", options: kycStatuses },
      { name: "merchant_id", label: "Merchant", placeholder: "mer_…" }
    ]}
    path="/operator/v1/customers"
    every={10}
    empty={["No customer matches", "Clear the filters to see all customers."]}
    columns={[
      { title: "Name", cell: (row) => <a href={to(`/customers/${row.id}`)}>{row.name}</a> },
      { title: "Verification", cell: (row) => <StatusPill status={row.kyc_status} /> },
      { title: "Tier", cell: (row) => words(row.tier) },
      { title: "Email", wide: true, cell: (row) => row.email },
      { title: "Country", wide: true, cell: (row) => row.country_code },
      {
        title: "Merchant",
        wide: true,
        cell: (row) => <a href={to(`/merchants/${row.merchant_id}`)}>{row.merchant_name ?? row.merchant_id}</a>
      },
      { title: "Created", wide: true, cell: (row) => <Time at={row.created_at} /> }
    ]}
  />
)
