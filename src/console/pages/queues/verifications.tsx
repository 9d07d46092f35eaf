/** Verifications of customers that an operator reviews. */
import type { ListedVerificationReview, VerificationReview } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { Acts } from "../../acts/acts.tsx"
import { useQuery } from "../../frame/location.ts"
import { Customer, Merchant } from "../../parts/columns.tsx"
import { byCustomer, byMerchant, byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { Facts } from "../../parts/page.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { verificationStatuses } from "../../parts/vocabulary.ts"

const SubmittedDetails = ({ customer_name, submitted }: VerificationReview) =>
  submitted === null ? (
    <span class="dim">{t("Nothing was submitted yet.")}</span>
  ) : (
    <Facts
      of={[
        [
          t("Name"),
          <>
            {submitted.name}{" "}
            {customer_name !== null && customer_name !== submitted.name && (
              <StatusPill status="differs_from_the_customer" tone="warn" />
            )}
          </>
        ],
        [t("Born"), submitted.date_of_birth],
        [t("Document"), submitted.document_type === null ? null : words(submitted.document_type)],
        [t("Number"), submitted.document_number === null ? null : <code>{submitted.document_number}</code>]
      ]}
    />
  )

export const VerificationsPage = () => {
  const { status } = useQuery().query
  return (
    <ListPage<ListedVerificationReview>
      title={t("Verifications")}
      lead={t("Approve or reject what customers submitted, oldest first.")}
      filters={[byStatus(verificationStatuses, t("Waits for review")), byMerchant, byCustomer]}
      path="/operator/v1/verifications"
      every={15}
      columns={[
        { title: t("Started"), cell: ({ created_at }) => <Time at={created_at} /> },
        {
          title: t("Customer"),
          cell: (row) => (
            <>
              <Customer of={row} />
              <br />
              <Merchant of={row} />
            </>
          )
        },
        {
          title: t("Asks for"),
          cell: ({ provider, tier_requested }) => (
            <>
              {words(tier_requested)}
              {provider !== null && <div class="dim">{t("verified by {provider}", { provider })}</div>}
            </>
          )
        },
        { title: t("Submitted"), cell: SubmittedDetails },
        {
          title: t("Status"),
          cell: ({ failure_reason, id, status: state }) => (
            <>
              <StatusPill status={state} />
              {failure_reason !== null && <div class="dim">{words(failure_reason)}</div>}
              <div>
                <Id id={id} brief />
              </div>
            </>
          )
        },
        {
          title: t("Decide"),
          cell: (row) => <Acts of={{ kind: "verification", id: row.id, state: row.status, body: { ...row } }} />
        }
      ]}
      empty={[
        status === undefined ? t("No verification waits for a review") : t("No verification matches"),
        t("What a customer submits appears here, unless a provider verifies it.")
      ]}
    />
  )
}
