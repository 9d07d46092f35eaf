/**
 * A walk through the API over sockets: requests that succeed, requests that are refused for every part of them, pages and
 * callbacks. Its transcript is the same for every way to serve the same engine, once ids and times are neutral.
 */
import { request } from "node:http"
import { sign } from "../../../src/engine/crypto/signing.ts"

export const operatorToken = "op_test_token_of_a_walk"
export const callbackSecret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`

/** What of a response a client can rely on. Others are of the connection or of the host. */
const kept = [
  "content-type",
  "x-request-id",
  "cache-control",
  "etag",
  "idempotent-replayed",
  "retry-after",
  "location",
  "content-security-policy",
  "x-content-type-options"
]

export interface Step {
  readonly request: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface Sent {
  readonly key?: string | null
  /** Pairs, so that a name can be repeated. */
  readonly headers?: ReadonlyArray<readonly [string, string]>
  readonly json?: unknown
  readonly raw?: string | Buffer
  /** Sends the body without its length. */
  readonly chunked?: boolean
}

interface Received {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** One request over a socket of its own, exactly as given. */
export const send = (base: string, method: string, path: string, sent: Sent = {}): Promise<Received> => {
  const { key, headers = [], json, raw, chunked = false } = sent
  const body = raw ?? (json === undefined ? undefined : JSON.stringify(json))
  const { hostname, pathname, port } = new URL(base)
  const given = [
    ["host", `${hostname}:${port}`],
    ...(key === undefined || key === null ? [] : [["authorization", `Bearer ${key}`]]),
    ...(json === undefined ? [] : [["content-type", "application/json"]]),
    ...(body === undefined || chunked ? [] : [["content-length", String(Buffer.byteLength(body))]]),
    ...headers
  ]
  return new Promise((resolve, reject) => {
    const asked = request(
      // Node takes a flat list too, in which a name may occur twice.
      {
        hostname,
        port,
        method,
        path: pathname.replace(/\/$/, "") + path,
        headers: given.flat() as never,
        agent: false
      },
      (response) => {
        const chunks: Array<Buffer> = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.on("end", () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers as Record<string, string>,
            text: Buffer.concat(chunks).toString()
          })
          asked.destroy()
        })
        response.on("error", reject)
      }
    )
    asked.on("error", reject)
    if (body !== undefined) asked.write(body)
    asked.end()
  })
}

const random =
  /(?<![\w-])(?:(?:[a-z]{2,6}_)?[0-9a-hjkmnp-tv-z]{26}|sk_test_[\w-]{4,43}|whsec_[\w+/=-]+|[\w-]{43}|[0-9a-f]{64})(?![\w-])/g
const time = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g
/** The digest in an ETag is of what has random ids. */
const digest = /^("[\d.]+)-[0-9a-f]{16}(")$/
/** Members that are derived from random ids. */
const derived = new Set([
  "address",
  "from_address",
  "account_number",
  "transaction_hash",
  "deposit_reference",
  "memo",
  "masked"
])

/** Replaces what differs between two runs. Equal values get equal names, in the order in which they occur. */
const neutral = () => {
  const names = new Map<string, string>()
  const text = (value: string): string =>
    value
      .replace(random, (id) => {
        const known = names.get(id) ?? `${/^[a-z]+(?=_[0-9a-z]{26}$)/.exec(id)?.[0] ?? "token"}#${names.size}`
        names.set(id, known)
        return known
      })
      .replace(time, "TIME")
      .replace(digest, "$1-DIGEST$2")
  const json = (value: unknown, name = ""): unknown => {
    if (typeof value === "string") return derived.has(name) ? `(${name})` : text(value)
    if (Array.isArray(value)) return value.map((one) => json(one, name))
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [text(key), json(one, key)]))
  }
  return { text, json }
}

/** Walks through the API at a base URL, which may have a path. */
export const walk = async (base: string): Promise<ReadonlyArray<Step>> => {
  const steps: Array<Step> = []
  const names = neutral()
  const ask = async (method: string, path: string, sent: Sent = {}): Promise<any> => {
    const { headers, status, text } = await send(base, method, path, sent)
    let body: unknown = text
    try {
      body = JSON.parse(text)
    } catch {}
    steps.push({
      request: names.text(`${method} ${path}`),
      status,
      headers: Object.fromEntries(
        kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, names.text(headers[name])]]))
      ),
      body: typeof body === "string" ? names.text(body) : names.json(body)
    })
    return (body as { readonly data?: unknown } | null)?.data ?? body
  }
  const operator = (method: string, path: string, json?: unknown) =>
    ask(method, path, { key: operatorToken, ...(json === undefined ? {} : { json }) })

  const { api_key, merchant } = await operator("POST", "/operator/v1/merchants", {
    name: "Lagos Trading",
    country_code: "NG",
    status: "active"
  })
  const key: string = api_key.secret
  const post = (path: string, json: unknown = {}, headers: Sent["headers"] = []) =>
    ask("POST", path, { key, json, headers })
  const get = (path: string, headers: Sent["headers"] = []) => ask("GET", path, { key, headers })

  // Who calls.
  await get("/v1/me")
  await ask("GET", "/v1/me")
  await ask("GET", "/v1/me", { headers: [["authorization", "Basic abc"]] })
  await ask("GET", "/v1/me", { key: `sk_test_${"x".repeat(43)}` })
  await ask("GET", "/v1/me", { key, headers: [["authorization", "Bearer another"]] })
  await ask("GET", "/v1/me", {
    headers: [
      ["authorization", "Bearer another"],
      ["authorization", `Bearer ${key}`]
    ]
  })
  await ask("GET", "/operator/v1/stuck", { key })
  await ask("GET", "/operator/v1/stuck")
  await get("/v1/me", [["x-request-id", "mine-1"]])
  await get("/v1/me", [["x-request-id", "not mine"]])

  // What there is.
  for (const method of ["HEAD", "PUT", "OPTIONS", "DELETE"]) await ask(method, "/v1/me", { key })
  for (const path of ["/", "/v1", "/v1/nothing", "/v1/me/", "/v1//me", "/V1/me", "/v1/wallets/a%20b"]) await get(path)
  await get(`/v1/wallets/${"w".repeat(2000)}`)
  await get("/v1/wallets?page=0")
  await get("/v1/wallets?page=1&page=2")
  await get("/v1/wallets?per_pages=2")
  for (const path of [
    "/health/live",
    "/health/ready",
    "/docs",
    "/docs/app.js",
    "/docs/errors/conflict",
    "/openapi.json"
  ])
    await ask("GET", path)

  // What a body is.
  const wallets = (sent: Sent) => ask("POST", "/v1/wallets", { key, ...sent })
  const type = ["content-type", "application/json"] as const
  await wallets({})
  await wallets({ raw: "", headers: [type] })
  await wallets({ raw: '{"currency":', headers: [type] })
  await wallets({ raw: Buffer.from([0x7b, 0xff, 0x7d]), headers: [type] })
  await wallets({ raw: "[]", headers: [type] })
  await wallets({ raw: '{"currency":"USDC"}', headers: [["content-type", "text/plain"]] })
  await wallets({ raw: '{"currency":"KES"}' })
  await wallets({ raw: '{"currency":"GHS"}', headers: [type, ["content-type", "text/plain"]] })
  await wallets({ raw: '{"currency":"ZAR"}', chunked: true, headers: [type, ["transfer-encoding", "chunked"]] })
  const large = `{"currency":"USDC","label":"${"x".repeat(1024 * 1024)}"}`
  await wallets({ raw: large, headers: [type] })
  await wallets({ raw: large, chunked: true, headers: [type, ["transfer-encoding", "chunked"]] })
  await post("/v1/wallets", { currency: "USDC", lable: "x" })
  await post("/v1/wallets", { currency: "USDC", lable: "x" }, [["prefer", "handling=strict"]])

  // Repeats.
  const once = (raw: string, ...more: Array<readonly [string, string]>) =>
    wallets({ raw, headers: [type, ["idempotency-key", "walk-wallet-1"], ...more] })
  const treasury = await once('{"currency":"USDC","label":"treasury"}')
  await once('{"currency":"USDC","label":"treasury"}')
  await once('{"label":"treasury","currency":"USDC"}')
  await once('{"currency":"USDC","label":"treasury"}', ["idempotency-key", "walk-wallet-2"])
  await wallets({ json: { currency: "USDC" }, headers: [["idempotency-key", "short"]] })
  const path = `/v1/wallets/${treasury.id}`
  await get(path)
  await ask("PATCH", path, { key, json: { label: "desk" }, headers: [["if-match", '"7"']] })
  await ask("PATCH", path, { key, json: { label: "desk" }, headers: [["if-match", '"1"']] })

  // Money.
  await post("/sandbox/deposits", { wallet_id: treasury.id, amount: "2000.00" })
  await post("/sandbox/settle")
  await get(path)
  const [bank] = await get("/v1/providers?country_code=NG&per_page=1")
  const details = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank.id }
  const ada = await post("/v1/beneficiaries", { type: "fiat", name: "Ada Obi", currency: "NGN", details })
  const quoted = { wallet_id: treasury.id, beneficiary_id: ada.id, target_amount: "15000.00" }
  const quote = await post("/v1/offramps/quotes", quoted)
  const offramp = await post("/v1/offramps", { quote_id: quote.id }, [["idempotency-key", "invoice-1042"]])
  await post("/v1/offramps", { quote_id: quote.id }, [["idempotency-key", "invoice-1042"]])
  await post("/v1/offramps", { quote_id: quote.id })
  const address = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
  const crypto = { type: "crypto", name: "Supplier", currency: "USDC", details: { network: "solana", address } }
  const supplier = await post("/v1/beneficiaries", crypto)
  await post("/v1/transfers", { wallet_id: treasury.id, beneficiary_id: supplier.id, amount: "5000.00" })
  await post("/sandbox/settle")
  await post("/sandbox/outcomes", { resource_id: offramp.id, outcome: "success" })
  await post("/sandbox/settle")
  await get(`/v1/offramps/${offramp.id}`)
  await get("/v1/offramps?status=success")
  await get("/v1/transactions?per_page=5")
  await operator("GET", "/operator/v1/ledger/trial-balance")

  // The provider reports, over the raw bytes of its body.
  const payin = { payin_id: "walk-payin", stage: "confirmed", target: "nowhere", amount: "5.00", currency: "NGN" }
  const about = { network: null, transaction_hash: null, from_address: null, sender: null, narration: null }
  const event = ` ${JSON.stringify({ _tag: "payin", event_id: "walk-1", ...payin, ...about, observed_at: 0 }, null, 3)}\r\n`
  const now = Math.floor(Date.now() / 1000)
  const signed = {
    "webhook-id": "msg_walk",
    "webhook-timestamp": String(now),
    "webhook-signature": sign([callbackSecret], "msg_walk", now, event)
  }
  const callback = (headers: Readonly<Record<string, string>>, raw = event, name = "simulated") =>
    ask("POST", `/providers/${name}/events`, { raw, headers: [type, ...Object.entries(headers)] })
  await callback({})
  await callback(signed, `${event} `)
  await callback(signed)
  await callback(signed, event, "nobody")

  // The hosted page.
  const bisi = await post("/v1/customers", {
    type: "individual",
    name: "Bisi Ade",
    email: "b@example.com",
    country_code: "NG"
  })
  const { hosted_url } = await post(`/v1/customers/${bisi.id}/verifications`)
  const link = /\/verify\/[\w-]+$/.exec(hosted_url)![0]
  await ask("GET", link)
  await ask("GET", "/verify/unknown")
  const form = "application/x-www-form-urlencoded"
  await ask("POST", link, { raw: "name=Bisi", headers: [["content-type", form]] })
  await get(`/v1/customers/${bisi.id}`)
  await get("/v1/notifications/events?per_page=50")
  await get(`/operator/v1/merchants/${merchant.id}`)
  return steps
}
