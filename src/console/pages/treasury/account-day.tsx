/** A day of an external account: its lines with what accounts for them, its breaks, and its close. */
import type {
  BankStatementLine,
  Closing,
  ExternalAccount,
  ReconciledAccount
} from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { serviceTime } from "../../frame/clock.ts"
import { type LoadedAnswer, useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { allowOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Few } from "../../parts/few.tsx"
import { Filters } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { isZero } from "../../parts/decimal.ts"
import { Money, MoneyOrZero } from "../../parts/money.tsx"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { type Column, ListView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { BreakList } from "./breaks.tsx"
import { useAccounts } from "./external-accounts.tsx"
import { OutstandingMovements } from "./movements.tsx"
import { LineAmount, LineText } from "./lines.tsx"
import { TakeStatement } from "./reconciliation.tsx"

const lineColumns: ReadonlyArray<Column<BankStatementLine>> = [
  {
    title: "Line",
    cell: (line) => (
      <>
        <LineText of={line} />
        <Id id={line.id} brief copy />
      </>
    )
  },
  { title: "Amount", align: "right", cell: (line) => <LineAmount of={line} /> },
  { title: "Status", cell: ({ status }) => <StatusPill status={status} /> },
  {
    title: "In the books",
    cell: ({ currency, matches, status }) =>
      matches.length === 0 ? (
        <span class="dim">Nothing</span>
      ) : (
        <Few
          of={matches.map(({ amount, resource_id, rule }) => (
            <div key={resource_id}>
              <Id id={resource_id} brief /> <Money amount={amount} currency={currency} />
              <div class="dim">
                {status === "proposed" ? "may be it" : "matched"}: {words(rule).toLowerCase()}
              </div>
            </div>
          ))}
        />
      )
  }
]

const Sealed = ({ of: c }: { readonly of: Closing }) => (
  <Facts
    of={[
      ["Opening", <Money key="" amount={c.opening} currency={c.currency} />],
      ["Booked", <Money key="" amount={c.booked} currency={c.currency} />],
      ["Closing", <Money key="" amount={c.closing} currency={c.currency} />],
      ["Statement", <Money key="" amount={c.statement_closing} currency={c.currency} />],
      ["Outstanding", <MoneyOrZero key="" amount={c.outstanding} currency={c.currency} />],
      ["Explained", <MoneyOrZero key="" amount={c.explained} currency={c.currency} />],
      ["Unexplained", <MoneyOrZero key="" amount={c.unexplained} currency={c.currency} />],
      ["Lines", c.lines],
      ["Sealed by", c.sealed_by],
      ["Sealed at", <Time key="" at={c.sealed_at} />],
      ["Note", c.note]
    ]}
  />
)

const dayBefore = (date: string): string => new Date(Date.parse(date) - 86_400_000).toISOString().slice(0, 10)

/** The day of the service's clock in a time zone. */
const todayIn = (time_zone: string): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone: time_zone }).format(serviceTime.peek())

/** Whether the day before is open, which a person should know before a day is sealed. Until that is read, nothing says that it is not. */
const DayBefore = ({ of: id, date }: { readonly of: string; readonly date: string }) => {
  const before = dayBefore(date)
  const path = `/operator/v1/closings?external_account_id=${encodeURIComponent(id)}&date=${before}`
  return (
    <Show of={useLoad<ReadonlyArray<Closing>>(path)} rows={1}>
      {({ length }) =>
        length === 0 && (
          <p class="late">
            {before}, the day before, is open. A line of it that comes later counts after {date}: close the days in
            their order.
          </p>
        )
      }
    </Show>
  )
}

/** What a person should know before a day is sealed: it has not ended, or the day before is open. */
const CloseWarnings = ({ of: account, date }: { readonly of: ExternalAccount; readonly date: string }) => (
  <>
    {date >= todayIn(account.time_zone) && (
      <p class="late">
        {date} has not ended in {account.time_zone}. What the bank books of it from now on counts on the day after.
      </p>
    )}
    {date > account.opening.date && <DayBefore of={account.id} date={date} />}
  </>
)

const Close = ({
  id,
  date,
  account,
  row
}: {
  readonly id: string
  readonly date: string
  readonly account: ExternalAccount | undefined
  readonly row: ReconciledAccount | undefined
}) => (
  <Action<Closing>
    label="Close the day"
    does={`${date} is sealed. It never changes afterwards: a line that comes later counts on the first open day.`}
    allowed={allowOperator("treasury")}
    tone="main"
    note="optional"
    fields={
      <>
        {account !== undefined && <CloseWarnings of={account} date={date} />}
        {row !== undefined && !isZero(row.unexplained) && (
          <p class="late">
            <Money amount={row.unexplained} currency={row.currency} /> is unexplained. Resolve the open breaks first.
          </p>
        )}
        <label class="tick">
          <input type="checkbox" name="accept" value="true" />
          Seal it although something is unexplained. That takes a note.
        </label>
      </>
    }
    request={({ accept, ...filled }) => ({
      path: "/operator/v1/closings",
      body: { external_account_id: id, date, ...filled, ...(accept === undefined ? {} : { accept: true }) }
    })}
  />
)

/** What the day is closed with, or what it would be. */
const DayCard = ({
  id,
  date,
  account,
  closings,
  rows
}: {
  readonly id: string
  readonly date: string
  readonly account: ExternalAccount | undefined
  readonly closings: LoadedAnswer<ReadonlyArray<Closing>>
  readonly rows: LoadedAnswer<ReadonlyArray<ReconciledAccount>>
}) => (
  <Show of={closings}>
    {([sealed]) =>
      sealed === undefined ? (
        <Card title={`${date} is open`} actions={<Close {...{ id, date, account }} row={rows.answer.value?.data[0]} />}>
          <Show of={rows}>
            {([row]) =>
              row === undefined ? (
                <p class="dim">The account is closed.</p>
              ) : (
                <Facts
                  of={[
                    ["Ledger", <Money key="" amount={row.ledger} currency={row.currency} />],
                    ["Statement", <Money key="" amount={row.statement} currency={row.currency} />],
                    ["Difference", <MoneyOrZero key="" amount={row.difference} currency={row.currency} />],
                    ["Outstanding", <MoneyOrZero key="" amount={row.outstanding} currency={row.currency} />],
                    ["Unexplained", <MoneyOrZero key="" amount={row.unexplained} currency={row.currency} />],
                    ["Last statement", row.last_statement]
                  ]}
                />
              )
            }
          </Show>
        </Card>
      ) : (
        <Card
          title={`${date} is closed`}
          actions={
            <StatusPill status={sealed.accepted ? "accepted" : "sealed"} tone={sealed.accepted ? "warn" : "good"} />
          }
        >
          <Sealed of={sealed} />
        </Card>
      )
    }
  </Show>
)

export const AccountDayPage = () => {
  const id = useRoute().params["id"] ?? ""
  const given = useQuery().query["date"] ?? ""
  const name = encodeURIComponent(id)
  const account = useLoad<ExternalAccount>(`/operator/v1/external-accounts/${name}`)
  const date = /^\d{4}-\d{2}-\d{2}$/.test(given) ? given : todayIn(account.answer.value?.data.time_zone ?? "UTC")
  const closings = useLoad<ReadonlyArray<Closing>>(`/operator/v1/closings?external_account_id=${name}&date=${date}`, {
    every: 15
  })
  const rows = useLoad<ReadonlyArray<ReconciledAccount>>(
    `/operator/v1/reconciliation?date=${date}&external_account_id=${name}`,
    { every: 15 }
  )
  const accounts = useAccounts()
  const found = account.answer.value?.data
  return (
    <Page
      title={found === undefined ? "External account" : `${found.provider} ${found.currency}`}
      lead={found?.identifiers.map(({ value }) => value).join(", ")}
      actions={<TakeStatement />}
    >
      <Filters of={[{ name: "date", label: "Day", type: "date", otherwise: date }]} />
      <DayCard id={id} date={date} account={found} closings={closings} rows={rows} />
      <Card title="Open breaks of the account" flush>
        <BreakList
          query={{ external_account_id: id, status: "open", order: "urgent" }}
          accounts={accounts}
          empty="Nothing differs"
          isOfAccount
        />
      </Card>
      {found !== undefined && (
        <Card title="On no statement yet" flush>
          <OutstandingMovements of={found} date={date} />
        </Card>
      )}
      <Card title="Lines that the day counts" flush>
        <ListView<BankStatementLine>
          caption="Lines of the day, and what accounts for them"
          path="/operator/v1/statement-lines"
          query={{ external_account_id: id, accounted_on: date }}
          every={15}
          columns={lineColumns}
          stacks
          empty={["The day has no lines", "Choose another day, or take its statement."]}
        />
      </Card>
    </Page>
  )
}
