/** One provider: its manifest, what the platform has there, and its statement. */
import type {
  ConfiguredProvider,
  ProviderBalance,
  ProviderBalances,
  ProviderOffer,
  ProviderStatement,
  StatementLine
} from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { formatDecimal } from "../../parts/money.tsx"
import { t } from "../../frame/language.ts"
import { queryOf, to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { moneyColumn } from "../../parts/columns.tsx"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { Empty, Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { TableView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { CommandId, HealthPill } from "./providers.tsx"

const AnyValue = () => <span class="dim">{t("any")}</span>
const formatCost = ({ cost, currency }: ProviderOffer) =>
  cost === null ? (
    <span class="dim">—</span>
  ) : (
    `${cost.fixed} ${currency ?? ""} + ${Number((Number(cost.share) * 100).toPrecision(6))} %`
  )

const Offers = ({ of }: { readonly of: ConfiguredProvider }) => (
  <TableView
    caption={t("What it serves")}
    rows={of.offers.map((offer, index) => ({ ...offer, index }))}
    keyOf={({ index }) => String(index)}
    columns={[
      { title: t("Operation"), cell: ({ operation }) => words(operation) },
      {
        title: t("Currency"),
        cell: ({ currency, destination_currency }) => (
          <>
            {currency ?? <AnyValue />}
            {destination_currency !== null && ` → ${destination_currency}`}
          </>
        )
      },
      { title: t("Country"), cell: ({ country_code }) => country_code ?? <AnyValue /> },
      { title: t("Network"), cell: ({ network }) => network ?? <AnyValue /> },
      {
        title: t("From"),
        align: "right",
        cell: ({ minimum }) => (minimum === null ? <AnyValue /> : formatDecimal(minimum))
      },
      {
        title: t("To"),
        align: "right",
        cell: ({ maximum }) => (maximum === null ? <AnyValue /> : formatDecimal(maximum))
      },
      { title: t("Cost"), align: "right", cell: formatCost }
    ]}
  />
)

const BalancesCard = ({ path }: { readonly path: string }) => {
  const loaded = useLoad<ProviderBalances>(`${path}/balances`)
  const reportsNone = loaded.error.value?.code === "invalid_input"
  return (
    <Card title={t("Balances there")} flush>
      {reportsNone ? (
        <Empty title={t("It reports no balances")}>{t("The provider has no such interface.")}</Empty>
      ) : (
        <Show of={loaded}>
          {({ balances }) => (
            <TableView<ProviderBalance>
              caption={t("Balances there")}
              rows={balances}
              keyOf={({ currency, network }) => `${currency} ${network}`}
              columns={[
                { title: t("Currency"), cell: ({ currency }) => currency },
                { title: t("Network"), cell: ({ network }) => network },
                moneyColumn(t("Available"), (one) => ({ amount: one.available, currency: one.currency })),
                moneyColumn(t("On its way"), (one) => ({ amount: one.pending, currency: one.currency }))
              ]}
              empty={[t("It holds nothing")]}
            />
          )}
        </Show>
      )}
    </Card>
  )
}

const StatementCard = ({ path }: { readonly path: string }) => {
  const { query, set } = useQuery()
  const { after } = query
  const loaded = useLoad<ProviderStatement>(`${path}/statement${queryOf({ after })}`)
  const reportsNone = loaded.error.value?.code === "invalid_input" && after === undefined
  return (
    <Card
      title={t("Statement")}
      actions={
        after !== undefined && (
          <button type="button" class="plain" onClick={() => set({ after: undefined })}>
            {t("From the beginning")}
          </button>
        )
      }
      flush
    >
      {reportsNone ? (
        <Empty title={t("It has no statement")}>{t("The provider has no such interface.")}</Empty>
      ) : (
        <Show of={loaded}>
          {({ cursor, lines }) => (
            <>
              <TableView<StatementLine>
                caption={t("Statement, oldest first")}
                rows={lines}
                columns={[
                  { title: t("Booked"), cell: ({ booked_at }) => <Time at={booked_at} /> },
                  moneyColumn(t("Amount"), ({ amount, currency, direction }) => ({
                    amount: direction === "debit" ? `-${amount}` : amount,
                    currency
                  })),
                  { title: t("Command"), cell: ({ command_id }) => <CommandId id={command_id} /> },
                  { title: t("Its reference"), cell: ({ provider_reference }) => provider_reference },
                  { title: t("Narration"), cell: ({ narration }) => narration }
                ]}
                empty={[after === undefined ? t("The statement is empty") : t("There are no later lines")]}
              />
              {cursor !== null && lines.length > 0 && (
                <p class="more">
                  <button type="button" onClick={() => set({ after: cursor })}>
                    {t("Read on")}
                  </button>
                </p>
              )}
            </>
          )}
        </Show>
      )}
    </Card>
  )
}

export const ProviderPage = () => {
  const { name = "" } = useRoute().params
  const path = `/operator/v1/providers/${encodeURIComponent(name)}`
  const providers = useLoad<ReadonlyArray<ConfiguredProvider>>("/operator/v1/providers?per_page=200", { every: 10 })
  return (
    <Page title={name} lead={<a href={to("/providers")}>{t("All providers")}</a>}>
      <Show of={providers}>
        {(all) => {
          const provider = all.find((one) => one.name === name)
          if (provider === undefined)
            return (
              <Empty title={t("This provider is not configured")}>
                {t("It may have been removed from the configuration.")}
              </Empty>
            )
          return (
            <>
              <Card>
                <Facts
                  of={[
                    [t("Health"), <HealthPill {...provider} />],
                    [t("Priority"), provider.priority],
                    [t("Kind"), provider.simulated ? <StatusPill status="simulated" tone="off" /> : t("Connected")],
                    [t("Sends callbacks"), provider.events.callbacks ? t("Yes") : t("No")],
                    [t("Events are read"), provider.events.readable ? t("On a schedule") : t("No")],
                    [t("Read up to"), provider.events.cursor === null ? null : <code>{provider.events.cursor}</code>],
                    [
                      t("Last fault"),
                      provider.events.last_fault === null ? null : (
                        <>
                          <Time at={provider.events.last_fault.at} /> {provider.events.last_fault.answer}
                        </>
                      )
                    ]
                  ]}
                />
              </Card>
              <Card title={t("What it serves")} flush>
                <Offers of={provider} />
              </Card>
              <BalancesCard path={path} />
              <StatementCard path={path} />
            </>
          )
        }}
      </Show>
    </Page>
  )
}
