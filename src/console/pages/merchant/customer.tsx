/** One customer of the merchant: who it is, its verifications, wallets, beneficiaries and movements. */
import type { Customer, ListedBeneficiary, Verification, Wallet } from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { rich, t } from "../../frame/language.ts"
import { useLoad } from "../../frame/load.ts"
import { allowMerchant } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { moneyColumn } from "../../parts/columns.tsx"
import { Select } from "../../parts/field.tsx"
import { Copy } from "../../parts/copy.tsx"
import { Id } from "../../parts/id.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { ListView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { BodyFacts } from "../resource/body.tsx"
import { beneficiaryColumns } from "./beneficiaries.tsx"
import { MovementListing } from "../movements.tsx"

const Verifications = ({ id }: { readonly id: string }) => {
  const path = `/v1/customers/${encodeURIComponent(id)}/verifications`
  return (
    <Card
      title={t("Verifications")}
      actions={
        <Action<Verification>
          label={t("Start verification")}
          does={t("The customer gets a link, under which it enters its data. A verified customer has higher limits.")}
          allowed={allowMerchant("developer", "admin")}
          fields={<Select name="tier" label={t("Tier")} choices={["tier_1", "tier_2"]} />}
          request={(filled) => ({ path, body: filled })}
          done={({ data: { hosted_url } }) =>
            hosted_url === null ? undefined : (
              <p>
                {t("Send this link to the customer:")} <code>{hosted_url}</code>{" "}
                <Copy text={hosted_url} what={t("link")} />
              </p>
            )
          }
        />
      }
      flush
    >
      <ListView<Verification>
        caption={t("Verifications")}
        path={path}
        pageName="verifications_page"
        perPage={5}
        every={15}
        columns={[
          { title: t("Started"), cell: ({ created_at }) => <Time at={created_at} /> },
          { title: t("Asks for"), cell: ({ tier_requested }) => words(tier_requested) },
          {
            title: t("Status"),
            cell: ({ failure_reason, failure_reason_message, status }) => (
              <>
                <StatusPill status={status} />
                {failure_reason !== null && <div class="dim">{failure_reason_message ?? words(failure_reason)}</div>}
              </>
            )
          },
          {
            title: t("Link"),
            cell: ({ hosted_url, hosted_url_expires_at }) =>
              hosted_url === null ? (
                <span class="dim">—</span>
              ) : (
                <>
                  <Copy text={hosted_url} what={t("link")} />{" "}
                  {rich("until {time}", { time: <Time at={hosted_url_expires_at} /> })}
                </>
              )
          },
          { title: t("Id"), cell: ({ id: one }) => <Id id={one} brief href={null} copy /> }
        ]}
        empty={[t("No verification was started"), t("Without one, the customer has the limits of the lowest tier.")]}
      />
    </Card>
  )
}

export const CustomerPage = () => {
  const { id = "" } = useRoute().params
  const customer = useLoad<Customer>(`/v1/customers/${encodeURIComponent(id)}`, { every: 30 })
  const found = customer.answer.value?.data
  return (
    <Page title={found?.name ?? t("Customer")} lead={<Id id={id} href={null} />}>
      <Card title={t("Details")}>
        <Show of={customer}>{(body) => <BodyFacts body={{ ...body }} />}</Show>
      </Card>
      <div class="grid">
        <Card title={t("Wallets")} flush>
          <ListView<Wallet>
            caption={t("Wallets")}
            path="/v1/wallets"
            query={{ customer_id: id }}
            pageName="wallets_page"
            perPage={10}
            every={10}
            columns={[
              {
                title: t("Wallet"),
                cell: ({ id: one, label, network }) => (
                  <>
                    {label ?? words(network)}
                    <br />
                    <Id id={one} brief href={null} copy />
                  </>
                )
              },
              moneyColumn(t("Available"), ({ balance, currency }) => ({ amount: balance.available, currency }))
            ]}
            empty={[
              t("It has no wallet"),
              <>{rich("Create one with {code}.", { code: <code>POST /v1/wallets</code> })}</>
            ]}
          />
        </Card>
        <Verifications id={id} />
      </div>
      <Card title={t("Beneficiaries")} flush>
        <ListView<ListedBeneficiary>
          caption={t("Beneficiaries")}
          path="/v1/beneficiaries"
          query={{ customer_id: id }}
          pageName="beneficiaries_page"
          perPage={10}
          columns={beneficiaryColumns}
          empty={[t("It has no beneficiary"), t("Whom it pays appears here.")]}
        />
      </Card>
      <h2>{t("Movements")}</h2>
      <MovementListing fixed={{ customer_id: id }} />
    </Page>
  )
}
