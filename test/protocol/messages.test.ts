import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect, Result, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { eventExamples } from "../../scripts/provider-protocol/event-examples.ts"
import { Event } from "../../src/protocol/events.ts"
import { examples } from "../../scripts/provider-protocol/examples.ts"
import { Reported, Text, TEXT_MAX } from "../../src/engine/ports/provider-fields.ts"
import { Cursor, CURSOR_MAX, parseEpoch, Id, ID_MAX } from "../../src/protocol/fields.ts"
import {
  makeAnswer,
  makeRequest,
  readAnswer,
  readEvent,
  readRequest,
  type Request
} from "../../src/protocol/messages.ts"
import { makeEvent } from "../support/protocol/signed-event.ts"
import {
  toAnswerSchema,
  toBodySchema,
  hasId,
  type InputOf,
  type Operation,
  operationNames,
  operations,
  type ResultOf
} from "../../src/protocol/operations.ts"
import { signMessage } from "../../src/protocol/signature.ts"
import { secret, secretOf } from "../support/protocol/scripted-connector.ts"
import { covers } from "../support/repository/covers.ts"

const now_ms = Date.UTC(2026, 4, 4, 9, 30)
const signing = { secrets: [secret], now_ms }
const bytes = (body: string): Uint8Array => Buffer.from(body)

const requestOf = (operation: Operation, request_id = "req_1"): Request => {
  const { id, input } = examples[operation]
  return makeRequest(operation, id, input as InputOf<Operation>, request_id, signing)
}
const received = (request: Request) => ({ ...request, body: bytes(request.body) })
const answered = (operation: Operation, request: Request) => {
  const [result] = Object.values(examples[operation].results)
  const { status, headers, body } = makeAnswer(request, result as ResultOf<Operation>, "ans_1", signing)
  return { status, headers, body: bytes(body) }
}
const signedAgain = (body: string) => ({
  status: 200,
  headers: signMessage([secret], "ans_2", now_ms, body),
  body: bytes(body)
})

describe("a body with a byte order mark", () => {
  it("is no JSON, in an answer, a request and an event, although it is signed", () => {
    const marked = (body: string): string => `\uFEFF${body}`
    const request = requestOf("payout_status")
    const answer = readAnswer(
      request,
      signedAgain(marked(Buffer.from(answered("payout_status", request).body).toString())),
      signing
    )
    assert.strictEqual(Result.isFailure(answer) && answer.failure.reason, "malformed")
    const payout = requestOf("payout")
    const body = marked(payout.body)
    const headers = signMessage([secret], "req_1", now_ms, body)
    const read = readRequest({ ...payout, headers, body: bytes(body) }, signing)
    assert.strictEqual(Result.isFailure(read) && read.failure.status, 400)
    const text = marked(JSON.stringify(Object.values(eventExamples)[0]))
    const event = readEvent({ headers: signMessage([secret], "evt", now_ms, text), body: bytes(text) }, signing)
    assert.isTrue(event !== undefined && Result.isFailure(event))
  })
})

describe("a message of the protocol", () => {
  covers("PROTOCOL-1", "FIELD-11")

  it.effect.each(operationNames)("survives writing and reading: %s", (operation) =>
    Effect.gen(function* () {
      const input = yield* Arbitrary.sampleEffect(
        Arbitrary.schema(operations[operation].input as Schema.Schema<object>),
        { count: 60 }
      )
      const results = yield* Arbitrary.sampleEffect(
        Arbitrary.schema(operations[operation].result as Schema.Schema<object>),
        { count: 60 }
      )
      const id = hasId(operation) ? "off_01k6x0b7z2c4v6n8m1q3w5e7rt.payout/é%2F 1" : null
      for (const given of input) {
        const request = makeRequest(operation, id, given as InputOf<Operation>, "req_1", signing)
        const read = readRequest(received(request), signing)
        assert.deepStrictEqual(
          read,
          Result.succeed({ operation, id, request_id: "req_1", input: given }) as unknown as typeof read
        )
      }
      const request = makeRequest(operation, id, input[0] as InputOf<Operation>, "req_1", signing)
      for (const result of results) {
        const { headers, body } = makeAnswer(request, result as ResultOf<Operation>, "ans_1", signing)
        const read = readAnswer(request, { status: 200, headers, body: bytes(body) }, signing)
        assert.deepStrictEqual(read, Result.succeed(result) as typeof read)
      }
    })
  )

  it.effect("survives writing and reading: events", () =>
    Effect.gen(function* () {
      for (const event of yield* Arbitrary.sampleEffect(Arbitrary.schema(Event), { count: 300 })) {
        const { headers, body } = makeEvent(event, "evt_1", signing)
        assert.deepStrictEqual(readEvent({ headers, body: bytes(body) }, signing), Result.succeed(event))
      }
    })
  )

  it.each([
    ["a text", Text, TEXT_MAX],
    ["a text that may be empty", Reported, TEXT_MAX],
    ["an id", Id, ID_MAX],
    ["a cursor", Cursor, CURSOR_MAX]
  ] as const)("counts the characters of %s as JSON Schema does, not their units", (_, schema, most) => {
    assert.isTrue(Schema.is(schema)("𐍈".repeat(most)))
    assert.isFalse(Schema.is(schema)("𐍈".repeat(most + 1)))
  })

  it("has an example of each operation, result and event, which its schema takes", () => {
    for (const operation of operationNames) {
      const { id, results } = examples[operation]
      const request = requestOf(operation)
      const read = readRequest(received(request), signing)
      assert.isTrue(Result.isSuccess(read), operation)
      for (const [name, result] of Object.entries(results)) {
        const body = { request_id: "req_1", operation, id, result }
        const decoded = Schema.decodeUnknownSync(toAnswerSchema(operation))(body)
        assert.deepStrictEqual(decoded as unknown, body, `${operation}: ${name}`)
      }
    }
    for (const [type, event] of Object.entries(eventExamples)) {
      assert.deepStrictEqual(Schema.decodeUnknownSync(Event)(event) as unknown, event)
      assert.strictEqual(event.type, type)
    }
  })

  it("may have members that its reader does not know, and lack those that may be null", () => {
    const { id, input } = examples.payout
    const { purpose_code: _code, narration: _narration, ...rest } = input
    const body = JSON.stringify({ operation: "payout", id, ...rest, colour: "blue" })
    const headers = signMessage([secret], "req_1", now_ms, body)
    const read = readRequest({ method: "PUT", path: `/payouts/${id}`, headers, body: bytes(body) }, signing)
    assert.deepStrictEqual(Result.getOrThrow(read).input, { ...input, purpose_code: null, narration: null })
  })

  it.each(operationNames)("is verified by an independent implementation of Standard Webhooks: %s", (operation) => {
    const fresh = { secrets: [secret], now_ms: Date.now() }
    const { id, input } = examples[operation]
    const request = makeRequest(operation, id, input as InputOf<Operation>, "req_1", fresh)
    const webhook = new Webhook(secret)
    const valid = webhook.sign("req_1", new Date(Math.floor(fresh.now_ms / 1000) * 1000), request.body)
    assert.strictEqual(request.headers["webhook-signature"], valid)
  })
})

describe("an answer", () => {
  covers("PROTOCOL-2")
  const request = requestOf("payout_status")
  const other = requestOf("payout_status", "req_0")
  const absent = (of: Request, change: object = {}) =>
    JSON.stringify({
      request_id: of.request_id,
      operation: of.operation,
      id: of.id,
      result: { status: "absent" },
      ...change
    })

  it("counts when it is signed, for this request, and says 200", () => {
    const read = readAnswer(request, signedAgain(absent(request)), signing)
    assert.deepStrictEqual(read as unknown, Result.succeed({ status: "absent" }))
  })

  const valid = signedAgain(absent(request))
  it.each([
    ["of another request", signedAgain(absent(other)), "mismatched"],
    ["of another command", signedAgain(absent(request, { id: "off_2.payout" })), "mismatched"],
    ["of another operation", signedAgain(absent(request, { operation: "refund_status" })), "mismatched"],
    ["without a request_id", signedAgain(absent(request, { request_id: undefined })), "mismatched"],
    ["that is null", signedAgain("null"), "mismatched"],
    ["that is a list", signedAgain("[]"), "mismatched"],
    ["that is no JSON", signedAgain("absent"), "malformed"],
    ["cut in the middle", signedAgain(absent(request).slice(0, -5)), "malformed"],
    ["with an unknown status", signedAgain(absent(request, { result: { status: "gone" } })), "malformed"],
    ["without a result", signedAgain(absent(request, { result: undefined })), "malformed"],
    ["without signature", { ...valid, headers: {} }, "unsigned"],
    [
      "signed with another secret",
      { ...valid, headers: signMessage([secretOf(8)], "a", now_ms, valid.body) },
      "unsigned"
    ],
    ["changed after signing", { ...valid, body: bytes(absent(request, { colour: 1 })) }, "unsigned"],
    ["six minutes old", { ...valid, headers: signMessage([secret], "a", now_ms - 360_000, valid.body) }, "stale"],
    ["six minutes ahead", { ...valid, headers: signMessage([secret], "a", now_ms + 360_000, valid.body) }, "stale"],
    ["with 404", { ...valid, status: 404 }, "status"],
    ["with 500", { ...valid, status: 500 }, "status"],
    ["with 201", { ...valid, status: 201 }, "status"]
  ] as const)("does not count: one %s", (_, answer, reason) => {
    const read = readAnswer(request, answer, signing)
    assert.strictEqual(Result.isFailure(read) ? read.failure.reason : "taken", reason)
  })

  it("is taken with the old and the new secret during a rotation", () => {
    const both = { secrets: [secretOf(9), secret], now_ms }
    assert.isTrue(Result.isSuccess(readAnswer(request, valid, both)))
    const signedByBoth = { ...valid, headers: signMessage(both.secrets, "a", now_ms, valid.body) }
    for (const one of both.secrets) {
      assert.isTrue(Result.isSuccess(readAnswer(request, signedByBoth, { secrets: [one], now_ms })))
    }
  })

  it("of each operation is for that operation alone", () => {
    for (const one of operationNames) {
      for (const two of operationNames.filter((name) => name !== one)) {
        const read = readAnswer(requestOf(one), answered(two, requestOf(two)), signing)
        assert.isTrue(Result.isFailure(read), `${one} took the answer of ${two}`)
      }
    }
  })
})

describe("a request", () => {
  covers("PROTOCOL-3")
  const request = requestOf("payout")

  it("is refused when its body is not for its path", () => {
    const moved = [
      { ...request, path: "/payouts/off_2.payout" },
      { ...request, path: request.path.replace("payouts", "conversions") },
      { ...request, path: request.path.replace("payouts", "refunds") }
    ].map((one) => readRequest(received(one), signing))
    assert.deepStrictEqual(
      moved.map((read) => (Result.isFailure(read) ? read.failure.status : 200)),
      [400, 400, 400]
    )
  })

  it("is refused unsigned, late, to an unknown path, or with a body that is no request", () => {
    const body = "{}"
    const statuses = [
      { ...request, headers: {} },
      { ...request, headers: signMessage([secret], "r", now_ms - 301_000, request.body) },
      { ...request, path: "/payins/1" },
      { ...request, method: "POST" as const },
      { ...request, path: "/payouts/%E0%A4%A" },
      { ...request, body, headers: signMessage([secret], "r", now_ms, body) },
      { ...requestOf("banks"), body, headers: signMessage([secret], "r", now_ms, body) }
    ].map((one) => {
      const read = readRequest(received(one), signing)
      return Result.isFailure(read) ? read.failure.status : 200
    })
    assert.deepStrictEqual(statuses, [401, 401, 404, 404, 404, 400, 400])
  })

  it("has an id exactly where its operation has one", () => {
    assert.throws(() => makeRequest("payout", null, examples.payout.input, "r", signing), TypeError)
    assert.throws(() => makeRequest("rates", "x", {}, "r", signing), TypeError)
  })

  it("names its operation and id in every body", () => {
    for (const operation of operationNames.filter((one) => operations[one].method !== "GET")) {
      const { body } = requestOf(operation)
      const decoded = Schema.decodeUnknownSync(toBodySchema(operation))(JSON.parse(body))
      assert.deepInclude(decoded as object, { operation, id: examples[operation].id })
    }
  })
})

describe("an event", () => {
  it("is not taken from an answer or a request with the same secret", () => {
    for (const operation of operationNames) {
      const request = requestOf(operation)
      assert.isUndefined(readEvent(received(request), signing))
      assert.isUndefined(readEvent(answered(operation, request), signing))
    }
  })

  it("is not taken unsigned, late or changed", () => {
    const { headers, body } = makeEvent(eventExamples.payin, "evt_93", signing)
    assert.isUndefined(readEvent({ headers: {}, body: bytes(body) }, signing))
    assert.isUndefined(readEvent({ headers, body: bytes(body) }, { ...signing, now_ms: now_ms + 301_000 }))
    assert.isUndefined(readEvent({ headers, body: bytes(body.replace("25000", "95000")) }, signing))
    assert.isDefined(readEvent({ headers, body: bytes(body) }, signing))
  })
})

describe("an instant", () => {
  it.each([
    ["2026-05-04T09:30:00Z", Date.UTC(2026, 4, 4, 9, 30)],
    ["2026-05-04T09:30:00.123456+00:00", Date.UTC(2026, 4, 4, 9, 30, 0, 123)],
    ["2026-02-30T09:30:00Z", undefined],
    ["2026-05-04T25:30:00Z", undefined],
    ["2026-05-04T24:00:00Z", undefined],
    ["2026-05-04T09:30:00+02:00", undefined],
    ["2026-05-04 09:30:00Z", undefined],
    ["2026-05-04", undefined],
    ["1777887000", undefined]
  ])("is an RFC 3339 text in UTC: %s", (text, at) => {
    assert.strictEqual(parseEpoch(text), at)
  })
})
