/** What the adapter keeps in its books. Amounts are integers of the token's smallest unit, as decimal text. */
import type { MovementOutcome } from "../../../engine/ports/Provider.ts"
import type { RowKey } from "../../../engine/ports/Storage.ts"
import { entryKey } from "../chain/books.ts"
import type { RefundAmounts, Reservations } from "../chain/refunds.ts"

/**
 * A signed transaction. It is recorded before a node gets it, so whatever is on the chain is in the books.
 *
 * `signature` is its id on the chain. `wire` is the transaction in base64. No block above `last_valid_block_height` can
 * contain it. No block at or before `from_slot` does.
 */
export interface SolanaAttempt {
  readonly signature: string
  readonly wire: string
  readonly last_valid_block_height: number
  readonly from_slot: number
  /** It is proven that it moved no tokens and never will. */
  readonly absent?: true
  /** What it cost in lamports, with the rent of the accounts that it opened, once it is final. */
  readonly cost?: string
}

/**
 * How a transfer ended. `slot`: that of the transaction; null: nothing was signed. `seen_at`: the finalized slot of the
 * reading that found it; null: it was found by a submission or a look-up.
 */
export interface Ended {
  readonly outcome: MovementOutcome
  readonly slot: number | null
  readonly seen_at: number | null
}

/**
 * A transfer of tokens out of an account of the platform: the payment of a command, or a sweep.
 *
 * `currency` and `amount` are those of the last signature; empty and 0: nothing was signed.
 *
 * Law: at most one of `attempts` is not `absent`. It is the last one.
 */
export interface SolanaOutgoing {
  readonly purpose: "payout" | "refund" | "sweep"
  readonly command_id: string
  readonly merchant_id: string
  readonly resource_id: string
  readonly currency: string
  readonly amount: string
  readonly attempts: ReadonlyArray<SolanaAttempt>
  readonly ended: Ended | null
  /** Submissions up to this number of `attempt` came too late: a look-up has said that they were not executed. */
  readonly void_through: number
  /** The look-ups that found nothing. Each changes the entry, so that a submission that began before it fails. */
  readonly lookups: number
}

/** An issued address. `key_ref` names the key that owns it. */
export interface IssuedAddress {
  readonly id: string
  readonly address: string
  readonly key_ref: string
  readonly merchant_id: string
  /** The number of ended sweeps of each token account. */
  readonly swept: { readonly [account: string]: number }
  /** Token accounts that could not be read completely, and the slot above which each must be read. */
  readonly behind?: { readonly [account: string]: number }
  /** Token accounts that an operator has read again, and the slot above which each is still to be read. */
  readonly again?: { readonly [account: string]: number }
  /** What confirmed pay-ins brought to each token account, less what counted sweeps took. */
  readonly unswept: { readonly [account: string]: string }
}

/**
 * A payment to an issued address, from the moment a node first showed it.
 *
 * `slot` is where it was seen last. `seen_height` is at least the block height at which it was seen first. `confirmed_at` and
 * `failed_at` are the finalized slots of the readings that found that it is final, or that it is not on the chain.
 */
export interface SeenPayin {
  readonly payin_id: string
  readonly signature: string
  readonly account: string
  readonly target: string
  readonly currency: string
  readonly amount: string
  readonly from_address: string | null
  /** To whom a refund goes; null: that is not certain. Absent: an earlier build has recorded it, and named whoever gave most. */
  readonly payer?: string | null
  /** Epoch milliseconds. */
  readonly observed_at: number
  readonly slot: number
  readonly seen_height: number
  readonly confirmed_at: number | null
  readonly failed_at: number | null
  readonly refunds: RefundAmounts
  readonly reserved?: Reservations
}

export type EntryKind =
  | "solana_outgoing"
  | "solana_address"
  | "solana_payin"
  | "solana_transaction"
  | "solana_statement"

/**
 * Makes the key of an entry of a provider. Several providers can share a store, and a command can reach one after another, so the
 * id of the row names the provider.
 */
export const solanaKey = (provider: string, kind: EntryKind, id: string): RowKey => entryKey(kind, `${provider}/${id}`)

/** Makes the index key of all entries of a provider. */
export const toProviderKey = (provider: string): string => `adapter=${provider}`
export const isOpen = "open=yes"

/** Makes the index keys of an entry. `open`: it still waits for the chain or for the engine. */
export const toIndexKeys = (provider: string, open: boolean): ReadonlyArray<string> =>
  open ? [toProviderKey(provider), isOpen] : [toProviderKey(provider)]

export const findLiveAttempt = ({ attempts }: SolanaOutgoing): SolanaAttempt | undefined =>
  attempts.find(({ absent }) => absent === undefined)
