/** A beneficiary: `pending` until screened, then `active` (decisions 7); screened again when whom or where it is paid changes. */
import { assign, setup } from "xstate"
import { lifecycle } from "./kernel/lifecycle.ts"
import { outcomes } from "./kernel/outcome.ts"
import type { CryptoDetails, FiatDetails } from "./parties.ts"

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
  /** Cleared by the provider as it stands: at creation, at its last change, or since. */
  readonly screened: boolean
}

export type BeneficiaryEvent =
  | { readonly type: "update"; readonly patch: Partial<BeneficiaryData> }
  | { readonly type: "provider.screened"; readonly cleared: boolean }

const machine = setup({
  types: { context: {} as BeneficiaryData, events: {} as BeneficiaryEvent, input: {} as BeneficiaryData },
  actions: {
    ...outcomes,
    updated: assign(({ event }) => (event.type === "update" ? event.patch : {})),
    cleared: assign({ screened: true })
  },
  guards: {
    screened: ({ context }) => context.screened,
    cleared: ({ event }) => event.type === "provider.screened" && event.cleared,
    // An update that moves the money elsewhere carries the word of its own screening.
    passed: ({ event }) => event.type === "update" && event.patch.screened === true,
    deferred: ({ event }) => event.type === "update" && event.patch.screened === false
  }
}).createMachine({
  id: "beneficiary",
  version: "1",
  context: ({ input }) => input,
  initial: "entering",
  states: {
    entering: { always: [{ guard: "screened", target: "active" }, { target: "pending" }] },
    pending: {
      on: {
        update: [{ guard: "passed", target: "active", actions: "updated" }, { actions: "updated" }],
        "provider.screened": { guard: "cleared", target: "active", actions: "cleared" }
      }
    },
    active: {
      on: { update: [{ guard: "deferred", target: "pending", actions: "updated" }, { actions: "updated" }] }
    }
  }
})

export const Beneficiary = lifecycle<BeneficiaryData, BeneficiaryEvent>("beneficiary", machine)
