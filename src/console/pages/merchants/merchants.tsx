/** The merchants of the platform. */
import type { Merchant } from "../../../client/generated/resources.ts"
import { rich, t } from "../../frame/language.ts"
import { allowOperator } from "../../frame/session.ts"
import { createdColumn, statusColumn } from "../../parts/columns.tsx"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { Id, findPageUrl } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { SecretView } from "../../parts/secret.tsx"
import { merchantStatuses } from "../../parts/vocabulary.ts"

const CreateMerchant = () => (
  <Action<{ readonly merchant: Merchant; readonly api_key: { readonly secret: string } }>
    label={t("Create merchant")}
    does={t("A merchant, its default customer and its first API key are created. The key is an admin of the merchant.")}
    allowed={allowOperator("admin")}
    tone="main"
    note="optional"
    fields={
      <>
        <Field name="name" label={t("Name")} required maxLength={255} />
        <Field
          name="country_code"
          label={t("Country")}
          hint={t("Two letters, such as NG.")}
          required
          maxLength={2}
          placeholder="NG"
        />
        <Select
          name="status"
          label={t("Status")}
          choices={[
            ["active", t("Active")],
            ["pending", t("Pending: its keys are refused until you activate it")]
          ]}
        />
      </>
    }
    request={({ country_code = "", ...filled }) => ({
      path: "/operator/v1/merchants",
      body: { ...filled, country_code: country_code.toUpperCase() }
    })}
    done={({ data: { api_key, merchant } }) => (
      <>
        <p>{rich("{name} is created.", { name: <a href={findPageUrl(merchant.id)!}>{merchant.name}</a> })}</p>
        <SecretView text={api_key.secret} what={t("API key")} use={t("Send it to the merchant on a safe way.")} />
      </>
    )}
  />
)

/** A button that activates or suspends a merchant. */
export const MerchantStatusAction = ({ merchant: { id, name, status } }: { readonly merchant: Merchant }) => {
  const next = status === "active" ? "suspended" : "active"
  return (
    <Action
      label={next === "active" ? t("Activate") : t("Suspend")}
      title={next === "active" ? t("Activate {name}", { name }) : t("Suspend {name}", { name })}
      does={
        next === "active"
          ? t("Its keys are accepted again, and its submissions go on.")
          : t(
              "Its keys are refused, and nothing of it is submitted to a provider. What a provider already has continues."
            )
      }
      allowed={allowOperator("admin")}
      tone={next === "active" ? "plain" : "danger"}
      note="optional"
      request={(filled) => ({
        path: `/operator/v1/merchants/${id}`,
        method: "PATCH",
        body: { status: next, ...filled }
      })}
    />
  )
}

export const MerchantsPage = () => (
  <ListPage<Merchant>
    title={t("Merchants")}
    lead={t("Who uses this platform.")}
    actions={<CreateMerchant />}
    filters={[byStatus(merchantStatuses)]}
    path="/operator/v1/merchants"
    columns={[
      { title: t("Name"), cell: ({ id, name }) => <a href={findPageUrl(id)!}>{name}</a> },
      statusColumn,
      { title: t("Country"), cell: ({ country_code }) => country_code },
      { title: t("Id"), cell: ({ id }) => <Id id={id} brief /> },
      createdColumn,
      { title: t("Change"), cell: (row) => <MerchantStatusAction merchant={row} /> }
    ]}
    empty={[t("There is no merchant yet"), t("Create the first one.")]}
    unmatched={t("No merchant has this status")}
  />
)
