/** The merchant's customers. */
import type { Customer } from "../../../client/generated/resources.ts"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { customerHref } from "../movements.tsx"
import { customerTypes, kycStatuses } from "../../parts/vocabulary.ts"

export const CustomersPage = () => (
  <ListPage<Customer>
    title="Customers"
    lead="The people and businesses whose money you move."
    filters={[
      { name: "type", label: "Type", options: customerTypes },
      { name: "kyc_status", label: "Verification", options: kycStatuses }
    ]}
    path="/v1/customers"
    columns={[
      {
        title: "Name",
        cell: ({ id, is_default, name }) => (
          <>
            <a href={customerHref(id)}>{name}</a>
            {is_default && <div class="dim">Your own</div>}
          </>
        )
      },
      { title: "Email", wide: true, cell: ({ email }) => email },
      { title: "Type", wide: true, cell: ({ type: shown }) => words(shown) },
      { title: "Country", cell: ({ country_code }) => country_code },
      { title: "Verification", cell: ({ kyc_status: shown }) => <StatusPill status={shown} /> },
      { title: "Tier", cell: ({ tier }) => words(tier) },
      { title: "Id", wide: true, cell: ({ id }) => <Id id={id} brief href={customerHref(id)} /> },
      { title: "Created", wide: true, cell: ({ created_at }) => <Time at={created_at} /> }
    ]}
    empty={[
      "There is no customer yet",
      <>
        Create one with <code>POST /v1/customers</code>.
      </>
    ]}
    unmatched="No customer matches"
  />
)
