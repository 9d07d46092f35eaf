/**
 * A webhook endpoint: inactive until the merchant activates it. The merchant can deactivate it. The service deactivates
 * it when the receiver answers that it is gone, or after days of failures without an acknowledged delivery
 * (WEBHOOK-13).
 */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

/** A sealed signing secret. `until` is the end of its use, epoch milliseconds; null for the current secret. */
interface EndpointSecret {
  readonly sealed: string
  readonly until: number | null
}

export interface WebhookEndpointData {
  readonly url: string
  readonly description: string | null
  readonly categories: ReadonlyArray<string>
  /** The current secret first, then the rotated ones, newest first. */
  readonly secrets: ReadonlyArray<EndpointSecret>
  /**
   * When deliveries began to fail without an acknowledgement since. Time in which no delivery was attempted is added to
   * it. Null when the last delivery was acknowledged.
   */
  readonly failing_since: number | null
  /** The last recorded failure. While failures continue it is at most an hour old. */
  readonly failed_at?: number | null
  /** The number of failures since then, counted up to {@link FAILURES_MIN}. */
  readonly failures?: number
  /** Why the service deactivated it. Null when the merchant did, and while it is active. */
  readonly deactivated_for: "gone" | "failing" | null
}

export type WebhookEndpointEvent =
  | {
      readonly type: "update"
      readonly patch: Partial<Pick<WebhookEndpointData, "url" | "description" | "categories">>
      readonly active?: boolean
    }
  | { readonly type: "rotate"; readonly sealed: string; readonly at: number }
  | { readonly type: "delivery.failed"; readonly at: number; readonly since: number }
  | { readonly type: "delivery.acknowledged" }
  | { readonly type: "deactivate"; readonly reason: "gone" | "failing" }
  | { readonly type: "delete" }

/** The fewest failures for which an endpoint is deactivated, however long ago the first was (WEBHOOK-13). */
export const FAILURES_MIN = 10

const healthy = { failing_since: null, failed_at: null, failures: 0 } as const

/** How long a replaced secret still signs beside the new one. */
const ROTATION_MS = 24 * 60 * 60 * 1000

/** The most rotated secrets that sign at once, because each lengthens every signature. */
export const PREVIOUS_MAX = 4

/** The rotated secrets that still sign after a rotation at `at`, newest first. */
export const keepPreviousSecrets = (secrets: ReadonlyArray<EndpointSecret>, at: number) =>
  secrets.map(({ sealed, until }) => ({ sealed, until: until ?? at + ROTATION_MS })).filter(({ until }) => until > at)

const machine = setup({
  types: { context: {} as WebhookEndpointData, events: {} as WebhookEndpointEvent, input: {} as WebhookEndpointData },
  guards: {
    activates: ({ event }) => event.type === "update" && event.active === true,
    deactivates: ({ event }) => event.type === "update" && event.active === false,
    // No rotation ends the day of an earlier secret (WEBHOOK-7).
    hasRoom: ({ context, event }) =>
      event.type === "rotate" && keepPreviousSecrets(context.secrets, event.at).length <= PREVIOUS_MAX
  },
  actions: {
    ...outcomes,
    // What an address has failed says nothing of the next one.
    patch: assign(({ context, event }) =>
      event.type === "update"
        ? { ...event.patch, ...((event.patch.url ?? context.url) === context.url ? {} : healthy) }
        : {}
    ),
    rotate: assign(({ context, event }) =>
      event.type === "rotate"
        ? { secrets: [{ sealed: event.sealed, until: null }, ...keepPreviousSecrets(context.secrets, event.at)] }
        : {}
    ),
    begin: assign({ ...healthy, deactivated_for: null }),
    failing: assign(({ context, event }) =>
      event.type === "delivery.failed"
        ? {
            failing_since: event.since,
            failed_at: event.at,
            failures: Math.min((context.failures ?? 0) + 1, FAILURES_MIN)
          }
        : {}
    ),
    acknowledged: assign(healthy),
    switchedOff: assign(({ event }) => (event.type === "deactivate" ? { deactivated_for: event.reason } : {})),
    forget: assign({ secrets: [] })
  }
}).createMachine({
  id: "webhook_endpoint",
  version: "1",
  context: ({ input }) => input,
  initial: "inactive",
  states: {
    inactive: {
      on: {
        update: [{ guard: "activates", target: "active", actions: ["patch", "begin"] }, { actions: "patch" }],
        rotate: { guard: "hasRoom", actions: "rotate" },
        delete: { target: "deleted", actions: "forget" }
      }
    },
    active: {
      on: {
        update: [{ guard: "deactivates", target: "inactive", actions: "patch" }, { actions: "patch" }],
        rotate: { guard: "hasRoom", actions: "rotate" },
        "delivery.failed": { actions: "failing" },
        "delivery.acknowledged": { actions: "acknowledged" },
        deactivate: { target: "inactive", actions: "switchedOff" },
        delete: { target: "deleted", actions: "forget" }
      }
    },
    deleted: { type: "final" }
  }
})

export const WebhookEndpoint = lifecycle<WebhookEndpointData, WebhookEndpointEvent>("webhook_endpoint", machine)
