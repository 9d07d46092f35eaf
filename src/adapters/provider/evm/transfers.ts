/** The transfers to and from our addresses, in blocks that are final and in blocks that are not. */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Effect, Result } from "effect"
import type { Hex } from "viem"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Block } from "./chain.ts"
import type { EvmAddress } from "./entries.ts"
import { type Found, assignPayinIds } from "./payins.ts"
import type { EvmContext } from "./slots.ts"

const pageSize = 100

/** Blocks that are asked for at the same time. */
const concurrency = 16

/** What goes from an address to its destination. */
export type Left = Pick<Found, "block" | "from" | "payin_id" | "token" | "value">

/** A transfer in a final block. `at`: the time of the block, in epoch milliseconds. */
export interface FinalTransfer extends Found {
  readonly at: number
}

/**
 * What pays our addresses, what goes from them to their destinations, and what the hot wallet gets and pays: all that changes what we
 * hold together and pays no address of ours.
 */
export interface Moves {
  readonly found: ReadonlyArray<FinalTransfer>
  readonly left: ReadonlyArray<Left>
  readonly through: ReadonlyArray<FinalTransfer>
}

const makeDeps = ({ books, chain, config, entries, wallet }: EvmContext) => {
  const { keys } = entries
  const tokens = config.tokens.map(({ address }) => address)
  return { books, chain, config, keys, tokens, wallet }
}
type Deps = ReturnType<typeof makeDeps>

/** Selects the transfers into and out of deposit addresses and the hot wallet. */
const selectOwnTransfers = Effect.fnUntraced(function* <T extends Found>(deps: Deps, transfers: ReadonlyArray<T>) {
  const { keys, books } = deps
  const some = transfers.flatMap(({ from, to }) => [to, from])
  const asked = [...new Set(some)]
  const known = new Map<Hex, EvmAddress>()
  for (let at = 0; at < asked.length; at += pageSize) {
    const wanted = asked.slice(at, at + pageSize).map(keys.address)
    const rows = yield* books.get(wanted)
    for (const row of rows) known.set((row.data as EvmAddress).address, row.data as EvmAddress)
  }
  const isOurs = (address: Hex): boolean => address === deps.wallet || known.has(address)
  return {
    found: transfers.filter(({ to }) => known.has(to)),
    left: transfers.filter(({ from, to }) => known.get(from)?.destination === to),
    // What an address gets has a line as a pay-in; what goes from one place of ours to the hot wallet is no movement.
    through: transfers.filter(({ from, to }) => (isOurs(from) ? to !== deps.wallet : to === deps.wallet))
  }
})

/** Reads the transfers of a range of blocks, or of the first part of it that the nodes return at once. `to`: the last block read. */
const readTransferRange = (
  deps: Deps,
  from: number,
  to: number
): Effect.Effect<{ readonly found: ReadonlyArray<Found>; readonly to: number }, ProviderFault> =>
  deps.chain.transfers(deps.tokens, from, to).pipe(
    Effect.map((found) => ({ found: assignPayinIds(found), to })),
    // Nodes limit their answers, each in its own way.
    Effect.catch((fault) =>
      to === from ? Effect.fail(fault) : readTransferRange(deps, from, from + Math.floor((to - from) / 2))
    )
  )

/** Reads a block and its transfers. The transfers are read by the block's hash, so a node without this block cannot answer. */
const readBlockWithTransfers = Effect.fnUntraced(function* ({ chain, tokens }: Deps, number: number) {
  const block = yield* chain.block(number)
  return { block, transfers: block.isEmpty ? [] : yield* chain.transfersIn(tokens, block) }
})

/**
 * Reads final blocks in the order of `numbers` while there is time. It stops before the first one that cannot be read, or whose hash does not
 * link it to the one before (by `linkOf`): that one is of another fork. Errors: `ProviderFault` when that is the first block.
 */
const readLinkedBlocks = Effect.fnUntraced(function* (
  deps: Deps,
  numbers: ReadonlyArray<number>,
  link: Hex | undefined,
  left: Effect.Effect<boolean>,
  linkOf: (block: Block) => { readonly is: Hex; readonly next: Hex }
) {
  const { chain } = deps
  let end = Number.POSITIVE_INFINITY
  const read = yield* Effect.forEach(
    numbers,
    Effect.fnUntraced(function* (number, at) {
      if (at > 0 && !(yield* left)) end = Math.min(end, at)
      if (at >= end) return undefined
      const one = yield* Effect.result(readBlockWithTransfers(deps, number))
      if (Result.isFailure(one)) end = Math.min(end, at)
      return one
    }),
    { concurrency }
  )
  const kept: Array<Effect.Success<ReturnType<typeof readBlockWithTransfers>>> = []
  let expected = link
  for (const one of read) {
    if (one === undefined) break
    if (Result.isFailure(one)) {
      if (kept.length === 0) return yield* one.failure
      break
    }
    const { block } = one.success
    const { is, next } = linkOf(block)
    if (expected !== undefined && is !== expected && !(yield* chain.isSimulated)) {
      if (kept.length > 0) break
      return yield* new ProviderFault({
        message: `block ${block.number} is on another fork than the blocks that were read before: the nodes do not have one chain`
      })
    }
    kept.push(one.success)
    expected = next
  }
  const inOrder = kept.toSorted((a, b) => a.block.number - b.block.number)
  const transfers = inOrder.flatMap(({ block, transfers }) =>
    transfers.map((one) => ({ ...one, at: block.timestamp * 1000 }))
  )
  const moves: Moves = yield* selectOwnTransfers(deps, assignPayinIds(transfers))
  return { ...moves, last: kept.at(-1)!.block }
})

/** Reads the transfers to our addresses in blocks that are not final. A node may leave some out: these transfers credit nothing yet. */
const readUnfinalTransfers = Effect.fnUntraced(function* (deps: Deps, from: number, until: number) {
  const { config } = deps
  const read = yield* readTransferRange(deps, from, Math.min(until, from + config.block_range - 1))
  return { found: (yield* selectOwnTransfers(deps, read.found)).found, to: read.to }
})

/** Reads the moves of the final blocks after one, at most `block_range` of them and up to `until`, and the last of these blocks. */
const readMovesAfter = (
  deps: Deps,
  { hash, number }: Pick<Block, "hash" | "number">,
  until: number,
  left: Effect.Effect<boolean>
) =>
  readLinkedBlocks(
    deps,
    Array.from({ length: Math.min(until - number, deps.config.block_range) }, (_, n) => number + 1 + n),
    hash,
    left,
    (block) => ({ is: block.parent, next: block.hash })
  )

/** Reads the moves of final blocks downwards from `to`, at most `block_range` of them and down to `from`, and the first of these blocks. */
const readMovesDownTo = (deps: Deps, from: number, to: number, hash: Hex | undefined, left: Effect.Effect<boolean>) =>
  readLinkedBlocks(
    deps,
    Array.from({ length: Math.min(to - from + 1, deps.config.block_range) }, (_, n) => to - n),
    hash,
    left,
    (block) => ({ is: block.hash, next: block.parent })
  )

export const makeTransfers = (given: EvmContext) => {
  const deps = makeDeps(given)

  return bindFirst(deps, { seen: readUnfinalTransfers, after: readMovesAfter, downTo: readMovesDownTo })
}
