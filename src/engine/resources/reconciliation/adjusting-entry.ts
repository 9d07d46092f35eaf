/** Adjusting entries: what an operator posts between accounts of the platform (ADJUST-1 to ADJUST-4). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { ExceptionData } from "../../../machines/deposits/exception.ts"
import { bound } from "../../../machines/kernel/bound.ts"
import { type AccountId, classOf, isGuarded, ownerOf } from "../../../machines/kernel/ledger.ts"
import {
  AdjustingEntry,
  type AdjustingEntryData,
  type AdjustingEntryEvent
} from "../../../machines/reconciliation/adjusting-entry.ts"
import type { Versioned } from "../../calls/list.ts"
import { findOf, listOf } from "../../calls/reads.ts"
import type { Call } from "../../commit/call.ts"
import { type ChangeSet, withNote } from "../../commit/changeset.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { amountIn } from "../../input/amounts.ts"
import { inCurrency, only } from "../../input/members.ts"
import { knownProvider } from "../../input/providers.ts"
import { Amount, CurrencyCode, described, Id, listing, Optional, Text } from "../../input/schemas.ts"
import { type InvalidInput, invalid, InvalidStatus, type NotFound, type StorageFault } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { Providers } from "../../ports/Provider.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import { currencyOf, displayAmount, isCurrencyCode } from "../../reference/currencies.ts"
import {
  type AdjustingEntryBody,
  adjustingEntryBody,
  adjustingEntryStatuses
} from "../../representations/reconciliation/adjusting-entry.ts"
import { ExceptionKind } from "../deposits/exception.ts"

export const AdjustingEntryKind: ResourceKind<AdjustingEntryData, AdjustingEntryEvent> = {
  kind: "adjusting_entry",
  prefix: "adj",
  lifecycle: AdjustingEntry,
  indexKeys: ({ currency, from, to, ...others }) => [
    `from=${from}`,
    `to=${to}`,
    `currency=${currency}`,
    ...(["exception_id", "reverses"] as const).flatMap((name) =>
      others[name] === null ? [] : [`${name}=${others[name]}`]
    )
  ],
  audited: ({ data: { amount, currency, from, to, ...others } }) => ({
    from,
    to,
    amount: displayAmount(amount, currency),
    currency,
    exception_id: others.exception_id,
    reverses: others.reverses
  })
}

const account = (description: string, example: string) => described(Text(80), description, example)

export const CreateAdjustingEntry = Schema.Struct({
  from: account(
    "The account to debit: `suspense`, `losses`, `fees` or `rounding`, or `world`, `costs`, `receivable` or `float` with a colon and a provider.",
    "suspense"
  ),
  to: account("The account to credit, one of the same.", "world:simulated"),
  amount: described(Amount, "The amount, with at most the decimals of the ledger.", "25.00"),
  currency: described(CurrencyCode, "The currency of the amount.", "USDC"),
  note: described(Text(500), "Why. The entry and the audit log show it.", "The provider has sent it back"),
  exception_id: Optional(described(Id("exc"), "The exception that ends with it."))
}).annotate({ identifier: "CreateAdjustingEntry" })
export type CreateAdjustingEntry = typeof CreateAdjustingEntry.Type

export const ReverseAdjustingEntry = Schema.Struct({
  note: described(Text(500), "Why. The reversal and the audit log show it.", "Booked twice")
}).annotate({ identifier: "ReverseAdjustingEntry" })
export type ReverseAdjustingEntry = typeof ReverseAdjustingEntry.Type

const ofOne = (prefix: string, of: string) => Optional(described(Id(prefix), `Only those of this ${of}.`))

export const ListAdjustingEntries = Schema.Struct({
  from: Optional(described(Schema.String, "Only those that debit this account.", "suspense")),
  to: Optional(described(Schema.String, "Only those that credit this account.", "world:simulated")),
  currency: inCurrency,
  status: only(adjustingEntryStatuses, "status"),
  exception_id: ofOne("exc", "exception"),
  reverses: ofOne("adj", "entry"),
  ...listing
})
export type ListAdjustingEntries = typeof ListAdjustingEntries.Type

const makeDeps = Effect.gen(function* () {
  const storage = yield* Storage
  return {
    storage,
    unitOfWork: yield* UnitOfWork,
    providers: yield* Providers,
    ids: yield* Ids,
    list: listOf(storage, AdjustingEntryKind, ListAdjustingEntries, adjustingEntryBody)
  }
})
type Deps = Effect.Success<typeof makeDeps>

const ofPlatform: ReadonlySet<string> = new Set(["suspense", "losses", "fees", "rounding"])
const ofProvider: ReadonlySet<string> = new Set(["world", "costs", "receivable", "float"])

/** Errors: `InvalidInput` for an account of a customer, of movements, or of an unknown provider. */
const accountIn = Effect.fnUntraced(function* (
  { providers }: Deps,
  field: "from" | "to",
  text: string
): Effect.fn.Return<AccountId, InvalidInput> {
  if (ofPlatform.has(text)) return text as AccountId
  const [name, owner] = [classOf(text), ownerOf(text)]
  if (ofProvider.has(name) && owner !== "")
    return `${name}:${yield* knownProvider(providers, field, owner)}` as AccountId
  const taken = `It takes ${[...ofPlatform].join(", ")}, and ${[...ofProvider].map((one) => `${one}:<provider>`).join(", ")}.`
  return yield* invalid(
    field,
    isGuarded(text)
      ? `${field} is ${JSON.stringify(text)}, an account of a customer, which no adjusting entry moves: resolve an exception with \`credit\`. ${taken}`
      : `${field} is ${JSON.stringify(text)}. ${taken}`
  )
})

/** Errors: `InvalidInput` for accounts, a currency or an amount that an entry cannot have; `InvalidAmountPrecision`. */
const moneyOf = Effect.fnUntraced(function* (deps: Deps, input: CreateAdjustingEntry) {
  const from = yield* accountIn(deps, "from", input.from)
  const to = yield* accountIn(deps, "to", input.to)
  if (from === to) return yield* invalid("to", `to is ${JSON.stringify(input.to)}, which is the account of from.`)
  if (!isCurrencyCode(input.currency))
    return yield* invalid("currency", `currency is ${JSON.stringify(input.currency)}, which is no supported currency.`)
  const currency = currencyOf(input.currency)
  const amount = yield* amountIn("amount", input.amount, currency, currency.ledger_scale)
  return { from, to, amount: amount.toString(), currency: currency.code }
})

type Money = Pick<AdjustingEntryData, "from" | "to" | "amount" | "currency">

/**
 * Whether an entry accounts for an exception: all of its money leaves suspense, or, where it has none there, at most what is exposed.
 * Errors: `InvalidInput`.
 */
const fits = (
  { data: e, id }: Row<ExceptionData>,
  { amount, currency, from, to }: Money
): Effect.Effect<void, InvalidInput> => {
  const inSuspense = e.amount === null ? undefined : { amount: e.amount, currency: e.currency! }
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
  event: { readonly type: "adjusted" | "reopened"; readonly entry: string; readonly note: string },
  money: Money,
  at: number
) {
  const row = yield* unitOfWork.load(ExceptionKind, merchant_id, id)
  if (event.type === "adjusted" && row.state === "open") yield* fits(row, money)
  const next = yield* unitOfWork.step(ExceptionKind, row, { ...event, at }, at)
  if (next === undefined)
    return yield* new InvalidStatus({ message: `Exception ${id} is ${row.state}, and takes no adjusting entry.` })
  return withNote([next.changes], row, event.note)
})

/** A new entry, and the change sets that write it. */
const posted = Effect.fnUntraced(function* ({ ids }: Deps, merchant_id: string, data: AdjustingEntryData, at: number) {
  const id = yield* ids.make(AdjustingEntryKind.prefix)
  return yield* begin(AdjustingEntryKind, { merchant_id, id }, data, at).pipe(Effect.provideService(Ids, ids))
})

/**
 * Posts an entry. With `exception_id` the exception ends with it, in one commit.
 *
 * Errors: `InvalidInput` for accounts, a currency or an amount that it cannot have, or that do not fit the exception;
 * `InvalidAmountPrecision`; `NotFound`; `InvalidStatus` for an exception that is not open.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateAdjustingEntry) {
  const { unitOfWork } = deps
  const money = yield* moneyOf(deps, input)
  const { exception_id = null, note } = input
  const { merchant_id } =
    exception_id === null
      ? { merchant_id: PLATFORM_MERCHANT }
      : yield* findOf(deps.storage, ExceptionKind, exception_id)
  return yield* unitOfWork.write(
    { ...call, merchant_id },
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const data = { ...money, note, exception_id, reverses: null, reversed_by: null }
      const { changes, row } = yield* posted(deps, merchant_id, data, at)
      const ended: ReadonlyArray<ChangeSet> =
        exception_id === null
          ? []
          : yield* stepException(deps, merchant_id, exception_id, { type: "adjusted", entry: row.id, note }, money, at)
      return { changes: [changes, ...ended], result: adjustingEntryBody(row), audited: row }
    })
  )
})

/**
 * Posts the opposite of an entry, once. An exception that ended with the entry is open again.
 *
 * Errors: `NotFound`; `InvalidStatus` for an entry that is reversed, or is a reversal.
 */
const reverse = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, { note }: ReverseAdjustingEntry) {
  const { storage, unitOfWork } = deps
  const { merchant_id } = yield* findOf(storage, AdjustingEntryKind, id)
  return yield* unitOfWork.write(
    { ...call, merchant_id },
    Effect.gen(function* () {
      const row = yield* unitOfWork.load(AdjustingEntryKind, merchant_id, id)
      const at = yield* Clock.currentTimeMillis
      const { data } = row
      const opposite = { ...data, from: data.to, to: data.from, note, reverses: id }
      const reversal = yield* posted(deps, merchant_id, opposite, at)
      const next = yield* unitOfWork.step(AdjustingEntryKind, row, { type: "reversed", by: reversal.row.id }, at)
      if (next === undefined)
        return yield* new InvalidStatus({
          message:
            data.reversed_by === null
              ? `Adjusting entry ${id} is itself a reversal. Post a new entry.`
              : `Adjusting entry ${id} is already reversed, by ${data.reversed_by}.`
        })
      const reopened: ReadonlyArray<ChangeSet> =
        data.exception_id === null
          ? []
          : yield* stepException(deps, merchant_id, data.exception_id, { type: "reopened", entry: id, note }, data, at)
      return { changes: [reversal.changes, next.changes, ...reopened], result: adjustingEntryBody(reversal.row) }
    })
  )
})

/** Errors: `NotFound`. */
const get = ({ storage }: Deps, id: string): Effect.Effect<Versioned<AdjustingEntryBody>, NotFound | StorageFault> =>
  Effect.map(findOf(storage, AdjustingEntryKind, id), (row) => ({
    body: adjustingEntryBody(row),
    version: String(row.version)
  }))

const list = ({ list }: Deps, input: ListAdjustingEntries) => list(null, input)

export class AdjustingEntries extends Context.Service<AdjustingEntries>()("corridor/engine/AdjustingEntries", {
  make: Effect.map(makeDeps, (deps) => bound(deps, { create, get, list, reverse }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
