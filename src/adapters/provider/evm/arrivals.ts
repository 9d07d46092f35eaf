/**
 * What arrived, where a token takes a fee of a transfer and states the amount before it: never more than an address' balance grew by.
 *
 * Only an address that holds less than its deposits say is looked at. Its balance grew by what it holds at the last of the blocks, less what
 * it held before the first, and what left in between. Where that is less than its new deposits state, each of them has its share, in
 * proportion to what it states: a fee that is a share of the amount is taken from each exactly, and all of them have what there is.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import type { BlockMark, EvmAddress, EvmPayin, Outflow } from "./entries.ts"
import { makeListing } from "./listing.ts"
import { isInReceipt } from "./payins.ts"
import type { EvmContext } from "./slots.ts"
import type { Moves } from "./transfers.ts"

/** An address that holds less of a token than the books say. `held`: at the last of the blocks. */
export interface Short {
  readonly address: Hex
  readonly token: Hex
  readonly held: bigint
}

/** Whether the recorded balance of the address includes a pay-in. A failed pay-in has been subtracted, even if it was credited before. */
export const isInBooks = ({ credited, status }: EvmPayin): boolean =>
  status === "confirmed" || (status === "detected" && credited)

const sumTexts = (values: ReadonlyArray<string>): bigint => values.reduce((sum, value) => sum + BigInt(value), 0n)

const sumPayins = (payins: ReadonlyArray<EvmPayin>): bigint => sumTexts(payins.map(({ amount }) => amount))

/** Makes the function that computes how much new deposits really added to an address: a token can transfer less than its log states. */
const makeArrivalSums = (context: EvmContext) => {
  const { books, chain, entries } = context
  const { index, keys } = entries
  const { listed } = makeListing(context)

  /**
   * Recorded deposits whose blocks were replaced, and that the moves lack. `removed`: no block has them now, though one may have their
   * transaction. `back`: a block has them again, but a node did not list their log.
   */
  const lost = Effect.fnUntraced(function* (
    address: Hex,
    token: Hex,
    booked: ReadonlyArray<EvmPayin>,
    before: BlockMark,
    last: BlockMark
  ) {
    const back: Array<EvmPayin> = []
    const removed: Array<EvmPayin> = []
    for (const { data } of yield* listed("evm_payin", index.detected)) {
      const one = data as EvmPayin
      if (!one.credited || one.to !== address || one.token !== token) continue
      if (booked.some(({ payin_id }) => payin_id === one.payin_id)) continue
      const receipt = yield* chain.receipt(one.hash)
      if (receipt === null || receipt.block > last.number || !isInReceipt(one, receipt)) removed.push(one)
      else if (receipt.block > before.number) back.push(one)
    }
    return { back, removed }
  })

  /** The sum that new deposits added to an address between two blocks. `isHeldAt`: whether `held` is the balance at the second one. */
  const broughtTo = Effect.fnUntraced(function* (
    { address, held, token }: Short,
    moves: Moves,
    before: BlockMark,
    last: BlockMark,
    isHeldAt: boolean
  ) {
    const heldAt = (block: BlockMark) => chain.balancesAt(token, [address], block)
    const isHere = (one: { readonly token: Hex }, owner: Hex): boolean => owner === address && one.token === token
    const found = moves.found.filter((one) => isHere(one, one.to))
    const left = moves.left.filter((one) => isHere(one, one.from))
    const known = (yield* books.get(found.map(({ payin_id }) => keys.payin(payin_id)))).map(
      ({ data }) => data as EvmPayin
    )
    const booked = known.filter(isInBooks)
    const fresh = found.filter(({ payin_id }) => !booked.some((one) => one.payin_id === payin_id))
    const { back, removed } = yield* lost(address, token, booked, before, last)
    const states = Effect.all([heldAt(before), isHeldAt ? Effect.succeed([held]) : heldAt(last)])
    const growth = yield* Effect.result(states)
    if (growth._tag === "Success") {
      const [[first], [then]] = growth.success
      const out = sumTexts(left.filter(({ block }) => block > before.number).map(({ value }) => value))
      return { fresh, brought: then! - first! + out - sumPayins([...booked, ...back]) }
    }
    // Nodes may not have the state of a block that far back any more: what it held is what the books say, but for what was removed since.
    const [row] = yield* books.get([keys.address(address)])
    const outflows = (yield* books.get(left.map(({ payin_id }) => keys.outflow(payin_id)))).map(
      ({ data }) => data as Outflow
    )
    const out = left.filter(({ payin_id }) => !outflows.some((one) => one.outflow_id === payin_id && !one.gone))
    const stated = BigInt((row?.data as EvmAddress | undefined)?.unswept[token] ?? "0")
    return { fresh, brought: held - stated + sumPayins(removed) + sumTexts(out.map(({ value }) => value)) }
  })

  return { broughtTo }
}

/** Makes `arrived`, which lowers deposits to what really arrived at their addresses. */
export const makeArrivals = (context: EvmContext) => {
  const { broughtTo } = makeArrivalSums(context)

  /** What arrived of the new deposits to these addresses, by their ids: where that is less than they state. */
  const sharesOf = Effect.fnUntraced(function* (
    moves: Moves,
    short: ReadonlyArray<Short>,
    before: BlockMark,
    last: BlockMark,
    at: BlockMark
  ) {
    const shares = new Map<string, string>()
    for (const one of short) {
      if (!moves.found.some(({ to, token }) => to === one.address && token === one.token)) continue
      const { brought, fresh } = yield* broughtTo(one, moves, before, last, last.hash === at.hash)
      const stated = sumTexts(fresh.map(({ value }) => value))
      if (brought >= stated) continue
      const there = brought > 0n ? brought : 0n
      let sum = 0n
      for (const { payin_id, value } of fresh) {
        const share = (there * (sum + BigInt(value))) / stated - (there * sum) / stated
        sum += BigInt(value)
        shares.set(payin_id, share.toString())
      }
    }
    return shares
  })

  return {
    /**
     * The moves, with smaller deposits where the balance of an address grew by less than its deposits state. `before`: the block before
     * those of the moves. `last`: the last of them. `at`: the block at which the balances were read.
     */
    arrived: Effect.fnUntraced(function* (
      moves: Moves,
      short: ReadonlyArray<Short>,
      before: BlockMark,
      last: BlockMark,
      at: BlockMark
    ) {
      const shares = yield* sharesOf(moves, short, before, last, at)
      if (shares.size === 0) return moves
      return {
        ...moves,
        found: moves.found.map((one) => {
          const arrived = shares.get(one.payin_id)
          return arrived === undefined ? one : { ...one, arrived }
        })
      }
    })
  }
}
