/**
 * A transfer: crypto from a wallet to a crypto beneficiary (TRANSFER-1, TRANSFER-6).
 *
 * `/v1` shows `processing` for every state but the last two: retries and unknown outcomes are not shown.
 */
import { assign, setup } from "xstate"
import { available, clearing, makePosting, world } from "../kernel/ledger.ts"
import { cancel, lifecycle, outcomes, post, publish } from "../kernel/lifecycle.ts"
import {
  because,
  commandName,
  compareSuccess,
  type Due,
  guards,
  lookupAfterGrace,
  notes,
  makeOutgoingActions,
  type Payout,
  type PayoutEvent,
  makeAnswerTransitions,
  type Reason,
  resubmitted,
  makeReturnActions,
  countShortage,
  submitNow
} from "../kernel/payout.ts"
import type { PayoutParties } from "../parties/summaries.ts"

/** `amount` is in minor units. */
export interface TransferData extends Payout, PayoutParties {
  readonly reference: string
  readonly amount: string
  readonly currency: string
  /** What the recipient got, set at success. Absent: `amount`. */
  readonly received_amount?: string
  readonly network: string
  readonly metadata: Readonly<Record<string, string>>
}

const money = makeOutgoingActions((t: TransferData) => ({
  account: available(t.wallet_id),
  provider: t.provider,
  amount: t.amount,
  currency: t.currency
}))

/** The amount that the provider was instructed to pay out. */
const toDue = ({ amount, currency }: TransferData): Due => ({ amount, currency })

const paid = post((t: TransferData) => [
  ...makePosting(clearing(t.provider), world(t.provider), t.received_amount ?? t.amount, t.currency),
  ...makePosting(clearing(t.provider), "suspense", countShortage(t), t.currency)
])

const { cameBack, lost } = makeReturnActions(toDue)

const failWith = (reason: Reason) => ({ target: "failed", actions: [reason, money.giveBack] }) as const

const { endings, answers } = makeAnswerTransitions({
  handOver: money.handOver,
  succeeded: { target: "success", actions: ["hashed", "received", paid] },
  failed: failWith,
  returned: { target: "failed", actions: [because("reversed"), "cameBack", money.giveBack, lost] },
  refundFailed: { target: "failed", actions: [because("refund_failed"), money.suspend] }
})

const machine = setup({
  types: { context: {} as TransferData, events: {} as PayoutEvent, input: {} as TransferData },
  actions: {
    ...outcomes,
    ...notes,
    cameBack,
    received: assign(({ context, event }) => {
      const discrepancy = compareSuccess(toDue(context), event.type === "provider.succeeded" ? event : {})
      return { discrepancy, received_amount: (BigInt(context.amount) - countShortage({ discrepancy })).toString() }
    })
  },
  guards
}).createMachine({
  id: "transfer",
  version: "1",
  context: ({ input }) => input,
  initial: "opening",
  states: {
    opening: {
      entry: [money.reserve, publish("processing")],
      always: [{ guard: "awaits", target: "approving" }, { target: "queued" }]
    },
    approving: {
      on: {
        "approval.approved": [
          { guard: "awaitsMore", actions: "approved" },
          { target: "queued", actions: "approved" }
        ],
        "approval.declined": { target: "failed", actions: [because("cancelled"), money.release] },
        // Nobody could approve what is paid to nobody.
        "payout.blocked": { target: "failed", actions: ["blocked", money.release] }
      }
    },
    queued: {
      entry: [submitNow],
      on: {
        "payout.begun": { target: "submitting", actions: ["began", money.submit, lookupAfterGrace] },
        "payout.blocked": { target: "failed", actions: ["blocked", money.release] }
      }
    },
    submitting: { on: answers },
    unknown: { on: answers },
    rerouted: { on: { "payout.begun": resubmitted, "payout.blocked": failWith("blocked") } },
    waiting: { on: { ...endings, "payout.begun": resubmitted, "payout.blocked": failWith("blocked") } },
    success: { type: "final", entry: [cancel(commandName), publish("success")] },
    failed: { type: "final", entry: [cancel(commandName), publish("failed")] }
  }
})

export const Transfer = lifecycle<TransferData, PayoutEvent>("transfer", machine)
