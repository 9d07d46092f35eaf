/** The spans of jobs and of deliveries. */
import { Clock, Effect } from "effect"
import { Kinds } from "../commit/kind.ts"
import { type Published, PublishedTraces } from "../commit/observed-storage.ts"
import { resourceIdOfJob } from "../commit/steps.ts"
import type { Job, TraceMark } from "../ports/Storage.ts"
import { continueTrace, setAttributes, isTraced, TraceBegan, runInSpan, formatTraceparent } from "../ports/tracing.ts"
import type { Delivery, WebhookSink } from "../ports/WebhookSink.ts"

/**
 * Makes the function that runs a job in a span. A job continues the trace of the commit that made it while that is recent;
 * later, its trace is its own, with a link to that commit.
 */
export const makeTracedJobs = Effect.gen(function* () {
  const { ofId } = yield* Kinds
  const published = yield* PublishedTraces

  const inSpan = Effect.fnUntraced(function* <A, E>(job: Job, work: Effect.Effect<A, E>) {
    // The event that a job delivers. Undefined: the job is no delivery, or its event is not stored.
    const event =
      job.queue === "delivery" && job.payload !== undefined ? (JSON.parse(job.payload) as Published) : undefined
    const ofJob = job.body["trace"] ?? published.ofClaim(job.lease ?? "")
    const mark = event === undefined ? ofJob : yield* published.recall(job.merchant_id, event)
    const { began, ...place } = continueTrace(mark as TraceMark | undefined, yield* Clock.currentTimeMillis)
    const subject = event?.event_object_id ?? resourceIdOfJob(job)
    const { operation, name } = job.body
    const run = runInSpan(
      () => ({
        name: "corridor.job",
        kind: "consumer",
        ...place,
        attributes: {
          "corridor.job_id": job.id,
          "corridor.queue": job.queue,
          "corridor.attempt": job.attempt,
          "corridor.operation": operation ?? name,
          "corridor.merchant_id": job.merchant_id,
          "corridor.resource_id": subject,
          "corridor.movement_id": ofId(subject)?.transaction === undefined ? undefined : subject
        }
      }),
      () => work
    )
    return yield* Effect.provideService(run, TraceBegan, began)
  })

  return <A, E>(job: Job, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.withFiber((fiber) => (isTraced(fiber) ? inSpan(job, work) : work))
})

/** Delivers an event once, in a span. The span has only the host of the endpoint's URL, because a URL may contain a secret. */
export const traceDelivery = (job: Job, delivery: Delivery, { deliver }: Pick<WebhookSink["Service"], "deliver">) =>
  runInSpan(
    () => {
      const { hostname, port } = new URL(delivery.url)
      const { event_id, event_type } = job.body
      return {
        name: "corridor.delivery",
        kind: "client",
        attributes: {
          "corridor.event_id": event_id,
          "corridor.event_type": event_type,
          "corridor.endpoint_id": job.partition_key,
          "corridor.attempt": job.log.length + 1,
          "http.request.method": "POST",
          "server.address": hostname,
          "server.port": port === "" ? undefined : Number(port)
        }
      }
    },
    (span) =>
      span === undefined
        ? deliver(delivery)
        : Effect.tap(deliver({ ...delivery, traceparent: formatTraceparent(span) }), ({ response_status }) =>
            Effect.sync(() => setAttributes(span, { "http.response.status_code": response_status ?? undefined }))
          ),
    ({ error, response_status }) => (error === null ? undefined : String(response_status ?? "NoResponse"))
  )
