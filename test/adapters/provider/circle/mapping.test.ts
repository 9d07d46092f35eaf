/** The tables, as a law: every status with every body maps to something, and only listed answers release money. */
import { assert, describe, it } from "@effect/vitest"
import {
  type ExpectedPayment,
  type PaymentKind,
  readFound,
  readPosted,
  states
} from "../../../../src/adapters/provider/circle/mapping.ts"
import { readJson } from "../../../../src/adapters/provider/company/client.ts"
import { Chance } from "../../../../src/testing/program/random.ts"
import { covers } from "../../../support/repository/covers.ts"

const address = "0xabcdef0123456789abcdef0123456789abcdef01"
const expectedOf: Readonly<Record<PaymentKind, ExpectedPayment>> = {
  transfer: { kind: "transfer", command_id: "tfr_1.payout", units: 25_500_000n, to: address, chain: "BASE" },
  payout: { kind: "payout", command_id: "off_1.payout", units: 25_500_000n, to: "bank-1", chain: null }
}
const amount = { amount: "25.50", currency: "USD" }
const createDate = "2026-11-29T00:00:00.000Z"
const paymentOf = (kind: PaymentKind): Record<string, unknown> =>
  kind === "transfer"
    ? {
        ...{ id: "t-1", status: "complete", amount, createDate, source: { type: "wallet", id: "1" } },
        destination: { type: "blockchain", address: address.toUpperCase().replace("0X", "0x"), chain: "BASE" }
      }
    : { id: "p-1", status: "complete", amount, createDate, destination: { type: "wire", id: "bank-1" } }

const words = [
  "pending",
  "running",
  "complete",
  "failed",
  "failed",
  "returned",
  "COMPLETE",
  "",
  "constructor",
  "__proto__"
]
const errorCodes = [
  ...["insufficient_funds", "transfer_denied", "transfer_failed", "blockchain_error", "transaction_denied"],
  ...["transaction_failed", "transaction_returned", "bank_transaction_error", "vendor_inactive", "toString", "none"]
]
const backs = ["none", "none", null, ...["pending", "complete", "failed", "lost"].map((status) => ({ status, amount }))]
const statuses = [
  ...[
    200, 200, 200, 201, 201, 201, 202, 204, 301, 302, 307, 400, 400, 400, 401, 402, 403, 404, 405, 408, 409, 410, 418
  ],
  ...[422, 422, 425, 429, 451, 500, 501, 502, 503, 504, 520, 599]
]
const codes = [
  ...[-1, 1, 2, 3, 400, 401, 404, 429, 1077, 1083, 1088, 1093, 1107, 2003, 2004, 2005, 5001, 5003, 5004, 5006, 5011],
  ...["2", "x", null, 2.5]
]

/** An answer of a grammar: Circle's own, with one thing wrong or none; or something else. */
const drawAnswer = (chance: Chance, kind: PaymentKind) => {
  const data = { ...paymentOf(kind), status: chance.pick(words) }
  const errorCode = chance.pick(errorCodes)
  if (errorCode !== "none" && chance.between(0, 2) > 0) Object.assign(data, { errorCode })
  const back = chance.pick(backs)
  if (back !== "none") Object.assign(data, { return: back })
  if (chance.between(0, 3) === 0) Object.assign(data, { transactionHash: "0x1" })
  const wrongs: ReadonlyArray<() => void> = [
    ...Array.from({ length: 4 }, () => () => undefined),
    () => Object.assign(data, { amount: { amount: chance.pick(["25.51", "-25.50", "x", ""]), currency: "USD" } }),
    () => Object.assign(data, { amount: { amount: "25.50", currency: "EUR" } }),
    () => Object.assign(data, { destination: { type: "blockchain", address, chain: "ETH", id: "bank-2" } }),
    () => void delete (data as Record<string, unknown>)[chance.pick(Object.keys(data))]
  ]
  chance.pick(wrongs)()
  const code = chance.pick(codes)
  const message = chance.pick(["Something went wrong.", "Not found.", "", 7])
  const own = JSON.stringify(chance.between(0, 1) === 0 ? { data } : { code, message })
  const others = ["", "<html></html>", "null", "[]", "7", '{"message":"Forbidden"}', own.slice(0, -1), `${own}}`]
  const text = chance.between(0, 3) === 0 ? chance.pick(others) : own
  return { status: chance.pick(statuses), json: readJson(text), text }
}

/** What releases money, said here by hand and not by the tables. */
const isRefusal = (status: number, json: unknown): boolean => {
  const { code, message } = (json ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  if (typeof message !== "string" || typeof code !== "string" || !/^-?\d+$/.test(code)) return false
  if ([401, 403, 404, 429].includes(status)) return true
  const listed = ["2", "1077", "1088", "1093", "1107", "2004", "2005", "5003", "5004", "5006", "5011"]
  return (status === 400 || status === 422) && listed.includes(code)
}
const isFailure = (kind: PaymentKind, json: unknown): boolean => {
  const { data } = json as { readonly data: Record<string, unknown> }
  const { errorCode, return: back, status, transactionHash } = data
  const isOn = kind === "transfer" && typeof transactionHash === "string"
  const hasReturn = kind === "payout" && back !== undefined && back !== null
  const listed =
    kind === "transfer"
      ? ["insufficient_funds", "transfer_denied", "transfer_failed", "blockchain_error"]
      : ["insufficient_funds", "transaction_denied", "transaction_failed", "bank_transaction_error", "vendor_inactive"]
  return status === "failed" && listed.includes(errorCode as string) && !isOn && !hasReturn
}

describe("the mapping", () => {
  covers("CIRCLE-3")
  it("maps every status and body to something, and releases money for listed answers alone", () => {
    const chance = new Chance("circle mapping")
    const seen = new Map<string, number>()
    for (let n = 0; n < 12_000; n++) {
      const kind = chance.pick(["transfer", "payout"] as const)
      const { json, status, text } = drawAnswer(chance, kind)
      const posted = readPosted({ status, json }, expectedOf[kind])
      const found = readFound({ status, json }, expectedOf[kind])
      const shown = `${kind} ${status} ${text}`
      const outcome = posted._tag === "found" ? (posted.outcome?.outcome ?? "open") : ""
      const word = `${posted._tag} ${outcome}`.trim()
      seen.set(word, (seen.get(word) ?? 0) + 1)
      if (posted._tag === "not_executed") assert.isTrue(isRefusal(status, json), shown)
      if (isRefusal(status, json)) assert.strictEqual(posted._tag, "not_executed", shown)
      if (outcome === "failed") assert.isTrue(isFailure(kind, json), shown)
      // A look-up by Circle's id is never told that there is nothing.
      assert.include(["found", "unknown"], found._tag, shown)
      if (posted._tag === "found") assert.deepStrictEqual(found, posted, shown)
      if (status > 299) assert.notStrictEqual(posted._tag, "found", shown)
    }
    assert.deepStrictEqual([...seen.keys()].sort(), [
      ...["found failed", "found open", "found returned", "found success", "not_executed", "unknown"]
    ])
  })

  covers("CIRCLE-6")
  it("has a return as what came back, with what was added and taken for an exchange", () => {
    const back = { status: "complete", amount, fees: { amount: "1.00", currency: "USD" }, reason: "payout_returned" }
    const adjustments = { fxCredit: { amount: "0.30", currency: "USD" }, fxDebit: { amount: "5.10", currency: "USD" } }
    const json = { data: { ...paymentOf("payout"), return: back, adjustments, trackingRef: "CIR-1" } }
    const found = readFound({ status: 200, json }, expectedOf.payout)
    assert.deepStrictEqual(found, {
      ...{ _tag: "found", id: "p-1", state: "complete, return complete" },
      outcome: {
        ...{ outcome: "returned", reason: "payout_returned", transaction_hash: null, amount: "20.70", fee: "1.00" },
        provider_reference: "CIR-1"
      }
    })
  })

  covers("CIRCLE-6")
  it("pays what reached the bank, and not what was asked", () => {
    const over = { toAmount: { amount: "24.50", currency: "USD" }, fees: { amount: "1.00", currency: "USD" } }
    const found = readFound({ status: 200, json: { data: { ...paymentOf("payout"), ...over } } }, expectedOf.payout)
    assert.deepInclude((found as { readonly outcome: object }).outcome, { amount: "24.50", fee: "1.00" })
  })

  covers("CIRCLE-3")
  it("says of each state what it means and whether money may still leave", () => {
    for (const table of Object.values(states))
      for (const [state, { left, mayLeave, port }] of Object.entries(table)) {
        if (port === "failed") assert.deepStrictEqual([mayLeave, left === "yes"], [false, false], state)
        if (mayLeave) assert.strictEqual(port, "pending", state)
      }
  })
})
