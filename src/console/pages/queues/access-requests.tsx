/** Requests of merchants to use gated currencies. */
import type { AccessRequest } from "../../../client/generated/resources.ts"
import { Acts } from "../../acts/acts.tsx"
import { useListed } from "../../frame/listed.ts"
import { useQuery } from "../../frame/location.ts"
import { Filters } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Empty } from "../../parts/states.tsx"
import { Status } from "../../parts/status.tsx"
import { type Column, List } from "../../parts/table.tsx"
import { Time } from "../../parts/time.tsx"

export const accessRequestStatuses = ["pending", "approved", "rejected", "revoked"]

/** What a request asks for and what became of it: the same for operators and merchants. */
export const requestColumns: ReadonlyArray<Column<AccessRequest>> = [
  {
    title: "Currency",
    cell: ({ country_code, resource_code }) => (
      <>
        <strong>{resource_code}</strong> {country_code !== null && <span class="dim">in {country_code}</span>}
      </>
    )
  },
  { title: "Reason given", cell: ({ reason }) => reason ?? <span class="dim">None</span> },
  {
    title: "Status",
    cell: ({ review_reason, reviewed_at, status }) => (
      <>
        <Status status={status} />
        {reviewed_at !== null && (
          <div class="dim">
            <Time at={reviewed_at} />
          </div>
        )}
        {review_reason !== null && <div class="quote">{review_reason}</div>}
      </>
    )
  }
]

export const AccessRequestsPage = () => {
  const { merchant_id, status } = useQuery().query
  const listed = useListed()
  return (
    <Page title="Access requests" lead="Merchants ask to use currencies that need a grant.">
      <Filters
        of={[
          { name: "status", label: "Status", options: accessRequestStatuses },
          { name: "merchant_id", label: "Merchant", placeholder: "mer_…" }
        ]}
      />
      <Card flush>
        <List<AccessRequest>
          caption="Access requests"
          path="/operator/v1/access-requests"
          query={{ status, merchant_id }}
          every={15}
          keyOf={({ id }) => id}
          columns={[
            { title: "Asked", cell: ({ created_at }) => <Time at={created_at} /> },
            {
              title: "Merchant",
              cell: ({ merchant_id: id, merchant_name }) => (
                <>
                  {merchant_name}
                  <br />
                  <Id id={id} brief />
                </>
              )
            },
            ...requestColumns,
            {
              title: "Decide",
              cell: ({ id, status: state }) => (
                <Acts of={{ kind: "access_request", id, state, body: {} }} done={listed.reload} />
              )
            }
          ]}
          empty={
            <Empty
              title={status === undefined && merchant_id === undefined ? "No merchant has asked" : "No request matches"}
            >
              Requests appear here when a merchant asks for a gated currency.
            </Empty>
          }
        >
          {listed.hold}
        </List>
      </Card>
    </Page>
  )
}
