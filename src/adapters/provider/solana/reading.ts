/**
 * One reading of the chain: what came in, and what became of what went out.
 *
 * The cursor is a finalized slot: the engine has committed the events of all that was final at it. An entry stays open, and
 * its event is reported at every reading, until the cursor has passed it by {@link overlap}. An account that a node which
 * answers otherwise cannot show (a transaction of a form that it refuses, say) does not hold up the others: the cursor moves,
 * and the account is read from where it was.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { ProviderEvent } from "../../../engine/ports/Provider.ts"
import { markBehind, watchedAccounts } from "./addresses.ts"
import type { Context } from "./config.ts"
import { creditsAbove } from "./credits.ts"
import { liveAttempt, type Outgoing, type SeenPayin } from "./entries.ts"
import { openEntries } from "./open-entries.ts"
import { closeOutgoing, follow } from "./outgoing.ts"
import { closePayin, type Finality, followPayin, seen, reportOf, type Watched } from "./payins.ts"
import { accountsMax, type RpcNode } from "./rpc.ts"
import { sweep } from "./sweeps.ts"

/** Slots that are read again, because a node may list a transaction a moment after its block is final: a minute. */
export const overlap = 150

/** Requests of one reading at the same time. */
const concurrency = 8

interface Holding {
  readonly watched: Watched
  /** The final balance, at slot `at` or later. */
  readonly final: bigint
  readonly isEmpty: boolean
}

/**
 * The balances of all watched accounts, and the highest slot at which one was read.
 *
 * An account whose balance is zero, both final and confirmed, has no credit that was not reported: a sweep takes only what was
 * reported. Its history need not be read.
 */
const holdings = Effect.fnUntraced(function* (node: RpcNode, watched: ReadonlyArray<Watched>, slot: number) {
  const parts: Array<ReadonlyArray<Watched>> = []
  for (let i = 0; i < watched.length; i += accountsMax) parts.push(watched.slice(i, i + accountsMax))
  const read = yield* Effect.forEach(
    parts,
    Effect.fnUntraced(function* (part) {
      const accounts = part.map(({ account }) => account)
      const final = yield* node.accounts(accounts, "finalized", slot)
      const confirmed = yield* node.accounts(accounts, "confirmed", slot)
      const found = part.map((one, i): Holding => {
        const amount = final.accounts[i]?.token?.amount ?? 0n
        const isEmpty = amount === 0n && (confirmed.accounts[i]?.token?.amount ?? 0n) === 0n
        return { watched: one, final: amount, isEmpty }
      })
      return { slot: final.slot, found }
    }),
    { concurrency }
  )
  return { top: Math.max(slot, ...read.map((one) => one.slot)), found: read.flatMap(({ found }) => found) }
})

/** Reads one account. Returns the events, and whether all that was reported before is committed. */
const readAccount = Effect.fnUntraced(function* (
  context: Context,
  node: RpcNode,
  { watched }: Holding,
  known: ReadonlyArray<SeenPayin>,
  {
    from,
    after,
    top,
    slot
  }: { readonly from: number; readonly after: number; readonly top: number; readonly slot: number }
) {
  const { merchant_id } = watched.address
  const credits = yield* creditsAbove(node, watched.account, from - overlap, top)
  const height = credits.every(({ isFinal }) => isFinal) ? 0 : (yield* node.epoch("confirmed")).height
  const finality: Finality = { slot, height }
  const payins = new Map<string, SeenPayin>(known.map((payin) => [payin.payin_id, payin]))
  for (const credit of credits) {
    const payin = yield* seen(context, watched, credit, finality)
    payins.set(payin.payin_id, payin)
  }
  const events: Array<ProviderEvent> = []
  let isReported = true
  for (const payin of payins.values()) {
    const isListed = credits.some(({ signature }) => signature === payin.signature)
    const isUndecided = payin.confirmed_at === null && payin.failed_at === null
    const now = isUndecided && !isListed ? yield* followPayin(context, node, watched, payin, finality) : payin
    const decided = now.confirmed_at ?? now.failed_at
    if (decided !== null && decided + overlap <= after) {
      if (known.some(({ payin_id }) => payin_id === now.payin_id)) yield* closePayin(context, merchant_id, now.payin_id)
      continue
    }
    isReported = false
    events.push(reportOf(context, now))
  }
  return { events, isReported }
})

const eventOf = (outgoing: Outgoing): ReadonlyArray<ProviderEvent> => {
  const { ended, purpose, command_id, resource_id, merchant_id } = outgoing
  if (ended === null || purpose === "sweep") return []
  const about = { event_id: `${command_id}.${ended.outcome.outcome}`, resource_id }
  if (purpose === "payout") return [{ _tag: "movement", merchant_id, ...about, ...ended.outcome }]
  const { outcome, reason, provider_reference = null } = ended.outcome
  return [
    {
      _tag: "refund",
      merchant_id: null,
      ...about,
      outcome: outcome === "success" ? "success" : "failed",
      reason,
      provider_reference
    }
  ]
}

/** Follows one open transfer. One that no node can tell about stays open. */
const readOutgoing = Effect.fnUntraced(function* (context: Context, outgoing: Outgoing, after: number, slot: number) {
  if (outgoing.ended !== null) {
    if ((outgoing.ended.seen_at ?? 0) + overlap > after) return eventOf(outgoing)
    yield* closeOutgoing(context, outgoing)
    return []
  }
  const live = liveAttempt(outgoing)
  if (live === undefined) return []
  const status = yield* follow(context, outgoing, live, slot)
  if (status._tag !== "settled") return []
  return eventOf({ ...outgoing, ended: { outcome: status.outcome, slot, seen_at: slot } })
})

const readWith = Effect.fnUntraced(function* (context: Context, node: RpcNode, after: number) {
  const { slot } = yield* node.epoch("finalized")
  if (slot < after)
    return yield* new ProviderFault({ message: `the Solana node is at slot ${slot}, before the cursor ${after}` })
  const watched = yield* watchedAccounts(context)
  const known = yield* openEntries<SeenPayin>(context, "solana_payin")
  const { found, top } = yield* holdings(node, watched, slot)
  const isActive = ({ watched: { account }, isEmpty }: Holding): boolean =>
    !isEmpty || known.some((payin) => payin.account === account)
  const readings = yield* Effect.forEach(
    found.filter(isActive),
    Effect.fnUntraced(function* (holding) {
      const { watched: one } = holding
      const payins = known.filter(({ account }) => account === one.account)
      const behind = one.address.behind?.[one.account]
      const from = Math.min(behind ?? after, after)
      const read = yield* Effect.result(readAccount(context, node, holding, payins, { from, after, top, slot }))
      if (read._tag === "Failure") {
        yield* node.epoch("finalized")
        yield* markBehind(context, one, from)
        return { events: [], holding, isReported: false }
      }
      if (behind !== undefined && read.success.isReported) yield* markBehind(context, one, null)
      return { ...read.success, holding }
    }),
    { concurrency }
  )
  const outgoings = yield* openEntries<Outgoing>(context, "solana_outgoing")
  const ends = yield* Effect.forEach(outgoings, (one) => readOutgoing(context, one, after, slot), { concurrency })
  for (const { holding, isReported } of readings)
    if (isReported) yield* Effect.ignore(sweep(context, holding.watched, holding.final))
  return { events: [...readings.flatMap(({ events }) => events), ...ends.flat()], cursor: String(slot) }
})

/** The events after a cursor, from the first node that can tell all of them. */
export const readAfter = Effect.fnUntraced(function* (context: Context, cursor: string | null) {
  const after = cursor === null ? 0 : Number(cursor)
  if (!Number.isSafeInteger(after) || after < 0)
    return yield* new ProviderFault({ message: `${JSON.stringify(cursor)} is not a cursor of the Solana adapter` })
  return yield* context.nodes.first((node) => readWith(context, node, after))
})
