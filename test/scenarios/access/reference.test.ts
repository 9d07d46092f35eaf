import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { currencies } from "../../../src/engine/reference/currencies.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { ListCurrencies, ListProviders, Reference } from "../../../src/engine/resources/reference/reference.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { call, DEFAULT, grant, OTHER, refusal, messageOf, scenario } from "../../support/merchants/parties.ts"
import { covers } from "../../support/repository/covers.ts"

const rows = Effect.fnUntraced(function* (query: unknown = {}, caller = call()) {
  const reference = yield* Reference
  return yield* reference.currencies(caller, yield* decode(ListCurrencies, query, "query"))
})

const codes = (query: unknown = {}) => Effect.map(rows(query), ({ items }) => items.map(({ code }) => code).join(" "))

const unverified = Effect.gen(function* () {
  const customers = yield* Customers
  return (yield* customers.create(call(), {
    type: "individual",
    name: "Ada",
    email: "ada@example.com",
    country_code: "NG"
  })).id
})

describe("currencies", () => {
  covers("CURRENCY-2", "CURRENCY-3")
  scenario("are rows ordered by code, each with what may be done in it", () =>
    Effect.gen(function* () {
      const { items, total } = yield* rows()
      assert.strictEqual(total, 11)
      assert.strictEqual(items.map(({ code }) => code).join(" "), "EUR GHS KES NGN UGX USD USDC USDT XOF XOF ZAR")
      assert.deepStrictEqual<unknown>(
        items.find(({ code }) => code === "USDC"),
        {
          id: "cur_01kdvdna007caayps7gfve99x9",
          code: "USDC",
          country_code: null,
          name: "USD Coin",
          type: "crypto",
          decimals: 2,
          ledger_scale: 6,
          networks: ["base", "ethereum", "solana"],
          can_deposit: true,
          can_onramp: true,
          can_offramp: true,
          can_convert: true,
          can_transfer: true,
          requires_access: false,
          access_granted: true
        }
      )
    })
  )

  covers("CURRENCY-4")
  scenario("filter by code, type and capability", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* codes({ code: "XOF" }), "XOF XOF")
      assert.strictEqual(yield* codes({ code: "ABC" }), "")
      assert.strictEqual(yield* codes({ type: "crypto" }), "USDC USDT")
      assert.strictEqual(yield* codes({ can_onramp: "false" }), "UGX")
      assert.strictEqual(yield* codes({ can_transfer: "true", code: "USDT" }), "USDT")
      assert.strictEqual(messageOf(yield* Effect.flip(codes({ can_deposit: "yes" }))), "InvalidInput can_deposit")
    })
  )

  scenario("come in pages", () =>
    Effect.gen(function* () {
      const { items, page, per_page, total } = yield* rows({ page: "3", per_page: "4" })
      assert.deepStrictEqual(
        [items.map(({ code }) => code).join(" "), page, per_page, total],
        ["XOF XOF ZAR", 3, 4, 11]
      )
      assert.deepStrictEqual((yield* rows({ page: "4", per_page: "4" })).items, [])
    })
  )

  scenario("are granted to the merchant that was granted them, one country at a time", () =>
    Effect.gen(function* () {
      const granted = (caller = call()) =>
        Effect.map(rows({}, caller), ({ items }) =>
          items.flatMap(({ access_granted, code, country_code, requires_access }) =>
            requires_access && access_granted ? [`${code} ${country_code}`] : []
          )
        )
      assert.deepStrictEqual(yield* granted(), [])
      yield* grant(currencies.find(({ code, country_code }) => code === "XOF" && country_code === "SN")!.id)
      assert.deepStrictEqual(yield* granted(), ["XOF SN"])
      assert.deepStrictEqual(yield* granted(call({ merchant_id: OTHER })), [])
    })
  )

  covers("CURRENCY-5", "CURRENCY-6")
  scenario("of a customer who is not verified cannot be deposited in fiat, and say why", () =>
    Effect.gen(function* () {
      const customer_id = yield* unverified
      const { items } = yield* rows({ customer_id })
      for (const { can_deposit, can_onramp, code, customer_restrictions, type } of items) {
        assert.strictEqual(can_deposit, type === "crypto", code)
        assert.strictEqual(can_onramp, code !== "UGX", code)
        assert.deepStrictEqual<unknown>(
          customer_restrictions,
          type === "crypto"
            ? undefined
            : [
                {
                  capability: "can_deposit",
                  reason: "customer_kyc_not_approved",
                  next_steps: {
                    action: "Verify the customer with POST /v1/customers/{customerId}/verifications.",
                    docs_url: "/docs/errors/customer_kyc_not_approved"
                  }
                }
              ]
        )
      }
      assert.strictEqual(yield* codes({ customer_id, can_deposit: "true" }), "USDC USDT")
    })
  )

  covers("CURRENCY-7")
  scenario("of a verified customer are not restricted", () =>
    Effect.gen(function* () {
      const { items } = yield* rows({ customer_id: DEFAULT })
      assert.deepStrictEqual(items, (yield* rows()).items)
      assert.isFalse(items.some((row) => "customer_restrictions" in row))
    })
  )

  covers("CURRENCY-4")
  scenario("of a customer nobody knows are not found", (strings) =>
    Effect.gen(function* () {
      const theirs = yield* unverified
      assert.strictEqual((yield* refusal(strings, rows({ customer_id: "cust_nobody" })))._tag, "NotFound")
      assert.strictEqual(
        (yield* refusal(strings, rows({ customer_id: theirs }, call({ merchant_id: OTHER }))))._tag,
        "NotFound"
      )
      assert.strictEqual(messageOf(yield* refusal(strings, rows({ customer_id: "ada" }))), "InvalidInput customer_id")
    })
  )
})

describe("countries", () => {
  covers("CURRENCY-9")
  scenario("are those with a currency, by code, none of them prohibited", () =>
    Effect.gen(function* () {
      const reference = yield* Reference
      const { items, total } = yield* reference.countries({})
      assert.strictEqual(
        items.map(({ code, currencies: own }) => `${code} ${own.join()}`).join(" "),
        "CI XOF GH GHS KE KES NG NGN SN XOF UG UGX US USD ZA ZAR"
      )
      assert.strictEqual(total, 8)
      assert.deepStrictEqual(items[7], { code: "ZA", name: "South Africa", currencies: ["ZAR"], prohibited: false })
      assert.deepStrictEqual((yield* reference.countries({ page: 2, per_page: 7 })).items, items.slice(7))
    })
  )
})

describe("providers", () => {
  const listed = Effect.fnUntraced(function* (query: unknown) {
    const reference = yield* Reference
    return yield* reference.providers(yield* decode(ListProviders, query, "query"))
  })

  covers("CURRENCY-10")
  scenario("are the banks of a country, by code", () =>
    Effect.gen(function* () {
      const { items } = yield* listed({ country_code: "ZA" })
      assert.strictEqual(
        items.map(({ name }) => name).join(", "),
        "Standard Bank, Nedbank, FNB, Capitec, Absa, Discovery Bank"
      )
      assert.deepStrictEqual(items[2], {
        id: "prov_0000000000wrhykx4szsh277e3",
        name: "FNB",
        code: "250655",
        country_code: "ZA"
      })
      const all = yield* listed({ per_page: "200" })
      assert.isAbove(all.total, items.length)
      assert.deepStrictEqual((yield* listed({ country_code: "AQ" })).items, [])
    })
  )

  scenario("are asked for by an assigned country code", (strings) =>
    Effect.gen(function* () {
      assert.strictEqual(
        messageOf(yield* refusal(strings, listed({ country_code: "ZZ" }))),
        "InvalidInput country_code"
      )
    })
  )

  scenario("are unavailable while the provider does not answer", (strings) =>
    Effect.gen(function* () {
      strings.provider.banks = () => Effect.fail(new ProviderFault({ message: "timeout" }))
      assert.strictEqual((yield* refusal(strings, listed({})))._tag, "ExternalServiceUnavailable")
    })
  )
})
