/** An external account: a place where money really is, `active` until it is `closed` (EXTERNAL-1). */
import { assign, setup } from "xstate"
import { lifecycle, outcomes } from "../kernel/lifecycle.ts"

export const externalAccountKinds = ["bank", "chain"] as const
export const identifierSchemes = ["iban", "bban", "account_number", "address"] as const
export const externalAccountUses = ["payouts", "payins"] as const

/** What a statement calls an account. `network`: of an address; null for the other schemes. */
export interface PlaceIdentifier {
  readonly scheme: (typeof identifierSchemes)[number]
  readonly value: string
  readonly network: string | null
}

/** `balance`: minor units as decimal integer text, below zero for an overdraft, at the begin of `date` (`YYYY-MM-DD`). */
export interface OpeningBalance {
  readonly date: string
  readonly balance: string
}

/** `provider`: the name under which the store has its books. `time_zone`: of the IANA database. */
export interface ExternalAccountData {
  readonly provider: string
  readonly currency: string
  readonly kind: (typeof externalAccountKinds)[number]
  readonly identifiers: ReadonlyArray<PlaceIdentifier>
  readonly opening: OpeningBalance
  readonly time_zone: string
  readonly uses: ReadonlyArray<(typeof externalAccountUses)[number]>
}

/** Each replaces members: the same change may close an account, or use a closed one again. */
export interface ExternalAccountEvent {
  readonly type: "update" | "close" | "reopen"
  readonly patch: Partial<Pick<ExternalAccountData, "identifiers" | "opening" | "time_zone" | "uses">>
}

const machine = setup({
  types: { context: {} as ExternalAccountData, events: {} as ExternalAccountEvent, input: {} as ExternalAccountData },
  actions: { ...outcomes, patched: assign(({ context, event }) => ({ ...context, ...event.patch })) }
}).createMachine({
  id: "external_account",
  version: "1",
  context: ({ input }) => input,
  initial: "active",
  states: {
    active: { on: { update: { actions: "patched" }, close: { target: "closed", actions: "patched" } } },
    closed: { on: { reopen: { target: "active", actions: "patched" } } }
  }
})

export const ExternalAccount = lifecycle<ExternalAccountData, ExternalAccountEvent>("external_account", machine)
