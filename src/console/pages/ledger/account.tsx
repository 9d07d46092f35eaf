/** The entries of one account of the ledger. */
import type { LedgerEntry } from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { merchantColumn, moneyColumn } from "../../parts/columns.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { Time } from "../../parts/time.tsx"
import { accountHref } from "./ledger.tsx"

const decodePathPart = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

export const AccountPage = () => {
  const account = decodePathPart(useRoute().params["account"] ?? "")
  const Other = ({ name }: { readonly name: string }) =>
    name === account ? (
      <code>{name}</code>
    ) : (
      <a href={accountHref(name)}>
        <code>{name}</code>
      </a>
    )
  return (
    <ListPage<LedgerEntry>
      title={account}
      heading={<code>{account}</code>}
      lead={<a href={to("/ledger")}>{t("Ledger")}</a>}
      caption={t("Entries, newest first")}
      path={`/operator/v1/ledger/accounts/${encodeURIComponent(account)}/entries`}
      perPage={50}
      columns={[
        { title: t("Posted"), cell: ({ at }) => <Time at={at} exact /> },
        { title: t("Resource"), cell: ({ resource_id }) => <Id id={resource_id} brief /> },
        merchantColumn,
        { title: t("Debit"), cell: ({ debit }) => <Other name={debit} /> },
        { title: t("Credit"), cell: ({ credit }) => <Other name={credit} /> },
        moneyColumn(t("On this account"), ({ amount, credit, currency }) => ({
          amount: credit === account ? amount : `-${amount}`,
          currency
        }))
      ]}
      empty={[t("This account has no entries"), t("Nothing was posted to it, or there is no such account.")]}
    />
  )
}
