/** The operators: people with names, roles and tokens of their own. */
import type { Operator, OperatorWithToken } from "../../../client/generated/resources.ts"
import { to } from "../../frame/base.ts"
import { allowOperator, session } from "../../frame/session.ts"
import { Action, Needs } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { byStatus } from "../../parts/filters.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { SecretView } from "../../parts/secret.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"

export const roleChoices = [
  ["viewer", "Viewer: sees everything but secrets"],
  ["support", "Support: also reviews, and freezes"],
  ["treasury", "Treasury: also releases money, resolves exceptions, brakes"],
  ["admin", "Admin: also merchants, keys and operators"]
] as const

const OperatorFields = ({ of }: { readonly of?: Operator }) => (
  <>
    <Field name="name" label="Name" required maxLength={100} value={of?.name} />
    <Field name="email" label="Email" inputMode="email" value={of?.email} />
    <Select name="role" label="Role" choices={roleChoices} value={of?.role ?? "viewer"} />
  </>
)

const showToken = ({ data: { name, token } }: { readonly data: OperatorWithToken }) => (
  <SecretView
    text={token}
    what="token"
    use={`Send it to ${name} on a safe way. It signs in to this console and to the API.`}
  />
)

const OperatorActions = ({ of }: { readonly of: Operator }) => {
  const path = `/operator/v1/operators/${of.id}`
  const isSelf = session.value?.operator_id === of.id
  const allowed = allowOperator("admin")
  if (of.status !== "active") return null
  if (typeof allowed === "string") return <Needs acts={["Change", "New token", "Revoke"]} role={allowed} />
  return (
    <div class="acts">
      <Action
        label="Change"
        title={`Change ${of.name}`}
        does="A new role applies from the next request on."
        allowed={allowed}
        note="optional"
        fields={<OperatorFields of={of} />}
        request={(filled) => ({ path, method: "PATCH", body: filled })}
      />
      <Action<OperatorWithToken>
        label="New token"
        title={`A new token for ${of.name}`}
        does={`The present token, ${of.prefix}…, is refused from now on, and ${isSelf ? "your session ends" : "the person's sessions end"}.`}
        allowed={allowed}
        note="optional"
        request={(filled) => ({ path: `${path}/rotate-token`, body: filled })}
        done={showToken}
      />
      <Action
        label="Revoke"
        title={`Revoke ${of.name}`}
        does={`The token and all sessions of ${isSelf ? "you yourself" : of.name} end at once. This cannot be undone.`}
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
    title="Operators"
    lead="Each person has a name, a role and a token of their own. What they do is in the audit log."
    actions={
      <Action<OperatorWithToken>
        label="Create operator"
        does="The operator gets a token, which is shown once."
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
      { name: "role", label: "Role", options: roleChoices.map(([name]) => name) }
    ]}
    path="/operator/v1/operators"
    columns={[
      {
        title: "Name",
        cell: ({ email, id, name }) => (
          <>
            <strong>{name}</strong> {session.value?.operator_id === id && <span class="dim">(you)</span>}
            {email !== null && <div class="dim">{email}</div>}
          </>
        )
      },
      { title: "Role", cell: ({ role: shown }) => words(shown) },
      { title: "Status", cell: ({ status: shown }) => <StatusPill status={shown} /> },
      { title: "Token", wide: true, cell: ({ prefix }) => <code>{prefix}…</code> },
      { title: "Created", wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
      { title: "Actions", cell: ({ id }) => <a href={to("/audit", { operator_id: id })}>Audit</a> },
      { title: "Change", cell: (row) => <OperatorActions of={row} /> }
    ]}
    empty={[
      "There are no operators yet",
      "Until you create one, only the operator token of the configuration signs in."
    ]}
    unmatched="No operator matches"
  />
)
