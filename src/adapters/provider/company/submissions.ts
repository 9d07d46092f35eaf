/**
 * How a payment company is asked to move money: at most once, and with nothing guessed. The connector of a company adds its calls and its
 * table of answers.
 *
 * - `client.ts`: one request, one answer; numbers stay text; 429 and `Retry-After` end in *not sent*.
 * - `entries.ts`: what is recorded. A command has its row before its first POST.
 * - `submissions.ts`: one POST a submission; `absent` only after a time of grace, and a submission that it overtook sends nothing.
 * - `keyed.ts`: payments over it: requests that are recorded, and repeated as they were.
 * - `issues.ts`: accounts for pay-ins, asked for once; `payins.ts`: what is paid to them.
 * - `statement.ts`: statements of lists by time, with an overlap.
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
import { type ChainBooks, readData } from "../chain/books.ts"
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

/** Nothing was executed, and it may be tried again. */
export const unavailable: NotExecuted = { _tag: "unavailable" }

/** A command that the company will never take. */
export const reject = (reason: string): SubmissionResult => ({ _tag: "rejected", reason, refundable: true })

/** A POST that moves money: one request. A request that never left was not executed. */
export const postOnce = (
  asked: Effect.Effect<CompanyReply, NoReply>,
  read: (reply: CompanyReply) => Posted
): Effect.Effect<Posted> =>
  Effect.match(asked, {
    onFailure: ({ isSent, message }): Posted =>
      isSent ? { _tag: "unknown", message } : { _tag: "not_executed", result: unavailable },
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

/** A command of the engine. */
export interface CompanyCommand extends ChainPayment {
  readonly currency: string
  readonly units: string
  readonly payin_id: string | null
  /** How often it was submitted before. Absent: submissions have no number. */
  readonly attempt?: number
}

/** How a company is asked for a command. */
export interface CommandCalls {
  /** Whether the company refuses a second request under the same reference. */
  readonly isFenced: boolean
  /** The owner of the API key that sends its POST. Absent: the company has one account. */
  readonly sent_by?: KeyOwner
  readonly post: Effect.Effect<Posted, ProviderFault>
  readonly look: Effect.Effect<Seen, ProviderFault>
  /** Whether nothing that the company has booked since then (epoch milliseconds) can be this command. Asked before `absent`. Absent: `look` says it. */
  readonly isUnbooked?: (since: number) => Effect.Effect<boolean, ProviderFault>
}

const toSubmissionResult = <Open extends "accepted" | "pending">(
  { awaited_person, outcome }: FoundCommand,
  open: Open
) =>
  outcome === null
    ? ({ _tag: open, ...(awaited_person && { awaited_person }) } as const)
    : ({ _tag: "settled", outcome } as const)

const unknown = (message: string): ProviderFault => new ProviderFault({ message })

const newCommand = ({ attempt: _, ...command }: CompanyCommand): CommandEntry => ({
  ...command,
  ...{ posts: 0, sent_at: null, first_sent_at: null, sent_by: null, missing_since: null },
  ...{ company_id: null, state: null, waits: false, event: null }
})

/** Whether a POST of a command may have been executed. */
const isSent = (entry: CommandEntry | undefined): entry is CommandEntry =>
  entry !== undefined && (entry.sent_at !== null || entry.company_id !== null)

/**
 * The number of the submission that begins: the engine's, or else the first above the fence, so that a repeat of one that is not fenced has
 * its number again.
 */
const attemptOf = ({ attempt }: CompanyCommand, entry: CommandEntry | undefined): number =>
  attempt ?? (entry?.fenced ?? -1) + 1

const dayMs = 24 * 3_600_000
/** A day of UTC, as rows have it. */
export const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** What the stored records of commands say that a company has. */
const makeRecords = (books: ChainBooks, { keys, writes }: CompanyEntries) => {
  /**
   * Records what a company has of a command, and reports an outcome that is new. Returns the report of the state now; null: it is open,
   * whatever was reported before.
   *
   * Law: a state is reported once, in the words of its first report.
   */
  const record = Effect.fnUntraced(function* (
    { command_id, purpose }: Pick<ChainPayment, "command_id" | "purpose">,
    { awaited_person, id, outcome, state }: FoundCommand
  ) {
    const day = dayOf(yield* wallNow)
    const payment = keys.payment(purpose, id)
    return yield* books.amend([keys.command(command_id), keys.feed, payment], ([row, feedRow, known]) => {
      const sent = readData<CommandEntry>(row)
      if (sent === undefined) return { entries: [], result: null }
      if (sent.state === state && sent.company_id === id) return { entries: [], result: sent.event }
      const event = outcome === null ? null : paymentEvent(sent, `${sent.purpose}/${id}/${state}`, outcome)
      const { earlier = [], event: last, failed_on: _, ...before } = sent
      const reports = last === null ? earlier : [...earlier, last]
      const report = reports.find(({ event_id }) => event_id === event?.event_id) ?? event
      const others = reports.filter((one) => one !== report)
      return {
        entries: [
          writes.command({
            ...{ ...before, company_id: id, state, event: report },
            ...(others.length > 0 && { earlier: others }),
            ...(outcome?.outcome === "failed" && { failed_on: day }),
            ...(outcome?.outcome === "success" && { paid_on: sent.paid_on ?? day }),
            ...{ waits: awaited_person !== undefined, missing_since: null }
          }),
          ...(known === undefined ? [{ key: payment, data: { command_id } }] : []),
          ...(report !== null && !reports.includes(report)
            ? writes.reports(readData<CompanyFeed>(feedRow) ?? newFeed, [report])
            : [])
        ],
        result: report
      }
    })
  })

  /** Records the id of what was made and is not understood: from then on it is asked about, and is never absent. */
  const keepId = ({ command_id, purpose }: CompanyCommand, posted: Posted) => {
    const { id } = posted._tag === "unknown" ? posted : {}
    if (id === undefined) return Effect.void
    const payment = keys.payment(purpose, id)
    return books.amend([keys.command(command_id), payment], ([row, known]) => {
      const sent = readData<CommandEntry>(row)
      const isNew = sent !== undefined && sent.company_id === null
      return {
        entries: [
          ...(isNew ? [writes.command({ ...sent, company_id: id, missing_since: null })] : []),
          ...(known === undefined ? [{ key: payment, data: { command_id } }] : [])
        ],
        result: undefined
      }
    })
  }

  /** The row of a command of this provider; undefined: it was never submitted here. */
  const find = (command_id: string) => books.read<CommandEntry>(keys.command(command_id))

  return { record, keepId, find }
}

/** What the stored records of commands say of their POSTs. */
const makeRows = (books: ChainBooks, { keys, writes }: CompanyEntries, { apart_ms, grace_ms }: SubmissionOptions) => {
  /**
   * Writes the row of a POST before it is sent. `exists`: a POST was sent already, and the company has an id for it, or would not refuse this one as
   * the same: it has no fence, or this is the key of another account. `overtaken`: since the submission began, a look-up has found nothing.
   */
  const begin = (command: CompanyCommand, attempt: number, { isFenced, ...calls }: CommandCalls, now: number) =>
    books.amend<"exists" | "overtaken" | { readonly posts: number; readonly isFirst: boolean }, RowKey>(
      [keys.command(command.command_id)],
      ([row]) => {
        const sent = readData<CommandEntry>(row) ?? newCommand(command)
        const isOvertaken = attempt <= (sent.fenced ?? -1)
        const isFirst = !isSent(sent)
        const sent_by = calls.sent_by ?? null
        const isRepeatable = sent.company_id === null && isFenced && isSameOwner(sent.sent_by, sent_by)
        if (isOvertaken || !(isFirst || isRepeatable)) return { entries: [], result: isFirst ? "overtaken" : "exists" }
        const begun = { ...sent, posts: sent.posts + 1, sent_at: now, missing_since: null }
        const first = isFirst ? { first_sent_at: now, sent_by } : {}
        return { entries: [writes.command({ ...begun, ...first })], result: { posts: begun.posts, isFirst } }
      }
    )

  /**
   * Records that the company executed none of the `posts` POSTs of a command, and never will. `fenced`: up to that number no submission will send
   * another one. False: a later POST was sent, or the company has the command.
   */
  const clear = (command: CompanyCommand, posts: number, fencedBy = (fenced: number): number => fenced) =>
    books.amend([keys.command(command.command_id)], ([row]) => {
      const sent = readData<CommandEntry>(row) ?? newCommand(command)
      if (sent.posts !== posts || sent.company_id !== null) return { entries: [], result: false }
      const fenced = Math.max(sent.fenced ?? -1, fencedBy(sent.fenced ?? -1))
      const isSame = row !== undefined && sent.sent_at === null && fenced === (sent.fenced ?? -1)
      const data = { ...sent, fenced, sent_at: null, missing_since: null }
      return { entries: isSame ? [] : [writes.command(data)], result: true }
    })

  /** Records a look-up that found nothing. Whether the grace period has passed, and an earlier look-up found nothing either. */
  const miss = (command_id: string, now: number) =>
    books.amend([keys.command(command_id)], ([row]) => {
      const sent = readData<CommandEntry>(row)
      if (sent === undefined || sent.sent_at === null) return { entries: [], result: false }
      const { missing_since, sent_at } = sent
      if (missing_since === null) return { entries: [writes.command({ ...sent, missing_since: now })], result: false }
      return { entries: [], result: now - sent_at >= grace_ms && now - missing_since >= apart_ms }
    })

  return { begin, clear, miss }
}

/** How commands are submitted, and looked up. */
const makeCalling = (
  { find, keepId, record }: ReturnType<typeof makeRecords>,
  { begin, clear, miss }: ReturnType<typeof makeRows>
) => {
  /** What a look-up finds, which is recorded; undefined: nothing. */
  const found = Effect.fnUntraced(function* <Open extends "accepted" | "pending">(
    command: CompanyCommand,
    { look }: Pick<CommandCalls, "look">,
    open: Open
  ) {
    const seen = yield* look
    if (seen._tag === "missing") return undefined
    yield* record(command, seen)
    return toSubmissionResult(seen, open)
  })

  /**
   * Submits a command. `prepare`: how it is asked for, or why it is not. Law: what `absent` was said of is not sent by a submission that began
   * before, however long it was stopped.
   */
  const submit = Effect.fnUntraced(function* (
    command: CompanyCommand,
    prepare: Effect.Effect<CommandCalls | SubmissionResult, ProviderFault>
  ): Effect.fn.Return<SubmissionResult, ProviderFault> {
    const { command_id } = command
    const before = yield* find(command_id)
    const calls = yield* prepare
    if ("_tag" in calls)
      // What keeps it from being sent now does not undo an earlier POST.
      return isSent(yield* find(command_id))
        ? yield* unknown(`${command_id} was sent before, and cannot be now`)
        : calls
    // Without a fence a second request would be a second payment: one that was missing may have come since.
    if (!calls.isFenced && before !== undefined && before.posts > 0 && !isSent(before)) {
      const late = yield* found(command, calls, "accepted")
      if (late !== undefined) return late
    }
    const begun = yield* begin(command, attemptOf(command, before), calls, yield* wallNow)
    if (begun === "overtaken") return unavailable
    const posted: Posted = begun === "exists" ? { _tag: "exists" } : yield* calls.post
    yield* keepId(command, posted)
    switch (posted._tag) {
      case "found":
        yield* record(command, posted)
        return toSubmissionResult(posted, "accepted")
      case "exists":
      case "missing":
        return (
          (yield* found(command, calls, "accepted")) ?? (yield* unknown(`${command_id} was sent, and is not found yet`))
        )
      case "unknown":
        return yield* unknown(posted.message)
      case "not_executed":
        // An earlier POST may be why: it has taken the balance, or it is still on its way.
        if (begun === "exists" || !begun.isFirst || !(yield* clear(command, begun.posts)))
          return yield* unknown(`${command_id} was sent before, and only that submission may have been executed`)
        return posted.result
    }
  })

  /** The status of a command. `calls`: how it is asked about, or why it cannot be: then it is absent only if no POST may have been executed. */
  const lookup = Effect.fnUntraced(function* (
    command: CompanyCommand,
    calls: CommandCalls | string
  ): Effect.fn.Return<CommandStatus, ProviderFault> {
    const { command_id } = command
    const status = typeof calls === "string" ? undefined : yield* found(command, calls, "pending")
    if (status !== undefined) return status
    const sent = yield* find(command_id)
    if (isSent(sent)) {
      if (typeof calls === "string") return yield* unknown(`${command_id} was sent, and cannot be looked up: ${calls}`)
      if (!(yield* miss(command_id, yield* wallNow)))
        return yield* unknown(`${command_id} is not found, and its submission may still be on its way`)
      const isUnbooked = calls.isUnbooked?.(sent.first_sent_at ?? sent.sent_at!) ?? Effect.succeed(true)
      if (!(yield* isUnbooked))
        return yield* unknown(`${command_id} is not found, but money that may be its own has left`)
    }
    if (!(yield* clear(command, sent?.posts ?? 0, (fenced) => command.attempt ?? fenced + 1)))
      return yield* unknown(`${command_id} was submitted again meanwhile`)
    return { _tag: "absent" }
  })

  return { submit, lookup }
}

export const makeSubmissions = (books: ChainBooks, entries: CompanyEntries, options: SubmissionOptions) => {
  const { index, keys } = entries
  const records = makeRecords(books, entries)
  const { find, record } = records
  const list = (index_key: string, page: { readonly from?: number; readonly limit?: number } = {}) =>
    Effect.map(books.list({ kind: keys.command("").kind, index_keys: [index_key], ...page }), (rows) =>
      rows.map((row) => row.data as CommandEntry)
    )

  return {
    ...makeCalling(records, makeRows(books, entries, options)),
    ...{ record, find, list },
    /** The command that a payment of the company's is of, by the company's id; undefined: none that is known. */
    ofPayment: Effect.fnUntraced(function* (purpose: ChainPayment["purpose"], id: string) {
      const payment = yield* books.read<{ readonly command_id: string }>(keys.payment(purpose, id))
      return payment === undefined ? undefined : yield* find(payment.command_id)
    }),
    /** The index keys of commands whose outcome is not known; and of those that were reported as failed, or as paid, today or in the days before, which a company may take back. */
    open: Effect.succeed([index.open]),
    endedWithin: (days: number, ended: "failedOn" | "paidOn") =>
      Effect.map(wallNow, (now) =>
        Array.from({ length: days + 1 }, (_, ago) => index[ended](dayOf(now - ago * dayMs)))
      ),
    /** The refunds of a pay-in. */
    refundsOf: (payin_id: string) => list(index.refundsOf(payin_id)),
    /** Whether a payout in a currency waits for a person. */
    isWaiting: (currency: string) => Effect.map(list(index.waiting(currency), { limit: 1 }), (all) => all.length > 0)
  }
}

export type CompanySubmissions = ReturnType<typeof makeSubmissions>
