/** Who is signed in, and what this role may do. */
import type { ActingOperator } from "../../../client/generated/resources.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { session } from "../../frame/session.ts"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { words } from "../../parts/text.ts"
import { Ago, Time } from "../../parts/time.tsx"

/** What each role adds to those before it. */
const may: ReadonlyArray<readonly [role: string, what: string]> = [
  ["viewer", "See every page, without secrets"],
  ["support", "Review verifications and access requests; freeze credentials and addresses"],
  ["treasury", "Release and reject deposits; resolve exceptions; set and release brakes; unfreeze, forward, disable"],
  ["admin", "Create and change merchants, their keys, and operators"]
]

export const MePage = () => {
  const me = useLoad<ActingOperator>("/operator/v1/me")
  const current = session.value
  const rank = may.findIndex(([role]) => role === current?.role)
  return (
    <Page title="You" lead="Who is signed in, and what this role may do.">
      <Card>
        <Show of={me}>
          {({ email, id, name, role }) => (
            <Facts
              of={[
                ["Name", name],
                ["Email", email],
                ["Role", words(role)],
                ["Id", id === null ? null : <code>{id}</code>],
                ["Your actions", id === null ? null : <a href={to("/audit", { operator_id: id })}>Audit</a>],
                [
                  "Session ends",
                  current === null || current === undefined ? null : (
                    <>
                      <Ago at={current.expires_at} />, <Time at={current.expires_at} />; after an hour without use
                      before
                    </>
                  )
                ]
              ]}
            />
          )}
        </Show>
        {me.answer.value?.data.id === null && (
          <p class="late">
            This is the operator token of the configuration. Create an operator for each person, so that the audit log
            has names.
          </p>
        )}
      </Card>
      <Card title="What this role may do">
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
