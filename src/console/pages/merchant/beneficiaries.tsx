/** Whom the merchant's customers pay. */
import type { CryptoDetails, FiatDetails, ListedBeneficiary } from "../../../client/generated/resources.ts"
import { rich, t } from "../../frame/language.ts"
import { byCurrency, byCustomer, byStatus } from "../../parts/filters.tsx"
import { createdColumn, customerColumn } from "../../parts/columns.tsx"
import { Id, findPageUrl } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { StatusPill, type Tone, findTone } from "../../parts/status.tsx"
import type { Column } from "../../parts/table.tsx"
import { beneficiaryStatuses, moneyTypes } from "../../parts/vocabulary.ts"

const matchTones: Readonly<Record<string, Tone>> = { full: "good", partial: "warn", none: "bad" }

export const beneficiaryColumns: ReadonlyArray<Column<ListedBeneficiary>> = [
  {
    title: t("Name"),
    cell: ({ id, label, name }) => (
      <>
        <a href={findPageUrl(id)!}>{name}</a>
        {label !== null && <div class="dim">{label}</div>}
      </>
    )
  },
  {
    title: t("Status"),
    cell: ({ status }) => <StatusPill status={status} tone={status === "blocked" ? "bad" : findTone(status)} />
  },
  {
    title: t("Currency"),
    cell: ({ currency, details }) => `${currency}${details.network === undefined ? "" : ` · ${details.network}`}`
  },
  {
    title: t("Account"),
    cell: ({ details }) => {
      const {
        account_name,
        account_number,
        address,
        memo,
        name_match,
        provider
      }: Partial<FiatDetails & CryptoDetails> = details
      return (
        <>
          <code class="id">{account_number ?? address}</code>
          {provider !== undefined && provider !== null && <div>{provider.name}</div>}
          {account_name !== undefined && account_name !== null && <div class="dim">{account_name}</div>}
          <NameMatchPill of={name_match} />
          {memo !== undefined && memo !== null && <div class="dim">{t("Memo {memo}", { memo })}</div>}
        </>
      )
    }
  },
  customerColumn,
  { title: t("Id"), cell: ({ id }) => <Id id={id} brief href={null} copy /> },
  createdColumn
]

/** How well the account holder's name matches the beneficiary's; nothing if they were not compared. */
export const NameMatchPill = ({ of }: { readonly of: string | null | undefined }) =>
  of === null || of === undefined ? null : <StatusPill status={`name_match_${of}`} tone={matchTones[of] ?? "off"} />

export const BeneficiariesPage = () => (
  <ListPage<ListedBeneficiary>
    title={t("Beneficiaries")}
    lead={t(
      "The accounts and addresses that are paid. Pending ones are being screened; blocked ones are not paid. Open one to see what it was paid."
    )}
    filters={[
      byStatus(beneficiaryStatuses),
      { name: "type", label: t("Type"), options: moneyTypes },
      byCurrency,
      byCustomer
    ]}
    path="/v1/beneficiaries"
    every={30}
    columns={beneficiaryColumns}
    empty={[
      t("There is no beneficiary yet"),
      <>{rich("Create one with {code}.", { code: <code>POST /v1/beneficiaries</code> })}</>
    ]}
    unmatched={t("No beneficiary matches")}
  />
)
