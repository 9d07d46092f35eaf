/** A day of an external account: its lines with what accounts for them, its breaks, and its close. */
import type {
  BankStatementLine,
  Closing,
  ExternalAccount,
  ReconciledAccount
} from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { rich, t } from "../../frame/language.ts"
import { serviceTime } from "../../frame/clock.ts"
import { type LoadedAnswer, useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { allowOperator } from "../../frame/session.ts"
import { dayOf, daysBefore } from "../../parts/day.ts"
import { statusColumn } from "../../parts/columns.tsx"
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
    title: t("Line"),
    cell: (line) => (
      <>
        <LineText of={line} />
        <Id id={line.id} brief copy />
      </>
    )
  },
  { title: t("Amount"), align: "right", cell: (line) => <LineAmount of={line} /> },
  statusColumn,
  {
    title: t("In the books"),
    cell: ({ currency, matches, status }) =>
      matches.length === 0 ? (
        <span class="dim">{t("Nothing")}</span>
      ) : (
        <Few
          of={matches.map(({ amount, resource_id, rule }) => (
            <div key={resource_id}>
              <Id id={resource_id} brief /> <Money amount={amount} currency={currency} />
              <div class="dim">
                {status === "proposed" ? t("may be it") : t("matched")}: {words(rule).toLowerCase()}
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
      [t("Opening"), <Money key="" amount={c.opening} currency={c.currency} />],
      [t("Booked"), <Money key="" amount={c.booked} currency={c.currency} />],
      [t("Closing"), <Money key="" amount={c.closing} currency={c.currency} />],
      [t("Statement"), <Money key="" amount={c.statement_closing} currency={c.currency} />],
      [t("Outstanding"), <MoneyOrZero key="" amount={c.outstanding} currency={c.currency} />],
      [t("Explained"), <MoneyOrZero key="" amount={c.explained} currency={c.currency} />],
      [t("Unexplained"), <MoneyOrZero key="" amount={c.unexplained} currency={c.currency} />],
      [t("Lines"), c.lines],
      [t("Sealed by"), c.sealed_by],
      [t("Sealed at"), <Time key="" at={c.sealed_at} />],
      [t("Note"), c.note]
    ]}
  />
)

/** Warns that the day before is open, before a day is sealed. It shows that this is being read, or why it cannot be: without a warning the day would seem sealed. */
const DayBefore = ({ of: id, date }: { readonly of: string; readonly date: string }) => {
  const before = daysBefore(date, 1)
  const path = `/operator/v1/closings?external_account_id=${encodeURIComponent(id)}&date=${before}`
  return (
    <Show of={useLoad<ReadonlyArray<Closing>>(path)} rows={1}>
      {({ length }) =>
        length === 0 && (
          <p class="late">
            {t(
              "{before}, the day before, is open. A line of it that comes later counts after {date}: close the days in their order.",
              { before, date }
            )}
          </p>
        )
      }
    </Show>
  )
}

/** What a person should know before a day is sealed: it has not ended, or the day before is open. */
const CloseWarnings = ({ of: account, date }: { readonly of: ExternalAccount; readonly date: string }) => (
  <>
    {date >= dayOf(serviceTime.peek(), account.time_zone) && (
      <p class="late">
        {t("{date} has not ended in {time_zone}. What the bank books of it from now on counts on the day after.", {
          date,
          time_zone: account.time_zone
        })}
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
    label={t("Close the day")}
    does={t("{date} is sealed. It never changes afterwards: a line that comes later counts on the first open day.", {
      date
    })}
    allowed={allowOperator("treasury")}
    tone="main"
    note="optional"
    fields={
      <>
        {account !== undefined && <CloseWarnings of={account} date={date} />}
        {row !== undefined && !isZero(row.unexplained) && (
          <p class="late">
            {rich("{money} is unexplained. Resolve the open breaks first.", {
              money: <Money amount={row.unexplained} currency={row.currency} />
            })}
          </p>
        )}
        <label class="tick">
          <input type="checkbox" name="accept" value="true" />
          {t("Seal it although something is unexplained. That takes a note.")}
        </label>
      </>
    }
    request={({ accept, ...filled }) => ({
      path: "/operator/v1/closings",
      body: { external_account_id: id, date, unexplained: row?.unexplained, ...filled, accept: accept && true }
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
        <Card
          title={t("{date} is open", { date })}
          actions={<Close {...{ id, date, account }} row={rows.answer.value?.data[0]} />}
        >
          <Show of={rows}>
            {([row]) =>
              row === undefined ? (
                <p class="dim">{t("The account is closed.")}</p>
              ) : (
                <Facts
                  of={[
                    [t("Ledger"), <Money key="" amount={row.ledger} currency={row.currency} />],
                    [t("Statement"), <Money key="" amount={row.statement} currency={row.currency} />],
                    [t("Difference"), <MoneyOrZero key="" amount={row.difference} currency={row.currency} />],
                    [t("Outstanding"), <MoneyOrZero key="" amount={row.outstanding} currency={row.currency} />],
                    [t("Unexplained"), <MoneyOrZero key="" amount={row.unexplained} currency={row.currency} />],
                    [t("Last statement"), row.last_statement]
                  ]}
                />
              )
            }
          </Show>
        </Card>
      ) : (
        <Card
          title={t("{date} is closed", { date })}
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
  const date = /^\d{4}-\d{2}-\d{2}$/.test(given)
    ? given
    : dayOf(serviceTime.peek(), account.answer.value?.data.time_zone ?? "UTC")
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
      title={found === undefined ? t("External account") : `${found.provider} ${found.currency}`}
      lead={found?.identifiers.map(({ value }) => value).join(", ")}
      actions={<TakeStatement />}
    >
      <Filters of={[{ name: "date", label: t("Day"), type: "date", otherwise: date }]} />
      <DayCard id={id} date={date} account={found} closings={closings} rows={rows} />
      <Card title={t("Open breaks of the account")} flush>
        <BreakList
          query={{ external_account_id: id, status: "open", order: "urgent" }}
          accounts={accounts}
          empty={t("Nothing differs")}
          isOfAccount
        />
      </Card>
      {found !== undefined && (
        <Card title={t("On no statement yet")} flush>
          <OutstandingMovements of={found} date={date} />
        </Card>
      )}
      <Card title={t("Lines that the day counts")} flush>
        <ListView<BankStatementLine>
          caption={t("Lines of the day, and what accounts for them")}
          path="/operator/v1/statement-lines"
          query={{ external_account_id: id, accounted_on: date }}
          every={15}
          columns={lineColumns}
          empty={[t("The day has no lines"), t("Choose another day, or take its statement.")]}
        />
      </Card>
    </Page>
  )
}
