/** Which provider would serve a request now, in which order, and why. */
import type { ConfiguredProvider, Route } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { useLoad } from "../../frame/load.ts"
import { queryOf } from "../../frame/base.ts"
import { useQuery } from "../../frame/location.ts"
import { Filters, byCurrency, byMerchant } from "../../parts/filters.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { TableView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { makeProviderUrl } from "./providers.tsx"

const operations = ["payout", "conversion", "payin", "issue", "directory", "screening", "verification"]

const healthTones = { healthy: "good", failing: "bad", paused: "warn" } as const

/** Trims trailing zeros: costs have 18 decimals. */
const trimZeros = (amount: string): string => amount.replace(/\.?0+$/, "")

const RoutingOrder = () => {
  const { query } = useQuery()
  const { operation = "payout", currency, destination_currency, country_code, network, amount, merchant_id } = query
  const request = { operation, currency, destination_currency, country_code, network, amount, merchant_id }
  const routes = useLoad<ReadonlyArray<Route>>(`/operator/v1/routes${queryOf(request)}`, { every: 10 })
  return (
    <Card title={t("Who serves this {operation} now", { operation: words(operation).toLowerCase() })} flush>
      <Show of={routes}>
        {(found) => (
          <TableView
            caption={t("Providers in the order in which they are asked")}
            rows={found.map((route, index) => ({ ...route, place: index + 1 }))}
            keyOf={({ provider }) => provider}
            columns={[
              { title: t("Order"), align: "right", cell: ({ place }) => place },
              { title: t("Provider"), cell: ({ provider }) => <a href={makeProviderUrl(provider)}>{provider}</a> },
              { title: t("Health"), cell: ({ health }) => <StatusPill status={health} tone={healthTones[health]} /> },
              { title: t("Priority"), align: "right", cell: ({ priority }) => priority },
              { title: t("Cost"), align: "right", cell: ({ cost }) => `${trimZeros(cost) || "0"} ${currency ?? ""}` }
            ]}
            empty={[
              t("No provider serves this"),
              t("Such a request is refused. Change the request, or configure a provider.")
            ]}
          />
        )}
      </Show>
    </Card>
  )
}

/** A table of the offered operations and currencies, with the providers that offer each. */
const ConfiguredOffers = () => {
  const providers = useLoad<ReadonlyArray<ConfiguredProvider>>("/operator/v1/providers?per_page=200")
  return (
    <Card title={t("As it is configured")} flush>
      <Show of={providers}>
        {(all) => {
          const offers = all.flatMap(({ name, priority, offers: own }) =>
            own.map((offer) => ({ ...offer, name, priority }))
          )
          const lines = Map.groupBy(offers, ({ currency, destination_currency, operation }) =>
            JSON.stringify([operation, currency, destination_currency])
          )
          return (
            <TableView
              caption={t("Operations with the providers that offer them")}
              rows={[...lines]}
              keyOf={([key]) => key}
              columns={[
                { title: t("Operation"), cell: ([, [first]]) => words(first?.operation ?? "") },
                {
                  title: t("Currency"),
                  cell: ([, [first]]) =>
                    first?.currency === null && first.destination_currency === null
                      ? t("Every")
                      : [first?.currency ?? t("any"), first?.destination_currency]
                          .filter((one) => one !== null)
                          .join(" → ")
                },
                {
                  title: t("Providers, by priority"),
                  cell: ([, those]) =>
                    [...new Set(those.toSorted((a, b) => a.priority - b.priority).map(({ name }) => name))].map(
                      (name, index) => (
                        <>
                          {index > 0 && ", "}
                          <a href={makeProviderUrl(name)}>{name}</a>
                        </>
                      )
                    )
                }
              ]}
            />
          )
        }}
      </Show>
    </Card>
  )
}

export const RoutingPage = () => (
  <Page
    title={t("Routing")}
    lead={t(
      "Describe a request to see who would get it now. Healthy providers come first, then by priority, then by cost, unless the policy is your own."
    )}
  >
    <Filters
      of={[
        { name: "operation", label: t("Operation"), options: operations.slice(1), any: t("Payout") },
        byCurrency,
        { name: "destination_currency", label: t("To currency"), placeholder: "USDC" },
        { name: "country_code", label: t("Country"), placeholder: "NG" },
        { name: "network", label: t("Network"), placeholder: "bank" },
        { name: "amount", label: t("Amount"), placeholder: "1000.00" },
        byMerchant
      ]}
    />
    <RoutingOrder />
    <ConfiguredOffers />
  </Page>
)
