/** The guide: its messages are valid, its code works, and what it names exists. */
import { Result, Schema } from "effect"
import { Webhook } from "standardwebhooks"
import { assert, describe, it } from "vitest"
import { TEXT_MAX } from "../../src/engine/ports/provider-fields.ts"
import { CURSOR_MAX, ID_MAX } from "../../src/protocol/fields.ts"
import { Details } from "../../src/protocol/details.ts"
import { Manifest } from "../../src/protocol/results.ts"
import { makeRequest, readAnswer, readEvent, readRequest, type VerifiedRequest } from "../../src/protocol/messages.ts"
import { operationNames, operations, type Service } from "../../src/protocol/operations.ts"
import { DEFAULT_MAX_BYTES, DEFAULT_TIMEOUT_MS } from "../../src/protocol/transport.ts"
import { guide, messages, secret } from "../support/connectors/guide.ts"
import { covers } from "../support/repository/covers.ts"

const [put, accepted, get, absent, event] = messages
const signingOf = ({ headers }: { headers: Record<string, string> }) => ({
  secrets: [secret],
  now_ms: Number(headers["webhook-timestamp"]) * 1000
})

const requestIn = (message: NonNullable<typeof put>): VerifiedRequest => {
  const [method = "", path = ""] = message.first.split(" ")
  const { headers, body } = message
  return Result.getOrThrow(readRequest({ method, path, headers, body: Buffer.from(body) }, signingOf(message)))
}

describe("docs/provider-protocol.md", () => {
  covers("PROTOCOL-1")

  it("has five messages, which an independent implementation signs alike", () => {
    assert.lengthOf(messages, 5)
    for (const { headers, body } of messages) {
      const at = new Date(Number(headers["webhook-timestamp"]) * 1000)
      assert.strictEqual(new Webhook(secret).sign(headers["webhook-id"]!, at, body), headers["webhook-signature"])
    }
  })

  it("has a payout, a look-up, their answers and an event that this code takes", () => {
    for (const [message, answer, result] of [
      [put!, accepted!, { status: "accepted", awaited_person: null }],
      [get!, absent!, { status: "absent" }]
    ] as const) {
      const { operation, id, request_id, input } = requestIn(message)
      const request = makeRequest(operation, id, input, request_id, signingOf(message))
      const read = readAnswer(
        request,
        { status: 200, headers: answer.headers, body: Buffer.from(answer.body) },
        signingOf(answer)
      )
      assert.deepEqual(read as unknown, Result.succeed(result))
    }
    const read = readEvent({ headers: event!.headers, body: Buffer.from(event!.body) }, signingOf(event!))
    assert.deepInclude(Result.getOrThrow(read!), { type: "movement", outcome: "success" })
  })

  it("has a manifest that is one", () => {
    const [, manifest = ""] = /```json\n([\s\S]*?)```/.exec(guide) ?? []
    const { events, offers } = Schema.decodeUnknownSync(Manifest)(JSON.parse(manifest))
    assert.deepEqual(events, { callbacks: true, readable: true })
    assert.deepEqual(
      offers.map(({ operation }) => operation),
      ["payout", "issue", "directory"]
    )
  })

  it("names each member of the details of an account and of an address", () => {
    const [, section = ""] = /### Issued accounts and addresses\n([\s\S]*?)\n## /.exec(guide) ?? []
    for (const { fields } of Details.members)
      for (const name of Object.keys(fields)) assert.include(section, `\`${name}\``)
  })

  it("lists every service with all of its operations", () => {
    const rows = new Map(
      [...guide.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)].map(([, offer = "", row = ""]) => [offer, row])
    )
    const services = new Set(operationNames.flatMap((name) => operations[name].service ?? []))
    for (const service of services as Set<Service>) {
      const paths = operationNames
        .filter((name) => operations[name].service === service)
        .map((name) => operations[name].path.replace("/{id}", ""))
      assert.deepEqual(
        paths.filter((path) => rows.get(service)?.includes(path) !== true),
        [],
        service
      )
    }
    for (const { path } of operationNames.map((name) => operations[name]).filter(({ service }) => service === null)) {
      assert.include(guide, path)
    }
  })

  it("states the limits that the code has", () => {
    const stated = guide.slice(guide.indexOf("## Limits")).replaceAll("\n", " ")
    for (const limit of [
      `waits ${DEFAULT_TIMEOUT_MS / 1000} seconds`,
      `at most ${DEFAULT_MAX_BYTES / 1024 / 1024} MiB`,
      `a text ${TEXT_MAX} characters`,
      `an id ${ID_MAX}`,
      `a cursor ${CURSOR_MAX.toLocaleString("en-US")}`
    ]) {
      assert.include(stated, limit)
    }
  })
})
