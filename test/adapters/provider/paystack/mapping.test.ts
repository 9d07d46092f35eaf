/** The table of answers, as a law: every status with every body maps to something, and only listed answers release money. */
import { assert, describe, it } from "@effect/vitest"
import { Chance } from "../../../../src/testing/program/random.ts"
import { readJson, writeJson } from "../../../../src/adapters/provider/company/client.ts"
import {
  toCommandId,
  type Expected,
  readVerifyReply,
  refunds,
  transfers,
  toPaystackReference,
  transferStates
} from "../../../../src/adapters/provider/paystack/mapping.ts"
import { covers } from "../../../support/repository/covers.ts"

const expected: Expected = {
  reference: "off_01k6x0b7z20000000000000001-payout",
  units: 150_050n,
  currency: "NGN",
  domain: "test"
}

const transfer = {
  id: 1,
  reference: expected.reference,
  status: "success",
  amount: 150_050,
  currency: "NGN",
  domain: "test"
}

const words = [...Object.keys(transferStates), "queued", "SUCCESS", "", "constructor", "__proto__"]
const messages = [
  "Transfer has been queued",
  "Please provide a unique reference. Reference already exists on a transfer",
  "Your balance is not enough to fulfil this request",
  "You cannot initiate third party payouts as a starter business",
  "Recipient specified is invalid",
  "Could not resolve account name",
  "Account flagged for fraud",
  "Invalid key",
  "Transfer not found",
  "An error occurred",
  "Something went wrong",
  ""
]
const codes = ["", "duplicate_transfer_reference", "insufficient_balance", "transfer_not_found", "unknown", 7, null]
const statuses = [
  ...[200, 200, 200, 200, 200],
  201,
  202,
  204,
  301,
  302,
  307,
  400,
  401,
  402,
  403,
  404,
  405,
  408,
  409,
  410,
  418,
  422,
  425,
  429,
  451,
  500,
  501,
  502,
  503,
  504,
  520,
  599
]

/** A body of a grammar: Paystack's own, with one thing wrong or none; or something else. */
const drawBody = (
  chance: Chance
): { readonly text: string; readonly own: boolean; readonly message: string; readonly code: unknown } => {
  const message = chance.pick(messages)
  const code = chance.pick(codes)
  const data = { ...transfer, status: chance.pick(words) } as Record<string, unknown>
  const wrongs: ReadonlyArray<() => void> = [
    () => undefined,
    () => undefined,
    () => void (data["amount"] = chance.pick([1, -150_050, 1500.5, "x", null])),
    () => void (data["currency"] = chance.pick(["GHS", null, 7])),
    () => void (data["reference"] = chance.pick(["other", null])),
    () => void (data["domain"] = "live"),
    () => void delete data[chance.pick(Object.keys(data))]
  ]
  chance.pick(wrongs)()
  const status = chance.pick([true, false, false, "true", 1, null])
  const text = JSON.stringify({
    status,
    message,
    ...(code === "" ? {} : { code }),
    data: chance.pick([data, null, [], {}])
  })
  const others = [
    "",
    "<html></html>",
    "null",
    "[]",
    "7",
    '"text"',
    text.slice(0, chance.between(0, text.length - 1)),
    `${text}}`
  ]
  return chance.between(0, 3) === 0
    ? { text: chance.pick(others), own: false, message: "", code: undefined }
    : { text, own: typeof status === "boolean", message, code }
}

describe("the mapping", () => {
  covers("COMPANY-3")
  it("maps every status and body to something, and releases money for listed answers alone", () => {
    const seen = new Map<string, number>()
    for (let seed = 0; seed < 15_000; seed++) {
      const chance = new Chance(`paystack ${seed}`)
      const body = drawBody(chance)
      const status = chance.pick(statuses)
      const reply = { status, json: readJson(body.text) }
      const [posted, refunded, verified] = [
        transfers.readPosted(reply, expected),
        refunds.readPosted(reply, expected),
        readVerifyReply(reply, expected)
      ]
      const shown = `seed ${seed}: ${status} ${body.text}`
      seen.set(posted._tag, (seen.get(posted._tag) ?? 0) + 1)
      const parsed = body.own
        ? (JSON.parse(body.text) as { readonly status: boolean; readonly data: { readonly status?: string } | null })
        : undefined
      const isFound = parsed?.status === true && status >= 200 && status < 300 && parsed.data?.status !== undefined
      // Written apart from the table: what may release money, and nothing else.
      const isRefusal = parsed?.status === false && body.own
      const says = body.message
      const mayBeUnexecuted =
        isRefusal &&
        ((status === 400 && (body.code === "insufficient_balance" || says.includes("balance is not enough"))) ||
          [401, 403, 429].includes(status) ||
          ([400, 403].includes(status) && says.includes("third party")) ||
          ([400, 403, 422].includes(status) && says.includes("fraud")) ||
          ([400, 404, 422].includes(status) && (says.includes("is invalid") || says.includes("Could not resolve"))))
      if (posted._tag === "not_executed") assert.isTrue(mayBeUnexecuted, shown)
      if (refunded._tag === "not_executed") assert.isTrue(mayBeUnexecuted, shown)
      if (posted._tag === "exists")
        assert.isTrue(
          isRefusal && (body.code === "duplicate_transfer_reference" || says.includes("already exists")),
          shown
        )
      for (const one of [posted, verified])
        if (one._tag === "found") {
          assert.isTrue(isFound, shown)
          const word = parsed!.data!.status!
          const released = ["failed", "abandoned", "blocked", "rejected"].includes(word)
          assert.strictEqual(one.outcome?.outcome === "failed", released, shown)
          assert.strictEqual(one.outcome?.outcome === "success", word === "success", shown)
          assert.strictEqual(one.outcome?.outcome === "returned", word === "reversed", shown)
        }
      if (verified._tag === "missing") assert.isTrue(isRefusal && status === 404 && says.includes("not found"), shown)
    }
    assert.deepStrictEqual([...seen.keys()].sort(), ["exists", "found", "not_executed", "unknown"])
    for (const count of seen.values()) assert.isAbove(count, 15)
  })

  it("turns a command into a reference that Paystack takes, and back", () => {
    for (const id of [
      "off_01k6x0b7z20000000000000001.payout",
      "dep_01k6x0b7z20000000000000001.refund",
      "dep_01k6x0b7z20000000000000001.refund.2"
    ]) {
      assert.match(toPaystackReference(id)!, /^[a-z0-9_-]{16,50}$/)
      assert.strictEqual(toCommandId(toPaystackReference(id)!), id)
    }
    for (const id of [
      "short.payout",
      "OFF_01k6x0b7z20000000000000001.payout",
      "off-01k6x0b7z20000000000000001.payout",
      `off_${"x".repeat(50)}`
    ])
      assert.isUndefined(toPaystackReference(id))
  })

  covers("COMPANY-10")
  it("keeps the digits of every number, and writes an amount as digits", () => {
    assert.deepStrictEqual(readJson('{"id":9007199254740993,"zero":-0,"list":[1.50,1e3],"text":"044"}'), {
      id: "9007199254740993",
      zero: "-0",
      list: ["1.50", "1e3"],
      text: "044"
    })
    assert.strictEqual(
      writeJson({ a: 'x"', b: undefined }, { amount: 9007199254740993n }),
      '{"a":"x\\"","amount":9007199254740993}'
    )
  })
})
