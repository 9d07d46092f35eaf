/**
 * A transfer: crypto from a wallet to a crypto beneficiary (interface, Transfers; decisions 9).
 *
 * `/v1` shows `processing` for every state but the last two: a retry or an unknown outcome stays inside it.
 */
import { setup } from "xstate"
import { available, clearing, type Posting, posting, reserved } from "../kernel/ledger.ts"
import { lifecycle } from "../kernel/lifecycle.ts"
import { outcomes } from "../kernel/outcome.ts"
import {
  beforeBelieving,
  beforeBelievingRejection,
  commandName,
  guards,
  lookupAfterGrace,
  lookupLater,
  notes,
  type Payout,
  type PayoutEvent,
  submitLater,
  submitNow
} from "../kernel/payout.ts"
import type {
  Beneficiary,
  CustomerSummary,
  Originator,
  PayoutDestination,
  SenderSummary,
  WalletSummary
} from "../parties/summaries.ts"

/** `amount` is in minor units. The parties are kept as they were when the transfer was made. */
export interface TransferData extends Payout {
  readonly reference: string
  readonly wallet_id: string
  readonly beneficiary_id: string
  readonly customer: CustomerSummary
  readonly wallet: WalletSummary
  readonly beneficiary: Beneficiary
  readonly destination: PayoutDestination
  /** Absent on rows that were made before there were senders. */
  readonly sender?: SenderSummary | null
  /** Absent like the sender. */
  readonly originator?: Originator
  readonly provider: string
  readonly amount: string
  readonly currency: string
  readonly network: string
  readonly metadata: Readonly<Record<string, string>>
}

type Told = { readonly context: TransferData }

const moved = (debit: Posting["debit"], credit: Posting["credit"], { amount, currency }: TransferData) =>
  posting(debit, credit, amount, currency)

const giveBack = {
  type: "post",
  params: ({ context: t }: Told) => moved(clearing(t.provider), available(t.wallet_id), t)
} as const
const because = (reason: string) => ({ type: "because", params: { reason } }) as const

const rejected = { target: "failed", actions: ["explained", giveBack] } as const
const stranded = {
  target: "failed",
  actions: [
    because("refund_failed"),
    { type: "post", params: ({ context: t }: Told) => moved(clearing(t.provider), "suspense", t) }
  ]
} as const

const endings = {
  "provider.succeeded": {
    target: "success",
    actions: ["hashed", { type: "post", params: ({ context: t }: Told) => moved(clearing(t.provider), "external", t) }]
  },
  "provider.failed": [...beforeBelievingRejection, rejected],
  "provider.cancelled": { target: "failed", actions: [because("cancelled"), giveBack] },
  "provider.reversed": { target: "failed", actions: [because("reversed"), giveBack] },
  "provider.returned": { target: "failed", actions: [because("reversed"), giveBack] },
  "provider.refund_failed": [...beforeBelievingRejection, stranded]
} as const

const outOfTime = { target: "failed", actions: [because("temporarily_unavailable"), giveBack] } as const
const later = { target: "waiting", actions: ["refused", submitLater] } as const

const answers = {
  ...endings,
  "provider.unavailable": [...beforeBelieving, { guard: "mayRetry", ...later }, outOfTime],
  "provider.absent": [
    { guard: "refused", ...rejected },
    { guard: "kept", ...stranded },
    { guard: "withinWindow", ...later },
    outOfTime
  ],
  "provider.unknown": { target: "unknown", actions: [lookupLater, "asked"] },
  "provider.pending": { target: "submitting", actions: [lookupLater, "asked"] }
} as const

const ended = { type: "cancel", params: { name: commandName } } as const

const machine = setup({
  types: { context: {} as TransferData, events: {} as PayoutEvent, input: {} as TransferData },
  actions: { ...outcomes, ...notes },
  guards
}).createMachine({
  id: "transfer",
  version: "1",
  context: ({ input }) => input,
  initial: "queued",
  states: {
    queued: {
      entry: [
        { type: "post", params: ({ context: t }) => moved(available(t.wallet_id), reserved(t.wallet_id), t) },
        { type: "publish", params: { type: "processing" } },
        submitNow
      ],
      on: {
        "payout.begun": {
          target: "submitting",
          actions: [
            "began",
            { type: "post", params: ({ context: t }) => moved(reserved(t.wallet_id), clearing(t.provider), t) },
            lookupAfterGrace
          ]
        },
        "payout.blocked": {
          target: "failed",
          actions: [
            because("failed"),
            { type: "post", params: ({ context: t }) => moved(reserved(t.wallet_id), available(t.wallet_id), t) }
          ]
        }
      }
    },
    submitting: { on: answers },
    unknown: { on: answers },
    waiting: {
      on: {
        ...endings,
        "payout.begun": { target: "submitting", actions: ["began", lookupAfterGrace] },
        "payout.blocked": { target: "failed", actions: [because("failed"), giveBack] }
      }
    },
    success: { type: "final", entry: [ended, { type: "publish", params: { type: "success" } }] },
    failed: { type: "final", entry: [ended, { type: "publish", params: { type: "failed" } }] }
  }
})

export const Transfer = lifecycle<TransferData, PayoutEvent>("transfer", machine)
