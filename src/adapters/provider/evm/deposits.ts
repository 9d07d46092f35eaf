/**
 * Finds deposits by reading the token's transfers, block after block.
 *
 * A deposit is `detected` at the head, and `confirmed` when its block is final. The blocks between are read again from the last
 * one that is still in the chain: removed blocks are known by their hashes, not by what nodes say about removed logs. A deposit
 * whose block was removed goes on when it is mined again. It fails when it cannot be mined any more, because a final transaction
 * took its sender's nonce, or when it stays away too long.
 *
 * The id of a pay-in consists of what a reorganisation cannot change: the transaction, what was transferred, and its place
 * among equal transfers of the transaction. The place of the log in its block would change.
 */
import { Clock, Effect } from "effect"
import { concatHex, type Hex, keccak256, numberToHex } from "viem"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { PayinEvent } from "../../../engine/ports/Provider.ts"
import type { Block, FoundTransfer, View } from "./chain.ts"
import { amountOf, type Token, shown } from "./config.ts"
import {
  type Address,
  dataOf,
  type EvmKey,
  type Feed,
  type Mark,
  type Payin,
  type PayinStage,
  type Report,
  adjusted
} from "./entries.ts"
import { makeListing } from "./listing.ts"
import { type Context, unreadable } from "./slots.ts"

/** Reads of one call, so that a call that catches up ends. */
const rangesMax = 25

/** Heads that are remembered while they are not final. */
const marksMax = 24

/** Final blocks that are remembered, in case one is replaced. */
const finalsMax = 16

const pageSize = 100

interface Found extends FoundTransfer {
  readonly payin_id: string
}

/** The transfers with the ids of their pay-ins. */
export const identified = (transfers: ReadonlyArray<FoundTransfer>): ReadonlyArray<Found> => {
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

export const makeDeposits = (context: Context) => {
  const { books, chain, config, entries } = context
  const { confirmedAfter, listed } = makeListing(context)
  const { index, keys, writes } = entries
  const tokens = new Map<Hex, Token>(config.tokens.map((token) => [token.address, token]))

  const read = (wanted: ReadonlyArray<EvmKey>) => Effect.mapError(books.storage.get(wanted), unreadable)

  const feedOf = Effect.map(read([keys.feed]), ([row]) => dataOf<Feed>(row))

  /** The feed. The first call begins it at the final block of that moment: no address existed before. */
  const ensure = Effect.gen(function* () {
    const known = yield* feedOf
    if (known !== undefined) return known
    const { final } = yield* chain.view
    return yield* Effect.mapError(
      books.amend([keys.feed], ([row]) => {
        const kept = dataOf<Feed>(row)
        if (kept !== undefined) return { entries: [], result: kept }
        const fresh: Feed = { next: 0, final: { number: final.number, hash: final.hash }, finals: [], marks: [] }
        return { entries: writes.reports(fresh, []), result: fresh }
      }),
      unreadable
    )
  })

  /** The transfers of a range, or of as much of it as the nodes give at once. */
  const readable = (
    from: number,
    to: number
  ): Effect.Effect<{ readonly found: ReadonlyArray<Found>; readonly to: number }, ProviderFault> =>
    chain.transfers([...tokens.keys()], from, to).pipe(
      Effect.map((found) => ({ found: identified(found), to })),
      // Nodes limit their answers, each in its own way.
      Effect.catch((fault) => (to === from ? Effect.fail(fault) : readable(from, from + Math.floor((to - from) / 2))))
    )

  /** Those transfers of a range that pay one of our addresses. */
  const paid = Effect.fnUntraced(function* (from: number, until: number) {
    const { found, to } = yield* readable(from, Math.min(until, from + config.block_range - 1))
    const recipients = [...new Set(found.map((one) => one.to))]
    const ours = new Set<string>()
    for (let at = 0; at < recipients.length; at += pageSize) {
      const rows = yield* read(recipients.slice(at, at + pageSize).map(keys.address))
      for (const row of rows) ours.add((row.data as Address).address)
    }
    return { found: found.filter((one) => ours.has(one.to)), to }
  })

  const eventOf = (stage: PayinStage, payin: Payin): PayinEvent => ({
    _tag: "payin",
    // What was credited, removed and failed can still return.
    event_id: `${payin.payin_id}:${stage}${stage === "confirmed" && payin.credited ? ":again" : ""}`,
    payin_id: payin.payin_id,
    stage,
    target: shown(payin.to),
    amount: amountOf(BigInt(payin.amount), tokens.get(payin.token)?.decimals ?? 0),
    currency: payin.currency,
    network: config.network,
    transaction_hash: payin.hash,
    from_address: shown(payin.from),
    sender: null,
    narration: null,
    observed_at: payin.detected_at
  })

  const reportOf = (stage: PayinStage, payin: Payin, now: number): Report => {
    const event = eventOf(stage, payin)
    if (stage === "detected") return { event, lines: [] }
    const line = {
      id: event.event_id,
      booked_at: now,
      direction: stage === "confirmed" ? ("credit" as const) : ("debit" as const),
      amount: event.amount,
      currency: payin.currency,
      command_id: null,
      payin_id: payin.payin_id,
      provider_reference: payin.hash,
      transaction_hash: payin.hash,
      narration: null
    }
    return { event, lines: stage === "confirmed" || payin.credited ? [line] : [] }
  }

  const payinOf = (found: Found, known: Payin | undefined, now: number): Payin => ({
    status: "detected",
    detected_at: now,
    refunded: "0",
    credited: false,
    sender: null,
    sender_nonce: null,
    ...known,
    payin_id: found.payin_id,
    currency: tokens.get(found.token)?.currency ?? "",
    token: found.token,
    amount: found.value,
    from: found.from,
    to: found.to,
    hash: found.transaction_hash,
    block: found.block,
    block_hash: found.block_hash
  })

  /** Confirms the deposits of final blocks, and moves the feed to the last of them. */
  const confirm = Effect.fnUntraced(function* (feed: Feed, found: ReadonlyArray<Found>, last: Block) {
    const payins = found.map((one) => keys.payin(one.payin_id))
    const addresses = [...new Set(found.map((one) => one.to))]
    return yield* Effect.mapError(
      books.amend([keys.feed, ...payins, ...addresses.map(keys.address)], ([feedRow, ...rows], now) => {
        const current = dataOf<Feed>(feedRow)
        if (current?.final.hash !== feed.final.hash || current.final.number !== feed.final.number) {
          return { entries: [], result: undefined }
        }
        const credited = new Map<Hex, Address>()
        const reports: Array<Report> = []
        const written = found.flatMap((one, n) => {
          const known = dataOf<Payin>(rows[n])
          if (known?.status === "confirmed") return []
          const payin: Payin = { ...payinOf(one, known, now), status: "confirmed" }
          // The engine has credited it already, and the address has it in its books.
          if (known?.status === "detected" && known.credited) return [writes.payin({ ...payin, credited: false })]
          reports.push(reportOf("confirmed", payin, now))
          const place = addresses.indexOf(one.to)
          const address = credited.get(one.to) ?? dataOf<Address>(rows[payins.length + place])
          if (address !== undefined) {
            credited.set(one.to, { ...address, unswept: adjusted(address.unswept, one.token, BigInt(one.value)) })
          }
          return [writes.payin(payin)]
        })
        const next: Feed = {
          ...current,
          final: { number: last.number, hash: last.hash },
          finals: [current.final, ...current.finals].slice(0, finalsMax),
          marks: current.marks.filter((mark) => mark.number > last.number)
        }
        return {
          entries: [...writes.reports(next, reports), ...written, ...[...credited.values()].map(writes.address)],
          result: { ...next, next: next.next + reports.length }
        }
      }),
      unreadable
    )
  })

  /** Reads the blocks that have become final. */
  const readFinal = Effect.fnUntraced(function* (from: Feed, { final }: View) {
    let feed = from
    for (let range = 0; range < rangesMax && feed.final.number < final.number; range++) {
      const { found, to } = yield* paid(feed.final.number + 1, final.number)
      const moved = yield* confirm(feed, found, to === final.number ? final : yield* chain.block(to))
      // Another node reads the same chain, and was first.
      if (moved === undefined) return yield* feedOf
      feed = moved
    }
    return feed
  })

  const stillThere = Effect.fnUntraced(function* (marks: ReadonlyArray<Mark>) {
    for (const [at, mark] of marks.entries()) {
      if ((yield* chain.block(mark.number)).hash === mark.hash) return marks.slice(at)
    }
    return []
  })

  /** Reports new deposits in blocks that are not final, up to the head. */
  const readHead = Effect.fnUntraced(function* (feed: Feed, { head }: View) {
    let marks: ReadonlyArray<Mark> = yield* stillThere(feed.marks.filter(({ number }) => number <= head.number))
    for (let range = 0; range < rangesMax; range++) {
      const from = (marks[0]?.number ?? feed.final.number) + 1
      if (from > head.number) return
      const { found, to } = yield* paid(from, head.number)
      const payins = found.map((one) => keys.payin(one.payin_id))
      const before = yield* read(payins)
      const known = new Set(before.map(({ id }) => id))
      const senders = new Map<Hex, { readonly from: Hex; readonly nonce: number }>()
      for (const { payin_id, transaction_hash } of found) {
        if (known.has(keys.payin(payin_id).id) || senders.has(transaction_hash)) continue
        const transaction = yield* chain.transaction(transaction_hash)
        if (transaction !== null) senders.set(transaction_hash, transaction)
      }
      const last = to === head.number ? head : yield* chain.block(to)
      marks = [{ number: last.number, hash: last.hash }, ...marks].slice(0, marksMax)
      const kept = marks
      yield* Effect.mapError(
        books.amend([keys.feed, ...payins], ([feedRow, ...rows], now) => {
          const current = dataOf<Feed>(feedRow)
          if (current === undefined || current.final.number > feed.final.number)
            return { entries: [], result: undefined }
          const reports: Array<Report> = []
          const written = found.flatMap((one, n) => {
            const known = dataOf<Payin>(rows[n])
            if (known !== undefined && (known.status === "confirmed" || known.block_hash === one.block_hash)) return []
            const sender = senders.get(one.transaction_hash)
            const payin: Payin = {
              ...payinOf(one, known, now),
              ...(sender === undefined ? {} : { sender: sender.from, sender_nonce: sender.nonce })
            }
            if (known === undefined) reports.push(reportOf("detected", payin, now))
            return [writes.payin(payin)]
          })
          return { entries: [...writes.reports({ ...current, marks: kept }, reports), ...written], result: undefined }
        }),
        unreadable
      )
    }
  })

  /** Whether a deposit that is not in the chain can never return, or is away too long. */
  const isGone = Effect.fnUntraced(function* (payin: Payin, { final }: View) {
    const now = yield* Clock.currentTimeMillis
    if (now - payin.detected_at >= config.gone_after_ms) return true
    if (payin.sender === null || payin.sender_nonce === null) return false
    if ((yield* chain.count(payin.sender, final.number)) <= payin.sender_nonce) return false
    const receipt = yield* chain.receipt(payin.hash)
    return receipt === null || receipt.block > final.number
  })

  /** Ends deposits that were detected in a block that is no longer in the chain, and will not come back. */
  const dropRemoved = Effect.fnUntraced(function* (feed: Feed, view: View) {
    for (const row of yield* listed("evm_payin", index.detected)) {
      const payin = row.data as Payin
      // Up to here the chain has been read to its final block, and everything in it is confirmed.
      if (payin.block > feed.final.number || !(yield* isGone(payin, view))) continue
      yield* Effect.mapError(
        books.amend(
          [keys.feed, keys.payin(payin.payin_id), keys.address(payin.to)],
          ([feedRow, payinRow, row], now) => {
            const current = dataOf<Feed>(feedRow)
            const known = dataOf<Payin>(payinRow)
            if (current === undefined || known?.status !== "detected" || known.block_hash !== payin.block_hash) {
              return { entries: [], result: undefined }
            }
            const failed: Payin = { ...known, status: "failed" }
            const address = dataOf<Address>(row)
            const taken =
              known.credited && address !== undefined
                ? [
                    writes.address({
                      ...address,
                      unswept: adjusted(address.unswept, known.token, -BigInt(known.amount))
                    })
                  ]
                : []
            return {
              entries: [...writes.reports(current, [reportOf("failed", failed, now)]), writes.payin(failed), ...taken],
              result: undefined
            }
          }
        ),
        unreadable
      )
    }
  })

  /**
   * Goes back to the last block that is still in the chain, because a block that was final is not: `confirmations` is too low,
   * or the chain failed. What was confirmed since may have to be taken back.
   */
  const rewind = Effect.fnUntraced(function* (feed: Feed) {
    yield* Effect.logError(`${config.name}: block ${feed.final.number} was final, and has been replaced`)
    const [found] = yield* stillThere(feed.finals)
    const oldest = feed.finals.at(-1)?.number ?? feed.final.number
    const to = found ?? (yield* chain.block(Math.max(0, oldest - config.block_range)))
    for (const payin_id of yield* confirmedAfter(to.number, feed.final.number)) {
      yield* Effect.mapError(
        books.amend([keys.payin(payin_id)], ([current]) => {
          const payin = dataOf<Payin>(current)
          if (payin?.status !== "confirmed") return { entries: [], result: undefined }
          return { entries: [writes.payin({ ...payin, status: "detected", credited: true })], result: undefined }
        }),
        unreadable
      )
    }
    return yield* Effect.mapError(
      books.amend([keys.feed], ([row]) => {
        const current = dataOf<Feed>(row)
        if (current?.final.hash !== feed.final.hash) return { entries: [], result: current }
        const back: Feed = {
          ...current,
          final: { number: to.number, hash: to.hash },
          finals: current.finals.filter(({ number }) => number < to.number),
          marks: []
        }
        return { entries: writes.reports(back, []), result: back }
      }),
      unreadable
    )
  })

  return {
    ensure,

    /**
     * Reads what is new on the chain, and records what the engine is to be told.
     *
     * Errors: `ProviderFault` when the nodes do not answer, or disagree.
     */
    watch: Effect.fnUntraced(function* (view: View) {
      const known = yield* ensure
      const { number } = known.final
      if (view.final.number < number) return
      const final = number === view.final.number ? view.final : yield* chain.block(number)
      const feed = final.hash === known.final.hash ? known : yield* rewind(known)
      if (feed === undefined) return
      const moved = yield* readFinal(feed, view)
      if (moved === undefined || moved.final.number < view.final.number) return
      yield* readHead(moved, view)
      yield* dropRemoved(moved, view)
    })
  }
}

export type Deposits = ReturnType<typeof makeDeposits>
