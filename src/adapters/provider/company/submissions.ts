/**
 * How a payment company is asked to move money: at most once, and with nothing guessed. The connector of a company adds its calls and its
 * table of answers.
 *
 * - `client.ts`: one request, one answer; numbers stay text; 429 and `Retry-After` end in *not sent*.
 * - `entries.ts`: what is written down. A command has its row before its first POST.
 * - `submissions.ts`: one POST a submission; `absent` only after a time of grace.
 * - `reports.ts`: outcomes and pay-ins, numbered, so that the engine reads each exactly as it was first told.
 *
 * What the next connector does:
 *
 * 1. *Calls*: schemas for what it reads, over {@link CompanyClient}. Ids and amounts are text.
 * 2. *Mapping*: a table of states and a table of answers, as data. A pure function reads each answer into a {@link Posted}; what is on no
 *    list is `unknown`. Only listed answers are `not_executed`.
 * 3. *Fence*: a company that refuses a second request under one reference is `isFenced`: it may be asked again, and says that it `exists`.
 *    One that replays by a key for a day only, or has no reference at all, is not: it gets one POST a command, and is looked up from then on.
 *    Where only the company's own id can be looked up, `look` reads `company_id` of the row and finds nothing without it.
 * 4. *Waiting for a person* (a code on a telephone, a review, a float that is empty): a state that may still pay is `open`, however long it
 *    lasts, and never `failed`. `awaited_person` says who must do what, in the timeline and to the operator; `waits` of the row says that somebody
 *    must, and {@link CompanySubmissions.isWaiting} lets the connector hold back further submissions.
 * 5. *Callbacks* are a reason to look up. `events.decode` verifies the signature, finds the row, asks the company, and reports what that says.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { AwaitedPerson, CommandStatus, MovementOutcome, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import type { RowKey } from "../../../engine/ports/Storage.ts"
import { type ChainBooks, dataOf } from "../chain/books.ts"
import { type ChainPayment, paymentEvent } from "../chain/reports.ts"
import type { CompanyReply, NoReply } from "./client.ts"
import {
  type CommandEntry,
  type CompanyEntries,
  type CompanyFeed,
  isSameOwner,
  type KeyOwner,
  newFeed
} from "./entries.ts"

/** A company's record of a command, found by its reference. `outcome` null: it is pending; `awaited_person`: until that person acts. */
export type Seen =
  | {
      readonly _tag: "found"
      readonly id: string
      readonly state: string
      readonly outcome: MovementOutcome | null
      readonly awaited_person?: AwaitedPerson
    }
  | { readonly _tag: "missing" }

export type FoundCommand = Extract<Seen, { readonly _tag: "found" }>

/** A definite answer that nothing was executed. */
export type NotExecuted = Extract<SubmissionResult, { readonly _tag: "rejected" | "unavailable" }>

/** What decides nothing. `id`: what the company has made of the command, although it is not understood. */
export interface UnreadableReply {
  readonly _tag: "unknown"
  readonly message: string
  readonly id?: string
}

/** What the answer to a POST says. `exists`: the reference was used before. */
export type Posted =
  | Seen
  | { readonly _tag: "exists" }
  | { readonly _tag: "not_executed"; readonly result: NotExecuted }
  | UnreadableReply

/** A command that the company will never take. */
export const reject = (reason: string): SubmissionResult => ({ _tag: "rejected", reason, refundable: true })

/** A POST that moves money: one request. A request that never left was not executed. */
export const postOnce = (
  asked: Effect.Effect<CompanyReply, NoReply>,
  read: (reply: CompanyReply) => Posted
): Effect.Effect<Posted> =>
  Effect.match(asked, {
    onFailure: ({ isSent, message }): Posted =>
      isSent ? { _tag: "unknown", message } : { _tag: "not_executed", result: { _tag: "unavailable" } },
    onSuccess: read
  })

/** What a look-up found. Errors: what it was answered is not understood. */
export const requireSeen = (seen: Seen | UnreadableReply): Effect.Effect<Seen, ProviderFault> =>
  seen._tag === "unknown" ? Effect.fail(new ProviderFault({ message: seen.message })) : Effect.succeed(seen)

export interface SubmissionOptions {
  /** How long after its POST a command that nobody finds may still be executed, milliseconds. */
  readonly grace_ms: number
  /** Two look-ups that find nothing are at least so far apart, milliseconds. */
  readonly apart_ms: number
}

/** A command of the engine, and how the company is asked. */
export interface CompanyCommand extends ChainPayment {
  readonly currency: string
  readonly units: string
  readonly payin_id: string | null
  /** Whether the company refuses a second request under the same reference. */
  readonly isFenced: boolean
  /** The owner of the API key that sends its POST. Absent: the company has one account. */
  readonly sent_by?: KeyOwner
  readonly post: Effect.Effect<Posted, ProviderFault>
  readonly look: Effect.Effect<Seen, ProviderFault>
  /** Whether nothing that the company has booked since then (epoch milliseconds) can be this command. Asked before `absent`. */
  readonly isUnbooked: (since: number) => Effect.Effect<boolean, ProviderFault>
}

interface Missed {
  readonly isOver: boolean
  readonly first_sent_at: number | null
  readonly posts: number
}

const toSubmissionResult = <Open extends "accepted" | "pending">(
  { awaited_person, outcome }: FoundCommand,
  open: Open
) =>
  outcome === null
    ? ({ _tag: open, ...(awaited_person && { awaited_person }) } as const)
    : ({ _tag: "settled", outcome } as const)

const unknown = (message: string): ProviderFault => new ProviderFault({ message })

const newCommand = (command: CompanyCommand): CommandEntry => ({
  command_id: command.command_id,
  purpose: command.purpose,
  merchant_id: command.merchant_id,
  resource_id: command.resource_id,
  currency: command.currency,
  units: command.units,
  payin_id: command.payin_id,
  ...{ posts: 0, sent_at: null, first_sent_at: null, sent_by: null, missing_since: null },
  ...{ company_id: null, state: null, waits: false, event: null }
})

const dayMs = 24 * 3_600_000
/** A day of UTC, as rows have it. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The stored records of commands. */
const makeRows = (books: ChainBooks, { keys, writes }: CompanyEntries, { apart_ms, grace_ms }: SubmissionOptions) => {
  /**
   * Writes down what a company has of a command, and reports an outcome that is new. Returns the report of the state now; null: it is open,
   * whatever was reported before.
   *
   * Law: a state is reported once, in the words of its first report.
   */
  const record = Effect.fnUntraced(function* (
    { command_id, purpose }: Pick<ChainPayment, "command_id" | "purpose">,
    { awaited_person, id, outcome, state }: FoundCommand
  ) {
    const day = dayOf(yield* wallNow)
    return yield* books.amend(
      [keys.command(command_id), keys.feed, keys.payment(purpose, id)],
      ([row, feedRow, payment]) => {
        const sent = dataOf<CommandEntry>(row)
        if (sent === undefined) return { entries: [], result: null }
        if (sent.state === state && sent.company_id === id) return { entries: [], result: sent.event }
        const event = outcome === null ? null : paymentEvent(sent, `${sent.purpose}/${id}/${state}`, outcome)
        const { earlier = [], event: last, failed_on: _, ...before } = sent
        const reports = last === null ? earlier : [...earlier, last]
        const report = reports.find(({ event_id }) => event_id === event?.event_id) ?? event
        const others = reports.filter((one) => one !== report)
        const feed = dataOf<CompanyFeed>(feedRow) ?? newFeed
        return {
          entries: [
            writes.command({
              ...{ ...before, company_id: id, state, event: report },
              ...(others.length > 0 && { earlier: others }),
              ...(outcome?.outcome === "failed" && { failed_on: day }),
              ...(outcome?.outcome === "success" && { paid_on: sent.paid_on ?? day }),
              ...{ waits: awaited_person !== undefined, missing_since: null }
            }),
            ...(payment === undefined ? [{ key: keys.payment(purpose, id), data: { command_id } }] : []),
            ...(report !== null && !reports.includes(report) ? writes.reports(feed, [report]) : [])
          ],
          result: report
        }
      }
    )
  })

  /**
   * Writes the row of a POST before it is sent. Null: a POST was sent already, and the company would not refuse this one as the same: it has no
   * fence, or this is the key of another account.
   */
  const begin = (command: CompanyCommand, now: number) =>
    books.amend([keys.command(command.command_id)], ([row]) => {
      const sent = dataOf<CommandEntry>(row) ?? newCommand(command)
      const sent_by = command.sent_by ?? null
      const isFirst = sent.sent_at === null
      if (!isFirst && !(command.isFenced && isSameOwner(sent.sent_by, sent_by))) return { entries: [], result: null }
      const begun = { ...sent, posts: sent.posts + 1, sent_at: now, missing_since: null }
      const first = isFirst ? { first_sent_at: now, sent_by } : {}
      return { entries: [writes.command({ ...begun, ...first })], result: { posts: begun.posts, isFirst } }
    })

  /**
   * Records that the company executed none of the `posts` POSTs of a command, and never will. False: a later POST was sent, or the
   * company has the command.
   */
  const clear = (command_id: string, posts: number) =>
    books.amend([keys.command(command_id)], ([row]) => {
      const sent = dataOf<CommandEntry>(row)
      return sent === undefined || sent.posts !== posts || sent.company_id !== null
        ? { entries: [], result: false }
        : { entries: [writes.command({ ...sent, sent_at: null, missing_since: null })], result: true }
    })

  /** Records a look-up that found nothing. `isOver`: the grace period has passed, and an earlier look-up found nothing either. */
  const miss = (command_id: string, now: number) =>
    books.amend<Missed, RowKey>([keys.command(command_id)], ([row]) => {
      const sent = dataOf<CommandEntry>(row)
      if (sent === undefined || sent.sent_at === null)
        return { entries: [], result: { isOver: true, first_sent_at: null, posts: sent?.posts ?? 0 } }
      const { missing_since, posts, sent_at } = sent
      const first_sent_at = sent.first_sent_at ?? sent_at
      if (missing_since === null)
        return {
          entries: [writes.command({ ...sent, missing_since: now })],
          result: { isOver: false, first_sent_at, posts }
        }
      const isOver = now - sent_at >= grace_ms && now - missing_since >= apart_ms
      return { entries: [], result: { isOver, first_sent_at, posts } }
    })

  return { record, begin, clear, miss }
}

/** Writes down the id of what was made and is not understood: from then on it is asked about, and is never absent. */
const makeKeepId =
  (books: ChainBooks, { keys, writes }: CompanyEntries) =>
  ({ command_id, purpose }: Pick<ChainPayment, "command_id" | "purpose">, posted: Posted) => {
    const { id } = posted._tag === "unknown" ? posted : {}
    if (id === undefined) return Effect.void
    const payment = keys.payment(purpose, id)
    return books.amend([keys.command(command_id), payment], ([row, known]) => {
      const sent = dataOf<CommandEntry>(row)
      const isNew = sent !== undefined && sent.company_id === null
      const data = { command_id }
      return {
        entries: [
          ...(isNew ? [writes.command({ ...sent, company_id: id, missing_since: null })] : []),
          ...(known === undefined ? [{ key: payment, data }] : [])
        ],
        result: undefined
      }
    })
  }

export const makeSubmissions = (books: ChainBooks, entries: CompanyEntries, options: SubmissionOptions) => {
  const { index, keys } = entries
  const { begin, clear, miss, record } = makeRows(books, entries, options)

  /** The row of a command of this provider; undefined: it was never submitted here. */
  const find = (command_id: string) => books.read<CommandEntry>(keys.command(command_id))

  /** The status of what a look-up found. */
  const found = (command: CompanyCommand, seen: FoundCommand) => Effect.as(record(command, seen), seen)

  const submit = Effect.fnUntraced(function* (
    command: CompanyCommand
  ): Effect.fn.Return<SubmissionResult, ProviderFault> {
    const { command_id, look, post } = command
    const begun = yield* begin(command, yield* wallNow)
    const posted: Posted = begun === null ? { _tag: "exists" } : yield* post
    switch (posted._tag) {
      case "found":
        return toSubmissionResult(yield* found(command, posted), "accepted")
      case "exists":
      case "missing": {
        const seen = yield* look
        if (seen._tag === "missing") return yield* unknown(`${command_id} was sent, and is not found yet`)
        return toSubmissionResult(yield* found(command, seen), "accepted")
      }
      case "unknown":
        return yield* unknown(posted.message)
      case "not_executed":
        // An earlier POST may be why: it has taken the balance, or it is still on its way.
        if (begun?.isFirst !== true || !(yield* clear(command_id, begun.posts)))
          return yield* unknown(`${command_id} was sent before, and only that submission may have been executed`)
        return posted.result
    }
  })

  const lookup = Effect.fnUntraced(function* (command: CompanyCommand): Effect.fn.Return<CommandStatus, ProviderFault> {
    const { command_id, isUnbooked, look } = command
    const seen = yield* look
    if (seen._tag === "found") return toSubmissionResult(yield* found(command, seen), "pending")
    const { first_sent_at, isOver, posts } = yield* miss(command_id, yield* wallNow)
    if (!isOver) return yield* unknown(`${command_id} is not found, and its submission may still be on its way`)
    if (first_sent_at === null) return { _tag: "absent" }
    if (!(yield* isUnbooked(first_sent_at)))
      return yield* unknown(`${command_id} is not found, but money that may be its own has left`)
    if (!(yield* clear(command_id, posts))) return yield* unknown(`${command_id} was submitted again meanwhile`)
    return { _tag: "absent" }
  })

  return {
    submit,
    lookup,
    record,
    keepId: makeKeepId(books, entries),
    find,
    /** The command that a payment of the company's is of, by the company's id; undefined: none that is known. */
    ofPayment: Effect.fnUntraced(function* (purpose: ChainPayment["purpose"], id: string) {
      const payment = yield* books.read<{ readonly command_id: string }>(keys.payment(purpose, id))
      return payment === undefined ? undefined : yield* find(payment.command_id)
    }),
    /** Commands whose outcome is not known: from a place in their list, and the most of them. */
    open: (from: number, limit: number) =>
      Effect.map(books.list({ kind: keys.command("").kind, index_keys: [index.open], from, limit }), (rows) =>
        rows.map((row) => row.data as CommandEntry)
      ),
    /** Commands that were reported as failed, or as paid, today or in the days before, which a company may take back. */
    endedWithin: Effect.fnUntraced(function* (days: number, endedOn: (day: string) => string = index.failedOn) {
      const now = yield* wallNow
      const lists = yield* Effect.forEach(Array.from({ length: days + 1 }), (_, ago) =>
        books.list({ kind: keys.command("").kind, index_keys: [endedOn(dayOf(now - ago * dayMs))] })
      )
      return lists.flat().map((row) => row.data as CommandEntry)
    }),
    /** The refunds of a pay-in. */
    refundsOf: (payin_id: string) =>
      Effect.map(books.list({ kind: keys.command("").kind, index_keys: [index.refundsOf(payin_id)] }), (rows) =>
        rows.map((row) => row.data as CommandEntry)
      ),
    /** Whether a payout in a currency waits for a person. */
    isWaiting: (currency: string) =>
      Effect.map(
        books.list({ kind: keys.command("").kind, index_keys: [index.waiting(currency)], limit: 1 }),
        (rows) => rows.length > 0
      )
  }
}

export type CompanySubmissions = ReturnType<typeof makeSubmissions>
