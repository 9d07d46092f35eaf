/** Nothing that was sent, and nothing secret that was returned, is in the log or in what is exported. */
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { HttpWebhookSink } from "../../../src/adapters/webhook/http.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { Rates } from "../../../src/engine/ports/Rates.ts"
import { decodeConfig } from "../../../src/http/config/decode.ts"
import { makeObservability } from "../../../src/http/observability/layer.ts"
import { redactText } from "../../../src/http/observability/log-line.ts"
import { operatorToken, type Options, startApi } from "../../support/http/server.ts"
import { type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { catalogue } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"
import { type OtlpReceiver, startOtlpReceiver } from "../../support/telemetry/otlp-receiver.ts"

/** Members whose texts must not leave the API: secrets, and what identifies a person or an account. */
const sensitive =
  /^(?:secret|signing_secret|token|key|api_key|password|account_number|account_name|iban|proxy|id_number|document_number|email|phone|date_of_birth|line1|line2|postal_code|hosted_url|redirect_url|url)$/
/** Objects whose `name` is that of a person or a company. */
const parties = /customers|beneficiaries|senders|merchants$|verifications/

const secrets = new Set<string>()
/** Collects the sensitive texts of a body, whatever is around them. */
const collect = (value: unknown, path: string): void => {
  if (Array.isArray(value)) for (const one of value) collect(one, path)
  else if (typeof value === "object" && value !== null)
    for (const [name, one] of Object.entries(value)) {
      if (typeof one !== "string") collect(one, path)
      else if ((sensitive.test(name) || (name === "name" && parties.test(path))) && one.length > 4) secrets.add(one)
    }
}

/** Everything that was written to the standard output. */
const lines: Array<string> = []

const configOf = (endpoint: string) => {
  const decoded = decodeConfig({
    CORRIDOR_LOG_LEVEL: "trace",
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20of-the-collector"
  })
  if ("faults" in decoded) throw new Error(decoded.faults.join("\n"))
  return decoded.config
}

/** A market that quotes what it should not in its error. */
const indiscreet =
  'account 0123456789 of ada@example.com, sk_test_aaaaaaaaaaaaaaaaaaaa, whsec_c2VjcmV0, "Ada Obi" +2348012345678'
const failingRates = Layer.succeed(
  Rates,
  Rates.of({
    rate: () => Effect.fail(new ProviderFault({ message: indiscreet })),
    perUsd: () => Effect.fail(new ProviderFault({ message: indiscreet }))
  })
)

const sink = HttpWebhookSink.layer({ environment: "test", user_agent: "Corridor/test" })
let otlp: OtlpReceiver
let output = ""
let expectedFailure = 0

const observe = (s: Stock): Stock => {
  const ask = async (path: string, options: Options = {}) => {
    collect(options.body, path)
    const answer = await s.api.ask(path, options)
    collect(answer.json, path)
    return answer
  }
  return { ...s, api: { ...s.api, ask } }
}

/** The requests of the catalogue, each again in ways that are refused. */
const refusedOf = (options: Options): ReadonlyArray<Options> => [
  { ...options, key: "sk_test_unknown-to-the-service-0123456789" },
  { ...options, key: null, headers: { authorization: "Basic YWRhOnBhc3N3b3JkLW9mLWFkYQ==" } },
  {
    ...options,
    body: { ...(options.body as object), name: 17, email: "not-an-email-of-ada", account_number: "12345678x" }
  },
  { ...options, body: undefined, raw: '{"account_number":"9876543210","email":"grace@example.org"' },
  { ...options, headers: { "idempotency-key": "Key of Grace Hopper 555-123-4567" } }
]

beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(String(line)))
  otlp = await startOtlpReceiver()
  const local = makeObservability(configOf(otlp.url))
  const open = await startStocked({ local, sink, dispatcher: true })
  const s = observe(open)
  for (const call of Object.values(catalogue)) {
    const { path, ...options } = await call(s)
    const { json } = await s.api.ask(path, options)
    const hosted: unknown = json?.data?.hosted_url
    if (typeof hosted === "string") {
      const page = new URL(hosted).pathname
      await s.api.ask(page)
      const raw = "name=Grace+Hopper&document_number=A0123456789&document_type=passport&csrf=wrong"
      await s.api.ask(page, { raw, headers: { "content-type": "application/x-www-form-urlencoded" } })
    }
    if (options.method !== undefined && options.method !== "GET")
      for (const refused of refusedOf(options)) await open.api.ask(path, refused).catch(() => {})
  }
  await s.api.ask("/v1/nothing/4111111111111111?token=opaque-text-of-a-query", { key: "sk_test_wrong-and-long-enough" })
  await s.api.ask("/providers/simulated/events", { raw: '{"account_number":"5550001112"}' })
  await s.settle()
  await open.api.close()

  const market = await startApi({}, undefined, { local, rates: failingRates })
  const wallet = await market.ask("/v1/wallets", { body: { currency: "USDC" } })
  const quote = { wallet_id: wallet.json.data.id, source_currency: "NGN", source_amount: "150000" }
  expectedFailure = (await market.ask("/v1/onramps/quotes", { body: quote })).status
  await market.close()
  output = [...lines, ...otlp.texts].join("\n")
})

afterAll(async () => {
  vi.restoreAllMocks()
  await otlp.close()
})

describe("the log and the export of a run of every operation", () => {
  covers("TELEMETRY-6")
  it("have none of the secrets, accounts, people and links that were sent and returned", () => {
    const fixed = [
      operatorToken,
      Buffer.alloc(32, 7).toString("base64"),
      "sk_test_unknown-to-the-service-0123456789",
      "YWRhOnBhc3N3b3JkLW9mLWFkYQ==",
      "not-an-email-of-ada",
      "12345678x",
      "9876543210",
      "grace@example.org",
      "Grace Hopper",
      "Grace+Hopper",
      "A0123456789",
      "555-123-4567",
      "4111111111111111",
      "opaque-text-of-a-query",
      "5550001112",
      "of-the-collector"
    ]
    const found = [...fixed, ...secrets].filter((secret) => output.includes(secret))
    expect(found).toEqual([])
    expect(output.match(/\b(?:sk_test|whsec|op)_[\w+/=-]+/g) ?? []).toEqual([])
    const kinds = [/^Ada Obi$/, /^sk_test_/, /^whsec_/, /^https?:.*\/verify\//, /^\d{10}$/, /@/]
    for (const kind of kinds)
      expect(
        [...secrets].filter((secret) => kind.test(secret)),
        String(kind)
      ).not.toEqual([])
  })

  it("say what happened nevertheless", () => {
    const records = lines.map((line) => JSON.parse(line) as { readonly message: string; readonly level: string })
    const messages = new Set(records.map(({ level, message }) => `${level}: ${message}`))
    expect([...messages]).toContain("info: request")
    expect([...messages]).toContain("info: state change")
    expect([...messages]).toContain("debug: request")
    expect([...messages].filter((text) => text.startsWith("warn: a delivery failed"))).not.toEqual([])
    expect([...messages].filter((text) => text.startsWith("warn: the rate source"))).not.toEqual([])
    expect(expectedFailure).toBe(500)
    expect(otlp.spans.length).toBeGreaterThan(500)
    expect(otlp.logs.length).toBe(lines.length)
  })
})

describe("the text of an error", () => {
  covers("TELEMETRY-6")
  it.each([
    [indiscreet, 'account … of …@…, sk_test_…, whsec_…, "…" …'],
    // One line for each member, and each form, of the patterns: each is needed.
    ["key sk_test_Abc-1/+= failed", "key sk_test_… failed"],
    ["key sk_live_Abc-1/+= failed", "key sk_live_… failed"],
    ["secret whsec_QUJD/+= failed", "secret whsec_… failed"],
    ["token op_AbC-dEf failed", "token op_… failed"],
    ["bearer abc.def failed", "bearer … failed"],
    ["Basic dXNlcjpwYXNz failed", "Basic … failed"],
    ["basic dXNlcjpwYXNz failed", "basic … failed"],
    ["of ada.obi+1@mail.example.com failed", "of …@… failed"],
    ["account 123456 failed", "account … failed"],
    ["phone +27821234567 failed", "phone … failed"],
    ["https://user@host.internal/x refused", "https://…@host.internal/x refused"],
    ["at 12345, in 3000 ms, of v1-123456", "at 12345, in 3000 ms, of v1-123456"],
    ["postgres://corridor:hunter2@db/corridor refused", "postgres://…@db/corridor refused"],
    ["GET /verify/Zm9vYmFy failed", "GET /verify/… failed"],
    ["Authorization: Bearer abc.def", "Authorization: Bearer …"],
    ["IBAN DE89370400440532013000", "IBAN …"],
    [
      'result: Expected string, got "Ada Obi" at ["account_name"]',
      'result: Expected string, got "…" at ["account_name"]'
    ],
    ['duplicate key violates constraint "job_pkey"', 'duplicate key violates constraint "job_pkey"'],
    [
      "txn_01m81sf2v9ts9kn54j52egm0my timed out after 30000 ms",
      "txn_01m81sf2v9ts9kn54j52egm0my timed out after 30000 ms"
    ]
  ])("%s is written as %s", (text, redacted) => {
    expect(redactText(text)).toBe(redacted)
  })
})
