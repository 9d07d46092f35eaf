/** One beneficiary of the merchant: who it is, and what it was paid. */
import type { Beneficiary } from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { Id } from "../../parts/id.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { MovementListing } from "../movements.tsx"
import { BodyFacts } from "../resource/body.tsx"

export const BeneficiaryPage = () => {
  const { id = "" } = useRoute().params
  const loaded = useLoad<Beneficiary>(`/v1/beneficiaries/${encodeURIComponent(id)}`, { every: 30 })
  const { name, status } = loaded.answer.value?.data ?? {}
  return (
    <Page
      title={name ?? t("Beneficiary")}
      lead={
        <>
          {status !== undefined && <StatusPill status={status} />} <Id id={id} href={null} />
        </>
      }
      actions={
        status === "active" && (
          <a class="button main" href={to("/pay", { beneficiary_id: id })}>
            {t("Pay")}
          </a>
        )
      }
    >
      <Card title={t("Details")}>
        <Show of={loaded}>{(body) => <BodyFacts body={{ ...body }} />}</Show>
      </Card>
      <h2>{t("Payouts")}</h2>
      <MovementListing fixed={{ beneficiary_id: id }} />
    </Page>
  )
}
