/**
 * A beneficiary: `pending` until screened, then `active`, or `blocked` where it was not cleared (BENEFICIARY-6,
 * BENEFICIARY-7). A change of whom or where it is paid is another screening, and a verdict counts for the screening it
 * names.
 */
import { assign, setup } from "xstate"
import { lifecycle } from "../kernel/lifecycle.ts"
import { outcomes } from "../kernel/outcome.ts"
import type { CryptoDetails, FiatDetails } from "./summaries.ts"

/** What the provider has said of a screening. */
export type Screening = "awaited" | "cleared" | "refused"

export interface BeneficiaryData {
  /** Who screened it last, or is about to. Absent on rows of before it was kept. */
  readonly provider?: string
  readonly customer_id: string
  readonly name: string
  readonly label: string | null
  readonly type: "fiat" | "crypto"
  readonly currency: string
  readonly details: FiatDetails | CryptoDetails
  readonly metadata: Readonly<Record<string, string>>
  readonly merchant_reference: string | null
  /** The screening of its name and details as they stand: each change of them has another. */
  readonly screening_id: string
  readonly screening: Screening
}

export type BeneficiaryEvent =
  | { readonly type: "update"; readonly patch: Partial<BeneficiaryData> }
  | { readonly type: "provider.screened"; readonly screening_id: string; readonly cleared: boolean }

interface GuardArgs {
  readonly context: BeneficiaryData
  readonly event: BeneficiaryEvent
}

const verdict =
  (cleared: boolean) =>
  ({ context, event }: GuardArgs): boolean =>
    event.type === "provider.screened" && event.screening_id === context.screening_id && event.cleared === cleared

/** An update that moves the money elsewhere carries its own screening. */
const screenedAs =
  (screening: Screening) =>
  ({ event }: GuardArgs): boolean =>
    event.type === "update" && event.patch.screening === screening

const update = [
  { guard: "screenedCleared", target: "active", actions: "updated" },
  { guard: "screenedRefused", target: "blocked", actions: "updated" },
  { guard: "screeningAwaited", target: "pending", actions: "updated" },
  { actions: "updated" }
] as const

const refused = { guard: "refuses", target: "blocked", actions: "refused" } as const

const machine = setup({
  types: { context: {} as BeneficiaryData, events: {} as BeneficiaryEvent, input: {} as BeneficiaryData },
  actions: {
    ...outcomes,
    updated: assign(({ event }) => (event.type === "update" ? event.patch : {})),
    cleared: assign({ screening: "cleared" }),
    refused: assign({ screening: "refused" })
  },
  guards: {
    cleared: ({ context }) => context.screening === "cleared",
    refused: ({ context }) => context.screening === "refused",
    clears: verdict(true),
    refuses: verdict(false),
    screenedCleared: screenedAs("cleared"),
    screenedRefused: screenedAs("refused"),
    screeningAwaited: screenedAs("awaited")
  }
}).createMachine({
  id: "beneficiary",
  version: "1",
  context: ({ input }) => input,
  initial: "entering",
  states: {
    entering: {
      always: [{ guard: "cleared", target: "active" }, { guard: "refused", target: "blocked" }, { target: "pending" }]
    },
    pending: {
      on: { update, "provider.screened": [{ guard: "clears", target: "active", actions: "cleared" }, refused] }
    },
    active: { on: { update, "provider.screened": refused } },
    blocked: { on: { update } }
  }
})

export const Beneficiary = lifecycle<BeneficiaryData, BeneficiaryEvent>("beneficiary", machine)
