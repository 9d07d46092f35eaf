/**
 * Payments of a company that knows a request again by its key or reference. The whole request is recorded before its first POST, and each later one
 * repeats it: under another body the company might not know it again.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, PayoutCommand, ProviderEvent, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { readData, entryKey } from "../chain/books.ts"
import type { CommandEntry, KeyOwner } from "./entries.ts"
import type { OpenCompany } from "./provider.ts"
import {
  type CommandCalls,
  type CompanyCommand,
  type Posted,
  requireSeen,
  type Seen,
  unavailable,
  type UnreadableReply
} from "./submissions.ts"

/** What a request asks for: a connector adds where to. */
export interface MadeRequest {
  readonly units: string
  readonly body: string
}

/** A request, under a key. Absent members: a build before had one key for ever. */
export type StoredRequest<Made> = Made & {
  /** Each key is of a round of its own. */
  readonly round?: number
  /** When the key was first used, epoch milliseconds. */
  readonly keyed_at?: number
  /** Whether the company has refused it, and nothing under its key can be executed any more. */
  readonly isVoid?: boolean
}

/** A command that such a payment is of. */
export interface KeyedCommand
  extends Pick<PayoutCommand, "id" | "merchant_id" | "resource_id" | "amount" | "currency"> {
  readonly attempt?: number
  /** The pay-in that a refund returns. */
  readonly payin_id?: string
}

/** How the company is asked. `Expected`: what must be in each answer about a command; `Payment`: what its lists have. */
interface KeyedCompany<Made, Expected, Payment> {
  /** The kind of the rows of requests. */
  readonly kind: string
  /** For how long after its first use a request is repeated under its key, milliseconds. Absent: for ever. */
  readonly key_ms?: number
  /** An amount of a command. Undefined: the company takes none like it. */
  readonly parse: (amount: string) => bigint | undefined
  readonly expect: (command_id: string, request: Made) => Expected
  readonly post: (request: StoredRequest<Made>, expected: Expected) => Effect.Effect<Posted>
  /** Whether a request that was refused is made anew, under another key. Default: its key is bound to the refusal. */
  readonly isRemade?: boolean
  /** Whether a second request is known again, or refused, by its key or reference. Default: it is. */
  readonly isFenced?: (expected: Expected) => boolean
  /** Whose API key sends the POST, which is recorded first. Undefined: nothing may be sent now. Absent: the company has one account. */
  readonly claim?: (expected: Expected) => Effect.Effect<KeyOwner | undefined, ProviderFault>
  /**
   * What a command is asked about by, whose request is not recorded: a build before did not, or this store is a copy of before its POST. Undefined: it
   * cannot be asked. Absent: without its request nothing is known.
   */
  readonly recall?: (sent: CompanyCommand) => Made | undefined
  /** What the company has under an id of its own; or under our reference, without an id. Undefined: it cannot be asked. */
  readonly find: (id: string | null, expected: Expected) => Effect.Effect<Seen, ProviderFault> | undefined
  /** Errors: that it is not found proves nothing. */
  readonly checkMissing?: (expected: Expected, sent: CommandEntry | undefined) => Effect.Effect<void, ProviderFault>
  /** Whether nothing that the company has booked since then, epoch milliseconds, can be the command. Default: looking says it. */
  readonly isUnbooked?: (expected: Expected, since: number) => Effect.Effect<boolean, ProviderFault>
  /** All payments since then, epoch milliseconds. */
  readonly list: (expected: Expected, since: number) => Effect.Effect<ReadonlyArray<Payment>, ProviderFault>
  /** What a listed payment with our reference says. Absent: the company takes no reference, and only the engine submits what was lost. */
  readonly see?: (payment: Payment, expected: Expected) => Seen | UnreadableReply | undefined
  /** Whether a listed payment without a reference may be the command. */
  readonly mayBe: (payment: Payment, expected: Expected) => boolean
}

const notSent: Posted = { _tag: "not_executed", result: unavailable }

/** What a POST made may be listed as made so long before it by our clock, milliseconds: one of the two clocks may be wrong. */
export const clockSlackMs = 60 * 60_000

type Kept<Made> = Pick<KeyedCompany<Made, never, never>, "kind" | "key_ms" | "recall">

/** The requests of commands, as they are kept. */
const makeRequests = <Made extends MadeRequest>(
  { books, entries, key, submissions }: OpenCompany,
  { key_ms = Number.POSITIVE_INFINITY, kind, recall }: Kept<Made>
) => {
  type Stored = StoredRequest<Made>
  const requestKey = (command_id: string) => entryKey(kind, `${key}/${command_id}`)
  const requestOf = Effect.fnUntraced(function* (command_id: string) {
    const stored = yield* books.read<Stored>(requestKey(command_id))
    const sent = stored === undefined && recall !== undefined ? yield* submissions.find(command_id) : undefined
    return stored ?? (sent && (recall?.(sent) as Stored | undefined))
  })
  const isFresh = ({ keyed_at = Number.POSITIVE_INFINITY }: Stored, now: number): boolean => now - keyed_at < key_ms
  const isSent = (sent: CommandEntry | undefined): boolean => (sent?.sent_at ?? null) !== null

  /**
   * The request of a command, which is recorded before anything is sent; or why there is none. Law: a request is another one, under another
   * key, only where none of the earlier ones can be executed any more: the company has refused it, or it is nowhere and its key has run out.
   */
  const prepare = Effect.fnUntraced(function* (
    command_id: string,
    make: Effect.Effect<Made | SubmissionResult, ProviderFault>
  ) {
    const now = yield* wallNow
    const keys = [requestKey(command_id), entries.keys.command(command_id)] as const
    const keep = (known: Stored | undefined, sent: CommandEntry | undefined): Stored | undefined =>
      known !== undefined && (isSent(sent) || (known.isVoid !== true && isFresh(known, now))) ? known : undefined
    const before = keep(yield* books.read<Stored>(keys[0]), yield* submissions.find(command_id))
    if (before !== undefined) return before
    const made = yield* make
    if ("_tag" in made) return made
    return yield* books.amend([...keys], ([stored, sent]) => {
      const known = readData<Stored>(stored)
      const kept = keep(known, readData(sent))
      if (kept !== undefined) return { entries: [], result: kept }
      const request: Stored = { ...made, round: (known?.round ?? -1) + 1, keyed_at: now, isVoid: false }
      return { entries: [{ key: keys[0], data: request }], result: request }
    })
  })

  /** The company has refused the request, and no earlier one may have been executed: its key is bound to the refusal. */
  const end = (command_id: string, { round }: Stored) =>
    books.amend([requestKey(command_id), entries.keys.command(command_id)], ([row, sent]) => {
      const known = readData<Stored>(row)
      return known === undefined || known.round !== round || isSent(readData(sent))
        ? { entries: [], result: undefined }
        : { entries: [{ key: requestKey(command_id), data: { ...known, isVoid: true } }], result: undefined }
    })

  return { requestOf, prepare, end, isFresh }
}

/** The look-ups: what a company has of a command, and of which command a payment is. */
const makeLookups = <Made extends MadeRequest, Expected, Payment extends { readonly id: string }>(
  { submissions }: OpenCompany,
  {
    checkMissing = () => Effect.void,
    expect,
    find,
    isFenced = () => true,
    list,
    mayBe,
    see
  }: KeyedCompany<Made, Expected, Payment>
) => {
  /** The command that a payment of the company's is of; undefined: none that is known. */
  const ofPayment = Effect.fnUntraced(function* (id: string) {
    return (yield* submissions.ofPayment("payout", id)) ?? (yield* submissions.ofPayment("refund", id))
  })

  /** A command without an id of the company's, among all payments since its first POST. One that may be it is a fault: it is neither found nor missing. */
  const search = Effect.fnUntraced(function* (
    command_id: string,
    expected: Expected,
    since: number
  ): Effect.fn.Return<Seen, ProviderFault> {
    const listed = yield* list(expected, since - clockSlackMs)
    for (const one of listed) {
      const seen = see?.(one, expected)
      if (seen !== undefined) return yield* requireSeen(seen)
    }
    for (const one of listed.filter((payment) => mayBe(payment, expected)))
      if ((yield* ofPayment(one.id)) === undefined)
        return yield* new ProviderFault({
          message: `the answer to ${command_id} was lost, and ${one.id} may be its own`
        })
    return { _tag: "missing" }
  })

  const look = Effect.fnUntraced(function* (
    command_id: string,
    request: Made,
    id?: string
  ): Effect.fn.Return<Seen, ProviderFault> {
    const sent = yield* submissions.find(command_id)
    const expected = expect(command_id, request)
    const found = find(sent?.company_id ?? id ?? null, expected)
    // What has no fence may have come since it was absent.
    const isOver = sent === undefined || (sent.sent_at === null && isFenced(expected))
    const since = isOver ? null : (sent.first_sent_at ?? sent.sent_at)
    const seen = yield* found ??
      (since === null ? Effect.succeed<Seen>({ _tag: "missing" }) : search(command_id, expected, since))
    if (seen._tag === "missing") yield* checkMissing(expected, sent)
    return seen
  })

  return { ofPayment, look }
}

export const makeKeyedPayments = <Made extends MadeRequest, Expected, Payment extends { readonly id: string }>(
  parts: OpenCompany,
  company: KeyedCompany<Made, Expected, Payment>
) => {
  type Stored = StoredRequest<Made>
  const { claim, expect, find, isFenced = () => true, isRemade = false, isUnbooked, parse, post, recall, see } = company
  const { submissions } = parts
  const { end, isFresh, prepare, requestOf } = makeRequests<Made>(parts, company)
  const { look, ofPayment } = makeLookups(parts, company)

  const callsFor = (command_id: string, request: Stored, now: number): CommandCalls => {
    const expected = expect(command_id, request)
    return {
      // The company gives the first answer again under the same key, until it forgets the key. An older command is looked up.
      isFenced: isFenced(expected) && isFresh(request, now),
      post: Effect.suspend(() => post(request, expected)),
      look: look(command_id, request),
      ...(isUnbooked && { isUnbooked: (since: number) => isUnbooked(expected, since) })
    }
  }
  /** The calls of a submission. Nothing is sent with a key that may not. */
  const claimedCalls = Effect.fnUntraced(function* (command_id: string, request: Stored) {
    const calls = callsFor(command_id, request, yield* wallNow)
    if (claim === undefined) return calls
    const sent_by = yield* claim(expect(command_id, request))
    return sent_by === undefined ? { ...calls, post: Effect.succeed(notSent) } : { ...calls, sent_by }
  })

  const commandOf = ({ amount, attempt, id, payin_id, ...command }: KeyedCommand): CompanyCommand => ({
    ...{ command_id: id, purpose: payin_id === undefined ? "payout" : "refund", payin_id: payin_id ?? null },
    ...{ merchant_id: command.merchant_id, resource_id: command.resource_id, currency: command.currency },
    units: String(parse(amount) ?? 0),
    ...(attempt !== undefined && { attempt })
  })

  return {
    requestOf,
    ofPayment,
    submit: Effect.fnUntraced(function* (
      command: KeyedCommand,
      make: Effect.Effect<Made | SubmissionResult, ProviderFault>
    ): Effect.fn.Return<SubmissionResult, ProviderFault> {
      let request: Stored | undefined
      const result = yield* submissions.submit(
        commandOf(command),
        Effect.gen(function* () {
          const prepared = yield* prepare(command.id, make)
          if ("_tag" in prepared) return prepared as SubmissionResult
          request = prepared as Stored
          return yield* claimedCalls(command.id, request)
        })
      )
      const isRefused = result._tag === "rejected" || result._tag === "unavailable"
      if (request !== undefined && isRefused && isRemade) yield* end(command.id, request)
      return result
    }),
    lookup: Effect.fnUntraced(function* (command: KeyedCommand): Effect.fn.Return<CommandStatus, ProviderFault> {
      const asked = commandOf(command)
      const request = (yield* requestOf(command.id)) ?? (recall?.(asked) as Stored | undefined)
      const calls = request && callsFor(command.id, request, yield* wallNow)
      return yield* submissions.lookup(asked, calls ?? "it has no request")
    }),
    /**
     * Asks about a command that was sent, and records what it is. `id`: of the company, where an event names it. Returns the report of its outcome;
     * null: there is none.
     */
    lookAgain: Effect.fnUntraced(function* (
      sent: CommandEntry,
      id?: string
    ): Effect.fn.Return<ProviderEvent | null, ProviderFault> {
      const { command_id } = sent
      const request = yield* requestOf(command_id)
      if (request === undefined) return null
      // Without a reference only the same POST would tell, and that would pay what never arrived: the engine alone submits.
      const isFindable = find(sent.company_id ?? id ?? null, expect(command_id, request)) !== undefined
      if (!isFindable && see === undefined) return null
      const seen = yield* look(command_id, request, id)
      return seen._tag === "found" ? yield* submissions.record(sent, seen) : null
    })
  }
}
