/** The merchant's first page: balances, volume, and the last movements. */
import type { Transaction, Wallet } from "../../../client/generated/resources.ts"
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
    <Page title="Home" lead={current?.merchant_name ?? undefined}>
      <div class="counts">
        <Waiting />
      </div>
      <div class="grid">
        <Card title="Balances" flush>
          <ListView<Wallet>
            caption="Balances by wallet"
            path="/v1/wallets"
            pageName="wallets_page"
            perPage={10}
            every={10}
            columns={[
              {
                title: "Wallet",
                cell: ({ customer, id, label }) => (
                  <>
                    {label ?? customer.name}
                    <br />
                    <Id id={id} brief copy />
                  </>
                )
              },
              moneyColumn("Available", ({ balance, currency }) => ({ amount: balance.available, currency })),
              {
                title: "Reserved",
                align: "right",
                wide: true,
                cell: ({ balance, currency }) => <MoneyOrZero amount={balance.reserved} currency={currency} />
              },
              {
                title: "Held",
                align: "right",
                wide: true,
                cell: ({ balance, currency }) => <MoneyOrZero amount={balance.held} currency={currency} />
              }
            ]}
            empty={[
              "There is no wallet yet",
              <>
                Create one with <code>POST /v1/wallets</code>. It holds one currency of one customer.
              </>
            ]}
          />
        </Card>
      </div>
      <PeriodTotals />
      <Card title="Last movements" actions={<a href={to("/movements")}>All movements</a>} flush>
        <Latest />
      </Card>
      {current?.environment === "test" && (
        <p class="dim">
          This is the test environment. <StatusPill status="no_real_money" tone="off" /> Make a pay-in or an outcome
          happen in the <a href={to("/sandbox")}>sandbox</a>.
        </p>
      )}
    </Page>
  )
}

const Latest = () => {
  const latest = useLoad<ReadonlyArray<Transaction>>("/v1/transactions?per_page=5", { every: 5 })
  return (
    <Show of={latest}>
      {(rows) => <TableView caption="Last movements" rows={rows} columns={transactionColumns} empty={noMovements} />}
    </Show>
  )
}
