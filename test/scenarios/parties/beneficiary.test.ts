import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { resolveAccount } from "../../../src/adapters/provider/simulated/resolution.ts"
import { listBanks } from "../../../src/adapters/provider/simulated/banks.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { memoFault } from "../../../src/engine/input/addresses.ts"
import { Provider } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { currencies } from "../../../src/engine/reference/currencies.ts"
import {
  Beneficiaries,
  CreateBeneficiary,
  ListBeneficiaries,
  UpdateBeneficiary
} from "../../../src/engine/resources/parties/beneficiary.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import {
  call,
  DEFAULT,
  grant,
  MERCHANT,
  OTHER,
  overtaken,
  refusal,
  messageOf,
  scenario,
  type Strings
} from "../../support/merchants/parties.ts"
import { covers } from "../../support/repository/covers.ts"

const bank = (country_code: string, name: string): string =>
  listBanks(country_code).find((one) => one.name === name)?.id ?? assert.fail(`no bank ${name}`)

const gtb = bank("NG", "Guaranty Trust Bank")
const evm = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const deferred = "0x000000000000000000000000000000000000dead"
const solana = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"

const naira = {
  type: "fiat",
  name: "Ada Obi",
  currency: "NGN",
  details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: gtb }
}
const rand = (name: string, account_number: string) => ({
  ...naira,
  currency: "ZAR",
  details: { country_code: "ZA", network: "bank", account_number, provider_id: bank("ZA", name) }
})
const payshap = (account_number: string) => ({
  ...naira,
  currency: "ZAR",
  details: { country_code: "ZA", network: "bank", account_number, rail: "payshap" }
})
const coin = (network: string, address: string, currency = "USDC") => ({
  type: "crypto",
  name: "Ada Obi",
  currency,
  details: { network, address }
})

const create = Effect.fnUntraced(function* (input: unknown, caller = call()) {
  const beneficiaries = yield* Beneficiaries
  return yield* beneficiaries.create(caller, yield* decode(CreateBeneficiary, input))
})

const update = Effect.fnUntraced(function* (id: string, input: unknown, caller = call()) {
  const beneficiaries = yield* Beneficiaries
  return yield* beneficiaries.update(caller, id, yield* decode(UpdateBeneficiary, input))
})

const read = Effect.fnUntraced(function* (id: string) {
  const beneficiaries = yield* Beneficiaries
  return (yield* beneficiaries.get(call(), id)).body
})

const screened = Effect.fnUntraced(function* (id: string, event_id: string) {
  const inbox = yield* Inbox
  const { screening_id } = yield* read(id)
  const word = { _tag: "screened", event_id, merchant_id: MERCHANT, resource_id: id, screening_id } as const
  return yield* inbox.receive("simulated", { ...word, cleared: true })
})

const down = () => Effect.fail(new ProviderFault({ message: "timeout" }))

describe("a beneficiary", () => {
  covers("BENEFICIARY-2", "BENEFICIARY-5", "BENEFICIARY-1", "PAYSHAP-1")
  scenario("of a bank is active once its holder was resolved, and belongs to the default customer", () =>
    Effect.gen(function* () {
      const made = yield* create({ ...naira, label: "rent", merchant_reference: "r-1", metadata: { a: "1" } })
      const at = "2026-01-15T12:00:00.000Z"
      assert.match(made.id, /^ben_[0-9a-z]{26}$/)
      assert.deepStrictEqual<unknown>(made, {
        id: made.id,
        customer_id: DEFAULT,
        name: "Ada Obi",
        label: "rent",
        type: "fiat",
        currency: "NGN",
        address: null,
        purpose_code: null,
        details: {
          country_code: "NG",
          network: "bank",
          account_number: "0123456789",
          provider: { id: gtb, name: "Guaranty Trust Bank", code: "058" },
          account_name: "Ada Obi",
          name_match: "full"
        },
        metadata: { a: "1" },
        status: "active",
        screening_id: made.screening_id,
        merchant_reference: "r-1",
        created_at: at,
        updated_at: at
      })
      assert.deepStrictEqual(yield* (yield* Beneficiaries).get(call(), made.id), { body: made, version: "1" })
    })
  )

  covers("BENEFICIARY-12")
  scenario("has the postal address that was sent, and keeps it when another member changes", (strings) =>
    Effect.gen(function* () {
      const address = { line1: "12 Broad Street", city: "Lagos", state: "Lagos", country_code: "NG" }
      const shown = { ...address, line2: null, postal_code: null }
      const made = yield* create({ ...naira, address })
      assert.deepStrictEqual<unknown>(made.address, shown)
      assert.deepStrictEqual<unknown>((yield* update(made.id, { label: "rent" })).address, shown)
      const moved = { line1: "1 Marina", city: "Lagos", country_code: "NG" }
      assert.deepInclude((yield* update(made.id, { address: moved })).address, { line1: "1 Marina", state: null })
      const refused = yield* refusal(strings, create({ ...naira, address: { ...address, country_code: "KP" } }))
      assert.strictEqual(refused._tag, "ProhibitedCountry")
    })
  )

  covers("BENEFICIARY-14")
  scenario("has the purpose code that was sent, without a new screening", (strings) =>
    Effect.gen(function* () {
      const made = yield* create({ ...naira, purpose_code: "SALA" })
      assert.strictEqual(made.purpose_code, "SALA")
      assert.strictEqual((yield* create(naira)).purpose_code, null)
      assert.strictEqual((yield* update(made.id, { label: "rent" })).purpose_code, "SALA")
      const changed = yield* update(made.id, { purpose_code: "P1301" })
      assert.deepInclude(changed, { purpose_code: "P1301", screening_id: made.screening_id, status: "active" })
      const onChain = coin("solana", solana)
      const crypto = yield* create(onChain)
      for (const refused of [create({ ...onChain, purpose_code: "SALA" }), update(crypto.id, { purpose_code: "SALA" })])
        assert.deepInclude(yield* refusal(strings, refused), {
          _tag: "InvalidInput",
          message: "purpose_code is SALA. A crypto beneficiary has no purpose code."
        })
    })
  )

  covers("BENEFICIARY-13", "SANDBOX-25")
  scenario("asks for the holder with the document that was sent, and stores nothing of it", (strings) =>
    Effect.gen(function* () {
      const documents: Array<unknown> = []
      strings.provider.resolveAccount = ({ holder_document, ...account }) => {
        documents.push(holder_document)
        return Effect.succeed(resolveAccount({ ...account, ...(holder_document && { holder_document }) }))
      }
      const input = rand("FNB", "12345678901")
      const holder_document = { id_type: "national_id", id_number: "8001015009087" }
      const made = yield* create({ ...input, details: { ...input.details, holder_document } })
      yield* update(made.id, { details: { account_number: "12345678902", holder_document } })
      yield* update(made.id, { details: { account_number: "12345678903" } })
      assert.deepStrictEqual(documents, [holder_document, holder_document, undefined])
      const storage = yield* Storage
      const rows = yield* storage.get([{ merchant_id: MERCHANT, kind: "beneficiary", id: made.id }])
      const history = yield* storage.history(MERCHANT, made.id)
      assert.notInclude(JSON.stringify([rows, history.transitions]), holder_document.id_number)
      const others = { ...holder_document, id_number: "8001015000000" }
      const refused = yield* refusal(
        strings,
        create({ ...input, details: { ...input.details, holder_document: others } })
      )
      assert.strictEqual(refused._tag, "AccountResolutionFailed")
    })
  )

  for (const proxy of ["+27821234567", "shop@capitec"]) {
    covers("PAYSHAP-4", "PAYSHAP-7", "ZAR-5")
    scenario(`of the payshap proxy ${proxy} has the holder's name, no provider, and its rail`, (strings) =>
      Effect.gen(function* () {
        const input = payshap(proxy)
        const { details, status } = yield* create({
          ...input,
          details: { ...input.details, provider_id: "not an id", account_name: "Wrong" }
        })
        const { account_name, ...others } = details as { account_name: string }
        assert.strictEqual(status, "active")
        assert.notStrictEqual(account_name, "Wrong")
        assert.deepStrictEqual<unknown>(others, {
          country_code: "ZA",
          network: "bank",
          account_number: proxy,
          provider: null,
          rail: "payshap",
          name_match: "none"
        })
        assert.deepStrictEqual(strings.asked, ["resolveProxy", "screen"])
      })
    )
  }

  for (const [network, address] of [
    ["base", evm],
    ["ethereum", evm.toLowerCase()],
    ["solana", solana]
  ] as const) {
    covers("BENEFICIARY-4")
    scenario(`on ${network} keeps its address as it was given`, () =>
      Effect.gen(function* () {
        const { details, status } = yield* create(coin(network, address))
        assert.strictEqual(status, "active")
        assert.deepStrictEqual<unknown>(details, { network, address, memo: null })
      })
    )
  }

  covers("BENEFICIARY-6")
  scenario("whose screening is deferred is pending until it is cleared", () =>
    Effect.gen(function* () {
      const { id, status } = yield* create(coin("base", deferred))
      assert.strictEqual(status, "pending")
      assert.strictEqual((yield* update(id, { label: "cold" })).status, "pending")
      assert.strictEqual(yield* screened(id, "e-1"), "applied")
      assert.strictEqual((yield* read(id)).status, "active")
    })
  )

  covers("ACCESS-2")
  scenario("in a gated currency takes a grant", (strings) =>
    Effect.gen(function* () {
      const input = {
        ...naira,
        currency: "XOF",
        details: { ...naira.details, country_code: "SN", provider_id: bank("SN", "Ecobank Sénégal") }
      }
      assert.strictEqual((yield* refusal(strings, create(input)))._tag, "ResourceAccessRequired")
      yield* grant(currencies.find(({ code, country_code }) => code === "XOF" && country_code === "SN")!.id)
      assert.strictEqual((yield* create(input)).status, "active")
    })
  )

  scenario("asks the provider once, however often its write is decided", (strings) =>
    Effect.gen(function* () {
      const { id } = yield* create(naira)
      strings.asked.length = 0
      const changed = yield* overtaken(
        strings,
        update(id, { details: { account_number: "9876543210" } }),
        update(id, { label: "rent" })
      )
      assert.deepStrictEqual(strings.asked, ["banks", "resolveAccount", "screen"])
      assert.deepStrictEqual(
        [changed.label, (changed.details as { account_number: string }).account_number],
        ["rent", "9876543210"]
      )
    })
  )
})

describe("an update", () => {
  scenario("replaces what is given, and asks nobody when the account and name stay", (strings) =>
    Effect.gen(function* () {
      const made = yield* create({ ...naira, metadata: { a: "1", b: "2" } })
      strings.asked.length = 0
      yield* TestClock.adjust("1 hour")
      const changed = yield* update(made.id, {
        label: "rent",
        merchant_reference: "r-2",
        metadata: { c: "3" },
        name: made.name
      })
      const text = {
        label: "rent",
        merchant_reference: "r-2",
        metadata: { c: "3" },
        updated_at: "2026-01-15T13:00:00.000Z"
      }
      assert.deepStrictEqual<unknown>(changed, { ...made, ...text })
      assert.deepStrictEqual(strings.asked, [])
    })
  )

  scenario("of the account takes its new holder's name, not the old one's", () =>
    Effect.gen(function* () {
      const made = yield* create({ ...naira, details: { ...naira.details, account_name: "Ada Obi" } })
      const { details } = yield* update(made.id, { details: { account_number: "9876540009" } })
      assert.notStrictEqual((details as { account_name: string }).account_name, "Ada Obi")
      const kept = yield* update(made.id, { details: { account_number: "9876543210", account_name: "Ada N. Obi" } })
      assert.strictEqual((kept.details as { account_name: string }).account_name, "Ada N. Obi")
    })
  )

  scenario("of the account is screened again, and waits when that is deferred", (strings) =>
    Effect.gen(function* () {
      const { id } = yield* create(naira)
      strings.provider.screen = () => Effect.succeed("held")
      assert.strictEqual((yield* update(id, { details: { account_number: "9876543210" } })).status, "pending")
      strings.provider.screen = () => Effect.succeed("cleared")
      assert.strictEqual((yield* update(id, { name: "Ada N. Obi" })).status, "active")
    })
  )

  scenario("is a conflict when the account was changed while the provider was asked", (strings) =>
    Effect.gen(function* () {
      const { id } = yield* create(naira)
      const mine = update(id, { details: { account_number: "9876543210" } })
      const error = yield* Effect.flip(
        overtaken(strings, mine, update(id, { details: { account_number: "5555555555" } }))
      )
      assert.strictEqual(error._tag, "Conflict")
      assert.strictEqual(((yield* read(id)).details as { account_number: string }).account_number, "5555555555")
    })
  )

  scenario("at another version than the caller's is a conflict, and screens nobody", (strings) =>
    Effect.gen(function* () {
      const { id } = yield* create(naira)
      yield* update(id, { label: "rent" })
      strings.asked.length = 0
      for (const change of [{ label: "x" }, { name: "X" }]) {
        assert.strictEqual((yield* refusal(strings, update(id, change, call({ if_match: "1" }))))._tag, "Conflict")
      }
      assert.deepStrictEqual(strings.asked, [])
    })
  )

  const refused: ReadonlyArray<readonly [what: string, input: object, change: object, text: string]> = [
    [
      "a new account of the wrong length",
      rand("FNB", "62000000000"),
      { account_number: "6200000000" },
      "InvalidInput details.account_number"
    ],
    [
      "a bank that takes other lengths",
      rand("FNB", "62000000000"),
      { provider_id: bank("ZA", "Capitec") },
      "InvalidInput details.account_number"
    ],
    [
      "an account nobody has",
      naira,
      { account_number: "0000000000" },
      "AccountResolutionFailed details.account_number"
    ],
    ["an unknown bank", naira, { provider_id: "prov_nobody" }, "NotFound"],
    ["an unknown bank as it is shown", naira, { provider: { id: "prov_nobody" } }, "NotFound"],
    ["two banks", naira, { provider: { id: gtb }, provider_id: "prov_nobody" }, "InvalidInput details.provider"],
    ["a bank of another country", naira, { provider_id: bank("ZA", "FNB") }, "InvalidInput details.provider_id"],
    [
      "a proxy nobody registered",
      payshap("+27821234567"),
      { account_number: "unknown@bank" },
      "InvalidInput details.account_number"
    ],
    [
      "an account number of a crypto beneficiary",
      coin("base", evm),
      { account_number: "0123456789" },
      "InvalidInput details"
    ]
  ]
  for (const [what, input, details, text] of refused) {
    scenario(`is refused for ${what}`, (strings: Strings) =>
      Effect.gen(function* () {
        const made = yield* create(input)
        assert.strictEqual(messageOf(yield* refusal(strings, update(made.id, { details }))), text)
        assert.deepStrictEqual(yield* read(made.id), made)
      })
    )
  }
})

const without = (input: typeof naira, ...names: ReadonlyArray<string>) => ({
  ...input,
  details: Object.fromEntries(Object.entries(input.details).filter(([name]) => !names.includes(name)))
})
const of = <A extends { readonly details: object }>(input: A, details: object) => ({
  ...input,
  details: { ...input.details, ...details }
})

const refused: ReadonlyArray<readonly [what: string, input: object, text: string]> = [
  ["no name and no details", { type: "fiat", currency: "NGN" }, "BadRequest name details"],
  ["another type", { ...naira, type: "bank" }, "BadRequest type"],
  [
    "bare fiat details",
    without(naira, "country_code", "network", "account_number", "provider_id"),
    "BadRequest details.country_code details.network details.account_number details.provider_id"
  ],
  ["fiat details without a bank", without(naira, "provider_id"), "BadRequest details.provider_id"],
  ["bare crypto details", { ...coin("base", evm), details: {} }, "BadRequest details.network details.address"],
  ["an account number that is a number", of(naira, { account_number: 123456789 }), "BadRequest details.account_number"],
  ["a rail that is none", of(naira, { rail: "swift" }), "BadRequest details.rail"],
  ["a malformed customer", { ...naira, customer_id: "ada" }, "InvalidInput customer_id"],
  ["an unknown customer", { ...naira, customer_id: "cust_01j9z3k4m5n6p7q8r9s0t1v2zz" }, "NotFound"],
  ["an unknown currency", { ...naira, currency: "ABC" }, "NotFound"],
  ["two banks", of(naira, { provider: { id: bank("NG", "Access Bank") } }), "InvalidInput details.provider"],
  ["two banks, one by its id", of(naira, { provider: "prov_other" }), "InvalidInput details.provider"],
  ["a bank without an id", of(naira, { provider: { name: "GTB" } }), "BadRequest details.provider"],
  ["a bank that is a number", of(naira, { provider: 7 }), "BadRequest details.provider"],
  ["an unknown bank as it is shown", of(without(naira, "provider_id"), { provider: "prov_nobody" }), "NotFound"],
  ["a rail to an address", of(coin("base", evm), { rail: "payshap" }), "InvalidInput details.rail"],
  ["a malformed bank", of(naira, { provider_id: "gtb" }), "InvalidInput details.provider_id"],
  ["an unknown bank", of(naira, { provider_id: "prov_01j9z3k4m5n6p7q8r9s0t1v2zz" }), "NotFound"],
  ["a bank of another country", of(naira, { provider_id: bank("GH", "GCB Bank") }), "InvalidInput details.provider_id"],
  ["a country that is none", of(naira, { country_code: "ZZ" }), "InvalidInput details.country_code"],
  ["a prohibited country", of(naira, { country_code: "SY" }), "ProhibitedCountry details.country_code"],
  ["a currency of another country", of(naira, { country_code: "GH" }), "InvalidInput details.country_code"],
  [
    "a gated currency",
    of({ ...naira, currency: "USD" }, { country_code: "US", provider_id: bank("US", "Wells Fargo") }),
    "ResourceAccessRequired"
  ],
  ["fiat in a coin", { ...naira, currency: "USDC" }, "InvalidInput currency"],
  ["crypto in a fiat currency", coin("bank", evm, "NGN"), "InvalidInput currency"],
  ["a fiat account on a chain", of(naira, { network: "base" }), "InvalidInput details.network"],
  [
    "an account of zeros alone",
    of(naira, { account_number: "0000000000" }),
    "AccountResolutionFailed details.account_number"
  ],
  ["an account of five digits", of(naira, { account_number: "12345" }), "InvalidInput details.account_number"],
  ["an account with separators", of(naira, { account_number: "0123-456-789" }), "InvalidInput details.account_number"],
  ["an empty account number", of(naira, { account_number: "" }), "InvalidInput details.account_number"],
  ["payshap outside ZA", of(naira, { rail: "payshap" }), "InvalidInput details.rail"],
  ["payshap in another currency", { ...payshap("+27821234567"), currency: "USD" }, "InvalidInput details.rail"],
  ["payshap on a chain", of(payshap("+27821234567"), { network: "base" }), "InvalidInput details.rail"],
  ...["+2782123456", "+2348012345678", "0821234567", "@bank", "shop@", "shop@a@b", "my shop@bank", "shop"].map(
    (proxy) =>
      [`the payshap proxy ${JSON.stringify(proxy)}`, payshap(proxy), "InvalidInput details.account_number"] as const
  ),
  ["a proxy nobody registered", payshap("+27000000000"), "InvalidInput details.account_number"],
  ["a business nobody registered", payshap("unknown@bank"), "InvalidInput details.account_number"],
  ["a recipient's bank that does not answer", payshap("+27000000001"), "InvalidInput details.account_number"],
  ["payshap being unavailable", payshap("+27000000002"), "ExternalServiceUnavailable"],
  ["a network that is none", coin("tron", evm), "InvalidInput details.network"],
  ["a wrong checksum", coin("base", evm.replace("5aA", "5aa")), "InvalidInput details.address"],
  ["an EVM address on solana", coin("solana", evm), "InvalidInput details.address"],
  ["a Solana address on base", coin("base", solana), "InvalidInput details.address"],
  ["the zero address", coin("base", `0x${"0".repeat(40)}`), "InvalidInput details.address"],
  ["the system program", coin("solana", "1".repeat(32)), "InvalidInput details.address"],
  [
    "the contract of the token itself",
    coin("base", "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
    "InvalidInput details.address"
  ],
  [
    "the mint of another token",
    coin("solana", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "USDT"),
    "InvalidInput details.address"
  ]
]

covers("ERROR-6", "PAYSHAP-5")
describe("a creation is refused, and writes nothing, for", () => {
  for (const [what, input, text] of refused) {
    scenario(what, (strings: Strings) =>
      Effect.gen(function* () {
        assert.strictEqual(messageOf(yield* refusal(strings, create(input))), text)
      })
    )
  }

  for (const [name, account_number, message] of [
    ["FNB", "6200000000", "FNB account numbers have 11 digits and nothing else; this one has 10 digits"],
    ["Capitec", "12345678901", "Capitec account numbers have 10 digits and nothing else; this one has 11 digits"],
    [
      "Standard Bank",
      "1234567890",
      "Standard Bank account numbers have 9 or 11 digits and nothing else; this one has 10 digits"
    ],
    ["Absa", "1234567", "Absa account numbers have 8 to 11 digits and nothing else; this one has 7 digits"],
    [
      "Discovery Bank",
      "123456789012",
      "Discovery Bank account numbers have 8 to 11 digits and nothing else; this one has 12 digits"
    ]
  ] as const) {
    covers("ZAR-2", "ZAR-3", "ZAR-4")
    scenario(`${account_number} at ${name}, and says how many digits it takes`, (strings) =>
      Effect.gen(function* () {
        const error = yield* refusal(strings, create(rand(name, account_number)))
        assert.strictEqual(messageOf(error), "InvalidInput details.account_number")
        assert.include(error.message, message)
      })
    )
  }

  for (const [network, address, memo, found, taken] of [
    ["base", evm, "1", 'details.memo is "1"', "a transfer on base takes no memo"],
    ["ethereum", evm, "1", 'details.memo is "1"', "a transfer on ethereum takes no memo"],
    ["solana", solana, "😀".repeat(182), "details.memo has 728 bytes in UTF-8", "at most 724"],
    ["solana", solana, `${"é".repeat(254)}漢`, null, null],
    ["solana", solana, "😀".repeat(181), null, null]
  ] as const) {
    covers("BENEFICIARY-15")
    const takes = found === null ? "and not for a memo on" : "a memo that cannot be sent on"
    scenario(`${takes} ${network}: ${memo.slice(0, 2)}, ${memo.length} units`, (strings) =>
      Effect.gen(function* () {
        const input = { ...coin(network, address), details: { network, address, memo } }
        // A provider that does not say takes any.
        if (memo.length < 200) assert.strictEqual((yield* create(input)).status, "active")
        Object.assign(yield* Provider, {
          addresses: { hot_wallet: down(), owns: () => Effect.succeed(false), memoFault }
        })
        if (found === null) {
          assert.strictEqual(((yield* create(input)).details as { readonly memo: string }).memo, memo)
          return
        }
        const error = yield* refusal(strings, create(input))
        assert.strictEqual(messageOf(error), "InvalidInput details.memo")
        assert.include(error.message, found)
        assert.include(error.message, taken)
      })
    )
  }

  covers("BENEFICIARY-11")
  scenario("the contract of a token that a provider has configured, and says why", (strings) =>
    Effect.gen(function* () {
      const provider = yield* Provider
      const contract = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
      const unknown = { hot_wallet: down(), owns: () => Effect.succeed(false) }
      const isToken = (network: string, address: string) =>
        network === "base" && address.toLowerCase() === contract.toLowerCase()
      Object.assign(provider, { addresses: { ...unknown, isToken } })
      const error = yield* refusal(strings, create(coin("base", contract)))
      assert.strictEqual(messageOf(error), "InvalidInput details.address")
      assert.include(error.message, "the contract of a token itself. What is paid to it is lost")
      assert.strictEqual((yield* create(coin("ethereum", contract))).status, "active")
    })
  )

  covers("PAYSHAP-6")
  scenario(
    "payshap, where the service has switched it off",
    (strings) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* refusal(strings, create(payshap("+27821234567"))))._tag, "Forbidden")
        assert.deepStrictEqual(strings.asked, [])
      }),
    { payshap: false }
  )

  scenario(
    "payshap, where the provider has switched it off",
    (strings) =>
      Effect.gen(function* () {
        assert.strictEqual((yield* refusal(strings, create(payshap("+27821234567"))))._tag, "Forbidden")
      }),
    { provider_payshap: false }
  )

  for (const [question, input] of [
    ["banks", naira],
    ["resolveAccount", naira],
    ["resolveProxy", payshap("+27821234567")],
    ["screen", naira]
  ] as const) {
    scenario(`a provider that does not answer (${question})`, (strings: Strings) =>
      Effect.gen(function* () {
        strings.provider[question] = down
        assert.strictEqual((yield* refusal(strings, create(input)))._tag, "ExternalServiceUnavailable")
      })
    )
  }

  scenario("another merchant's customer", (strings) =>
    Effect.gen(function* () {
      const customers = yield* Customers
      const ada = { type: "individual", name: "Ada", email: "ada@example.com", country_code: "NG" } as const
      const { id: customer_id } = yield* customers.create(call({ merchant_id: OTHER }), ada)
      assert.strictEqual((yield* refusal(strings, create({ ...naira, customer_id })))._tag, "NotFound")
    })
  )
})

describe("the list of beneficiaries", () => {
  covers("BENEFICIARY-1")
  scenario("filters by customer, type, currency and status, and shows one's own alone", () =>
    Effect.gen(function* () {
      const beneficiaries = yield* Beneficiaries
      const customers = yield* Customers
      const ada = yield* customers.create(call(), {
        type: "individual",
        name: "Ada",
        email: "ada@example.com",
        country_code: "NG"
      })
      const fiat = (yield* create(naira)).id
      const usdc = (yield* create({ ...coin("base", evm), customer_id: ada.id })).id
      const usdt = (yield* create(coin("ethereum", deferred, "USDT"))).id
      const listed = Effect.fnUntraced(function* (query: unknown, merchant_id = MERCHANT) {
        const { items } = yield* beneficiaries.list(
          call({ merchant_id }),
          yield* decode(ListBeneficiaries, query, "query")
        )
        return items.map(({ id }) => id)
      })
      assert.deepStrictEqual(yield* listed({}), [usdt, usdc, fiat])
      assert.deepStrictEqual(yield* listed({ customer_id: ada.id }), [usdc])
      assert.deepStrictEqual(yield* listed({ type: "crypto" }), [usdt, usdc])
      assert.deepStrictEqual(yield* listed({ currency: "USDT" }), [usdt])
      assert.deepStrictEqual(yield* listed({ status: "active", customer_id: DEFAULT }), [fiat])
      assert.deepStrictEqual(yield* listed({ status: "pending" }), [usdt])
      assert.deepStrictEqual(yield* listed({ customer_id: "cust_nobody" }), [])
      assert.deepStrictEqual(yield* listed({}, OTHER), [])
      const error = yield* Effect.flip(beneficiaries.get(call({ merchant_id: OTHER }), fiat))
      assert.strictEqual(error._tag, "NotFound")
    })
  )
})
