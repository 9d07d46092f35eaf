/** Another merchant's ids, everywhere an id goes: as if there were none. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { kinds } from "../../../src/engine/registry.ts"
import type { Answer } from "../../support/http/server.ts"
import { catalogue, type Request } from "../../support/http/successful-requests.ts"
import { type Stock, startStocked, unknown } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const prefixes = [...kinds.byName.values()].flatMap((kind) => ("prefix" in kind ? [kind.prefix] : []))
const ulid = new RegExp(`\\b(${[...prefixes, "evt", "dlv"].join("|")})_[0-9a-z]{26}\\b`, "g")

/** The same request about ids of the same types that nobody has. */
const aboutNobody = (request: Request): Request =>
  JSON.parse(JSON.stringify(request).replace(ulid, (_, prefix: string) => unknown(prefix)))

/** An answer without what differs from call to call, and without the ids that were asked for. */
const bare = ({ status, text, headers }: Answer) => ({
  status,
  text: text
    .replace(/"request_id":"[^"]*"/, "")
    .replace(/"timestamp":"[^"]*"/, "")
    .replace(ulid, "$1_"),
  etag: headers.get("etag")
})

/** What is read or changed by an id in its path, and what takes ids to make something of. */
const named = Object.entries(catalogue).filter(([id]) => /^(?!create|sandbox)/.test(id))
const creating = Object.entries(catalogue).filter(([id]) => /^(create|sandbox)/.test(id) && id !== "createBatch")
const isMerchants = ({ path }: Request): boolean => !path.startsWith("/operator/")

/** Another merchant is told the same of this request as of one about ids that nobody has, and nothing is written. */
const expectNobodys = async (request: Request): Promise<void> => {
  const before = s.effects.length
  const foreign = await s.api.ask(request.path, { ...request, key: s.keys.other })
  const nobody = aboutNobody(request)
  const none = await s.api.ask(nobody.path, { ...nobody, key: s.keys.other })
  expect([foreign.status, foreign.json.code]).toEqual([404, "not_found"])
  expect(bare(foreign)).toEqual(bare(none))
  expect(s.effects.slice(before)).toEqual([])
}

covers("AUTH-3", "AUTH-2", "ERROR-12")
describe("another merchant's id", () => {
  it.each(named)("is nobody's to %s", async (_, call) => {
    const request = await call(s)
    const isNamed = request.path.split("?")[0]!.search(ulid) >= 0
    if (!isMerchants(request) || !isNamed) return
    await expectNobodys(request)
  })

  it.each(creating)("is nobody's in what %s takes", async (_, call) => {
    const request = await call(s)
    const ids = [...JSON.stringify(request.body ?? {}).matchAll(ulid), ...request.path.matchAll(ulid)]
    if (!isMerchants(request) || ids.length === 0) return
    await expectNobodys(request)
  })

  it("is nobody's in the rows of a batch, each of which has its own error", async () => {
    const request = await catalogue["createBatch"]!(s)
    const errorsOf = async ({ body, path }: Request) => {
      const { json } = await s.api.ask(path, { body, key: s.keys.other })
      return json.data.errors.map(({ message: _, ...one }: { readonly message: string }) => one)
    }
    const foreign = await errorsOf(request)
    expect(foreign).toEqual(await errorsOf(aboutNobody(request)))
    expect(foreign[0]).toMatchObject({ row: 1, code: "not_found" })
  })

  it("does not mix with one's own: a wallet of one and a beneficiary of the other", async () => {
    const key = s.keys.other
    const wallet = await s.make("/v1/wallets", { currency: "USDC" }, { key })
    const paid = { type: "crypto", name: "T", currency: "USDC" }
    const details = { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    const beneficiary = await s.make("/v1/beneficiaries", { ...paid, details }, { key })
    const pairs = [
      { wallet_id: wallet.id, beneficiary_id: s.crypto },
      { wallet_id: s.wallet, beneficiary_id: beneficiary.id }
    ]
    for (const pair of pairs) {
      const transfer = await s.api.ask("/v1/transfers", { key, body: { ...pair, amount: "1" } })
      expect([transfer.status, transfer.json.code]).toEqual([404, "not_found"])
      const quote = await s.api.ask("/v1/offramps/quotes", { key, body: { ...pair, source_amount: "10" } })
      expect([quote.status, quote.json.code]).toEqual([404, "not_found"])
    }
    const path = `/v1/wallets/${wallet.id}/deposit-addresses/${s.address}`
    expect((await s.api.ask(path, { key })).status).toBe(404)
    expect((await s.api.ask(path, { key, method: "DELETE" })).status).toBe(404)
  })
})

describe("a list", () => {
  const filters = (s: Stock): ReadonlyArray<string> => [
    `/v1/wallets?customer_id=${s.customer}`,
    `/v1/beneficiaries?customer_id=${s.customer}`,
    `/v1/senders?customer_id=${s.default_customer}`,
    ...["customer_id", "wallet_id", "reference"].flatMap((name) => {
      const value = { customer_id: s.default_customer, wallet_id: s.wallet, reference: "stock-transfer" }[name]
      return [`/v1/transfers?${name}=${value}`, `/v1/offramps?${name}=${value}`]
    }),
    `/v1/transactions?customer_id=${s.default_customer}`,
    `/v1/transactions?wallet_id=${s.wallet}`,
    `/v1/notifications/events?event_object_id=${s.transfer}`
  ]

  covers("LIST-5", "TRANSACTION-2")
  it("that is filtered by a foreign or an unknown id is an empty page", async () => {
    for (const path of filters(s)) {
      const own = await s.api.ask(path)
      const foreign = await s.api.ask(path, { key: s.keys.other })
      const [plain, query] = path.split("=")
      const none = await s.api.ask(`${plain}=${query!.includes("_") ? unknown(query!.split("_")[0]!) : "nothing"}`)
      for (const answer of [foreign, none]) {
        expect([path, answer.status, answer.json.data]).toEqual([path, 200, []])
        expect(answer.json.meta).toMatchObject({ page: 1, per_page: 50, total: 0, has_more: false })
      }
      if (!path.endsWith("offramps?reference=stock-transfer")) expect([path, own.json.data]).not.toEqual([path, []])
    }
  })

  covers("AUTH-2")
  it("holds nothing of another merchant's", async () => {
    const of = async (key: string, path: string) =>
      (await s.api.ask(path, { key })).json.data.map((one: any) => one.id ?? one.event_id)
    const lists = [
      "/v1/customers",
      "/v1/wallets",
      "/v1/beneficiaries",
      "/v1/transfers",
      "/v1/offramps",
      "/v1/transactions",
      "/v1/api-keys",
      "/v1/notifications/webhooks",
      "/v1/notifications/events",
      "/v1/notifications/events/feed"
    ]
    for (const path of lists) {
      const [own, theirs] = [await of(s.api.key, path), await of(s.keys.other, path)]
      expect([path, own.length > 0]).toEqual([path, true])
      expect([path, theirs.filter((id: string) => own.includes(id))]).toEqual([path, []])
    }
    expect(await of(s.keys.other, "/v1/notifications/events/feed")).toEqual([])
  })
})

describe("events", () => {
  it("of one merchant are never delivered to another, and never replayed there", async () => {
    const key = s.keys.other
    const hook = await s.make("/v1/notifications/webhooks", { url: "http://127.0.0.1:9/other" }, { key })
    const path = `/v1/notifications/webhooks/${hook.id}`
    await s.api.ask(path, { method: "PATCH", body: { active: true }, key })
    await s.make("/v1/transfers", { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" })
    await s.settle()
    const sent = await s.api.ask(`${path}/deliveries`, { key })
    expect([sent.status, sent.json.data]).toEqual([200, []])
    const replay = await s.api.ask(`${path}/replay`, { key, body: { event_id: s.event } })
    expect([replay.status, replay.json.code]).toEqual([404, "not_found"])
    const span = await s.make(`${path}/replay`, { since: "2020-01-01" }, { key })
    expect(span).toEqual({ id: hook.id, replayed: 0 })
    const after = await s.api.ask(`/v1/notifications/events/feed?after=${s.event}`, { key })
    expect([after.status, after.json.code]).toEqual([404, "not_found"])
  })
})

describe("references and keys", () => {
  covers("REFERENCE-1", "IDEM-5")
  it("are each merchant's own", async () => {
    const key = s.keys.other
    const wallet = await s.make("/v1/wallets", { currency: "USDC" }, { key })
    await s.make("/sandbox/deposits", { wallet_id: wallet.id, amount: "10" }, { key })
    const details = { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    const beneficiary = await s.make(
      "/v1/beneficiaries",
      { type: "crypto", name: "T", currency: "USDC", details },
      { key }
    )
    const body = { wallet_id: wallet.id, beneficiary_id: beneficiary.id, amount: "1", reference: "stock-transfer" }
    expect((await s.make("/v1/transfers", body, { key })).reference).toBe("stock-transfer")
  })
})
