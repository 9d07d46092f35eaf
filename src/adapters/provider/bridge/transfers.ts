/** Transfers from a wallet: the commands of the engine, as Bridge is asked them. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, PayoutCommand, ProviderEvent, SubmissionResult } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type ChainBooks, dataOf, entryKey } from "../chain/books.ts"
import type { ChainPayment } from "../chain/reports.ts"
import type { CommandEntry, CompanyEntries } from "../company/entries.ts"
import { idempotencyKey } from "../company/idempotency.ts"
import type { CompanyCommand, CompanySubmissions, Posted, Seen } from "../company/submissions.ts"
import type { ReadRound } from "../company/windows.ts"
import type { BridgeCalls } from "./calls.ts"
import { type ExpectedTransfer, mayBe, transferSeen } from "./mapping.ts"
import type { BridgeConfig } from "./options.ts"

export interface BridgeParts {
  readonly key: string
  readonly config: BridgeConfig
  readonly books: ChainBooks
  readonly entries: CompanyEntries
  readonly submissions: CompanySubmissions
  readonly round: ReadRound
  readonly calls: BridgeCalls
}

/** A POST of a command, which every later one under its key repeats: under another body, Bridge would not know it again. */
export interface StoredRequest {
  /** Bridge's id of the account that is paid. Null: a deposit is returned. */
  readonly account: string | null
  readonly deposit_id?: string
  readonly currency: string
  readonly units: string
  readonly body: string
  /** Each key is of a round of its own. */
  readonly round: number
  /** When the key was first used, epoch milliseconds. */
  readonly keyed_at: number
  /** Whether Bridge has refused it, and nothing under its key can be executed any more. */
  readonly isVoid: boolean
}

/** What a request asks for; or why there is none. */
export type MakeRequest = Effect.Effect<
  Pick<StoredRequest, "account" | "deposit_id" | "currency" | "units" | "body"> | SubmissionResult,
  ProviderFault
>

/** A command that is a transfer of Bridge's. */
export interface TransferCommand extends Pick<PayoutCommand, "id" | "merchant_id" | "resource_id" | "currency"> {
  readonly purpose: ChainPayment["purpose"]
  /** The deposit that a refund returns. */
  readonly payin_id: string | null
}

/** Bridge forgets a key after 24 hours. A request is not repeated later than this, milliseconds. */
const keyMs = 20 * 3_600_000
/** A transfer may be listed as made so long before its POST by our clock, milliseconds: one of the two clocks may be wrong. */
const clockSlackMs = 60 * 60_000

/** What Bridge was asked for a command. */
const makeRequests = ({ books, entries, key }: BridgeParts) => {
  const requestKey = (command_id: string) => entryKey("bridge_request", `${key}/${command_id}`)
  const requestOf = (command_id: string) => books.read<StoredRequest>(requestKey(command_id))

  /**
   * The request of a command, which is written down before anything is sent; or why there is none. Law: a request is another one, under another
   * key, only where none of the earlier ones can be executed any more: Bridge has refused it, or it is nowhere and its key has run out.
   */
  const prepare = Effect.fnUntraced(function* (
    command: TransferCommand,
    make: MakeRequest
  ): Effect.fn.Return<StoredRequest | SubmissionResult, ProviderFault> {
    const now = yield* wallNow
    const rowKey = requestKey(command.id)
    const keep = (known: StoredRequest | undefined, sent: CommandEntry | undefined): StoredRequest | undefined => {
      if (known === undefined || (sent?.sent_at ?? null) !== null) return known
      return known.isVoid || now - known.keyed_at >= keyMs ? undefined : known
    }
    const [row, sentRow] = yield* Effect.all([
      requestOf(command.id),
      books.read<CommandEntry>(entries.keys.command(command.id))
    ])
    const before = keep(row, sentRow)
    if (before !== undefined) return before
    const made = yield* make
    if ("_tag" in made) return made
    return yield* books.amend([rowKey, entries.keys.command(command.id)], ([stored, sent]) => {
      const known = dataOf<StoredRequest>(stored)
      const kept = keep(known, dataOf(sent))
      if (kept !== undefined) return { entries: [], result: kept }
      const request = { ...made, round: (known?.round ?? -1) + 1, keyed_at: now, isVoid: false }
      return { entries: [{ key: rowKey, data: request }], result: request }
    })
  })

  /** Bridge has refused the request, and no earlier one may have been executed: its key is bound to the refusal. */
  const end = (command_id: string, { round }: StoredRequest) =>
    books.amend([requestKey(command_id), entries.keys.command(command_id)], ([row, sentRow]) => {
      const known = dataOf<StoredRequest>(row)
      const isOpen = (dataOf<CommandEntry>(sentRow)?.sent_at ?? null) !== null
      return known === undefined || known.round !== round || isOpen
        ? { entries: [], result: undefined }
        : { entries: [{ key: requestKey(command_id), data: { ...known, isVoid: true } }], result: undefined }
    })

  return { requestOf, prepare, end }
}

const expectedOf = (command_id: string, { account, currency, deposit_id, units }: StoredRequest): ExpectedTransfer => ({
  ...{ command_id, account, currency, units: BigInt(units) },
  ...(deposit_id !== undefined && { deposit_id })
})

export const makeTransfers = (parts: BridgeParts) => {
  const { calls, submissions } = parts
  const { end, prepare, requestOf } = makeRequests(parts)
  /** The command that a transfer is of; undefined: none that is known. */
  const ofTransfer = Effect.fnUntraced(function* (id: string) {
    return (yield* submissions.ofPayment("payout", id)) ?? (yield* submissions.ofPayment("refund", id))
  })

  /** A command without Bridge's id, among all transfers since its first POST, by its reference. One without a reference that may be it is a fault. */
  const search = Effect.fnUntraced(function* (
    expected: ExpectedTransfer,
    since: number
  ): Effect.fn.Return<Seen, ProviderFault> {
    const { command_id } = expected
    const listed = yield* calls.since(since - clockSlackMs)
    const own = listed.find(({ client_reference_id }) => client_reference_id === command_id)
    if (own !== undefined) {
      const seen = transferSeen(own, expected)
      return seen._tag === "unknown" ? yield* new ProviderFault({ message: seen.message }) : seen
    }
    for (const transfer of listed.filter((one) => mayBe(one, expected)))
      if ((yield* ofTransfer(transfer.id)) === undefined)
        return yield* new ProviderFault({ message: `${command_id} is not found, but ${transfer.id} may be it` })
    return { _tag: "missing" }
  })

  const look = Effect.fnUntraced(function* (
    command_id: string,
    request: StoredRequest
  ): Effect.fn.Return<Seen, ProviderFault> {
    const sent = yield* submissions.find(command_id)
    const expected = expectedOf(command_id, request)
    if (sent === undefined) return { _tag: "missing" }
    if (sent.company_id !== null) return yield* calls.find(sent.company_id, expected)
    if (sent.sent_at === null) return { _tag: "missing" }
    return yield* search(expected, sent.first_sent_at ?? sent.sent_at)
  })

  const commandOf = (command: TransferCommand, request: StoredRequest, now: number): CompanyCommand => {
    const { currency, id, merchant_id, payin_id, purpose, resource_id } = command
    return {
      ...{ purpose, command_id: id, merchant_id, resource_id, currency, units: request.units, payin_id },
      // Bridge gives the first answer again under the same key, for a day. An older command is looked up.
      isFenced: now - request.keyed_at < keyMs,
      // One that Bridge has given an id to is asked about, and not sent again.
      post: Effect.flatMap(submissions.find(id), (sent) => {
        if ((sent?.company_id ?? null) !== null) return Effect.succeed<Posted>({ _tag: "exists" })
        const posted = calls.post(idempotencyKey(`${id}/${request.round}`), request.body, expectedOf(id, request))
        return Effect.tap(posted, (answer) => submissions.keepId({ command_id: id, purpose }, answer))
      }),
      look: look(id, request),
      // `look` has read the list already.
      isUnbooked: () => Effect.succeed(true)
    }
  }

  return {
    requestOf,
    ofTransfer,
    submit: Effect.fnUntraced(function* (
      command: TransferCommand,
      make: MakeRequest
    ): Effect.fn.Return<SubmissionResult, ProviderFault> {
      const request = yield* prepare(command, make)
      if ("_tag" in request) return request
      const result = yield* submissions.submit(commandOf(command, request, yield* wallNow))
      if (result._tag === "rejected" || result._tag === "unavailable") yield* end(command.id, request)
      return result
    }),
    lookup: Effect.fnUntraced(function* (command: TransferCommand): Effect.fn.Return<CommandStatus, ProviderFault> {
      const request = yield* requestOf(command.id)
      if (request === undefined) return { _tag: "absent" }
      return yield* submissions.lookup(commandOf(command, request, yield* wallNow))
    }),
    /**
     * Asks about a command that was sent, and records what it is. `id`: of Bridge, where an event names it. Returns the report of its outcome;
     * null: there is none.
     */
    lookAgain: Effect.fnUntraced(function* (
      sent: CommandEntry,
      id?: string
    ): Effect.fn.Return<ProviderEvent | null, ProviderFault> {
      const request = yield* requestOf(sent.command_id)
      if (request === undefined) return null
      const expected = expectedOf(sent.command_id, request)
      const seen =
        sent.company_id === null && id !== undefined
          ? yield* calls.find(id, expected)
          : yield* look(sent.command_id, request)
      return seen._tag === "found" ? yield* submissions.record(sent, seen) : null
    })
  }
}

export type BridgeTransfers = ReturnType<typeof makeTransfers>
