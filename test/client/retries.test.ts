/** What the client repeats, when, and what it says of an outcome that it has not learned. */
import { describe, expect, it } from "vitest"
import {
  type ClientOptions,
  type Corridor,
  CorridorConnectionError,
  CorridorError,
  createClient,
  createOperatorClient,
  responseOf,
  versionOf,
  webhooks
} from "../../src/client/index.ts"
import {
  instant,
  refusal,
  reset,
  type Scripted,
  makeScriptedFetch,
  silent,
  success
} from "../support/http/scripted-fetch.ts"
import { covers } from "../support/repository/covers.ts"

const transfer = { wallet_id: "wal_1", beneficiary_id: "ben_1", amount: "25.00" }

const make = (answers: ReadonlyArray<Scripted>, options: Partial<ClientOptions> = {}, environment = instant()) => {
  const { fetch, asked } = makeScriptedFetch(...answers)
  const corridor = createClient({ baseUrl: "https://a.example/", apiKey: "sk_1", fetch, environment, ...options })
  return { corridor, asked, environment }
}

type Failed = CorridorError | CorridorConnectionError

const errorOf = async (call: PromiseLike<unknown>): Promise<Failed> => {
  const found: unknown = await Promise.resolve(call).then(
    () => undefined,
    (error: unknown) => error
  )
  if (found instanceof CorridorError || found instanceof CorridorConnectionError) return found
  throw new Error(`no error of a call: ${String(found)}`)
}

const create = (corridor: Corridor) => corridor.transfers.create(transfer)
const get = (corridor: Corridor) => corridor.transfers.get("tfr_1")
const update = (corridor: Corridor) => corridor.wallets.update("wal_1", { label: "new" })
const revoke = (corridor: Corridor) => corridor.apiKeys.revoke("key_1")
const unkeyed = (corridor: Corridor) => corridor.sandbox.settle()

const page: Scripted = { status: 502, text: "<html>Bad gateway</html>" }
const cut: Scripted = { status: 200, text: '{"status":true,"message":"OK","code":"ok","da' }

describe("a repeat", () => {
  covers("CLIENT-1")
  it("has the same idempotency key and the same bytes as the first attempt", async () => {
    const { corridor, asked } = make([reset, refusal(500, "internal_error"), page, success({ id: "tfr_1" })])
    expect(await create(corridor)).toEqual({ id: "tfr_1" })
    expect(asked).toHaveLength(4)
    expect(new Set(asked.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(asked[0]).toEqual({
      url: "https://a.example/v1/transfers",
      method: "POST",
      headers: {
        accept: "application/json",
        authorization: "Bearer sk_1",
        "content-type": "application/json",
        "idempotency-key": "key-of-call-1"
      },
      body: JSON.stringify(transfer)
    })
  })

  it("belongs to its call: another call has another key, and a given key is used", async () => {
    const { corridor, asked } = make([success({})])
    await create(corridor)
    await create(corridor)
    await corridor.transfers.create(transfer, { idempotencyKey: "invoice-1042" })
    expect(asked.map(({ headers }) => headers["idempotency-key"])).toEqual([
      "key-of-call-1",
      "key-of-call-2",
      "invoice-1042"
    ])
  })

  const all = { create, get, update, revoke, unkeyed }
  const after: ReadonlyArray<readonly [string, Scripted, ReadonlyArray<keyof typeof all>]> = [
    ["a lost connection", reset, ["create", "get"]],
    ["500 internal_error", refusal(500, "internal_error"), ["create", "get"]],
    ["500 external_service_unavailable", refusal(500, "external_service_unavailable"), ["create", "get"]],
    ["502 of a gateway", page, ["create", "get"]],
    ["503 of a gateway", { status: 503, text: "" }, ["create", "get"]],
    ["408 of a gateway", { status: 408, text: "" }, ["create", "get"]],
    ["a response that was cut", cut, ["create", "get"]],
    ["200 with something else", { status: 200, text: "{}" }, ["create", "get"]],
    [
      "a success without data",
      { ...success({}), text: '{"status":true,"message":"","code":"ok","meta":{"request_id":"r"}}' } as Scripted,
      ["create", "get"]
    ],
    ["429 rate_limited", refusal(429, "rate_limited"), ["create", "get", "update", "revoke"]],
    [
      "409 idempotency_in_progress",
      refusal(409, "idempotency_in_progress"),
      ["create", "get", "update", "revoke", "unkeyed"].slice(0, 2) as ["create", "get"]
    ],
    ["400 bad_request", refusal(400, "bad_request"), []],
    ["401 authentication_failed", refusal(401, "authentication_failed"), []],
    ["403 forbidden", refusal(403, "forbidden"), []],
    ["404 not_found", refusal(404, "not_found"), []],
    ["409 duplicate_resource", refusal(409, "duplicate_resource"), []],
    ["409 idempotency_conflict", refusal(409, "idempotency_conflict"), []],
    ["422 ledger_insufficient_funds", refusal(422, "ledger_insufficient_funds"), []],
    ["404 of a gateway", { status: 404, text: "<html>" }, []],
    ["302 of a gateway", { status: 302, text: "" }, []]
  ]
  covers("CLIENT-2")
  it.each(after)(
    "after %s is made for reads and keyed requests only, and for changes where nothing has happened",
    async (_, answer, repeated) => {
      for (const [name, call] of Object.entries(all)) {
        const { corridor, asked } = make([answer])
        await errorOf(call(corridor))
        expect([name, asked.length]).toEqual([name, repeated.includes(name as keyof typeof all) ? 4 : 1])
      }
    }
  )

  covers("CLIENT-2")
  it("waits with full jitter, twice as long each time up to 8 seconds, and at least as long as Retry-After says", async () => {
    const { corridor, environment } = make([reset], { maxRetries: 6 })
    await errorOf(get(corridor))
    expect(environment.waits).toEqual([250, 500, 1000, 2000, 4000, 4000])

    const limited = refusal(429, "rate_limited", {}, { "retry-after": "3" })
    const dated = refusal(
      429,
      "rate_limited",
      {},
      { "retry-after": new Date(Date.UTC(2026, 0, 31, 0, 0, 7)).toUTCString() }
    )
    const second = make([limited, dated, success({})])
    await get(second.corridor)
    expect(second.environment.waits).toEqual([3250, 7500])
  })

  it("is not made when Retry-After is over a minute: the error says when", async () => {
    const { corridor, asked } = make([refusal(429, "rate_limited", {}, { "retry-after": "61" })])
    expect(await errorOf(create(corridor))).toMatchObject({
      code: "rate_limited",
      retryAfterMs: 61_000,
      outcome: "none"
    })
    expect(asked).toHaveLength(1)
  })

  it.each([
    [{ maxRetries: 0 }, {}, 1],
    [{ maxRetries: 1 }, {}, 2],
    [{}, { maxRetries: 2 }, 3],
    [{ maxRetries: 9 }, { maxRetries: 0 }, 1]
  ])("is made as often as the client %j or the call %j says", async (ofClient, ofCall, times) => {
    const { corridor, asked } = make([reset], ofClient)
    await errorOf(corridor.transfers.get("tfr_1", ofCall))
    expect(asked).toHaveLength(times)
  })
})

describe("an outcome", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<Scripted>, keyof typeof calls, string]> = [
    ["a lost creation", [reset], "create", "unknown"],
    ["a creation that ends in a fault", [refusal(500, "internal_error")], "create", "unknown"],
    ["a creation that is still running", [refusal(409, "idempotency_in_progress")], "create", "unknown"],
    ["a creation that a gateway has answered", [page], "create", "unknown"],
    ["a lost creation, then a rate limit", [reset, refusal(429, "rate_limited")], "create", "unknown"],
    ["a lost creation, then a revoked key", [reset, refusal(401, "authentication_failed")], "create", "unknown"],
    ["a lost creation, then a lower role", [reset, refusal(403, "forbidden")], "create", "unknown"],
    [
      "a lost creation, then a refusal under its key",
      [reset, refusal(422, "ledger_insufficient_funds")],
      "create",
      "none"
    ],
    ["a lost creation, then an unknown id", [page, refusal(404, "not_found")], "create", "none"],
    ["a rate limit", [refusal(429, "rate_limited")], "create", "none"],
    ["a rate limit, then a lost creation", [refusal(429, "rate_limited"), reset], "create", "unknown"],
    ["an invalid creation", [refusal(400, "bad_request")], "create", "none"],
    ["a revoked key", [refusal(401, "authentication_failed")], "create", "none"],
    ["a lost read", [reset], "get", "none"],
    ["a read that ends in a fault", [refusal(500, "internal_error")], "get", "none"],
    ["a lost change", [reset], "update", "unknown"],
    ["a change that ends in a fault", [refusal(500, "internal_error")], "update", "unknown"],
    ["a change on an old version", [refusal(409, "conflict")], "update", "none"],
    ["a lost deletion", [reset], "revoke", "unknown"],
    ["a lost request without a key", [reset], "unkeyed", "unknown"]
  ]
  const calls = { create, get, update, revoke, unkeyed }
  covers("CLIENT-3")
  it.each(cases)("of %s is reported", async (_, answers, call, outcome) => {
    const { corridor } = make(answers)
    const error = await errorOf(calls[call](corridor))
    expect(error.outcome).toBe(outcome)
    expect(error.message.includes("outcome is unknown")).toBe(outcome === "unknown")
    if (call === "create" && outcome === "unknown") {
      expect(error.idempotencyKey).toBe("key-of-call-1")
      expect(error.message).toContain("repeat the call with the same idempotency key, key-of-call-1.")
    }
    if (call === "update" && outcome === "unknown") expect(error.message).toContain("read the resource before")
  })
})

describe("an attempt", () => {
  covers("CLIENT-2")
  it("ends after its timeout, even if fetch does not heed its signal", async () => {
    const { asked, corridor } = make([silent], { timeoutMs: 900 }, instant(900, true))
    expect(await errorOf(create(corridor))).toMatchObject({ reason: "timeout", attempts: 4, outcome: "unknown" })
    expect(asked).toHaveLength(4)
    const deaf = createClient({
      baseUrl: "https://a.example",
      apiKey: "sk_1",
      maxRetries: 0,
      fetch: () => new Promise(() => {}),
      environment: instant(30_000, true)
    })
    expect(await errorOf(deaf.me())).toMatchObject({ reason: "timeout", attempts: 1, outcome: "none" })
  })

  it("is not begun after the signal, which also ends a running one and a wait", async () => {
    const before = make([success({})])
    const options = { signal: AbortSignal.abort(new Error("closed")) }
    expect(await errorOf(before.corridor.transfers.create(transfer, options))).toMatchObject({
      reason: "aborted",
      attempts: 0,
      outcome: "none"
    })
    expect(before.asked).toEqual([])

    const controller = new AbortController()
    const during = make([silent])
    const call = errorOf(during.corridor.transfers.create(transfer, { signal: controller.signal }))
    controller.abort(new Error("closed"))
    const error = await call
    expect(error).toMatchObject({ reason: "aborted", attempts: 1, outcome: "unknown" })
    expect((error.cause as Error).message).toBe("closed")

    const waiting = new AbortController()
    const environment = {
      ...instant(),
      after: (ms: number) => (ms < 30_000 && queueMicrotask(() => waiting.abort()), () => {})
    }
    const { corridor, asked } = make([reset], {}, { ...environment, waits: [] })
    expect(await errorOf(corridor.transfers.create(transfer, { signal: waiting.signal }))).toMatchObject({
      reason: "aborted",
      outcome: "unknown"
    })
    expect(asked).toHaveLength(1)
  })
})

describe("an error", () => {
  it("has what the envelope has", async () => {
    const errors = [{ field: "amount", code: "required", message: "amount is missing" }]
    const warnings = [{ field: "amuont", message: "unknown; is it amount?" }]
    const { corridor } = make([refusal(400, "bad_request", { errors, warnings })])
    const error = await errorOf(create(corridor))
    expect(error).toBeInstanceOf(CorridorError)
    expect(error).toMatchObject({
      name: "CorridorError",
      message: "Refused.",
      code: "bad_request",
      status: 400,
      requestId: "req_1",
      errors,
      warnings,
      nextSteps: { action: "Wait.", docs_url: "https://docs.example/errors/bad_request" },
      retryAfterMs: undefined
    })
  })

  it("of something that is not the service says so", async () => {
    const { corridor } = make([{ status: 404, text: "<html>" }])
    expect(await errorOf(get(corridor))).toMatchObject({
      name: "CorridorConnectionError",
      reason: "invalid_response",
      status: 404,
      message:
        "GET /v1/transfers/tfr_1: invalid response (HTTP status 404 and no envelope of Corridor) after 1 attempt."
    })
  })
})

describe("a response", () => {
  it("is known by the object that was returned: request id, version, warnings, replay", async () => {
    const warnings = [{ field: "x", message: "unknown" }]
    const headers = { etag: '"7"', "idempotent-replayed": "true" }
    const { asked, corridor } = make([success({ id: "wal_1" }, { warnings }, headers), success({ id: "wal_1" })])
    const wallet = await corridor.wallets.get("wal_1")
    expect(responseOf(wallet)).toMatchObject({
      meta: { request_id: "req_1", version: "1" },
      requestId: "req_1",
      version: "7",
      isReplayed: true,
      warnings,
      idempotencyKey: undefined
    })
    await corridor.wallets.update("wal_1", {}, { ifMatch: versionOf(wallet), strict: true, requestId: "mine" })
    expect(asked[1]!.headers).toMatchObject({
      "if-match": '"7"',
      prefer: "handling=strict",
      "x-request-id": "mine"
    })
    expect(() => responseOf({ ...wallet })).toThrow(TypeError)
    expect(() => versionOf({ ...wallet })).toThrow(TypeError)
  })
})

describe("a mistake of the caller", () => {
  const wrong: ReadonlyArray<readonly [object, string]> = [
    [
      { baseUrl: "a.example" },
      'baseUrl is "a.example"; an http or https URL without credentials and a query is required'
    ],
    [
      { baseUrl: "https://ada:s3cret@a.example" },
      "baseUrl has credentials; an http or https URL without credentials and a query is required"
    ],
    [{ baseUrl: "https://a.example/?" }, "baseUrl is"],
    [{ baseUrl: "https://a.example/#" }, "baseUrl is"],
    [{ baseUrl: "ftp://a.example" }, "baseUrl is"],
    [{ baseUrl: "https://a.example?b" }, "baseUrl is"],
    [{ baseUrl: undefined }, "baseUrl is"],
    [{ apiKey: undefined }, "apiKey is missing"],
    [{ apiKey: "sk_1\n" }, "apiKey is malformed"],
    [{ apiKey: "" }, "apiKey is malformed"],
    [{ headers: { Authorization: "Basic YQ==" } }, "headers has Authorization, which the client sets itself"],
    [{ headers: { "Idempotency-Key": "always-the-same" } }, "headers has Idempotency-Key"],
    [{ headers: { "x-gateway": "a\nb" } }, "the header x-gateway is malformed"],
    [{ headers: { "x gateway": "a" } }, 'the name of the header "x gateway" is malformed'],
    [{ headers: { "x-gateway": undefined } }, "the header x-gateway is missing"]
  ]
  it.each(wrong)("in the options %j is reported at once", (options, message) => {
    expect(() => createClient({ baseUrl: "https://a.example", apiKey: "sk_1", ...options })).toThrow(message)
  })

  /** A value as JavaScript gives it. */
  const js = (value: unknown) => value as never
  const base = { baseUrl: "https://a.example", apiKey: "sk_1" }

  it.each<[string, () => unknown, string]>([
    [
      "a client",
      () => createClient(js({ ...base, maxRetry: 0 })),
      "`maxRetry` is not an option of createClient. Did you mean `maxRetries`?"
    ],
    [
      "an operator's client",
      () => createOperatorClient(js({ ...base, token: "op_1" })),
      "`apiKey` is not an option of createOperatorClient. It takes `baseUrl`, `timeoutMs`, `maxRetries`, `strict`, `headers`, `fetch`, `environment`, `token`."
    ],
    ["nothing", () => createClient(js(undefined)), "the options of createClient are not set; they are an object"],
    [
      "a word for a boolean",
      () => createClient(js({ ...base, strict: "no" })),
      "createClient: strict is a string; it takes a boolean"
    ],
    [
      "a time for a clock",
      () => createClient(js({ ...base, environment: { now: 0 } })),
      "environment: now is a number; it takes a function"
    ],
    [
      "headers that have no members",
      () => createClient(js({ ...base, headers: new Headers({ "x-gateway": "1" }) })),
      "headers is a list; an object with the value of each name is required"
    ]
  ])("in the name or the type of an option is reported at once: %s", (_, make, message) => {
    expect(make).toThrow(new TypeError(message))
  })

  it.each<[string, (corridor: Corridor) => Promise<unknown>, string]>([
    [
      "a misspelt idempotencyKey",
      (corridor) => corridor.transfers.create(transfer, js({ idempotency_key: "key-0001" })),
      "`idempotency_key` is not an option of this call. Did you mean `idempotencyKey`?"
    ],
    [
      "a misspelt dryRun of a call without input",
      (corridor) => corridor.batches.confirm("bat_1", js({ dryrun: true })),
      "`dryrun` is not an option of this call. Did you mean `dryRun`?"
    ],
    [
      "a word for a dry run",
      (corridor) => corridor.transfers.create(transfer, js({ dryRun: "true" })),
      "this call: dryRun is a string; it takes a boolean"
    ],
    [
      "no key",
      (corridor) => corridor.transfers.create(transfer, js({ idempotencyKey: null })),
      "this call: idempotencyKey is null; it takes a string"
    ],
    [
      "a version where none is compared",
      (corridor) => corridor.transfers.create(transfer, js({ ifMatch: "1" })),
      "`ifMatch` is not an option of this call. It takes `signal`, `timeoutMs`, `maxRetries`, `strict`, `requestId`, `dryRun`, `idempotencyKey`."
    ],
    [
      "a dry run of a read",
      async (corridor) => corridor.wallets.list({}, js({ dryRun: true })),
      "`dryRun` is not an option of this call. It takes `signal`, `timeoutMs`, `maxRetries`, `strict`, `requestId`, `idempotencyKey`."
    ],
    [
      "a key of what has none and cannot be repeated",
      (corridor) => corridor.sandbox.settle(js({ idempotencyKey: "key-0001" })),
      "`idempotencyKey` is not an option of this call. It takes `signal`, `timeoutMs`, `maxRetries`, `strict`, `requestId`."
    ],
    [
      "a text for the options",
      (corridor) => corridor.request("POST", "/v1/transfers", transfer, js("key-0001")),
      "the options of this call are a string; they are an object"
    ]
  ])("in the options of a call is reported before anything is sent: %s", async (_, call, message) => {
    const { asked, corridor } = make([success({})])
    await expect(call(corridor)).rejects.toThrow(new TypeError(message))
    expect(asked).toEqual([])
  })

  it("in the options of a verification is reported", async () => {
    await expect(webhooks.verify("{}", {}, "whsec_AAAA", js({ clock: () => 0 }))).rejects.toThrow(
      new TypeError("`clock` is not an option of webhooks.verify. It takes `now`.")
    )
  })

  it("is no option that is undefined, nor a key of what can be repeated anyway", async () => {
    const { corridor } = make([success({})])
    await expect(corridor.me(js({ retries: undefined }))).resolves.toEqual({})
    await expect(corridor.wallets.update("wal_1", {}, js({ idempotencyKey: "key-0001" }))).resolves.toEqual({})
  })

  it("in the arguments is reported before anything is sent", async () => {
    const { corridor, asked } = make([success({})])
    for (const id of ["", ".", "..", undefined, null, 5])
      expect(() => corridor.transfers.get(id as string)).toThrow("transfers.get requires id, a text that is not empty")
    for (const options of [
      { idempotencyKey: "short" },
      { idempotencyKey: "with spaces in it" },
      { idempotencyKey: "line\nbreak-in-it" },
      { requestId: "a b" },
      { maxRetries: -1 },
      { maxRetries: Infinity },
      { timeoutMs: 1.5 },
      // A timer of JavaScript ends at once: every attempt would time out, and be sent nevertheless.
      { timeoutMs: 0 },
      { timeoutMs: 2 ** 31 },
      { timeoutMs: Infinity }
    ])
      await expect(corridor.transfers.create(transfer, options)).rejects.toThrow(/is malformed|whole number/)
    await expect(corridor.wallets.update("wal_1", {}, { ifMatch: "é" })).rejects.toThrow("ifMatch is malformed")
    for (const path of ["v1/me", ".evil.example/v1/me", "", "/v1/me#a", undefined])
      await expect(corridor.request("GET", path as string)).rejects.toThrow('request requires a path such as "/v1/me"')
    expect(asked).toEqual([])
  })

  it("in the headers of a gateway, which are sent as they are, is none", async () => {
    const { corridor, asked } = make([success({})], { headers: { "X-Gateway": "key of the gateway" } })
    await corridor.me()
    expect(asked[0]!.headers).toMatchObject({ "X-Gateway": "key of the gateway", authorization: "Bearer sk_1" })
    await corridor.request("GET", "/v1/wallets?currency=USDC", { page: 2 })
    expect(asked[1]!.url).toBe("https://a.example/v1/wallets?currency=USDC&page=2")
  })

  it("of a request may be the bytes of a file, which has a key as other requests have", async () => {
    const { corridor, asked } = make([reset, success([])])
    await corridor.request("POST", "/v1/batches?reference=a", new TextEncoder().encode("operation\n"))
    const [first, second] = asked
    expect(first!.headers["content-type"]).toBe("application/octet-stream")
    expect(second!.headers["idempotency-key"]).toBe(first!.headers["idempotency-key"])
    await expect(corridor.request("GET", "/v1/me", new Uint8Array())).rejects.toThrow("another method than GET")
  })

  it("never leaves the path: ids are encoded", async () => {
    const { corridor, asked } = make([success({})])
    await corridor.transfers.get("../me?a#b")
    expect(asked[0]!.url).toBe("https://a.example/v1/transfers/..%2Fme%3Fa%23b")
  })
})
