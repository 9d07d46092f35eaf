/** Exceptions: provider reports that fit no resource. Those of high severity come first. */
import type { ListedException } from "../../../client/generated/resources.ts"
import { rich, t } from "../../frame/language.ts"
import { Acts } from "../../acts/acts.tsx"
import { type UrlMembers, queryOf } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { Merchant } from "../../parts/columns.tsx"
import { Filters, byMerchant, byStatus } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Folded } from "../../parts/json.tsx"
import { Money } from "../../parts/money.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { ReasonView } from "../../parts/reason.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { type Column, ListView } from "../../parts/table.tsx"
import { words } from "../../parts/text.ts"
import { Time, TimeBelow } from "../../parts/time.tsx"
import { exceptionReason, exceptionReasonNames } from "./explained.ts"

const columns: ReadonlyArray<Column<ListedException>> = [
  { title: t("Raised"), cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: t("Exception"),
    cell: ({ id, provider, provider_event, reason, recorded }) => (
      <>
        <ReasonView name={reason} sentence={exceptionReason(reason)} />
        <Id id={id} />
        <Folded what={t("What {provider} reported", { provider })} value={provider_event} />
        {recorded !== null && <Folded what={t("What is recorded")} value={recorded} />}
      </>
    )
  },
  {
    title: t("About"),
    cell: ({ resource_id, resource_kind, ...exception }) => (
      <>
        {resource_id === null ? (
          <span class="dim">{t("No known resource")}</span>
        ) : (
          <>
            {resource_kind !== null && words(resource_kind)} <Id id={resource_id} brief />
          </>
        )}
        <br />
        <Merchant of={exception} />
      </>
    )
  },
  {
    title: t("In suspense"),
    align: "right",
    cell: ({ amount, currency, status }) =>
      amount === null ? (
        <span class="dim">{t("No money")}</span>
      ) : status === "resolved" ? (
        <span class="dim">{rich("Was {money}", { money: <Money amount={amount} currency={currency} /> })}</span>
      ) : (
        <Money amount={amount} currency={currency} />
      )
  },
  {
    title: t("At risk"),
    align: "right",
    cell: ({ exposure, severity }) => (
      <>
        {severity === "high" && <StatusPill status="high_severity" tone="bad" />}
        {exposure !== null && (
          <div>
            <Money {...exposure} />
          </div>
        )}
        {severity === "low" && <span class="dim">—</span>}
      </>
    )
  },
  {
    title: t("Resolution"),
    cell: ({ action, note, resolved_at, status, ...exception }) =>
      status === "resolved" ? (
        <>
          <StatusPill status="resolved" /> {action !== null && words(action)}
          <TimeBelow at={resolved_at} />
          {note !== null && <div class="quote">{note}</div>}
        </>
      ) : action !== null && exception.actions.length === 0 ? (
        <StatusPill status={`${action}_in_progress`} tone="wait" />
      ) : (
        <Acts of={{ kind: "exception", id: exception.id, state: status, body: { ...exception } }} />
      )
  }
]

const ExceptionList = ({
  caption,
  query,
  pageName,
  empty
}: {
  readonly caption: string
  readonly query: UrlMembers
  readonly pageName: string
  readonly empty: string
}) => (
  <ListView<ListedException>
    caption={caption}
    path="/operator/v1/exceptions"
    query={query}
    pageName={pageName}
    every={15}
    columns={columns}
    empty={[
      empty,
      query["status"] === "open"
        ? t("Reports that fit no resource, and money that could not be matched, appear here by themselves.")
        : t("Change or clear the filters to see others.")
    ]}
  />
)

export const ExceptionsPage = () => {
  const { query } = useQuery()
  const { status = "open", severity = "", reason, merchant_id } = query
  const filters = { status: status === "all" ? undefined : status, reason, merchant_id }
  // What is urgent comes first, and takes no place when there is none.
  const risky = useLoad<ReadonlyArray<ListedException>>(
    `/operator/v1/exceptions${queryOf({ ...filters, severity: "high", per_page: 1 })}`,
    { every: 15 }
  )
  const isRisky = (risky.answer.value?.meta.total ?? 0) > 0
  const shown = (["high", "low"] as const).filter((one) =>
    severity === "" ? one === "low" || isRisky : severity === one
  )
  // Both may have money in suspense: the severity says what may be lost beside it.
  const title = { high: t("High severity"), low: isRisky ? t("Low severity") : t("Exceptions") }
  return (
    <Page
      title={t("Exceptions")}
      lead={t(
        "Reports of providers that fit no resource. Money that came with one is in suspense until you resolve it; many have none. High severity: money may have left twice or be missing, or a customer was told a success that was none."
      )}
    >
      <Filters
        of={[
          byStatus(["resolved", "all"], t("Open")),
          { name: "severity", label: t("Severity"), options: ["high", "low"] },
          { name: "reason", label: t("Reason"), options: exceptionReasonNames },
          byMerchant
        ]}
      />
      {shown.map((one) => (
        <Card key={one} title={title[one]} flush>
          <ExceptionList
            caption={title[one]}
            query={{ ...filters, severity: one }}
            pageName={one === "high" ? "high_page" : "page"}
            empty={status === "open" ? t("Nothing to resolve") : t("No exception matches")}
          />
        </Card>
      ))}
    </Page>
  )
}
