/** Quotes (interface, Quote; decisions 8). Offramp quotes today; each operation adds its own way of being priced. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { FiatDetails } from "../../machines/parties.ts"
import type { Minor } from "../../machines/kernel/money.ts"
import { formatAmount } from "../../machines/kernel/money.ts"
import { type Priced, priceSource, priceTarget, storedFigures } from "../../machines/kernel/pricing.ts"
import { Quote, type QuoteData, type QuoteEvent } from "../../machines/quote.ts"
import { accountNumberFault } from "../accounts.ts"
import type { Call } from "../Call.ts"
import { begin } from "../Change.ts"
import { BadRequest, type InvalidInput, invalid, InvalidStatus } from "../errors.ts"
import { Host } from "../Host.ts"
import { Ids } from "../Ids.ts"
import type { Kind } from "../Kind.ts"
import { Pricing, type PricingRequest, termsOf } from "../Pricing.ts"
import { Rates } from "../Rates.ts"
import { type Currency, currencyOf } from "../reference/currencies.ts"
import { quoteBody } from "../representations/quote.ts"
import { Amount, Id, Optional, Reference } from "../schemas.ts"
import { Access } from "./access.ts"
import { BeneficiaryKind } from "./beneficiary.ts"
import { defaultCustomerId } from "./customer.ts"
import { amountIn } from "./money.ts"
import { WalletKind } from "./wallet.ts"

/** How long a quote can be executed (decisions 8). */
export const quoteLifetime = 300_000

export const QuoteKind: Kind<QuoteData, QuoteEvent> = {
  kind: "quote",
  prefix: "quo",
  lifecycle: Quote,
  ended: ["executed"],
  facets: ({ operation }) => [`operation=${operation}`]
}

const amounts = { source_amount: Optional(Amount), target_amount: Optional(Amount), reference: Optional(Reference) }

export const CreateOfframpQuote = Schema.Struct({ wallet_id: Id("wal"), beneficiary_id: Id("ben"), ...amounts })
export type CreateOfframpQuote = typeof CreateOfframpQuote.Type

/** The general form (decisions 8): the operation, `offramp` unless named, and its own fields. */
export const CreateQuote = Schema.Struct({
  operation: Optional(Schema.Literals(["offramp"])),
  ...CreateOfframpQuote.fields
})
export type CreateQuote = typeof CreateQuote.Type

interface Amounts {
  readonly source_amount?: string
  readonly target_amount?: string
}

/** Exactly one of the two (interface, Conversion quotes 1; decisions 8). Errors: `BadRequest`. */
export const oneAmount = ({ source_amount, target_amount }: Amounts): Effect.Effect<void, BadRequest> => {
  if ((source_amount === undefined) !== (target_amount === undefined)) return Effect.void
  const message =
    source_amount === undefined
      ? "Neither source_amount nor target_amount was given. Give exactly one of them."
      : "Both source_amount and target_amount were given. Give exactly one of them."
  const code = source_amount === undefined ? "required" : "invalid_value"
  return Effect.fail(
    new BadRequest({ message, errors: ["source_amount", "target_amount"].map((name) => ({ field: name, code, message })) })
  )
}

const unpriced = (priced: Exclude<Priced, { _tag: "priced" }>, name: string, destination: Currency): InvalidInput => {
  switch (priced._tag) {
    case "nothing":
      return invalid(name, "The amount leaves nothing to receive once the fees are taken.")
    case "below":
      return invalid(name, `What would be received is below the least that can be paid out, ${formatAmount(priced.limit, destination)} ${destination.code}.`)
    case "above":
      return invalid(name, `What would be received is above the most that can be paid out, ${formatAmount(priced.limit, destination)} ${destination.code}.`)
  }
}

export class Quotes extends Context.Service<Quotes>()("corridor/engine/Quotes", {
  make: Effect.gen(function*() {
    const host = yield* Host
    const rates = yield* Rates
    const pricing = yield* Pricing
    const access = yield* Access
    const ids = yield* Ids

    /** Prices one of the two amounts on the terms of this moment. Errors: `InvalidInput`, `InvalidAmountPrecision`. */
    const price = Effect.fnUntraced(function*(request: PricingRequest, input: Amounts) {
      const { source, destination } = request
      const terms = yield* termsOf(request).pipe(
        Effect.provideService(Rates, rates),
        Effect.provideService(Pricing, pricing),
        Effect.orDie
      )
      let target: Minor | null = null
      let priced: Priced
      if (input.target_amount !== undefined) {
        // A target is bounded by what the ledger keeps, not by what the currency settles (decisions 2.8).
        target = yield* amountIn("target_amount", input.target_amount, destination, destination.ledger_scale)
        priced = priceTarget(terms, target)
      } else {
        priced = priceSource(terms, yield* amountIn("source_amount", input.source_amount ?? "", source))
      }
      if (priced._tag !== "priced") {
        return yield* unpriced(priced, target === null ? "source_amount" : "target_amount", destination)
      }
      return { rate: terms.rate, figures: priced, target }
    })

    /**
     * Prices an offramp from a wallet to a fiat beneficiary.
     *
     * Errors: `BadRequest` for both amounts or neither; `NotFound`; `InvalidInput` for what does not fit together, for
     * an account number that does not fit its bank (interface, South African account numbers 4), and for amounts out
     * of range; `InvalidAmountPrecision`; `InvalidStatus` for a beneficiary still being screened; `ResourceAccessRequired`.
     */
    const offramp = Effect.fn("Quotes.offramp")(function*(call: Call, input: CreateOfframpQuote) {
      yield* oneAmount(input)
      const { merchant_id } = call
      return yield* host.write(
        call,
        Effect.gen(function*() {
          const [wallet, beneficiary] = yield* Effect.all(
            [
              host.load(WalletKind, merchant_id, input.wallet_id),
              host.load(BeneficiaryKind, merchant_id, input.beneficiary_id)
            ],
            { concurrency: 2 }
          )
          const w = wallet.data
          const b = beneficiary.data
          if (b.type !== "fiat") {
            return yield* invalid("beneficiary_id", `Beneficiary ${beneficiary.id} is a ${b.type} beneficiary. Offramps are paid to fiat beneficiaries.`)
          }
          if (b.customer_id !== w.customer_id && b.customer_id !== defaultCustomerId(merchant_id)) {
            return yield* invalid("beneficiary_id", "The beneficiary belongs to another customer than the wallet.")
          }
          const source = currencyOf(w.currency)
          if (source.type !== "crypto") return yield* invalid("wallet_id", `The wallet holds ${w.currency}. Offramps are made from crypto wallets.`)
          const details = b.details as FiatDetails
          const destination = yield* access.currency(call, b.currency, details.country_code)
          if (!source.can_offramp || !destination.can_offramp) {
            return yield* invalid("beneficiary_id", `${source.code} cannot be turned into ${destination.code}.`)
          }
          const fault = details.rail === "payshap" ? null : accountNumberFault(b.currency, details.provider, details.account_number)
          if (fault !== null) return yield* invalid("beneficiary_id", `The beneficiary's account number does not fit its bank: ${fault}.`)
          const { rate, figures, target } = yield* price(
            { merchant_id, operation: "offramp", source, destination, network: "bank" },
            input
          )
          if (beneficiary.status !== "active") {
            return yield* new InvalidStatus({ message: `Beneficiary ${beneficiary.id} is ${beneficiary.status}: it is still being screened.` })
          }
          const at = yield* Clock.currentTimeMillis
          const quote = yield* begin(
            QuoteKind,
            { merchant_id, id: yield* ids.make("quo"), customer_id: w.customer_id },
            {
              operation: "offramp",
              customer_id: w.customer_id,
              source_wallet_id: wallet.id,
              destination_wallet_id: null,
              beneficiary_id: beneficiary.id,
              ...storedFigures(figures),
              source_currency: source.code,
              source_network: w.network,
              destination_currency: destination.code,
              destination_network: "bank",
              target_amount: target === null ? null : target.toString(),
              rate,
              reference: input.reference ?? null,
              expires_at: at + quoteLifetime,
              executed_by: null
            },
            at
          )
          return { parts: [quote.parts], result: quoteBody(quote.row, at) }
        }).pipe(Effect.provideService(Ids, ids))
      )
    })

    return {
      price,
      offramp,
      /** Prices the operation that is named. Errors: those of its own way of being priced. */
      create: (call: Call, { operation: _, ...input }: CreateQuote) => offramp(call, input),

      get: Effect.fn("Quotes.get")(function*(call: Call, id: string) {
        const row = yield* host.load(QuoteKind, call.merchant_id, id)
        return { body: quoteBody(row, yield* Clock.currentTimeMillis), version: String(row.version) }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
