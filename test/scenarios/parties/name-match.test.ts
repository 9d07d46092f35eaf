/** The name of a beneficiary, and that of the holder of its account as the provider resolves it. */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import {
  Beneficiaries,
  BeneficiaryKind,
  CreateBeneficiary,
  UpdateBeneficiary
} from "../../../src/engine/resources/parties/beneficiary.ts"
import { beneficiaryBody } from "../../../src/engine/representations/parties/beneficiary.ts"
import { call, MERCHANT, messageOf, refusal, scenario, type Strings } from "../../support/merchants/parties.ts"
import { covers } from "../../support/repository/covers.ts"

const bank = listBanks("NG")[0]!.id

const create = Effect.fnUntraced(function* (name: string, details: object = {}) {
  const beneficiaries = yield* Beneficiaries
  const account = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank, ...details }
  const currency = "rail" in details ? "ZAR" : "NGN"
  return yield* beneficiaries.create(
    call(),
    yield* decode(CreateBeneficiary, { type: "fiat", name, currency, details: account })
  )
})
const payshap = { country_code: "ZA", account_number: "+27821234567", rail: "payshap" }

const update = Effect.fnUntraced(function* (id: string, input: unknown) {
  const beneficiaries = yield* Beneficiaries
  return yield* beneficiaries.update(call(), id, yield* decode(UpdateBeneficiary, input))
})

const matchOf = ({ details }: { readonly details: object }): unknown => (details as { name_match: unknown }).name_match

/** Every account belongs to this person. */
const heldBy = (strings: Strings, account_name: string): void => {
  strings.provider.resolveAccount = () => Effect.succeed({ _tag: "resolved", account_name })
  strings.provider.resolveProxy = () => Effect.succeed({ _tag: "resolved", account_name })
}

covers("BENEFICIARY-8")
describe("the name of a beneficiary is compared with its account's holder", () => {
  for (const [what, rest] of [
    ["a bank account", {}],
    ["a payshap proxy", payshap]
  ] as const) {
    for (const [name, account_name, match] of [
      ["Zainab Bello", null, "none"],
      ["Nomsa Bello", null, "partial"],
      ["MOKOENA, N.", null, "full"],
      ["Zainab Bello", "Nomsa Mokoena", "full"],
      ["Zainab Bello", "Nomsa Bello", "partial"],
      ["Nomsa Mokoena", "Zainab Bello", "none"]
    ] as const) {
      scenario(`of ${what}: ${name}, with the account name ${account_name}, is ${match}`, (strings) =>
        Effect.gen(function* () {
          heldBy(strings, "Nomsa Mokoena")
          const made = yield* create(name, { ...rest, account_name })
          assert.strictEqual(matchOf(made), match)
          assert.strictEqual((made.details as { account_name: string }).account_name, "Nomsa Mokoena")
          assert.deepStrictEqual((yield* (yield* Beneficiaries).get(call(), made.id)).body, made)
        })
      )
    }
  }

  scenario("again when the name changes, and not when it stays", (strings) =>
    Effect.gen(function* () {
      heldBy(strings, "Nomsa Mokoena")
      const { id } = yield* create("Zainab Bello")
      assert.strictEqual(matchOf(yield* update(id, { label: "rent" })), "none")
      assert.strictEqual(matchOf(yield* update(id, { name: "N Mokoena" })), "full")
      assert.strictEqual(matchOf(yield* update(id, { name: "Nomsa" })), "partial")
    })
  )

  scenario("again when the account changes, whose holder's name was not given", (strings) =>
    Effect.gen(function* () {
      heldBy(strings, "Nomsa Mokoena")
      const { id } = yield* create("Zainab Bello", { account_name: "Nomsa Mokoena" })
      assert.strictEqual(matchOf(yield* update(id, { name: "Zainab Adeyemi" })), "full")
      heldBy(strings, "Zainab Bello")
      assert.strictEqual(matchOf(yield* update(id, { details: { account_number: "9876543210" } })), "partial")
    })
  )

  scenario("again when another account name is given, without a new screening of the same account", (strings) =>
    Effect.gen(function* () {
      heldBy(strings, "Nomsa Mokoena")
      const { id, screening_id } = yield* create("Zainab Bello")
      const changed = yield* update(id, { details: { account_name: "N. Mokoena" } })
      assert.deepStrictEqual([matchOf(changed), changed.screening_id], ["full", screening_id])
      assert.strictEqual(matchOf(yield* update(id, { name: "Z Bello" })), "full")
    })
  )

  scenario("which says nothing new when the shown account name is sent back", (strings) =>
    Effect.gen(function* () {
      heldBy(strings, "Nomsa Mokoena")
      const made = yield* create("Zainab Bello")
      const { account_name, account_number } = made.details as Record<string, string>
      const kept = yield* update(made.id, { details: { account_name, account_number } })
      assert.deepStrictEqual(kept.details, made.details)
    })
  )

  scenario("and is null on a row that was stored before, until it is compared", () =>
    Effect.gen(function* () {
      const { id } = yield* create("Zainab Bello")
      const row = yield* (yield* UnitOfWork).load(BeneficiaryKind, MERCHANT, id)
      const { given_account_name: _, ...data } = row.data
      const { name_match: __, ...details } = data.details as unknown as Record<string, unknown>
      const before = beneficiaryBody({ ...row, data: { ...data, details: details as never } })
      assert.isNull(matchOf(before))
    })
  )
})

covers("BENEFICIARY-9")
describe("with name matches refused", () => {
  const refuse = { name_match: "refuse" } as const
  for (const [what, rest] of [
    ["a bank account", {}],
    ["a payshap proxy", payshap]
  ] as const) {
    scenario(
      `a beneficiary with ${what} of somebody else is refused, names both, and nothing is asked further`,
      (strings) =>
        Effect.gen(function* () {
          heldBy(strings, "Nomsa Mokoena")
          const error = yield* refusal(strings, create("Zainab Bello", rest))
          assert.strictEqual(messageOf(error), "AccountResolutionFailed name")
          assert.include(error.message, 'name is "Zainab Bello", but the account belongs to "Nomsa Mokoena"')
          const given = yield* refusal(strings, create("Nomsa Mokoena", { ...rest, account_name: "Ada Obi" }))
          assert.strictEqual(messageOf(given), "AccountResolutionFailed details.account_name")
          assert.include(given.message, '"Ada Obi"')
          assert.notInclude(strings.asked, "screen")
          assert.strictEqual(matchOf(yield* create("Nomsa Bello", rest)), "partial")
          assert.strictEqual(matchOf(yield* create("Nomsa Mokoena", rest)), "full")
        }),
      refuse
    )
  }

  scenario(
    "a change that makes them differ is refused, and one of anything else is not",
    (strings) =>
      Effect.gen(function* () {
        heldBy(strings, "Nomsa Mokoena")
        const made = yield* create("Nomsa Mokoena")
        for (const change of [
          { name: "Zainab Bello" },
          { details: { account_name: "Zainab Bello" } },
          { name: "Zainab Bello", details: { account_number: "9876543210" } }
        ])
          assert.strictEqual((yield* refusal(strings, update(made.id, change)))._tag, "AccountResolutionFailed")
        heldBy(strings, "Thabo Dlamini")
        const moved = update(made.id, { details: { account_number: "9876543210" } })
        assert.strictEqual(messageOf(yield* refusal(strings, moved)), "AccountResolutionFailed name")
        assert.deepStrictEqual((yield* (yield* Beneficiaries).get(call(), made.id)).body, made)
        assert.strictEqual((yield* update(made.id, { label: "rent" })).label, "rent")
      }),
    refuse
  )
})
