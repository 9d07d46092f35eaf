/**
 * A webhook endpoint: inactive until the merchant switches it on; switched off by the merchant, by a receiver that says
 * it is gone, or after days of failures without one acknowledged delivery (WEBHOOK-13).
 */
import { assign, setup } from "xstate"
import { lifecycle } from "../kernel/lifecycle.ts"
import { outcomes } from "../kernel/outcome.ts"

/** A sealed signing secret. `until`: epoch milliseconds it signs to; null on the current one. */
export interface EndpointSecret {
  readonly sealed: string
  readonly until: number | null
}

export interface WebhookEndpointData {
  readonly url: string
  readonly description: string | null
  readonly categories: ReadonlyArray<string>
  /** The current one first, then those a rotation has left behind, newest first. */
  readonly secrets: ReadonlyArray<EndpointSecret>
  /**
   * When deliveries began to fail with none acknowledged since, later by the time in which nothing was attempted; null while
   * the last word was an acknowledgement.
   */
  readonly failing_since: number | null
  /** The last failure that was written down: an hour old at most while they go on. */
  readonly failed_at?: number | null
  /** How many failed since then; not counted beyond {@link FAILURES_MIN}. */
  readonly failures?: number
  /** Why we switched it off; null when the merchant did, and while it is on. */
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

/** An endpoint is not switched off for fewer failures, however long ago the first was (WEBHOOK-13). */
export const FAILURES_MIN = 10

const well = { failing_since: null, failed_at: null, failures: 0 } as const

/** How long a rotated secret signs beside its successor. */
export const ROTATION_MS = 24 * 60 * 60 * 1000

/** Rotated secrets kept at most, however often one rotates in a day: each lengthens every signature. */
const PREVIOUS_MAX = 4

const rotated = (secrets: ReadonlyArray<EndpointSecret>, sealed: string, at: number): ReadonlyArray<EndpointSecret> => [
  { sealed, until: null },
  ...secrets
    .map((secret) => ({ ...secret, until: secret.until ?? at + ROTATION_MS }))
    .filter(({ until }) => until > at)
    .slice(0, PREVIOUS_MAX)
]

const machine = setup({
  types: { context: {} as WebhookEndpointData, events: {} as WebhookEndpointEvent, input: {} as WebhookEndpointData },
  guards: {
    activates: ({ event }) => event.type === "update" && event.active === true,
    deactivates: ({ event }) => event.type === "update" && event.active === false
  },
  actions: {
    ...outcomes,
    patch: assign(({ event }) => (event.type === "update" ? event.patch : {})),
    rotate: assign(({ context, event }) =>
      event.type === "rotate" ? { secrets: rotated(context.secrets, event.sealed, event.at) } : {}
    ),
    begin: assign({ ...well, deactivated_for: null }),
    failing: assign(({ context, event }) =>
      event.type === "delivery.failed"
        ? {
            failing_since: event.since,
            failed_at: event.at,
            failures: Math.min((context.failures ?? 0) + 1, FAILURES_MIN)
          }
        : {}
    ),
    acknowledged: assign(well),
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
        rotate: { actions: "rotate" },
        delete: { target: "deleted", actions: "forget" }
      }
    },
    active: {
      on: {
        update: [{ guard: "deactivates", target: "inactive", actions: "patch" }, { actions: "patch" }],
        rotate: { actions: "rotate" },
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
