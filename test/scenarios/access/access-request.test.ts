/** Access to gated currencies: asked for, granted, refused and taken back (ACCESS-1 to ACCESS-7). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { AccessRequests, type CreateAccessRequest } from "../../../src/engine/resources/access/access-request.ts"
import { Beneficiaries, CreateBeneficiary } from "../../../src/engine/resources/parties/beneficiary.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { Reference } from "../../../src/engine/resources/reference/reference.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { covers } from "../../support/repository/covers.ts"
import { onServers, type Run } from "../../support/engines/every-store.ts"
import { call } from "../../support/engines/simulated-engine.ts"

/** A merchant that may use no gated currency yet. */
const gated = Effect.fnUntraced(function* (name = "Dakar Trading") {
  const requests = yield* AccessRequests
  const wallets = yield* Wallets
  const reference = yield* Reference
  const operator = yield* call(PLATFORM_MERCHANT)
  const { merchant } = yield* (yield* Merchants).create(operator, { name, country_code: "SN", status: "active" })
  const caller = yield* call(merchant.id)
  return {
    id: merchant.id,
    caller,
    operator,
    ask: (code: string, input: CreateAccessRequest = {}) => requests.create(caller, code, input),
    mine: (status?: "pending" | "approved" | "rejected" | "revoked") =>
      Effect.map(requests.list(caller, status === undefined ? {} : { status }), ({ items }) => items),
    review: (id: string, decision: "approve" | "reject", reason?: string, by = operator) =>
      requests.review(by, id, { decision, ...(reason === undefined ? {} : { reason }) }),
    revoke: (id: string, reason?: string) => requests.revoke(operator, id, reason === undefined ? {} : { reason }),
    wallet: (currency: string, country_code?: string) =>
      wallets.create(caller, { currency, ...(country_code === undefined ? {} : { country_code }) }),
    row: (code: string, country_code: string | null = null) =>
      Effect.map(
        reference.currencies(caller, { code }),
        ({ items }) => items.find((one) => country_code === null || one.country_code === country_code)!
      )
  }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(asked: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(asked), ({ _tag }) => _tag)

const shared = (run: Run): void => {
  covers("ACCESS-6", "ACCESS-3", "ACCESS-7")
  it("is asked for, granted, used, and taken back", () =>
    run(
      Effect.gen(function* () {
        const m = yield* gated()
        const { id: resource_id } = yield* m.row("USD")
        assert.deepInclude(yield* m.row("USD"), { requires_access: true, access_granted: false })
        const { id, created_at, updated_at, ...request } = yield* m.ask("USD", { reason: "card payouts" })
        assert.match(id, /^rar_[0-9a-z]{26}$/)
        assert.strictEqual(updated_at, created_at)
        const unreviewed = { reviewer_id: null, review_reason: null, reviewed_at: null }
        assert.deepEqual(request, {
          resource_type: "currency",
          resource_id,
          resource_code: "USD",
          country_code: "US",
          status: "pending",
          merchant_id: m.id,
          merchant_name: "Dakar Trading",
          reason: "card payouts",
          ...unreviewed
        })
        assert.strictEqual(yield* tagOf(m.wallet("USD")), "ResourceAccessRequired")
        const granted = yield* m.review(id, "approve", "licence seen")
        assert.deepInclude(granted, { id, status: "approved", reviewer_id: "operator", review_reason: "licence seen" })
        assert.isNotNull(granted.reviewed_at)
        assert.isTrue((yield* m.row("USD")).access_granted)
        const wallet = yield* m.wallet("USD")
        assert.strictEqual(yield* tagOf(m.ask("USD")), "AccessAlreadyGranted")
        assert.deepInclude(yield* m.revoke(id, "licence lapsed"), {
          id,
          status: "revoked",
          review_reason: "licence lapsed"
        })
        assert.isFalse((yield* m.row("USD")).access_granted)
        assert.strictEqual(yield* tagOf(m.wallet("USD")), "ResourceAccessRequired")
        assert.strictEqual((yield* (yield* Wallets).get(m.caller, wallet.id)).body.id, wallet.id)
        assert.notStrictEqual((yield* m.ask("USD")).id, id)
      })
    ))

  it("is reviewed by the operator who calls", () =>
    run(
      Effect.gen(function* () {
        const m = yield* gated()
        const { id } = yield* m.ask("USD")
        const named = {
          ...m.operator,
          operator: { id: "opr_01j9z3k4m5n6p7q8r9s0t1v2w3", name: "Ngozi", role: "support" }
        } as const
        assert.strictEqual((yield* m.review(id, "approve", "seen", named)).reviewer_id, named.operator.id)
      })
    ))

  covers("ACCESS-4", "ACCESS-5")
  it("repeated while it is pending is the pending one; after a rejection a new one", () =>
    run(
      Effect.gen(function* () {
        const m = yield* gated()
        const first = yield* m.ask("EUR", { reason: "one" })
        assert.deepEqual(yield* m.ask("EUR", { reason: "two" }), first)
        yield* m.review(first.id, "reject", "no licence")
        const second = yield* m.ask("EUR", { reason: "two" })
        assert.notStrictEqual(second.id, first.id)
        assert.deepEqual(
          (yield* m.mine()).map(({ id, status }) => [id, status]),
          [
            [second.id, "pending"],
            [first.id, "rejected"]
          ]
        )
        assert.deepEqual(
          (yield* m.mine("rejected")).map(({ id }) => id),
          [first.id]
        )
        assert.isNull((yield* m.row("EUR")).country_code)
        const listed = yield* (yield* AccessRequests).all({ merchant_id: m.id, status: "pending" })
        assert.deepEqual(
          listed.items.map(({ id }) => id),
          [second.id]
        )
      })
    ))

  it("asked for many times at once is one request", () =>
    run(
      Effect.gen(function* () {
        const m = yield* gated()
        const made = yield* Effect.all(
          Array.from({ length: 10 }, () => m.ask("USD")),
          { concurrency: 10 }
        )
        assert.strictEqual(new Set(made.map(({ id }) => id)).size, 1)
        const [request] = made
        const reviews = yield* Effect.all(
          [
            ...Array.from({ length: 4 }, () => "approve" as const),
            ...Array.from({ length: 4 }, () => "reject" as const)
          ].map((decision) => Effect.result(m.review(request!.id, decision))),
          { concurrency: 8 }
        )
        assert.strictEqual(reviews.filter(({ _tag }) => _tag === "Success").length, 1)
        const [{ status } = { status: "none" }] = yield* m.mine()
        assert.strictEqual((yield* m.row("USD")).access_granted, status === "approved")
      })
    ))

  it("needs the country where a code is several currencies', and opens that one alone", () =>
    run(
      Effect.gen(function* () {
        const m = yield* gated()
        const ambiguous = yield* Effect.flip(m.ask("XOF"))
        assert.deepInclude(ambiguous, { _tag: "InvalidInput" })
        assert.deepEqual(
          (ambiguous as { errors?: ReadonlyArray<{ field: string }> }).errors?.map(({ field }) => field),
          ["countryCode"]
        )
        const { id, country_code, resource_id } = yield* m.ask("XOF", { country_code: "SN" })
        assert.deepEqual([country_code, resource_id], ["SN", (yield* m.row("XOF", "SN")).id])
        assert.strictEqual((yield* m.ask("XOF", { countryCode: "SN", country_code: "SN" })).id, id)
        yield* m.review(id, "approve")
        assert.isFalse((yield* m.row("XOF", "CI")).access_granted)
        yield* m.wallet("XOF", "SN")
        assert.strictEqual(yield* tagOf(m.wallet("XOF", "CI")), "ResourceAccessRequired")
        assert.notStrictEqual((yield* m.ask("XOF", { countryCode: "CI" })).id, id)
        assert.strictEqual(yield* tagOf(m.ask("XOF", { countryCode: "NG" })), "NotFound")
        assert.strictEqual(yield* tagOf(m.ask("DOGE")), "NotFound")
        assert.strictEqual(yield* tagOf(m.ask("NGN")), "AccessAlreadyGranted")
        for (const input of [{ country_code: "XX" }, { countryCode: "SN", country_code: "CI" }]) {
          const odd = yield* Effect.flip(m.ask("XOF", input))
          assert.deepEqual(
            (odd as { errors?: ReadonlyArray<{ field: string }> }).errors?.map(({ field }) => field),
            ["countryCode"]
          )
        }
      })
    ))

  it("is reviewed once, and revoked only while it is granted", () =>
    run(
      Effect.gen(function* () {
        const m = yield* gated()
        const { id } = yield* m.ask("USD")
        assert.strictEqual(yield* tagOf(m.revoke(id)), "InvalidStatus")
        yield* m.review(id, "reject")
        for (const again of [m.review(id, "reject"), m.review(id, "approve"), m.revoke(id)])
          assert.strictEqual(yield* tagOf(again), "InvalidStatus")
        assert.strictEqual(yield* tagOf(m.review("rar_none", "approve")), "NotFound")
        const next = yield* m.ask("USD")
        yield* m.review(next.id, "approve")
        assert.strictEqual(yield* tagOf(m.review(next.id, "approve")), "InvalidStatus")
        yield* m.revoke(next.id)
        assert.strictEqual(yield* tagOf(m.revoke(next.id)), "InvalidStatus")
      })
    ))

  covers("ACCESS-2", "ACCESS-1")
  it("is what wallets, beneficiaries, credentials and quotes of a gated currency ask for, each merchant for itself", () =>
    run(
      Effect.gen(function* () {
        const m = yield* gated()
        const other = yield* gated("Abidjan Trading")
        const beneficiaries = yield* Beneficiaries
        const quotes = yield* Quotes
        const credentials = yield* WalletCredentials
        const usdc = yield* m.wallet("USDC")
        const [bank] = (yield* (yield* Reference).providers({ country_code: "SN" })).items
        const paid = yield* decode(CreateBeneficiary, {
          type: "fiat",
          name: "Awa",
          currency: "EUR",
          details: { country_code: "SN", network: "bank", account_number: "0123456789", provider_id: bank!.id }
        })
        const uses = {
          wallet: m.wallet("EUR"),
          beneficiary: beneficiaries.create(m.caller, paid),
          credential: credentials.create(m.caller, usdc.id, { type: "fiat", currency: "EUR", network: "bank" }),
          quote: quotes.onramp(m.caller, { wallet_id: usdc.id, source_currency: "EUR", source_amount: "100" })
        }
        const refusals = Effect.forEach(Object.entries(uses), ([name, use]) =>
          Effect.map(
            Effect.result(use as Effect.Effect<unknown, { readonly _tag: string }>),
            (result) => `${name} ${result._tag === "Success" ? "done" : result.failure._tag}`
          )
        )
        const gate = "ResourceAccessRequired"
        assert.deepEqual(yield* refusals, [
          `wallet ${gate}`,
          `beneficiary ${gate}`,
          `credential ${gate}`,
          `quote ${gate}`
        ])
        const { id } = yield* m.ask("EUR")
        assert.deepEqual(yield* refusals, [
          `wallet ${gate}`,
          `beneficiary ${gate}`,
          `credential ${gate}`,
          `quote ${gate}`
        ])
        yield* m.review(id, "approve")
        const open = yield* refusals
        assert.deepEqual(
          open.filter((one) => one.includes(gate)),
          []
        )
        assert.include(open, "wallet done")
        assert.isFalse((yield* other.row("EUR")).access_granted)
        assert.strictEqual(yield* tagOf(other.wallet("EUR")), gate)
        assert.deepEqual(yield* other.mine(), [])
      })
    ))
}

onServers("access to a gated currency", shared)
