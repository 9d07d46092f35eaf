/** How an endpoint does, by its newest deliveries: one that fails is not simply active. */
import { isOperator } from "../../frame/session.ts"
import type { WebhookEndpoint, WebhookEndpointHealth } from "../../../client/generated/resources.ts"
import { rich, t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { serviceTime } from "../../frame/clock.ts"
import { type LoadedAnswer, useLoad } from "../../frame/load.ts"
import { Card } from "../../parts/page.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { TableView } from "../../parts/table.tsx"
import { formatPercent } from "../../parts/text.ts"
import { Ago, Time } from "../../parts/time.tsx"
import { Said } from "../../parts/said.tsx"

/** Makes the API path of webhook endpoints: those of all merchants for an operator, or the merchant's own. */
export const makeEndpointsPath = (id = ""): string =>
  (isOperator() ? "/operator/v1/webhook-endpoints" : "/v1/notifications/webhooks") +
  (id && `/${encodeURIComponent(id)}`)

export const makeEndpointUrl = (id: string): string => to(`/webhooks/${encodeURIComponent(id)}`)

export const useHealth = (id: string): LoadedAnswer<WebhookEndpointHealth> =>
  useLoad(`${makeEndpointsPath(id)}/health`, { every: 30 })

/** Whether any kept delivery of an endpoint has failed, however old; its health only counts the newest. Undefined: not known yet. */
export const useHasFailed = (id: string): boolean | undefined => {
  const found = useLoad<ReadonlyArray<unknown>>(`${makeEndpointsPath(id)}/deliveries?status=failed&per_page=1`, {
    every: 30
  }).answer.value
  return found && found.data.length > 0
}

const dayMs = 86_400_000

const chooseHealthPill = ({ deactivated_for, failing_since, health }: WebhookEndpointHealth) =>
  health === "healthy" ? (
    <StatusPill status="active" />
  ) : health === "inactive" ? (
    <StatusPill
      status={deactivated_for === null ? "inactive" : "switched_off"}
      tone={deactivated_for ? "bad" : "off"}
    />
  ) : Date.parse(failing_since!) <= serviceTime.value - dayMs ? (
    <StatusPill status="failing_for_a_day" tone="bad" />
  ) : (
    <StatusPill status="failing" tone="warn" />
  )

/** Why the service switched an endpoint off, as a sentence. */
const reasons = {
  gone: t("Its receiver answered HTTP 410: gone."),
  failing: t("Nothing was delivered for five days.")
} as const

const Health = ({ of }: { readonly of: WebhookEndpointHealth }) => {
  const { attempted, deactivated_for, failing_since, health, last_attempt, success_share } = of
  return (
    <>
      {chooseHealthPill(of)}
      <div class="dim">
        {deactivated_for !== null && (
          <div>
            {reasons[deactivated_for]} {t("It is activated again by its merchant.")}
          </div>
        )}
        {health === "failing" && <div>{rich("Since {time}", { time: <Time at={failing_since} /> })}</div>}
        {last_attempt !== null && (
          <div>
            {rich("Last answer {answer} {ago} · {share} of {attempted} attempted delivered", {
              answer:
                last_attempt.response_status === null ? (
                  <Said>{last_attempt.error}</Said>
                ) : (
                  `HTTP ${last_attempt.response_status}`
                ),
              ago: <Ago at={last_attempt.at} />,
              share: formatPercent(success_share),
              attempted
            })}
          </div>
        )}
      </div>
    </>
  )
}

export const HealthView = ({ of: { active, id } }: { readonly of: Pick<WebhookEndpoint, "active" | "id"> }) => {
  const found = useHealth(id).answer.value?.data
  return found === undefined ? <StatusPill status={active ? "active" : "inactive"} /> : <Health of={found} />
}

/** The results of the newest deliveries, by event type. */
export const HealthByType = ({ of: { by_event_type, deliveries, since } }: { readonly of: WebhookEndpointHealth }) => (
  <Card title={t("By event type")} flush>
    <TableView
      caption={t("The last {count} delivery by event type|The last {count} deliveries by event type", {
        count: deliveries
      })}
      rows={by_event_type}
      keyOf={({ event_type }) => event_type}
      empty={[t("Nothing was sent here yet")]}
      columns={[
        { title: t("Event"), cell: ({ event_type }) => <code>{event_type}</code> },
        { title: t("Attempts"), align: "right", cell: ({ attempts }) => attempts },
        { title: t("Delivered"), align: "right", cell: ({ delivered }) => delivered },
        { title: t("Failed"), align: "right", cell: ({ failed }) => failed },
        { title: t("Pending"), align: "right", cell: ({ pending }) => pending }
      ]}
    />
    {since !== null && (
      <p class="dim">
        {rich("The last {count} delivery, since {time}.|The last {count} deliveries, since {time}.", {
          count: deliveries,
          time: <Time at={since} />
        })}
      </p>
    )}
  </Card>
)
