/** The audit log: who did what, when, why, and what changed by it. */
import type { AuditEntry } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { byMerchant, byOperator, period } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { formatAction, auditedActions } from "./audited-actions.ts"

const formatValue = (value: unknown): string =>
  value === undefined ? "—" : typeof value === "string" ? value : JSON.stringify(value)

/** The members that an act changed, before and after. */
const Changes = ({ before, after }: Pick<AuditEntry, "before" | "after">) => {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].filter(
    (name) => JSON.stringify(before?.[name]) !== JSON.stringify(after?.[name])
  )
  const shownNames = names.slice(0, 3).map(words).join(", ")
  return names.length === 0 ? (
    <span class="dim">—</span>
  ) : (
    <details>
      <summary>
        {names.length > 3 ? t("{names} and {more} more", { names: shownNames, more: names.length - 3 }) : shownNames}
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
    title={t("Audit")}
    lead={t("Every action of an operator, newest first. Nothing is changed or removed here.")}
    filters={[
      { name: "action", label: t("Action"), options: auditedActions.map((one) => [one, formatAction(one)] as const) },
      byOperator,
      { name: "resource_id", label: t("Resource"), pick: "resource" },
      byMerchant,
      ...period
    ]}
    caption={t("Audit log")}
    path="/operator/v1/audit"
    columns={[
      { title: t("When"), cell: ({ at }) => <Time at={at} exact /> },
      {
        title: t("Who"),
        cell: ({ operator: { id, name, role } }) => (
          <>
            {id === null ? name : <a href={to("/audit", { operator_id: id })}>{name}</a>}
            <div class="dim">{words(role)}</div>
          </>
        )
      },
      {
        title: t("What"),
        cell: ({ action: did, resource }) => (
          <>
            <strong>{formatAction(did)}</strong>
            {resource !== null && (
              <div>
                {words(resource.kind)} <Id id={resource.id} brief />
              </div>
            )}
          </>
        )
      },
      { title: t("Note"), cell: ({ note }) => (note === null ? <span class="dim">—</span> : <q>{note}</q>) },
      { title: t("Changed"), cell: Changes },
      {
        title: t("Request"),
        cell: ({ request_id }) => (request_id === null ? "—" : <Id id={request_id} brief href={null} copy />)
      }
    ]}
    empty={[t("No operator has done anything yet"), t("Every action appears here as it is taken.")]}
    unmatched={t("No action matches")}
  />
)
