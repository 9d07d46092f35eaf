/** The merchant's first page: balances, volume, and the last movements. */
import type { StatisticsRow, Transaction, Wallet } from "../../../client/generated/resources.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { session } from "../../frame/session.ts"
import { Waiting } from "../../frame/waiting.tsx"
import { moneyColumn, volumeColumn } from "../../parts/columns.tsx"
import { Id } from "../../parts/id.tsx"
import { MoneyOrZero } from "../../parts/money.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { ListView, TableView } from "../../parts/table.tsx"
import { percent, words } from "../../parts/text.ts"
import { noMovements, transactionColumns } from "../movements.tsx"

const dayMs = 86_400_000

const Volume = () => {
  // A whole number of days, so that the address of the request is the same for all reads of a day.
  const until = Math.ceil(Date.now() / dayMs) * dayMs
  const from = new Date(until - 30 * dayMs).toISOString()
  const stats = useLoad<{ readonly rows: ReadonlyArray<StatisticsRow> }>(
    `/v1/stats?from=${from}&to=${new Date(until).toISOString()}&by=operation`,
    { every: 60 }
  )
  return (
    <Card title="The last 30 days" flush>
      <Show of={stats}>
        {({ rows }) => (
          <TableView
            caption="Movements of the last 30 days by operation"
            rows={rows}
            keyOf={({ operation }) => String(operation)}
            columns={[
              { title: "Operation", cell: ({ operation = "" }) => words(operation) },
              { title: "Count", align: "right", cell: ({ count }) => count.toLocaleString("en") },
              { title: "Success", align: "right", cell: ({ success_share }) => percent(success_share) },
              volumeColumn
            ]}
            empty={["No movements yet", "What you pay, receive and convert is counted here."]}
          />
        )}
      </Show>
    </Card>
  )
}

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
                    <Id id={id} brief href={null} copy />
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
        <Volume />
      </div>
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
