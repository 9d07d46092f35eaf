/**
 * Finds deposits by reading the token's transfers, block after block.
 *
 * A deposit is `detected` at the head, and `confirmed` when its block is final. The blocks between are read again from the last
 * one that is still in the chain: removed blocks are known by their hashes, not by what nodes say about removed logs. A deposit
 * whose block was removed goes on when it is mined again. It fails when it cannot be mined any more, because a final transaction
 * took its sender's nonce, or when it stays away too long.
 *
 * A final block is read by its hash, so that a node that does not have it cannot answer with nothing. The blocks that were read
 * are linked by their hashes to those before them, so that none is of another fork. The balances of the addresses prove that
 * nothing is missing (`proof.ts`), and say how much arrived (`arrivals.ts`).
 *
 * The id of a pay-in consists of what a reorganisation cannot change: the transaction, what was transferred, and its place
 * among equal transfers of the transaction. The place of the log in its block would change.
 */
import { readData } from "../chain/books.ts"
import { Clock, Effect, Option, Result } from "effect"
import type { Hex } from "viem"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Block, View } from "./chain.ts"
import {
  type EvmAddress,
  type Feed,
  type BlockMark,
  type FirstHolding,
  type Outflow,
  type EvmPayin,
  type EvmReport,
  addToSum
} from "./entries.ts"
import { makeArrivals } from "./arrivals.ts"
import { makeBooking } from "./booking.ts"
import { makeListing } from "./listing.ts"
import { planReread, makeLookBack } from "./look-back.ts"
import { type Found, makePayins, isInReceipt, countReport } from "./payins.ts"
import { makeBalanceProof } from "./proof.ts"
import type { EvmContext } from "./slots.ts"
import { readHoldings } from "./statements.ts"
import { readingParts, startTimer } from "./times.ts"
import { type Left, makeTransfers, type Moves } from "./transfers.ts"

/** Reads of one call, so that a call that catches up ends. */
const rangesMax = 25

/** How long a pass may begin further readings: of blocks to read again, of blocks that became final, and of blocks that are not final. */
const againMs = readingParts.deposits / 4
const finalMs = readingParts.deposits / 3
const headMs = readingParts.deposits / 6

/** Deposits that are recorded at once, and what is asked about them at the same time. */
const partMax = 64
const concurrency = 16

/** Heads that are remembered while they are not final. */
const marksMax = 24

/** Final blocks that are remembered, in case one is replaced. */
const finalsMax = 16

const makeDeps = (context: EvmContext) => {
  const { books, chain, config, entries, wallet } = context
  const { listed } = makeListing(context)
  const { index, keys, writes } = entries
  const { decimalsOf, payinOf, reportOf } = makePayins(config)
  const { after, downTo, seen } = makeTransfers(context)
  const { book, unbook } = makeBooking(context)
  const proof = makeBalanceProof(context)
  const { arrived } = makeArrivals(context)
  const lookBack = makeLookBack(context)
  return {
    books,
    chain,
    config,
    wallet,
    tokens: config.tokens.map(({ address }) => address),
    listed,
    index,
    keys,
    writes,
    decimalsOf,
    payinOf,
    reportOf,
    after,
    downTo,
    seen,
    book,
    unbook,
    arrived,
    proof,
    lookBack,
    /** The first of the removed deposits that is looked at next. */
    nextRemoved: 0,
    /** Final blocks that were read after the feed's, and are not booked yet. */
    kept: undefined as (Moves & { readonly base: Hex; readonly last: BlockMark }) | undefined
  }
}
type Deps = ReturnType<typeof makeDeps>

const advanceFeed =
  (feed: Feed, { hash, number, timestamp }: Block) =>
  (current: Feed): Feed | undefined =>
    current.final.hash !== feed.final.hash || current.final.number !== feed.final.number
      ? undefined
      : {
          ...current,
          doubt: null,
          again: current.again?.isDoubted === true ? null : (current.again ?? null),
          lined_after: current.lined_after ?? current.final.number,
          final: { number, hash, at: timestamp * 1000 },
          finals: [current.final, ...current.finals].slice(0, finalsMax),
          marks: current.marks.filter((mark) => mark.number > number)
        }

/** Finds transfers of recorded sweeps in blocks up to `final` that the nodes did not list, by the receipts of the sweeps. */
const findUnlistedOutflows = Effect.fnUntraced(function* (
  { listed, index, chain }: Deps,
  final: BlockMark,
  { left }: Moves
) {
  const due = yield* Effect.forEach(
    yield* listed("evm_outflow", index.due),
    Effect.fnUntraced(function* ({ data }) {
      const { address: from, outflow_id: payin_id, token, value } = data as Outflow
      if (left.some((one) => one.payin_id === payin_id)) return []
      const hash = payin_id.split(".", 1)[0] as Hex
      const receipt = yield* chain.receipt(hash)
      if (receipt === null || receipt.block > final.number) return []
      return isInReceipt({ hash, payin_id }, receipt)
        ? [{ block: receipt.block, from, payin_id, token, value } satisfies Left]
        : []
    }),
    { concurrency }
  )
  return due.flat()
})

/**
 * Reads final blocks again that the feed has passed, from the latest to the first, while there is time, and books the deposits
 * that were missing. Booked deposits do not change.
 */
const rereadFinalBlocks = Effect.fnUntraced(function* (deps: Deps, from: Feed) {
  const { arrived, book, chain, downTo, proof } = deps
  let feed = from
  const left = yield* startTimer(againMs)
  for (let range = 0; range < rangesMax && (yield* left); range++) {
    const { again } = feed
    if (again === undefined || again === null) return
    const { last, ...read } = yield* downTo(again.from, again.to, again.hash, left)
    const short = yield* proof.short(read, feed.final)
    // What the books say, and what is held, are of one moment.
    if (short.length > 0 && (yield* hasFeedMoved(deps, feed))) return
    const before = { number: last.number - 1, hash: last.parent }
    const moves = yield* arrived(read, short, before, yield* chain.block(again.to), feed.final)
    const rest = last.number <= again.from ? null : { ...again, to: last.number - 1, hash: last.parent }
    const next = yield* book(moves, (current) =>
      current.again?.from === again.from && current.again.to === again.to ? { ...current, again: rest } : undefined
    )
    if (next === undefined) return
    feed = next
  }
})

/** Drops the first of the marks (blocks with their hashes), up to one whose block is still in the chain. */
const dropReplacedMarks = Effect.fnUntraced(function* ({ chain }: Deps, marks: ReadonlyArray<BlockMark>) {
  for (const [at, mark] of marks.entries()) {
    if ((yield* chain.block(mark.number)).hash === mark.hash) return marks.slice(at)
  }
  return []
})

/** Records and reports deposits in blocks that are not final. `marks`: the blocks to store as read, once all their deposits are recorded. */
const recordDetectedDeposits = Effect.fnUntraced(function* (
  { books, chain, keys, payinOf, reportOf, writes }: Deps,
  feed: Feed,
  found: ReadonlyArray<Found>,
  marks: ReadonlyArray<BlockMark> | undefined
) {
  const payins = found.map((one) => keys.payin(one.payin_id))
  // Only while it is in a block, or waits for one, a node says who sent it.
  const hashes = marks === undefined ? [...new Set(found.map(({ transaction_hash }) => transaction_hash))] : []
  const sent = yield* Effect.forEach(hashes, (hash) => chain.transaction(hash), { concurrency })
  const senders = new Map(sent.flatMap((one) => (one === null ? [] : [[one.hash, one] as const])))
  yield* books.amend([keys.feed, ...payins], ([feedRow, ...rows], now) => {
    const current = readData<Feed>(feedRow)
    if (current === undefined || current.final.number > feed.final.number) return { entries: [], result: undefined }
    const reports: Array<EvmReport> = []
    const written = found.flatMap((one, n) => {
      const known = readData<EvmPayin>(rows[n])
      if (known !== undefined && (known.status === "confirmed" || known.block_hash === one.block_hash)) return []
      const sender = senders.get(one.transaction_hash)
      const payin: EvmPayin = {
        ...payinOf(one, known, now),
        ...(sender === undefined ? {} : { sender: sender.from, sender_nonce: sender.nonce })
      }
      if (known === undefined) reports.push(reportOf("detected", payin, now))
      return [writes.payin(payin)]
    })
    const next = marks === undefined ? current : { ...current, marks }
    return { entries: [...writes.reports(next, reports), ...written], result: undefined }
  })
})

/** Reports new deposits in blocks that are not final, up to the head. */
const reportHeadDeposits = Effect.fnUntraced(function* (deps: Deps, feed: Feed, { head }: View) {
  const { seen, keys, chain, books } = deps
  let marks: ReadonlyArray<BlockMark> = yield* dropReplacedMarks(
    deps,
    feed.marks.filter(({ number }) => number <= head.number)
  )
  const left = yield* startTimer(headMs)
  for (let range = 0; range < rangesMax && (yield* left); range++) {
    const from = (marks[0]?.number ?? feed.final.number) + 1
    if (from > head.number) return
    const { found, to } = yield* seen(from, head.number)
    const before = yield* books.get(found.map((one) => keys.payin(one.payin_id)))
    const known = new Set(before.map(({ id }) => id))
    const fresh = found.filter(({ payin_id }) => !known.has(keys.payin(payin_id).id))
    const others = found.filter(({ payin_id }) => known.has(keys.payin(payin_id).id))
    const last = to === head.number ? head : yield* chain.block(to)
    const read = [{ number: last.number, hash: last.hash }, ...marks].slice(0, marksMax)
    for (let at = 0; at < fresh.length; at += partMax) {
      if (at > 0 && !(yield* left)) return
      yield* recordDetectedDeposits(deps, feed, fresh.slice(at, at + partMax), undefined)
    }
    yield* recordDetectedDeposits(deps, feed, others, read)
    marks = read
  }
})

/**
 * Finds the fate of a recorded deposit that is not among the final ones. A number: this final block has it, and its log was not
 * listed. `gone`: its transaction is final without it, cannot return, or has been missing too long. Undefined: it may return.
 */
const findDepositFate = Effect.fnUntraced(function* ({ chain, config }: Deps, payin: EvmPayin, { final }: View) {
  const receipt = yield* chain.receipt(payin.hash)
  if (receipt !== null && receipt.block <= final.number) return isInReceipt(payin, receipt) ? receipt.block : "gone"
  const now = yield* Clock.currentTimeMillis
  if (now - (payin.seen_at ?? payin.detected_at) >= config.gone_after_ms) return "gone"
  if (payin.sender === null || payin.sender_nonce === null) return undefined
  return (yield* chain.count(payin.sender, final.number)) > payin.sender_nonce ? "gone" : undefined
})

/** Fails detected deposits whose block is no longer in the chain, and which will not return. */
const failRemovedPayins = Effect.fnUntraced(function* (deps: Deps, feed: Feed, view: View) {
  const { decimalsOf, listed, index, lookBack, books, keys, tokens, writes, reportOf } = deps
  const rows = yield* listed("evm_payin", index.detected)
  // Up to here the chain has been read to its final block, and everything in it is confirmed.
  const removed = rows
    .map(({ data }) => data as EvmPayin)
    .filter((payin) => payin.block <= feed.final.number && decimalsOf(payin) !== undefined)
  const left = yield* startTimer(headMs)
  for (let looked = 0; looked < removed.length; looked++) {
    if (looked > 0 && !(yield* left)) return
    const payin = removed[deps.nextRemoved++ % removed.length]!
    const fate = yield* findDepositFate(deps, payin, view)
    if (typeof fate === "number" && tokens.includes(payin.token) && (feed.again ?? null) === null)
      yield* lookBack.begin(feed, fate)
    if (fate !== "gone") continue
    yield* books.amend(
      [keys.feed, keys.payin(payin.payin_id), keys.address(payin.to)],
      ([feedRow, payinRow, row], now) => {
        const current = readData<Feed>(feedRow)
        const known = readData<EvmPayin>(payinRow)
        if (current === undefined || known?.status !== "detected" || known.block_hash !== payin.block_hash)
          return { entries: [], result: undefined }
        const failed = countReport(known, "failed")
        const address = readData<EvmAddress>(row)
        const taken =
          known.credited && address !== undefined
            ? [
                writes.address({
                  ...address,
                  unswept: addToSum(address.unswept, known.token, -BigInt(known.amount))
                })
              ]
            : []
        return {
          entries: [...writes.reports(current, [reportOf("failed", failed, now)]), writes.payin(failed), ...taken],
          result: undefined
        }
      }
    )
  }
})

/**
 * Moves the feed back to the last block that is still in the chain, because a final block was replaced: `confirmations` is too
 * low, or the chain failed. Deposits confirmed since may have to be reversed.
 */
const rewindFeed = Effect.fnUntraced(function* (deps: Deps, feed: Feed) {
  const { config, chain, books, keys, writes, unbook } = deps
  yield* Effect.logError(`${config.name}: block ${feed.final.number} was final, and has been replaced`)
  const [found] = yield* dropReplacedMarks(deps, feed.finals)
  const oldest = feed.finals.at(-1)?.number ?? feed.final.number
  const to = found ?? (yield* chain.block(Math.max(0, oldest - config.block_range)))
  // First, so that nothing is read before all of it is taken back, by whichever node.
  const back = yield* books.amend([keys.feed], ([row]) => {
    const current = readData<Feed>(row)
    if (current?.final.hash !== feed.final.hash || current.replaced !== undefined)
      return { entries: [], result: current }
    const back: Feed = {
      ...current,
      replaced: { after: to.number, last: feed.final.number, hash: feed.final.hash },
      final: { number: to.number, hash: to.hash },
      finals: current.finals.filter(({ number }) => number < to.number),
      marks: [],
      // What is to be read again of the blocks up to one.
      again:
        current.again === undefined || current.again === null || current.again.to < to.number
          ? (current.again ?? null)
          : planReread(current.again.from, to)
    }
    return { entries: writes.reports(back, []), result: back }
  })
  return back?.replaced === undefined ? back : yield* unbook(back.replaced)
})

const readFeed = (deps: Deps) => deps.books.read<Feed>(deps.keys.feed)

/** Reads the balances of the hot wallet at the feed's first block. The adapter has no other address then. */
const readOpeningBalances = Effect.fnUntraced(function* ({ chain, tokens, wallet }: Deps, final: Block) {
  const held = yield* Effect.forEach(tokens, (token) =>
    Effect.map(readHoldings(chain, token, [wallet], final), (units) => [token, units.toString()] as const)
  )
  return { block: final.number, at: final.timestamp * 1000, held: Object.fromEntries(held) } satisfies FirstHolding
})

/** Reads the feed. The first call creates it at the current final block: no deposit address exists before. */
const ensureFeed = (deps: Deps) =>
  Effect.gen(function* () {
    const { books, chain, keys, writes } = deps
    const known = yield* readFeed(deps)
    if (known !== undefined) return known
    const { final } = yield* chain.view
    // Without it, the first statement has no opening balance, and nothing else is lost.
    const opening = Option.getOrUndefined(yield* Effect.option(readOpeningBalances(deps, final)))
    return yield* books.amend([keys.feed], ([row]) => {
      const kept = readData<Feed>(row)
      if (kept !== undefined) return { entries: [], result: kept }
      const { hash, number, timestamp } = final
      const fresh: Feed = {
        next: 0,
        first: number,
        ...(opening && { opening }),
        lined_after: number,
        final: { number, hash, at: timestamp * 1000 },
        finals: [],
        marks: []
      }
      return { entries: writes.reports(fresh, []), result: fresh }
    })
  })
/** Whether another node of Corridor has moved the feed meanwhile. */
const hasFeedMoved = (deps: Deps, feed: Feed) =>
  Effect.map(readFeed(deps), (now) => now?.final.hash !== feed.final.hash)
/**
 * Reads and books the blocks that have become final. They are held until they reach the view's final block, linked by their hashes, and are
 * booked only if the addresses' balances at that block agree with the state store; otherwise the feed stays where it is.
 */
const bookFinalBlocks = Effect.fnUntraced(function* (deps: Deps, feed: Feed, { final }: View) {
  const { after, arrived, book, chain, lookBack, proof } = deps
  if (feed.final.number === final.number) return feed
  const base = feed.final.hash
  let held = deps.kept?.base === base ? deps.kept : { base, last: feed.final, found: [], left: [], through: [] }
  const hasTime = yield* startTimer(finalMs)
  for (let range = 0; range < rangesMax && held.last.number < final.number && (yield* hasTime); range++) {
    const read = yield* Effect.result(after(held.last, final.number, hasTime))
    if (Result.isFailure(read)) {
      // What is held is of another fork: it is read anew.
      const last = yield* Effect.option(chain.block(held.last.number))
      if (Option.isSome(last) && last.value.hash !== held.last.hash) deps.kept = undefined
      return yield* read.failure
    }
    const { found, last, left, through } = read.success
    held = {
      base,
      last,
      found: [...held.found, ...found],
      left: [...held.left, ...left],
      through: [...held.through, ...through]
    }
    deps.kept = held
  }
  if (held.last.number !== final.number) {
    if ((feed.doubt ?? null) === null) return feed
    // Until it is proven that nothing is missing, this is no success.
    return yield* new ProviderFault({
      message: `logs are missing; blocks ${feed.final.number + 1} to ${final.number} are read again, up to ${held.last.number} until now`
    })
  }
  deps.kept = undefined
  if (held.last.hash !== final.hash)
    return yield* new ProviderFault({ message: `there are two blocks ${final.number}, both final` })
  const moves = { ...held, left: [...held.left, ...(yield* findUnlistedOutflows(deps, final, held))] }
  const { difference, short } = yield* proof.agreement(feed, moves, final)
  if (difference !== undefined && !(yield* hasFeedMoved(deps, feed)))
    return yield* lookBack.doubted(feed, final, difference)
  // Another node may read the same chain, and be first.
  return difference === undefined
    ? ((yield* book(yield* arrived(moves, short, feed.final, final, final), advanceFeed(feed, final))) ??
        (yield* readFeed(deps)))
    : yield* readFeed(deps)
})

export const makeDeposits = (context: EvmContext) => {
  const deps = makeDeps(context)
  const { chain, lookBack } = deps
  return {
    ensure: ensureFeed(deps),

    /** Schedules another reading of the final blocks from a number on. Returns their range. Deposits that are known do not change. */
    rescan: (from: number) => Effect.flatMap(ensureFeed(deps), (feed) => lookBack.begin(feed, from)),

    /** The blocks of a rescan that are still unread, for people. Null: no rescan is open. */
    rescanning: Effect.map(readFeed(deps), (feed) => {
      const again = feed?.again ?? null
      return again === null ? null : `blocks ${again.from} to ${again.to} are still to be read again`
    }),

    /** The last final block that was read. */
    lastBlock: Effect.map(readFeed(deps), (feed) =>
      feed === undefined ? null : { number: feed.final.number, at: feed.final.at ?? null }
    ),

    /**
     * Reads new blocks, and records events for the engine. Errors: `ProviderFault` when the nodes do not answer, or disagree, or lack
     * deposits: nothing later is credited.
     */
    watch: Effect.fnUntraced(function* (view: View) {
      const found = yield* ensureFeed(deps)
      const known = found.replaced === undefined ? found : ((yield* deps.unbook(found.replaced)) ?? found)
      const { number } = known.final
      if (view.final.number < number) return
      const final = number === view.final.number ? view.final : yield* chain.block(number)
      const feed = final.hash === known.final.hash ? known : yield* rewindFeed(deps, known)
      if (feed === undefined) return
      // Blocks that cannot be read again hold up no new ones.
      const again = yield* Effect.result(rereadFinalBlocks(deps, feed))
      const complete = yield* bookFinalBlocks(deps, feed, view)
      if (complete !== undefined && complete.final.number >= view.final.number) {
        yield* reportHeadDeposits(deps, complete, view)
        yield* failRemovedPayins(deps, complete, view)
      }
      if (Result.isFailure(again)) return yield* again.failure
    })
  }
}

export type EvmDeposits = ReturnType<typeof makeDeposits>
