/** What can be done in which currency, and access to those that need a grant. */
import type { AccessRequest, Currency } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { useQuery } from "../../frame/location.ts"
import { allowMerchant } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field } from "../../parts/field.tsx"
import { Filters } from "../../parts/filters.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { ListView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { requestColumns } from "../queues/access-requests.tsx"
import { accessRequestStatuses, moneyTypes } from "../../parts/vocabulary.ts"

const capabilities = ["deposit", "onramp", "offramp", "convert", "transfer"] as const

const RequestAccess = ({ of: { code, country_code, name } }: { readonly of: Currency }) => (
  <Action
    label={t("Request access")}
    title={t("Request access to {code}", { code })}
    does={t("An operator reviews the request. Until it is approved, {name} cannot be used.", { name })}
    allowed={allowMerchant("developer", "admin")}
    fields={<Field name="reason" label={t("Reason")} hint={t("What you need it for.")} maxLength={1000} />}
    request={(filled) => ({
      path: `/v1/currencies/${encodeURIComponent(code)}/access-requests`,
      body: { ...filled, ...(country_code === null ? {} : { countryCode: country_code }) }
    })}
  />
)

const Access = ({ of }: { readonly of: Currency }) =>
  of.access_granted || !of.requires_access ? (
    <StatusPill status={of.requires_access ? "granted" : "open_to_all"} tone="good" />
  ) : (
    <div class="acts">
      <StatusPill status="needs_a_grant" tone="warn" />
      <RequestAccess of={of} />
    </div>
  )

export const CurrenciesPage = () => {
  const { status, type } = useQuery().query
  return (
    <Page title={t("Currencies")} lead={t("What can be done in each currency, and access to those that need a grant.")}>
      <Filters
        of={[
          { name: "type", label: t("Type"), options: moneyTypes },
          { name: "status", label: t("Requests that are"), options: accessRequestStatuses }
        ]}
      />
      <Card title={t("Currencies")} flush>
        <ListView<Currency>
          caption={t("Currencies")}
          path="/v1/currencies"
          query={{ type }}
          perPage={50}
          columns={[
            {
              title: t("Currency"),
              cell: ({ code, country_code, name }) => (
                <>
                  <strong>{code}</strong> {name}{" "}
                  {country_code !== null && <span class="dim">{t("in {country_code}", { country_code })}</span>}
                </>
              )
            },
            { title: t("Networks"), cell: ({ networks }) => networks.join(", ") },
            {
              title: t("Can be used to"),
              cell: (one) =>
                capabilities
                  .filter((name) => one[`can_${name}`])
                  .map(words)
                  .join(", ") || "—"
            },
            { title: t("Access"), cell: (one) => <Access of={one} /> }
          ]}
          empty={[t("No currency matches"), t("Clear the filter to see all.")]}
        />
      </Card>
      <Card title={t("Your access requests")} flush>
        <ListView<AccessRequest>
          caption={t("Your access requests")}
          path="/v1/currencies/access-requests"
          query={{ status }}
          pageName="requests_page"
          every={30}
          columns={[{ title: t("Asked"), cell: ({ created_at }) => <Time at={created_at} /> }, ...requestColumns]}
          empty={[
            status === undefined ? t("You have not asked for access") : t("No request matches"),
            t("Ask at a currency that needs a grant.")
          ]}
        />
      </Card>
    </Page>
  )
}
