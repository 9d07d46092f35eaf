/** The currency of a code, and whether the merchant can use it (ACCESS-1, CURRENCY-8). */
import { Context, Effect, Layer } from "effect"
import type { Call } from "../../commit/call.ts"
import {
  type InvalidInput,
  invalid,
  NotFound,
  type ProhibitedCountry,
  ResourceAccessRequired
} from "../../ports/errors.ts"
import { describeUnknownCurrency } from "../../input/amounts.ts"
import { checkCountry } from "../../input/field-checks.ts"
import { type Currency, resolveCurrency } from "../../reference/currencies.ts"
import { Storage } from "../../ports/Storage.ts"

/** The kind of a merchant's grant for a currency. The id of a grant is the currency's. */
export const accessGrant = "access_grant"

/**
 * Resolves a currency code, with a country where several currencies share it. `field`: the input field of the country. Errors:
 * `ProhibitedCountry`, whether or not the code requires a country; `NotFound`; `InvalidInput` when the code requires one.
 */
const resolveCountryCurrency = (
  code: string,
  country: string | null,
  field: string
): Effect.Effect<Currency, ProhibitedCountry | NotFound | InvalidInput> =>
  Effect.andThen(checkCountry(field, country ?? undefined), requireCurrency(code, country, field))

const requireCurrency = (
  code: string,
  country: string | null,
  field: string
): Effect.Effect<Currency, NotFound | InvalidInput> => {
  const resolution = resolveCurrency(code, country)
  switch (resolution._tag) {
    case "unknown":
      return Effect.fail(
        new NotFound({
          message: country === null ? describeUnknownCurrency(code) : `There is no currency ${code} in ${country}.`
        })
      )
    case "ambiguous":
      return Effect.fail(
        invalid(
          field,
          `${code} is used in several countries. Specify one of ${resolution.countries.join(", ")} in ${field}.`
        )
      )
    case "currency":
      return Effect.succeed(resolution.currency)
  }
}

export class Access extends Context.Service<Access>()("corridor/engine/Access", {
  make: Effect.gen(function* () {
    const storage = yield* Storage

    const granted = Effect.fnUntraced(function* (merchant_id: string, currency: Currency) {
      if (!currency.requires_access) return true
      const [grant] = yield* storage.get([{ merchant_id, kind: accessGrant, id: currency.id }])
      return grant?.status === "approved"
    })

    return {
      /** Whether a merchant can use a currency. Only gated currencies require a grant. */
      granted,
      resolve: resolveCountryCurrency,
      /**
       * The currency of a code, and of a country when several countries share the code.
       *
       * `field`: the input field of the code. Errors: `ProhibitedCountry`; `NotFound` for an unknown code; `InvalidInput` when
       * the code requires a country; `ResourceAccessRequired` when the currency is gated and not granted.
       */
      currency: Effect.fnUntraced(function* (call: Call, code: string, country: string | null, field = "currency") {
        const currency = yield* resolveCountryCurrency(code, country, field === "currency" ? "country_code" : field)
        if (yield* granted(call.merchant_id, currency)) return currency
        return yield* new ResourceAccessRequired({
          message: `${code} requires an access grant. Request one with POST /v1/currencies/${code}/access-requests${country === null ? "" : ` with countryCode ${country}`}.`
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
