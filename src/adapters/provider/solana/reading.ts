/**
 * One reading of the chain: what came in, and what became of what went out.
 *
 * The cursor is a finalized slot: the engine has committed the events of all that was final at it. An entry stays open, and
 * its event is reported, until the cursor has passed it by {@link overlap}. A reading that takes too long ends with a cursor
 * `after/goal/account`: the accounts up to this one were read up to slot `goal`, and the next reading goes on from there.
 */
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { ProviderEvent } from "../../../engine/ports/Provider.ts"
import { overlap, type Reading, readAccount } from "./account-reading.ts"
import { markBehind, watchedAccounts } from "./addresses.ts"
import type { Context } from "./config.ts"
import { liveAttempt, type Outgoing, type SeenPayin } from "./entries.ts"
import { openEntries } from "./open-entries.ts"
import { closeOutgoing, follow } from "./outgoing.ts"
import type { Watched } from "./payins.ts"
import { accountsMax, type RpcNode } from "./rpc.ts"
import { sweep } from "./sweeps.ts"

/** Accounts, or transfers, that are read at the same time. */
const concurrency = 8

/** A cursor that moves by less is not worth a page without new events. */
const step = overlap / 2

interface Position {
  readonly after: number
  /** The reading under way: its slot, and the last account that it has read. */
  readonly goal: number | null
  readonly last: string
}

interface Holding {
  readonly watched: Watched
  /** The final balance. */
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

const nothing = { events: [], isNew: false } as const

/** Follows one open transfer. */
const readOutgoing = Effect.fnUntraced(function* (context: Context, outgoing: Outgoing, { after, slot }: Reading) {
  if (outgoing.ended !== null) {
    const { seen_at } = outgoing.ended
    if ((seen_at ?? 0) + overlap > after) return { events: eventOf(outgoing), isNew: (seen_at ?? 0) > after }
    yield* closeOutgoing(context, outgoing)
    return nothing
  }
  const live = liveAttempt(outgoing)
  if (live === undefined) return nothing
  const status = yield* follow(context, outgoing, live, slot)
  if (status._tag !== "settled") return nothing
  return { events: eventOf({ ...outgoing, ended: { outcome: status.outcome, slot, seen_at: slot } }), isNew: true }
})

/** Reads accounts in their order until the deadline. `last` is the last one that was read; null: all were. */
const readAccounts = Effect.fnUntraced(function* (
  context: Context,
  node: RpcNode,
  active: ReadonlyArray<Holding>,
  known: ReadonlyArray<SeenPayin>,
  reading: Reading
) {
  const events: Array<ProviderEvent> = []
  let isNew = false
  for (let at = 0; at < active.length; at += concurrency) {
    const part = active.slice(at, at + concurrency)
    const read = yield* Effect.forEach(
      part,
      Effect.fnUntraced(function* ({ watched, final }) {
        const payins = known.filter(({ account }) => account === watched.account)
        const found = yield* readAccount(context, node, watched, payins, reading)
        if (found.isReported) yield* Effect.ignore(sweep(context, watched, final))
        return found
      }),
      { concurrency }
    )
    for (const one of read) {
      events.push(...one.events)
      isNew ||= one.isNew
    }
    const isLate = (yield* Clock.currentTimeMillis) > reading.deadline
    if (isLate && at + concurrency < active.length) return { events, isNew, last: part.at(-1)!.watched.account }
  }
  return { events, isNew, last: null }
})

const readWith = Effect.fnUntraced(function* (context: Context, node: RpcNode, { after, goal, last }: Position) {
  const begun_at = yield* Clock.currentTimeMillis
  const { slot } = yield* node.epoch("finalized")
  if (slot < Math.max(after, goal ?? 0))
    return yield* new ProviderFault({ message: `the Solana node is at slot ${slot}, before the cursor ${after}` })
  const watched = yield* watchedAccounts(context)
  const known = yield* openEntries<SeenPayin>(context, "solana_payin")
  const { found, top } = yield* holdings(node, watched, slot)
  const withEntries = new Set(known.map(({ account }) => account))
  const active = found
    .filter(({ watched: { account }, isEmpty }) => account > last && (!isEmpty || withEntries.has(account)))
    .sort((a, b) => (a.watched.account < b.watched.account ? -1 : 1))
  const reading: Reading = { after, slot, top, begun_at, deadline: begun_at + context.reading_ms }
  const accounts = yield* readAccounts(context, node, active, known, reading)
  const outgoings = yield* openEntries<Outgoing>(context, "solana_outgoing")
  // A transfer that cannot be followed now stays open, and is followed by the next reading.
  const ends = yield* Effect.forEach(
    outgoings,
    (one) => Effect.orElseSucceed(readOutgoing(context, one, reading), () => nothing),
    { concurrency }
  )
  const events = [...accounts.events, ...ends.flatMap((one) => one.events)]
  if (accounts.last !== null) return { events, cursor: `${after}/${goal ?? slot}/${accounts.last}` }
  const next = goal ?? slot
  const isNew = accounts.isNew || ends.some((one) => one.isNew)
  return isNew || goal !== null || next >= after + step
    ? { events, cursor: String(next) }
    : { events: [], cursor: String(after) }
})

const positionIn = (cursor: string | null): Position | undefined => {
  if (cursor === null) return { after: 0, goal: null, last: "" }
  const [, after, goal, last = ""] = /^(\d{1,15})(?:\/(\d{1,15})\/(\w+))?$/.exec(cursor) ?? []
  return after === undefined
    ? undefined
    : { after: Number(after), goal: goal === undefined ? null : Number(goal), last }
}

/** The events after a cursor, from the first node that can tell all of them. */
export const readAfter = Effect.fnUntraced(function* (context: Context, cursor: string | null) {
  const position = positionIn(cursor)
  if (position === undefined)
    return yield* new ProviderFault({ message: `${JSON.stringify(cursor)} is not a cursor of the Solana adapter` })
  return yield* context.nodes.first((node) => readWith(context, node, position))
})

/** Has every account read again from a slot on. An account that holds nothing has nothing that was missed. */
export const rescan = Effect.fnUntraced(function* (context: Context, from: number) {
  const { slot } = yield* context.nodes.first((node) => node.epoch("finalized"))
  for (const one of yield* watchedAccounts(context))
    yield* markBehind(context, one, (known) => Math.min(from, known ?? from))
  return { from, to: slot }
})
