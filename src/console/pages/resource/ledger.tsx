/** The money of a resource: its postings, and what they changed in each account. */
import type { TimelinePosting } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { moneyColumn } from "../../parts/columns.tsx"
import { add, isZero } from "../../parts/decimal.ts"
import { shortenId } from "../../parts/id.tsx"
import { Empty } from "../../parts/states.tsx"
import { TableView } from "../../parts/table.tsx"

interface Change {
  readonly account: string
  readonly currency: string
  readonly amount: string
}

/** Sums the credits less the debits of postings, by account and currency. */
const sumChanges = (postings: ReadonlyArray<TimelinePosting>): ReadonlyArray<Change> => {
  const changes = new Map<string, Change>()
  const change = (account: string, { amount, currency }: TimelinePosting, sign: 1 | -1): void => {
    const key = `${account} ${currency}`
    changes.set(key, { account, currency, amount: add(changes.get(key)?.amount ?? "0", amount, sign) })
  }
  for (const posting of postings) {
    change(posting.debit, posting, -1)
    change(posting.credit, posting, 1)
  }
  return [...changes.values()]
}

/** The name of an account, with its ids shortened. */
const Account = ({ name }: { readonly name: string }) => (
  <code title={name}>{name.replace(/[a-z]+_[0-9a-z]{26}/g, shortenId)}</code>
)

export const LedgerView = ({ postings }: { readonly postings: ReadonlyArray<TimelinePosting> }) =>
  postings.length === 0 ? (
    <Empty title={t("No money has moved")}>{t("Postings appear here when the resource books money.")}</Empty>
  ) : (
    <>
      <TableView<TimelinePosting & { readonly key: string }>
        caption={t("Postings")}
        rows={postings.map((posting, at) => ({ ...posting, key: `${posting.version} ${at}` }))}
        keyOf={({ key }) => key}
        columns={[
          moneyColumn(t("Amount"), (row) => ({ amount: row.amount, currency: row.currency })),
          { title: t("From (debit)"), cell: (row) => <Account name={row.debit} /> },
          { title: t("To (credit)"), cell: (row) => <Account name={row.credit} /> }
        ]}
      />
      <h3 class="inset">{t("Change of each account")}</h3>
      <TableView<Change>
        caption={t("Change of each account")}
        rows={sumChanges(postings)}
        keyOf={({ account, currency }) => `${account} ${currency}`}
        columns={[
          moneyColumn(t("Change of balance"), (row) => ({ amount: row.amount, currency: row.currency })),
          { title: t("Account"), cell: (row) => <Account name={row.account} /> },
          {
            title: t("Effect"),
            cell: (row) => (isZero(row.amount) ? <span class="dim">{t("passed through")}</span> : "")
          }
        ]}
      />
    </>
  )
