/** The merchants of the platform. */
import type { Merchant } from "../../../client/generated/resources.ts"
import { to } from "../../frame/base.ts"
import { allowOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { SecretView } from "../../parts/secret.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { Time } from "../../parts/time.tsx"
import { merchantStatuses } from "../../parts/vocabulary.ts"

export const merchantHref = (id: string): string => to(`/merchants/${encodeURIComponent(id)}`)

const CreateMerchant = () => (
  <Action<{ readonly merchant: Merchant; readonly api_key: { readonly secret: string } }>
    label="Create merchant"
    does="A merchant, its default customer and its first API key are created. The key is an admin of the merchant."
    allowed={allowOperator("admin")}
    tone="main"
    note="optional"
    fields={
      <>
        <Field name="name" label="Name" required maxLength={255} />
        <Field
          name="country_code"
          label="Country"
          hint="Two letters, such as NG."
          required
          maxLength={2}
          placeholder="NG"
        />
        <Select
          name="status"
          label="Status"
          choices={[
            ["active", "Active"],
            ["pending", "Pending: its keys are refused until you activate it"]
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
        <p>
          <a href={merchantHref(merchant.id)}>{merchant.name}</a> is created.
        </p>
        <SecretView text={api_key.secret} what="API key" use="Send it to the merchant on a safe way." />
      </>
    )}
  />
)

/** Activates or suspends a merchant. */
export const MerchantStatusAction = ({ merchant: { id, name, status } }: { readonly merchant: Merchant }) => {
  const next = status === "active" ? "suspended" : "active"
  return (
    <Action
      label={next === "active" ? "Activate" : "Suspend"}
      title={next === "active" ? `Activate ${name}` : `Suspend ${name}`}
      does={
        next === "active"
          ? "Its keys are accepted again, and its submissions go on."
          : "Its keys are refused, and nothing of it is submitted to a provider. What a provider already has continues."
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
    title="Merchants"
    lead="Who uses this platform."
    actions={<CreateMerchant />}
    filters={[byStatus(merchantStatuses)]}
    path="/operator/v1/merchants"
    columns={[
      { title: "Name", cell: ({ id, name }) => <a href={merchantHref(id)}>{name}</a> },
      { title: "Status", cell: ({ status: shown }) => <StatusPill status={shown} /> },
      { title: "Country", cell: ({ country_code }) => country_code },
      { title: "Id", wide: true, cell: ({ id }) => <Id id={id} brief href={merchantHref(id)} /> },
      { title: "Created", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
      { title: "Change", cell: (row) => <MerchantStatusAction merchant={row} /> }
    ]}
    empty={["There is no merchant yet", "Create the first one."]}
    unmatched="No merchant has this status"
  />
)
