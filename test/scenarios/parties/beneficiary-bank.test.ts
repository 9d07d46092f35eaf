/** How a beneficiary's bank is named: by `provider_id`, or in `provider` as the beneficiary shows it (FIELD-8). */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import {
  Beneficiaries,
  CreateBeneficiary,
  UpdateBeneficiary
} from "../../../src/engine/resources/parties/beneficiary.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { covers } from "../../support/repository/covers.ts"
import { call, scenario } from "../../support/merchants/parties.ts"

const [access, gtb] = ["Access Bank", "Guaranty Trust Bank"].map(
  (name) => listBanks("NG").find((bank) => bank.name === name)!.id
)

const account = { country_code: "NG", network: "bank", account_number: "0123456789" }
const naira = (bank: object) => ({ type: "fiat", name: "Ada Obi", currency: "NGN", details: { ...account, ...bank } })
const payshap = (bank: object) => ({
  ...naira({ ...bank, country_code: "ZA", account_number: "+27821234567", rail: "payshap" }),
  currency: "ZAR"
})

const create = Effect.fnUntraced(function* (input: unknown) {
  const beneficiaries = yield* Beneficiaries
  return yield* beneficiaries.create(call(), yield* decode(CreateBeneficiary, input))
})

const update = Effect.fnUntraced(function* (id: string, input: unknown) {
  const beneficiaries = yield* Beneficiaries
  return yield* beneficiaries.update(call(), id, yield* decode(UpdateBeneficiary, input))
})

describe("a bank", () => {
  for (const [what, provider] of [
    ["as it is shown", { id: access, name: "Access Bank", code: "044" }],
    ["an object with its id", { id: access }],
    ["its id", access]
  ] as const) {
    covers("FIELD-8")
    scenario(`may be named in provider by ${what}, when a beneficiary is made and when it is changed`, () =>
      Effect.gen(function* () {
        const made = yield* create(naira({ provider }))
        const bankOf = ({ details }: typeof made) => (details as { provider: { id: string } }).provider.id
        assert.strictEqual(bankOf(made), access)
        assert.strictEqual(bankOf(yield* create(naira({ provider_id: access, provider }))), access)
        const other = yield* create(naira({ provider_id: gtb }))
        assert.strictEqual(bankOf(yield* update(other.id, { details: { provider } })), access)
        // What a beneficiary shows may be sent back as it is.
        const { account_name, account_number, provider: shown } = made.details as Record<string, any>
        const kept = yield* update(made.id, { details: { account_name, account_number, provider: shown } })
        assert.deepStrictEqual(kept.details, made.details)
        assert.strictEqual(kept.screening_id, made.screening_id)
      })
    )
  }

  scenario("of a payshap beneficiary is not looked at", () =>
    Effect.gen(function* () {
      const two = { provider: "not an id", provider_id: "another" }
      const { details, id } = yield* create(payshap(two))
      assert.isNull((details as { provider: unknown }).provider)
      const changed = yield* update(id, { details: { ...two, account_number: "shop@capitec" } })
      assert.isNull((changed.details as { provider: unknown }).provider)
    })
  )
})
