/** The execution of a quote by a movement (QUOTE-3, MOVEMENT-4). */
import { Effect } from "effect"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import type { Call } from "../../commit/call.ts"
import { uniqueKey, type ChangeSet, type KeyScope } from "../../commit/changeset.ts"
import { DuplicateResource, invalid, InvalidStatus } from "../../ports/errors.ts"
import type { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { CurrencyEcho, describe, Id, Optional, ReferenceText } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { sameCurrency } from "../../input/amounts.ts"
import { QuoteKind } from "./quote.ts"

/** Unique keys of executed quotes. The owner is the movement that executed the quote. */
export const executedScope: KeyScope = {
  name: "quote",
  taken: (id) => `Quote ${id} was already executed. A quote can be executed only once.`
}

/** The input fields of a creation that executes a quote. */
export const execution = {
  quote_id: describe(Id("quo"), "The quote to execute: active, and of this operation."),
  reference: Optional(ReferenceText),
  source_currency: Optional(CurrencyEcho, "If given, it must be the quote's source currency.", "USDC"),
  destination_currency: Optional(CurrencyEcho, "If given, it must be the quote's destination currency.", "NGN")
}

export interface QuoteExecution {
  readonly quote_id: string
  readonly reference?: string
  readonly source_currency?: string
  readonly destination_currency?: string
}

/** The rows to prefetch for the execution of a quote. */
export const quoteToPrefetch = ({ quote_id }: QuoteExecution) => [[QuoteKind, quote_id]] as const

export interface Executed {
  readonly quote: Row<QuoteData>
  /** The quote's step and the unique key of its execution. */
  readonly changes: ReadonlyArray<ChangeSet>
}

/**
 * Executes a quote for the movement with the id `by`. `at`: milliseconds since the epoch.
 *
 * Errors: `NotFound`; `InvalidInput` for a quote of another operation, or a currency that differs from the quote's;
 * `DuplicateResource` for an executed quote; `InvalidStatus` for an expired one.
 */
export const execute = Effect.fnUntraced(function* (
  unitOfWork: UnitOfWork["Service"],
  call: Call,
  operation: string,
  input: QuoteExecution,
  by: string,
  at: number
) {
  const quote = yield* unitOfWork.load(QuoteKind, call.merchant_id, input.quote_id)
  const { data: q } = quote
  if (q.operation !== operation)
    return yield* invalid(
      "quote_id",
      `Quote ${quote.id} is ${q.operation === "conversion" ? "a" : "an"} ${q.operation} quote.`
    )
  yield* sameCurrency("source_currency", input.source_currency, q.source_currency, "the quote's source currency")
  yield* sameCurrency(
    "destination_currency",
    input.destination_currency,
    q.destination_currency,
    "the quote's destination currency"
  )
  if (quote.status === "executed")
    return yield* new DuplicateResource({
      message: `Quote ${quote.id} was already executed by ${q.executed_by}. A quote can be executed only once.`
    })
  const executed = yield* unitOfWork.step(QuoteKind, quote, { type: "execute", by, at }, at)
  if (executed === undefined)
    return yield* new InvalidStatus({
      message: `Quote ${quote.id} expired at ${iso(q.expires_at)}. Create a new quote.`
    })
  return { quote, changes: [executed.changes, uniqueKey(executedScope, quote.id, by)] } satisfies Executed as Executed
})
