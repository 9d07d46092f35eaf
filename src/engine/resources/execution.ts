/** What executing a quote takes, whichever movement does it (decisions 8, 9.1). */
import { Effect } from "effect"
import type { QuoteData } from "../../machines/quote.ts"
import type { Call } from "../Call.ts"
import { claim, type Parts } from "../Change.ts"
import { DuplicateResource, invalid, InvalidStatus } from "../errors.ts"
import type { Host } from "../Host.ts"
import type { Row } from "../Storage.ts"
import { iso } from "../Time.ts"
import { sameCurrency } from "./money.ts"
import { QuoteKind } from "./quote.ts"

/** The members of a creation that speak of its quote. */
export interface Execution {
  readonly quote_id: string
  readonly source_currency?: string
  readonly destination_currency?: string
}

export interface Executed {
  readonly quote: Row<QuoteData>
  /** The quote's step and the claim that it was executed. */
  readonly parts: ReadonlyArray<Parts>
}

/**
 * Executes a quote on behalf of the movement `by`.
 *
 * Errors: `NotFound`; `InvalidInput` for another operation's quote or a currency that is not the quote's;
 * `DuplicateResource` for an executed quote; `InvalidStatus` for an expired one.
 */
export const execute = Effect.fnUntraced(function* (
  host: Host["Service"],
  call: Call,
  operation: QuoteData["operation"],
  input: Execution,
  by: string,
  at: number
) {
  const quote = yield* host.load(QuoteKind, call.merchant_id, input.quote_id)
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
  const executed = yield* host.step(QuoteKind, quote, { type: "execute", by, at }, at)
  if (executed === undefined) {
    return yield* new InvalidStatus({
      message: `Quote ${quote.id} expired at ${iso(q.expires_at)}. Create a new quote.`
    })
  }
  return { quote, parts: [executed.parts, claim("quote", quote.id, by)] } satisfies Executed as Executed
})
