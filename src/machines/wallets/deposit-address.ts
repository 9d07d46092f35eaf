/**
 * A deposit address. The provider issues it, the operator freezes it, and the merchant disables it (ADDRESS-1,
 * ADDRESS-7 to ADDRESS-10).
 */
import { assign, setup } from "xstate"
import { endedTag, issue, issued, issuedLate, lifecycle, outcomes, stopIssue } from "../kernel/lifecycle.ts"
import type { WalletSummary } from "../parties/summaries.ts"

export interface DepositAddressData {
  /** The provider that issues it. Absent on rows that were written before this member existed. */
  readonly provider?: string
  readonly wallet_id: string
  readonly wallet: WalletSummary
  readonly currency: string
  readonly network: string
  readonly label: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** Null until issued. */
  readonly address: string | null
  readonly provider_resource_id: string | null
  readonly disabled_reason: string | null
}

export type DepositAddressEvent =
  | { readonly type: "provider.issued"; readonly target: string; readonly provider_resource_id: string }
  | { readonly type: "disable"; readonly reason: string | null }
  | { readonly type: "freeze" }
  | { readonly type: "unfreeze" }

const disable = { target: "disabled", actions: ["explained", stopIssue] } as const

const machine = setup({
  types: { context: {} as DepositAddressData, events: {} as DepositAddressEvent, input: {} as DepositAddressData },
  actions: {
    ...outcomes,
    issued: assign(({ event }) =>
      event.type === "provider.issued"
        ? { address: event.target, provider_resource_id: event.provider_resource_id }
        : {}
    ),
    explained: assign(({ event }) => (event.type === "disable" ? { disabled_reason: event.reason } : {}))
  },
  guards: { unissued: ({ context }) => context.address === null }
}).createMachine({
  id: "deposit_address",
  version: "1",
  context: ({ input }) => input,
  initial: "pending",
  states: {
    pending: { entry: issue, on: { "provider.issued": issued, disable } },
    active: { on: { disable, freeze: "frozen" } },
    frozen: { on: { unfreeze: "active" } },
    disabled: { tags: [endedTag], on: { "provider.issued": issuedLate } }
  }
})

export const DepositAddress = lifecycle<DepositAddressData, DepositAddressEvent>("deposit_address", machine)
