/** Which currency a code stands for, and whether the merchant may use it (ACCESS-1, CURRENCY-8). */
import { Context, Effect, Layer } from "effect"
import type { Call } from "../../commit/call.ts"
import { type InvalidInput, invalid, NotFound, ResourceAccessRequired } from "../../ports/errors.ts"
import { type Currency, resolveCurrency } from "../../reference/currencies.ts"
import { Storage } from "../../ports/Storage.ts"

/** The kind of row that says whether a merchant has been granted a currency; its id is the currency's. */
export const accessGrant = "access_grant"

/** `field` is where the caller names the country. Errors: `NotFound`; `InvalidInput` where the code needs a country. */
const resolve = (
  code: string,
  country: string | null,
  field: string
): Effect.Effect<Currency, NotFound | InvalidInput> => {
  const resolution = resolveCurrency(code, country)
  switch (resolution._tag) {
    case "unknown":
      return Effect.fail(
        new NotFound({
          message: country === null ? `There is no currency ${code}.` : `There is no currency ${code} in ${country}.`
        })
      )
    case "ambiguous":
      return Effect.fail(
        invalid(
          field,
          `${code} is used in several countries: name one of ${resolution.countries.join(", ")} in ${field}.`
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
      /** Whether a merchant may use a currency: always, unless it is gated. */
      granted,
      resolve,
      /**
       * The currency of a code, and of a country where several share the code.
       *
       * `field` names the code's field in the caller's input. Errors: `NotFound` for an unknown code; `InvalidInput` where
       * the code needs a country; `ResourceAccessRequired` where it is gated and not granted.
       */
      currency: Effect.fnUntraced(function* (call: Call, code: string, country: string | null, field = "currency") {
        const currency = yield* resolve(code, country, field === "currency" ? "country_code" : field)
        if (yield* granted(call.merchant_id, currency)) return currency
        return yield* new ResourceAccessRequired({
          message: `${code} needs an access grant. Ask for one with POST /v1/currencies/${code}/access-requests.`
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
