/**
 * The proof that the feed has every deposit: what the addresses hold at a final block is what the books say, with the deposits of
 * the blocks that were just read. A list of logs can be empty or partial and look complete. The state of a block cannot.
 *
 * Only more than the books say is a difference: an issuer can destroy tokens without a transfer, and a token can take a fee of one.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import type { Row } from "../../../engine/ports/Storage.ts"
import { isInBooks, type Short } from "./arrivals.ts"
import type { EvmAddress, BalanceDifference, Feed, BlockMark, Outflow, EvmPayin } from "./entries.ts"
import { makeListing } from "./listing.ts"
import type { EvmContext } from "./slots.ts"
import type { Moves } from "./transfers.ts"

/** Addresses of one `eth_call`: its answer is as long as the code of a contract may be. */
export const callMax = 500

/** Addresses that one proof looks at, besides those concerned: where there are more, each proof looks at other ones. */
const provenAtOnce = 1000

/** Makes the functions that compare the addresses' balances on the chain with the state store. */
export const makeBalanceProof = ({ books, chain, config, entries }: EvmContext) => {
  const { index, keys } = entries
  const { listed, listedFrom } = makeListing({ books, entries })
  const tokens = config.tokens.filter(({ balance_proof }) => balance_proof)
  let next = 0

  /** What these moves change in the books once they are booked, by address and token. */
  const changes = Effect.fnUntraced(function* ({ found, left }: Pick<Moves, "found" | "left">) {
    const payins = yield* books.get(found.map(({ payin_id }) => keys.payin(payin_id)))
    const outflows = yield* books.get(left.map(({ payin_id }) => keys.outflow(payin_id)))
    const known = new Map(payins.map(({ data }) => [(data as EvmPayin).payin_id, data as EvmPayin]))
    const booked = new Set(outflows.flatMap(({ data }) => ((data as Outflow).gone ? [] : (data as Outflow).outflow_id)))
    const sums = new Map<string, bigint>()
    const add = (address: Hex, token: Hex, value: bigint): void => {
      sums.set(`${address} ${token}`, (sums.get(`${address} ${token}`) ?? 0n) + value)
    }
    for (const { payin_id, to, token, value } of found) {
      const payin = known.get(payin_id)
      if (payin === undefined || !isInBooks(payin)) add(to, token, BigInt(value))
    }
    for (const { from, payin_id, token, value } of left) if (!booked.has(payin_id)) add(from, token, -BigInt(value))
    return sums
  })

  /** The addresses that were paid, wait for a deposit, or did not agree the last time, and some of the others. Adapters of other chains keep theirs beside. */
  const looked = Effect.fnUntraced(function* ({ found, left }: Moves, doubted: ReadonlyArray<Hex>) {
    const detected = yield* listed("evm_payin", index.detected)
    const waiting = detected.map(({ data }) => (data as EvmPayin).to)
    const concerned = new Set([...found.map(({ to }) => to), ...left.map(({ from }) => from), ...waiting, ...doubted])
    const others = yield* listedFrom("evm_address", null, next, provenAtOnce)
    next = others.length < provenAtOnce ? 0 : next + others.length
    const rows: ReadonlyArray<Row> = [...others, ...(yield* books.get([...concerned].map(keys.address)))]
    const addresses = new Map<Hex, EvmAddress>()
    for (const { data, id } of rows) {
      const address = data as EvmAddress
      if (keys.address(address.address).id === id) addresses.set(address.address, address)
    }
    return [...addresses.values()]
  })

  /** By how much what addresses hold at a block is more than the books say, or less: where it is not the same. */
  const compared = Effect.fnUntraced(function* (
    addresses: ReadonlyArray<EvmAddress>,
    sums: ReadonlyMap<string, bigint>,
    final: BlockMark
  ) {
    const found: Array<Short & { readonly missing: bigint }> = []
    for (const { address: token } of tokens)
      for (let at = 0; at < addresses.length; at += callMax) {
        const part = addresses.slice(at, at + callMax)
        const owners = part.map(({ address }) => address)
        for (const [n, held] of (yield* chain.balancesAt(token, owners, final)).entries()) {
          const { address, unswept } = part[n]!
          const missing = held - BigInt(unswept[token] ?? "0") - (sums.get(`${address} ${token}`) ?? 0n)
          if (missing !== 0n) found.push({ address, token, held, missing })
        }
      }
    return found
  })

  return {
    /**
     * How the addresses agree with the books at a final block, with the moves of the blocks that are to be booked. `difference`: one that
     * holds more than its deposits up to this block; undefined: none does. `short`: those that hold less. Errors: `ProviderFault` when the
     * nodes do not have the state of the block.
     */
    agreement: Effect.fnUntraced(function* ({ doubt }: Feed, moves: Moves, final: BlockMark) {
      // In this order: what another node of Corridor confirms meanwhile counts twice, and never not at all.
      const sums = yield* changes(moves)
      const all = yield* compared(yield* looked(moves, doubt ? [doubt.address] : []), sums, final)
      const more = all.find(({ missing }) => missing > 0n)
      const difference: BalanceDifference | undefined = more && {
        address: more.address,
        token: more.token,
        missing: more.missing.toString()
      }
      return { difference, short: all.filter(({ missing }) => missing < 0n) as ReadonlyArray<Short> }
    }),

    /** The addresses that hold less at a final block than the books say, with deposits that are to be booked. Errors: as above. */
    short: Effect.fnUntraced(function* (moves: Moves, final: BlockMark) {
      const sums = yield* changes(moves)
      const rows = yield* books.get([...new Set(moves.found.map(({ to }) => to))].map(keys.address))
      const all = yield* compared(
        rows.map(({ data }) => data as EvmAddress),
        sums,
        final
      )
      return all.filter(({ missing }) => missing < 0n) as ReadonlyArray<Short>
    })
  }
}
