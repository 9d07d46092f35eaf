/** API keys of a merchant: listed, created and revoked, by an operator or by the merchant itself. */
import type { ApiKey, NewApiKey } from "../../../client/generated/resources.ts"
import type { Allowed } from "../../frame/session.ts"
import { rich, t } from "../../frame/language.ts"
import { createdColumn } from "../../parts/columns.tsx"
import { Action } from "../../parts/action.tsx"
import { Field, Select } from "../../parts/field.tsx"
import { Id } from "../../parts/id.tsx"
import { Card } from "../../parts/page.tsx"
import { SecretView } from "../../parts/secret.tsx"
import { ListView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"

const roles = [
  ["viewer", t("Viewer: reads")],
  ["approver", t("Approver: reads, and approves or declines what others made")],
  ["developer", t("Developer: reads, creates and changes")],
  ["admin", t("Admin: also keys, and deletes webhooks")]
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
      label={t("Role")}
      choices={roles.slice(0, 1 + roles.findIndex(([name]) => name === most))}
      value={role}
    />
    <Field
      name="label"
      label={t("Label")}
      hint={t("Where the key is used, such as “checkout server”.")}
      maxLength={100}
      value={label}
    />
    {most === "admin" && (
      <Field
        name="person"
        label={t("Person")}
        hint={t(
          "Who calls with it, such as an email address: nobody approves what they made with another key. Default: the person who makes it."
        )}
        maxLength={255}
        value={person === undefined || /^(?:key|opr)_/.test(person) ? undefined : person}
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

/** Shows a new key, once. */
const showNewKey = ({ data }: { readonly data: NewApiKey }) => (
  <SecretView
    text={data.secret}
    what={t("API key")}
    use={t("Put it where the server that uses it reads its secrets.")}
  />
)

export const Keys = ({ path, allowed, most, revoke, noted }: KeysProps) => {
  const note = noted ? "optional" : undefined
  const Revoke = ({ of: { id, label, prefix } }: { readonly of: ApiKey }) => (
    <Action
      label={t("Revoke")}
      title={t("Revoke the key {prefix}…", { prefix })}
      does={
        label === null
          ? t("Calls with this key are refused from now on. This cannot be undone.")
          : t("Calls with {label} are refused from now on. This cannot be undone.", { label })
      }
      allowed={allowed}
      tone="danger"
      note={note}
      request={(filled) => {
        const { method, path: target } = revoke(id)
        return { path: target, method, body: method === "POST" ? filled : undefined }
      }}
    />
  )
  return (
    <Card
      title={t("API keys")}
      actions={
        <Action<NewApiKey>
          label={t("Create key")}
          title={t("Create an API key")}
          does={t("The key works at once. It is shown once.")}
          allowed={allowed}
          tone="main"
          note={note}
          fields={<KeyFields most={most} />}
          request={(filled) => ({ path, body: filled })}
          done={showNewKey}
        />
      }
      flush
    >
      <ListView<ApiKey>
        caption={t("API keys")}
        path={path}
        pageName="keys_page"
        columns={[
          {
            title: t("Key"),
            cell: ({ label, prefix }) => (
              <>
                <code>{prefix}…</code>
                {label !== null && <div>{label}</div>}
              </>
            )
          },
          {
            title: t("Role"),
            cell: ({ person, role }) => (
              <>
                {words(role)}
                <div class="dim">{person}</div>
              </>
            )
          },
          createdColumn,
          { title: t("Id"), cell: ({ id }) => <Id id={id} brief href={null} copy /> },
          {
            title: t("Change"),
            cell: (key) => (
              <div class="acts">
                <Action<NewApiKey>
                  label={t("Rotate")}
                  title={t("Rotate the key {prefix}…", { prefix: key.prefix })}
                  does={t(
                    "First a new key with the same role is created. Put it in use, then revoke the old one here in the list."
                  )}
                  allowed={allowed}
                  note={note}
                  fields={<KeyFields most={most} role={key.role} label={key.label} person={key.person} />}
                  request={(filled) => ({ path, body: filled })}
                  done={(answer) => (
                    <>
                      {showNewKey(answer)}
                      <p>
                        {rich("Both keys work now. When calls come with the new one, revoke {key} in the list.", {
                          key: <code>{key.prefix}…</code>
                        })}
                      </p>
                    </>
                  )}
                />
                <Revoke of={key} />
              </div>
            )
          }
        ]}
        empty={[t("There is no API key"), t("Without a key nothing can call the API.")]}
      />
    </Card>
  )
}
