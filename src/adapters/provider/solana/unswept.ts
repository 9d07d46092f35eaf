/**
 * What the books say that a token account holds: its confirmed pay-ins, less what was swept. No more than that is swept, and an
 * account that holds more has a payment that no node has listed: a list of transactions can be empty and look complete, a balance
 * cannot.
 */
import { readData } from "../chain/books.ts"
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import { changeAddress, type Watched, addUnswept } from "./addresses.ts"
import type { SolanaContext } from "./config.ts"
import { type IssuedAddress, solanaKey, type SolanaOutgoing } from "./entries.ts"
import { readEntries } from "./transaction-records.ts"

const sweepId = (account: string, number: number): string => `sweep.${account}.${number}`

const readSweptUnits = ({ amount, ended }: SolanaOutgoing): bigint =>
  ended?.outcome.outcome === "success" ? BigInt(amount) : 0n

/** Finds the sweep of an account that is under way, or has ended and is not counted, and its id. */
export const findSweep = Effect.fnUntraced(function* (context: SolanaContext, { address, account }: Watched) {
  const command_id = sweepId(account, address.swept[account] ?? 0)
  const [row] = yield* context.books.get([solanaKey(context.name, "solana_outgoing", command_id)])
  return { command_id, sweep: readData<SolanaOutgoing>(row) }
})

/** Counts a sweep that has ended: the next one gets another number, and the recorded unswept amount falls by what it moved. */
const countSweep = (context: SolanaContext, { address, account }: Watched, sweep: SolanaOutgoing) =>
  changeAddress(context, address, (before) => {
    const number = before.swept[account] ?? 0
    if (sweepId(account, number) !== sweep.command_id) return before
    const counted = { ...before, swept: { ...before.swept, [account]: number + 1 } }
    return addUnswept(counted, account, -readSweptUnits(sweep))
  })

/** Reads the recorded unswept amount of an account. A sweep that has ended by a slot is counted first. */
export const readUnswept = Effect.fnUntraced(function* (
  context: SolanaContext,
  watched: Watched,
  slot: number
): Effect.fn.Return<{ readonly watched: Watched; readonly unswept: bigint }, ProviderFault> {
  const { account } = watched
  const before = {
    ...watched,
    address: yield* context.books
      .get([solanaKey(context.name, "solana_address", watched.address.id)])
      .pipe(Effect.map(([row]) => readData<IssuedAddress>(row)!))
  }
  const { sweep } = yield* findSweep(context, before)
  const isOver = sweep !== undefined && sweep.ended !== null && (sweep.ended.slot ?? 0) <= slot
  const address = isOver ? yield* countSweep(context, before, sweep) : before.address
  return { watched: { ...watched, address }, unswept: BigInt(address.unswept[account] ?? "0") }
})

/** A watched account and what it holds at a slot. */
interface Held {
  readonly watched: Watched
  readonly amount: bigint
  readonly slot: number
}

/**
 * Lists the accounts whose transactions up to their slots may not all be in the state store. Either the balance differs from the
 * recorded one less the sweeps that have ended by then: a payment is not recorded, or somebody with the key took some. Or a sweep
 * is under way, and it is unknown whether it has moved a new payment.
 *
 * Law: called after the balances were read, so that every sweep in a balance is recorded.
 */
export const listUnexplained = Effect.fnUntraced(function* (
  context: SolanaContext,
  all: ReadonlyArray<Held>
): Effect.fn.Return<ReadonlyArray<Watched>, ProviderFault> {
  const { books, name } = context
  const addressKeyOf = ({ address }: Watched) => solanaKey(name, "solana_address", address.id)
  const keys = new Map(all.map(({ watched }) => [watched.address.id, addressKeyOf(watched)]))
  const addresses = yield* readEntries<IssuedAddress>(books, [...keys.values()])
  const now = all.map(({ watched: before, ...held }) => {
    const address = addresses.get(addressKeyOf(before).id)!
    const unswept = BigInt(address.unswept[before.account] ?? "0")
    return { ...held, watched: { ...before, address }, unswept }
  })
  const sweepKeyOf = ({ address, account }: Watched) =>
    solanaKey(name, "solana_outgoing", sweepId(account, address.swept[account] ?? 0))
  // A sweep that is not counted is still in what the books say.
  const sweeps = yield* readEntries<SolanaOutgoing>(
    books,
    now.filter(({ unswept }) => unswept !== 0n).map(({ watched }) => sweepKeyOf(watched))
  )
  return now
    .filter(({ amount, slot, unswept, watched }) => {
      const sweep = sweeps.get(sweepKeyOf(watched).id)
      if (sweep === undefined) return amount !== unswept
      return sweep.ended === null || amount !== unswept - ((sweep.ended.slot ?? 0) <= slot ? readSweptUnits(sweep) : 0n)
    })
    .map(({ watched }) => watched)
})

/** Finds the amount that an account holds at a slot beyond its recorded one. Zero or less: no deposit is missing. */
export const findMissingUnits = (context: SolanaContext, watched: Watched, balance: bigint, slot: number) =>
  Effect.map(readUnswept(context, watched, slot), ({ unswept }) => balance - unswept)
