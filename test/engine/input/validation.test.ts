import { Result, Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  Amount,
  BooleanParam,
  CountryCode,
  CreatedAfter,
  CreatedBefore,
  CurrencyCode,
  Email,
  HttpsUrl,
  HttpUrl,
  Id,
  listing,
  Metadata,
  Optional,
  Phone,
  ReferenceText,
  Secret,
  Text,
  TextOrEmpty,
  formatTimestamp
} from "../../../src/engine/input/schemas.ts"
import { makeDecoder, findFaults } from "../../../src/engine/input/validation.ts"
import { covers } from "../../support/repository/covers.ts"

const one = (schema: Schema.ConstraintDecoder<unknown>, value: unknown) => {
  const all = findFaults(Schema.Struct({ f: schema as Schema.Codec<unknown> }), { f: value })
  return all.length === 0 ? "ok" : all.map((f) => `${f.field} ${f.code}`).join(", ")
}

const long = (n: number): string => "a".repeat(n)

covers("AMOUNT-1", "FIELD-6", "AMOUNT-2", "FIELD-11", "REFERENCE-1")
describe("fields", () => {
  const table: ReadonlyArray<readonly [string, Schema.ConstraintDecoder<unknown>, unknown, string]> = [
    ["takes an id of its prefix", Id("wal"), "wal_x", "ok"],
    ["refuses an id of another prefix", Id("wal"), "ben_x", "f invalid_format"],
    ["refuses a prefix alone", Id("wal"), "wal_", "f invalid_format"],
    ["refuses an id with a NUL", Id("wal"), "wal_\u0000", "f invalid_format"],
    ["refuses an id that is a number", Id("wal"), 7, "f invalid_type"],
    ["takes an amount with decimals", Amount, "10.50", "ok"],
    ["takes a whole amount", Amount, "7", "ok"],
    ["refuses an amount that is a number", Amount, 10, "f invalid_type"],
    ["refuses an exponent", Amount, "1e3", "f invalid_format"],
    ["refuses a negative amount", Amount, "-1", "f invalid_format"],
    ["refuses a bare decimal", Amount, ".5", "f invalid_format"],
    ["refuses an amount that ends with a newline", Amount, "1\n", "f invalid_format"],
    ["refuses 19 digits", Amount, "1".repeat(19), "f invalid_format"],
    ["refuses zero", Amount, "0.00", "f invalid_value"],
    ["takes a reference", ReferenceText, "a-Z_9.:", "ok"],
    ["takes a reference of any script, with signs and spaces", ReferenceText, "№ INV/2026 é💸", "ok"],
    ["takes a reference of 128 characters of two units", ReferenceText, "𐍈".repeat(128), "ok"],
    ["refuses a space before a reference", ReferenceText, " a", "f invalid_format"],
    ["refuses a space after it", ReferenceText, "a ", "f invalid_format"],
    ["refuses a control character in it", ReferenceText, "a\tb", "f invalid_format"],
    ["refuses what nobody sees in it", ReferenceText, "a\u200bb", "f invalid_format"],
    ["refuses an empty reference", ReferenceText, "", "f invalid_format"],
    ["refuses a reference of 129", ReferenceText, long(129), "f too_long"],
    ["takes metadata", Metadata, { a: "", ["__proto__"]: "x" }, "ok"],
    ["refuses metadata that is an array", Metadata, [], "f invalid_type"],
    ["refuses metadata that is null", Metadata, null, "f invalid_type"],
    ["refuses a number in metadata", Metadata, { a: 1 }, "f.a invalid_type"],
    ["refuses a nested object in metadata", Metadata, { a: {} }, "f.a invalid_type"],
    ["refuses a metadata value of 501", Metadata, { a: long(501) }, "f.a too_long"],
    ["takes metadata of characters of two units", Metadata, { ["𐍈".repeat(64)]: "𐍈".repeat(500) }, "ok"],
    ["refuses a metadata key of 65", Metadata, { [long(65)]: "" }, `f.${long(65)} too_long`],
    ["refuses an empty metadata key", Metadata, { "": "x" }, "f invalid_value"],
    [
      "refuses 51 keys",
      Metadata,
      Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, ""])),
      "f too_long"
    ],
    ["refuses a NUL in metadata", Metadata, { a: "\u0000" }, "f.a invalid_value"],
    ["takes a country", CountryCode, "NG", "ok"],
    ["refuses a country in lower case", CountryCode, "ng", "f invalid_value"],
    ["refuses a country that is not assigned", CountryCode, "ZZ", "f invalid_value"],
    ["takes a currency nobody knows", CurrencyCode, "XXX", "ok"],
    ["refuses a currency in lower case", CurrencyCode, "usdc", "f invalid_format"],
    ["takes an email", Email, "a.b+c@ex-ample.co.uk", "ok"],
    ["refuses an email without a domain", Email, "a@b", "f invalid_format"],
    ["refuses an email with a space", Email, "a b@c.de", "f invalid_format"],
    ["takes a phone", Phone, "+2348012345678", "ok"],
    ["refuses a local phone", Phone, "08012345678", "f invalid_format"],
    ["takes an https URL", HttpsUrl, "https://a.b/c?d=e", "ok"],
    ["takes a URL of 2048 characters of any script", HttpsUrl, `https://a.b/${"𐍈".repeat(2036)}`, "ok"],
    ["refuses an http URL", HttpsUrl, "http://a.b", "f invalid_format"],
    ["refuses an https URL without slashes", HttpsUrl, "https:evil.com", "f invalid_format"],
    ["refuses an https URL of one slash", HttpsUrl, "https:/evil.com", "f invalid_format"],
    ["refuses an https URL of three", HttpsUrl, "https:///evil.com", "f invalid_format"],
    ["refuses backslashes", HttpsUrl, "https:\\\\evil.com", "f invalid_format"],
    ["refuses a backslash that hides the host", HttpsUrl, "https://a.b\\@evil.com", "f invalid_format"],
    ["refuses a control character in front", HttpsUrl, "\u0001https://a.b", "f invalid_format"],
    ["takes the scheme in capitals", HttpsUrl, "HTTPS://a.b", "ok"],
    ["refuses an http URL without slashes", HttpUrl, "http:a.b", "f invalid_format"],
    ["refuses javascript", HttpsUrl, "javascript:alert(1)", "f invalid_format"],
    ["refuses a blank text", Text(3), "  ", "f invalid_value"],
    ["refuses a text over its length", Text(3), "abcd", "f too_long"],
    ["takes a text of characters of two units", Text(3), "𐍈𐍈𐍈", "ok"],
    ["refuses one such character more", Text(3), "𐍈𐍈𐍈𐍈", "f too_long"],
    ["takes a text that may be empty of characters of two units", TextOrEmpty(3), "𐍈𐍈𐍈", "ok"],
    ["takes a secret of characters of two units", Secret(3), "𐍈𐍈𐍈", "ok"],
    ["refuses half a surrogate pair", Text(3), "\ud800", "f invalid_value"],
    ["refuses a value that is not in the list", Schema.Literals(["x", "y"]), "z", "f invalid_value"],
    ["refuses another type than the list's", Schema.Literals(["x", "y"]), 1, "f invalid_type"],
    ["refuses a text for a boolean", Schema.Boolean, "true", "f invalid_type"],
    ["takes true in a query", BooleanParam, "true", "ok"],
    ["refuses 1 for a boolean in a query", BooleanParam, "1", "f invalid_value"]
  ]
  it.each(table)("%s", (_, schema, value, expected) => {
    expect(one(schema, value)).toBe(expected)
  })
})

describe("paging and dates", () => {
  const query = makeDecoder(Schema.Struct(listing), "query")
  const read = (input: unknown) => {
    const result = query(input)
    return Result.isSuccess(result) ? result.success : result.failure.errors.map((e) => e.field)
  }
  covers("LIST-1", "LIST-4")
  it.each([
    [{}, {}],
    [
      { page: "2", per_page: "200" },
      { page: 2, per_page: 200 }
    ],
    [{ page: 2 }, { page: 2 }],
    [{ page: "0" }, ["page"]],
    [{ page: "1000001" }, ["page"]],
    [{ page: "1.0" }, ["page"]],
    [{ page: "-1" }, ["page"]],
    [{ page: "" }, ["page"]],
    [{ page: ["1", "2"] }, ["page"]],
    [{ per_page: "201", page: "x" }, ["page", "per_page"]],
    [{ created_after: "2026-01-31" }, { created_after: 1_769_817_600_000 }],
    [{ created_before: "2026-01-31" }, { created_before: 1_769_817_600_000 + 86_400_000 - 1 }],
    [{ created_before: "2026-01-31T00:00:00.25Z" }, { created_before: 1_769_817_600_250 }],
    [{ created_after: "2026-01-31T00:00:00.250000001Z" }, { created_after: 1_769_817_600_251 }],
    [{ created_after: "2026-01-31T00:00:00.250000Z" }, { created_after: 1_769_817_600_250 }],
    [{ created_before: "2026-01-31T00:00:00.250999Z" }, { created_before: 1_769_817_600_250 }],
    [{ created_after: "2026-02-30" }, ["created_after"]],
    [{ created_after: "2026-01-31T24:00:00Z" }, ["created_after"]],
    [{ created_after: "2026-01-31T00:00:00+01:00" }, ["created_after"]],
    [{ created_after: "yesterday" }, ["created_after"]]
  ])("reads %j as %j", (input, expected) => {
    expect(read(input)).toEqual(expected)
  })

  covers("FIELD-2")
  it("writes a timestamp with milliseconds", () => {
    expect(formatTimestamp(1_769_817_600_250)).toBe("2026-01-31T00:00:00.250Z")
  })

  it("takes an instant at both ends as the instant itself", () => {
    expect(one(CreatedAfter, "2026-01-31T00:00:00Z")).toBe("ok")
    expect(one(CreatedBefore, "2026-01-31T00:00:00Z")).toBe("ok")
  })
})

covers("ENVELOPE-10", "HTTP-8")
describe("refusals", () => {
  const Body = Schema.Struct({
    wallet_id: Id("wal"),
    amount: Amount,
    label: Optional(Text(3)),
    address: Optional(Schema.Struct({ city: Text(5) })),
    list: Optional(Schema.Array(Schema.Literals(["p"])))
  })
  const refusal = (input: unknown, as?: "body" | "transfer" | "query") => {
    const result = makeDecoder(Body, as)(input)
    return Result.isFailure(result) ? result.failure : undefined
  }

  it("names every offending field by its dotted path", () => {
    const all = refusal({ label: "abcd", address: {}, list: ["p", "q"] })
    expect(all?._tag).toBe("BadRequest")
    expect(all?.errors.map((e) => `${e.field} ${e.code}`)).toEqual([
      "wallet_id required",
      "amount required",
      "label too_long",
      "address.city required",
      "list.1 invalid_value"
    ])
  })

  it("says what it found and what it takes", () => {
    const found = (list: unknown) =>
      findFaults(Schema.Struct({ f: Schema.String as Schema.Codec<unknown> }), { f: list })[0]?.message
    expect([[], [1], [1, 2]].map(found)).toEqual([
      "f is an empty array; it takes a string",
      "f is an array of 1 member; it takes a string",
      "f is an array of 2 members; it takes a string"
    ])
    expect(refusal({ wallet_id: "wal_1", amount: 10 })?.errors[0]?.message).toBe(
      'amount is the number 10; it takes a decimal string such as "10.00"'
    )
    expect(refusal({ wallet_id: "wal_1" })?.message).toBe(
      'amount is missing; it takes a decimal string such as "10.00"'
    )
  })

  it("is of meaning when only meaning is at fault", () => {
    expect(refusal({ wallet_id: "ben_1", amount: "0" })?._tag).toBe("InvalidInput")
  })

  it("is of form when form is at fault too", () => {
    expect(refusal({ wallet_id: "ben_1", amount: "x" })?._tag).toBe("BadRequest")
  })

  it("is of meaning always for a transfer and for a query", () => {
    expect(refusal({}, "transfer")?._tag).toBe("InvalidInput")
    expect(refusal({}, "query")?._tag).toBe("InvalidInput")
  })

  it("refuses what is not an object", () => {
    for (const input of [null, [], "x", 1])
      expect(refusal(input)?.errors).toMatchObject([{ field: "body", code: "invalid_type" }])
  })

  it("names a list or map that is far too wide, and none of its members, beside the other faults", () => {
    const wide = makeDecoder(
      Schema.Struct({ metadata: Optional(Metadata), tags: Schema.Array(Schema.String), label: Text(4) })
    )
    const metadata = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`k${i}`, 1]))
    const result = wide({ metadata, tags: Array.from({ length: 100_000 }, () => 1), label: 1 })
    const { errors } = (Result.isFailure(result) ? result.failure : {}) as {
      errors: Array<{ field: string; code: string }>
    }
    expect(errors.map((e) => `${e.field} ${e.code}`)).toEqual([
      "metadata too_long",
      "tags too_long",
      "label invalid_type"
    ])
    const fitting = wide({ metadata: { a: "b" }, tags: Array.from({ length: 200 }, () => "t"), label: "x" })
    expect(Result.isSuccess(fitting)).toBe(true)
  })

  it("is cut between characters, never within one", () => {
    const [found] = findFaults(Schema.Struct({ f: Text(3) }), { f: `${long(56)}𐍈${long(9)}` })
    expect(found!.message).toContain(`"${long(56)}𐍈..."`)
  })

  it("counts the characters of a secret, not their units", () => {
    const [found] = findFaults(Schema.Struct({ f: Secret(3) }), { f: "𐍈𐍈𐍈𐍈" })
    expect(found!.message).toBe("f is a text of 4 characters; it takes at most 3 characters")
  })

  it("never repeats a secret", () => {
    const result = makeDecoder(Schema.Struct({ id_number: Secret(4) }))({ id_number: "A1234567" })
    expect(JSON.stringify(result)).toContain("id_number")
    expect(JSON.stringify(result)).not.toContain("A1234567")
  })

  it("ignores members it does not know and members that are undefined", () => {
    const result = makeDecoder(Body)({ wallet_id: "wal_1", amount: "1", label: undefined, other: 1 })
    expect(Result.isSuccess(result) && result.success).toEqual({ wallet_id: "wal_1", amount: "1" })
  })
})
