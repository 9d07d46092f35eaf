/**
 * One reading of the chain: what came in, and what became of what went out.
 *
 * The cursor is a finalized slot: the engine has committed the events of all that was final at it. An entry stays open, and
 * its event is reported, until the cursor has passed it by {@link overlap}. A reading that takes too long ends with a cursor
 * `after/goal/account`: the accounts up to this one were read up to slot `goal`, and the next reading goes on from there.
 */
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { type ProviderEvent, providerTimeoutMs } from "../../../engine/ports/Provider.ts"
import { type Holding, overlap, type ReadingRange, readAccount } from "./account-reading.ts"
import { requestReread, type Watched, listWatchedAccounts } from "./addresses.ts"
import { paymentEvent } from "../chain/reports.ts"
import { formatTokenAmount } from "../chain/tokens.ts"
import { type SolanaContext } from "./config.ts"
import { findLiveAttempt, type SolanaOutgoing, type SeenPayin } from "./entries.ts"
import { listOpenEntries } from "./open-entries.ts"
import { closeOutgoing, followTransfer } from "./outgoing.ts"
import { accountsMax, type RpcNode } from "./rpc.ts"
import { sweepAccount } from "./sweeps.ts"

/** Accounts, or transfers, that are read at the same time. */
const concurrency = 8

/** After this time, a transfer is left to the next reading. */
const followingMs = providerTimeoutMs / 4

/** A cursor that moves by less is not worth a page without new events. */
const step = overlap / 2

interface Position {
  readonly after: number
  /** The reading under way: its slot, and the last account that it has read. */
  readonly goal: number | null
  readonly last: string
}

const listEndEvents = (outgoing: SolanaOutgoing): ReadonlyArray<ProviderEvent> => {
  const { ended, purpose, command_id } = outgoing
  if (ended === null || purpose === "sweep") return []
  return [paymentEvent({ ...outgoing, purpose }, `${command_id}.${ended.outcome.outcome}`, ended.outcome)]
}

const nothing = { events: [], isNew: false } as const

/** Follows one open transfer, and returns the events of its end. */
const followOutgoing = Effect.fnUntraced(function* (
  context: SolanaContext,
  outgoing: SolanaOutgoing,
  { after, slot }: ReadingRange
) {
  if (outgoing.ended !== null) {
    const { seen_at } = outgoing.ended
    if ((seen_at ?? 0) + overlap > after) return { events: listEndEvents(outgoing), isNew: (seen_at ?? 0) > after }
    yield* closeOutgoing(context, outgoing)
    return nothing
  }
  const live = findLiveAttempt(outgoing)
  if (live === undefined) return nothing
  const status = yield* followTransfer(context, outgoing, live, slot)
  if (status._tag !== "settled") return nothing
  return {
    events: listEndEvents({ ...outgoing, ended: { outcome: status.outcome, slot, seen_at: slot } }),
    isNew: true
  }
})

/** An account that holds more than its transactions say. */
interface Doubt {
  readonly watched: Watched
  readonly missing: bigint
}

const describeMissingAmount = ({ missing, watched: { address, token } }: Doubt): string => {
  const amount = `${formatTokenAmount(missing, token.decimals)} ${token.currency}`
  return `${address.address} holds ${amount} more than its transactions say: the Solana node gives an incomplete list of them. Nothing of it is swept until the list is complete`
}

/** Reads accounts in their order until the deadline. `last`: the last one that was read; null: all were. */
const readAccounts = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  active: ReadonlyArray<Holding>,
  known: ReadonlyArray<SeenPayin>,
  reading: ReadingRange
) {
  const events: Array<ProviderEvent> = []
  let isNew = false
  let doubt: Doubt | undefined
  for (let at = 0; at < active.length; at += concurrency) {
    const part = active.slice(at, at + concurrency)
    const read = yield* Effect.forEach(
      part,
      Effect.fnUntraced(function* (holding) {
        const { watched } = holding
        const payins = known.filter(({ account }) => account === watched.account)
        const found = yield* readAccount(context, node, holding, payins, reading)
        if (found.missing > 0n) doubt ??= { watched, missing: found.missing }
        else if (found.isReported) yield* Effect.ignore(sweepAccount(context, holding))
        return found
      }),
      { concurrency }
    )
    for (const one of read) {
      events.push(...one.events)
      isNew ||= one.isNew
    }
    const isLate = (yield* Clock.currentTimeMillis) > reading.deadline
    if (isLate && at + concurrency < active.length) return { events, isNew, doubt, last: part.at(-1)!.watched.account }
  }
  return { events, isNew, doubt, last: null }
})

/**
 * Follows the open transfers in turn, from where the last reading stopped, while there is time. Each reading reports the ends
 * that are in the state store. A transfer that cannot be followed now stays open for a later reading.
 */
const followOutgoings = Effect.fnUntraced(function* (context: SolanaContext, reading: ReadingRange) {
  const { followed, reading_ms } = context
  const entries = yield* listOpenEntries<SolanaOutgoing>(context, "solana_outgoing")
  const inOrder = entries.toSorted((a, b) => (a.command_id < b.command_id ? -1 : 1))
  const ended = inOrder.filter((one) => one.ended !== null)
  const open = inOrder.filter((one) => one.ended === null)
  const next = open.findIndex(({ command_id }) => command_id > followed.last)
  const began = yield* Clock.currentTimeMillis
  const read = (one: SolanaOutgoing) => Effect.orElseSucceed(followOutgoing(context, one, reading), () => nothing)
  const outcomes = yield* Effect.forEach(ended, read, { concurrency })
  const turns = next < 0 ? open : [...open.slice(next), ...open.slice(0, next)]
  const found = yield* Effect.forEach(
    turns,
    Effect.fnUntraced(function* (one, at) {
      const isLate = (yield* Clock.currentTimeMillis) - began > reading_ms / 2
      if (at >= concurrency && isLate) return nothing
      followed.last = one.command_id
      return yield* Effect.timeoutOrElse(read(one), {
        duration: followingMs,
        orElse: () => Effect.succeed(nothing)
      })
    }),
    { concurrency }
  )
  return [...outcomes, ...found]
})

const readEventsFromNode = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  { after, goal, last }: Position
) {
  const begun_at = yield* Clock.currentTimeMillis
  const { slot } = yield* node.epoch("finalized")
  if (slot < Math.max(after, goal ?? 0))
    return yield* new ProviderFault({ message: `the Solana node is at slot ${slot}, before the cursor ${after}` })
  const watched = yield* listWatchedAccounts(context)
  const known = yield* listOpenEntries<SeenPayin>(context, "solana_payin")
  // The balances of all watched accounts, and the highest slot at which one was read. An account whose balance is
  // zero, both final and confirmed, has no credit that was not reported: a sweep takes only what was reported.
  // Its history need not be read.
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
        return { watched: one, final: amount, slot: final.slot, isEmpty }
      })
      return { slot: final.slot, found }
    }),
    { concurrency }
  )
  const top = Math.max(slot, ...read.map((one) => one.slot))
  const found = read.flatMap(({ found }) => found)
  const withEntries = new Set(known.map(({ account }) => account))
  const isMarked = ({ account, address: { again, behind } }: Watched) =>
    (again?.[account] ?? behind?.[account]) !== undefined
  const active = found
    .filter(({ watched, isEmpty }) => {
      const { account } = watched
      return account > last && (!isEmpty || withEntries.has(account) || isMarked(watched))
    })
    .sort((a, b) => (a.watched.account < b.watched.account ? -1 : 1))
  const reading: ReadingRange = { after, slot, top, begun_at, deadline: begun_at + context.reading_ms }
  const accounts = yield* readAccounts(context, node, active, known, reading)
  const ends = yield* followOutgoings(context, reading)
  const fault = accounts.doubt && describeMissingAmount(accounts.doubt)
  const events = [...accounts.events, ...ends.flatMap((one) => one.events)]
  if (accounts.last !== null) return { events, cursor: `${after}/${goal ?? slot}/${accounts.last}`, fault }
  const next = goal ?? slot
  const isNew = accounts.isNew || ends.some((one) => one.isNew)
  return isNew || goal !== null || next >= after + step
    ? { events, cursor: String(next), fault }
    : { events: [], cursor: String(after), fault }
})

const parseCursor = (cursor: string | null): Position | undefined => {
  if (cursor === null) return { after: 0, goal: null, last: "" }
  const [, after, goal, last = ""] = /^(\d{1,15})(?:\/(\d{1,15})\/(\w+))?$/.exec(cursor) ?? []
  return after === undefined
    ? undefined
    : { after: Number(after), goal: goal === undefined ? null : Number(goal), last }
}

/** Reads the events after a cursor, from the first node that can return all of them; if none can, from the first node. */
export const readEventsAfter = Effect.fnUntraced(function* (context: SolanaContext, cursor: string | null) {
  const position = parseCursor(cursor)
  if (position === undefined)
    return yield* new ProviderFault({ message: `${JSON.stringify(cursor)} is not a cursor of the Solana adapter` })
  let incomplete: Effect.Success<ReturnType<typeof readEventsFromNode>> | undefined
  const complete = context.nodes.first((node) =>
    Effect.flatMap(readEventsFromNode(context, node, position), (page) => {
      if (page.fault === undefined) return Effect.succeed(page)
      incomplete ??= page
      return Effect.fail(new ProviderFault({ message: page.fault }))
    })
  )
  return yield* Effect.catch(complete, (fault) =>
    incomplete === undefined ? Effect.fail(fault) : Effect.succeed(incomplete)
  )
})

/** Requests that every account is read again from a slot on, also an empty one. It replaces a rescan that is under way. */
export const requestRescan = Effect.fnUntraced(function* (context: SolanaContext, from: number) {
  const { slot } = yield* context.nodes.first((node) => node.epoch("finalized"))
  for (const one of yield* listWatchedAccounts(context)) yield* requestReread(context, one, from - 1)
  return { from, to: slot }
})

/** Describes how many accounts a rescan has not yet read. Null: no rescan is open. */
export const describeRescan = Effect.fnUntraced(function* (context: SolanaContext) {
  const left = (yield* listWatchedAccounts(context)).flatMap(({ account, address }) => address.again?.[account] ?? [])
  if (left.length === 0) return null
  const accounts = left.length === 1 ? "1 account is" : `${left.length} accounts are`
  return `${accounts} still to be read again, from slot ${Math.min(...left) + 1} on`
})
