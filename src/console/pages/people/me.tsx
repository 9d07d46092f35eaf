/** Who is signed in, and what this role may do. */
import type { ActingOperator } from "../../../client/generated/resources.ts"
import { rich, t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { session } from "../../frame/session.ts"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { words } from "../../parts/text.ts"
import { Ago, Time } from "../../parts/time.tsx"

/** What each role adds to those before it. */
const may: ReadonlyArray<readonly [role: string, what: string]> = [
  ["viewer", t("See every page, without secrets")],
  ["support", t("Review verifications and access requests; freeze credentials and addresses")],
  [
    "treasury",
    t("Release and reject deposits; resolve exceptions; set and release pauses; unfreeze, forward, disable")
  ],
  ["admin", t("Create and change merchants, their keys, and operators")]
]

export const MePage = () => {
  const me = useLoad<ActingOperator>("/operator/v1/me")
  const current = session.value
  const rank = may.findIndex(([role]) => role === current?.role)
  return (
    <Page title={t("You")} lead={t("Who is signed in, and what this role may do.")}>
      <Card>
        <Show of={me}>
          {({ email, id, name, role }) => (
            <Facts
              of={[
                [t("Name"), name],
                [t("Email"), email],
                [t("Role"), words(role)],
                [t("Id"), id === null ? null : <code>{id}</code>],
                [t("Your actions"), id === null ? null : <a href={to("/audit", { operator_id: id })}>{t("Audit")}</a>],
                [
                  t("Session ends"),
                  current === null || current === undefined ? null : (
                    <>
                      {rich("{ago}, {time}; after an hour without use before", {
                        ago: <Ago at={current.expires_at} />,
                        time: <Time at={current.expires_at} />
                      })}
                    </>
                  )
                ]
              ]}
            />
          )}
        </Show>
        {me.answer.value?.data.id === null && (
          <p class="late">
            {t(
              "This is the operator token of the configuration. Create an operator for each person, so that the audit log has names."
            )}
          </p>
        )}
      </Card>
      <Card title={t("What this role may do")}>
        <ul>
          {may.map(([role, what], index) => (
            <li key={role} class={index <= rank ? undefined : "dim"}>
              {index <= rank ? "✓" : "✕"} {what}
              {index > rank && ` (${role})`}
            </li>
          ))}
        </ul>
      </Card>
    </Page>
  )
}
