/** One webhook endpoint: its settings, its health, its deliveries, and sending again. */
import type {
  MerchantWebhookEndpoint,
  ReplayedFailed,
  WebhookEndpoint,
  WebhookEndpointWithSecret
} from "../../../client/generated/resources.ts"
import { useLocation, useRoute } from "preact-iso"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { useQuery } from "../../frame/location.ts"
import { allowMerchant, allowOperator, session } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field } from "../../parts/field.tsx"
import { Filters, byStatus, dayEnd, dayStart, period } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { Card, Page } from "../../parts/page.tsx"
import { Show } from "../../parts/states.tsx"
import { BodyFacts } from "../resource/body.tsx"
import { DeliveryList } from "./deliveries.tsx"
import { endpointsPath, HealthByType, HealthView, useHasFailed, useHealth } from "./health.tsx"
import { endpointBody, EndpointFields, shownSecret } from "./endpoints.tsx"
import { counted } from "../../parts/text.ts"
import { deliveryStatuses } from "../../parts/vocabulary.ts"

interface OfEndpoint {
  readonly endpoint: WebhookEndpoint
}

const isoOf = (local: string | undefined): string | undefined =>
  local === undefined || Number.isNaN(Date.parse(local)) ? local : new Date(local).toISOString()

/** A time to the minute, in the reader's zone, as a field of that type takes it. */
const localMinute = (ms: number): string => {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const Sending = ({ endpoint: { id, active } }: OfEndpoint) => {
  const path = `/v1/notifications/webhooks/${id}`
  const allowed = active && allowMerchant("developer", "admin")
  return (
    <>
      <Action
        label="Send a ping"
        does="A signed event of type ping is sent to this endpoint, once. Its delivery appears below."
        allowed={allowed}
        request={() => ({ path: `${path}/ping`, body: {} })}
      />
      <Action<{ readonly replayed: number }>
        label="Replay by time"
        does="The events of the endpoint's categories in this time are sent again, with the same ids and bodies: at most 5,000."
        allowed={allowed}
        fields={
          <>
            <Field
              name="since"
              label="Since"
              required
              type="datetime-local"
              value={localMinute(Date.now() - 3_600_000)}
            />
            <Field name="until" label="Until" type="datetime-local" hint="Without it: now." />
          </>
        }
        request={({ since, until }) => ({
          path: `${path}/replay`,
          body: { since: isoOf(since), ...(until === undefined ? {} : { until: isoOf(until) }) }
        })}
        done={({ data: { replayed } }) => (
          <p>{replayed === 0 ? "There was no event in this time." : `${replayed} events are sent again.`}</p>
        )}
      />
    </>
  )
}

/** One act for all that the endpoint has not got. Its button stands there for as long as a kept delivery has failed. */
const ReplayFailed = ({ endpoint: { active, id } }: OfEndpoint) => {
  const hasFailed = useHasFailed(id)
  const isOperator = session.value?.type === "operator"
  return (
    <Action<ReplayedFailed>
      label="Send all that failed again"
      does="Each event that failed and has not arrived is sent to this endpoint once more, with the same id and body: at most 5,000, the oldest first. What is still tried goes on by its schedule."
      allowed={
        active && hasFailed === true && (isOperator ? allowOperator("support") : allowMerchant("developer", "admin"))
      }
      tone="main"
      {...(isOperator ? { note: "optional" as const } : {})}
      request={(filled) => ({ path: `${endpointsPath(id)}/replay-failed`, body: filled })}
      done={({ data: { remaining, replayed } }) => (
        <p>
          {replayed === 0
            ? "Everything that failed has arrived since, or is on its way."
            : `${counted(replayed, "event")} will be sent again.`}
          {remaining > 0 && ` ${counted(remaining, "more event")} failed: do it again for them.`}
        </p>
      )}
    />
  )
}

const Settings = ({ endpoint }: OfEndpoint) => {
  const { route } = useLocation()
  const { active, id, url } = endpoint
  const path = `/v1/notifications/webhooks/${id}`
  const mayChange = allowMerchant("developer", "admin")
  return (
    <>
      <Action
        label={active ? "Deactivate" : "Activate"}
        title={`${active ? "Deactivate" : "Activate"} this endpoint`}
        does={
          active
            ? "Events are no longer sent, and pending deliveries are cancelled. Use replay to send them later."
            : "The events that happen from now on are sent. Use replay for earlier ones."
        }
        allowed={mayChange}
        tone={active ? "plain" : "main"}
        request={() => ({ path, method: "PATCH", body: { active: !active } })}
      />
      <Action
        label="Change"
        title="Change this endpoint"
        does="Deliveries from now on go by the new settings."
        allowed={mayChange}
        fields={<EndpointFields of={endpoint} />}
        request={(filled) => ({ path, method: "PATCH", body: endpointBody(filled) })}
      />
      <Action<WebhookEndpointWithSecret>
        label="Rotate secret"
        title="Rotate the signing secret"
        does="A new secret is shown once. For 24 hours deliveries are signed with both, so that the receiver has time to change."
        allowed={allowMerchant("admin")}
        request={() => ({ path: `${path}/rotate-secret`, body: {} })}
        done={({ data }) => shownSecret(data)}
      />
      <Action
        label="Delete"
        title="Delete this endpoint"
        does={`Nothing is sent to ${url} any more, and pending deliveries fail. This cannot be undone.`}
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
  const loaded = useLoad<WebhookEndpoint & Partial<MerchantWebhookEndpoint>>(endpointsPath(id), { every: 15 })
  const health = useHealth(id)
  const endpoint = loaded.answer.value?.data
  const isFiltered = [event_type, from, status, until].some((one) => one !== undefined)
  const isOperator = session.value?.type === "operator"
  return (
    <Page
      title="Webhook endpoint"
      lead={
        <>
          <Id id={id} href={null} /> {endpoint && <HealthView of={endpoint} />}
        </>
      }
      actions={
        endpoint && (
          <>
            <ReplayFailed endpoint={endpoint} />
            {!isOperator && (
              <>
                <Sending endpoint={endpoint} />
                <Settings endpoint={endpoint} />
              </>
            )}
          </>
        )
      }
    >
      <Card title="Details">
        <Show of={loaded}>{(body) => <BodyFacts body={{ ...body }} link={isOperator} />}</Show>
      </Card>
      <Show of={health}>{(found) => <HealthByType of={found} />}</Show>
      <h2>Deliveries</h2>
      <Filters
        of={[
          byStatus(deliveryStatuses),
          { name: "event_type", label: "Event type", placeholder: "offramp.success" },
          ...period
        ]}
      />
      <Card flush>
        <DeliveryList
          endpoint={{ id, active: endpoint?.active ?? false }}
          query={{ status, event_type, created_after: dayStart(from), created_before: dayEnd(until) }}
          empty={[
            isFiltered ? "No delivery matches" : "Nothing was sent here yet",
            isFiltered
              ? "Change or clear the filters."
              : isOperator
                ? "Its merchant can send a ping."
                : endpoint?.active === false
                  ? "Activate the endpoint, then send a ping."
                  : "Send a ping to try it."
          ]}
        />
      </Card>
    </Page>
  )
}
