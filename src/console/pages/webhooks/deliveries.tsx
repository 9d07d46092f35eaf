/** Deliveries of events to an endpoint: each attempt with what was sent and how the receiver answered. */
import type { DeliveryAttempt, WebhookDelivery } from "../../../client/generated/resources.ts"
import { t } from "../../frame/language.ts"
import { serviceTime } from "../../frame/clock.ts"
import { useLoad } from "../../frame/load.ts"
import { to } from "../../frame/base.ts"
import { allowMerchant, session } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Id } from "../../parts/id.tsx"
import { DataView } from "../../parts/json.tsx"
import { Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { type ListProps, ListView } from "../../parts/table.tsx"
import { Ago, Time } from "../../parts/time.tsx"
import { makeEndpointsPath } from "./health.tsx"
import { useState } from "preact/hooks"

export const ReplayEvent = ({ endpoint, event_id }: { readonly endpoint: string; readonly event_id: string }) => (
  <Action
    label={t("Send again")}
    title={t("Send this event again")}
    does={t(
      "The event is sent to this endpoint once more, with the same id and body. Receivers recognise it by its id."
    )}
    allowed={allowMerchant("developer", "admin")}
    request={() => ({ path: `/v1/notifications/webhooks/${endpoint}/replay`, body: { event_id } })}
  />
)

const formatHeaders = ({ url, headers }: NonNullable<DeliveryAttempt["request"]>): string =>
  [
    `POST ${url}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "webhook-signature: v1,… (not kept)"
  ].join("\n")

/** The body of a delivery, which is its event. It is read when somebody opens it. */
const DeliveryBody = ({ event_id, payload }: Pick<WebhookDelivery, "event_id" | "payload">) => {
  const event = useLoad<unknown>(payload === null ? `/v1/notifications/events/${event_id}` : null)
  return payload === null ? (
    <Show of={event}>{(data) => <DataView value={data} what={t("Request body")} />}</Show>
  ) : (
    <DataView value={payload} what={t("Request body")} />
  )
}

const AttemptItem = ({ attempt, number }: { readonly attempt: DeliveryAttempt; readonly number: number }) => {
  const { at, duration_ms, error, request, response_body, response_status } = attempt
  return (
    <li>
      <p>
        <strong>{t("Attempt {number}", { number })}</strong> <Time at={at} exact />{" "}
        <StatusPill
          status={response_status === null ? "no_answer" : `HTTP ${response_status}`}
          tone={error === null ? "good" : "bad"}
        />{" "}
        <span class="dim">{t("{duration_ms} ms", { duration_ms })}</span>
        {error !== null && <span> {error}</span>}
      </p>
      {request !== null && (
        <DataView value={formatHeaders(request)} what={t("Request of attempt {number}", { number })} />
      )}
      {response_body !== null &&
        (response_body === "" ? (
          <p class="dim">{t("The answer has no body.")}</p>
        ) : (
          <DataView value={response_body} what={t("Answer to attempt {number}", { number })} />
        ))}
    </li>
  )
}

const Attempts = (delivery: WebhookDelivery) => {
  const [isOpen, setOpen] = useState(false)
  const { attempts, event_id, payload } = delivery
  const last = attempts.at(-1)
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {attempts.length === 0
          ? t("Not attempted yet")
          : last?.response_status === null || last === undefined
            ? t("{count} attempt|{count} attempts", { count: attempts.length })
            : t("{count} attempt, last HTTP {status}|{count} attempts, last HTTP {status}", {
                count: attempts.length,
                status: String(last.response_status)
              })}
      </summary>
      {isOpen && (
        <div class="attempts">
          <ol class="bare">
            {attempts.map((attempt, index) => (
              <AttemptItem key={attempt.at + String(index)} attempt={attempt} number={index + 1} />
            ))}
          </ol>
          {(payload !== null || session.value?.type === "merchant") && (
            <>
              <p>
                <strong>{t("Body")}</strong>
              </p>
              <DeliveryBody event_id={event_id} payload={payload} />
            </>
          )}
        </div>
      )}
    </details>
  )
}

const deliveryTones = { pending: "wait", delivered: "good", failed: "bad" } as const

export const DeliveryList = ({
  endpoint,
  caption = t("Deliveries, newest first"),
  ...list
}: Pick<ListProps<WebhookDelivery>, "query" | "pageName" | "empty"> & {
  readonly endpoint: { readonly id: string; readonly active: boolean }
  readonly caption?: string
}) => (
  <ListView<WebhookDelivery>
    caption={caption}
    path={`${makeEndpointsPath(endpoint.id)}/deliveries`}
    {...list}
    every={5}
    columns={[
      {
        title: t("Event"),
        cell: ({ event_id, event_type, payload }) => (
          <>
            <code>{event_type}</code>
            <br />
            <Id
              id={event_id}
              brief
              href={payload === null && session.value?.type === "merchant" ? to(`/events/${event_id}`) : null}
            />
          </>
        )
      },
      {
        title: t("Status"),
        cell: ({ next_attempt_at, status }) => (
          <>
            <StatusPill status={status} tone={deliveryTones[status]} />
            {next_attempt_at !== null && (
              <div class="dim">
                {Date.parse(next_attempt_at) <= serviceTime.value ? t("due now") : <Ago at={next_attempt_at} />}
              </div>
            )}
          </>
        )
      },
      { title: t("Attempts"), cell: Attempts },
      { title: t("Last attempt"), cell: ({ attempts }) => <Time at={attempts.at(-1)?.at} /> },
      {
        title: t("Change"),
        cell: ({ event_id, payload }) =>
          endpoint.active && payload === null && session.value?.type === "merchant" ? (
            <ReplayEvent endpoint={endpoint.id} event_id={event_id} />
          ) : null
      }
    ]}
  />
)
