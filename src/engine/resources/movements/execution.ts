/** What executing a quote takes, whichever movement does it (QUOTE-3, MOVEMENT-4). */
import { Effect } from "effect"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import type { Call } from "../../commit/call.ts"
import { uniqueKey, type ChangeSet } from "../../commit/changeset.ts"
import { DuplicateResource, type Fault, invalid, InvalidStatus, type Refusal } from "../../ports/errors.ts"
import type { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { hasPrefix } from "../../input/schemas.ts"
import type { Row, Storage } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { sameCurrency } from "../../input/amounts.ts"
import { QuoteKind } from "./quote.ts"

/** The members of a creation that speak of its quote. */
export interface Execution {
  readonly quote_id: string
  readonly source_currency?: string
  readonly destination_currency?: string
}

/** What a request may be refused with because another took its reference meanwhile, or its quote has expired since. */
const overtaken: ReadonlySet<string> = new Set(["DuplicateResource", "InvalidStatus", "InsufficientFunds"])

/**
 * Makes a movement, or answers with the one of its kind that holds its reference already: whoever lost the answer asks
 * again, and the quote that was sent stays as it is (REFERENCE-3). The reference is looked up before anything else,
 * so that a repeat is answered whatever has become of its quote, and again when another request took it meanwhile.
 */
export const oncePerReference = Effect.fnUntraced(function* <Data, Body, E extends Refusal | Fault, R>(
  { storage, unitOfWork }: { readonly storage: Storage["Service"]; readonly unitOfWork: UnitOfWork["Service"] },
  call: Call,
  kind: ResourceKind<Data>,
  reference: string | undefined,
  bodyOf: (row: Row<Data>) => Body,
  make: Effect.Effect<Body, E, R>
) {
  if (reference === undefined) return yield* make
  const existing = Effect.gen(function* () {
    const id = yield* storage.uniqueKeyOwner(call.merchant_id, "reference", reference)
    if (id === undefined || !hasPrefix(kind.prefix, id)) return undefined
    const row = yield* unitOfWork.load(kind, call.merchant_id, id)
    call.existing?.()
    return bodyOf(row)
  })
  const found = yield* existing
  if (found !== undefined) return found
  return yield* Effect.catchIf(
    make,
    ({ _tag }) => overtaken.has(_tag),
    (error) => Effect.flatMap(existing, (other) => (other === undefined ? Effect.fail(error) : Effect.succeed(other)))
  )
})

export interface Executed {
  readonly quote: Row<QuoteData>
  /** The quote's step and the claim that it was executed. */
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
  operation: QuoteData["operation"],
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
  return { quote, changes: [executed.changes, uniqueKey("quote", quote.id, by)] } satisfies Executed as Executed
})
