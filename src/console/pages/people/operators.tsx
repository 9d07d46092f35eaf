/** The operators: people with names, roles and tokens of their own. */
import type { Operator, OperatorWithToken } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { allowOperator, session } from "../../frame/session.ts"
import { createdColumn, statusColumn } from "../../parts/columns.tsx"
import { Action, Needs } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { SecretView } from "../../parts/secret.tsx"
import { words } from "../../parts/text.ts"

export const roleChoices = [
  ["viewer", t("Viewer: sees everything but secrets")],
  ["support", t("Support: also reviews, and freezes")],
  ["treasury", t("Treasury: also releases money, resolves exceptions, pauses")],
  ["admin", t("Admin: also merchants, keys and operators")]
] as const

const OperatorFields = ({ of }: { readonly of?: Operator }) => (
  <>
    <Field name="name" label={t("Name")} required maxLength={100} value={of?.name} />
    <Field name="email" label={t("Email")} inputMode="email" value={of?.email} />
    <Select name="role" label={t("Role")} choices={roleChoices} value={of?.role ?? "viewer"} />
  </>
)

const showToken = ({ data: { name, token } }: { readonly data: OperatorWithToken }) => (
  <SecretView
    text={token}
    what={t("token")}
    use={t("Send it to {name} on a safe way. It signs in to this console and to the API.", { name })}
  />
)

const OperatorActions = ({ of }: { readonly of: Operator }) => {
  const path = `/operator/v1/operators/${of.id}`
  const isSelf = session.value?.operator_id === of.id
  const allowed = allowOperator("admin")
  if (of.status !== "active") return null
  if (typeof allowed === "string") return <Needs acts={[t("Change"), t("New token"), t("Revoke")]} role={allowed} />
  return (
    <div class="acts">
      <Action
        label={t("Change")}
        title={t("Change {name}", { name: of.name })}
        does={t("A new role applies from the next request on.")}
        allowed={allowed}
        note="optional"
        fields={<OperatorFields of={of} />}
        request={(filled) => ({ path, method: "PATCH", body: filled })}
      />
      <Action<OperatorWithToken>
        label={t("New token")}
        title={t("A new token for {name}", { name: of.name })}
        does={
          isSelf
            ? t("The present token, {prefix}…, is refused from now on, and your session ends.", { prefix: of.prefix })
            : t("The present token, {prefix}…, is refused from now on, and the person's sessions end.", {
                prefix: of.prefix
              })
        }
        allowed={allowed}
        note="optional"
        request={(filled) => ({ path: `${path}/rotate-token`, body: filled })}
        done={showToken}
      />
      <Action
        label={t("Revoke")}
        title={t("Revoke {name}", { name: of.name })}
        does={
          isSelf
            ? t("The token and all sessions of you yourself end at once. This cannot be undone.")
            : t("The token and all sessions of {name} end at once. This cannot be undone.", { name: of.name })
        }
        allowed={allowed}
        tone="danger"
        note="optional"
        request={(filled) => ({ path: `${path}/revoke`, body: filled })}
      />
    </div>
  )
}

export const OperatorsPage = () => (
  <ListPage<Operator>
    title={t("Operators")}
    lead={t("Each person has a name, a role and a token of their own. What they do is in the audit log.")}
    actions={
      <Action<OperatorWithToken>
        label={t("Create operator")}
        does={t("The operator gets a token, which is shown once.")}
        allowed={allowOperator("admin")}
        tone="main"
        note="optional"
        fields={<OperatorFields />}
        request={(filled) => ({ path: "/operator/v1/operators", body: filled })}
        done={showToken}
      />
    }
    filters={[
      byStatus(["active", "revoked"]),
      { name: "role", label: t("Role"), options: roleChoices.map(([name]) => name) }
    ]}
    path="/operator/v1/operators"
    columns={[
      {
        title: t("Name"),
        cell: ({ email, id, name }) => (
          <>
            <strong>{name}</strong> {session.value?.operator_id === id && <span class="dim">{t("(you)")}</span>}
            {email !== null && <div class="dim">{email}</div>}
          </>
        )
      },
      { title: t("Role"), cell: ({ role: shown }) => words(shown) },
      statusColumn,
      { title: t("Token"), cell: ({ prefix }) => <code>{prefix}…</code> },
      createdColumn,
      { title: t("Actions"), cell: ({ id }) => <a href={to("/audit", { operator_id: id })}>{t("Audit")}</a> },
      { title: t("Change"), cell: (row) => <OperatorActions of={row} /> }
    ]}
    empty={[
      t("There are no operators yet"),
      t("Until you create one, only the operator token of the configuration signs in.")
    ]}
    unmatched={t("No operator matches")}
  />
)
