/** A limit on what may move: by whom, how much, how often, in which window (LIMITS-1). */
import { assign, setup } from "xstate"
import type { Tier } from "../parties/customer.ts"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"
import { controlledWords } from "./approval-rule.ts"

export const limitScopes = ["platform", "merchant", "customer", "wallet", "beneficiary", "api_key"] as const
export type LimitScope = (typeof limitScopes)[number]

/** The acts that a limit counts: those that controls name, and `deposit`, what arrives, of tiers alone. */
export const limitOperations = [...controlledWords, "deposit"] as const
export type LimitOperation = (typeof limitOperations)[number]

const ofMerchants: ReadonlyArray<LimitScope> = ["platform", "merchant"]
const ofKeys: ReadonlyArray<LimitScope> = [...ofMerchants, "api_key"]
const ofWallets: ReadonlyArray<LimitScope> = [...ofKeys, "customer", "wallet"]
const ofPayees: ReadonlyArray<LimitScope> = [...ofWallets, "beneficiary"]
const ofDeposits: ReadonlyArray<LimitScope> = [...ofMerchants, "customer", "wallet"]

/**
 * The scopes to which the acts of a word count: their rows name one of these, or the platform's operators do them and no key. In any other scope a
 * limit would count nothing. A batch pays out of many wallets: its rows count there, as what they become.
 */
export const countedScopes: Readonly<Record<LimitOperation, ReadonlyArray<LimitScope>>> = {
  transfer: ofPayees,
  offramp: ofPayees,
  payout: ofPayees,
  onramp: ofWallets,
  conversion: ofWallets,
  batch: ofKeys,
  adjusting_entry: ofMerchants,
  exception_credit: ofDeposits,
  deposit_release: ofDeposits,
  deposit: ["customer"],
  break_resolution: ["platform"],
  limit: ["platform"],
  approval_rule: ofKeys,
  fee_schedule: ofMerchants,
  operator: ["platform"],
  api_key: ofKeys,
  merchant: ofMerchants,
  brake_release: ["platform"]
}

export const limitCalendars = ["day", "week", "month"] as const

/**
 * `movement`: each act by itself. `rolling`: the time before an act, an ISO 8601 duration. `calendar`: the day, week (from Monday) or
 * month of an IANA time zone. `total`: all time, of tiers alone.
 */
export type LimitWindow =
  | "movement"
  | "total"
  | { readonly rolling: string }
  | { readonly calendar: (typeof limitCalendars)[number]; readonly time_zone: string }

export const limitActions = ["refuse", "approve"] as const

export interface LimitData {
  readonly scope: LimitScope
  /** What it is of. Null: each of its scope by itself, or the platform. */
  readonly scope_id: string | null
  /** The merchant of `scope_id`. Null without one. */
  readonly merchant_id: string | null
  /** Customers of this tier alone. Null for other limits. */
  readonly tier: Tier | null
  readonly operations: ReadonlyArray<LimitOperation>
  /** The currency of `max_amount`. */
  readonly currency: string | null
  /** Minor units, decimal integer text. */
  readonly max_amount: string | null
  readonly max_count: number | null
  readonly window: LimitWindow
  readonly action: (typeof limitActions)[number]
  /** Present if it was disabled when it was made. */
  readonly begins?: "disabled"
}

/** Each replaces members: the same change may disable a limit, or enable it again. */
export interface LimitEvent {
  readonly type: "update" | "disable" | "enable"
  readonly patch: Partial<Pick<LimitData, "max_amount" | "max_count" | "operations" | "action">>
}

const machine = setup({
  types: { context: {} as LimitData, events: {} as LimitEvent, input: {} as LimitData },
  actions: { ...outcomes, patched: assign(({ context, event }) => ({ ...context, ...event.patch })) },
  guards: { isDisabled: ({ context }) => context.begins === "disabled" }
}).createMachine({
  id: "limit",
  version: "1",
  context: ({ input }) => input,
  initial: "made",
  states: {
    made: { always: [{ guard: "isDisabled", target: "disabled" }, { target: "active" }] },
    active: { on: { update: { actions: "patched" }, disable: { target: "disabled", actions: "patched" } } },
    disabled: { on: { update: { actions: "patched" }, enable: { target: "active", actions: "patched" } } }
  }
})

export const Limit = lifecycle<LimitData, LimitEvent>("limit", machine)
