/** A customer, for operators: who it is, its verifications and its movements. */
import type { Movement, Resource, VerificationReview } from "../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { rich, t } from "../frame/language.ts"
import { to } from "../frame/base.ts"
import { useLoad } from "../frame/load.ts"
import { createdColumn, Merchant, statusColumn } from "../parts/columns.tsx"
import { Id } from "../parts/id.tsx"
import { Card, Page } from "../parts/page.tsx"
import { StatusPill } from "../parts/status.tsx"
import { ListView } from "../parts/table.tsx"
import { words } from "../parts/text.ts"
import { NotLoaded } from "./found.tsx"
import { movementColumns } from "./movements.tsx"
import { BodyFacts } from "./resource/body.tsx"

export const MerchantCustomerPage = () => {
  const id = useRoute().params["id"] ?? ""
  return <CustomerView key={id} id={id} />
}

const CustomerView = ({ id }: { readonly id: string }) => {
  const { answer, error, reload } = useLoad<Resource>(`/operator/v1/resources/${encodeURIComponent(id)}`, { every: 10 })
  const found = answer.value?.data
  if (found === undefined) return <NotLoaded what={t("Customer")} id={id} error={error.value} reload={reload} />
  const name = String(found.resource["name"] ?? t("Customer"))
  return (
    <Page
      title={name}
      lead={
        <>
          <StatusPill status={String(found.resource["kyc_status"])} /> <Id id={id} href={null} /> ·{" "}
          {rich("customer of {merchant} · <a>timeline</a>", {
            merchant: <Merchant of={found} />,
            a: (inner) => <a href={to(`/resources/${id}`)}>{inner}</a>
          })}
        </>
      }
    >
      <div class="columns">
        <div>
          <Card title={t("Movements")} flush>
            <ListView<Movement>
              path="/operator/v1/movements"
              query={{ customer_id: id }}
              every={10}
              perPage={10}
              caption={t("Movements of this customer")}
              columns={movementColumns.filter(({ title }) => title !== t("Merchant"))}
              empty={[t("No movements yet"), t("They appear here when the merchant creates them.")]}
            />
          </Card>
          <Card title={t("Verifications")} flush>
            <ListView<VerificationReview>
              path="/operator/v1/verifications"
              query={{ customer_id: id }}
              perPage={10}
              pageName="verifications"
              caption={t("Verifications of this customer")}
              empty={[t("Never verified"), t("The merchant starts a verification.")]}
              columns={[
                { title: t("Verification"), cell: (row) => <Id id={row.id} brief /> },
                statusColumn,
                { title: t("Tier"), cell: (row) => words(row.tier_requested) },
                createdColumn
              ]}
            />
          </Card>
        </div>
        <Card title={t("Details")}>
          <BodyFacts body={found.resource} />
        </Card>
      </div>
    </Page>
  )
}
