import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Cipher } from "../../../src/engine/ports/Cipher.ts"
import {
  CreateCustomer,
  CustomerKind,
  Customers,
  idTypes,
  ListCustomers,
  maskIdNumber,
  UpdateCustomer
} from "../../../src/engine/resources/parties/customer.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import {
  call,
  DEFAULT,
  MERCHANT,
  OTHER,
  overtaken,
  refusal,
  messageOf,
  scenario,
  type Strings
} from "../../support/merchants/parties.ts"
import { covers } from "../../support/repository/covers.ts"

const ada = { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" } as const
const home = { line1: "1 Marina", city: "Lagos", country_code: "NG" }

const create = Effect.fnUntraced(function* (input: unknown, caller = call()) {
  const customers = yield* Customers
  return yield* customers.create(caller, yield* decode(CreateCustomer, input))
})

const update = Effect.fnUntraced(function* (id: string, input: unknown, caller = call()) {
  const customers = yield* Customers
  return yield* customers.update(caller, id, yield* decode(UpdateCustomer, input))
})

const stored = (id: string) =>
  Effect.flatMap(Storage, (storage) => storage.find("customer", id)).pipe(Effect.map((row) => JSON.stringify(row)))

describe("a customer", () => {
  covers("CUSTOMER-2", "CUSTOMER-1")
  scenario("starts unverified at tier_0, and is shown whole with its empty fields null", () =>
    Effect.gen(function* () {
      const made = yield* create({ ...ada, profile: { phone: "+2348012345678" } })
      assert.match(made.id, /^cust_[0-9a-z]{26}$/)
      const profile = {
        phone: "+2348012345678",
        address: null,
        date_of_birth: null,
        id_number: null,
        id_type: null,
        business_licence: null
      }
      const at = "2026-01-15T12:00:00.000Z"
      const own = {
        tier: "tier_0",
        kyc_status: "not_started",
        is_default: false,
        metadata: {},
        merchant_reference: null
      }
      assert.deepStrictEqual<unknown>(made, { id: made.id, ...ada, ...own, created_at: at, updated_at: at, profile })
      const customers = yield* Customers
      assert.deepStrictEqual(yield* customers.get(call(), made.id), { body: made, version: "1" })
    })
  )

  covers("CUSTOMER-5", "SERVICE-7")
  scenario("keeps its id number encrypted, and shows its last four characters alone", () =>
    Effect.gen(function* () {
      const id_number = "A1234567Z"
      const idempotency = { key: "same-key-1", fingerprint: "f" }
      const made = yield* create({ ...ada, profile: { id_number, id_type: "passport" } }, call({ idempotency }))
      assert.strictEqual(made.profile.id_number, "*****567Z")
      const storage = yield* Storage
      const kept = yield* storage.idempotencyRecord(MERCHANT, "idem/same-key-1", 0)
      const row = yield* (yield* UnitOfWork).load(CustomerKind, MERCHANT, made.id)
      assert.notInclude((yield* stored(made.id)) + JSON.stringify(kept), "A1234567")
      assert.strictEqual(yield* (yield* Cipher).open(row.data.profile?.id_number ?? ""), id_number)
    })
  )

  covers("FIELD-9")
  scenario("merges its profile and replaces its metadata on an update", () =>
    Effect.gen(function* () {
      const made = yield* create({
        ...ada,
        merchant_reference: "user-7",
        metadata: { a: "1", b: "2" },
        profile: {
          phone: "+2348012345678",
          address: { ...home, line2: "Flat 2" },
          id_number: "12345678",
          date_of_birth: "02/29/2000"
        }
      })
      yield* TestClock.adjust("1 hour")
      const changed = yield* update(made.id, {
        metadata: { c: "3" },
        merchant_reference: "user-8",
        profile: { phone: null, address: home, business_licence: "RC 1" }
      })
      const address = { ...home, line2: null, state: null, postal_code: null }
      assert.deepStrictEqual<unknown>(changed, {
        ...made,
        metadata: { c: "3" },
        merchant_reference: "user-8",
        updated_at: "2026-01-15T13:00:00.000Z",
        profile: { ...made.profile, address, business_licence: "RC 1" }
      })
    })
  )

  scenario("keeps its id number when the mask or null comes back, and replaces it with another", () =>
    Effect.gen(function* () {
      const { id, profile } = yield* create({ ...ada, profile: { id_number: "A1234567Z" } })
      const cipher = yield* Cipher
      const number = Effect.flatMap(UnitOfWork, (unitOfWork) => unitOfWork.load(CustomerKind, MERCHANT, id)).pipe(
        Effect.flatMap((row) => cipher.open(row.data.profile?.id_number ?? ""))
      )
      yield* update(id, { profile: { ...profile, phone: "+2348012345678" } })
      assert.strictEqual(yield* number, "A1234567Z")
      assert.strictEqual((yield* update(id, { profile: { id_number: "B7654321" } })).profile.id_number, "****4321")
      assert.strictEqual(yield* number, "B7654321")
      assert.strictEqual((yield* update(id, { profile: { id_number: null } })).profile.id_number, "****4321")
      assert.strictEqual(yield* number, "B7654321")
    })
  )

  covers("CUSTOMER-8")
  scenario("may be born on a date without leading zeros, which is kept with them", () =>
    Effect.gen(function* () {
      const made = yield* create({ ...ada, profile: { date_of_birth: "1/31/1990" } })
      assert.strictEqual(made.profile.date_of_birth, "01/31/1990")
      const { profile } = yield* update(made.id, { profile: { date_of_birth: "2/9/1990" } })
      assert.strictEqual(profile.date_of_birth, "02/09/1990")
      // It is the 15th.
      for (const date_of_birth of ["1/16/2026", "1/15/2026"]) {
        const error = yield* Effect.flip(create({ ...ada, profile: { date_of_birth } }))
        assert.strictEqual(messageOf(error), "InvalidInput profile.date_of_birth")
      }
      assert.strictEqual(
        (yield* create({ ...ada, profile: { date_of_birth: "1/14/2026" } })).profile.date_of_birth,
        "01/14/2026"
      )
    })
  )

  covers("CUSTOMER-7")
  for (const id_type of idTypes) {
    scenario(`may be known by a ${id_type}`, () =>
      Effect.gen(function* () {
        const { id, profile } = yield* create({ ...ada, profile: { id_type, id_number: "A1234567" } })
        assert.strictEqual(profile.id_type, id_type)
        assert.strictEqual((yield* update(id, { profile: { id_type } })).profile.id_type, id_type)
      })
    )
  }

  scenario("is found by its own merchant alone", (strings) =>
    Effect.gen(function* () {
      const { id } = yield* create(ada)
      const customers = yield* Customers
      const other = call({ merchant_id: OTHER })
      const unknown = "cust_01j9z3k4m5n6p7q8r9s0t1v2zz"
      for (const [caller, wanted] of [
        [other, id],
        [call(), unknown]
      ] as const) {
        assert.strictEqual((yield* refusal(strings, customers.get(caller, wanted)))._tag, "NotFound")
        assert.strictEqual((yield* refusal(strings, customers.update(caller, wanted, { name: "X" })))._tag, "NotFound")
      }
    })
  )

  scenario("is changed only at the version the caller has read", (strings) =>
    Effect.gen(function* () {
      const { id } = yield* create(ada)
      yield* update(id, { name: "Ada" }, call({ if_match: "1" }))
      assert.strictEqual(
        (yield* refusal(strings, update(id, { name: "Obi" }, call({ if_match: "1" }))))._tag,
        "Conflict"
      )
    })
  )

  scenario("loses no update to one that comes between", (strings) =>
    Effect.gen(function* () {
      const { id } = yield* create(ada)
      const mine = update(id, { profile: { phone: "+2348012345678" } })
      const { profile } = yield* overtaken(strings, mine, update(id, { profile: { business_licence: "RC 1" } }))
      assert.deepStrictEqual([profile.phone, profile.business_licence], ["+2348012345678", "RC 1"])
    })
  )
})

const refused: ReadonlyArray<readonly [what: string, change: object, message: string]> = [
  [
    "no name, no email, no country",
    { name: undefined, email: undefined, country_code: undefined },
    "BadRequest name email country_code"
  ],
  ["another type", { type: "company" }, "BadRequest type"],
  ["an email without a host", { email: "ada@" }, "BadRequest email"],
  ["a country that is none", { country_code: "ZZ" }, "InvalidInput country_code"],
  ["a prohibited country", { country_code: "IR" }, "ProhibitedCountry country_code"],
  [
    "a prohibited address",
    { profile: { address: { ...home, country_code: "KP" } } },
    "ProhibitedCountry profile.address.country_code"
  ],
  [
    "an address without a city",
    { profile: { address: { line1: "1 Marina", country_code: "NG" } } },
    "BadRequest profile.address.city"
  ],
  ["a phone of another form", { profile: { phone: "08012345678" } }, "BadRequest profile.phone"],
  [
    "a day that is none, without zeros",
    { profile: { date_of_birth: "2/30/2000" } },
    "BadRequest profile.date_of_birth"
  ],
  ["a day of three digits", { profile: { date_of_birth: "001/1/1990" } }, "BadRequest profile.date_of_birth"],
  ["a year of two digits", { profile: { date_of_birth: "1/1/90" } }, "BadRequest profile.date_of_birth"],
  ["no day", { profile: { date_of_birth: "1//1990" } }, "BadRequest profile.date_of_birth"],
  ["a day that is none", { profile: { date_of_birth: "02/29/2001" } }, "BadRequest profile.date_of_birth"],
  ["day before month", { profile: { date_of_birth: "31/01/1990" } }, "BadRequest profile.date_of_birth"],
  ["an ISO date", { profile: { date_of_birth: "1990-01-31" } }, "BadRequest profile.date_of_birth"],
  ["a birth tomorrow", { profile: { date_of_birth: "01/16/2026" } }, "InvalidInput profile.date_of_birth"],
  ["an id type that is none", { profile: { id_type: "library_card" } }, "BadRequest profile.id_type"],
  ["an id number that is a number", { profile: { id_number: 12345678 } }, "BadRequest profile.id_number"],
  ["metadata of numbers", { metadata: { a: 1 } }, "BadRequest metadata.a"]
]

describe("a customer is refused for", () => {
  for (const [what, change, message] of refused) {
    scenario(what, (strings: Strings) =>
      Effect.gen(function* () {
        assert.strictEqual(messageOf(yield* refusal(strings, create({ ...ada, ...change }))), message)
      })
    )
  }

  for (const [what, change, message] of refused.filter(([, change]) => "profile" in change)) {
    scenario(`${what}, on an update too`, (strings: Strings) =>
      Effect.gen(function* () {
        const { id } = yield* create(ada)
        assert.strictEqual(messageOf(yield* refusal(strings, update(id, change))), message)
      })
    )
  }

  scenario("a number nobody gets to see: no refusal repeats it", (strings) =>
    Effect.gen(function* () {
      const error = yield* refusal(strings, create({ ...ada, profile: { id_number: "S3CR3T".repeat(20) } }))
      assert.notInclude(JSON.stringify(error), "S3CR3T")
    })
  )
})

describe("the list of customers", () => {
  const listed = Effect.fnUntraced(function* (query: unknown, merchant_id = MERCHANT) {
    const customers = yield* Customers
    const { items } = yield* customers.list(call({ merchant_id }), yield* decode(ListCustomers, query, "query"))
    return items.map(({ name }) => name)
  })

  covers("CUSTOMER-4", "MERCHANT-3")
  scenario("has the default customer in it, and filters by type and kyc_status", () =>
    Effect.gen(function* () {
      yield* create(ada)
      yield* create({ ...ada, type: "business", name: "Obi Ltd" })
      assert.deepStrictEqual(yield* listed({}), ["Obi Ltd", "Ada Obi", "Lagos Trading"])
      assert.deepStrictEqual(yield* listed({ type: "business" }), ["Obi Ltd", "Lagos Trading"])
      assert.deepStrictEqual(yield* listed({ kyc_status: "approved" }), ["Lagos Trading"])
      assert.deepStrictEqual(yield* listed({ kyc_status: "not_started", type: "individual" }), ["Ada Obi"])
      assert.deepStrictEqual(yield* listed({}, OTHER), ["Lagos Trading"])
      assert.strictEqual(messageOf(yield* Effect.flip(listed({ kyc_status: "done" }))), "InvalidInput kyc_status")
    })
  )

  scenario("shows the default customer as the merchant's own, verified business", () =>
    Effect.gen(function* () {
      const customers = yield* Customers
      const { body } = yield* customers.get(call(), DEFAULT)
      const { country_code, is_default, kyc_status, tier, type } = body
      assert.deepStrictEqual<unknown>(
        { country_code, is_default, kyc_status, tier, type },
        {
          country_code: "NG",
          is_default: true,
          kyc_status: "approved",
          tier: "tier_2",
          type: "business"
        }
      )
    })
  )
})

describe("a mask", () => {
  covers("CUSTOMER-5")
  scenario("shows four characters of more than four, and none of fewer", () =>
    Effect.sync(() => {
      const masks = ["", "1", "1234", "12345", "A1234567Z", "ab😀cd😀"].map(maskIdNumber)
      assert.deepStrictEqual(masks, ["", "*", "****", "*2345", "*****567Z", "**😀cd😀"])
    })
  )
})
