/** What executing a quote takes, whichever movement does it (QUOTE-3, MOVEMENT-4). */
import { Effect } from "effect"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import type { Call } from "../../commit/call.ts"
import { uniqueKey, type ChangeSet, type KeyScope } from "../../commit/changeset.ts"
import { DuplicateResource, invalid, InvalidStatus } from "../../ports/errors.ts"
import type { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { CurrencyEcho, Id, Optional, Reference } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { sameCurrency } from "../../input/amounts.ts"
import { QuoteKind } from "./quote.ts"

/** Quotes that were executed, each with what was made of it. */
export const executedScope: KeyScope = {
  name: "quote",
  taken: (id) => `The quote ${id} has been executed already. A quote is executed once.`
}

/** The members of a creation that executes a quote. */
export const execution = {
  quote_id: Id("quo"),
  reference: Optional(Reference),
  source_currency: Optional(CurrencyEcho),
  destination_currency: Optional(CurrencyEcho)
}

export interface Execution {
  readonly quote_id: string
  readonly reference?: string
  readonly source_currency?: string
  readonly destination_currency?: string
}

export interface Executed {
  readonly quote: Row<QuoteData>
  /** The quote's step and the unique key of its execution. */
  readonly changes: ReadonlyArray<ChangeSet>
}

/**
 * Executes a quote on behalf of the movement `by`.
 *
 * Errors: `NotFound`; `InvalidInput` for another operation's quote or a currency that is not the quote's;
 * `DuplicateResource` for an executed quote; `InvalidStatus` for an expired one.
 */
export const execute = Effect.fnUntraced(function* (
  unitOfWork: UnitOfWork["Service"],
  call: Call,
  operation: string,
  input: Execution,
  by: string,
  at: number
) {
  const quote = yield* unitOfWork.load(QuoteKind, call.merchant_id, input.quote_id)
  const { data: q } = quote
  if (q.operation !== operation) {
    return yield* invalid(
      "quote_id",
      `Quote ${quote.id} is ${q.operation === "conversion" ? "a" : "an"} ${q.operation} quote.`
    )
  }
  yield* sameCurrency("source_currency", input.source_currency, q.source_currency, "the quote's source currency")
  yield* sameCurrency(
    "destination_currency",
    input.destination_currency,
    q.destination_currency,
    "the quote's destination currency"
  )
  if (quote.status === "executed") {
    return yield* new DuplicateResource({
      message: `The quote ${quote.id} has been executed already, by ${q.executed_by}. A quote is executed once.`
    })
  }
  const executed = yield* unitOfWork.step(QuoteKind, quote, { type: "execute", by, at }, at)
  if (executed === undefined) {
    return yield* new InvalidStatus({
      message: `Quote ${quote.id} expired at ${iso(q.expires_at)}. Create a new quote.`
    })
  }
  return { quote, changes: [executed.changes, uniqueKey(executedScope, quote.id, by)] } satisfies Executed as Executed
})
