/**
 * The statement of a chain: all that the hot wallet and the deposit addresses got and paid together, and what they hold at a final block.
 *
 * The feed makes the lines of tokens from the logs of final blocks, in their order, in the decision that passes these blocks: so the lines
 * up to a report are exactly those of the blocks up to one. What a stranger moves is a line too. What goes between two addresses of ours
 * is none. Gas has lines of the chain's own coin, made where a nonce is settled.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { BlockBalances, ProviderBalance, StatementLine, StatementPage } from "../../../engine/ports/Provider.ts"
import type { Row } from "../../../engine/ports/Storage.ts"
import { readData } from "../chain/books.ts"
import { formatTokenAmount } from "../chain/tokens.ts"
import type { EvmChain, TransferLog } from "./chain.ts"
import { formatCoins, type EvmConfig } from "./config.ts"
import {
  type BlockMark,
  type EvmAddress,
  type EvmReport,
  type EvmWallet,
  type Feed,
  newWallet,
  type Slot,
  type WalletTransfer
} from "./entries.ts"
import { makeListing } from "./listing.ts"
import type { Found } from "./payins.ts"
import { callMax } from "./proof.ts"
import type { EvmContext } from "./slots.ts"

const pageSize = 100

/** Makes the statement line of a transfer into or out of the hot wallet. `slot`: the slot that made the transfer. */
export const toWalletLine = (
  { tokens }: EvmConfig,
  { block, payin_id, token, value, ...found }: TransferLog & Pick<Found, "block" | "payin_id" | "transaction_hash">,
  direction: StatementLine["direction"],
  at: number,
  place: string,
  slot: Slot | undefined
): StatementLine => {
  const { currency, decimals } = tokens.find(({ address }) => address === token)!
  const { transaction_hash } = found
  return {
    // One transaction can have several transfers, of which one is the slot's.
    id: slot?.transfer?.amount === value ? `${slot.nonce}:${transaction_hash}` : `${payin_id}:${direction}`,
    booked_at: at,
    block: String(block),
    direction,
    amount: formatTokenAmount(BigInt(value), decimals),
    currency,
    command_id: slot?.work_id ?? null,
    payin_id: null,
    provider_reference: transaction_hash,
    transaction_hash,
    narration: slot === undefined ? place : `${slot.purpose}, ${place}`
  }
}

/** How many lines a transfer has with another one, by its entries. Undefined: it gets none, because it has one that is not taken back. */
export const countLines = (entries: ReadonlyArray<Row | undefined>): number | undefined => {
  const known = entries.flatMap((row) => readData<WalletTransfer>(row) ?? [])
  return known.some(({ gone }) => gone !== true) ? undefined : Math.max(0, ...known.map(({ told }) => told ?? 1)) + 1
}

/** The id of what is told of one thing for the first time, the second time, and so on. */
export const numberId = (id: string, times: number): string => (times > 1 ? `${id}:${times}` : id)

export const parseReportNumber = (cursor: string | null): number =>
  cursor !== null && /^\d{1,15}$/.test(cursor) ? Number(cursor) : 0

/** Reads at most a page of reports from a number on. Returns them with the number of the next report. */
export const readReportsFrom = Effect.fnUntraced(function* (
  { books, entries }: Pick<EvmContext, "books" | "entries">,
  from: number,
  until = Number.POSITIVE_INFINITY
) {
  const count = Math.max(0, Math.min(pageSize, until - from))
  const rows = yield* books.get(Array.from({ length: count }, (_, offset) => entries.keys.report(from + offset)))
  return { reports: rows.map((row) => row.data as EvmReport), next: from + rows.length }
})

const readFeed = ({ books, entries }: EvmContext) => books.read<Feed>(entries.keys.feed)

/** Tries to read what is held at the feed's final block, which another node may move meanwhile. */
const readingsMax = 3

/** Reads the addresses that hold tokens at the feed's block, and the feed. Undefined: the feed moved meanwhile. */
const readHoldersAtFeed = Effect.fnUntraced(function* (context: EvmContext) {
  const feed = yield* readFeed(context)
  const rows = yield* makeListing(context).listed("evm_address", context.entries.index.unswept)
  const after = yield* readFeed(context)
  const isSame = feed?.final.hash === after?.final.hash && feed?.next === after?.next
  return isSame ? { feed, addresses: rows.map(({ data }) => data as EvmAddress) } : undefined
})

/** Sums the balances of a token over its owners at a block. Errors: `ProviderFault` also when the nodes lack the state of the block. */
export const readHoldings = Effect.fnUntraced(function* (
  chain: EvmChain,
  token: Hex,
  owners: ReadonlyArray<Hex>,
  final: BlockMark
) {
  let sum = 0n
  for (let at = 0; at < owners.length; at += callMax)
    for (const units of yield* chain.balancesAt(token, owners.slice(at, at + callMax), final)) sum += units
  return sum
})

const toOpeningBalances = ({ config }: EvmContext, { opening }: Feed): BlockBalances | undefined =>
  opening && {
    block: String(opening.block),
    at: opening.at,
    // A token that was configured later was not asked for.
    balances: config.tokens.flatMap(({ address, currency, decimals }) => {
      const units = opening.held[address]
      return units === undefined ? [] : [{ currency, amount: formatTokenAmount(BigInt(units), decimals) }]
    })
  }

/** Reads the closing balances: those of the hot wallet and the addresses at the feed's final block. */
const readClosing = Effect.fnUntraced(function* (
  context: EvmContext,
  { final }: Feed,
  addresses: ReadonlyArray<EvmAddress>
): Effect.fn.Return<BlockBalances, ProviderFault> {
  const { chain, config, wallet } = context
  const block = yield* chain.block(final.number)
  if (block.hash !== final.hash)
    return yield* new ProviderFault({ message: `block ${final.number} was final, and has been replaced` })
  const balances = yield* Effect.forEach(config.tokens, ({ address: token, currency, decimals }) => {
    const some = addresses.filter(({ unswept }) => unswept[token] !== undefined)
    const owners = [wallet, ...some.map(({ address }) => address)]
    return Effect.map(readHoldings(chain, token, owners, final), (sum) => ({
      currency,
      amount: formatTokenAmount(sum, decimals)
    }))
  })
  return { block: String(final.number), at: block.timestamp * 1000, balances }
})

/**
 * Reads the statement lines from a report on, and with the last of them the closing balances at the feed's block. The cursor is
 * the number of the next report. Errors: `ProviderFault`, also when the nodes do not have the state of the block.
 */
export const readLinesAfter = Effect.fnUntraced(function* (
  context: EvmContext,
  after: string | null
): Effect.fn.Return<StatementPage, ProviderFault> {
  for (let reading = 0; reading < readingsMax; reading++) {
    const found = yield* readHoldersAtFeed(context)
    if (found === undefined) continue
    const { addresses, feed } = found
    if (feed === undefined) return { lines: [], cursor: after }
    const end = feed.partial ?? feed.next
    let next = parseReportNumber(after)
    const lines: Array<StatementLine> = []
    // A page without lines would be taken for the last one.
    while (lines.length === 0 && next < end) {
      const read = yield* readReportsFrom(context, next, end)
      if (read.next === next) break
      lines.push(...read.reports.flatMap((report) => report.lines))
      next = read.next
    }
    const opening = after === null ? toOpeningBalances(context, feed) : undefined
    const isComplete = next >= end && feed.replaced === undefined
    return {
      lines,
      ...(opening === undefined ? {} : { opening }),
      ...(isComplete ? { closing: yield* readClosing(context, feed, addresses) } : {}),
      cursor: String(next)
    }
  }
  return yield* new ProviderFault({ message: "the chain was read repeatedly by another node" })
})

/** Reads the current balances, by token and for the chain's own coin: `available` in the hot wallet, `pending` at deposit addresses. */
export const readBalances = Effect.fnUntraced(function* (context: EvmContext) {
  const { books, chain, config, entries, wallet } = context
  const { final } = yield* chain.view
  const [walletRow] = yield* books.get([entries.keys.wallet])
  const { committed } = readData<EvmWallet>(walletRow) ?? newWallet
  const addresses = yield* makeListing(context).listed("evm_address", entries.index.unswept)
  const tokens: ReadonlyArray<ProviderBalance> = yield* Effect.forEach(config.tokens, (token) =>
    Effect.map(chain.tokenBalance(token.address, wallet, final.number), (held) => {
      const unswept = addresses.reduce(
        (sum, row) => sum + BigInt((row.data as EvmAddress).unswept[token.address] ?? "0"),
        0n
      )
      const free = held - BigInt(committed[token.address] ?? "0")
      return {
        currency: token.currency,
        network: config.network,
        available: formatTokenAmount(free > 0n ? free : 0n, token.decimals),
        pending: formatTokenAmount(unswept, token.decimals)
      }
    })
  )
  const coins = yield* chain.balance(wallet, final.number)
  return [...tokens, { currency: config.native, network: config.network, available: formatCoins(coins), pending: "0" }]
})
