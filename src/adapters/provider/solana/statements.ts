/** What the platform has on the chain, and the lines that explain it. Only what is final counts as available. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { ProviderBalance, StatementLine } from "../../../engine/ports/Provider.ts"
import { watchedAccounts } from "./addresses.ts"
import { decimalOf } from "../chain/tokens.ts"
import { type SolanaContext, solOf } from "./config.ts"
import { signaturesAbove } from "./credits.ts"
import type { SolanaOutgoing, SeenPayin } from "./entries.ts"
import { allEntries } from "./open-entries.ts"
import { accountsMax, type SolanaTransaction, type RpcNode } from "./rpc.ts"

const finalAmounts = Effect.fnUntraced(function* (node: RpcNode, addresses: ReadonlyArray<string>) {
  const amounts: Array<bigint> = []
  for (let i = 0; i < addresses.length; i += accountsMax) {
    const { accounts } = yield* node.accounts(addresses.slice(i, i + accountsMax), "finalized")
    amounts.push(...accounts.map((account) => account?.token?.amount ?? 0n))
  }
  return amounts
})

const sum = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** Tokens of the hot wallet are `available`, those at issued addresses `pending`; SOL pays the fees. */
export const balances = (context: SolanaContext): Effect.Effect<ReadonlyArray<ProviderBalance>, ProviderFault> =>
  context.nodes.first(
    Effect.fnUntraced(function* (node) {
      const watched = yield* watchedAccounts(context)
      const { network } = context
      const found: Array<ProviderBalance> = []
      for (const token of context.tokens) {
        const own = watched.filter((one) => one.token.currency === token.currency).map(({ account }) => account)
        const [hot = 0n, ...others] = yield* finalAmounts(node, [token.account, ...own])
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

/** Which command or pay-in a transaction belongs to. */
const owners = Effect.fnUntraced(function* (context: SolanaContext) {
  const known = new Map<string, Known>()
  for (const { payin_id, signature, currency } of yield* allEntries<SeenPayin>(context, "solana_payin"))
    known.set(`${signature}/${currency}`, { command_id: null, payin_id })
  for (const { attempts, command_id } of yield* allEntries<SolanaOutgoing>(context, "solana_outgoing"))
    for (const { signature } of attempts) known.set(signature, { command_id, payin_id: null })
  return known
})

const linesOf = (
  context: SolanaContext,
  own: ReadonlySet<string>,
  known: ReadonlyMap<string, Known>,
  signature: string,
  found: SolanaTransaction
): ReadonlyArray<StatementLine> => {
  const line = (currency: string, delta: bigint, amount: string): ReadonlyArray<StatementLine> => {
    const { command_id, payin_id } = known.get(signature) ??
      known.get(`${signature}/${currency}`) ?? { command_id: null, payin_id: null }
    return delta === 0n
      ? []
      : [
          {
            id: `${signature}:${currency}`,
            booked_at: found.at ?? 0,
            direction: delta > 0n ? "credit" : "debit",
            amount,
            currency,
            command_id,
            payin_id,
            provider_reference: signature,
            transaction_hash: signature,
            narration: null
          }
        ]
  }
  const size = (delta: bigint): bigint => (delta < 0n ? -delta : delta)
  const tokens = context.tokens.flatMap(({ currency, mint, decimals }) => {
    const delta = sum(
      [...found.tokens]
        .filter(([account, change]) => change.mint === mint && own.has(account))
        .map(([, one]) => one.delta)
    )
    return line(currency, delta, decimalOf(size(delta), decimals))
  })
  const spent = found.lamports.get(context.hot.address) ?? 0n
  return [...tokens, ...line("SOL", spent, solOf(size(spent)))]
}

/**
 * The lines of the hot wallet and of all issued addresses together: a sweep between them is a line of SOL alone, its fee.
 * The cursor is a finalized slot. Law: the lines up to it sum to the balances at it.
 */
export const lines = (context: SolanaContext, after: string | null) =>
  context.nodes.first(
    Effect.fnUntraced(function* (node) {
      const above = after === null ? 0 : Number(after)
      if (!Number.isSafeInteger(above) || above < 0)
        return yield* new ProviderFault({ message: `${JSON.stringify(after)} is not a cursor of the Solana adapter` })
      const { slot: final } = yield* node.epoch("finalized")
      if (final < above) return yield* new ProviderFault({ message: `the Solana node is at slot ${final}` })
      const own = new Set([
        ...context.tokens.map(({ account }) => account),
        ...(yield* watchedAccounts(context)).map(({ account }) => account)
      ])
      const slots = new Map<string, number>()
      for (const address of [context.hot.address, ...own])
        for (const { signature, slot } of yield* signaturesAbove(node, address, above, final))
          if (slot <= final) slots.set(signature, slot)
      const known = yield* owners(context)
      const found: Array<StatementLine> = []
      for (const [signature] of [...slots].sort(([, a], [, b]) => a - b)) {
        const transaction = yield* node.transaction(signature, "finalized")
        if (transaction === null)
          return yield* new ProviderFault({ message: `the Solana node lists ${signature} and does not show it` })
        found.push(...linesOf(context, own, known, signature, transaction))
      }
      return { lines: found, cursor: String(final) }
    })
  )
