/** What keys, webhook endpoints, events, the operator's calls and the sandbox refuse. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operatorToken } from "../../support/http/server.ts"
import { makeHeldDeposit, openException, type Request } from "../../support/http/successful-requests.ts"
import { bad, odd, expectRefusal, type ExpectedRefusal, says } from "../../support/http/refusals.ts"
import { type Stock, startStocked, unknown } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

type Row = readonly [string, (s: Stock) => Request | Promise<Request>, ExpectedRefusal]

const table = (rows: ReadonlyArray<Row>): void => {
  it.each(rows)("%s", async (_, request, expected) => {
    await expectRefusal(s, await request(s), expected)
  })
}
const post = (path: string, body: unknown, more: Partial<Request> = {}): Request => ({
  path,
  method: "POST",
  body,
  ...more
})
const operate = (path: string, body: unknown = {}, method = "POST"): Request => ({
  path,
  method,
  body,
  key: operatorToken
})

/** Texts that are compared as the id of an operator or of a key is. */
const idLike = [
  "opr_01j9z3k4m5n6p7q8r9s0t1v2w3",
  "key_01j9z3k4m5n6p7q8r9s0t1v2w3",
  "OPR_1",
  " key_1",
  "\uff4f\uff50\uff52\uff3f1"
]

covers("ERROR-10", "APPROVAL-6")
describe("a new API key is refused with", () => {
  table([
    ["nothing", () => post("/v1/api-keys", {}), bad("role required")],
    ["another role", () => post("/v1/api-keys", { role: "owner" }), bad("role invalid_value")],
    ["a role that is null", () => post("/v1/api-keys", { role: null }), bad("role invalid_type")],
    [
      "a label of 101 characters",
      () => post("/v1/api-keys", { role: "viewer", label: "x".repeat(101) }),
      bad("label too_long")
    ],
    ...idLike.flatMap((person) => [
      [
        `the person ${JSON.stringify(person)}`,
        () => post("/v1/api-keys", { role: "approver", person }),
        bad("person invalid_value")
      ] as const,
      [
        `the person ${JSON.stringify(person)}, by an operator`,
        (s: Stock) => operate(`/operator/v1/merchants/${s.api.merchant_id}/api-keys`, { role: "approver", person }),
        bad("person invalid_value")
      ] as const
    ]),
    [
      "a role above the caller's",
      (s) => post("/v1/api-keys", { role: "admin" }, { key: s.keys.developer }),
      says("forbidden_key_role")
    ]
  ])

  it("a viewer that gives itself up: a viewer reads and nothing else", async () => {
    const id = (await s.api.ask("/v1/me", { key: s.keys.viewer })).json.data.api_key.id
    await expectRefusal(s, { path: `/v1/api-keys/${id}`, method: "DELETE", key: s.keys.viewer }, says("forbidden"))
  })

  it("the key of another merchant, when it is to be revoked", async () => {
    const { json } = await s.api.ask("/v1/api-keys", { key: s.keys.other })
    await expectRefusal(s, { path: `/v1/api-keys/${json.data[0].id}`, method: "DELETE" }, says("not_found"))
  })
})

const hooks = "/v1/notifications/webhooks"
const urls = [
  "",
  "x",
  "/hook",
  "ftp://example.com/",
  "javascript:alert(1)",
  "http://",
  "https:// example.com",
  "https:evil.com",
  "http://a\u0000b.com",
  "mailto:a@b.co"
]

covers("WEBHOOK-2")
describe("a webhook endpoint is refused with", () => {
  table([
    ["nothing", () => post(hooks, {}), bad("url required")],
    ...urls.map(
      (url): Row => [`the url ${JSON.stringify(url)}`, () => post(hooks, { url }), bad("url invalid_format")]
    ),
    ["a url that is a number", () => post(hooks, { url: 1 }), bad("url invalid_type")],
    [
      "a url of 2049 characters",
      () => post(hooks, { url: `https://example.com/${"x".repeat(2029)}` }),
      bad("url too_long")
    ],
    ["no category", () => post(hooks, { url: "http://127.0.0.1:9/", categories: [] }), bad("categories invalid_value")],
    [
      "categories that are a text",
      () => post(hooks, { url: "http://127.0.0.1:9/", categories: "transfer" }),
      bad("categories invalid_type")
    ],
    [
      "a category there is not",
      () => post(hooks, { url: "http://127.0.0.1:9/", categories: ["transfer", "ping"] }),
      bad("categories.1 invalid_value")
    ],
    [
      "an event in place of a category",
      () => post(hooks, { url: "http://127.0.0.1:9/", categories: ["transfer.success"] }),
      bad("categories.0 invalid_value")
    ],
    [
      "a change to active that is a text",
      (s) => ({ path: `${hooks}/${s.active}`, method: "PATCH", body: { active: "true" } }),
      bad("active invalid_type")
    ],
    [
      "a change to no url",
      (s) => ({ path: `${hooks}/${s.active}`, method: "PATCH", body: { url: "x" } }),
      bad("url invalid_format")
    ]
  ])
})

covers("WEBHOOK-9", "WEBHOOK-8")
describe("a replay or ping is refused with", () => {
  const replay = (id: string, body: unknown) => post(`${hooks}/${id}/replay`, body)
  table([
    ["neither event nor span", (s) => replay(s.active, {}), bad("event_id required")],
    ["an end without a beginning", (s) => replay(s.active, { until: "2026-01-01" }), bad("since required")],
    [
      "both event and span",
      (s) => replay(s.active, { event_id: s.event, since: "2026-01-01" }),
      bad("event_id invalid_value")
    ],
    ["a malformed event id", (s) => replay(s.active, { event_id: "x" }), odd("event_id invalid_format")],
    ["an unknown event", (s) => replay(s.active, { event_id: unknown("evt") }), says("not_found")],
    ["a date there is not", (s) => replay(s.active, { since: "2026-02-30" }), bad("since invalid_format")],
    [
      "a span that ends before it begins",
      (s) => replay(s.active, { since: "2026-02-01", until: "2026-01-01" }),
      odd("since invalid_value", "until invalid_value")
    ],
    ["a span that begins after now", (s) => replay(s.active, { since: "2999-01-01" }), odd("since invalid_value")],
    ["an inactive endpoint", (s) => replay(s.inactive, { event_id: s.event }), says("invalid_status")],
    [
      "a span without sense",
      (s) => replay(s.active, { since: "2026-02-01", until: "2026-01-01" }),
      odd("since invalid_value", "until invalid_value")
    ],
    ["an inactive endpoint and a span", (s) => replay(s.inactive, { since: "2026-01-01" }), says("invalid_status")],
    ["an inactive endpoint that is pinged", (s) => post(`${hooks}/${s.inactive}/ping`, {}), says("invalid_status")]
  ])

  covers("WEBHOOK-2")
  it("a twenty-first endpoint", async () => {
    for (let i = 0; i < 18; i++) await s.make(hooks, { url: "http://127.0.0.1:9/many" })
    await expectRefusal(s, post(hooks, { url: "http://127.0.0.1:9/many" }), says("invalid_status"))
  })
})

covers("EVENT-29", "WEBHOOK-12")
describe("events are refused with", () => {
  table([
    [
      "a malformed place in the feed",
      () => ({ path: "/v1/notifications/events/feed?after=x" }),
      odd("after invalid_format")
    ],
    [
      "an unknown place in the feed",
      () => ({ path: `/v1/notifications/events/feed?after=${unknown("evt")}` }),
      says("not_found")
    ],
    [
      "an unknown delivery status",
      (s) => ({ path: `${hooks}/${s.active}/deliveries?status=sent` }),
      odd("status invalid_value")
    ]
  ])
})

covers("CURRENCY-8", "ERROR-10")
describe("an operator's input is refused with", () => {
  const account = {
    provider: "simulated",
    currency: "NGN",
    kind: "bank",
    identifiers: [{ scheme: "account_number", value: "0001112223" }],
    opening: { date: "2026-01-01", balance: "0.00" },
    time_zone: "UTC"
  }
  const accounts = (more: object): Request => operate("/operator/v1/external-accounts", { ...account, ...more })
  const limit = (more: object): Request =>
    operate("/operator/v1/limits", {
      scope: "merchant",
      operations: ["transfer"],
      currency: "USDC",
      max_amount: "5",
      window: "movement",
      ...more
    })

  table([
    ["an account in an unknown currency", () => accounts({ currency: "ZZZ" }), says("not_found")],
    ["a limit in an unknown currency", () => limit({ currency: "ZZZ" }), says("not_found")],
    [
      "an entry in an unknown currency",
      () =>
        operate("/operator/v1/adjusting-entries", {
          from: "losses",
          to: "suspense",
          amount: "5",
          currency: "ZZZ",
          note: "n"
        }),
      says("not_found")
    ],
    [
      "a fee schedule from an unknown currency",
      () => operate("/operator/v1/fee-schedules", { operation: "offramp", source_currency: "ZZZ", bps: 5 }),
      says("not_found")
    ],
    [
      "a fee schedule to an unknown currency",
      () => operate("/operator/v1/fee-schedules", { operation: "offramp", destination_currency: "ZZZ", bps: 5 }),
      says("not_found")
    ],
    [
      "a brake on an unknown currency",
      () => operate("/operator/v1/brakes", { scope: "corridor", source_currency: "ZZZ", note: "n" }),
      says("not_found")
    ],
    [
      "a rule above an amount in an unknown currency",
      () =>
        operate("/operator/v1/approval-rules", { operations: ["transfer"], above: { amount: "5", currency: "ZZZ" } }),
      says("not_found")
    ],
    ...["x", "2026-02-30", "2026-1-1", "2026-01-01T00:00:00Z"].flatMap(
      (date): ReadonlyArray<Row> => [
        [
          `an account that opens on ${date}`,
          () => accounts({ opening: { date, balance: "0.00" } }),
          bad("opening.date invalid_format")
        ],
        [
          `a close of ${date}`,
          () => operate("/operator/v1/closings", { external_account_id: unknown("xac"), date }),
          bad("date invalid_format")
        ],
        [
          `a reconciliation of ${date}`,
          () => ({ path: `/operator/v1/reconciliation?date=${date}`, key: operatorToken }),
          odd("date invalid_format")
        ],
        [
          `lines booked on ${date}`,
          () => ({ path: `/operator/v1/statement-lines?booked_on=${date}`, key: operatorToken }),
          odd("booked_on invalid_format")
        ]
      ]
    ),
    ...["1e3", "", "+1", "1.", "--1"].map(
      (balance): Row => [
        `an account that opens with ${JSON.stringify(balance)}`,
        () => accounts({ opening: { date: "2026-01-01", balance } }),
        bad("opening.balance invalid_format")
      ]
    ),
    ...["1 day", "PT59S", "P367D", "P1M"].map(
      (rolling): Row => [
        `a window of ${rolling}`,
        () => limit({ window: { rolling } }),
        bad("window.rolling invalid_format")
      ]
    )
  ])
})

covers("OPERATOR-2", "ADDRESS-11", "EXCEPTION-3", "OPERATOR-1", "ERROR-5")
describe("the operator is refused with", () => {
  const merchant = (change: object) => operate("/operator/v1/merchants", { name: "New", country_code: "NG", ...change })
  table([
    ["a merchant without a name", () => merchant({ name: undefined }), bad("name required")],
    ["a merchant with a blank name", () => merchant({ name: " " }), bad("name invalid_value")],
    ["a merchant in no country", () => merchant({ country_code: "XX" }), odd("country_code invalid_value")],
    ["a merchant in a prohibited country", () => merchant({ country_code: "SY" }), says("prohibited_country")],
    ["a merchant in another state", () => merchant({ status: "closed" }), bad("status invalid_value")],
    [
      "a merchant that goes back to pending",
      (s) => operate(`/operator/v1/merchants/${s.other_merchant_id}`, { status: "pending" }, "PATCH"),
      says("invalid_status")
    ],
    [
      "a merchant without a status",
      (s) => operate(`/operator/v1/merchants/${s.other_merchant_id}`, {}, "PATCH"),
      bad("status required")
    ],
    [
      "a release of what is no deposit",
      (s) => operate(`/operator/v1/deposits/${s.transaction}/release`, { note: "n" }),
      says("not_found")
    ],
    [
      "a release with an empty note",
      async (s) => operate(`/operator/v1/deposits/${await makeHeldDeposit(s)}/release`, { note: "" }),
      bad("note invalid_value")
    ],
    [
      "a rejection without a reason",
      async (s) => operate(`/operator/v1/deposits/${await makeHeldDeposit(s)}/reject`),
      bad("reason required")
    ],
    [
      "a rejection with a long reason",
      async (s) => operate(`/operator/v1/deposits/${await makeHeldDeposit(s)}/reject`, { reason: "x".repeat(256) }),
      bad("reason too_long")
    ],
    [
      "an address frozen twice",
      (s) => operate(`/operator/v1/deposit-addresses/${s.frozen}/freeze`),
      says("invalid_status")
    ],
    [
      "an address thawed that is not frozen",
      (s) => operate(`/operator/v1/deposit-addresses/${s.address}/unfreeze`),
      says("invalid_status")
    ],
    [
      "an address frozen that is disabled",
      (s) => operate(`/operator/v1/deposit-addresses/${s.disabled}/freeze`),
      says("invalid_status")
    ],
    [
      "an exception without an action",
      async (s) => operate(`/operator/v1/exceptions/${await openException(s)}/resolve`),
      bad("action required", "note required")
    ],
    [
      "an exception with another action",
      async (s) => operate(`/operator/v1/exceptions/${await openException(s)}/resolve`, { action: "keep", note: "n" }),
      bad("action invalid_value")
    ],
    [
      "the history of nothing",
      () => ({ path: "/operator/v1/resources/nothing/history", key: operatorToken }),
      says("not_found")
    ]
  ])

  it("nothing, when a held deposit is released without a note", async () => {
    const id = await makeHeldDeposit(s)
    const released = await s.operate(`/operator/v1/deposits/${id}/release`, { body: {} })
    expect([released.status, released.json.data.id, released.json.data.status]).toEqual([200, id, "success"])
  })

  it("a deposit that was released or rejected already", async () => {
    const [released, rejected] = [await makeHeldDeposit(s), await makeHeldDeposit(s)]
    await s.operate(`/operator/v1/deposits/${released}/release`, { body: { note: "n" } })
    await s.operate(`/operator/v1/deposits/${rejected}/reject`, { body: { reason: "r" } })
    for (const id of [released, rejected]) {
      await expectRefusal(s, operate(`/operator/v1/deposits/${id}/release`, { note: "n" }), says("invalid_status"))
      await expectRefusal(s, operate(`/operator/v1/deposits/${id}/reject`, { reason: "r" }), says("invalid_status"))
    }
  })

  it("an exception that was resolved already", async () => {
    const id = await openException(s)
    const resolve = operate(`/operator/v1/exceptions/${id}/resolve`, { action: "dismiss", note: "n" })
    expect((await s.api.ask(resolve.path, resolve)).status).toBe(200)
    await expectRefusal(s, resolve, says("invalid_status"))
  })
})

covers("SANDBOX-1", "SANDBOX-2", "SANDBOX-7", "SANDBOX-8", "SANDBOX-4")
describe("the sandbox is refused with", () => {
  const deposit = (change: object) => (s: Stock) =>
    post("/sandbox/deposits", { wallet_id: s.wallet, amount: "1", ...change })
  const outcome = (change: object) => (s: Stock) =>
    post("/sandbox/outcomes", { resource_id: s.transfer, outcome: "success", ...change })
  table([
    ["a deposit of nothing", deposit({ amount: "0" }), odd("amount invalid_value")],
    ["a deposit that is a number", deposit({ amount: 1 }), bad("amount invalid_type")],
    ["a deposit of nineteen decimals", deposit({ amount: "1.0000000000000000001" }), bad("amount invalid_format")],
    ["a deposit nowhere", deposit({ wallet_id: undefined }), bad("wallet_id required")],
    ["a deposit in two places", (s) => deposit({ deposit_address_id: s.address })(s), bad("wallet_id invalid_value")],
    ["a deposit at another stage", deposit({ stage: "seen" }), bad("stage invalid_value")],
    ["a deposit in a currency there is not", deposit({ currency: "BTC" }), says("not_found")],
    ["a deposit in a wallet there is not", deposit({ wallet_id: unknown("wal") }), says("not_found")],
    ["a deposit in what is no wallet", deposit({ wallet_id: "x" }), odd("wallet_id invalid_format")],
    [
      "an address there is not",
      deposit({ wallet_id: undefined, deposit_address_id: unknown("da") }),
      says("not_found")
    ],
    ["a credential there is not", deposit({ wallet_id: undefined, credential_id: unknown("wcr") }), says("not_found")],
    ["an onramp there is not", deposit({ wallet_id: undefined, onramp_id: unknown("onr") }), says("not_found")],
    ["a sender that is a text", deposit({ sender: "Ada" }), bad("sender invalid_type")],
    ["the outcome of nothing", outcome({ resource_id: "x" }), odd("resource_id invalid_value")],
    ["the outcome of a wallet", (s) => outcome({ resource_id: s.wallet })(s), odd("resource_id invalid_value")],
    ["the outcome of a transfer there is not", outcome({ resource_id: unknown("tfr") }), says("not_found")],
    ["another outcome", outcome({ outcome: "done" }), bad("outcome invalid_value")],
    ["a step back in time", () => post("/sandbox/clock/advance", { seconds: -1 }), bad("seconds invalid_value")],
    [
      "a step in time that is a text",
      () => post("/sandbox/clock/advance", { seconds: "1" }),
      bad("seconds invalid_type")
    ],
    [
      "another way to answer",
      () => post("/sandbox/provider", { submissions: "later" }),
      bad("submissions invalid_value")
    ],
    [
      "another word on an address",
      (s) => post(`/sandbox/deposit-addresses/${s.address}`, { outcome: "lost" }),
      bad("outcome invalid_value")
    ],
    ["no word on a beneficiary", (s) => post(`/sandbox/beneficiaries/${s.crypto_pending}`, {}), bad("outcome required")]
  ])
})
