/** How an endpoint does, by its newest deliveries: one that fails is not simply active. */
import type { WebhookDelivery, WebhookEndpoint } from "../../../client/generated/resources.ts"
import { serviceTime } from "../../frame/clock.ts"
import { useLoad } from "../../frame/load.ts"
import { StatusPill } from "../../parts/status.tsx"
import { percent } from "../../parts/text.ts"
import { Ago } from "../../parts/time.tsx"

type Deliveries = ReadonlyArray<WebhookDelivery>

const hourMs = 3_600_000

/** A whole hour, so that the address of the request is the same for all reads of an hour. */
const dayAgo = (): string => new Date((Math.floor(serviceTime.value / hourMs) - 24) * hourMs).toISOString()

export const HealthView = ({ of: { active, id } }: { readonly of: WebhookEndpoint }) => {
  const useDeliveries = (query: string | null): Deliveries | undefined =>
    useLoad<Deliveries>(
      query === null ? null : `/v1/notifications/webhooks/${encodeURIComponent(id)}/deliveries?${query}`,
      { every: 30 }
    ).answer.value?.data
  const tried = (useDeliveries("per_page=50") ?? []).filter(({ attempts }) => attempts.length > 0)
  const delivered = tried.filter(({ status }) => status === "delivered")
  const last = tried.flatMap(({ attempts }) => attempts).toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]
  const isFailing = last !== undefined && last.error !== null
  // Since when is asked only of one that fails.
  const [older] = useDeliveries(isFailing ? `created_before=${dayAgo()}&per_page=1` : null) ?? []
  const [succeeded] = useDeliveries(isFailing ? "status=delivered&per_page=1" : null) ?? []
  const isFailingLong =
    isFailing && typeof older?.attempts.at(-1)?.error === "string" && older.created_at > (succeeded?.created_at ?? "")
  return (
    <>
      {!active ? (
        <StatusPill status="inactive" />
      ) : isFailing ? (
        <StatusPill status={isFailingLong ? "failing_for_a_day" : "failing"} tone={isFailingLong ? "bad" : "warn"} />
      ) : (
        <StatusPill status="active" />
      )}
      {last !== undefined && (
        <div class="dim">
          Last answer {last.response_status === null ? last.error : `HTTP ${last.response_status}`} <Ago at={last.at} />{" "}
          · {percent(String(delivered.length / tried.length))} of the last {tried.length} delivered
        </div>
      )}
    </>
  )
}
