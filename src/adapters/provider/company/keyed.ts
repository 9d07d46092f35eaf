/**
 * Payments of a company that knows a request again by its key, and cannot be asked by that key. The whole request is recorded before its first
 * POST, and each later one repeats it: under another body the company would not know it again.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, PayoutCommand, ProviderEvent, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { dataOf, entryKey } from "../chain/books.ts"
import type { CommandEntry } from "./entries.ts"
import type { OpenCompany } from "./provider.ts"
import {
  type CommandCalls,
  type CompanyCommand,
  type Posted,
  requireSeen,
  type Seen,
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
  /** What the company has under an id of its own. */
  readonly find: (id: string, expected: Expected) => Effect.Effect<Seen, ProviderFault>
  /** All payments since then, epoch milliseconds. */
  readonly list: (expected: Expected, since: number) => Effect.Effect<ReadonlyArray<Payment>, ProviderFault>
  /** What a listed payment with our reference says. Absent: the company takes no reference, and only the engine submits what was lost. */
  readonly see?: (payment: Payment, expected: Expected) => Seen | UnreadableReply | undefined
  /** Whether a listed payment without a reference may be the command. */
  readonly mayBe: (payment: Payment, expected: Expected) => boolean
}

/** A payment may be listed as made so long before its POST by our clock, milliseconds: one of the two clocks may be wrong. */
const clockSlackMs = 60 * 60_000

type Kept<Made> = Pick<KeyedCompany<Made, never, never>, "kind" | "key_ms">

/** The requests of commands, as they are kept. */
const makeRequests = <Made extends MadeRequest>(
  { books, entries, key, submissions }: OpenCompany,
  { key_ms = Number.POSITIVE_INFINITY, kind }: Kept<Made>
) => {
  type Stored = StoredRequest<Made>
  const requestKey = (command_id: string) => entryKey(kind, `${key}/${command_id}`)
  const requestOf = (command_id: string) => books.read<Stored>(requestKey(command_id))
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
    const before = keep(yield* requestOf(command_id), yield* submissions.find(command_id))
    if (before !== undefined) return before
    const made = yield* make
    if ("_tag" in made) return made
    return yield* books.amend([...keys], ([stored, sent]) => {
      const known = dataOf<Stored>(stored)
      const kept = keep(known, dataOf(sent))
      if (kept !== undefined) return { entries: [], result: kept }
      const request: Stored = { ...made, round: (known?.round ?? -1) + 1, keyed_at: now, isVoid: false }
      return { entries: [{ key: keys[0], data: request }], result: request }
    })
  })

  /** The company has refused the request, and no earlier one may have been executed: its key is bound to the refusal. */
  const end = (command_id: string, { round }: Stored) =>
    books.amend([requestKey(command_id), entries.keys.command(command_id)], ([row, sent]) => {
      const known = dataOf<Stored>(row)
      return known === undefined || known.round !== round || isSent(dataOf(sent))
        ? { entries: [], result: undefined }
        : { entries: [{ key: requestKey(command_id), data: { ...known, isVoid: true } }], result: undefined }
    })

  return { requestOf, prepare, end, isFresh }
}

/** How it is found what a company has of a command. */
const makeLooks = <Made extends MadeRequest, Expected, Payment extends { readonly id: string }>(
  { submissions }: OpenCompany,
  { expect, find, list, mayBe, see }: KeyedCompany<Made, Expected, Payment>
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

  const look = Effect.fnUntraced(function* (command_id: string, request: Made): Effect.fn.Return<Seen, ProviderFault> {
    const sent = yield* submissions.find(command_id)
    const expected = expect(command_id, request)
    if ((sent?.company_id ?? null) !== null) return yield* find(sent!.company_id!, expected)
    if (sent === undefined || sent.sent_at === null) return { _tag: "missing" }
    return yield* search(command_id, expected, sent.first_sent_at ?? sent.sent_at)
  })

  return { ofPayment, look }
}

export const makeKeyedPayments = <Made extends MadeRequest, Expected, Payment extends { readonly id: string }>(
  parts: OpenCompany,
  company: KeyedCompany<Made, Expected, Payment>
) => {
  type Stored = StoredRequest<Made>
  const { expect, find, key_ms = Number.POSITIVE_INFINITY, parse, post, see } = company
  const { submissions } = parts
  const { end, isFresh, prepare, requestOf } = makeRequests<Made>(parts, company)
  const { look, ofPayment } = makeLooks(parts, company)

  const callsFor = (command_id: string, request: Stored, now: number): CommandCalls => ({
    // The company gives the first answer again under the same key, until it forgets the key. An older command is looked up.
    isFenced: isFresh(request, now),
    post: post(request, expect(command_id, request)),
    look: look(command_id, request)
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
          return callsFor(command.id, request, yield* wallNow)
        })
      )
      const isRefused = result._tag === "rejected" || result._tag === "unavailable"
      if (request !== undefined && isRefused && Number.isFinite(key_ms)) yield* end(command.id, request)
      return result
    }),
    lookup: Effect.fnUntraced(function* (command: KeyedCommand): Effect.fn.Return<CommandStatus, ProviderFault> {
      const request = yield* requestOf(command.id)
      const calls = request && callsFor(command.id, request, yield* wallNow)
      return yield* submissions.lookup(commandOf(command), calls ?? "it has no request")
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
      const known = sent.company_id ?? id
      // Without a reference only the same POST would tell, and that would pay what never arrived: the engine alone submits.
      if (request === undefined || (known === undefined && see === undefined)) return null
      const seen = yield* known === undefined ? look(command_id, request) : find(known, expect(command_id, request))
      return seen._tag === "found" ? yield* submissions.record(sent, seen) : null
    })
  }
}
