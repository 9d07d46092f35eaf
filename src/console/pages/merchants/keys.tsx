/** API keys of a merchant: listed, created and revoked, by an operator or by the merchant itself. */
import type { ApiKey, NewApiKey } from "../../../client/generated/resources.ts"
import type { Allowed } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Id } from "../../parts/id.tsx"
import { Card } from "../../parts/page.tsx"
import { SecretView } from "../../parts/secret.tsx"
import { ListView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"

const roles = [
  ["viewer", "Viewer: reads"],
  ["approver", "Approver: reads, and approves or declines what others made"],
  ["developer", "Developer: reads, creates and changes"],
  ["admin", "Admin: also keys, and deletes webhooks"]
] as const

const KeyFields = ({
  most,
  role = "developer",
  label,
  person
}: {
  /** The highest role that may be chosen: nobody makes a key above its own. */
  readonly most: string
  readonly role?: string
  readonly label?: string | null
  readonly person?: string
}) => (
  <>
    <Select
      name="role"
      label="Role"
      choices={roles.slice(0, 1 + roles.findIndex(([name]) => name === most))}
      value={role}
    />
    <Field
      name="label"
      label="Label"
      hint="Where the key is used, such as “checkout server”."
      maxLength={100}
      value={label}
    />
    {most === "admin" && (
      <Field
        name="person"
        label="Person"
        hint="Who calls with it, such as an email address: nobody approves what they made with another key. Default: the person who makes it."
        maxLength={255}
        {...(person === undefined || /^(?:key|opr)_/.test(person) ? {} : { value: person })}
      />
    )}
  </>
)

export interface KeysProps {
  /** Of the API: the list, and where keys are created. */
  readonly path: string
  readonly allowed: Allowed
  readonly revoke: (id: string) => { readonly path: string; readonly method: "POST" | "DELETE" }
  /** The highest role of a new key. */
  readonly most: string
  /** An operator's actions take a note. */
  readonly noted: boolean
}

export const Keys = ({ path, allowed, most, revoke, noted }: KeysProps) => {
  const note = noted ? { note: "optional" as const } : {}
  const created = ({ data }: { readonly data: NewApiKey }) => (
    <SecretView text={data.secret} what="API key" use="Put it where the server that uses it reads its secrets." />
  )
  const Revoke = ({ of: { id, label, prefix } }: { readonly of: ApiKey }) => (
    <Action
      label="Revoke"
      title={`Revoke the key ${prefix}…`}
      does={`Calls with ${label ?? "this key"} are refused from now on. This cannot be undone.`}
      allowed={allowed}
      tone="danger"
      {...note}
      request={(filled) => {
        const { method, path: target } = revoke(id)
        return { path: target, method, ...(method === "POST" ? { body: filled } : {}) }
      }}
    />
  )
  return (
    <Card
      title="API keys"
      actions={
        <Action<NewApiKey>
          label="Create key"
          title="Create an API key"
          does="The key works at once. It is shown once."
          allowed={allowed}
          tone="main"
          {...note}
          fields={<KeyFields most={most} />}
          request={(filled) => ({ path, body: filled })}
          done={created}
        />
      }
      flush
    >
      <ListView<ApiKey>
        caption="API keys"
        path={path}
        pageName="keys_page"
        columns={[
          {
            title: "Key",
            cell: ({ label, prefix }) => (
              <>
                <code>{prefix}…</code>
                {label !== null && <div>{label}</div>}
              </>
            )
          },
          {
            title: "Role",
            cell: ({ person, role }) => (
              <>
                {words(role)}
                <div class="dim">{person}</div>
              </>
            )
          },
          { title: "Created", cell: ({ created_at }) => <Time at={created_at} /> },
          { title: "Id", wide: true, cell: ({ id }) => <Id id={id} brief href={null} copy /> },
          {
            title: "Change",
            cell: (key) => (
              <div class="acts">
                <Action<NewApiKey>
                  label="Rotate"
                  title={`Rotate the key ${key.prefix}…`}
                  does="First a new key with the same role is created. Put it in use, then revoke the old one here in the list."
                  allowed={allowed}
                  {...note}
                  fields={<KeyFields most={most} role={key.role} label={key.label} person={key.person} />}
                  request={(filled) => ({ path, body: filled })}
                  done={(answer) => (
                    <>
                      {created(answer)}
                      <p>
                        Both keys work now. When calls come with the new one, revoke <code>{key.prefix}…</code> in the
                        list.
                      </p>
                    </>
                  )}
                />
                <Revoke of={key} />
              </div>
            )
          }
        ]}
        empty={["There is no API key", "Without a key nothing can call the API."]}
      />
    </Card>
  )
}
