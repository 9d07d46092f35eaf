/** One webhook endpoint: its settings, its health, its deliveries, and sending again. */
import type {
  MerchantWebhookEndpoint,
  ReplayedFailed,
  WebhookEndpoint,
  WebhookEndpointWithSecret
} from "../../../client/generated/resources.ts"
import { useLocation, useRoute } from "preact-iso"
import { t } from "../../frame/language.ts"
import { serviceTime } from "../../frame/clock.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { allowMerchant, allowOperator, isOperator } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field } from "../../parts/field.tsx"
import { Filters, byStatus, findDayEnd, findDayStart, toInstant, formatMinute, period } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { BodyFacts } from "../resource/body.tsx"
import { DeliveryList } from "./deliveries.tsx"
import { makeEndpointsPath, HealthByType, HealthView, useHasFailed, useHealth } from "./health.tsx"
import { makeEndpointBody, EndpointFields, showSecret } from "./endpoints.tsx"
import { deliveryStatuses } from "../../parts/vocabulary.ts"

interface OfEndpoint {
  readonly endpoint: WebhookEndpoint
}

const SendingSwitch = ({ endpoint: { id, active } }: OfEndpoint) => {
  const path = `/v1/notifications/webhooks/${id}`
  const allowed = active && allowMerchant("developer", "admin")
  return (
    <>
      <Action
        label={t("Send a ping")}
        does={t("A signed event of type ping is sent to this endpoint, once. Its delivery appears below.")}
        allowed={allowed}
        request={() => ({ path: `${path}/ping`, body: {} })}
      />
      <Action<{ readonly replayed: number }>
        label={t("Replay by time")}
        does={t(
          "The events of the endpoint's categories in this time are sent again, with the same ids and bodies: at most 5,000."
        )}
        allowed={allowed}
        fields={
          <>
            <Field
              name="since"
              label={t("Since")}
              required
              type="datetime-local"
              value={formatMinute(serviceTime.peek() - 3_600_000)}
            />
            <Field name="until" label={t("Until")} type="datetime-local" hint={t("Without it: now.")} />
          </>
        }
        request={({ since, until }) => ({
          path: `${path}/replay`,
          body: { since: toInstant(since) ?? since, until: toInstant(until) ?? until }
        })}
        done={({ data: { replayed } }) => (
          <p>
            {replayed === 0
              ? t("There was no event in this time.")
              : t("{count} event is sent again.|{count} events are sent again.", { count: replayed })}
          </p>
        )}
      />
    </>
  )
}

/** One act that sends everything that the endpoint has not received. Its button is shown as long as a kept delivery has failed. */
const ReplayFailed = ({ endpoint: { active, id } }: OfEndpoint) => {
  const hasFailed = useHasFailed(id)
  return (
    <Action<ReplayedFailed>
      label={t("Send all that failed again")}
      does={t(
        "Each event that failed and has not arrived is sent to this endpoint once more, with the same id and body: at most 5,000, the oldest first. What is still tried goes on by its schedule."
      )}
      allowed={
        active && hasFailed === true && (isOperator() ? allowOperator("support") : allowMerchant("developer", "admin"))
      }
      tone="main"
      note={isOperator() ? "optional" : undefined}
      request={(filled) => ({ path: `${makeEndpointsPath(id)}/replay-failed`, body: filled })}
      done={({ data: { remaining, replayed } }) => (
        <p>
          {replayed === 0
            ? t("Everything that failed has arrived since, or is on its way.")
            : t("{count} event will be sent again.|{count} events will be sent again.", { count: replayed })}
          {remaining > 0 && (
            <>
              {" "}
              {t("{count} more event failed: do it again for it.|{count} more events failed: do it again for them.", {
                count: remaining
              })}
            </>
          )}
        </p>
      )}
    />
  )
}

const EndpointSettings = ({ endpoint }: OfEndpoint) => {
  const { route } = useLocation()
  const { active, id, url } = endpoint
  const path = `/v1/notifications/webhooks/${id}`
  const mayChange = allowMerchant("developer", "admin")
  return (
    <>
      <Action
        label={active ? t("Deactivate") : t("Activate")}
        title={active ? t("Deactivate this endpoint") : t("Activate this endpoint")}
        does={
          active
            ? t("Events are no longer sent, and pending deliveries are cancelled. Use replay to send them later.")
            : t("The events that happen from now on are sent. Use replay for earlier ones.")
        }
        allowed={mayChange}
        tone={active ? "plain" : "main"}
        request={() => ({ path, method: "PATCH", body: { active: !active } })}
      />
      <Action
        label={t("Change")}
        title={t("Change this endpoint")}
        does={t("Deliveries from now on go by the new settings.")}
        allowed={mayChange}
        fields={<EndpointFields of={endpoint} />}
        request={(filled) => ({ path, method: "PATCH", body: makeEndpointBody(filled) })}
      />
      <Action<WebhookEndpointWithSecret>
        label={t("Rotate secret")}
        title={t("Rotate the signing secret")}
        does={t(
          "A new secret is shown once. For 24 hours deliveries are signed with both, so that the receiver has time to change."
        )}
        allowed={allowMerchant("admin")}
        request={() => ({ path: `${path}/rotate-secret`, body: {} })}
        done={({ data }) => showSecret(data)}
      />
      <Action
        label={t("Delete")}
        title={t("Delete this endpoint")}
        does={t("Nothing is sent to {url} any more, and pending deliveries fail. This cannot be undone.", { url })}
        allowed={allowMerchant("admin")}
        tone="danger"
        request={() => ({ path, method: "DELETE" })}
        done={() => route(to("/webhooks"))}
      />
    </>
  )
}

export const EndpointPage = () => {
  const { id = "" } = useRoute().params
  const { event_type, from, status, until } = useQuery().query
  const loaded = useLoad<WebhookEndpoint & Partial<MerchantWebhookEndpoint>>(makeEndpointsPath(id), { every: 15 })
  const health = useHealth(id)
  const endpoint = loaded.answer.value?.data
  const isFiltered = [event_type, from, status, until].some((one) => one !== undefined)
  return (
    <Page
      title={t("Webhook endpoint")}
      lead={
        <>
          <Id id={id} href={null} /> {endpoint && <HealthView of={endpoint} />}
        </>
      }
      actions={
        endpoint && (
          <>
            <ReplayFailed endpoint={endpoint} />
            {!isOperator() && (
              <>
                <SendingSwitch endpoint={endpoint} />
                <EndpointSettings endpoint={endpoint} />
              </>
            )}
          </>
        )
      }
    >
      <Card title={t("Details")}>
        <Show of={loaded}>{(body) => <BodyFacts body={{ ...body }} link={isOperator()} />}</Show>
      </Card>
      <Show of={health}>{(found) => <HealthByType of={found} />}</Show>
      <h2>{t("Deliveries")}</h2>
      <Filters
        of={[
          byStatus(deliveryStatuses),
          { name: "event_type", label: t("Event type"), placeholder: "offramp.success" },
          ...period
        ]}
      />
      <Card flush>
        <DeliveryList
          endpoint={{ id, active: endpoint?.active ?? false }}
          query={{ status, event_type, created_after: findDayStart(from), created_before: findDayEnd(until) }}
          empty={[
            isFiltered ? t("No delivery matches") : t("Nothing was sent here yet"),
            isFiltered
              ? t("Change or clear the filters.")
              : isOperator()
                ? t("Its merchant can send a ping.")
                : endpoint?.active === false
                  ? t("Activate the endpoint, then send a ping.")
                  : t("Send a ping to try it.")
          ]}
        />
      </Card>
    </Page>
  )
}
