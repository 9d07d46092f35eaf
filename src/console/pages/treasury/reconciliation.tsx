/** The books against the statements: each account on a day, and what is open of it. */
import type {
  BankStatement,
  BankStatementLine,
  ExternalAccount,
  ReconciledAccount,
  StatementMapping
} from "../../../client/generated/resources.ts"
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
import { counted } from "../../parts/text.ts"
import { Ago } from "../../parts/time.tsx"
import { BreakList } from "./breaks.tsx"
import { accountDayHref, accountName, AccountName, CreateExternalAccount, useAccounts } from "./external-accounts.tsx"

/** What matching has left of a statement's lines to a person. */
const LeftOf = ({ statement }: { readonly statement: string }) => {
  const read = (status: string) =>
    useLoad<ReadonlyArray<BankStatementLine>>(
      `/operator/v1/statement-lines${queryOf({ statement_id: statement, status, per_page: "1" })}`
    ).answer.value?.meta.total
  const [unmatched, proposed] = [read("unmatched"), read("proposed")]
  if (unmatched === undefined || proposed === undefined) return null
  const left = unmatched + proposed
  return left === 0 ? <p>Each line is matched.</p> : <p class="late">{counted(left, "line")} to resolve.</p>
}

export const Taken = ({ of }: { readonly of: ReadonlyArray<BankStatement> }) => (
  <ul class="plain-list">
    {of.map(({ closing_balance, currency, external_account_id, id, lines, to, warnings }) => (
      <li key={id}>
        <a href={accountDayHref(external_account_id, to ?? undefined)}>{to ?? "Statement"}</a>: {counted(lines, "line")}
        , closing balance <Money amount={closing_balance} currency={currency} />
        <br />
        <Id id={id} brief copy />
        <LeftOf statement={id} />
        {warnings.map(({ message, place }) => (
          <p key={message} class="late">
            {place !== null && `${place}: `}
            {message}
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
        label="Statement"
        hint="camt.052, camt.053, camt.054, MT940, MT942, BAI2, or CSV with a mapping; at most 64 MiB. Drop it here, or choose it."
      />
      <Select
        name="external_account_id"
        label="Account, of a file that names none"
        choices={[
          ["", "The one that the file names"],
          ...(accounts.answer.value?.data ?? []).map(
            ({ currency, id, identifiers, provider }) => [id, accountName({ currency, identifiers, provider })] as const
          )
        ]}
      />
      <Select
        name="mapping"
        label="Mapping, of a CSV file"
        hint="It says which column is what."
        choices={[["", "None"], ...(mappings.answer.value?.data ?? []).map(({ id, name }) => [id, name] as const)]}
      />
      <p>
        No mapping fits? <a href={to("/statement-mapping")}>Make one by the file's first rows</a>.
      </p>
    </>
  )
}

/** Gives the server a file of statements. It is taken whole, or refused with the place. */
export const TakeStatement = () => (
  <Action<ReadonlyArray<BankStatement>>
    label="Take a statement"
    does="The file is taken whole, or refused whole. Its lines are matched with the books at once."
    allowed={allowOperator("treasury")}
    tone="main"
    fields={<UploadFields />}
    request={(filled, file) => ({
      path: `/operator/v1/statements${queryOf(filled)}`,
      ...(file === undefined ? {} : { file })
    })}
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
      title="Reconciliation"
      lead="The books against the statements of banks and chains. Nothing should be unexplained."
      actions={
        <>
          <TakeStatement />
          <CreateExternalAccount />
        </>
      }
    >
      <Filters of={[{ name: "date", label: "Day", type: "date" }]} />
      <Card title="Accounts" flush>
        <ListView<ReconciledAccount>
          caption="Accounts, the books against the statements"
          path="/operator/v1/reconciliation"
          query={{ date }}
          every={15}
          keyOf={(row) => row.external_account_id}
          stacks
          columns={[
            {
              title: "Account",
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
              title: "Last statement",
              cell: ({ external_account_id, last_statement }) =>
                last_statement === null ? (
                  <span class="dim">None</span>
                ) : (
                  <a href={accountDayHref(external_account_id, last_statement)}>{last_statement}</a>
                )
            },
            {
              ...openColumn("Unexplained", (row) => row.unexplained),
              cell: ({ currency, oldest_break, unexplained }) =>
                isZero(unexplained) && oldest_break === null ? (
                  <StatusPill status="nothing" tone="good" />
                ) : (
                  <>
                    <StatusPill status="open" tone="bad" /> <Money amount={unexplained} currency={currency} />
                    <div class="dim">
                      {isZero(unexplained) ? "breaks of other days are open" : "in less out, of this day"}
                    </div>
                  </>
                )
            },
            {
              title: "Oldest break",
              cell: ({ oldest_break }) =>
                oldest_break === null ? <span class="dim">None</span> : <Ago at={oldest_break} />
            },
            openColumn("Difference", (row) => row.difference),
            openColumn("Outstanding", (row) => row.outstanding),
            openColumn("Statement", (row) => row.statement),
            openColumn("Ledger", (row) => row.ledger)
          ]}
          empty={["There is no external account", "Add one: a place where money really is, at a bank or on a chain."]}
        />
      </Card>
      <Card title="Open breaks" flush>
        <BreakList query={{ status: "open", order: "urgent" }} accounts={accounts} empty="Nothing differs" />
      </Card>
    </Page>
  )
}
