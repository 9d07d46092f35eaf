/**
 * The fields of inputs, shared by all resources. The accepted values of each are described where it is exported.
 * Annotations, which `validation.ts` reads, hold a fault's `code` and whether the fault is semantic.
 */
import { DateTime, Effect, Option, Schema, SchemaGetter, SchemaIssue } from "effect"
import { isCountryCode } from "../reference/countries.ts"
import { isStorable } from "../ports/provider-fields.ts"
import type { AlsoNamed, Clears, FaultAnnotations } from "./validation.ts"

const makeTextFilter = (test: (text: string) => boolean, about: FaultAnnotations) =>
  Schema.makeFilter<string>(test, about)

const storable = makeTextFilter(isStorable, {
  expected: "a text without NUL or unpaired surrogates",
  code: "invalid_value"
})

const makeExpectedText = (expected: string): Schema.String => Schema.String.annotate({ expected })

/** A member that a request may also send under other names: those by which the resource shows it (FIELD-8). */
export const withAliases = <S extends Schema.Top>(schema: S, ...names: ReadonlyArray<string>): S["Rebuild"] =>
  schema.annotateKey({ alsoNamed: names } satisfies AlsoNamed)

/**
 * A member with its own words, which take precedence over those of its schema: a description, and examples. The OpenAPI
 * document, the documentation pages and the types of the embedded calls show them.
 */
export const describe = <S extends Schema.Top>(
  schema: S,
  description: string,
  ...examples: ReadonlyArray<S["Encoded"]>
): S["Rebuild"] => schema.annotateKey({ description, ...(examples.length === 0 ? {} : { examples }) })

/** A member that may be absent, with its own words, if it has any. */
export const Optional = <S extends Schema.Top>(
  schema: S,
  description?: string,
  ...examples: ReadonlyArray<S["Encoded"]>
): Schema.optionalKey<S["Rebuild"]> =>
  Schema.optionalKey(description === undefined ? schema : describe(schema, description, ...examples))

/** A member of a change that may be absent, which leaves it, and that null clears. */
export const Clearable = <S extends Schema.Top>(
  schema: S,
  description: string,
  ...examples: ReadonlyArray<S["Encoded"]>
) => Optional(Schema.NullOr(schema).annotateKey({ clears: true } satisfies Clears), description, ...examples)

/** The check that a text has at most `max` characters. A character is a code point, as in the `maxLength` of JSON Schema. */
const atMost = (max: number, about: Partial<FaultAnnotations> = {}) =>
  Schema.isMaxCodePoints(max, { expected: `at most ${max} characters`, code: "too_long", ...about })

/** A text of 1 to `max` characters. A blank one is `invalid_value`. */
export const Text = (max: number) =>
  makeExpectedText(`a string of 1 to ${max} characters`).check(
    atMost(max),
    makeTextFilter((value) => value.trim() !== "", { expected: "a text that is not blank", code: "invalid_value" }),
    storable
  )

/** A text of 0 to `max` characters. */
export const TextOrEmpty = (max: number) =>
  makeExpectedText(`a string of at most ${max} characters`).check(atMost(max), storable)

/** What a person searches for: 2 to 256 characters. Spaces at either end do not count. */
export const SearchText = makeExpectedText("a text of 2 to 256 characters")
  .annotate({ examples: ["INV-1042", "ada@example.com", "100 USDC"] })
  .check(
    atMost(256),
    makeTextFilter((value) => [...value.trim()].length > 1, {
      expected: "at least 2 characters",
      code: "invalid_value",
      toJsonSchema: () => ({ minLength: 2 })
    }),
    storable
  )

/** A text that messages never quote: an id number, a document number. */
export const Secret = (max: number) =>
  makeExpectedText(`a string of 1 to ${max} characters`).check(
    atMost(max, { secret: true }),
    makeTextFilter((value) => value.trim() !== "" && isStorable(value), {
      expected: "a text that is not blank",
      code: "invalid_value",
      secret: true
    })
  )

/**
 * The id of a resource. Only its prefix is validated, so an unknown id with the right prefix is `not_found` (FIELD-6).
 * Any other form is a semantic fault: `InvalidInput`, in a body too (ERROR-3).
 */
export const Id = (prefix: string) =>
  makeExpectedText(`an id that begins with ${prefix}_`)
    .annotate({
      description: `An id: \`${prefix}_\` and 26 characters.`,
      examples: [`${prefix}_01j9z3k4m5n6p7q8r9s0t1v2w3`]
    })
    .check(
      makeTextFilter((value) => hasPrefix(prefix, value), {
        expected: `an id that begins with ${prefix}_`,
        code: "invalid_format",
        semantic: true,
        toJsonSchema: () => ({ pattern: `^${prefix}_` })
      })
    )

/** Whether an id has the form of its type. */
export const hasPrefix = (prefix: string, id: string): boolean =>
  id.length > prefix.length + 1 && id.startsWith(`${prefix}_`) && isStorable(id)

const makePatternSchema = (source: RegExp, about: FaultAnnotations) =>
  Schema.isPattern(source, {
    ...about,
    code: about.code ?? "invalid_format",
    toJsonSchema: () => ({ pattern: source.source })
  })

/** A positive decimal string (AMOUNT-2). A JSON number is `invalid_type`; zero is a semantic fault. */
export const Amount = makeExpectedText('a decimal string such as "10.00"')
  .annotate({ description: "A positive amount as a decimal string.", examples: ["10.00"] })
  .check(
    makePatternSchema(/^\d{1,18}(\.\d{1,18})?$/, {
      expected: 'a decimal string of up to 18 digits and up to 18 decimals, such as "10.00"'
    }),
    makeTextFilter((value) => /[1-9]/.test(value), {
      expected: "an amount above zero",
      code: "invalid_value",
      semantic: true
    })
  )

/** A decimal string that is zero or more. */
export const AmountOrZero = makeExpectedText('a decimal string such as "0.50"')
  .annotate({ description: "An amount of zero or more, as a decimal string.", examples: ["0.50"] })
  .check(
    makePatternSchema(/^\d{1,18}(\.\d{1,18})?$/, {
      expected: 'a decimal string of up to 18 digits and up to 18 decimals, such as "0.50"'
    })
  )

/** One printable character at each end, and between them printable characters and spaces. */
const printable = /^[^\p{C}\p{Z}](?:(?:[^\p{C}\p{Z}]|\p{Zs})*[^\p{C}\p{Z}])?$/u

/** The most characters of a reference. */
export const referenceMax = 128

/** A merchant's own name for an operation (REFERENCE-2). */
export const ReferenceText = makeExpectedText("a string of 1 to 128 printable characters")
  .annotate({
    description:
      "Your own name for the movement, unique among all your onramps, offramps, conversions and transfers. Default: generated, `ref_…`.",
    examples: ["INV/2026/1042"]
  })
  .check(
    atMost(referenceMax),
    makeTextFilter((value) => printable.test(value), {
      expected: "1 to 128 printable characters, with no space at either end",
      code: "invalid_format",
      toJsonSchema: () => ({ minLength: 1, pattern: "^\\S(.*\\S)?$" })
    })
  )

const makeIssueAt = (key: string, code: string, expected: string) => ({
  path: [key],
  issue: new SchemaIssue.InvalidValue({ code, expected }, key, { reportInput: true })
})

/** A flat object of strings, kept and returned unchanged (FIELD-4): at most 50 keys of 1 to 64, values up to 500. */
export const Metadata = Schema.Record(Schema.String, makeExpectedText("a string").check(atMost(500), storable))
  .annotate({
    description:
      "Your own data: at most 50 keys of 1 to 64 characters, with values of up to 500 characters. Stored and returned unchanged, and not used otherwise.",
    expected: "a flat object of string keys to string values",
    examples: [{ order: "1042" }]
  })
  .check(
    Schema.makeFilter(
      (metadata: { readonly [key: string]: string }) => {
        const keys = Object.keys(metadata)
        if (keys.length > 50) return false
        return keys.flatMap((key) => {
          if ([...key].length > 64) return [makeIssueAt(key, "too_long", "a key of at most 64 characters")]
          return key === "" || !isStorable(key)
            ? [makeIssueAt(key, "invalid_value", "a key of 1 to 64 characters")]
            : []
        })
      },
      { expected: "at most 50 keys", code: "too_long", toJsonSchema: () => ({ maxProperties: 50 }) }
    )
  )

/** An assigned ISO 3166-1 alpha-2 code, upper case. Anything else is a semantic fault (ERROR-5). */
export const CountryCode = makeExpectedText("an ISO 3166-1 alpha-2 country code")
  .annotate({ description: "An ISO 3166-1 alpha-2 country code, upper case.", examples: ["NG"] })
  .check(
    makeTextFilter((value) => isCountryCode(value), {
      expected: "an ISO 3166-1 alpha-2 country code such as NG",
      code: "invalid_value",
      semantic: true,
      toJsonSchema: () => ({ pattern: "^[A-Z]{2}$" })
    })
  )

const isCalendarDate = (value: string): boolean => {
  if (!/^\d{4}-\d\d-\d\d$/.test(value)) return false
  const at = new Date(`${value}T00:00:00.000Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value)
}

/** A decimal string that may be below zero. */
export const SignedAmount = makeExpectedText('a decimal string such as "10.00" or "-10.00"')
  .annotate({ description: "An amount as a decimal string. It may be below zero.", examples: ["-10.00"] })
  .check(
    makePatternSchema(/^-?\d{1,18}(\.\d{1,18})?$/, {
      expected: 'a decimal string of up to 18 digits and up to 18 decimals, such as "10.00" or "-10.00"'
    })
  )

/** A day of the calendar, `YYYY-MM-DD`. */
export const CalendarDate = makeExpectedText("a date such as 2026-01-31")
  .annotate({ description: "A day of the calendar.", format: "date", examples: ["2026-01-31"] })
  .check(
    makeTextFilter(isCalendarDate, {
      expected: "a date of the calendar such as 2026-01-31",
      code: "invalid_format",
      toJsonSchema: () => ({ format: "date" })
    })
  )

/** The form of a currency code. The operation decides whether the currency exists (`not_found`). */
export const CurrencyCode = makeExpectedText("a currency code such as USDC")
  .annotate({ description: "A currency code, upper case.", examples: ["USDC"] })
  .check(makePatternSchema(/^[A-Z0-9]{2,12}$/, { expected: "an upper-case currency code such as USDC" }))

/** A currency that the caller repeats for safety. The operation compares it exactly, so any text has a valid form. */
export const CurrencyEcho = TextOrEmpty(64).annotate({ expected: "a currency code" })

export const Email = makeExpectedText("an email address")
  .annotate({ description: "An email address.", format: "email", examples: ["ada@example.com"] })
  .check(
    atMost(254),
    makePatternSchema(
      /^[^\s@"(),:;<>[\]\\\u0000-\u001f\u007f]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$/,
      { expected: "an email address such as ada@example.com" }
    ),
    storable
  )

export const Phone = makeExpectedText("a phone number in E.164 form")
  .annotate({ description: "A phone number in E.164 form.", examples: ["+2348012345678"] })
  .check(makePatternSchema(/^\+[1-9]\d{6,14}$/, { expected: "a phone number in E.164 form such as +2348012345678" }))

/**
 * Whether a text is a complete URL of one of these schemes: `scheme://host`. The URL parser of the web platform also
 * accepts `https:host`, `https:/host` and `https:\\host`, which other clients may read differently.
 */
const isUrl = (value: string, schemes: ReadonlyArray<string>): boolean => {
  if (!isStorable(value) || /[\s\\\p{Cc}]/u.test(value) || !/^[a-z]+:\/\/[^/?#]/i.test(value)) return false
  const url = URL.parse(value)
  return url !== null && schemes.includes(url.protocol) && url.hostname !== ""
}

/** Whether a value is a URL with credentials, which is never shown. */
export const hasCredentials = (value: unknown): boolean => {
  const { password = "", username = "" } = (typeof value === "string" ? URL.parse(value) : null) ?? {}
  return username !== "" || password !== ""
}

/** Whether a text is a URL to which a path may be appended: it has no query and no fragment, even empty ones. */
export const isBaseUrl = (value: string): boolean =>
  isUrl(value, ["http:", "https:"]) && !/[?#]/.test(value) && !hasCredentials(value)

/**
 * Parses the URL of a Postgres database as the driver reads it: several hosts, each with a port or without, before one path. Undefined for
 * another text, and for several URLs. `hosts` is without credentials.
 */
export const parsePostgresUrl = (value: string) => {
  const [, head, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(value) ?? []
  if (head === undefined || hosts === undefined || /,\s*postgres(?:ql)?:\/\//.test(value)) return undefined
  const [first, ...others] = hosts.split(",").map((host) => URL.parse(`${head}${host}${rest}`))
  if (!first || others.some((one) => one === null || one.host === "")) return undefined
  const { password, pathname, searchParams } = first
  return { hosts, password, pathname, searchParams }
}

const makeUrlSchema = (schemes: ReadonlyArray<string>, expected: string) =>
  makeExpectedText(expected)
    .annotate({ examples: ["https://example.com/return"], format: "uri" })
    .check(
      atMost(2048),
      makeTextFilter((value) => isUrl(value, schemes), { expected, code: "invalid_format" })
    )

export const HttpsUrl = makeUrlSchema(["https:"], "an https URL")
export const HttpUrl = makeUrlSchema(["https:", "http:"], "an http or https URL")

/** A time in a response: ISO 8601 in UTC with milliseconds. */
export const Timestamp = Schema.String.annotate({ format: "date-time", examples: ["2026-01-31T09:30:00.000Z"] })

/** Formats epoch milliseconds as a {@link Timestamp}. */
export const formatTimestamp = (ms: number): string => DateTime.formatIso(DateTime.makeUnsafe(ms))

/** A query parameter: a text that represents a value. Embedding callers may pass the value itself. */
const makeQueryText = <F, S extends Schema.Codec<any, any>>(
  from: Schema.Codec<F>,
  to: S,
  parse: (input: F) => S["Encoded"] | undefined,
  about: FaultAnnotations,
  print: (value: S["Encoded"]) => F
) =>
  from.annotate({ expected: about.expected }).pipe(
    Schema.decodeTo(to, {
      decode: SchemaGetter.transformEffect((input: F) => {
        const value = parse(input)
        return value === undefined
          ? Effect.fail(new SchemaIssue.InvalidValue(about, input, { reportInput: true }))
          : Effect.succeed(value)
      }),
      encode: SchemaGetter.transform(print)
    })
  )

const parseWholeNumber = (input: unknown): number | undefined => {
  if (typeof input === "number") return input
  return typeof input === "string" && /^\d{1,15}$/.test(input) ? Number(input) : undefined
}

/** A whole number in a query: digits, or a number when embedded. */
export const IntegerParam = (least: number, most: number) => {
  const expected = `a whole number from ${least} to ${most}`
  return makeQueryText(
    Schema.Union([Schema.String, Schema.Number]),
    Schema.Number.annotate({ param: { type: "integer", minimum: least, maximum: most } }),
    (input) => {
      const value = parseWholeNumber(input)
      return value !== undefined && Number.isInteger(value) && value >= least && value <= most ? value : undefined
    },
    { expected, code: "invalid_value" },
    (value): string | number => value
  )
}

/** `true` or `false` in a query. */
export const BooleanParam = makeQueryText(
  Schema.Union([Schema.String, Schema.Boolean]),
  Schema.Boolean.annotate({ param: { type: "boolean" } }),
  (input) => (input === true || input === "true" ? true : input === false || input === "false" ? false : undefined),
  { expected: "true or false", code: "invalid_value" },
  (value): string | boolean => value
)

const bpsExpected = "a number from 0 to 9999.99 with at most two decimals"

/** Hundredths of a percent, below the whole: a number or its text, with at most two decimals. `String` of it is exact. */
export const BasisPoints = Schema.Union([Schema.Finite, Schema.String])
  .annotate({ expected: bpsExpected })
  .check(
    Schema.makeFilter<number | string>((value) => /^\d{1,4}(\.\d{1,2})?$/.test(String(value)), {
      expected: bpsExpected,
      code: "invalid_value"
    } satisfies FaultAnnotations)
  )

const DAY_MS = 86_400_000
const instantPattern = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?Z)?$/

/**
 * Parses a `YYYY-MM-DD` date or an ISO 8601 instant that ends in `Z`. With `end`, a date means its last millisecond.
 * What an instant has beyond milliseconds is dropped. `undefined`: neither form, or no such day or hour.
 */
export const parseInstant = (input: string, end: boolean): number | undefined => {
  const match = instantPattern.exec(input)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second] = match
  const date = DateTime.make(`${year}-${month}-${day}T00:00:00.000Z`)
  if (Option.isNone(date) || DateTime.formatIsoDateUtc(date.value) !== `${year}-${month}-${day}`) return undefined
  const midnight = DateTime.toEpochMillis(date.value)
  if (hour === undefined) return end ? midnight + DAY_MS - 1 : midnight
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const fraction = /\.(\d+)Z$/.exec(input)?.[1] ?? ""
  return (
    midnight +
    Number(hour) * 3_600_000 +
    Number(minute) * 60_000 +
    Number(second) * 1000 +
    Number(fraction.padEnd(3, "0").slice(0, 3))
  )
}

/** Whether an instant is more precise than a millisecond. */
const isBetweenMilliseconds = (input: string): boolean => /\.\d{3}\d*[1-9]\d*Z$/.test(input)

/** Parses an instant, rounded up to a whole millisecond: an item of the millisecond before is not after it. */
const toFirstMillisecond = (input: string): number | undefined => {
  const at = parseInstant(input, false)
  return at === undefined || !isBetweenMilliseconds(input) ? at : at + 1
}

const makeInstantSchema = (parsed: (input: string) => number | undefined) =>
  makeQueryText(
    Schema.String,
    Schema.Number.annotate({ param: { type: "string", examples: ["2026-01-31", "2026-01-31T09:30:00Z"] } }),
    parsed,
    { expected: "a date (2026-01-31) or a UTC instant (2026-01-31T09:30:00Z)", code: "invalid_format" },
    formatTimestamp
  )

/** A date, which means its first millisecond, or an instant; decoded to epoch milliseconds. */
export const Instant = makeInstantSchema((input) => parseInstant(input, false))
/** From this date or instant, inclusive; decoded to epoch milliseconds (LIST-4). */
export const CreatedAfter = makeInstantSchema(toFirstMillisecond)
/** Up to this date's last millisecond or this instant, inclusive. */
export const CreatedBefore = makeInstantSchema((input) => parseInstant(input, true))

const PageNumber = IntegerParam(1, 1_000_000)
const PerPage = IntegerParam(1, 200)

/** The query parameters of every list. */
export const paging = {
  page: Optional(PageNumber, "The page, from 1. Default: 1.", 1),
  per_page: Optional(PerPage, "The number of items per page. Default: 50.", 50)
}

/** The query parameters of every list of created resources. */
export const listing = {
  ...paging,
  created_after: Optional(
    CreatedAfter,
    "Created at this time or later. A date means its first millisecond, UTC; an instant ends in `Z`."
  ),
  created_before: Optional(
    CreatedBefore,
    "Created at this time or earlier. A date means its last millisecond, UTC; an instant ends in `Z`."
  )
}

/** The note of an operator's action. */
export const note = Optional(
  Text(500),
  "Why the operator acts. The audit log and the history show it.",
  "Confirmed by phone"
)

/** The input of an operator's action without other fields. */
export const Noted = Schema.Struct({ note }).annotate({ identifier: "Noted", description: "An operator's note." })

export interface Paging {
  readonly page?: number
  readonly per_page?: number
}

/** Computes the slice of a list that a page covers. Default: page 1, 50 items per page. */
export const toSlice = ({ page = 1, per_page = 50 }: Paging) => ({
  page,
  per_page,
  offset: (page - 1) * per_page,
  limit: per_page
})
