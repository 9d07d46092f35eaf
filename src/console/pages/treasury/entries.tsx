/** Adjusting entries: postings that a person makes between accounts of the platform. */
import { ActButton } from "../../acts/act.tsx"
import { useSuggestions } from "../../parts/suggest.tsx"
import type { ListedAdjustingEntry } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { merchantColumn, moneyColumn } from "../../parts/columns.tsx"
import { Field } from "../../parts/field.tsx"
import { byCurrency, byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { Time } from "../../parts/time.tsx"
import { accountHref } from "../ledger/ledger.tsx"

/** The accounts between which a person may post: those of the platform, and of these providers. */
export const booksOf = (providers: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...["suspense", "losses", "fees", "rounding"],
  ...providers.flatMap((name) => ["world", "costs", "receivable", "float"].map((account) => `${account}:${name}`))
]

/** What the accounts are. */
export const BookMeanings = () => (
  <p class="dim">
    {t(
      "world: the bank. costs: a fee. receivable: what the provider owes. suspense: nobody knows whose. losses: gone."
    )}
  </p>
)

/** What an entry takes: `amount` and `currency` as far as they are known. */
export const EntryFields = ({
  from = "",
  amount = "",
  currency = ""
}: {
  readonly from?: string
  readonly amount?: string | undefined
  readonly currency?: string | undefined
}) => {
  const books = booksOf(useSuggestions("provider"))
  return (
    <>
      <BookMeanings />
      <Field name="from" label={t("Account to debit")} required list={books} value={from} />
      <Field name="to" label={t("Account to credit")} required list={books} />
      <Field name="amount" label={t("Amount")} required inputMode="decimal" value={amount} />
      <Field name="currency" label={t("Currency")} required list="currency" value={currency} />
    </>
  )
}

/** Posts an entry: by itself, or as the end of an exception whose money it takes out of suspense. */
export const Book = ({ exception, ...known }: Parameters<typeof EntryFields>[0] & { readonly exception?: string }) => (
  <ActButton
    label={t("Book it")}
    title={t("Post an adjusting entry")}
    does={
      exception === undefined
        ? t(
            "One posting between two accounts of the platform, never of a customer. It never changes: another one reverses it."
          )
        : t(
            "The exception ends with one posting between two accounts of the platform, which takes its money out of suspense. Another entry reverses it."
          )
    }
    least="treasury"
    path="/adjusting-entries"
    body={exception === undefined ? {} : { exception_id: exception }}
    note="required"
    fields={<EntryFields {...known} />}
  />
)

const Account = ({ of }: { readonly of: string }) => (
  <a href={accountHref(of)}>
    <code>{of}</code>
  </a>
)

export const EntriesPage = () => (
  <ListPage<ListedAdjustingEntry>
    title={t("Adjusting entries")}
    lead={t(
      "What people have posted between accounts of the platform, and why. An entry never changes: another one reverses it."
    )}
    actions={<Book />}
    filters={[byStatus(["posted", "reversed"]), byCurrency]}
    path="/operator/v1/adjusting-entries"
    every={15}
    columns={[
      {
        title: t("Entry"),
        cell: ({ created_at, id }) => (
          <>
            <Time at={created_at} />
            <br />
            <Id id={id} brief copy />
          </>
        )
      },
      { title: t("Debit"), cell: ({ from }) => <Account of={from} /> },
      { title: t("Credit"), cell: ({ to }) => <Account of={to} /> },
      moneyColumn(t("Amount"), ({ amount, currency }) => ({ amount, currency })),
      {
        title: t("About"),
        cell: ({ break_id, exception_id, line_id, reverses }) =>
          [exception_id, break_id, line_id, reverses].map((one) => one !== null && <Id key={one} id={one} brief />)
      },
      merchantColumn,
      { title: t("Note"), cell: ({ note }) => <q>{note}</q> },
      {
        title: t("Change"),
        cell: ({ id, reversed_by, reverses, status }) => (
          <>
            <StatusPill status={status} tone={status === "posted" ? "good" : "off"} />
            {reversed_by !== null && <Id id={reversed_by} brief />}
            {status === "posted" && reverses === null && (
              <ActButton
                label={t("Reverse")}
                title={t("Reverse this entry")}
                does={t("The opposite entry is posted, once. What ended with the entry is open again.")}
                least="treasury"
                path={`/adjusting-entries/${id}/reverse`}
                tone="danger"
                note="required"
              />
            )}
          </>
        )
      }
    ]}
    empty={[t("Nobody has posted an entry"), t("Exceptions and breaks that end in the books make some.")]}
    unmatched={t("No entry matches")}
  />
)
