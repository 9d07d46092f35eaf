/** Breaks: what differs between the books and the statements, and what a person does with each. */
import { BookMeanings, booksOf } from "./entries.tsx"
import type { BankStatementLine, Break, ResolvedBreaks } from "../../../client/generated/resources.ts"
import type { UrlMembers } from "../../frame/base.ts"
import { rich, t } from "../../frame/language.ts"
import { useQuery } from "../../frame/location.ts"
import { allowOperator } from "../../frame/session.ts"
import { Action, Needs } from "../../parts/action.tsx"
import { Few } from "../../parts/few.tsx"
import { add } from "../../parts/decimal.ts"
import { Field, Select } from "../../parts/field.tsx"
import { Download, FileField } from "../../parts/file.tsx"
import { Filters, byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { amountText, Money } from "../../parts/money.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { PickField } from "../../parts/pick.tsx"
import { RowKeys } from "../../parts/row-keys.tsx"
import { ReasonView } from "../../parts/reason.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { type Column, ListView, TableView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { useRef, useState } from "preact/hooks"
import { Ago, TimeBelow } from "../../parts/time.tsx"
import { breakKinds, breakSeverities } from "../../parts/vocabulary.ts"
import { accountName, AccountName, type Accounts, useAccounts } from "./external-accounts.tsx"
import { ClosedDayOf, LineAmount, LinesField, LinesOf, LineText, useLines } from "./lines.tsx"
import { idsIn, MovementsField } from "./movements.tsx"

const sentences: Readonly<Record<Break["kind"], string>> = {
  missing_in_books: t("The bank has a line, and the books have nothing for it."),
  missing_on_statement: t("The books have a movement that no statement has."),
  amount_differs: t("A line names a movement of another amount."),
  executed_twice: t("More lines name a movement than it has payments."),
  contradicts_status: t("A line pays what the books say was not paid."),
  balance_differs: t("A balance of a statement is not that of the account."),
  gap: t("A statement is missing.")
}

const listOf = (text: string | undefined): ReadonlyArray<string> | undefined =>
  text === undefined ? undefined : idsIn(text)

interface Kind {
  readonly key: string
  readonly does: string
  readonly tone?: "danger"
}

/** By their words: the key that opens each, and what it does. */
const kinds: Readonly<Record<string, Kind>> = {
  match: { key: "m", does: t("The lines are these movements. Their sums must be equal.") },
  explain: { key: "e", does: t("An adjusting entry of what differs is posted between two accounts of the platform.") },
  adopt: {
    key: "a",
    does: t("The movement succeeds, because the line pays it. This cannot be undone."),
    tone: "danger"
  },
  dismiss: { key: "d", does: t("It is no difference that concerns the books. Nothing is posted.") },
  unmatch: { key: "u", does: t("The matches of the lines are undone, and the lines are left to people.") },
  reopen: { key: "o", does: t("What ended the break is undone, with its adjusting entry.") }
}

/** The accounts of an entry, as far as the break says them: the bank's side is always `world`. */
const entryOf = ({ direction, kind }: Break, provider: string): { readonly from?: string; readonly to?: string } => {
  const world = `world:${provider}`
  if (kind !== "missing_in_books" && kind !== "executed_twice" && kind !== "contradicts_status") return {}
  if (direction === "credit") return { from: world }
  return kind === "missing_in_books" ? { to: world } : { from: `receivable:${provider}`, to: world }
}

/** What a line may be, and the account beside the bank's: the table of the guide. */
const meaningsOf = (
  { direction }: Break,
  provider: string
): ReadonlyArray<readonly [account: string, label: string]> =>
  direction === "credit"
    ? [
        ["suspense", t("Money of an unknown payer")],
        [`receivable:${provider}`, t("Money that came back from the provider")],
        [`costs:${provider}`, t("Interest, or a fee that came back")]
      ]
    : [
        [`costs:${provider}`, t("A fee of the bank")],
        [`receivable:${provider}`, t("A payment that the provider has to return")],
        ["losses", t("Money that is gone")]
      ]

const EntryFields = ({ of, provider }: { readonly of: Break; readonly provider: string }) => {
  const places = booksOf([provider])
  const known = entryOf(of, provider)
  const [other, setOther] = useState(known.from !== undefined && known.to !== undefined ? known.from : "")
  const entry = known.from === `world:${provider}` ? { ...known, to: other } : { ...known, from: other }
  const isKnown = known.from !== undefined || known.to !== undefined
  const amount = of.amount === null ? t("nothing") : amountText(of.amount, of.currency)
  return (
    <>
      {isKnown ? (
        <Select
          name="meaning"
          label={t("What it is")}
          value={other}
          onValue={setOther}
          choices={[["", t("Something else: type the accounts")], ...meaningsOf(of, provider)]}
        />
      ) : (
        <BookMeanings />
      )}
      {/* A meaning writes the accounts anew: the fields are others then. */}
      <Field
        key={`from ${other}`}
        name="from"
        label={t("Account to debit")}
        required
        list={places}
        value={entry.from ?? ""}
      />
      <Field
        key={`to ${other}`}
        name="to"
        label={t("Account to credit")}
        required
        list={places}
        value={entry.to ?? ""}
      />
      <Field
        name="amount"
        label={t("Amount")}
        inputMode="decimal"
        hint={t("Default: what differs, {amount}.", { amount })}
      />
    </>
  )
}

type LinesById = ReadonlyMap<string, BankStatementLine>

/** The sum of lines in the direction of their break. `null`: one of them is not read. */
const sumOf = ({ amount, direction, lines }: Break, ids: ReadonlyArray<string>, known: LinesById): string | null => {
  if (lines.length === 0 && ids.length === 0) return amount
  return ids.reduce<string | null>((sum, id) => {
    const line = known.get(id)
    return sum === null || line === undefined ? null : add(sum, line.amount, line.direction === direction ? 1 : -1)
  }, "0")
}

/** The open lines of its account that are not its own. */
const othersOf = ({ external_account_id, lines }: Break, known: LinesById): ReadonlyArray<BankStatementLine> =>
  [...known.values()].filter(
    (line) =>
      line.external_account_id === external_account_id &&
      (line.status === "unmatched" || line.status === "proposed") &&
      !lines.includes(line.id)
  )

const FieldsOf = ({
  action,
  of,
  accounts,
  known
}: {
  readonly action: string
  readonly of: Break
  readonly accounts: Accounts
  readonly known: LinesById
}) => {
  const [lines, setLines] = useState(of.lines)
  const account = accounts.get(of.external_account_id)
  const named = [...new Set([...of.resources, ...of.candidates.map(({ resource_id }) => resource_id)])]
  return (
    <>
      {action !== "match" && action !== "unmatch" && <LinesOf ids={of.lines} />}
      {of.status === "resolved" && of.lines[0] !== undefined && <ClosedDayOf line={of.lines[0]} />}
      {(action === "match" || action === "unmatch") && (
        <LinesField
          ids={of.lines}
          others={action === "unmatch" ? [] : othersOf(of, known)}
          known={known}
          ticked={lines}
          tick={setLines}
        />
      )}
      {action === "match" && <MovementsField of={of} whole={sumOf(of, lines, known)} account={account} />}
      {action === "adopt" && (
        <PickField of="movement" name="resource_id" label={t("Movement")} required value={named[0]} />
      )}
      {action === "explain" && <EntryFields of={of} provider={account?.provider ?? "<provider>"} />}
    </>
  )
}

/** Where the lines are more than was paid, or a balance differs, no movement accounts for it. */
const explained: ReadonlySet<string> = new Set(["executed_twice", "contradicts_status", "balance_differs"])

/** What is offered, what is done mostly first. An open break that names no movement has no match to undo. */
const orderActions = ({ actions, candidates, kind, resources, status }: Break): ReadonlyArray<string> => {
  const hasNothing = status === "open" && candidates.length + resources.length === 0
  const offered = actions.filter((action) => action !== "unmatch" || !hasNothing)
  return explained.has(kind) && offered.includes("explain")
    ? ["explain", ...offered.filter((action) => action !== "explain")]
    : offered
}

const BreakActs = ({
  of,
  accounts,
  known
}: {
  readonly of: Break
  readonly accounts: Accounts
  readonly known: LinesById
}) => {
  const allowed = allowOperator("treasury")
  const offered = orderActions(of).filter((action) => action in kinds)
  if (typeof allowed === "string")
    return offered.length === 0 ? null : <Needs acts={offered.map(words)} role={allowed} />
  return (
    <div class="acts">
      {offered.map((action, nth) => {
        const kind = kinds[action]!
        return (
          <Action<Break>
            key={action}
            label={words(action)}
            title={t("{name}: {text}", { name: words(action), text: words(of.kind).toLowerCase() })}
            does={kind.does}
            allowed={allowed}
            tone={kind.tone ?? (nth === 0 && of.status === "open" ? "main" : "plain")}
            shortcut={kind.key}
            note="required"
            version={of.version}
            fields={<FieldsOf action={action} of={of} accounts={accounts} known={known} />}
            request={({ line_ids, resource_ids, meaning: _, ...filled }) => ({
              path: `/operator/v1/breaks/${of.id}/resolve`,
              body: { action, line_ids: listOf(line_ids), resource_ids: listOf(resource_ids), ...filled }
            })}
          />
        )
      })}
    </div>
  )
}

const columnsOf = (accounts: Accounts, known: LinesById): ReadonlyArray<Column<Break>> => [
  {
    title: t("Break"),
    cell: (one) => (
      <>
        {one.severity === "high" && <StatusPill status="high_severity" tone="bad" />}
        <ReasonView name={one.kind} sentence={sentences[one.kind]} />
        <Id id={one.id} brief copy />
      </>
    )
  },
  {
    title: t("Account"),
    cell: ({ external_account_id, since }) => (
      <>
        <AccountName of={accounts} id={external_account_id} date={since.slice(0, 10)} />
        <div class="dim">
          <Ago at={since} />
        </div>
      </>
    )
  },
  {
    title: t("Differs"),
    align: "right",
    cell: ({ amount, currency, direction, exposure }) => (
      <>
        <Money amount={direction === "debit" && amount !== null ? `-${amount}` : amount} currency={currency} />
        {exposure !== null && <div class="dim">{rich("at risk {money}", { money: <Money {...exposure} /> })}</div>}
      </>
    )
  },
  {
    title: t("Lines"),
    cell: ({ lines }) => (
      <Few
        of={lines.map((id) => {
          const line = known.get(id)
          return (
            <div key={id}>
              {line !== undefined && lines.length > 1 && (
                <div>
                  <LineAmount of={line} />
                </div>
              )}
              {line !== undefined && <LineText of={line} />}
              <Id id={id} brief />
            </div>
          )
        })}
      />
    )
  },
  {
    title: t("Movements"),
    cell: ({ candidates, currency, resources }) => (
      <Few
        of={[
          ...resources
            .filter((id) => candidates.every(({ resource_id }) => resource_id !== id))
            .map((id) => (
              <div key={id}>
                <Id id={id} brief />
              </div>
            )),
          ...candidates.map(({ amount, resource_id, rule }) => (
            <div key={resource_id}>
              <Id id={resource_id} brief /> <Money amount={amount} currency={currency} />
              <div class="dim">{words(rule).toLowerCase()}</div>
            </div>
          ))
        ]}
      />
    )
  },
  {
    title: t("Resolution"),
    cell: (one) => (
      <>
        {one.status === "resolved" && (
          <>
            <StatusPill status="resolved" /> {one.action !== null && words(one.action)}
            <TimeBelow at={one.resolved_at} />
            {one.note !== null && <div class="quote">{one.note}</div>}
          </>
        )}
        <BreakActs of={one} accounts={accounts} known={known} />
      </>
    )
  }
]

/** Breaks as a list with its keys. */
export const BreakList = ({
  query,
  accounts,
  empty,
  isOfAccount = false
}: {
  readonly query: UrlMembers
  readonly accounts: Accounts
  readonly empty: string
  /** Whether the page is that of an account, which then is no column. */
  readonly isOfAccount?: boolean
}) => {
  const { lines, reload } = useLines(query["external_account_id"]?.toString(), query["status"] !== "open")
  const listedBreaks = useRef<unknown>(undefined)
  const columns = columnsOf(accounts, lines)
  return (
    <RowKeys>
      <ListView<Break>
        caption={t("Breaks")}
        path="/operator/v1/breaks"
        query={query}
        pageName="breaks_page"
        every={15}
        columns={isOfAccount ? columns.filter(({ title }) => title !== t("Account")) : columns}
        empty={[empty, t("Differences appear here by themselves, after each statement and as time passes.")]}
      >
        {({ answer: { value } }) => {
          // Other breaks have other lines. They are read after the list: a row keeps its text as long as it is there.
          if (listedBreaks.current !== undefined && value !== listedBreaks.current) queueMicrotask(reload)
          listedBreaks.current = value
        }}
      </ListView>
    </RowKeys>
  )
}

/** The open breaks about a resource. */
export const OpenBreaks = ({ of: resources }: { readonly of: string }) => (
  <BreakList query={{ status: "open", resources }} accounts={useAccounts()} empty={t("Nothing differs")} />
)

const FileOfBreaks = () => (
  <Action<ResolvedBreaks>
    label={t("Resolve from a file")}
    does={t("Each row with an action is carried out by itself. A row without an action is left as it is.")}
    allowed={allowOperator("treasury")}
    fields={
      <FileField
        label={t("The edited file of breaks")}
        hint={t("The exported CSV, with action and note filled in, and with explain from and to.")}
        accept=".csv,text/csv"
      />
    }
    request={(_, file) => ({ path: "/operator/v1/breaks/resolve?format=json", file })}
    done={({ data: { failed, rows, skipped, succeeded, waiting } }) => (
      <>
        <p>
          {waiting > 0
            ? t(
                "{succeeded} resolved, {failed} refused, {skipped} without an action, {waiting} waiting for approval.",
                { succeeded, failed, skipped, waiting }
              )
            : t("{succeeded} resolved, {failed} refused, {skipped} without an action.", { succeeded, failed, skipped })}
        </p>
        {failed + waiting > 0 && (
          <TableView
            caption={t("Rows that are refused, or wait")}
            rows={rows.filter(({ result }) => result !== "ok" && result !== "skipped")}
            keyOf={({ line }) => String(line)}
            columns={[
              { title: t("Line"), cell: ({ line }) => line },
              { title: t("Break"), cell: ({ id }) => (id === null ? "—" : <Id id={id} brief />) },
              { title: t("Why"), cell: ({ result }) => result }
            ]}
          />
        )}
      </>
    )}
  />
)

export const BreaksPage = () => {
  const { query } = useQuery()
  const accounts = useAccounts()
  const { status = "open", external_account_id, kind, severity } = query
  const order = status === "open" ? "urgent" : undefined
  const filters = { status: status === "all" ? undefined : status, external_account_id, kind, severity, order }
  return (
    <Page
      title={t("Breaks")}
      lead={t(
        "What differs between the books and the statements. Keys: j and k take a row; m, e, a, d, u and o open its acts."
      )}
      actions={
        <>
          <Download path="/operator/v1/breaks" query={{ ...filters, format: "csv" }} name="breaks.csv">
            {t("Export CSV")}
          </Download>
          <FileOfBreaks />
        </>
      }
    >
      <Filters
        of={[
          byStatus(["resolved", "all"], t("Open")),
          { name: "severity", label: t("Severity"), options: breakSeverities },
          { name: "kind", label: t("Kind"), options: breakKinds },
          {
            name: "external_account_id",
            label: t("Account"),
            options: [...accounts].map(([id, one]) => [id, accountName(one)] as const)
          }
        ]}
      />
      <Card flush>
        <BreakList
          query={filters}
          accounts={accounts}
          empty={status === "open" ? t("Nothing differs") : t("No break matches")}
        />
      </Card>
    </Page>
  )
}
