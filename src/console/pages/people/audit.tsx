/** The audit log: who did what, when, why, and what changed by it. */
import type { AuditEntry } from "../../../client/generated/resources.ts"
import { to } from "../../frame/base.ts"
import { byMerchant, byOperator, period } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { auditedActions } from "./audited-actions.ts"

/** `releaseDeposit` → `Release deposit`. */
export const actionWords = (action: string): string =>
  words(action.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll(".", " "))

const formatValue = (value: unknown): string =>
  value === undefined ? "—" : typeof value === "string" ? value : JSON.stringify(value)

/** The members that differ, before and after. */
const Changes = ({ before, after }: Pick<AuditEntry, "before" | "after">) => {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name])
  )
  return names.length === 0 ? (
    <span class="dim">—</span>
  ) : (
    <details>
      <summary>
        {names
          .slice(0, 3)
          .map((name) => words(name))
          .join(", ")}
        {names.length > 3 && ` and ${names.length - 3} more`}
      </summary>
      <dl class="changes">
        {names.map((name) => (
          <div key={name}>
            <dt>{words(name)}</dt>
            <dd>
              {before !== null && <del>{formatValue(before[name])}</del>} <ins>{formatValue(after?.[name])}</ins>
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

export const AuditPage = () => (
  <ListPage<AuditEntry>
    title="Audit"
    lead="Every action of an operator, newest first. Nothing is changed or removed here."
    filters={[
      { name: "action", label: "Action", options: auditedActions.map((one) => [one, actionWords(one)] as const) },
      byOperator,
      { name: "resource_id", label: "Resource", pick: "resource" },
      byMerchant,
      ...period
    ]}
    caption="Audit log"
    path="/operator/v1/audit"
    columns={[
      { title: "When", cell: ({ at }) => <Time at={at} exact /> },
      {
        title: "Who",
        cell: ({ operator: { id, name, role } }) => (
          <>
            {id === null ? name : <a href={to("/audit", { operator_id: id })}>{name}</a>}
            <div class="dim">{words(role)}</div>
          </>
        )
      },
      {
        title: "What",
        cell: ({ action: did, resource }) => (
          <>
            <strong>{actionWords(did)}</strong>
            {resource !== null && (
              <div>
                {words(resource.kind)} <Id id={resource.id} brief />
              </div>
            )}
          </>
        )
      },
      { title: "Note", cell: ({ note }) => (note === null ? <span class="dim">—</span> : <q>{note}</q>) },
      { title: "Changed", cell: Changes },
      {
        title: "Request",
        wide: true,
        cell: ({ request_id }) => (request_id === null ? "—" : <Id id={request_id} brief href={null} copy />)
      }
    ]}
    empty={["No operator has done anything yet", "Every action appears here as it is taken."]}
    unmatched="No action matches"
  />
)
