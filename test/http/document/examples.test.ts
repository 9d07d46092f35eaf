/** The examples of the OpenAPI document, as wholes: what their members say together can be true. */
import { beforeAll, describe, expect, it } from "vitest"
import { requireCurrency } from "../../../src/engine/reference/currencies.ts"
import { makeExample, type DocumentNode } from "../../../src/http/docs/example.ts"
import { openApi } from "../../../src/http/openapi.ts"
import { kinds } from "../../../src/engine/registry.ts"
import { covers } from "../../support/repository/covers.ts"

/** Every object in the examples of responses and events, with where it is. */
const objects: Array<readonly [string, DocumentNode]> = []
const collect = (where: string, value: unknown): void => {
  if (Array.isArray(value)) return value.forEach((one, at) => collect(`${where}[${at}]`, one))
  if (typeof value !== "object" || value === null) return
  objects.push([where, value as DocumentNode])
  for (const [name, one] of Object.entries(value)) collect(`${where}.${name}`, one)
}

beforeAll(() => {
  const document = openApi({ base_url: "https://a.example", docs_url: "https://a.example/docs", environment: "test" })
  for (const [path, item] of Object.entries<DocumentNode>(document["paths"]))
    for (const [method, operation] of Object.entries<DocumentNode>(item)) {
      const { schema } = operation["responses"]["200"].content["application/json"]
      collect(`${method} ${path}`, (makeExample(schema, document) as DocumentNode)["data"])
    }
  for (const [type, { post }] of Object.entries<DocumentNode>(document["webhooks"]))
    collect(type, post.requestBody.content["application/json"].examples.event.value)
})

const has = (object: DocumentNode, ...names: ReadonlyArray<string>): boolean => names.every((name) => name in object)
const isCrypto = (code: string): boolean => requireCurrency(code).type === "crypto"
/** An amount in units of 10^-6. */
const units = (text: string): bigint => {
  const [whole = "", fraction = ""] = text.split(".")
  return BigInt(whole + fraction.padEnd(6, "0"))
}
const feeOf = (object: DocumentNode, name: string): bigint =>
  units(
    (object["fee"].line_items as ReadonlyArray<DocumentNode>).find((one) => one["name"] === name)?.["amount"] ?? "0"
  )
const differ = (a: bigint, b: bigint): bigint => (a > b ? a - b : b - a)
const ended = new Set(["success", "failed", "returned", "rejected", "approved", "confirmed"])

/** What is true of an object that has these members. */
const laws: ReadonlyArray<readonly [string, (object: DocumentNode) => boolean, (object: DocumentNode) => boolean]> = [
  [
    "only what has failed or come back has a reason",
    (object) => has(object, "failure_reason", "status"),
    ({ failure_reason, status }) =>
      (failure_reason !== null) === ["failed", "returned", "rejected", "temporary_failure"].includes(status)
  ],
  [
    "a reason has its message",
    (object) => has(object, "failure_reason", "failure_reason_message"),
    ({ failure_reason, failure_reason_message }) => (failure_reason === null) === (failure_reason_message === null)
  ],
  [
    "the amount of the destination is that of the source less the gateway's fee, at the rate",
    (object) => has(object, "source_amount", "destination_amount", "rate", "fee"),
    (object) => {
      const { destination_amount, rate, source_amount } = object
      const exact = ((units(source_amount) - feeOf(object, "gateway")) * BigInt(Math.round(rate * 1e15))) / 10n ** 15n
      return differ(exact, units(destination_amount)) <= 10_000n
    }
  ],
  [
    "what is received is the amount of the destination less the network's fee",
    (object) => has(object, "destination_amount", "received_amount", "fee") && object["received_amount"] !== null,
    (object) => units(object["received_amount"]) === units(object["destination_amount"]) - feeOf(object, "network")
  ],
  [
    "nothing is received before the end",
    (object) => has(object, "received_amount", "status", "quote_id"),
    ({ received_amount, status }) => (received_amount !== null) === (status === "success")
  ],
  [
    "what settled is what was quoted",
    (object) => has(object, "actual_source_amount", "source_amount") && object["actual_source_amount"] !== null,
    (object) =>
      object["actual_source_amount"] === object["source_amount"] &&
      object["actual_destination_amount"] === object["received_amount"] &&
      object["actual_rate"] === object["rate"]
  ],
  [
    "a wallet has the currency of its side",
    (object) => has(object, "wallet", "source_currency", "destination_currency") && !has(object, "credential"),
    ({ destination_currency, source_currency, wallet }) =>
      [source_currency, destination_currency].includes(wallet.currency)
  ],
  [
    "wallets of a conversion have its currencies",
    (object) => has(object, "source_wallet", "destination_wallet"),
    ({ destination_currency, destination_wallet, source_currency, source_wallet }) =>
      source_wallet.currency === source_currency &&
      destination_wallet.currency === destination_currency &&
      source_wallet.id !== destination_wallet.id
  ],
  [
    "the type is that of the currency",
    (object) => has(object, "type", "currency") && ["fiat", "crypto"].includes(object["type"]),
    ({ currency, type }) => (type === "crypto") === isCrypto(currency)
  ],
  [
    "a currency is what it is",
    (object) => has(object, "code", "ledger_scale"),
    ({ code, country_code, ledger_scale, networks, type }) =>
      (type === "crypto") === isCrypto(code) &&
      ledger_scale === requireCurrency(code).ledger_scale &&
      (country_code === null) === isCrypto(code) &&
      networks.includes("bank") === !isCrypto(code)
  ],
  [
    "a beneficiary is paid in its currency",
    (object) => has(object, "beneficiary", "status") && typeof object["beneficiary"] === "object",
    (object) => object["beneficiary"].currency === (object["destination_currency"] ?? object["currency"])
  ],
  [
    "a source has the id of its type",
    (object) => has(object, "source_type", "source_id"),
    ({ source_id, source_type }) =>
      kinds.ofId(source_id)?.kind === ({ credential: "wallet_credential" }[source_type as "credential"] ?? source_type)
  ],
  [
    "a resource has the id of its kind",
    // The kind of an external account is that of the place, the kind of a break what differs.
    (object) => has(object, "id", "kind") && !has(object, "identifiers") && !has(object, "exposure", "candidates"),
    ({ id, kind }) => kinds.ofId(id)?.kind === kind
  ],
  [
    "an error is that of an attempt without a good response",
    (object) => has(object, "error") && (has(object, "response_status") || has(object, "status_code")),
    ({ error, response_status, status_code }) => {
      const status = response_status ?? status_code
      return (error === null) === (status !== null && status < 300)
    }
  ],
  [
    "a delivery that has ended is not attempted again",
    (object) => has(object, "next_attempt_at", "attempts") && has(object, "event_type"),
    ({ next_attempt_at, status }) => (next_attempt_at === null) === (status !== "pending")
  ],
  [
    "what is open is not resolved, and what is active is not released",
    (object) => has(object, "resolved_at") || has(object, "released_at") || has(object, "reviewed_at"),
    ({ released_at, resolved_at, reviewed_at, status }) =>
      [released_at, resolved_at, reviewed_at].every(
        (at) => at === undefined || (at === null) === ["open", "active", "pending"].includes(status)
      )
  ],
  [
    "what has ended has a time of its end",
    (object) => has(object, "terminal_at", "status"),
    ({ status, terminal_at }) => (terminal_at !== null) === ended.has(status)
  ],
  [
    "a share is that of its counts",
    (object) => has(object, "succeeded", "failed", "success_share"),
    ({ count, failed, open, succeeded, success_share }) =>
      count === succeeded + failed + open && Math.abs(success_share - succeeded / (succeeded + failed)) < 0.0001
  ],
  [
    "an entry of a timeline is summed up in its own words",
    (object) => has(object, "summary", "type"),
    ({ event_type, operation, provider, summary, to, type }) =>
      [event_type, type === "request" ? operation : undefined, provider, to].every(
        (word) => word === undefined || word === null || summary.includes(word)
      )
  ]
]

covers("SERVICE-23", "SERVICE-25")
describe("in the examples of the OpenAPI document", () => {
  it.each(laws)("%s", (_, concerns, holds) => {
    const found = objects.filter(([, object]) => concerns(object))
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter(([, object]) => !holds(object)).map(([where]) => where)).toEqual([])
  })
})
