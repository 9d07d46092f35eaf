/** The merchant's wallets: balances, movements, and statements to keep. */
import type { Wallet, WalletStatement, WalletStatementLine } from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { t } from "../../frame/language.ts"
import { queryOf, to } from "../../frame/base.ts"
import { serviceTime } from "../../frame/clock.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { dayOf, daysBefore } from "../../parts/day.ts"
import { moneyColumn, Sums } from "../../parts/columns.tsx"
import { Download } from "../../parts/file.tsx"
import { byCurrency, byCustomer, Filters } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { Money } from "../../parts/money.tsx"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { TableView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"

const balances = ["available", "reserved", "held"] as const

export const WalletsPage = () => (
  <ListPage<Wallet>
    title={t("Wallets")}
    lead={t("What you and your customers hold. Open one for its statement.")}
    filters={[byCustomer, byCurrency]}
    path="/v1/wallets"
    every={15}
    columns={[
      {
        title: t("Wallet"),
        cell: ({ customer, id, label, network }) => (
          <>
            <a href={to(`/wallets/${id}`)}>{label ?? customer.name}</a>
            <div class="dim">{t("{name}, on {network}", { name: customer.name, network })}</div>
          </>
        )
      },
      ...balances.map((name) =>
        moneyColumn<Wallet>(words(name), ({ balance, currency }) => ({ amount: balance[name], currency }))
      )
    ]}
    empty={[t("There is no wallet yet"), t("Create one with POST /v1/wallets. It holds one currency of one customer.")]}
    unmatched={t("No wallet matches")}
  />
)

const Statement = ({ of: { currency, id } }: { readonly of: Wallet }) => {
  const { query } = useQuery()
  const today = dayOf(serviceTime.value, "UTC")
  const asked = { from: query["from"] ?? daysBefore(today, 30), to: query["to"] ?? today }
  const path = `/v1/wallets/${id}/statement`
  const statement = useLoad<WalletStatement>(path + queryOf(asked))
  const formats = currency.length === 3 ? (["csv", "camt053"] as const) : (["csv"] as const)
  return (
    <>
      <h2>{t("Statement")}</h2>
      <Filters
        of={[
          { name: "from", label: t("From"), type: "date", otherwise: asked.from },
          { name: "to", label: t("To"), type: "date", otherwise: asked.to }
        ]}
      />
      <Card
        title={t("{from} to {to}, in UTC", { from: asked.from, to: asked.to })}
        actions={
          <div class="acts">
            {formats.map((format) => (
              <Download
                key={format}
                path={path}
                query={{ ...asked, format }}
                name={`${id}-${asked.from}-${asked.to}.${format === "csv" ? "csv" : "xml"}`}
              >
                {format === "csv" ? t("As CSV") : t("As camt.053")}
              </Download>
            ))}
          </div>
        }
      >
        <Show of={statement}>
          {({ closing_balance, lines, opening_balance }) => (
            <>
              <Facts
                of={[
                  [t("Opening balance"), <Money key="" amount={opening_balance} currency={currency} />],
                  [t("Closing balance"), <Money key="" amount={closing_balance} currency={currency} />]
                ]}
              />
              <TableView<WalletStatementLine>
                caption={t("Lines of the statement")}
                rows={lines}
                keyOf={({ at, direction, resource_id }) => `${at} ${resource_id} ${direction}`}
                columns={[
                  { title: t("When"), cell: ({ at }) => <Time at={at} /> },
                  {
                    title: t("What"),
                    cell: ({ reference, resource_id, type }) => (
                      <>
                        {words(type)} {reference}
                        <div>
                          <Id id={resource_id} brief />
                        </div>
                      </>
                    )
                  },
                  moneyColumn(t("Amount"), ({ amount, direction }) => ({
                    amount: direction === "debit" ? `-${amount}` : amount,
                    currency
                  })),
                  { title: t("Fees"), align: "right", cell: ({ fees }) => <Sums of={fees} /> },
                  moneyColumn(t("Balance"), ({ balance }) => ({ amount: balance, currency }))
                ]}
                empty={[t("Nothing changed its balance in these days")]}
              />
            </>
          )}
        </Show>
      </Card>
    </>
  )
}

export const WalletPage = () => {
  const { id = "" } = useRoute().params
  const loaded = useLoad<Wallet>(`/v1/wallets/${encodeURIComponent(id)}`, { every: 15 })
  const { currency, customer, label } = loaded.answer.value?.data ?? {}
  return (
    <Page
      title={label ?? customer?.name ?? t("Wallet")}
      lead={<Id id={id} href={null} />}
      actions={
        <>
          <a class="button" href={to("/pay", { wallet_id: id })}>
            {t("Pay from it")}
          </a>
          <a class="button" href={to("/movements", { wallet_id: id })}>
            {t("Its movements")}
          </a>
        </>
      }
    >
      <Show of={loaded}>
        {(wallet) => (
          <>
            <Card title={t("{currency} on {network}", { currency: currency ?? "", network: wallet.network })}>
              <Facts
                of={[
                  [t("Customer"), wallet.customer.name],
                  ...balances.map(
                    (name) =>
                      [
                        words(name),
                        <Money key={name} amount={wallet.balance[name]} currency={wallet.currency} />
                      ] as const
                  )
                ]}
              />
            </Card>
            <Statement of={wallet} />
          </>
        )}
      </Show>
    </Page>
  )
}
