/** Pay-ins: what is recorded of a payment to an issued address, and what the engine is told about it. */
import { readData } from "../chain/books.ts"
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { PayinEvent } from "../../../engine/ports/Provider.ts"
import type { Row, RowKey } from "../../../engine/ports/Storage.ts"
import { formatTokenAmount } from "../chain/tokens.ts"
import { type SolanaContext } from "./config.ts"
import { type Credit, readCredit } from "./credits.ts"
import { toIndexKeys, isOpen, solanaKey, type SeenPayin } from "./entries.ts"
import { toUnsweptEntry, type Watched } from "./addresses.ts"
import { readFate } from "./fate.ts"
import type { RpcNode } from "./rpc.ts"
import { toTransactionEffect, recordKey, makeRecordEntries } from "./transaction-records.ts"

/** How long a transaction can wait for a block, in blocks. */
const validity = 150

/** The finalized slot of a reading, and a block height that no block of the reading is above. */
export interface Finality {
  readonly slot: number
  readonly height: number
}

export const payinKey = ({ name }: SolanaContext, payin_id: string): RowKey => solanaKey(name, "solana_payin", payin_id)

export const toPayinEvent = (
  { network, tokens }: SolanaContext,
  payin: SeenPayin,
  stage: PayinEvent["stage"]
): PayinEvent => ({
  _tag: "payin",
  event_id: `${payin.payin_id}.${stage}`,
  payin_id: payin.payin_id,
  stage,
  target: payin.target,
  amount: formatTokenAmount(BigInt(payin.amount), tokens.find(({ currency }) => currency === payin.currency)!.decimals),
  currency: payin.currency,
  network,
  transaction_hash: payin.signature,
  from_address: payin.from_address,
  sender: null,
  narration: null,
  observed_at: payin.observed_at
})

export const stageOf = ({ confirmed_at, failed_at }: SeenPayin): PayinEvent["stage"] =>
  confirmed_at !== null ? "confirmed" : failed_at !== null ? "failed" : "detected"

const toPayinWrite = (context: SolanaContext, payin: SeenPayin, open = true) => ({
  key: payinKey(context, payin.payin_id),
  data: payin,
  index_keys: toIndexKeys(context.name, open)
})

/** Makes the id of the pay-in of a transaction to an account. */
export const makePayinId = (signature: string, { token, address }: Watched): string =>
  `${signature}:${token.currency}:${address.address}`

/** Makes the id of the pay-in of a transaction that became final after its first pay-in, `id`, had failed. */
export const makeLaterPayinId = (id: string, slot: number): string => `${id}:${slot}`

/** Lists the signatures, of some, whose pay-in is confirmed: their transactions need not be read again. */
export const listConfirmedSignatures =
  (context: SolanaContext, watched: Watched) => (signatures: ReadonlyArray<string>) =>
    context.books.get(signatures.map((one) => payinKey(context, makePayinId(one, watched)))).pipe(
      Effect.map(
        (rows) =>
          new Set(
            rows
              .map((row) => readData<SeenPayin>(row)!)
              .filter(({ confirmed_at }) => confirmed_at !== null)
              .map(({ signature }) => signature)
          )
      )
    )

/**
 * Records a credit, and returns its pay-in. A final credit confirms it. A credit that became final after its pay-in was reported
 * as failed is recorded as another pay-in, so that its money is not lost.
 */
export const recordCredit = Effect.fnUntraced(function* (
  context: SolanaContext,
  watched: Watched,
  credit: Credit,
  finality: Finality
) {
  const { address, token, account } = watched
  const now = yield* Clock.currentTimeMillis
  const id = makePayinId(credit.signature, watched)
  const fresh: SeenPayin = {
    payin_id: id,
    signature: credit.signature,
    account,
    target: address.address,
    currency: token.currency,
    amount: credit.amount.toString(),
    from_address: credit.from_address,
    payer: credit.from_address,
    observed_at: credit.at ?? now,
    slot: credit.slot,
    seen_height: finality.height,
    confirmed_at: credit.isFinal ? finality.slot : null,
    failed_at: null,
    refunds: {}
  }
  const again = makeLaterPayinId(id, credit.slot)
  const unswept = toUnsweptEntry(context, watched)
  const payins = [payinKey(context, id), payinKey(context, again)]
  const { name } = context
  const keys = [...payins, unswept.key, recordKey(name, credit.signature)]
  return yield* context.books.amend(keys, ([first, second, addressRow, record]) => {
    const one = readData<SeenPayin>(first)
    const other = readData<SeenPayin>(second)
    const recorded = (payin: SeenPayin) => ({
      entries: [
        toPayinWrite(context, payin),
        ...(payin.confirmed_at === null
          ? []
          : [
              unswept.changed(addressRow, credit.amount),
              ...makeRecordEntries(name, record, {
                signature: credit.signature,
                ...toTransactionEffect(context, credit.transaction)
              })
            ])
      ],
      result: payin
    })
    if (one === undefined) return recorded(fresh)
    if (one.failed_at !== null && credit.isFinal) {
      return other === undefined ? recorded({ ...fresh, payin_id: again }) : { entries: [], result: other }
    }
    if (one.confirmed_at !== null || one.failed_at !== null || !credit.isFinal) return { entries: [], result: one }
    const { amount, from_address, payer, slot } = fresh
    return recorded({ ...one, amount, from_address, payer: payer ?? null, slot, confirmed_at: finality.slot })
  })
})

/**
 * Follows a pay-in that is not final: reads its transaction, and records that it has failed when it is proven that the chain does
 * not have it, or that it brought nothing in the block that became final.
 */
export const followPayin = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  watched: Watched,
  payin: SeenPayin,
  finality: Finality
): Effect.fn.Return<SeenPayin, ProviderFault> {
  const { credit, isFinal } = yield* readCredit(node, payin.account, payin.signature)
  if (credit !== undefined) return yield* recordCredit(context, watched, credit, finality)
  if (!isFinal) {
    const fate = yield* readFate(context.nodes, {
      signature: payin.signature,
      wire: "",
      last_valid_block_height: payin.seen_height + validity,
      from_slot: payin.slot
    })
    const isFailed = fate._tag === "absent" || (fate._tag === "final" && fate.error !== null)
    if (!isFailed) return payin
  }
  return yield* context.books.amend([payinKey(context, payin.payin_id)], ([row]) => {
    const before = readData<SeenPayin>(row)!
    if (before.confirmed_at !== null || before.failed_at !== null) return { entries: [], result: before }
    const failed = { ...before, failed_at: finality.slot }
    return { entries: [toPayinWrite(context, failed)], result: failed }
  })
})

/**
 * Reads the entry of a pay-in with its payer. If an earlier release recorded it, the payer is read from the chain; its other
 * members stay. Errors: `ProviderFault` also when no node shows its transaction any more.
 */
export const readPayin = Effect.fnUntraced(function* (
  context: SolanaContext,
  payin_id: string
): Effect.fn.Return<Row | undefined, ProviderFault> {
  const key = payinKey(context, payin_id)
  const [row] = yield* context.books.get([key])
  const payin = readData<SeenPayin>(row)
  if (payin === undefined || payin.payer !== undefined || payin.confirmed_at === null) return row
  const { account, signature } = payin
  const payer = yield* context.nodes.first(
    Effect.fnUntraced(function* (node: RpcNode) {
      const { credit } = yield* readCredit(node, account, signature)
      if (credit?.isFinal === true) return credit.from_address
      return yield* new ProviderFault({ message: `no Solana node shows who paid ${signature}` })
    })
  )
  yield* context.books.amend([key], ([now]) => ({
    entries: [
      {
        key,
        data: { ...readData<SeenPayin>(now)!, payer },
        index_keys: toIndexKeys(context.name, now!.index_keys.includes(isOpen))
      }
    ],
    result: undefined
  }))
  return (yield* context.books.get([key]))[0]
})

/** Removes a pay-in that was decided longer ago than the overlap from the list of open ones. */
export const unlistOpenPayin = (context: SolanaContext, payin_id: string) =>
  context.books.amend([payinKey(context, payin_id)], ([row]) => ({
    entries: [toPayinWrite(context, readData<SeenPayin>(row)!, false)],
    result: undefined
  }))

/** Makes the event of a pay-in at its current stage. */
export const toCurrentPayinEvent = (context: SolanaContext, payin: SeenPayin): PayinEvent =>
  toPayinEvent(context, payin, stageOf(payin))
