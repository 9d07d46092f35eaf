/**
 * A beneficiary: `pending` until it is screened, then `active`, or `blocked` when it is not cleared (BENEFICIARY-6,
 * BENEFICIARY-7). A change of its name or destination starts a new screening. A verdict applies only to the screening
 * that it names.
 */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"
import type { CryptoDetails, FiatDetails, PostalAddress } from "./summaries.ts"

/** The provider's verdict on a screening. */
export type BeneficiaryScreening = "awaited" | "cleared" | "refused"

export interface BeneficiaryData {
  /** The provider that screens it. Absent on rows that were written before this member existed. */
  readonly provider?: string
  readonly customer_id: string
  readonly name: string
  readonly label: string | null
  readonly type: "fiat" | "crypto"
  readonly currency: string
  /** Absent on rows that were written before beneficiaries had one. */
  readonly address?: PostalAddress | null
  /** Why it is paid, in a code of its bank or regulator: of `fiat` only. Absent on rows that were written before this member existed. */
  readonly purpose_code?: string | null
  readonly details: FiatDetails | CryptoDetails
  /**
   * The name of the holder that the client gave for the account, which `name_match` is about; null: it is about `name`. Absent with
   * crypto, and on rows that were written before names were compared.
   */
  readonly given_account_name?: string | null
  readonly metadata: Readonly<Record<string, string>>
  readonly merchant_reference: string | null
  /** The id of the screening of its current name and details. Each change of them has a new one. */
  readonly screening_id: string
  readonly screening: BeneficiaryScreening
}

export type BeneficiaryEvent =
  | { readonly type: "update"; readonly patch: Partial<BeneficiaryData> }
  | { readonly type: "provider.screened"; readonly screening_id: string; readonly cleared: boolean }

interface GuardArgs {
  readonly context: BeneficiaryData
  readonly event: BeneficiaryEvent
}

const isVerdict =
  (cleared: boolean) =>
  ({ context, event }: GuardArgs): boolean =>
    event.type === "provider.screened" && event.screening_id === context.screening_id && event.cleared === cleared

/** Makes the guard that passes for an update which sets the screening to this state. */
const isScreenedAs =
  (screening: BeneficiaryScreening) =>
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
    clears: isVerdict(true),
    refuses: isVerdict(false),
    screenedCleared: isScreenedAs("cleared"),
    screenedRefused: isScreenedAs("refused"),
    screeningAwaited: isScreenedAs("awaited")
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
