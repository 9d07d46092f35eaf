/**
 * Transfers out of the platform's accounts, each executed at most once.
 *
 * A transfer is signed, recorded, and only then given to a node, so what may be on the chain is always in the books. While
 * a recorded transaction can still be included in a block, no other one is signed for the same command.
 */
import { readData } from "../chain/books.ts"
import type { Unsigned } from "../chain/refunds.ts"
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { CommandStatus, MovementOutcome, SubmissionResult } from "../../../engine/ports/Provider.ts"
import type { Row, RowKey } from "../../../engine/ports/Storage.ts"
import type { Amendment } from "../books.ts"
import { formatTokenAmount } from "../chain/tokens.ts"
import { type SolanaContext, formatSol } from "./config.ts"
import { type SolanaAttempt, toIndexKeys, solanaKey, findLiveAttempt, type SolanaOutgoing } from "./entries.ts"
import { readFate } from "./fate.ts"
import type { Order } from "./order.ts"
import { prepareTransfer, type Ready, type UnpreparedTransfer } from "./preparation.ts"
import type { SolanaTransaction } from "./rpc.ts"
import { toTransactionEffect, recordKey, makeRecordEntries } from "./transaction-records.ts"
import { signTransfer } from "./transaction.ts"

export const outgoingKey = ({ name }: SolanaContext, command_id: string): RowKey =>
  solanaKey(name, "solana_outgoing", command_id)

const makeOutgoingEntry = (
  context: SolanaContext,
  outgoing: SolanaOutgoing,
  isClosed = false
): Amendment<unknown>["entries"][number] => ({
  key: outgoingKey(context, outgoing.command_id),
  data: outgoing,
  index_keys: toIndexKeys(
    context.name,
    outgoing.ended === null ? findLiveAttempt(outgoing) !== undefined : outgoing.ended.seen_at !== null && !isClosed
  )
})

/**
 * Sends the recorded transaction to every node, and waits for one to take it. Errors: `ProviderFault` when none did: it may still
 * be on its way.
 */
const broadcast = ({ nodes }: SolanaContext, { wire }: SolanaAttempt): Effect.Effect<void, ProviderFault> =>
  Effect.asVoid(
    nodes.each(
      (node) => node.send(wire),
      () => true
    )
  )

/** Whether an error of the chain says that the platform's own accounts were short: nothing was paid, and it can be tried again. */
const isShortage = (error: unknown): boolean => {
  if (typeof error !== "object" || error === null) return error === "InsufficientFundsForFee"
  if ("InsufficientFundsForRent" in error) return true
  const [, detail] = (error as { readonly InstructionError?: readonly [unknown, unknown] }).InstructionError ?? []
  return Number((detail as { readonly Custom?: bigint } | undefined)?.Custom ?? 0n) === 1
}

const formatError = (error: unknown): string =>
  JSON.stringify(error, (_, value: unknown) => (typeof value === "bigint" ? Number(value) : value)).slice(0, 200)

/** Makes the outcome of an attempt that the chain has. `cost`: of all transactions of the transfer, in lamports. */
const toAttemptOutcome = ({ signature }: SolanaAttempt, error: unknown, cost: bigint): MovementOutcome => ({
  outcome: error === null ? "success" : "failed",
  reason: error === null ? null : `the transaction failed on the chain: ${formatError(error)}`,
  transaction_hash: signature,
  fee: formatSol(cost),
  fee_currency: "SOL",
  provider_reference: signature
})

const toSettled = (outcome: MovementOutcome): CommandStatus & SubmissionResult => ({ _tag: "settled", outcome })

const toCommandStatus = (outgoing: SolanaOutgoing): CommandStatus => {
  if (outgoing.ended !== null) return toSettled(outgoing.ended.outcome)
  return { _tag: findLiveAttempt(outgoing) === undefined ? "absent" : "pending" }
}

/** Records the end of the live attempt, unless that was done before. Returns the command status after it: another node may have signed again. */
const recordAttemptEnd = (
  context: SolanaContext,
  { command_id }: SolanaOutgoing,
  { signature }: SolanaAttempt,
  toKnown: (outgoing: SolanaOutgoing) => SolanaOutgoing,
  transaction?: SolanaTransaction
): Effect.Effect<CommandStatus, ProviderFault> => {
  const { books, name } = context
  return books.amend([outgoingKey(context, command_id), recordKey(name, signature)], ([row, record]) => {
    const before = readData<SolanaOutgoing>(row)!
    if (before.ended !== null || findLiveAttempt(before)?.signature !== signature)
      return { entries: [], result: toCommandStatus(before) }
    const after = toKnown(before)
    const known = { signature, command_id, ...(transaction && toTransactionEffect(context, transaction)) }
    const entries = [makeOutgoingEntry(context, after), ...makeRecordEntries(name, record, known)]
    return { entries, result: toCommandStatus(after) }
  })
}

/** Marks an attempt as ended at this cost. Returns the new entry. */
const markAttemptEnded = (
  outgoing: SolanaOutgoing,
  { signature }: SolanaAttempt,
  cost: bigint,
  absent: boolean
): SolanaOutgoing => ({
  ...outgoing,
  attempts: outgoing.attempts.map((one) =>
    one.signature === signature ? { ...one, cost: cost.toString(), ...(absent ? { absent: true as const } : {}) } : one
  )
})

const sumCost = ({ attempts }: SolanaOutgoing): bigint =>
  attempts.reduce((sum, { cost = "0" }) => sum + BigInt(cost), 0n)

/**
 * Follows the live attempt of a transfer one step: records its end, or broadcasts it again while it is valid. `absent`: it is
 * proven that it was not executed, and that is recorded.
 */
export const followTransfer = Effect.fnUntraced(function* (
  context: SolanaContext,
  outgoing: SolanaOutgoing,
  attempt: SolanaAttempt,
  seen_at: number | null = null
): Effect.fn.Return<CommandStatus, ProviderFault> {
  const fate = yield* readFate(context.nodes, attempt)
  switch (fate._tag) {
    case "landed":
      return { _tag: "pending" }
    case "open":
      if (!fate.expired) yield* Effect.ignore(broadcast(context, attempt))
      return { _tag: "pending" }
    case "absent":
      return yield* recordAttemptEnd(context, outgoing, attempt, (before) =>
        markAttemptEnded(before, attempt, 0n, true)
      )
    case "final": {
      const { error, cost, slot, transaction } = fate
      const toKnown = (before: SolanaOutgoing): SolanaOutgoing => {
        if (isShortage(error)) return markAttemptEnded(before, attempt, cost, true)
        const after = markAttemptEnded(before, attempt, cost, false)
        return { ...after, ended: { outcome: toAttemptOutcome(attempt, error, sumCost(after)), slot, seen_at } }
      }
      return yield* recordAttemptEnd(context, outgoing, attempt, toKnown, transaction)
    }
  }
})

/** Removes an ended transfer from the list of open ones, once its event is committed. */
export const closeOutgoing = (context: SolanaContext, { command_id }: SolanaOutgoing) =>
  context.books.amend([outgoingKey(context, command_id)], ([row]) => ({
    entries: [makeOutgoingEntry(context, readData<SolanaOutgoing>(row)!, true)],
    result: undefined
  }))

/** A command, whether or not it can be ordered with the configuration of this node. */
export type About = Pick<Order, "purpose" | "command_id" | "merchant_id" | "resource_id" | "attempt">

/** Makes the entry of a command, or reads it if it exists. The entry gets its token and its amount with its first signature. */
const makeOutgoing = (about: About, before: Row | undefined): SolanaOutgoing =>
  readData<SolanaOutgoing>(before) ?? {
    purpose: about.purpose,
    command_id: about.command_id,
    merchant_id: about.merchant_id,
    resource_id: about.resource_id,
    currency: "",
    amount: "0",
    attempts: [],
    ended: null,
    void_through: -1,
    lookups: 0
  }

const addAttempt = (order: Order, before: Row | undefined, attempt: SolanaAttempt): SolanaOutgoing => {
  const outgoing = makeOutgoing(order, before)
  return {
    ...outgoing,
    currency: order.token.currency,
    amount: order.amount.toString(),
    attempts: [...outgoing.attempts, attempt]
  }
}

const readOutgoing = (context: SolanaContext, command_id: string): Effect.Effect<Row | undefined, ProviderFault> =>
  context.books.get([outgoingKey(context, command_id)]).pipe(Effect.map(([row]) => row))

/** Whether an entry already has the decided state: the same end, or else the same last signature. */
const isAlreadyRecorded = (entry: SolanaOutgoing | undefined, { attempts, ended }: SolanaOutgoing): boolean =>
  ended === null
    ? entry?.attempts.at(-1)?.signature === attempts.at(-1)!.signature
    : entry?.ended?.outcome.outcome === ended.outcome.outcome && entry.ended.outcome.reason === ended.outcome.reason

/**
 * Records a transfer that has ended or has a new signature, if nothing was written since `before` was read. Errors:
 * `ProviderFault` when something was: another submission may have paid, or a look-up has returned `absent`.
 */
const recordOutgoing = (context: SolanaContext, before: Row | undefined, decided: SolanaOutgoing) => {
  const { attempts, command_id } = decided
  const { books, name } = context
  const signed = attempts.slice(-1)
  const keys = [outgoingKey(context, command_id), ...signed.map(({ signature }) => recordKey(name, signature))]
  return books
    .amend(keys, ([row, record]) =>
      row?.version === before?.version
        ? {
            entries: [
              makeOutgoingEntry(context, decided),
              ...signed.flatMap(({ signature }) => makeRecordEntries(name, record, { signature, command_id }))
            ],
            result: true
          }
        : { entries: [], result: isAlreadyRecorded(readData<SolanaOutgoing>(row), decided) }
    )
    .pipe(
      Effect.filterOrFail(
        (isRecorded) => isRecorded,
        () => new ProviderFault({ message: `${command_id} changed while it was submitted` })
      )
    )
}

const toRejection = (reason: string): SubmissionResult => ({ _tag: "rejected", reason, refundable: true })

/** Records that a transfer will never be executed, and returns its rejection. */
export const rejectTransfer = Effect.fnUntraced(function* (
  context: SolanaContext,
  about: About,
  before: Row | undefined,
  reason: string
) {
  const outcome: MovementOutcome = { outcome: "failed", reason, transaction_hash: null }
  yield* recordOutgoing(context, before, {
    ...makeOutgoing(about, before),
    ended: { outcome, slot: null, seen_at: null }
  })
  return toRejection(reason)
})

const recordRefusal = (
  context: SolanaContext,
  order: Order,
  before: Row | undefined,
  refusal: UnpreparedTransfer
): Effect.Effect<SubmissionResult, ProviderFault> =>
  refusal._tag === "unavailable"
    ? Effect.succeed({ _tag: "unavailable" })
    : rejectTransfer(context, order, before, refusal.reason)

/** Signs, records and broadcasts a transaction, in this order. */
const signAndBroadcast = Effect.fnUntraced(function* (
  context: SolanaContext,
  order: Order,
  before: Row | undefined,
  { transfer, lifetime }: Ready
) {
  const { signature, wire } = yield* signTransfer(context.signer, transfer, lifetime, {
    command_id: order.command_id,
    purpose: order.purpose,
    amount: formatTokenAmount(order.amount, order.token.decimals),
    currency: order.token.currency,
    destination: order.to
  })
  const attempt: SolanaAttempt = {
    signature,
    wire,
    last_valid_block_height: lifetime.last_valid_block_height,
    from_slot: lifetime.slot
  }
  yield* recordOutgoing(context, before, addAttempt(order, before, attempt))
  yield* broadcast(context, attempt)
  return { _tag: "accepted" } satisfies SubmissionResult
})

const toSubmissionResult = ({ ended, attempts }: SolanaOutgoing): SubmissionResult =>
  attempts.length === 0 ? toRejection(ended!.outcome.reason ?? "rejected") : toSettled(ended!.outcome)

/** Finds the result of earlier submissions of a command. `attempt`: the number of the submission that asks; absent: it has none. */
export const findSubmission = Effect.fnUntraced(function* (
  context: SolanaContext,
  command_id: string,
  attempt?: number
): Effect.fn.Return<SubmissionResult | Unsigned, ProviderFault> {
  const entry = yield* readOutgoing(context, command_id)
  const outgoing = readData<SolanaOutgoing>(entry)
  if (outgoing === undefined) return { _tag: "unsigned", entry }
  if (attempt !== undefined && attempt <= outgoing.void_through)
    return yield* new ProviderFault({ message: `a look-up overtook submission ${attempt} of ${command_id}` })
  if (outgoing.ended) return toSubmissionResult(outgoing)
  const live = findLiveAttempt(outgoing)
  if (live === undefined) return { _tag: "unsigned", entry }
  const status = yield* followTransfer(context, outgoing, live)
  if (status._tag === "settled") return status
  if (status._tag === "pending") return { _tag: "accepted" }
  const now = yield* readOutgoing(context, command_id)
  const again = readData<SolanaOutgoing>(now)
  if (again?.ended) return toSubmissionResult(again)
  return again !== undefined && findLiveAttempt(again) !== undefined
    ? { _tag: "accepted" }
    : { _tag: "unsigned", entry: now }
})

/** Executes an order that has no signed transaction, unless its entry was changed meanwhile. */
export const executeOrder = Effect.fnUntraced(function* (
  context: SolanaContext,
  order: Order,
  { entry: before }: Unsigned
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  const prepared = yield* prepareTransfer(context, order)
  if (prepared._tag === "executed") {
    const found = addAttempt(order, before, prepared.attempt)
    const outcome = toAttemptOutcome(prepared.attempt, null, sumCost(found))
    yield* recordOutgoing(context, before, {
      ...found,
      ended: { outcome, slot: prepared.attempt.from_slot, seen_at: null }
    })
    return toSettled(outcome)
  }
  if (prepared._tag !== "ready") return yield* recordRefusal(context, order, before, prepared)
  return yield* signAndBroadcast(context, order, before, prepared).pipe(
    Effect.catchTag("SigningRefused", ({ message }) =>
      rejectTransfer(context, order, before, `the signer refuses: ${message}`)
    ),
    Effect.catchTag("SignerFault", () => Effect.succeed({ _tag: "unavailable" } as const))
  )
})

/** Executes an order at most once, however often and from wherever it is submitted. */
export const submitOrder = (context: SolanaContext, order: Order): Effect.Effect<SubmissionResult, ProviderFault> =>
  Effect.flatMap(findSubmission(context, order.command_id, order.attempt), (earlier) =>
    earlier._tag === "unsigned" ? executeOrder(context, order, earlier) : Effect.succeed(earlier)
  )

/**
 * Looks up the status of a command, also of one whose order is invalid now. Before it returns `absent`, it changes the entry: an
 * earlier submission, on any node, can then record no transaction, and an unrecorded transaction is never broadcast.
 */
export const lookUpCommand = Effect.fnUntraced(function* (
  context: SolanaContext,
  about: About
): Effect.fn.Return<CommandStatus, ProviderFault> {
  const fence = context.books.amend([outgoingKey(context, about.command_id)], ([row]) => {
    const found = makeOutgoing(about, row)
    if (found.ended !== null || findLiveAttempt(found) !== undefined) return { entries: [], result: found }
    const void_through = Math.max(found.void_through, about.attempt ?? -1)
    return {
      entries: [makeOutgoingEntry(context, { ...found, void_through, lookups: found.lookups + 1 })],
      result: found
    }
  })
  const outgoing = yield* fence
  const live = findLiveAttempt(outgoing)
  if (outgoing.ended !== null || live === undefined) return toCommandStatus(outgoing)
  const status = yield* followTransfer(context, outgoing, live)
  return status._tag === "absent" ? toCommandStatus(yield* fence) : status
})

/** Rejects a command whose order is invalid now, unless it was signed before. Submissions that began before do nothing more. */
export const rejectCommand = Effect.fnUntraced(function* (
  context: SolanaContext,
  about: About,
  reason: string
): Effect.fn.Return<SubmissionResult, ProviderFault> {
  if ((yield* lookUpCommand(context, about))._tag === "absent") return toRejection(reason)
  const earlier = yield* findSubmission(context, about.command_id)
  return earlier._tag === "unsigned" ? yield* rejectCommand(context, about, reason) : earlier
})

/**
 * Finds how a transfer ended, from the state store and else from the chain. An end found on the chain is not recorded: the
 * reading that follows the transfer still has to report it.
 */
export const findOutcome = Effect.fnUntraced(function* (
  context: SolanaContext,
  outgoing: SolanaOutgoing
): Effect.fn.Return<MovementOutcome | "signed" | "unsigned", ProviderFault> {
  if (outgoing.ended !== null) return outgoing.ended.outcome
  const live = findLiveAttempt(outgoing)
  if (live === undefined) return "unsigned"
  const fate = yield* readFate(context.nodes, live)
  return fate._tag === "final" && !isShortage(fate.error) ? toAttemptOutcome(live, fate.error, fate.cost) : "signed"
})
