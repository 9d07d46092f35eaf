/** What the platform has on the chain, and the lines that explain it. Only what is final counts as available. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { BlockBalances, ProviderBalance, StatementLine, StatementPage } from "../../../engine/ports/Provider.ts"
import { listWatchedAccounts } from "./addresses.ts"
import { decimalOf } from "../chain/tokens.ts"
import { type SolanaContext, solOf, type TokenMint } from "./config.ts"
import { signaturesAbove } from "./credits.ts"
import type { SolanaOutgoing, SeenPayin } from "./entries.ts"
import { allEntries } from "./open-entries.ts"
import type { ReadTransaction } from "./readings.ts"
import { accountsMax, type RpcNode } from "./rpc.ts"

/** What token accounts hold, and the finalized slot of each answer: many accounts are read by several requests. */
const finalAmounts = Effect.fnUntraced(function* (node: RpcNode, addresses: ReadonlyArray<string>, from = 0) {
  const amounts: Array<{ readonly amount: bigint; readonly slot: number }> = []
  for (let i = 0; i < addresses.length; i += accountsMax) {
    const { accounts, slot } = yield* node.accounts(addresses.slice(i, i + accountsMax), "finalized", from)
    amounts.push(...accounts.map((account) => ({ amount: account?.token?.amount ?? 0n, slot })))
  }
  return amounts
})

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** Tokens of the hot wallet are `available`, those at issued addresses `pending`; SOL pays the fees. */
export const balances = (context: SolanaContext): Effect.Effect<ReadonlyArray<ProviderBalance>, ProviderFault> =>
  context.nodes.first(
    Effect.fnUntraced(function* (node) {
      const watched = yield* listWatchedAccounts(context)
      const { network } = context
      const found: Array<ProviderBalance> = []
      for (const token of context.tokens) {
        const own = watched.filter((one) => one.token.currency === token.currency).map(({ account }) => account)
        const [hot = 0n, ...others] = (yield* finalAmounts(node, [token.account, ...own])).map(({ amount }) => amount)
        const { currency, decimals } = token
        found.push({
          currency,
          network,
          available: decimalOf(hot, decimals),
          pending: decimalOf(sum(others), decimals)
        })
      }
      const sol = yield* node.lamports(context.hot.address)
      return [...found, { currency: "SOL", network, available: solOf(sol), pending: "0" }]
    })
  )

interface Known {
  readonly command_id: string | null
  readonly payin_id: string | null
}

type Sums = ReadonlyMap<string, bigint>

/** What a transaction changed of our accounts of a token. */
const changeOf = ({ mint }: TokenMint, own: ReadonlyMap<string, TokenMint>, found: ReadTransaction): bigint =>
  sum(
    [...found.tokens].flatMap(([account, change]) => (change.mint === mint && own.has(account) ? [change.delta] : []))
  )

const makeLines = (
  context: SolanaContext,
  own: ReadonlyMap<string, TokenMint>,
  known: ReadonlyMap<string, Known>,
  signature: string,
  found: ReadTransaction
): ReadonlyArray<StatementLine> => {
  const line = (currency: string, delta: bigint, amount: string): ReadonlyArray<StatementLine> => {
    const { command_id, payin_id } = known.get(signature) ??
      known.get(`${signature}/${currency}`) ?? { command_id: null, payin_id: null }
    return delta === 0n
      ? []
      : [
          {
            id: `${signature}:${currency}`,
            booked_at: found.at,
            direction: delta > 0n ? "credit" : "debit",
            amount,
            currency,
            command_id,
            payin_id,
            provider_reference: signature,
            transaction_hash: signature,
            narration: `slot ${found.slot}`
          }
        ]
  }
  const size = (delta: bigint): bigint => (delta < 0n ? -delta : delta)
  const tokens = context.tokens.flatMap((token) => {
    const delta = changeOf(token, own, found)
    return line(token.currency, delta, decimalOf(size(delta), token.decimals))
  })
  return [...tokens, ...line("SOL", found.lamports, solOf(size(found.lamports)))]
}

/**
 * A place in the statement. `held`: what the accounts held when `slot` had ended, by currency. Undefined: nobody knows, and nothing is
 * held against it up to the next closing.
 */
interface Position {
  readonly slot: number
  readonly held: Sums | undefined
}

const cursorOf = ({ held, slot }: Position): string =>
  held === undefined ? String(slot) : `${slot}/${[...held].map((one) => one.join(":")).join(",")}`

/** A sum below zero is in cursors of earlier releases, which went on without a transaction that came. */
const positionIn = (cursor: string | null): Position | undefined => {
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

/** The transactions of our accounts after a slot, in the order of their slots, and how many are a page, of whole slots. */
const transactionsAfter = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  accounts: Iterable<string>,
  above: number,
  final: number
) {
  const slots = new Map<string, number>()
  for (const address of [context.hot.address, ...accounts])
    for (const { signature, slot } of yield* signaturesAbove(node, address, above, final))
      if (slot <= final) slots.set(signature, slot)
  const inOrder = [...slots].sort(([, a], [, b]) => a - b)
  const last = inOrder[pageMax - 1]?.[1] ?? final
  const paged = inOrder.filter(([, slot]) => slot <= last).length
  return { signatures: inOrder.map(([signature]) => signature), paged, last }
})

/** Errors: `ProviderFault`, also where the node does not know when it was: a line has no day that nobody said. */
const transactionOf = Effect.fnUntraced(function* (
  { hot, readings }: SolanaContext,
  node: RpcNode,
  own: ReadonlyMap<string, TokenMint>,
  signature: string
) {
  const name = `${own.size} ${signature}`
  const kept = readings.transactions.get(name)
  if (kept !== undefined) return kept
  const found = yield* node.transaction(signature, "finalized")
  if (found === null)
    return yield* new ProviderFault({ message: `the Solana node lists ${signature} and does not show it` })
  const at = found.at ?? (yield* readBlockTime(node, found.slot))
  const tokens = new Map([...found.tokens].filter(([account]) => own.has(account)))
  const read: ReadTransaction = { slot: found.slot, at, tokens, lamports: found.lamports.get(hot.address) ?? 0n }
  readings.transactions.set(name, read)
  return read
})

const readBlockTime = Effect.fnUntraced(function* (node: RpcNode, slot: number) {
  const at = yield* node.time(slot)
  return at ?? (yield* new ProviderFault({ message: `the Solana node does not say when slot ${slot} was` }))
})

const addSums = (sums: Sums, by: Sums, sign: bigint): Sums =>
  new Map([...sums].map(([currency, units]) => [currency, units + sign * (by.get(currency) ?? 0n)]))

/**
 * The page after a position, from one node. Law: the cursor passes a slot only when all transactions that are listed, in this page and
 * after it, lead to the balance; otherwise `unreached` is told, and there is a page only if `isGiven`.
 *
 * Errors: `ProviderFault`.
 */
const pageAfter = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  { held, slot: above }: Position,
  {
    isFirst,
    isGiven,
    unreached
  }: { readonly isFirst: boolean; readonly isGiven: boolean; readonly unreached: (final: number) => void }
): Effect.fn.Return<StatementPage, ProviderFault> {
  const { slot } = yield* node.epoch("finalized")
  if (slot < above) return yield* new ProviderFault({ message: `the Solana node is at slot ${slot}` })
  const own = new Map([
    ...context.tokens.map((token) => [token.account, token] as const),
    ...(yield* listWatchedAccounts(context)).map(({ account, token }) => [account, token] as const)
  ])
  const amounts = yield* finalAmounts(node, [...own.keys()], above)
  const final = amounts.reduce((latest, one) => Math.max(latest, one.slot), above)
  const { last, paged, signatures } = yield* transactionsAfter(context, node, own.keys(), above, final)
  const isComplete = paged === signatures.length
  // Which command or pay-in a transaction belongs to.
  const known = new Map<string, Known>()
  for (const { payin_id, signature, currency } of yield* allEntries<SeenPayin>(context, "solana_payin"))
    known.set(`${signature}/${currency}`, { command_id: null, payin_id })
  for (const { attempts, command_id } of yield* allEntries<SolanaOutgoing>(context, "solana_outgoing"))
    for (const { signature } of attempts) known.set(signature, { command_id, payin_id: null })
  const lines: Array<StatementLine> = []
  const read: Array<ReadTransaction> = []
  // Without a sum to start from, what comes after the page proves nothing of it.
  for (const signature of held === undefined ? signatures.slice(0, paged) : signatures) {
    const found = yield* transactionOf(context, node, own, signature)
    if (read.length < paged) lines.push(...makeLines(context, own, known, signature, found))
    read.push(found)
  }
  const movedBy = (some: ReadonlyArray<ReadTransaction>): Sums =>
    new Map(context.tokens.map((token) => [token.currency, sum(some.map((one) => changeOf(token, own, one)))]))
  if (held === undefined && !isComplete) return { lines, cursor: cursorOf({ slot: last, held }) }

  // An account that was read before the last slot has got since what its transactions say.
  const since = (account: string, slot: number): bigint =>
    sum(read.flatMap((one) => (one.slot > slot ? [one.tokens.get(account)?.delta ?? 0n] : [])))
  const closing: Sums = new Map(
    context.tokens.map((token) => [
      token.currency,
      sum(
        [...own].flatMap(([account, one], n) =>
          one === token ? [amounts[n]!.amount + since(account, amounts[n]!.slot)] : []
        )
      )
    ])
  )
  const reached = held === undefined ? undefined : addSums(held, movedBy(read), 1n)
  const isReached = [...closing].every(([currency, units]) => (reached?.get(currency) ?? units) === units)
  if (!isReached) {
    unreached(final)
    if (!isGiven)
      return yield* new ProviderFault({ message: `the Solana node does not list all transactions up to slot ${final}` })
  }
  if (!isComplete) {
    const sums = isReached && held !== undefined ? addSums(held, movedBy(read.slice(0, paged)), 1n) : undefined
    return { lines, cursor: cursorOf({ slot: last, held: sums }) }
  }
  const at = yield* readBlockTime(node, final)
  const stated = (block: number, sums: Sums): BlockBalances => ({
    block: String(block),
    at,
    balances: context.tokens.map(({ currency, decimals }) => ({
      currency,
      amount: decimalOf(sums.get(currency) ?? 0n, decimals)
    }))
  })
  return {
    lines,
    // The node cannot say what was there at first.
    ...(isFirst ? { opening: stated(above, addSums(closing, movedBy(read), -1n)) } : {}),
    closing: stated(final, closing),
    cursor: cursorOf({ slot: final, held: closing })
  }
})

/**
 * The lines of the hot wallet and of all issued addresses together: a sweep between them is a line of SOL alone, its fee. A node has no
 * state but that of its last finalized slot: the last page has the balances of that slot, and the lines up to it. The cursor is a slot,
 * with what was held there.
 */
export const lines = Effect.fnUntraced(function* (
  context: SolanaContext,
  after: string | null
): Effect.fn.Return<StatementPage, ProviderFault> {
  const position = positionIn(after)
  if (position === undefined)
    return yield* new ProviderFault({ message: `${JSON.stringify(after)} is not a cursor of the Solana adapter` })
  const { unreached } = context.readings
  const name = after ?? ""
  let final: number | undefined
  const from = (isGiven: boolean) =>
    context.nodes.first((node) =>
      pageAfter(context, node, position, {
        isFirst: after === null,
        isGiven,
        unreached: (slot) => {
          final = slot
        }
      })
    )
  return yield* Effect.catch(from(false), (fault) => {
    if (final === undefined) return Effect.fail(fault)
    const first = unreached.get(name) ?? final
    unreached.set(name, first)
    return final - first < listingSlots ? Effect.fail(fault) : from(true)
  })
})
