/** The books against the statements: each account on a day, and what is open of it. */
import type {
  BankStatement,
  BankStatementLine,
  ExternalAccount,
  ReconciledAccount,
  StatementMapping
} from "../../../client/generated/resources.ts"
import { rich, t } from "../../frame/language.ts"
import { queryOf, to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { allowOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { isZero } from "../../parts/decimal.ts"
import { Select } from "../../parts/field.tsx"
import { FileField } from "../../parts/file.tsx"
import { Filters } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Money, MoneyOrZero } from "../../parts/money.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { type Column, ListView } from "../../parts/table.tsx"
import { Ago } from "../../parts/time.tsx"
import { BreakList } from "./breaks.tsx"
import { accountDayHref, accountName, AccountName, CreateExternalAccount, useAccounts } from "./external-accounts.tsx"
import { Said } from "../../parts/said.tsx"

/** What matching has left of a statement's lines to a person. */
const LeftOf = ({ statement }: { readonly statement: string }) => {
  const read = (status: string) =>
    useLoad<ReadonlyArray<BankStatementLine>>(
      `/operator/v1/statement-lines${queryOf({ statement_id: statement, status, per_page: "1" })}`
    ).answer.value?.meta.total
  const [unmatched, proposed] = [read("unmatched"), read("proposed")]
  if (unmatched === undefined || proposed === undefined) return null
  const left = unmatched + proposed
  return left === 0 ? (
    <p>{t("Each line is matched.")}</p>
  ) : (
    <p class="late">{t("{count} line to resolve.|{count} lines to resolve.", { count: left })}</p>
  )
}

export const Taken = ({ of }: { readonly of: ReadonlyArray<BankStatement> }) => (
  <ul class="plain-list">
    {of.map(({ closing_balance, currency, external_account_id, id, lines, to, warnings }) => (
      <li key={id}>
        <a href={accountDayHref(external_account_id, to ?? undefined)}>{to ?? t("Statement")}</a>:{" "}
        {rich("{count} line, closing balance {money}|{count} lines, closing balance {money}", {
          count: lines,
          money: <Money amount={closing_balance} currency={currency} />
        })}
        <br />
        <Id id={id} brief copy />
        <LeftOf statement={id} />
        {warnings.map(({ message, place }) => (
          <p key={message} class="late">
            <Said>
              {place !== null && `${place}: `}
              {message}
            </Said>
          </p>
        ))}
      </li>
    ))}
  </ul>
)

const UploadFields = () => {
  const accounts = useLoad<ReadonlyArray<ExternalAccount>>("/operator/v1/external-accounts?status=active&per_page=200")
  const mappings = useLoad<ReadonlyArray<StatementMapping>>("/operator/v1/statement-mappings?per_page=200")
  return (
    <>
      <FileField
        label={t("Statement")}
        hint={t(
          "camt.052, camt.053, camt.054, MT940, MT942, BAI2, or CSV with a mapping; at most 64 MiB. Drop it here, or choose it."
        )}
      />
      <Select
        name="external_account_id"
        label={t("Account, of a file that names none")}
        choices={[
          ["", t("The one that the file names")],
          ...(accounts.answer.value?.data ?? []).map((one) => [one.id, accountName(one)] as const)
        ]}
      />
      <Select
        name="mapping"
        label={t("Mapping, of a CSV file")}
        hint={t("It says which column is what.")}
        choices={[["", t("None")], ...(mappings.answer.value?.data ?? []).map(({ id, name }) => [id, name] as const)]}
      />
      <p>
        {rich("No mapping fits? <a>Make one by the file's first rows</a>.", {
          a: (inner) => <a href={to("/statement-mapping")}>{inner}</a>
        })}
      </p>
    </>
  )
}

/** Gives the server a file of statements. It is taken whole, or refused with the place. */
export const TakeStatement = () => (
  <Action<ReadonlyArray<BankStatement>>
    label={t("Take a statement")}
    does={t("The file is taken whole, or refused whole. Its lines are matched with the books at once.")}
    allowed={allowOperator("treasury")}
    tone="main"
    fields={<UploadFields />}
    request={(filled, file) => ({ path: `/operator/v1/statements${queryOf(filled)}`, file })}
    done={({ data }) => <Taken of={data} />}
  />
)

/** An amount in the currency of the account, which its name says. */
const openColumn = (title: string, of: (row: ReconciledAccount) => string): Column<ReconciledAccount> => ({
  title,
  align: "right",
  cell: (row) => <MoneyOrZero amount={of(row)} currency={null} />
})

export const ReconciliationPage = () => {
  const { date } = useQuery().query
  const accounts = useAccounts()
  return (
    <Page
      title={t("Reconciliation")}
      lead={t("The books against the statements of banks and chains. Nothing should be unexplained.")}
      actions={
        <>
          <TakeStatement />
          <CreateExternalAccount />
        </>
      }
    >
      <Filters of={[{ name: "date", label: t("Day"), type: "date" }]} />
      <Card title={t("Accounts")} flush>
        <ListView<ReconciledAccount>
          caption={t("Accounts, the books against the statements")}
          path="/operator/v1/reconciliation"
          query={{ date }}
          every={15}
          keyOf={(row) => row.external_account_id}
          columns={[
            {
              title: t("Account"),
              cell: ({ date: day, external_account_id, sealed }) => (
                <>
                  <AccountName of={accounts} id={external_account_id} date={day} />
                  <div class="dim">
                    {day} {sealed ? <StatusPill status="sealed" /> : <StatusPill status="open" tone="wait" />}
                  </div>
                </>
              )
            },
            {
              title: t("Last statement"),
              cell: ({ external_account_id, last_statement }) =>
                last_statement === null ? (
                  <span class="dim">{t("None")}</span>
                ) : (
                  <a href={accountDayHref(external_account_id, last_statement)}>{last_statement}</a>
                )
            },
            {
              ...openColumn(t("Unexplained"), (row) => row.unexplained),
              cell: ({ currency, oldest_break, unexplained }) =>
                isZero(unexplained) && oldest_break === null ? (
                  <StatusPill status="nothing" tone="good" />
                ) : (
                  <>
                    <StatusPill status="open" tone="bad" /> <Money amount={unexplained} currency={currency} />
                    <div class="dim">
                      {isZero(unexplained) ? t("breaks of other days are open") : t("in less out, of this day")}
                    </div>
                  </>
                )
            },
            {
              title: t("Oldest break"),
              cell: ({ oldest_break }) =>
                oldest_break === null ? <span class="dim">{t("None")}</span> : <Ago at={oldest_break} />
            },
            openColumn(t("Difference"), (row) => row.difference),
            openColumn(t("Outstanding"), (row) => row.outstanding),
            openColumn(t("Statement"), (row) => row.statement),
            openColumn(t("Ledger"), (row) => row.ledger)
          ]}
          empty={[
            t("There is no external account"),
            t("Add one: a place where money really is, at a bank or on a chain.")
          ]}
        />
      </Card>
      <Card title={t("Open breaks")} flush>
        <BreakList query={{ status: "open", order: "urgent" }} accounts={accounts} empty={t("Nothing differs")} />
      </Card>
    </Page>
  )
}
