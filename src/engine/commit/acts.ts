/** The acts of a decision, from what its rows say of themselves, and what limits count of them (LIMITS-2, LIMITS-11). */
import { Context, type Effect } from "effect"
import type { ActSum, ControlledAction, Money } from "../../machines/controls/approval-rule.ts"
import type { Counted } from "../../machines/kernel/payout.ts"
import { type InvalidInput, InvariantViolation, type Unavailable } from "../ports/errors.ts"
import type { CounterWrite, RowWrite, StoredCounter } from "../ports/Storage.ts"
import type { Call } from "./call.ts"
import type { ChangeSet } from "./changeset.ts"
import type { Kinds } from "./kind.ts"
import type { ActSubjects, RowAction } from "./row-act.ts"

/** An act that limits count. */
export interface CountedAction extends ActSubjects {
  readonly words: ReadonlyArray<ControlledAction>
  readonly merchant_id: string
  /** The merchant of the Change, if it is another: the counters are stored with it. */
  readonly written_by?: string
  /** The API key of the caller. */
  readonly api_key_id?: string | null
  /** The keys that led to that key, where no admin made it. */
  readonly api_key_makers?: ReadonlyArray<string>
  readonly sums: ReadonlyArray<ActSum>
  readonly field: string
  /** Whether a merchant reads the answer, who learns no sum of others (LIMITS-12). */
  readonly isOwn: boolean
}

/** Converts an act of a call to the form in which limits count it. */
export const toLimitedAct = (
  { key_id, merchant_id, operator }: Pick<Call, "key_id" | "merchant_id" | "operator">,
  { waits: _, ...act }: RowAction
): CountedAction => ({ merchant_id, ...act, written_by: merchant_id, api_key_id: key_id, isOwn: operator === null })

/** The controlled actions of a decision. `words`: their names, the one that always applies first. */
interface DecidedAct {
  readonly words: ReadonlyArray<ControlledAction>
  readonly sums: ReadonlyArray<ActSum>
}

/** The acts of a decision. `first`: the row that keeps what limits count of them, so that it can be given back. */
interface DecidedActs extends DecidedAct {
  readonly limited: ReadonlyArray<CountedAction>
  readonly first: RowWrite | undefined
}

/**
 * The acts that a decision makes: those of the rows that it writes, and those of its operation. The first word of an operation always
 * applies, the others where a row says so. Law: an act that several words name is one: a limit counts it once (LIMITS-11). An operation
 * that writes an undeclared act is a defect: no rule could let it wait.
 */
export const listActs = (
  { byName }: Kinds["Service"],
  call: Call,
  changes: ReadonlyArray<ChangeSet>
): DecidedActs | undefined => {
  const rows = changes.flatMap((one) => one.rows ?? [])
  const made = rows.flatMap((row) => {
    const act = byName.get(row.kind)?.controlledAction?.(row)
    return act === undefined ? [] : [{ row, act }]
  })
  const named = call.act?.words ?? []
  if (rows.length === 0 || (made.length === 0 && named.length === 0)) return undefined
  const found = made.flatMap(({ act }) => act.words)
  const hidden =
    call.act && made.find(({ act }) => act.waits !== true && !act.words.some((word) => named.includes(word)))
  if (hidden !== undefined)
    throw new InvariantViolation(`${call.operation} is an act of ${hidden.act.words.join(", ")}, and does not say so`)
  const words = [...new Set([...named.filter((word, n) => n === 0 || found.includes(word)), ...found])]
  const partsOf = (word: ControlledAction) => made.flatMap(({ act }) => (act.words.includes(word) ? [act] : []))
  const sumsOf = (word: ControlledAction) => partsOf(word).flatMap((act) => act.sums)
  // What several words name is one thing: an entry that ends an exception moves its money once.
  const sums = words.map(sumsOf).find(({ length }) => length > 0) ?? []
  const limited = words.flatMap((word): ReadonlyArray<CountedAction> => {
    const parts = partsOf(word)
    if (parts.some(({ waits }) => waits)) return []
    const about = parts[0] ?? { field: call.act?.field ?? "body" }
    return [toLimitedAct(call, { ...about, words: [word], sums: parts.length === 0 ? sums : sumsOf(word) })]
  })
  return { words, sums, limited, first: made[0]?.row }
}

/** Sums amounts by currency, those taken and those received. */
export const sumActs = (sums: ReadonlyArray<ActSum>): ReadonlyArray<Money> => {
  const all = new Map<string, bigint>()
  for (const { received, taken } of sums)
    for (const [minor, currency] of [taken, ...(received === undefined || received[1] === taken[1] ? [] : [received])])
      all.set(currency, (all.get(currency) ?? 0n) + BigInt(minor))
  return [...all].map(([currency, minor]) => [minor.toString(), currency])
}

/** Sums the taken amounts by currency. Received amounts depend on the current rate. */
export const sumTaken = (sums: ReadonlyArray<ActSum>): ReadonlyArray<Money> =>
  sumActs(sums.map(({ taken }) => ({ taken })))

/** The amounts that approvers saw. `other`: the amounts now, if they differ. */
export interface ApprovedSums {
  readonly taken: ReadonlyArray<Money>
  other?: ReadonlyArray<Money>
}

/**
 * Law: under this reference an act has exactly the approved amounts, or is not done at all (APPROVAL-12). Undefined: no approval was
 * required.
 */
export const ApprovedSums = Context.Reference<ApprovedSums | undefined>("corridor/engine/ApprovedSums", {
  defaultValue: () => undefined
})

/** The counts of an action: changes of the same commit, and what can be given back. */
interface CountedActs {
  readonly changes: ReadonlyArray<ChangeSet>
  readonly counted: ReadonlyArray<Counted>
}

/**
 * What limits count of the acts of one decision. `given`: the counters that it writes itself, which give back. Errors: `InvalidInput` when a
 * limit has no room (LIMITS-5). Undefined: nothing counts, as in a test of the write path alone.
 */
export const ActLimits = Context.Reference<
  | ((
      acts: ReadonlyArray<CountedAction>,
      given: ReadonlyArray<CounterWrite>,
      at: number
    ) => Effect.Effect<CountedActs, InvalidInput | Unavailable>)
  | undefined
>("corridor/engine/ActLimits", { defaultValue: () => undefined })

/** Notes in the data of `row`, in the change sets of a decision, what the act has added to limits. */
export const addCounts = (
  changes: ReadonlyArray<ChangeSet>,
  row: Pick<RowWrite, "id" | "kind"> | undefined,
  counts: object
): ReadonlyArray<ChangeSet> =>
  row === undefined || Object.keys(counts).length === 0
    ? changes
    : changes.map(({ rows = [], ...one }) => ({
        ...one,
        rows: rows.map((is) =>
          is.id === row.id && is.kind === row.kind ? { ...is, data: { ...(is.data as object), ...counts } } : is
        )
      }))

/** Counters after a decision has given back its own amounts. */
export const subtractGivenBack = (
  stored: ReadonlyArray<StoredCounter>,
  given: ReadonlyArray<CounterWrite>
): ReadonlyArray<StoredCounter> =>
  stored.map(({ amounts, key }) => ({
    key,
    amounts: amounts.map(({ amount, bucket }) => {
      const back = given.filter((one) => one.key === key && one.bucket === bucket && one.add.startsWith("-"))
      const left = back.reduce((sum, { add }) => sum + BigInt(add), BigInt(amount))
      return { bucket, amount: (left < 0n ? 0n : left).toString() }
    })
  }))
