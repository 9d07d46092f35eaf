/** Banks that several providers know. */
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { type AccountQuery, type Bank, Provider } from "../../../src/engine/ports/Provider.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { Reference } from "../../../src/engine/resources/reference/reference.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const ownIds = (name: string, banks: ReadonlyArray<Bank>): ReadonlyArray<Bank> =>
  banks.map((bank) => ({ ...bank, id: `prov_${name}${bank.country_code.toLowerCase()}${bank.code.toLowerCase()}` }))

/** A provider that knows banks under ids of its own, and the accounts that it was asked about. */
const directoryOf = (name: string, banks: ReadonlyArray<Bank>) => {
  const asked: Array<AccountQuery> = []
  const state = { isAway: false }
  const listed = ownIds(name, banks)
  const provider = Provider.of({
    name,
    manifest: { offers: [{ operation: "directory" }] },
    directory: {
      banks: (country) =>
        Effect.suspend(() =>
          state.isAway
            ? Effect.fail(new ProviderFault({ message: "away" }))
            : Effect.succeed(listed.filter(({ country_code }) => country === null || country === country_code))
        ),
      resolveAccount: (query) =>
        Effect.sync(() => {
          asked.push(query)
          return { _tag: "resolved", account_name: "ADA OBI" }
        }),
      resolveProxy: () => Effect.succeed({ _tag: "switched_off" })
    }
  })
  return { asked, listed, provider, state }
}

const nigerian = listBanks("NG")
const german = { id: "prov_0de", name: "Sparkasse", code: "044", country_code: "DE" }

const engineWith = (...others: ReadonlyArray<ReturnType<typeof directoryOf>>) =>
  makeSimulatedEngine({
    around: ({ directory: _, ...inner }) => inner,
    others: others.map(({ provider }) => provider)
  })

const list = (country_code?: string) =>
  Effect.flatMap(Reference, (reference) =>
    Effect.map(
      reference.providers({ per_page: 200, ...(country_code === undefined ? {} : { country_code }) }),
      ({ items }) => items
    )
  )

const creating = Effect.gen(function* () {
  const { caller } = yield* merchantAtWork()
  const beneficiaries = yield* Beneficiaries
  const account = { country_code: "NG", network: "bank", account_number: "0123456789" } as const
  return (provider_id: string) =>
    beneficiaries.create(caller, {
      type: "fiat",
      name: "Ada Obi",
      currency: "NGN",
      details: { ...account, provider_id }
    })
})

describe("a bank that two providers know", () => {
  covers("CURRENCY-10", "CURRENCY-12")
  it("is listed once, with the first provider's id, in the order of codes and countries", async () => {
    const [first, second] = [directoryOf("a", nigerian.slice(1)), directoryOf("b", [german, ...nigerian])]
    const banks = await Effect.runPromise(Effect.provide(list(), engineWith(first, second)))
    assert.deepStrictEqual(
      banks.map(({ code, country_code }) => `${code} ${country_code}`),
      ["011 NG", "033 NG", "044 DE", "044 NG", "057 NG", "058 NG"]
    )
    const idOf = (code: string, country: string) =>
      banks.find((bank) => bank.code === code && bank.country_code === country)!.id
    assert.strictEqual(idOf("033", "NG"), first.listed.find(({ code }) => code === "033")!.id)
    // Only the second has it.
    assert.strictEqual(idOf("011", "NG"), second.listed.find(({ code }) => code === "011")!.id)
  })

  it("is taken under the id of either, and the provider of that id is asked about the account, with its own bank", async () => {
    const [first, second] = [directoryOf("a", nigerian), directoryOf("b", nigerian)]
    const asked = await Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const create = yield* creating
          for (const { listed } of [first, second]) {
            const { details } = yield* create(listed[0]!.id)
            assert.strictEqual((details as { provider: { id: string } }).provider.id, listed[0]!.id)
          }
          return [first, second].map(({ asked }) => asked.map(({ bank }) => bank.id))
        }),
        engineWith(first, second)
      )
    )
    assert.deepStrictEqual(asked, [[first.listed[0]!.id], [second.listed[0]!.id]])
  })

  covers("CURRENCY-13")
  it("is listed while one of them is away; what only the other may know is unavailable, not unknown", async () => {
    const [first, second] = [directoryOf("a", nigerian), directoryOf("b", [german, ...nigerian.slice(2)])]
    await Effect.runPromise(
      Effect.provide(
        Effect.gen(function* () {
          const create = yield* creating
          first.state.isAway = true
          assert.lengthOf(yield* list("NG"), 3)
          assert.strictEqual((yield* Effect.flip(create(first.listed[0]!.id)))._tag, "ExternalServiceUnavailable")
          assert.strictEqual((yield* Effect.flip(list("GH")))._tag, "ExternalServiceUnavailable")
          first.state.isAway = false
          assert.lengthOf(yield* list("GH"), 0)
          assert.strictEqual((yield* Effect.flip(create("prov_nobody")))._tag, "NotFound")
          first.state.isAway = second.state.isAway = true
          assert.strictEqual((yield* Effect.flip(list()))._tag, "ExternalServiceUnavailable")
        }),
        engineWith(first, second)
      )
    )
  })
})
