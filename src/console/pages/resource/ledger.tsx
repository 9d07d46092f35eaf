/** The money of a resource: its postings, and what they changed in each account. */
import { added, isZero } from "../../parts/decimal.ts"
import { Money } from "../../parts/money.tsx"
import { Empty } from "../../parts/states.tsx"
import { Table } from "../../parts/table.tsx"
import { Time } from "../../parts/time.tsx"
import type { Posting } from "./shapes.ts"

interface Change {
  readonly account: string
  readonly currency: string
  readonly amount: string
}

/** By account and currency: what was credited, less what was debited. */
const changesOf = (postings: ReadonlyArray<Posting>): ReadonlyArray<Change> => {
  const changes = new Map<string, Change>()
  const change = (account: string, { amount, currency }: Posting, sign: 1 | -1): void => {
    const key = `${account} ${currency}`
    changes.set(key, { account, currency, amount: added(changes.get(key)?.amount ?? "0", amount, sign) })
  }
  for (const posting of postings) {
    change(posting.debit, posting, -1)
    change(posting.credit, posting, 1)
  }
  return [...changes.values()]
}

export const LedgerView = ({ postings }: { readonly postings: ReadonlyArray<Posting> }) =>
  postings.length === 0 ? (
    <Empty title="No money has moved">Postings appear here when the resource books money.</Empty>
  ) : (
    <>
      <Table
        caption="Postings"
        rows={postings.map((posting, at) => ({ ...posting, key: `${posting.version} ${at}` }))}
        keyOf={({ key }) => key}
        columns={[
          { title: "Amount", align: "right", cell: (row) => <Money amount={row.amount} currency={row.currency} /> },
          { title: "From (debit)", cell: (row) => <code>{row.debit}</code> },
          { title: "To (credit)", cell: (row) => <code>{row.credit}</code> },
          { title: "Time", wide: true, cell: (row) => <Time at={row.at} exact /> }
        ]}
      />
      <h3 class="inset">Change of each account</h3>
      <Table
        caption="Change of each account"
        rows={changesOf(postings)}
        keyOf={({ account, currency }) => `${account} ${currency}`}
        columns={[
          { title: "Change", align: "right", cell: (row) => <Money amount={row.amount} currency={row.currency} /> },
          { title: "Account", cell: (row) => <code>{row.account}</code> },
          { title: "", wide: true, cell: (row) => (isZero(row.amount) ? <span class="dim">passed through</span> : "") }
        ]}
      />
    </>
  )
