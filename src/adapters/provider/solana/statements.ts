/** What the platform has on the chain, and the lines that explain it. Only what is final counts as available. */
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import {
  type BlockBalances,
  type ProviderBalance,
  providerTimeoutMs,
  type StatementLine,
  type StatementPage
} from "../../../engine/ports/Provider.ts"
import { listWatchedAccounts, type Watched } from "./addresses.ts"
import { formatTokenAmount } from "../chain/tokens.ts"
import { type SolanaContext, formatSol, type TokenMint } from "./config.ts"
import { readSignaturesAbove } from "./credits.ts"
import type { SeenPayin, SolanaOutgoing } from "./entries.ts"
import { outgoingKey } from "./outgoing.ts"
import { makeLaterPayinId, makePayinId, payinKey } from "./payins.ts"
import { accountsMax, type RpcNode } from "./rpc.ts"
import {
  toTransactionEffect,
  indexOlderEntries,
  storeRecords,
  recordGap,
  readEntries,
  recordKey,
  readRecordsBetween,
  type TransactionEffect,
  type TransactionRecord
} from "./transaction-records.ts"
import { listUnexplained } from "./unswept.ts"

/** Calls that are under way at the same time. */
const concurrency = 8

/** Reads the finalized balances of token accounts, each with the slot of its answer: many accounts take several requests. */
const readFinalAmounts = Effect.fnUntraced(function* (node: RpcNode, addresses: ReadonlyArray<string>, from = 0) {
  const parts: Array<ReadonlyArray<string>> = []
  for (let at = 0; at < addresses.length; at += accountsMax) parts.push(addresses.slice(at, at + accountsMax))
  const read = yield* Effect.forEach(parts, (part) => node.accounts(part, "finalized", from), { concurrency })
  return read.flatMap(({ accounts, slot }) =>
    accounts.map((account) => ({ amount: account?.token?.amount ?? 0n, slot }))
  )
})

const sumAmounts = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** Reads the current balances: tokens of the hot wallet are `available`, those at issued addresses `pending`; SOL pays the fees. */
export const readBalances = (context: SolanaContext): Effect.Effect<ReadonlyArray<ProviderBalance>, ProviderFault> =>
  context.nodes.first(
    Effect.fnUntraced(function* (node) {
      const watched = yield* listWatchedAccounts(context)
      const { network } = context
      const found: Array<ProviderBalance> = []
      for (const token of context.tokens) {
        const own = watched.filter((one) => one.token.currency === token.currency).map(({ account }) => account)
        const [hot = 0n, ...others] = (yield* readFinalAmounts(node, [token.account, ...own])).map(
          ({ amount }) => amount
        )
        const { currency, decimals } = token
        found.push({
          currency,
          network,
          available: formatTokenAmount(hot, decimals),
          pending: formatTokenAmount(sumAmounts(others), decimals)
        })
      }
      const sol = yield* node.lamports(context.hot.address)
      return [...found, { currency: "SOL", network, available: formatSol(sol), pending: "0" }]
    })
  )

type Sums = ReadonlyMap<string, bigint>

/** A token account of ours. `watched`: null of those of the hot wallet. */
interface OwnAccount {
  readonly token: TokenMint
  readonly watched: Watched | null
}

type OwnAccounts = ReadonlyMap<string, OwnAccount>

/** A final transaction, whose time is known. */
interface ReadTransaction {
  readonly signature: string
  readonly command_id: string | null
  readonly slot: number
  readonly at: number
  readonly effect: TransactionEffect
}

interface OwnChange extends OwnAccount {
  readonly account: string
  readonly delta: bigint
}

const listOwnChanges = (own: OwnAccounts, { effect }: ReadTransaction): ReadonlyArray<OwnChange> =>
  Object.entries(effect.tokens).flatMap(([account, { delta, mint }]) => {
    const found = own.get(account)
    return found?.token.mint === mint ? [{ ...found, account, delta: BigInt(delta) }] : []
  })

/** Sums the changes that transactions made to our accounts, by currency. */
const sumChanges = ({ tokens }: SolanaContext, own: OwnAccounts, some: ReadonlyArray<ReadTransaction>): Sums => {
  const sums = new Map(tokens.map(({ currency }) => [currency, 0n]))
  for (const one of some)
    for (const { delta, token } of listOwnChanges(own, one)) sums.set(token.currency, sums.get(token.currency)! + delta)
  return sums
}

/** Lists the ids of the two pay-ins that an account may have of a transaction: the second became final after the first had failed. */
const listPayinIds = ({ signature, slot }: ReadTransaction, watched: Watched): readonly [string, string] => {
  const id = makePayinId(signature, watched)
  return [id, makeLaterPayinId(id, slot)]
}

/** Reads the recorded commands and pay-ins of some transactions. */
const readRecordedCommands = Effect.fnUntraced(function* (
  context: SolanaContext,
  own: OwnAccounts,
  some: ReadonlyArray<ReadTransaction>
) {
  const { books } = context
  const payinIds = some.flatMap((one) =>
    listOwnChanges(own, one).flatMap(({ delta, watched }) =>
      watched !== null && delta > 0n ? listPayinIds(one, watched) : []
    )
  )
  const payins = yield* readEntries<SeenPayin>(
    books,
    payinIds.map((id) => payinKey(context, id))
  )
  const commands = some.flatMap(({ command_id }) => command_id ?? [])
  const outgoings = yield* readEntries<SolanaOutgoing>(
    books,
    commands.map((id) => outgoingKey(context, id))
  )
  return {
    payinOf: (one: ReadTransaction, watched: Watched): string | null => {
      const found = listPayinIds(one, watched).flatMap((id) => payins.get(payinKey(context, id).id) ?? [])
      return (found.find(({ confirmed_at }) => confirmed_at !== null) ?? found[0])?.payin_id ?? null
    },
    outgoingOf: ({ command_id }: ReadTransaction): SolanaOutgoing | undefined =>
      command_id === null ? undefined : outgoings.get(outgoingKey(context, command_id).id)
  }
})

/**
 * Makes the statement lines of a transaction. The ledger moves `world` for each pay-in and each payment, so each has a line of
 * its own; a payment to one of our addresses has both. Any other change has a third line, so that a sweep has none for its token.
 *
 * Law: the lines sum to the change of our accounts in the transaction.
 */
const makeTransactionLines = (
  context: SolanaContext,
  own: OwnAccounts,
  books: Effect.Success<ReturnType<typeof readRecordedCommands>>,
  one: ReadTransaction
): ReadonlyArray<StatementLine> => {
  const { at, command_id, effect, signature, slot } = one
  const line = (
    id: string,
    currency: string,
    amount: string,
    direction: StatementLine["direction"],
    about: Partial<Pick<StatementLine, "command_id" | "payin_id">>
  ): StatementLine => ({
    id,
    booked_at: at,
    block: String(slot),
    direction,
    amount,
    currency,
    command_id: null,
    payin_id: null,
    ...about,
    provider_reference: signature,
    transaction_hash: signature,
    narration: `slot ${slot}`
  })
  const size = (delta: bigint): bigint => (delta < 0n ? -delta : delta)
  const directionOf = (delta: bigint) => (delta > 0n ? "credit" : "debit")
  const changes = listOwnChanges(own, one)
  const outgoing = books.outgoingOf(one)
  const tokens = context.tokens.flatMap(({ currency, decimals }) => {
    const ofToken = changes.filter(({ token }) => token.currency === currency)
    const credits = ofToken.flatMap(({ delta, watched }) =>
      watched !== null && delta > 0n ? [{ delta, watched }] : []
    )
    const isPayment =
      outgoing !== undefined && outgoing.purpose !== "sweep" && outgoing.currency === currency && !effect.isFailed
    const paid = isPayment ? BigInt(outgoing.amount) : 0n
    const rest = sumAmounts(ofToken.map(({ delta }) => delta)) - sumAmounts(credits.map(({ delta }) => delta)) + paid
    const id = `${signature}:${currency}`
    const count = credits.length + Number(paid !== 0n) + Number(rest !== 0n)
    const amountOf = (units: bigint) => formatTokenAmount(size(units), decimals)
    return [
      ...credits.map(({ delta, watched }) =>
        line(count === 1 ? id : `${id}:${watched.address.address}`, currency, amountOf(delta), "credit", {
          payin_id: books.payinOf(one, watched)
        })
      ),
      ...(paid === 0n ? [] : [line(id, currency, amountOf(paid), "debit", { command_id })]),
      // A payment that gave another amount than its command says explains itself by a second line.
      ...(rest === 0n
        ? []
        : paid === 0n
          ? [line(id, currency, amountOf(rest), directionOf(rest), { command_id })]
          : [line(`${id}:${context.hot.address}`, currency, amountOf(rest), directionOf(rest), {})])
    ]
  })
  const lamports = BigInt(effect.lamports)
  const sol = line(`${signature}:SOL`, "SOL", formatSol(size(lamports)), directionOf(lamports), { command_id })
  return lamports === 0n ? tokens : [...tokens, sol]
}

/**
 * A place in the statement. `held`: what the accounts held when `slot` had ended, by currency. Undefined: nobody knows, and nothing is
 * held against it up to the next closing.
 */
interface Position {
  readonly slot: number
  readonly held: Sums | undefined
}

const formatCursor = ({ held, slot }: Position): string =>
  held === undefined ? String(slot) : `${slot}/${[...held].map((one) => one.join(":")).join(",")}`

/** Parses a cursor. Cursors of earlier releases may have a negative sum, because they passed over a transaction that was listed late. */
const parseCursor = (cursor: string | null): Position | undefined => {
  const [, slot, held] = /^(\d{1,15})(?:\/((?:\w+:-?\d+,?)*))?$/.exec(cursor ?? "0") ?? []
  if (slot === undefined) return undefined
  if (held === undefined) return { slot: Number(slot), held: undefined }
  const sums = held.split(",").map((one) => one.split(":") as [string, string])
  return { slot: Number(slot), held: new Map(sums.map(([currency, units]) => [currency, BigInt(units)])) }
}

/** Transactions of one page, but for those of its last slot. */
const pageMax = 200

/**
 * For how many slots a page is read again whose lines do not lead to the balance, from the first reading that failed: a node may list a
 * transaction a while after its block is final. Then the page is given as it is. Ten minutes.
 */
const listingSlots = 1500

/** Milliseconds of a call of {@link readLines} after which it begins nothing more. The engine cuts the call at `providerTimeoutMs`. */
const reading_ms = (providerTimeoutMs * 2) / 3

/**
 * What is held by our accounts, in the order of `own`, and how a page is read. `final`: where it ends at the latest. `top`: the highest
 * slot at which an account was read.
 */
interface Reading {
  readonly node: RpcNode
  readonly own: OwnAccounts
  readonly amounts: ReadonlyArray<{ readonly amount: bigint; readonly slot: number }>
  readonly above: number
  readonly final: number
  readonly top: number
  /** Epoch milliseconds. */
  readonly deadline: number
}

/**
 * Finds the transactions of our accounts after a slot, by slot, and how many of them are on the page, which ends with a whole
 * slot. It takes those in the state store, and asks the node for those of the hot wallet and of the addresses that {@link
 * listUnexplained} names; the state store has all of the others. `enough`: it stops at so many, and the last may then be missing.
 * `since`: the transactions after `final` that may already be in a balance that was read.
 *
 * Law: for an account read at `final` or later, no transaction up to `final` is missing, unless `enough` is reached.
 */
const findTransactions = Effect.fnUntraced(function* (
  context: SolanaContext,
  { above, amounts, final, node, own, top }: Reading,
  enough: number
) {
  const held = [...own.values()].map(({ watched }, n) => ({ watched, ...amounts[n]! }))
  const unexplained = yield* listUnexplained(
    context,
    held.flatMap(({ watched, ...one }) => (watched === null ? [] : [{ ...one, watched }]))
  )
  const { records, until } = yield* readRecordsBetween(context, above, final, enough)
  const later = yield* readRecordsBetween(context, final, top, Number.POSITIVE_INFINITY)
  const addresses = [
    context.hot.address,
    ...context.tokens.map(({ account }) => account),
    ...unexplained.map(({ account }) => account)
  ]
  const listed = yield* Effect.forEach(addresses, (one) => readSignaturesAbove(node, one, above, top), { concurrency })
  const slots = new Map<string, number>()
  for (const { signature, slot } of [...listed.flat(), ...records, ...later.records]) slots.set(signature, slot!)
  const inOrder = [...slots].sort(([, a], [, b]) => a - b)
  const signaturesIn = (from: number, to: number) =>
    inOrder.flatMap(([signature, slot]) => (slot > from && slot <= to ? [signature] : []))
  const signatures = signaturesIn(above, until)
  const last = signatures.length < pageMax ? until : slots.get(signatures[pageMax - 1]!)!
  const paged = signaturesIn(above, last).length
  const isComplete = until === final && paged === signatures.length
  return { signatures, since: signaturesIn(final, top), paged, last, isComplete }
})

/** Transactions that are read from a node before they are kept. */
const keptMax = 40

/**
 * Reads transactions, from the state store and else from the node, and stores them, so that any node of Corridor can continue
 * after an interrupted attempt. Errors: `ProviderFault`, also after the deadline, and where the node does not know when a
 * transaction was: a line's day is never guessed.
 */
const readTransactions = Effect.fnUntraced(function* (
  context: SolanaContext,
  { deadline, node }: Reading,
  signatures: ReadonlyArray<string>
) {
  const { books, name } = context
  const idOf = (signature: string) => recordKey(name, signature).id
  const keys = signatures.map((signature) => recordKey(name, signature))
  const records = new Map(yield* readEntries<TransactionRecord>(books, keys))
  const unread = signatures.filter((signature) => (records.get(idOf(signature))?.effect?.at ?? null) === null)
  for (let from = 0; from < unread.length; from += keptMax) {
    if ((yield* Clock.currentTimeMillis) > deadline)
      return yield* new ProviderFault({
        message: `${unread.length - from} of ${signatures.length} transactions are still to be read; the next attempt goes on there`
      })
    const read = yield* Effect.forEach(
      unread.slice(from, from + keptMax),
      Effect.fnUntraced(function* (signature) {
        const { effect, slot } = records.get(idOf(signature)) ?? { effect: null, slot: null }
        if (effect !== null) return { signature, slot, effect: { ...effect, at: yield* readBlockTime(node, slot!) } }
        const found = yield* node.transaction(signature, "finalized")
        if (found === null)
          return yield* new ProviderFault({ message: `the Solana node lists ${signature} and does not show it` })
        const at = found.at ?? (yield* readBlockTime(node, found.slot))
        return { signature, ...toTransactionEffect(context, { ...found, at }) }
      }),
      { concurrency }
    )
    yield* storeRecords(context, read)
    for (const one of read) {
      const { command_id = null } = records.get(idOf(one.signature)) ?? {}
      records.set(idOf(one.signature), { ...one, command_id })
    }
  }
  return signatures.map((signature): ReadTransaction => {
    const { command_id, effect, slot } = records.get(idOf(signature))!
    return { signature, command_id, slot: slot!, at: effect!.at!, effect: effect! }
  })
})

const readBlockTime = Effect.fnUntraced(function* (node: RpcNode, slot: number) {
  const at = yield* node.time(slot)
  return at ?? (yield* new ProviderFault({ message: `the Solana node does not say when slot ${slot} was` }))
})

const addSums = (sums: Sums, by: Sums, sign: bigint): Sums =>
  new Map([...sums].map(([currency, units]) => [currency, units + sign * (by.get(currency) ?? 0n)]))

/**
 * Reads the page of lines after a position, from one node. Law: the cursor passes a slot only when each account was read at it or
 * later, and when all transactions listed, on this page and after it, sum to the balance. If they do not, `unreached` is called,
 * and there is a page only if `isGiven`.
 *
 * Errors: `ProviderFault`.
 */
const readPageAfter = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  { held, slot: above }: Position,
  {
    deadline,
    isFirst,
    isGiven,
    unreached
  }: {
    readonly deadline: number
    readonly isFirst: boolean
    readonly isGiven: boolean
    readonly unreached: (final: number) => void
  }
): Effect.fn.Return<StatementPage, ProviderFault> {
  // Before the addresses are listed and the accounts read: all that they got and gave up to here is in what they hold.
  const { slot: final } = yield* node.epoch("finalized")
  if (final < above) return yield* new ProviderFault({ message: `the Solana node is at slot ${final}` })
  const own: OwnAccounts = new Map<string, OwnAccount>([
    ...context.tokens.map((token) => [token.account, { token, watched: null }] as const),
    ...(yield* listWatchedAccounts(context)).map((one) => [one.account, { token: one.token, watched: one }] as const)
  ])
  const amounts = yield* readFinalAmounts(node, [...own.keys()], final)
  const top = amounts.reduce((latest, { slot }) => Math.max(latest, slot), final)
  const reading: Reading = { node, own, amounts, above, final, top, deadline }
  // Without a sum to start from, what comes after the page proves nothing of it.
  const enough = held === undefined ? pageMax : Number.POSITIVE_INFINITY
  const { isComplete, last, paged, signatures, since } = yield* findTransactions(context, reading, enough)
  const read = yield* readTransactions(context, reading, held === undefined ? signatures.slice(0, paged) : signatures)
  const onPage = read.slice(0, paged)
  const books = yield* readRecordedCommands(context, own, onPage)
  const lines = onPage.flatMap((one) => makeTransactionLines(context, own, books, one))
  if (held === undefined && !isComplete) return { lines, cursor: formatCursor({ slot: last, held }) }

  const closing = new Map(context.tokens.map(({ currency }) => [currency, 0n]))
  const slots = new Map<string, number>()
  for (const [n, [account, { token }]] of [...own].entries()) {
    const { amount, slot } = amounts[n]!
    slots.set(account, slot)
    closing.set(token.currency, closing.get(token.currency)! + amount)
  }
  // An account that was read after the last slot has also what it has got since.
  for (const one of yield* readTransactions(context, reading, since))
    for (const { account, delta, token } of listOwnChanges(own, one))
      if (one.slot <= slots.get(account)!) closing.set(token.currency, closing.get(token.currency)! - delta)
  const reached = held === undefined ? undefined : addSums(held, sumChanges(context, own, read), 1n)
  const isReached = [...closing].every(([currency, units]) => (reached?.get(currency) ?? units) === units)
  if (!isReached) {
    unreached(final)
    if (!isGiven)
      return yield* new ProviderFault({ message: `the Solana node does not list all transactions up to slot ${final}` })
  }
  if (!isComplete) {
    const sums = isReached && held !== undefined ? addSums(held, sumChanges(context, own, onPage), 1n) : undefined
    return { lines, cursor: formatCursor({ slot: last, held: sums }) }
  }
  const at = yield* readBlockTime(node, final)
  const stated = (block: number, sums: Sums): BlockBalances => ({
    block: String(block),
    at,
    balances: context.tokens.map(({ currency, decimals }) => ({
      currency,
      amount: formatTokenAmount(sums.get(currency) ?? 0n, decimals)
    }))
  })
  return {
    lines,
    // The node cannot say what was there at first.
    ...(isFirst ? { opening: stated(above, addSums(closing, sumChanges(context, own, read), -1n)) } : {}),
    closing: stated(final, closing),
    cursor: formatCursor({ slot: final, held: closing })
  }
})

/**
 * Reads the statement lines of the hot wallet and all issued addresses together: a sweep between them is one line, its fee in
 * SOL, and a payment to one of them is a debit and a credit. A node has only the state of its last finalized slot, and that slot
 * advances while many accounts are read: the last page has the balances of the slot before all these readings, and the lines up
 * to it. The cursor is a slot with the balances there.
 */
export const readLines = Effect.fnUntraced(function* (
  context: SolanaContext,
  after: string | null
): Effect.fn.Return<StatementPage, ProviderFault> {
  const position = parseCursor(after)
  if (position === undefined)
    return yield* new ProviderFault({ message: `${JSON.stringify(after)} is not a cursor of the Solana adapter` })
  const deadline = (yield* Clock.currentTimeMillis) + reading_ms
  yield* context.adopted
  if (!(yield* indexOlderEntries(context, deadline)))
    return yield* new ProviderFault({ message: "the entries of an earlier build are being indexed" })
  let final: number | undefined
  const from = (isGiven: boolean) =>
    context.nodes.first((node) =>
      readPageAfter(context, node, position, {
        deadline,
        isFirst: after === null,
        isGiven,
        unreached: (slot) => {
          final = slot
        }
      })
    )
  return yield* Effect.catch(
    from(false),
    Effect.fnUntraced(function* (fault) {
      if (final === undefined) return yield* fault
      const first = yield* recordGap(context, after ?? "", final)
      return final - first < listingSlots ? yield* fault : yield* from(true)
    })
  )
})
