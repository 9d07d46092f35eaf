/** One merchant, for the operator: what it is, its keys, and where its movements and customers are. */
import type { Merchant } from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { allowOperator } from "../../frame/session.ts"
import { Id } from "../../parts/id.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { BodyFacts } from "../resource/body.tsx"
import { Keys } from "./keys.tsx"
import { MerchantStatusAction } from "./merchants.tsx"

export const MerchantPage = () => {
  const { id = "" } = useRoute().params
  const path = `/operator/v1/merchants/${encodeURIComponent(id)}`
  const merchant = useLoad<Merchant>(path)
  const found = merchant.answer.value?.data
  const links = [
    [t("Movements"), "/movements"],
    [t("Customers"), "/customers"],
    [t("Exceptions"), "/exceptions"],
    [t("Held deposits"), "/deposits"],
    [t("Stuck"), "/stuck"],
    [t("Webhooks"), "/webhooks"],
    [t("Audit"), "/audit"]
  ] as const
  return (
    <Page
      title={found?.name ?? t("Merchant")}
      lead={<Id id={id} href={null} />}
      actions={found === undefined ? undefined : <MerchantStatusAction merchant={found} />}
    >
      <Card title={t("Details")}>
        <Show of={merchant}>{(body) => <BodyFacts body={{ ...body }} />}</Show>
        <ul class="links">
          {links.map(([label, page]) => (
            <li key={page}>
              <a href={to(page, { merchant_id: id })}>{label}</a>
            </li>
          ))}
        </ul>
      </Card>
      <Keys
        path={`${path}/api-keys`}
        allowed={allowOperator("admin")}
        revoke={(key) => ({ path: `${path}/api-keys/${key}/revoke`, method: "POST" })}
        most="admin"
        noted
      />
    </Page>
  )
}
