/**
 * An approval: an act that waits for other people (APPROVAL-2). It is `pending` until enough of them approve, one declines, its time is
 * over, or what it is about has ended (APPROVAL-13).
 *
 * An act of the API is then done, in the state `executing`, which `/v1` shows as `approved`; where it is refused by then, it can no longer
 * be done, and the approval is `expired`. A payout is decided in the same commit as its approval, so that nothing is left to do.
 */
import { assign, setup } from "xstate"
import { cancel, lifecycle, outcomes } from "../kernel/lifecycle.ts"
import type { ControlledAction } from "./approval-rule.ts"

/** Who made or decided something. `person` is the same for everything that one person calls with. Null: nobody is known. */
export interface Person {
  readonly id: string | null
  readonly name: string
  readonly person: string | null
}

interface GivenApproval {
  readonly by: Person
  readonly note: string | null
  /** Epoch milliseconds. */
  readonly at: number
}

/** An act of the API, as it was called. `input`: its path parameters and body, sealed. */
interface WaitingAct {
  readonly operation_id: string
  readonly input: string
  readonly request_id: string
  readonly if_match: string | null
  readonly operator: { readonly id: string | null; readonly name: string; readonly role: string } | null
  readonly key_id: string | null
  readonly role: string
  /** The sides that have approved it before. */
  readonly approved: ReadonlyArray<"operator" | "merchant">
  /** The limits that they were asked for. Absent: none. */
  readonly limits?: ReadonlyArray<string>
  /** The ids of what it makes, as its maker was told them. Absent: it makes nothing, or waits since before an upgrade to this release. */
  readonly ids?: ReadonlyArray<string>
  /** What it takes, by currency: nothing else is approved. */
  readonly taken: ReadonlyArray<readonly [minor: string, currency: string]>
}

export interface ApprovalData {
  /** Whose rule it is: the operators', or the merchant's own. */
  readonly side: "operator" | "merchant"
  readonly operation: ControlledAction
  /** The resource that the act is about. Null: the act makes it. */
  readonly resource_id: string | null
  /** What else the act takes, such as its quote or a break that ends with it: it can no longer be done when one of these ends. Absent: nothing. */
  readonly takes?: ReadonlyArray<string>
  readonly made_by: Person
  readonly approvals: ReadonlyArray<GivenApproval>
  readonly declined: GivenApproval | null
  readonly needed: number
  /** Of each rule that covers the act: who may approve. Empty: those who may do it. */
  readonly roles: ReadonlyArray<ReadonlyArray<string>>
  /** The limits over which the act is. Absent: none. */
  readonly limits?: ReadonlyArray<string>
  /** Epoch milliseconds. */
  readonly expires_at: number
  /** The amounts of the act, in minor units: one amount, stated in several currencies. */
  readonly amounts: ReadonlyArray<readonly [minor: string, currency: string]>
  /** The name of the recipient of a payout. Absent: the act has no recipient. */
  readonly recipient?: string
  /** The beneficiary that a payout pays. Absent: nobody, or its approval is of before. */
  readonly beneficiary_id?: string
  /** Null for a payout. */
  readonly act: WaitingAct | null
  /** Why the act was refused when it was approved, or can no longer be done. Null: neither. */
  readonly refusal: { readonly code: string; readonly message: string } | null
  /** Where the response of the act is. Absent before it is done. */
  readonly kept?: KeptResponse
}

/** The record of a call whose response its maker may read until `until`, epoch milliseconds. */
interface KeptResponse {
  readonly merchant_id: string
  readonly key: string
  readonly until: number
}

export const expiryTimer = "expiry"
export const forgetTimer = "forget"
const executeTimer = "execute"

/** How long after the last approval another process does the act, if the one that began it has not recorded its end. */
const recoveryMs = 30_000

export type ApprovalEvent =
  | { readonly type: "approve"; readonly given: GivenApproval }
  | { readonly type: "decline"; readonly given: GivenApproval }
  | { readonly type: "timer.expiry"; readonly at: number }
  /** What it is about has ended: the act can no longer be done. `refusal`: why. */
  | { readonly type: "ended"; readonly at: number; readonly refusal: NonNullable<ApprovalData["refusal"]> }
  | {
      readonly type: "executed"
      readonly resource_id: string | null
      readonly kept: KeptResponse
    }
  /** Its act can no longer be done. */
  | {
      readonly type: "refused"
      readonly at: number
      readonly refusal: NonNullable<ApprovalData["refusal"]>
      readonly kept: KeptResponse
    }

const machine = setup({
  types: { context: {} as ApprovalData, events: {} as ApprovalEvent, input: {} as ApprovalData },
  actions: {
    ...outcomes,
    approved: assign(({ context, event }) =>
      event.type === "approve" ? { approvals: [...context.approvals, event.given] } : {}
    ),
    declined: assign(({ event }) => (event.type === "decline" ? { declined: event.given } : {})),
    ended: assign(({ event }) => (event.type === "ended" ? { expires_at: event.at, refusal: event.refusal } : {})),
    done: assign(({ context, event }) =>
      event.type === "executed"
        ? {
            resource_id: context.resource_id ?? event.resource_id,
            kept: event.kept,
            act: null
          }
        : {}
    ),
    refused: assign(({ event }) =>
      event.type === "refused" ? { expires_at: event.at, refusal: event.refusal, kept: event.kept, act: null } : {}
    )
  },
  guards: {
    isLast: ({ context }) => context.approvals.length + 1 >= context.needed,
    isLastOfAct: ({ context }) => context.act !== null && context.approvals.length + 1 >= context.needed
  }
}).createMachine({
  id: "approval",
  version: "1",
  context: ({ input }) => input,
  initial: "pending",
  states: {
    pending: {
      entry: { type: "timer", params: ({ context }) => ({ name: expiryTimer, at: context.expires_at }) },
      on: {
        approve: [
          { guard: "isLastOfAct", target: "executing", actions: ["approved", cancel(expiryTimer)] },
          { guard: "isLast", target: "approved", actions: ["approved", cancel(expiryTimer)] },
          { actions: "approved" }
        ],
        decline: { target: "declined", actions: ["declined", cancel(expiryTimer)] },
        "timer.expiry": "expired",
        ended: { target: "expired", actions: ["ended", cancel(expiryTimer)] }
      }
    },
    executing: {
      entry: { type: "timer", params: { name: executeTimer, after_ms: recoveryMs } },
      exit: cancel(executeTimer),
      on: {
        executed: {
          target: "approved",
          actions: ["done", { type: "timer", params: ({ event }) => ({ name: forgetTimer, at: event.kept.until }) }]
        },
        refused: {
          target: "expired",
          actions: ["refused", { type: "timer", params: ({ event }) => ({ name: forgetTimer, at: event.kept.until }) }]
        }
      }
    },
    approved: { type: "final" },
    declined: { type: "final" },
    expired: { type: "final" }
  }
})

export const ApprovalLifecycle = lifecycle<ApprovalData, ApprovalEvent>("approval", machine)
