/** A refusal, asked for over a socket: its status, code and offending fields, and that it wrote nothing. */
import { expect, it } from "vitest"
import type { Answer } from "./server.ts"
import type { Request } from "./successful-requests.ts"
import type { Stock } from "./stocked-server.ts"

/** What a refusal says: its status, its code and, where they are given, its fields as `name code`. */
export interface ExpectedRefusal {
  readonly status: number
  readonly code: string
  readonly fields?: ReadonlyArray<string>
}

const statuses: Readonly<Record<string, number>> = {
  bad_request: 400,
  invalid_input: 400,
  invalid_amount_precision: 400,
  prohibited_country: 400,
  account_resolution_failed: 400,
  authentication_failed: 401,
  forbidden: 403,
  forbidden_key_role: 403,
  resource_access_required: 403,
  not_found: 404,
  invalid_status: 409,
  conflict: 409,
  duplicate_resource: 409,
  api_key_limit_exceeded: 409,
  access_already_granted: 409,
  ledger_insufficient_funds: 422,
  external_service_unavailable: 500
}

/** A refusal by its code, which has one status (ERROR-1 to ERROR-23). */
export const says = (code: string, ...fields: ReadonlyArray<string>): ExpectedRefusal => ({
  status: statuses[code]!,
  code,
  ...(fields.length === 0 ? {} : { fields })
})

export const fieldsOf = (answer: Answer): ReadonlyArray<string> =>
  (answer.json.meta.errors ?? []).map((one: any) => `${one.field} ${one.code}`)

/** Refusals that a repeat is not answered with from the store (IDEM-7, IDEM-9). */
const unkept = new Set(["authentication_failed", "merchant_inactive", "forbidden_key_role", "rate_limited"])

let count = 0

/** What a body over 1 MiB would be told from another by is never read, so that refusal is made anew each time. */
const isKept = ({ status, code, fields }: ExpectedRefusal, { key, headers, method, path }: Request): boolean =>
  method === "POST" &&
  fields?.[0] !== "body too_long" &&
  path.startsWith("/v1/") &&
  key === undefined &&
  headers?.["idempotency-key"] === undefined &&
  status < 500 &&
  !unkept.has(code)

/**
 * Asks, and holds the answer to what it should say, the envelope of errors, and an unchanged store. A refused POST of
 * the merchant's is asked for again under an Idempotency-Key, twice: the second answer is the first, byte for byte.
 */
export const expectRefusal = async (
  s: Stock,
  { path, ...options }: Request,
  output: ExpectedRefusal
): Promise<Answer> => {
  const before = s.effects.length
  const answer = await s.api.ask(path, options)
  const { status, code, fields } = output
  const received = {
    status: answer.status,
    code: answer.json?.code,
    ...(fields === undefined ? {} : { fields: fieldsOf(answer) })
  }
  expect(received, answer.text).toEqual({ status, code, ...(fields === undefined ? {} : { fields }) })
  expect(answer.json).toMatchObject({ status: false, data: null, message: expect.stringMatching(/\S/) })
  expect(answer.json.meta.next_steps.docs_url).toBe(`http://corridor.test/docs/errors/${code}`)
  if (isKept(output, { path, ...options })) {
    const headers = { ...options.headers, "idempotency-key": `refused-${process.pid}-${count++}` }
    const first = await s.api.ask(path, { ...options, headers })
    const again = await s.api.ask(path, { ...options, headers })
    expect([first.status, first.json.code, first.headers.get("idempotent-replayed")]).toEqual([status, code, null])
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([status, first.text, "true"])
  }
  expect(s.effects.slice(before)).toEqual([])
  return answer
}

export const bad = (...fields: ReadonlyArray<string>): ExpectedRefusal => says("bad_request", ...fields)
export const odd = (...fields: ReadonlyArray<string>): ExpectedRefusal => says("invalid_input", ...fields)

/** A name, what is changed of a body that would be taken, and what that is refused with. */
export type Row = readonly [string, object | ((s: Stock) => object), ExpectedRefusal]

/** Tests of rows, whose requests are made of their changes. */
export const rowsOf =
  (stock: () => Stock) =>
  (table: ReadonlyArray<Row>, request: (s: Stock, change: object) => Request): void => {
    it.each(table)("%s", async (_, change, output) => {
      const s = stock()
      await expectRefusal(s, request(s, typeof change === "function" ? change(s) : change), output)
    })
  }

/** What every text of at most `max` characters refuses. */
export const texts = (name: string, max: number, nullable = false): ReadonlyArray<Row> => {
  const at = (value: unknown): object =>
    name.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as object
  return [
    [`${name} of ${max + 1} characters`, at("x".repeat(max + 1)), bad(`${name} too_long`)],
    [`${name} that is empty`, at(""), bad(`${name} invalid_value`)],
    [`${name} that is blank`, at(" \t"), bad(`${name} invalid_value`)],
    [`${name} with a NUL`, at("a\u0000b"), bad(`${name} invalid_value`)],
    [`${name} with half a character`, at("a\ud800"), bad(`${name} invalid_value`)],
    [`${name} that is a number`, at(7), bad(`${name} invalid_type`)],
    [`${name} that is a list`, at(["x"]), bad(`${name} invalid_type`)],
    ...(nullable ? [] : [[`${name} that is null`, at(null), bad(`${name} invalid_type`)] as const])
  ]
}
