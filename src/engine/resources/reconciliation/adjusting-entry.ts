/** Adjusting entries: what an operator posts between accounts of the platform (ADJUST-1 to ADJUST-5). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { type ExceptionData, findMoney } from "../../../machines/deposits/exception.ts"
import type { AdjustingEntryData } from "../../../machines/reconciliation/adjusting-entry.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { Versioned } from "../../calls/list.ts"
import { findOfAnyMerchant, listBodies } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import { type ChangeSet, addNote } from "../../commit/changeset.ts"
import { Kinds } from "../../commit/kind.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { inCurrency, makeWordFilter } from "../../input/members.ts"
import { Amount, CurrencyCode, describe, Id, listing, Optional, Text } from "../../input/schemas.ts"
import { type InvalidInput, invalid, InvalidStatus, type NotFound, type StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { Providers } from "../../ports/Provider.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  type AdjustingEntryBody,
  adjustingEntryBody,
  adjustingEntryStatuses
} from "../../representations/reconciliation/adjusting-entry.ts"
import { ExceptionKind } from "../deposits/exception.ts"
import { AdjustingEntryKind, type EntryMoney, resolveEntryMoney, postEntry, reverseEntry } from "./entry-posting.ts"
import { readEnding, planEntryEnd, planEntryReversal, releaseEntryLines } from "./entry-endings.ts"

const account = (description: string, example: string) => describe(Text(80), description, example)

export const CreateAdjustingEntry = Schema.Struct({
  from: account(
    "The account to debit: `suspense`, `losses`, `fees` or `rounding`, or `world`, `costs`, `receivable` or `float` with a colon and a provider.",
    "suspense"
  ),
  to: account("The account to credit, one of the same.", "world:simulated"),
  amount: describe(Amount, "The amount, with at most the decimals of the ledger.", "25.00"),
  currency: describe(CurrencyCode, "The currency of the amount.", "USDC"),
  note: describe(Text(500), "Why. The entry and the audit log show it.", "The provider has sent it back"),
  exception_id: Optional(Id("exc"), "The exception that ends with it."),
  break_id: Optional(Id("brk"), "The break that ends with it: the entry is what differs."),
  line_id: Optional(Id("stl"), "The line of a statement that it explains; a break of the line ends with it.")
}).annotate({ identifier: "CreateAdjustingEntry" })
export type CreateAdjustingEntry = typeof CreateAdjustingEntry.Type

export const ReverseAdjustingEntry = Schema.Struct({
  note: describe(Text(500), "Why. The reversal and the audit log show it.", "Booked twice")
}).annotate({ identifier: "ReverseAdjustingEntry" })
export type ReverseAdjustingEntry = typeof ReverseAdjustingEntry.Type

const ofOne = (prefix: string, of: string) => Optional(Id(prefix), `Only those of this ${of}.`)

export const ListAdjustingEntries = Schema.Struct({
  from: Optional(Schema.String, "Only those that debit this account.", "suspense"),
  to: Optional(Schema.String, "Only those that credit this account.", "world:simulated"),
  amount: Optional(Amount, "Only those of this amount.", "12.50"),
  currency: inCurrency,
  status: makeWordFilter(adjustingEntryStatuses, "status"),
  exception_id: ofOne("exc", "exception"),
  break_id: ofOne("brk", "break"),
  line_id: ofOne("stl", "line"),
  reverses: ofOne("adj", "entry"),
  reversed_by: Optional(Id("adj"), "Only the one that this entry reverses."),
  ...listing
})
export type ListAdjustingEntries = typeof ListAdjustingEntries.Type

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  return {
    storage,
    kinds: yield* Kinds,
    unitOfWork: yield* UnitOfWork,
    providers: yield* Providers,
    ids: yield* Ids,
    list: listBodies(storage, AdjustingEntryKind, ListAdjustingEntries, adjustingEntryBody, ["amount", "reversed_by"])
  }
})
type Deps = Effect.Success<typeof makeDeps>

/**
 * Whether an entry accounts for an exception: all of its money leaves suspense, or, where it has none there, at most what is exposed.
 * Errors: `InvalidInput`.
 */
const checkException = (
  { data: e, id }: Row<ExceptionData>,
  { amount, currency, from, to }: EntryMoney
): Effect.Effect<void, InvalidInput> => {
  const inSuspense = findMoney(e) ?? undefined
  const due = inSuspense ?? e.exposure ?? undefined
  if (inSuspense !== undefined && from !== "suspense")
    return Effect.fail(invalid("from", `from is ${from}, but the money of exception ${id} is in suspense.`))
  if (inSuspense === undefined && (from === "suspense" || to === "suspense"))
    return Effect.fail(
      invalid(
        from === "suspense" ? "from" : "to",
        `Exception ${id} has no money in suspense, so its entry moves none there.`
      )
    )
  if (due === undefined) return Effect.void
  if (currency !== due.currency)
    return Effect.fail(invalid("currency", `currency is ${currency}, but exception ${id} is in ${due.currency}.`))
  const shown = `${displayAmount(due.amount, currency)} ${currency}`
  if (inSuspense !== undefined && amount !== due.amount)
    return Effect.fail(invalid("amount", `amount is not ${shown}, which exception ${id} has in suspense.`))
  return BigInt(amount) > BigInt(due.amount)
    ? Effect.fail(invalid("amount", `amount is above ${shown}, which is the exposure of exception ${id}.`))
    : Effect.void
}

/** The event of the exception that an entry ends, or opens again. Errors: `InvalidStatus` when another decision was first. */
const stepException = Effect.fnUntraced(function* (
  { unitOfWork }: Deps,
  merchant_id: string,
  id: string,
  event: {
    readonly type: "adjusted" | "reopened"
    readonly entry: string
    readonly note: string
    readonly refills?: boolean
  },
  money: EntryMoney,
  at: number
) {
  const row = yield* unitOfWork.load(ExceptionKind, merchant_id, id)
  if (event.type === "adjusted" && row.state === "open") yield* checkException(row, money)
  const next = yield* unitOfWork.step(ExceptionKind, row, { ...event, at }, at)
  if (next === undefined)
    return yield* new InvalidStatus({ message: `Exception ${id} is ${row.state}, and takes no adjusting entry.` })
  return addNote([next.changes], row, event.note)
})

/**
 * Posts an entry. With `exception_id`, `break_id` or `line_id` the exception, the break or the line ends with it, in one commit.
 *
 * Errors: `InvalidInput` for accounts, a currency or an amount that it cannot have, that do not fit the exception, or for which a limit
 * has no room; `InvalidAmountPrecision`; `NotFound`; `InvalidStatus` for an exception or a break that is not open.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateAdjustingEntry) {
  const { unitOfWork } = deps
  const money = yield* resolveEntryMoney(deps, input)
  const { break_id = null, exception_id = null, line_id = null, note } = input
  if ([break_id, exception_id, line_id].filter((one) => one !== null).length > 1)
    return yield* invalid("break_id", "An entry ends one: it takes exception_id, break_id or line_id.")
  const { merchant_id } =
    exception_id === null
      ? { merchant_id: PLATFORM_MERCHANT }
      : yield* findOfAnyMerchant(deps.storage, ExceptionKind, exception_id)
  return yield* unitOfWork.write({ ...call, merchant_id }, function* () {
    const at = yield* Clock.currentTimeMillis
    const ending = break_id === null && line_id === null ? undefined : yield* readEnding(deps, { break_id, line_id })
    const named = { exception_id, break_id: ending?.row?.id ?? null, line_id }
    const data = { ...money, note, ...named, reverses: null, reversed_by: null }
    const { changes, row } = yield* postEntry(deps, merchant_id, data, at, call)
    if (ending !== undefined) {
      const ended = yield* planEntryEnd(deps, ending, { id: row.id, line_id, money, note }, at)
      return { changes: [changes, ...ended], result: adjustingEntryBody(row), audited: row }
    }
    const ended: ReadonlyArray<ChangeSet> =
      exception_id === null
        ? []
        : yield* stepException(deps, merchant_id, exception_id, { type: "adjusted", entry: row.id, note }, money, at)
    return { changes: [changes, ...ended], result: adjustingEntryBody(row), audited: row }
  })
})

/** Whether an entry lies with a merchant, as that of an exception does. Its statement lines are then released in commits of their own. */
const releasesLinesApart = ({ data, merchant_id }: Row<AdjustingEntryData>): boolean =>
  merchant_id !== PLATFORM_MERCHANT && data.reverses === null

/**
 * Posts the opposite of an entry, once. What the entry ended (an exception, a break) opens again, and the statement lines matched with it are unmatched.
 *
 * Errors: `NotFound`; `InvalidStatus` for an entry that is reversed, is a reversal, or is accounted for by another.
 */
const reverse = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, { note }: ReverseAdjustingEntry) {
  const { storage, unitOfWork } = deps
  const found = yield* findOfAnyMerchant(storage, AdjustingEntryKind, id)
  const { merchant_id } = found
  const isApart = releasesLinesApart(found)
  // A node that reversed it may have stopped before it had released what was matched meanwhile.
  if (isApart) yield* releaseEntryLines(deps, found, note, found.state === "reversed")
  const reversal = yield* unitOfWork.write({ ...call, merchant_id }, function* () {
    const row = yield* unitOfWork.load(AdjustingEntryKind, merchant_id, id)
    const at = yield* Clock.currentTimeMillis
    const { data } = row
    const reversal = yield* reverseEntry(deps, row, note, at)
    const reopened: ReadonlyArray<ChangeSet> =
      data.exception_id === null
        ? yield* planEntryReversal(deps, row, note, at)
        : yield* stepException(
            deps,
            merchant_id,
            data.exception_id,
            { type: "reopened", entry: id, note, refills: data.from === "suspense" },
            data,
            at
          )
    return { changes: [...reversal.changes, ...reopened], result: adjustingEntryBody(reversal.row) }
  })
  if (isApart && found.state === "posted") yield* releaseEntryLines(deps, found, note, true)
  return reversal
})

/**
 * Does what a reversal has left whose process ended after it, and returns it. It may be repeated. Errors: `NotFound`; those of
 * {@link releaseEntryLines}.
 */
const finishReversal = Effect.fnUntraced(function* (deps: Deps, id: string) {
  const entry = yield* findOfAnyMerchant(deps.storage, AdjustingEntryKind, id)
  const reversal = yield* findOfAnyMerchant(deps.storage, AdjustingEntryKind, entry.data.reversed_by ?? id)
  if (releasesLinesApart(entry)) yield* releaseEntryLines(deps, entry, reversal.data.note, true)
  return adjustingEntryBody(reversal)
})

/** An adjusting entry, with its version. Errors: `NotFound`. */
const get = ({ storage }: Deps, id: string): Effect.Effect<Versioned<AdjustingEntryBody>, NotFound | StorageFault> =>
  Effect.map(findOfAnyMerchant(storage, AdjustingEntryKind, id), (row) => ({
    body: adjustingEntryBody(row),
    version: String(row.version)
  }))

const list = ({ list }: Deps, input: ListAdjustingEntries) => list(null, input)

export class AdjustingEntries extends Context.Service<AdjustingEntries>()("corridor/engine/AdjustingEntries", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, finishReversal, get, list, reverse }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
