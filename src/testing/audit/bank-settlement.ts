/**
 * The end of a bank's simulation: what it had lost arrives, an operator resolves every break, and then the books are the bank's, to the
 * last unit. What is compared is the auditor's ledger with the bank's own record.
 */
import { type Context, Effect } from "effect"
import { Calls } from "../../embedded/calls.ts"
import { readClass, type Ledger } from "../model/ledger.ts"
import type { Data } from "../model/orders.ts"
import type { RowWrite } from "../../engine/ports/Storage.ts"
import { makeBankAccount } from "../program/bank.ts"
import { requireOperation } from "../program/operations.ts"
import { day } from "../program/program.ts"
import type { ObservedServices } from "../world/observer.ts"
import type { Simulation } from "../world/simulation.ts"

/** How often what is open is resolved: each time, it may show something else. */
const roundsMax = 8

/** All movements are overdue by then. */
const settlementMs = 8 * day

interface Accounts {
  readonly simulation: Simulation
  readonly ledger: Ledger
  readonly context: Context.Context<ObservedServices>
}

const askSimulation = <A, E>({ context, simulation }: Accounts, effect: Effect.Effect<A, E, Calls>): Promise<A> =>
  simulation.ask(Effect.provideContext(effect, context))

const callOperation = (accounts: Accounts, call: string, args: ReadonlyArray<unknown>): Promise<unknown> =>
  askSimulation(
    accounts,
    Effect.flatMap(Calls, (calls) => calls.run(null, requireOperation(call), args) as Effect.Effect<unknown, unknown>)
  )

const passTime = ({ timeline }: Simulation, ms: number): Promise<void> => timeline.run(timeline.now + ms, () => false)

/** Reactivates the bank's accounts, and uploads the statements that were lost. */
const uploadLostStatements = async (accounts: Accounts, ids: ReadonlyArray<string>): Promise<void> => {
  const { bank, clients } = accounts.simulation
  for (const id of ids)
    await callOperation(accounts, "operator.externalAccounts.update", [
      id,
      { status: "active" },
      { idempotencyKey: `open-again-${id}` }
    ])
  for (const [n, { format, text }] of bank.lost) {
    const about = format === "csv" ? (clients.given.get(n)?.[1] as object) : {}
    const file = { file: new TextEncoder().encode(text), format, ...about }
    await callOperation(accounts, "operator.statements.take", [file, { idempotencyKey: `found-again-${n}` }])
  }
}

/** Resolves every open break, then lists how the books still differ from the bank. */
export const resolveBreaksAndCompare = async (accounts: Accounts): Promise<ReadonlyArray<string>> => {
  const { ledger, simulation } = accounts
  const rows = [...ledger.rows.values()].filter(
    ({ data, kind }: RowWrite): boolean =>
      kind === "external_account" &&
      (data as Data)["identifiers"].some(({ value }: Data) => value === makeBankAccount((data as Data)["currency"]))
  )
  if (rows.length === 0) return []
  await uploadLostStatements(
    accounts,
    rows.map(({ id }) => id)
  )
  await passTime(simulation, settlementMs)
  let open = Infinity
  for (let round = 1; round <= roundsMax && open > 0; round++) {
    await askSimulation(accounts, simulation.clients.desk.reopenAll(round))
    await passTime(simulation, day)
    open = await askSimulation(accounts, simulation.clients.desk.resolveAll(round))
    await passTime(simulation, day)
  }
  const unresolved = open === 0 ? [] : [`${open} breaks are open after each was resolved ${roundsMax} times`]
  const apart = rows.flatMap(({ data, id }) => {
    const { currency, provider } = data as Data
    // The account of the books that mirrors the bank, over all merchants.
    const { ledger } = accounts
    let sum = 0n
    for (const [key, balance] of ledger.balances) {
      const [, account = "", of] = key.split(" ")
      if (readClass(account) === "world" && account === `world:${provider}` && of === currency) sum += balance
    }
    const [bank, books] = [simulation.bank.balanceIn(currency), -sum]
    return bank === books ? [] : [`${id} has ${bank} ${currency} at the bank, but ${books} in the books`]
  })
  return [...unresolved, ...apart]
}
