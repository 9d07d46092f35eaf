/** Requests of merchants to use gated currencies. */
import type { AccessRequest } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { Acts } from "../../acts/acts.tsx"
import { merchantColumn } from "../../parts/columns.tsx"
import { byMerchant, byStatus } from "../../parts/filters.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { StatusPill } from "../../parts/status.tsx"
import type { Column } from "../../parts/table.tsx"
import { Time, TimeBelow } from "../../parts/time.tsx"
import { accessRequestStatuses } from "../../parts/vocabulary.ts"

/** What a request asks for and what became of it: the same for operators and merchants. */
export const requestColumns: ReadonlyArray<Column<AccessRequest>> = [
  {
    title: t("Currency"),
    cell: ({ country_code, resource_code }) => (
      <>
        <strong>{resource_code}</strong>{" "}
        {country_code !== null && <span class="dim">{t("in {country_code}", { country_code })}</span>}
      </>
    )
  },
  { title: t("Reason given"), cell: ({ reason }) => reason ?? <span class="dim">{t("None")}</span> },
  {
    title: t("Status"),
    cell: ({ review_reason, reviewed_at, status }) => (
      <>
        <StatusPill status={status} />
        <TimeBelow at={reviewed_at} />
        {review_reason !== null && <div class="quote">{review_reason}</div>}
      </>
    )
  }
]

export const AccessRequestsPage = () => (
  <ListPage<AccessRequest>
    title={t("Access requests")}
    lead={t("Merchants ask to use currencies that need a grant.")}
    filters={[byStatus(accessRequestStatuses), byMerchant]}
    path="/operator/v1/access-requests"
    every={15}
    columns={[
      { title: t("Asked"), cell: ({ created_at }) => <Time at={created_at} /> },
      merchantColumn,
      ...requestColumns,
      {
        title: t("Decide"),
        cell: ({ id, status: state }) => <Acts of={{ kind: "access_request", id, state, body: {} }} />
      }
    ]}
    empty={[t("No merchant has asked"), t("Requests appear here when a merchant asks for a gated currency.")]}
    unmatched={t("No request matches")}
  />
)
