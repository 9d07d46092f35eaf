/** Callbacks: signed, repeated until they are acknowledged, and the same events as in the list. */
import { type Case, needs } from "../case.ts"
import { until } from "../clock.ts"
import type { CallbackDelivery } from "../callbacks.ts"
import { toCanonicalText } from "../journal.ts"
import type { Trial } from "../trial.ts"
import { drawPayout } from "./fixtures.ts"

const readContent = ({ body }: CallbackDelivery): string => {
  try {
    return toCanonicalText(JSON.parse(body))
  } catch {
    return body
  }
}

const requireListener = (trial: Trial) => trial.bench.callbacks ?? trial.unjudged("the kit does not listen")

export const callbackCases: ReadonlyArray<Case> = [
  {
    id: "callbacks/outcome",
    rule: "The outcome of an accepted payout is sent to Corridor.",
    why: "Corridor waits for it. Without it the customer waits until somebody looks the payout up.",
    needs: [needs.callbacks, needs.payouts],
    run: async (trial) => {
      const callbacks = requireListener(trial)
      const command = drawPayout(trial)
      const result = await trial.taken(command)
      await trial.success(command)
      if (result["status"] !== "accepted") return trial.unjudged("the payout was settled at once")
      const resource_id = String(command.members["resource_id"])
      const found = await until(trial.bench.waits.callback_ms, async () =>
        callbacks.deliveries.find(({ body }) => body.includes(`"${resource_id}"`))
      )
      if (found === undefined)
        trial.fail(
          `No callback names ${resource_id} within ${trial.bench.waits.callback_ms / 1000} s. Does the connector send them to the address of --callback-listen?`
        )
    }
  },
  {
    id: "callbacks/signed",
    rule: "Each callback is a POST of one event, signed with the shared secret at the time of sending.",
    why: "Corridor drops what is not signed: the outcome is then learned late, by a lookup.",
    needs: [needs.callbacks],
    phase: "end",
    run: async (trial) => {
      const { deliveries } = requireListener(trial)
      if (deliveries.length === 0) return trial.unjudged("no callback came")
      const bad = deliveries.find(({ fault }) => fault !== null)
      if (bad !== undefined) trial.fail(`A callback to ${bad.path} is not valid: ${bad.fault}. Its body: ${bad.body}`)
    }
  },
  {
    id: "callbacks/repeated",
    rule: "A callback that was not acknowledged with 200 is sent again, after a failure and after a cut connection, until it is.",
    why: "Corridor may be down for a moment. An outcome that is sent once is lost with it.",
    needs: [needs.callbacks],
    phase: "end",
    run: async (trial) => {
      const callbacks = requireListener(trial)
      const { callback_ms } = trial.bench.waits
      if (callbacks.refused.length === 0) return trial.unjudged("no callback came that was not acknowledged")
      const pending = () => callbacks.refused.filter(({ event_id }) => callbacks.of(event_id ?? "").length < 2)
      await until(callback_ms, async () => (pending().length === 0 ? true : undefined))
      const [lost] = pending()
      if (lost !== undefined)
        trial.fail(
          `${pending().length} of ${callbacks.refused.length} events that were not acknowledged were not sent again within ${callback_ms / 1000} s, such as ${lost.event_id}, which ${lost.reception === "failed" ? "was answered 503" : "had its connection cut"}. If the pause is longer, raise --callback-within.`
        )
    }
  },
  {
    id: "callbacks/same-content",
    rule: "An event that is sent again has the same id and the same content.",
    why: "Corridor counts an id once: other content under it is never seen, or counts as another payment.",
    needs: [needs.callbacks],
    phase: "end",
    run: async (trial) => {
      const first = new Map<string, CallbackDelivery>()
      for (const delivery of requireListener(trial).deliveries) {
        const before = first.get(delivery.event_id ?? "")
        if (before === undefined) first.set(delivery.event_id ?? "", delivery)
        else if (readContent(before) !== readContent(delivery))
          trial.fail(`The event ${delivery.event_id} was ${before.body} and is ${delivery.body}.`)
      }
      if (first.size === 0) trial.unjudged("no callback came")
    }
  },
  {
    id: "callbacks/same-as-list",
    rule: "Callbacks and the readable list have the same events: each of the list is sent, with the same content.",
    why: "Corridor reads the list for what a callback missed. An event with another id there counts twice.",
    needs: [needs.callbacks, needs.events],
    phase: "end",
    run: async (trial) => {
      const callbacks = requireListener(trial)
      const { follower, waits } = trial.bench
      const events = (await follower?.readOn()) ?? []
      const unsent = () => events.filter(({ id }) => callbacks.of(id).length === 0)
      await until(waits.callback_ms, async () => (unsent().length === 0 ? true : undefined))
      const [lost] = unsent()
      if (lost !== undefined)
        trial.fail(
          `${unsent().length} of ${events.length} events of the list were not sent within ${waits.callback_ms / 1000} s, such as ${lost.id}.`
        )
      for (const event of events) {
        const sent = callbacks.of(event.id)[0]
        const { operation: _, ...listed } = event
        const { operation: __, ...posted } = JSON.parse(sent?.body ?? "{}") as Record<string, unknown>
        if (toCanonicalText(listed) !== toCanonicalText(posted))
          trial.fail(
            `The event ${event.id} is ${toCanonicalText(listed)} in the list, and was sent as ${toCanonicalText(posted)}.`
          )
      }
    }
  }
]
