/** What the adapter keeps in its books. Amounts are in the token's units, as text; fees are in wei. */
import type { Hex } from "viem"
import type { PayinEvent, ProviderEvent, StatementLine } from "../../../engine/ports/Provider.ts"
import type { SigningPurpose } from "../../../engine/ports/Signer.ts"
import type { RowKey } from "../../../engine/ports/Storage.ts"
import type { EntryWrite } from "../books.ts"
import { entryKey } from "../chain/books.ts"
import type { RefundAmounts, Reservations } from "../chain/refunds.ts"
import type { EvmConfig } from "./config.ts"

/**
 * The hot wallet on one chain. Adapters with the same wallet and chain share it. `next_nonce`: the lowest nonce that was
 * never given to a transaction. `open`: the number of transactions that are not settled; `committed`: what they move, by
 * token. `settled_at`: the final block by which the latest one was settled.
 */
export interface EvmWallet {
  readonly next_nonce: number
  readonly open: number
  readonly committed: { readonly [token: Hex]: string }
  readonly settled_at: number
}

/** A signed transaction. It is recorded before it is broadcast, and never removed. */
export interface EvmAttempt {
  readonly hash: Hex
  readonly raw: Hex
  readonly max_fee: string
  readonly tip: string
  /** `cancel`: a self-transfer, which only uses up the nonce. */
  readonly kind: "call" | "cancel"
  /** Epoch milliseconds. */
  readonly at: number
}

/** The token transfer that a transaction is to make. `decimals`: those of the token, which may be configured no more. An earlier release has none. */
export interface EvmTransfer {
  readonly currency: string
  readonly token: Hex
  readonly to: Hex
  readonly amount: string
  readonly decimals?: number
}

/**
 * How the nonce of a slot was used, by a final transaction.
 *
 * - `done`: the call of the slot was made. `paid`: what the recipient of its transfer got. The transaction may be foreign: a
 *   person replaced ours by one that pays the recipient.
 * - `reverted`: our transaction failed, and moved nothing.
 * - `unused`: by another transaction, ours that cancels or a foreign one, that paid the recipient nothing.
 */
export interface SlotOutcome {
  readonly result: "done" | "reverted" | "unused"
  readonly hash: Hex
  readonly block: number
  readonly paid: string
  readonly fee: string
}

/**
 * One nonce of the wallet, and every transaction that we signed for it. `waits_for`: earlier nonces, which may pay the same work; until
 * they are settled, this one is not sent. `is_void`: one of them has paid, and this one is only to be used up.
 */
export interface Slot {
  /** The adapter that took it. */
  readonly name: string
  readonly wallet: Hex
  readonly nonce: number
  readonly purpose: SigningPurpose
  /** The command, or the adapter's own work. */
  readonly work_id: string
  readonly call: { readonly to: Hex; readonly data: Hex; readonly gas: number }
  readonly transfer: EvmTransfer | null
  readonly sweep: { readonly token: Hex; readonly addresses: ReadonlyArray<Hex> } | null
  readonly attempts: readonly [EvmAttempt, ...ReadonlyArray<EvmAttempt>]
  /** A block before any use of the nonce. */
  readonly from_block: number
  readonly outcome: SlotOutcome | null
  readonly again?: Reopened
  readonly waits_for?: ReadonlyArray<number>
  readonly is_void?: true
}

/**
 * That a slot was opened again, at `at`, because the final block that settled it was replaced. `told`: what was told of it. `times`: how
 * often it was opened again.
 */
export interface Reopened {
  readonly told: SlotOutcome
  readonly at: number
  readonly times: number
}

/**
 * A command of the engine. `nonce`: the slot that executes it; null when none does. `fenced`: of a payout, the attempt through which
 * `absent` was reported; submissions up to it no longer execute; of a refund, the number of these reports, less one. -1: none.
 * `rejected`: why a refund will never be made.
 */
export interface EvmPayment {
  readonly purpose: "payout" | "refund"
  readonly merchant_id: string
  readonly resource_id: string
  readonly nonce: number | null
  readonly fenced: number
  readonly rejected?: string
  /** The pay-in of a refund that an earlier build has signed: it counts in `refunded`. */
  readonly payin_id?: string | null
}

/**
 * A deposit. It stays `detected` while its block is no longer in the chain, because it may be mined again. `sender` and
 * `sender_nonce` are those of its transaction. `credited`: it was confirmed before, in a block that was final and was replaced. `told`: how
 * often it was told to be confirmed or to have failed. Absent: never, or an earlier build has told it. `seen_at`: when it was last seen in
 * another block than before, or in a final one that was replaced. Absent: `detected_at`, as an earlier build has it.
 */
export interface EvmPayin {
  readonly payin_id: string
  readonly status: "detected" | "confirmed" | "failed"
  readonly currency: string
  readonly token: Hex
  readonly amount: string
  readonly from: Hex
  readonly to: Hex
  readonly hash: Hex
  readonly block: number
  readonly block_hash: Hex
  readonly sender: Hex | null
  readonly sender_nonce: number | null
  readonly detected_at: number
  /** Absent: an earlier build has written the pay-in. */
  readonly refunds?: RefundAmounts
  readonly reserved?: Reservations
  /** What refunds that an earlier build has signed take together. */
  readonly refunded?: string
  readonly credited: boolean
  /** Those of the token, which may be configured no more. Absent: an earlier release has written the pay-in. */
  readonly decimals?: number
  readonly told?: number
  readonly seen_at?: number
}

/**
 * A deposit address. `unswept`: what confirmed deposits brought, less what left in the blocks that the feed has passed: what it
 * holds at the feed's final block. `sweeping`: the nonce of the sweep under way. `swept_at`: the block of the last one that is
 * settled. `sweep_after`: epoch milliseconds.
 */
export interface EvmAddress {
  readonly address: Hex
  readonly salt: Hex
  /** The hot wallet that gets its money. */
  readonly destination: Hex
  readonly merchant_id: string
  readonly resource_id: string
  readonly unswept: { readonly [token: Hex]: string }
  readonly sweeping: number | null
  readonly swept_at?: number
  readonly sweep_after: number
  readonly failures: number
}

/**
 * A final transfer from a deposit address to its destination, no matter who had it made. `gone`: it is not in the books; its block was replaced,
 * or is still to be passed. `due`: it is booked when
 * the feed passes its block, whether or not nodes list it, if its receipt still has it.
 */
export interface Outflow {
  readonly outflow_id: string
  readonly address: Hex
  readonly token: Hex
  readonly value: string
  readonly block: number
  readonly gone: boolean
  readonly due?: true
}

/**
 * A final transfer of the hot wallet that has a line: it gets no other, also where its block is replaced and has it again. `gone`: a second
 * line has taken it back. `told`: how often it has a line. Absent: once. `nonce`: that of the hot wallet which made it, with its latest `line`:
 * an earlier release has neither.
 */
export interface WalletTransfer {
  readonly transfer_id: string
  readonly block: number
  readonly gone?: true
  readonly told?: number
  readonly nonce?: number
  readonly line?: StatementLine
}

export interface BlockMark {
  readonly number: number
  readonly hash: Hex
  /** Its time, in epoch milliseconds. Absent where it was not recorded. */
  readonly at?: number
}

/** What the hot wallet had at a final block, by token. `at`: the time of the block, in epoch milliseconds. */
export interface FirstHolding {
  readonly block: number
  readonly at: number
  readonly held: { readonly [token: Hex]: string }
}

/** An address that holds more of a token than its deposits say. */
export interface BalanceDifference {
  readonly address: Hex
  readonly token: Hex
  /** What the books do not have, in the token's units. */
  readonly missing: string
}

/**
 * Why reading stands still: since `since` (epoch milliseconds), the deposits up to a final block do not explain what an address
 * holds. `back`: how many blocks were read again to find what is missing; `back_at`: when the last of these readings began.
 */
export interface Doubt extends BalanceDifference {
  readonly since: number
  readonly back: number
  readonly back_at: number
}

/** Final blocks that are to be read again, both inclusive, the latest first. `hash`: of the block `to`. */
export interface Again {
  readonly from: number
  readonly to: number
  readonly hash?: Hex
  /** Begun by a doubt, and ended with it. Absent: an operator asked for it. */
  readonly isDoubted?: true
}

/** Final blocks that were replaced, after one up to another with this hash: what was booked in them is to be taken back before more is read. */
export interface Replaced {
  readonly after: number
  readonly last: number
  readonly hash: Hex
}

/**
 * How far the chain is read. `final`: the last block whose deposits are confirmed. `finals`: such blocks before it, and
 * `marks`: heads that were read since, the latest first. `next`: the number of the next report. `first`: where it began, and `opening`:
 * what was there. `lined_after`: the block after which transfers of the hot wallet are lines; a feed of an earlier release has it once it
 * moves. `partial`: the reports from this number on are of blocks after `final`, which are not booked completely.
 */
export interface Feed {
  readonly replaced?: Replaced
  readonly first: number
  readonly doubt?: Doubt | null
  readonly again?: Again | null
  readonly next: number
  readonly opening?: FirstHolding
  readonly lined_after?: number
  readonly partial?: number
  readonly final: BlockMark
  readonly finals: ReadonlyArray<BlockMark>
  readonly marks: ReadonlyArray<BlockMark>
}

/** What the engine is told, and what the statement shows, in the order of their numbers. */
export interface EvmReport {
  readonly event: ProviderEvent | null
  readonly lines: ReadonlyArray<StatementLine>
}

export type EvmKind =
  | "evm_wallet"
  | "evm_slot"
  | "evm_payment"
  | "evm_payin"
  | "evm_outflow"
  | "evm_transfer"
  | "evm_address"
  | "evm_feed"
  | "evm_report"

export interface EvmKey extends RowKey {
  readonly kind: EvmKind
}

const toKey = (kind: EvmKind, id: string): EvmKey => entryKey(kind, id)

/** Confirmed deposits are found by groups of so many blocks. */
const blocksOfGroup = 1000

const toBlockGroup = (block: number): number => Math.floor(block / blocksOfGroup)

/** Makes the keys, index keys and writes of the entries of one adapter with one hot wallet. */
export const makeEntries = ({ chain_id, name }: EvmConfig, wallet: Hex) => {
  const keys = {
    wallet: toKey("evm_wallet", `${chain_id}:${wallet}`),
    slot: (nonce: number) => toKey("evm_slot", `${chain_id}:${wallet}:${nonce}`),
    payment: (command_id: string) => toKey("evm_payment", `${name}:${command_id}`),
    payin: (payin_id: string) => toKey("evm_payin", `${name}:${payin_id}`),
    outflow: (outflow_id: string) => toKey("evm_outflow", `${name}:${outflow_id}`),
    transfer: (transfer_id: string) => toKey("evm_transfer", `${name}:${transfer_id}`),
    address: (address: Hex) => toKey("evm_address", `${name}:${address}`),
    feed: toKey("evm_feed", name),
    report: (number: number) => toKey("evm_report", `${name}:${number}`)
  }
  const groupsOf = (index_key: string, first: number, last: number): ReadonlyArray<string> =>
    Array.from(
      { length: Math.max(0, toBlockGroup(last) - toBlockGroup(first) + 1) },
      (_, offset) => `${index_key}=${name}:${toBlockGroup(first) + offset}`
    )
  /** The index keys by which open work is found. */
  const index = {
    open: `open=${name}`,
    detected: `detected=${name}`,
    confirmedIn: (block: number) => `confirmed_in=${name}:${toBlockGroup(block)}`,
    /** The keys of the deposits that were confirmed in these blocks. Blocks are grouped, so there may be more. */
    confirmedBetween: (first: number, last: number) => groupsOf("confirmed_in", first, last),
    leftIn: (block: number) => `left_in=${name}:${toBlockGroup(block)}`,
    leftBetween: (first: number, last: number) => groupsOf("left_in", first, last),
    ofNonce: (nonce: number) => `nonce=${name}:${wallet}:${nonce}`,
    due: `due=${name}`,
    unswept: `unswept=${name}`
  }
  const write = (entry: EvmKey, data: object, index_keys: ReadonlyArray<string> = []): EntryWrite<EvmKey> => ({
    key: entry,
    data,
    index_keys
  })
  return {
    keys,
    index,
    writes: {
      wallet: (data: EvmWallet) => write(keys.wallet, data),
      slot: (data: Slot) => write(keys.slot(data.nonce), data, data.outcome === null ? [index.open] : []),
      payment: (command_id: string, data: EvmPayment) => write(keys.payment(command_id), data),
      payin: (data: EvmPayin) =>
        write(
          keys.payin(data.payin_id),
          data,
          data.status === "detected"
            ? [index.detected]
            : data.status === "confirmed"
              ? [index.confirmedIn(data.block)]
              : []
        ),
      outflow: (data: Outflow) =>
        write(
          keys.outflow(data.outflow_id),
          data,
          data.due ? [index.due] : data.gone ? [] : [index.leftIn(data.block)]
        ),
      transfer: (data: WalletTransfer) =>
        write(keys.transfer(data.transfer_id), data, data.nonce === undefined ? [] : [index.ofNonce(data.nonce)]),
      address: (data: EvmAddress) =>
        write(
          keys.address(data.address),
          data,
          Object.values(data.unswept).some((units) => BigInt(units) > 0n) ? [index.unswept] : []
        ),
      /** The feed with more reports, and the reports. */
      reports: (feed: Feed, reports: ReadonlyArray<EvmReport>): ReadonlyArray<EntryWrite<EvmKey>> => [
        write(keys.feed, { ...feed, next: feed.next + reports.length }),
        ...reports.map((report, offset) => write(keys.report(feed.next + offset), report))
      ]
    }
  }
}

export type Entries = ReturnType<typeof makeEntries>

export const newWallet: EvmWallet = { next_nonce: 0, open: 0, committed: {}, settled_at: 0 }

/** Adds an amount to the sum of one token. Returns the new sums. */
export const addToSum = (sums: { readonly [token: Hex]: string }, token: Hex, by: bigint) => ({
  ...sums,
  [token]: (BigInt(sums[token] ?? "0") + by).toString()
})

export type PayinStage = PayinEvent["stage"]
