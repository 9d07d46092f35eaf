/** Pay-ins: their ids, what is recorded of them, and what the engine is told. */
import { concatHex, type Hex, keccak256, numberToHex } from "viem"
import type { PayinEvent } from "../../../engine/ports/Provider.ts"
import { formatTokenAmount } from "../chain/tokens.ts"
import type { FoundTransfer, Receipt, TransferLog } from "./chain.ts"
import { type EvmConfig, toChecksumAddress, type TokenContract } from "./config.ts"
import type { EvmPayin, PayinStage, EvmReport } from "./entries.ts"

/** `arrived`: what it brought, where that is less than its `value` (`arrivals.ts`). */
export interface Found extends FoundTransfer {
  readonly payin_id: string
  readonly arrived?: string
}

/** Gives transfers the ids of their pay-ins. `transfers`: all of a transaction, in order. */
export const assignPayinIds = <T extends TransferLog & Pick<FoundTransfer, "transaction_hash">>(
  transfers: ReadonlyArray<T>
): ReadonlyArray<T & Pick<Found, "payin_id">> => {
  const counts = new Map<string, number>()
  return transfers.map((one) => {
    const what = keccak256(
      concatHex([one.token, one.from, one.to, numberToHex(BigInt(one.value), { size: 32 })])
    ).slice(2, 18)
    const name = `${one.transaction_hash}.${what}`
    const place = counts.get(name) ?? 0
    counts.set(name, place + 1)
    return { ...one, payin_id: `${name}.${place}` }
  })
}

/** Describes the place of a transfer on the chain, for a line of the statement. */
export const describeLogPlace = ({ block, index }: Pick<FoundTransfer, "block" | "index">): string =>
  `block ${block}, log ${index}`

/** Lists the transfers of a transaction from its receipt, with the ids of their pay-ins. */
export const listReceiptTransfers = (transaction_hash: Hex, { block, transfers }: Receipt) =>
  assignPayinIds(transfers.map((one) => ({ ...one, transaction_hash, block })))

/**
 * The id of a transfer by the hot wallet, which has one transaction with a nonce on any chain: it is the same in another transaction with
 * this nonce. `payin_id`: its id as a transfer of its transaction.
 */
export const toNonceId = (payin_id: string, nonce: number): string => payin_id.replace(/^[^.]*/, `nonce ${nonce}`)

/** Whether a transaction that was mined brought a pay-in: it may revert, or move another amount, where it is mined again. */
export const isInReceipt = ({ hash, payin_id }: Pick<EvmPayin, "hash" | "payin_id">, receipt: Receipt): boolean =>
  listReceiptTransfers(hash, receipt).some((one) => one.payin_id === payin_id)

/** Counts one more report of a pay-in, confirmed or failed, and sets its status. Reports of an earlier release had ids without a number. */
export const countReport = (payin: EvmPayin, status: "confirmed" | "failed"): EvmPayin => ({
  ...payin,
  status,
  told: (payin.told ?? (payin.status === "detected" && !payin.credited ? 0 : 1)) + 1
})

/** Makes the functions that build a pay-in from a transfer, and its report. */
export const makePayins = (config: EvmConfig) => {
  const tokens = new Map<Hex, TokenContract>(config.tokens.map((token) => [token.address, token]))

  /** The decimals of a pay-in. Undefined: an earlier release did not record them, and its token is configured no more. */
  const decimalsOf = ({ decimals, token }: EvmPayin): number | undefined => decimals ?? tokens.get(token)?.decimals

  const eventOf = (stage: PayinStage, payin: EvmPayin): PayinEvent => ({
    _tag: "payin",
    // What has failed can return, and be removed again: the same word is news each time.
    event_id: [payin.payin_id, stage, ...((payin.told ?? 0) > 1 ? [payin.told] : [])].join(":"),
    payin_id: payin.payin_id,
    stage,
    target: toChecksumAddress(payin.to),
    amount: formatTokenAmount(BigInt(payin.amount), decimalsOf(payin)!),
    currency: payin.currency,
    network: config.network,
    transaction_hash: payin.hash,
    from_address: toChecksumAddress(payin.from),
    sender: null,
    narration: null,
    observed_at: payin.detected_at
  })

  /** `at`: when it was detected, confirmed or taken back. `place`: where the chain has it. Undefined: it has it no more. */
  const reportOf = (
    stage: PayinStage,
    payin: EvmPayin,
    at: number,
    place?: Pick<FoundTransfer, "block" | "index">
  ): EvmReport => {
    const event = eventOf(stage, payin)
    if (stage === "detected") return { event, lines: [] }
    const line = {
      id: event.event_id,
      booked_at: at,
      ...(place && { block: String(place.block) }),
      direction: stage === "confirmed" ? ("credit" as const) : ("debit" as const),
      amount: event.amount,
      currency: payin.currency,
      command_id: null,
      payin_id: payin.payin_id,
      provider_reference: payin.hash,
      transaction_hash: payin.hash,
      narration: place === undefined ? null : describeLogPlace(place)
    }
    return { event, lines: stage === "confirmed" || payin.credited ? [line] : [] }
  }

  const payinOf = (found: Found, known: EvmPayin | undefined, now: number): EvmPayin => {
    const token = tokens.get(found.token)
    return {
      status: "detected",
      detected_at: now,
      refunds: {},
      credited: false,
      sender: null,
      sender_nonce: null,
      ...known,
      payin_id: found.payin_id,
      currency: token?.currency ?? "",
      token: found.token,
      ...(token === undefined ? {} : { decimals: token.decimals }),
      // What is credited was decided in the blocks that were replaced.
      amount: known?.credited === true ? known.amount : (found.arrived ?? found.value),
      from: found.from,
      to: found.to,
      hash: found.transaction_hash,
      block: found.block,
      block_hash: found.block_hash,
      seen_at: now
    }
  }

  return { decimalsOf, payinOf, reportOf }
}
