/** The merchant's first page: balances, volume, and the last movements. */
import type { ListedTransaction, Wallet } from "../../../client/generated/resources.ts"
import { rich, t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { session } from "../../frame/session.ts"
import { Waiting } from "../../frame/waiting.tsx"
import { moneyColumn } from "../../parts/columns.tsx"
import { Id } from "../../parts/id.tsx"
import { MoneyOrZero } from "../../parts/money.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { ListView, TableView } from "../../parts/table.tsx"
import { PeriodTotals } from "../figures/totals.tsx"
import { noMovements, transactionColumns } from "../movements.tsx"

export const HomePage = () => {
  const current = session.value
  return (
    <Page title={t("Home")} lead={current?.merchant_name ?? undefined}>
      <div class="counts">
        <Waiting />
      </div>
      <div class="grid">
        <Card title={t("Balances")} flush>
          <ListView<Wallet>
            caption={t("Balances by wallet")}
            path="/v1/wallets"
            pageName="wallets_page"
            perPage={10}
            every={10}
            columns={[
              {
                title: t("Wallet"),
                cell: ({ customer, id, label }) => (
                  <>
                    {label ?? customer.name}
                    <br />
                    <Id id={id} brief copy />
                  </>
                )
              },
              moneyColumn(t("Available"), ({ balance, currency }) => ({ amount: balance.available, currency })),
              {
                title: t("Reserved"),
                align: "right",
                cell: ({ balance, currency }) => <MoneyOrZero amount={balance.reserved} currency={currency} />
              },
              {
                title: t("Held"),
                align: "right",
                cell: ({ balance, currency }) => <MoneyOrZero amount={balance.held} currency={currency} />
              }
            ]}
            empty={[
              t("There is no wallet yet"),
              <>
                {rich("Create one with {code}. It holds one currency of one customer.", {
                  code: <code>POST /v1/wallets</code>
                })}
              </>
            ]}
          />
        </Card>
      </div>
      <PeriodTotals />
      <Card title={t("Last movements")} actions={<a href={to("/movements")}>{t("All movements")}</a>} flush>
        <LatestMovements />
      </Card>
      {current?.environment === "test" && (
        <p class="dim">
          {rich("This is the test environment. {pill} Make a pay-in or an outcome happen in the <a>sandbox</a>.", {
            pill: <StatusPill status="no_real_money" tone="off" />,
            a: (inner) => <a href={to("/sandbox")}>{inner}</a>
          })}
        </p>
      )}
    </Page>
  )
}

const LatestMovements = () => {
  const latest = useLoad<ReadonlyArray<ListedTransaction>>("/v1/transactions?per_page=5", { every: 5 })
  return (
    <Show of={latest}>
      {(rows) => (
        <TableView caption={t("Last movements")} rows={rows} columns={transactionColumns} empty={noMovements} />
      )}
    </Show>
  )
}
