/** Accounts in euro that are named by their IBAN, with a bank beside it or without (BENEFICIARY-10). */
import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { currencies } from "../../../src/engine/reference/currencies.ts"
import {
  Beneficiaries,
  CreateBeneficiary,
  UpdateBeneficiary
} from "../../../src/engine/resources/parties/beneficiary.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { covers } from "../../support/repository/covers.ts"
import { call, grant, MERCHANT, messageOf, refusal, scenario, type Strings } from "../../support/merchants/parties.ts"

const euro = currencies.find(({ code }) => code === "EUR")!
const bank = (country: string, name: string) => listBanks(country).find((one) => one.name === name)!

const stored = "DE89370400440532013000"
const shown = "DE89 3704 0044 0532 0130 00"
const french = "FR14 2004 1010 0505 0001 3M02 606"

const euros = (details: object) => ({
  type: "fiat",
  name: "Jürgen Müller",
  currency: "EUR",
  details: { country_code: "DE", network: "bank", ...details }
})

const create = Effect.fnUntraced(function* (input: unknown) {
  const beneficiaries = yield* Beneficiaries
  return yield* beneficiaries.create(call(), yield* decode(CreateBeneficiary, input))
})
const update = Effect.fnUntraced(function* (id: string, details: unknown) {
  const beneficiaries = yield* Beneficiaries
  return yield* beneficiaries.update(call(), id, yield* decode(UpdateBeneficiary, { details }))
})
const storedOf = Effect.fnUntraced(function* (id: string) {
  const storage = yield* Storage
  const [row] = yield* storage.get([{ merchant_id: MERCHANT, kind: "beneficiary", id }])
  return (row!.data as { details: Readonly<Record<string, unknown>> }).details
})
const detailsOf = ({ details }: { readonly details: object }) => details as Readonly<Record<string, any>>

/** A scenario of a merchant that may pay euro. `screened`: what the provider was told of each destination. */
const inEuro = (
  name: string,
  body: (strings: Strings, screened: ReadonlyArray<object>) => ReturnType<Parameters<typeof scenario>[1]>
): void =>
  scenario(name, (strings) =>
    Effect.gen(function* () {
      yield* grant(euro.id)
      const screened: Array<object> = []
      strings.provider.screen = ({ destination }) => {
        screened.push(destination)
        return Effect.succeed("cleared")
      }
      return yield* body(strings, screened)
    })
  )

covers("BENEFICIARY-10")
describe("an IBAN", () => {
  for (const written of [stored, shown, "de89 3704 0044 0532 0130 00", "  DE8937040044 0532013000 "]) {
    inEuro(
      `sent as ${JSON.stringify(written)} is stored and told in one form, and shown in blocks of four`,
      (strings, screened) =>
        Effect.gen(function* () {
          const made = yield* create(euros({ account_number: written }))
          assert.deepStrictEqual<unknown>(made.details, {
            country_code: "DE",
            network: "bank",
            account_number: shown,
            provider: null,
            account_name: null,
            name_match: null
          })
          assert.strictEqual((yield* storedOf(made.id))["account_number"], stored)
          assert.deepInclude(screened[0], { account_number: stored, provider_id: null, bank_code: null, rail: null })
          // Nobody knows its holder: no bank was asked.
          assert.deepStrictEqual(strings.asked, ["screen"])
        })
    )
  }

  inEuro("with a bank beside it is resolved there, and has the name of its holder", (strings, screened) =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      strings.provider.resolveAccount = ({ account_number }) => {
        asked.push(account_number)
        return Effect.succeed({ _tag: "resolved", account_name: "JUERGEN MUELLER" })
      }
      const { id, name, code } = bank("DE", "N26")
      const made = yield* create(euros({ account_number: shown, provider_id: id }))
      assert.deepInclude(made.details, {
        account_number: shown,
        provider: { id, name, code },
        account_name: "JUERGEN MUELLER",
        name_match: "full"
      })
      assert.deepStrictEqual(asked, [stored])
      assert.deepInclude(screened[0], { account_number: stored, bank_code: code })
    })
  )

  inEuro("keeps the holder's name that was sent, which nothing was compared with", () =>
    Effect.gen(function* () {
      const made = yield* create(euros({ account_number: stored, account_name: "Somebody Else" }))
      assert.deepInclude(made.details, { account_name: "Somebody Else", name_match: null })
    })
  )

  inEuro("sent back as it is shown changes nothing; another one is screened, and takes the bank away", (strings) =>
    Effect.gen(function* () {
      const { id } = bank("DE", "N26")
      const made = yield* create(euros({ account_number: stored, provider_id: id }))
      const { account_name, account_number, provider } = detailsOf(made)
      strings.asked.length = 0
      const same = yield* update(made.id, { account_number, account_name, provider })
      assert.deepStrictEqual(same.details, made.details)
      assert.strictEqual(same.screening_id, made.screening_id)
      assert.notInclude(strings.asked, "screen")

      const other = yield* update(made.id, { account_number: "DE02 1203 0000 0000 2020 51" })
      assert.notStrictEqual(other.screening_id, made.screening_id)
      assert.deepInclude(other.details, { account_number: "DE02 1203 0000 0000 2020 51", provider: null })
      // Without its bank, a number that is no IBAN names no account.
      const refused = yield* refusal(strings, update(made.id, { account_number: "0123456789" }))
      assert.strictEqual(messageOf(refused), "InvalidInput details.account_number")
      const named = yield* update(made.id, { provider_id: id })
      assert.strictEqual(detailsOf(named)["provider"].id, id)
    })
  )

  inEuro("takes the place of an account number at a bank", () =>
    Effect.gen(function* () {
      const { id } = bank("DE", "N26")
      const made = yield* create(euros({ account_number: "0123456789", provider_id: id }))
      assert.strictEqual(detailsOf(made)["account_number"], "0123456789")
      assert.deepInclude((yield* update(made.id, { account_number: shown })).details, {
        account_number: shown,
        provider: null
      })
    })
  )

  for (const [what, details, text, message] of [
    [
      "a changed digit",
      { account_number: "DE89 3704 0044 0532 0130 01" },
      "InvalidInput details.account_number",
      /check digits/
    ],
    [
      "a missing one",
      { account_number: shown.slice(0, -1) },
      "InvalidInput details.account_number",
      /has 22 characters; this one has 21/
    ],
    [
      "another country",
      { account_number: french },
      "InvalidInput details.account_number",
      /IBAN of France \(FR\), but details.country_code is DE/
    ],
    [
      "a country without IBANs",
      { country_code: "US", account_number: shown },
      "InvalidInput details.account_number",
      /IBAN of Germany/
    ],
    [
      "a bank of another country",
      { account_number: shown, provider_id: bank("FR", "BNP Paribas").id },
      "InvalidInput details.provider_id",
      /bank in FR/
    ],
    [
      "no IBAN and no bank",
      { account_number: "0123456789" },
      "InvalidInput details.account_number",
      /takes the IBAN of an account in Germany/
    ],
    [
      "no IBAN and no bank in a country without them",
      { country_code: "US", account_number: "0123456789" },
      "BadRequest details.provider_id",
      /missing/
    ],
    ["nothing", {}, "BadRequest details.account_number", /missing/]
  ] as const)
    inEuro(`is refused for ${what}, at first and later`, (strings) =>
      Effect.gen(function* () {
        const refused = yield* refusal(strings, create(euros(details)))
        assert.strictEqual(messageOf(refused), text)
        assert.match(refused.message, message)
        if ("country_code" in details || Object.keys(details).length === 0) return
        const made = yield* create(euros({ account_number: stored }))
        const later = yield* refusal(strings, update(made.id, details))
        assert.strictEqual(messageOf(later), text)
        assert.match(later.message, message)
      })
    )
})
