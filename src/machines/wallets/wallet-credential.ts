/**
 * A wallet credential: bank details or an on-chain address that fund a wallet, in its own currency or in another one
 * that is converted on arrival (CREDENTIAL-2, AUTOCONVERT-2). The provider issues it; the operator freezes, unfreezes
 * and disables it.
 */
import { assign, setup } from "xstate"
import { endedTag, issue, issued, issuedLate, lifecycle, outcomes, stopIssue } from "../kernel/lifecycle.ts"

export interface WalletCredentialData {
  /** The provider that issues it. Absent on rows that were written before this member existed. */
  readonly provider?: string
  readonly wallet_id: string
  readonly type: "crypto" | "fiat"
  readonly currency: string
  /** Distinguishes currencies with the same code. Null for a currency that no single country issues. */
  readonly country_code: string | null
  readonly network: string
  /** The wallet's own currency. If it differs from the credential's, what arrives is converted. */
  readonly wallet_currency: string
  /** The name of the account holder. */
  readonly holder: string
  readonly label: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** The target of pay-ins, and the details for a payer. Null until issued. */
  readonly target: string | null
  readonly details: Readonly<Record<string, string | null>> | null
  readonly provider_resource_id: string | null
}

export type WalletCredentialEvent =
  | {
      readonly type: "provider.issued"
      readonly target: string
      readonly details: Readonly<Record<string, string | null>>
      readonly provider_resource_id: string
    }
  | { readonly type: "freeze" }
  | { readonly type: "unfreeze" }
  | { readonly type: "disable" }

/** Whether a credential's pay-ins are converted into the wallet's currency (AUTOCONVERT-2). */
export const converts = ({
  currency,
  wallet_currency
}: Pick<WalletCredentialData, "currency" | "wallet_currency">): boolean => currency !== wallet_currency

const machine = setup({
  types: {
    context: {} as WalletCredentialData,
    events: {} as WalletCredentialEvent,
    input: {} as WalletCredentialData
  },
  actions: {
    ...outcomes,
    issued: assign(({ event }) =>
      event.type === "provider.issued"
        ? { target: event.target, details: event.details, provider_resource_id: event.provider_resource_id }
        : {}
    )
  },
  guards: { unissued: ({ context }) => context.target === null }
}).createMachine({
  id: "wallet_credential",
  version: "1",
  context: ({ input }) => input,
  initial: "pending",
  states: {
    pending: {
      entry: issue,
      on: { "provider.issued": issued, disable: { target: "disabled", actions: stopIssue } }
    },
    active: { on: { freeze: "frozen", disable: "disabled" } },
    frozen: { on: { unfreeze: "active", disable: "disabled" } },
    disabled: { tags: [endedTag], on: { "provider.issued": issuedLate } }
  }
})

export const WalletCredential = lifecycle<WalletCredentialData, WalletCredentialEvent>("wallet_credential", machine)
