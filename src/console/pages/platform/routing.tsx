/** Which provider would serve a request now, in which order, and why. */
import type { ConfiguredProvider, Route } from "../../../client/generated/resources.ts"
import { useLoad } from "../../frame/load.ts"
import { queryOf } from "../../frame/base.ts"
import { useQuery } from "../../frame/location.ts"
import { Filters, byCurrency, byMerchant } from "../../parts/filters.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { TableView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { providerHref } from "./providers.tsx"

const operations = ["payout", "conversion", "payin", "issue", "directory", "screening", "verification"]

const healthTones = { healthy: "good", failing: "bad", paused: "warn" } as const

/** Without zeros that say nothing: costs have 18 decimals. */
const shortened = (amount: string): string => amount.replace(/\.?0+$/, "")

const Order = () => {
  const { query } = useQuery()
  const { operation = "payout", currency, destination_currency, country_code, network, amount, merchant_id } = query
  const request = { operation, currency, destination_currency, country_code, network, amount, merchant_id }
  const routes = useLoad<ReadonlyArray<Route>>(`/operator/v1/routes${queryOf(request)}`, { every: 10 })
  return (
    <Card title={`Who serves this ${words(operation).toLowerCase()} now`} flush>
      <Show of={routes}>
        {(found) => (
          <TableView
            caption="Providers in the order in which they are asked"
            rows={found.map((route, index) => ({ ...route, place: index + 1 }))}
            keyOf={({ provider }) => provider}
            columns={[
              { title: "Order", align: "right", cell: ({ place }) => place },
              { title: "Provider", cell: ({ provider }) => <a href={providerHref(provider)}>{provider}</a> },
              { title: "Health", cell: ({ health }) => <StatusPill status={health} tone={healthTones[health]} /> },
              { title: "Priority", align: "right", cell: ({ priority }) => priority },
              { title: "Cost", align: "right", cell: ({ cost }) => `${shortened(cost) || "0"} ${currency ?? ""}` }
            ]}
            empty={[
              "No provider serves this",
              "Such a request is refused. Change the request, or configure a provider."
            ]}
          />
        )}
      </Show>
    </Card>
  )
}

/** Each operation and currency that is offered, with the providers that offer it. */
const Configured = () => {
  const providers = useLoad<ReadonlyArray<ConfiguredProvider>>("/operator/v1/providers?per_page=200")
  return (
    <Card title="As it is configured" flush>
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
              caption="Operations with the providers that offer them"
              rows={[...lines]}
              keyOf={([key]) => key}
              columns={[
                { title: "Operation", cell: ([, [first]]) => words(first?.operation ?? "") },
                {
                  title: "Currency",
                  cell: ([, [first]]) =>
                    first?.currency === null && first.destination_currency === null
                      ? "Every"
                      : [first?.currency ?? "any", first?.destination_currency]
                          .filter((one) => one !== null)
                          .join(" → ")
                },
                {
                  title: "Providers, by priority",
                  cell: ([, those]) =>
                    [...new Set(those.toSorted((a, b) => a.priority - b.priority).map(({ name }) => name))].map(
                      (name, index) => (
                        <>
                          {index > 0 && ", "}
                          <a href={providerHref(name)}>{name}</a>
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
    title="Routing"
    lead="Describe a request to see who would get it now. Healthy providers come first, then by priority, then by cost, unless the policy is your own."
  >
    <Filters
      of={[
        { name: "operation", label: "Operation", options: operations.slice(1), any: "Payout" },
        byCurrency,
        { name: "destination_currency", label: "To currency", placeholder: "USDC" },
        { name: "country_code", label: "Country", placeholder: "NG" },
        { name: "network", label: "Network", placeholder: "bank" },
        { name: "amount", label: "Amount", placeholder: "1000.00" },
        byMerchant
      ]}
    />
    <Order />
    <Configured />
  </Page>
)
