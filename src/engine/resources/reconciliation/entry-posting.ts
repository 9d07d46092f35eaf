/** An adjusting entry as it is stored and posted (ADJUST-1, ADJUST-2, ADJUST-4). */
import { Effect } from "effect"
import { type AccountId, classOf, isGuarded, ownerOf } from "../../../machines/kernel/ledger.ts"
import {
  AdjustingEntry,
  type AdjustingEntryData,
  type AdjustingEntryEvent
} from "../../../machines/reconciliation/adjusting-entry.ts"
import { type Call, makeIdFor } from "../../commit/call.ts"
import { makeApprovalEnding } from "../../commit/approval.ts"
import { combineDerivedWrites, type ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { giveBack } from "../../calls/ActiveLimits.ts"
import type { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { findCurrency, parseClientAmount } from "../../input/amounts.ts"
import { findProviderKey } from "../../input/field-checks.ts"
import { type InvalidInput, invalid, InvalidStatus } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import type { Providers } from "../../ports/Provider.ts"
import type { Row, Storage } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"

export const AdjustingEntryKind: ResourceKind<AdjustingEntryData, AdjustingEntryEvent> = {
  kind: "adjusting_entry",
  prefix: "adj",
  lifecycle: AdjustingEntry,
  controlledAction: ({ data: { amount, currency }, version }) =>
    version > 1 ? undefined : { words: ["adjusting_entry"], sums: [{ taken: [amount, currency] }], field: "amount" },
  // What is reversed is given back, before the reversal asks for its own room.
  derivedWrites: combineDerivedWrites(
    makeApprovalEnding((state) => state === "posted"),
    ({ data: { counted } }) => Effect.succeed(counted === undefined ? [] : [giveBack(counted)])
  ),
  indexKeys: ({ currency, from, to, ...others }) => [
    `from=${from}`,
    `to=${to}`,
    `currency=${currency}`,
    ...(["exception_id", "break_id", "line_id", "reverses"] as const).flatMap((name) => {
      const id = others[name] ?? null
      return id === null ? [] : [`${name}=${id}`]
    })
  ],
  searchValues: ({ amount, currency }) => ({ amounts: [[amount, currency]] }),
  auditView: ({ data: { amount, currency, from, to, ...others } }) => ({
    from,
    to,
    amount: displayAmount(amount, currency),
    currency,
    exception_id: others.exception_id,
    break_id: others.break_id ?? null,
    line_id: others.line_id ?? null,
    reverses: others.reverses
  })
}

/** What an entry is made with. */
export interface EntryDeps {
  readonly storage: Storage["Service"]
  readonly unitOfWork: UnitOfWork["Service"]
  readonly providers: Providers["Service"]
  readonly ids: Ids["Service"]
}

const ofPlatform: ReadonlySet<string> = new Set(["suspense", "losses", "fees", "rounding"])
const ofProvider: ReadonlySet<string> = new Set(["world", "costs", "receivable", "float"])

/** Errors: `InvalidInput` for an account of a customer, of movements, or of an unknown provider. */
const parseAccount = Effect.fnUntraced(function* (
  { providers }: EntryDeps,
  field: "from" | "to",
  text: string
): Effect.fn.Return<AccountId, InvalidInput> {
  if (ofPlatform.has(text)) return text as AccountId
  const [name, owner] = [classOf(text), ownerOf(text)]
  if (ofProvider.has(name) && owner !== "")
    return `${name}:${yield* findProviderKey(providers, field, owner)}` as AccountId
  const taken = `It takes ${[...ofPlatform].join(", ")}, and ${[...ofProvider].map((one) => `${one}:<provider>`).join(", ")}.`
  return yield* invalid(
    field,
    isGuarded(text)
      ? `${field} is ${JSON.stringify(text)}, an account of a customer, which no adjusting entry moves: resolve an exception with \`credit\`. ${taken}`
      : `${field} is ${JSON.stringify(text)}. ${taken}`
  )
})

/** The money of an entry as a person states it. */
export interface StatedEntry {
  readonly from: string
  readonly to: string
  readonly amount: string
  readonly currency: string
}

/**
 * Errors: `InvalidInput` for accounts or an amount that an entry cannot have; `NotFound` for an unknown currency;
 * `InvalidAmountPrecision`.
 */
export const resolveEntryMoney = Effect.fnUntraced(function* (deps: EntryDeps, input: StatedEntry) {
  const from = yield* parseAccount(deps, "from", input.from)
  const to = yield* parseAccount(deps, "to", input.to)
  if (from === to) return yield* invalid("to", `to is ${JSON.stringify(input.to)}, which is the account of from.`)
  const currency = yield* findCurrency(input.currency)
  const amount = yield* parseClientAmount("amount", input.amount, currency, currency.ledger_scale)
  return { from, to, amount: amount.toString(), currency: currency.code }
})

export type EntryMoney = Pick<AdjustingEntryData, "from" | "to" | "amount" | "currency">

/** A new entry, and the change sets that write it. */
export const postEntry = Effect.fnUntraced(function* (
  { ids }: EntryDeps,
  merchant_id: string,
  data: AdjustingEntryData,
  at: number,
  by: Pick<Call, "ids"> = {}
) {
  const id = yield* makeIdFor(by, ids, AdjustingEntryKind.prefix)
  return yield* begin(AdjustingEntryKind, { merchant_id, id }, data, at).pipe(Effect.provideService(Ids, ids))
})

/** The opposite of an entry, and the change sets that write both. Errors: `InvalidStatus` for one that is reversed, or is a reversal. */
export const reverseEntry = Effect.fnUntraced(function* (
  deps: EntryDeps,
  row: Row<AdjustingEntryData>,
  note: string,
  at: number
) {
  const { data, id, merchant_id } = row
  const { counted: _, ...money } = data
  const opposite = { ...money, from: data.to, to: data.from, note, reverses: id }
  const reversal = yield* postEntry(deps, merchant_id, opposite, at)
  const next = yield* deps.unitOfWork.step(AdjustingEntryKind, row, { type: "reversed", by: reversal.row.id }, at)
  if (next === undefined)
    return yield* new InvalidStatus({
      message:
        data.reversed_by === null
          ? `Adjusting entry ${id} is itself a reversal. Post a new entry.`
          : `Adjusting entry ${id} is already reversed, by ${data.reversed_by}.`
    })
  return { changes: [reversal.changes, next.changes], row: reversal.row }
})
