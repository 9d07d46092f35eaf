/** Each method of the port asks what the protocol says, and takes what it answers. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import type { ProviderFault } from "../../../../src/engine/ports/errors.ts"
import type { Provider, ProviderEvent, UnreadableEvent } from "../../../../src/engine/ports/Provider.ts"
import { ProviderEvent as PortEvent } from "../../../../src/engine/ports/provider-events.ts"
import { eventExamples } from "../../../../scripts/provider-protocol/event-examples.ts"
import { examples } from "../../../../scripts/provider-protocol/examples.ts"
import { makeRequest } from "../../../../src/protocol/messages.ts"
import { makeEvent } from "../../../support/protocol/signed-event.ts"
import { type Operation, operationNames } from "../../../../src/protocol/operations.ts"
import { fullManifest, startProvider } from "../../../support/protocol/http-provider.ts"
import { makeScriptedConnector, secret, secretOf } from "../../../support/protocol/scripted-connector.ts"
import { signMessage } from "../../../../src/protocol/signature.ts"
import { covers } from "../../../support/repository/covers.ts"

const { payout, conversion, issue, instruction, refund, verification, screen, resolve_account, resolve_proxy } =
  examples
const idOf = (operation: Operation): string => examples[operation].id!
const { line2: _, ...address } = payout.input.originator!.address!

/** The commands of the port that become the requests of the examples. */
const commands = {
  payout: {
    id: idOf("payout"),
    ...payout.input,
    originator: { ...payout.input.originator!, address: { ...address, state: "Western Cape", postal_code: "8001" } },
    destination: payout.input.destination
  },
  conversion: { id: idOf("conversion"), ...conversion.input, originator: null },
  issue: { id: idOf("issue"), ...issue.input },
  instruction: {
    id: idOf("instruction"),
    ...instruction.input,
    expires_at: Date.parse(instruction.input.expires_at)
  },
  refund: { id: idOf("refund"), ...refund.input },
  verification: { id: idOf("verification"), ...verification.input },
  screening: { screening_id: idOf("screen"), ...screen.input }
}

type Asked = Effect.Effect<unknown, ProviderFault>
type AnyProvider = Provider["Service"]

/** A method of the port for each operation, and what it makes of each example of a result. */
const methods: Readonly<
  Partial<Record<Operation, readonly [(provider: AnyProvider) => Asked, { readonly [result: string]: unknown }]>>
> = {
  payout: [
    ({ payouts }) => payouts!.submit(commands.payout as never),
    {
      accepted: { _tag: "accepted", awaited_person: null },
      settled: { _tag: "settled", outcome: payout.results["settled"] },
      rejected: { _tag: "rejected", reason: "amount_above_limit", refundable: true },
      unavailable: { _tag: "unavailable" }
    }
  ],
  payout_status: [
    ({ payouts }) => payouts!.lookup(commands.payout as never),
    {
      absent: { _tag: "absent" },
      pending: { _tag: "pending", awaited_person: null },
      waiting: {
        _tag: "pending",
        awaited_person: (examples.payout_status.results["waiting"] as { awaited_person: object }).awaited_person
      },
      settled: { _tag: "settled", outcome: payout.results["settled"] },
      failed: { _tag: "settled", outcome: examples.payout_status.results["failed"] }
    }
  ],
  conversion: [
    ({ liquidity }) => liquidity!.submit(commands.conversion as never),
    { accepted: { _tag: "accepted", awaited_person: null }, unavailable: { _tag: "unavailable" } }
  ],
  conversion_status: [
    ({ liquidity }) => liquidity!.lookup(commands.conversion as never),
    { absent: { _tag: "absent" }, pending: { _tag: "pending", awaited_person: null } }
  ],
  issue: [
    ({ payins }) => payins!.issue(commands.issue as never),
    {
      pending: { _tag: "pending" },
      rejected: { _tag: "rejected", reason: "holder_not_accepted" },
      issued: {
        _tag: "issued",
        issued: {
          provider_resource_id: "va_88121",
          target: "9912345678",
          details: {
            accountNumber: "9912345678",
            accountName: "CORRIDOR/THABO MOKOENA",
            bankName: "Example Bank",
            bankCode: "058",
            reference: null
          }
        }
      }
    }
  ],
  instruction: [
    ({ payins }) => payins!.instruct(commands.instruction as never),
    {
      issued: {
        accountName: "CORRIDOR COLLECTIONS",
        accountNumber: "1020304050",
        bankName: "Example Bank",
        bankCode: "058",
        depositReference: "CRD7K2M9QX"
      }
    }
  ],
  refund: [
    ({ payins }) => payins!.refund(commands.refund as never),
    {
      accepted: { _tag: "accepted", awaited_person: null },
      rejected: { _tag: "rejected", reason: "amount_above_limit", refundable: true }
    }
  ],
  refund_status: [
    ({ payins }) => payins!.lookupRefund(commands.refund as never),
    { absent: { _tag: "absent" }, pending: { _tag: "pending", awaited_person: null } }
  ],
  verification: [
    ({ verification }) => verification!.start(commands.verification as never),
    {
      started: {
        hosted_url: "https://verify.example.com/s/5f1c0e",
        expires_at: Date.parse("2026-05-05T09:30:00.000Z")
      }
    }
  ],
  verification_status: [
    ({ verification }) => verification!.lookup(commands.verification as never),
    {
      absent: { _tag: "absent" },
      pending: { _tag: "pending" },
      opened: { _tag: "opened" },
      approved: { _tag: "approved" },
      rejected: { _tag: "rejected", reason: "document_expired" }
    }
  ],
  screen: [
    ({ screening }) => screening!.screen(commands.screening as never),
    { cleared: "cleared", held: "held", refused: "refused" }
  ],
  resolve_account: [
    ({ directory }) =>
      directory!.resolveAccount({ ...resolve_account.input, bank: { id: "prov_1", ...resolve_account.input.bank } }),
    {
      resolved: { _tag: "resolved", account_name: "ADAEZE OKAFOR" },
      unresolved: { _tag: "unresolved" },
      unchecked: { _tag: "unchecked" }
    }
  ],
  resolve_proxy: [
    ({ directory }) => directory!.resolveProxy(resolve_proxy.input.proxy),
    { resolved: { _tag: "resolved", account_name: "T MOKOENA" }, unregistered: { _tag: "unregistered" } }
  ],
  balances: [
    ({ statements }) => statements!.balances,
    { balances: (examples.balances.results["balances"] as { balances: unknown }).balances }
  ],
  statements: [
    ({ statements }) => statements!.lines("41"),
    {
      statements: {
        lines: [
          {
            ...(examples.statements.results["statements"] as { lines: ReadonlyArray<object> }).lines[0],
            booked_at: Date.parse("2026-05-04T09:30:12.000Z")
          }
        ],
        cursor: "42"
      }
    }
  ]
}

/** The part of an expectation that the protocol calls `settled`. */
const plain = (value: unknown): unknown => {
  const { outcome } = (value ?? {}) as { outcome?: { readonly outcome?: unknown } }
  return typeof outcome?.outcome === "object" ? { ...(value as object), outcome: outcome.outcome } : value
}

describe("the provider of a connector", () => {
  covers("PROTOCOL-11", "PROTOCOL-4")

  it.live.each(Object.entries(methods))("asks and takes every result: %s", ([operation, [method, expected]]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const results = examples[operation as Operation].results
        let result: unknown = fullManifest
        const connector = yield* makeScriptedConnector(({ request, answer }) =>
          answer(request.operation === "manifest" ? fullManifest : result)
        )
        const provider = yield* startProvider(connector.url)
        for (const [name, port] of Object.entries(expected)) {
          result = results[name]
          assert.deepStrictEqual(yield* method(provider), plain(port), name)
        }
        const { id, input } = examples[operation as Operation]
        const asked = connector.received.filter((request) => request.operation === operation)
        assert.lengthOf(asked, Object.keys(expected).length)
        for (const request of asked) {
          assert.deepStrictEqual(request.input as unknown, input)
          if (operation.startsWith("resolve")) assert.match(request.id!, /^req_[0-9a-z]{26}$/)
          else assert.strictEqual(request.id, id)
        }
        for (const status of ["conflict", "unsupported"]) {
          // Not every operation can answer `conflict`. Then the answer is malformed, and a fault as well.
          if (status === "conflict" && !("conflict" in results)) continue
          result = { status }
          const fault = yield* Effect.flip(method(provider))
          assert.strictEqual(fault._tag, "ProviderFault")
          assert.include(fault.message, status)
        }
      })
    )
  )

  it("covers each operation but those with tests of their own", () => {
    const own: ReadonlyArray<Operation> = ["manifest", "banks", "rates", "events", "issue_status", "instruction_status"]
    assert.sameMembers([...Object.keys(methods), ...own], operationNames as Array<string>)
  })

  it.live("fails, and does not die, for a command that the protocol cannot express", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(fullManifest))
        const provider = yield* startProvider(connector.url)
        const long = { ...commands.payout, id: "x".repeat(201) } as never
        const fault = yield* Effect.flip(provider.payouts!.submit(long))
        assert.include(fault.message, "cannot be sent")
        assert.lengthOf(connector.received, 1)
      })
    )
  )
})

const decodePort = Schema.decodeUnknownOption(PortEvent)

describe("an event of a connector", () => {
  covers("PROTOCOL-5")

  it.live.each(Object.values(eventExamples))("is one of the port, by callback and by reading alike: $type", (event) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ request, answer }) =>
          answer(request.operation === "manifest" ? fullManifest : { events: [event], cursor: "1" })
        )
        const { events } = yield* startProvider(connector.url)
        const signed = makeEvent(event, event.id, { secrets: [secret], now_ms: Date.now() })
        const called = yield* events!.decode!(signed.headers, signed.body)
        const { _tag, event_id } = called as ProviderEvent
        assert.deepStrictEqual([_tag, event_id] as const, [event.type, event.id])
        assert.isTrue(Option.isSome(decodePort(called)))
        const page = yield* events!.after!(null)
        assert.deepStrictEqual(page, { events: [called as ProviderEvent], cursor: "1" })
      })
    )
  )

  it.live("has instants in milliseconds, no blank texts, and four digits of the payer's account", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(fullManifest))
        const { events } = yield* startProvider(connector.url)
        const decode = (event: object) => {
          const { headers, body } = makeEvent(event as never, "1", { secrets: [secret], now_ms: Date.now() })
          return events!.decode!(headers, body)
        }
        const sender = { name: "MARY BELLO", bank: null, account_number: "0123456789" }
        const payin = yield* decode({ ...eventExamples.payin, transaction_hash: "", sender })
        assert.deepInclude(payin as object, {
          observed_at: Date.parse("2026-05-04T09:31:00.000Z"),
          transaction_hash: null,
          sender: { name: "MARY BELLO", account_number: "6789" }
        })
        const movement = yield* decode({ ...eventExamples.movement, reason: "", provider_reference: "" })
        assert.deepInclude(movement as object, { reason: null, provider_reference: null, amount: "149250.00" })
      })
    )
  )

  it.live("is taken only when it is signed with one of the secrets, in time", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(fullManifest))
        const { events } = yield* startProvider(connector.url, { secret: [secretOf(3), secret] })
        const taken = (fill: number, ahead_ms = 0) => {
          const signing = { secrets: [secretOf(fill)], now_ms: Date.now() + ahead_ms }
          const { headers, body } = makeEvent(eventExamples.movement, "1", signing)
          return Effect.map(events!.decode!(headers, body), (event) => event !== undefined)
        }
        assert.isTrue(yield* taken(3))
        assert.isTrue(yield* taken(7))
        assert.isFalse(yield* taken(4))
        assert.isFalse(yield* taken(7, -301_000))
        assert.isFalse(yield* taken(7, 302_000))
        assert.isUndefined(yield* events!.decode!({}, JSON.stringify(eventExamples.movement)))
      })
    )
  )

  it.live("that cannot be read does not hide the others on its page", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const broken = { ...eventExamples.payin, amount: 25000 }
        let asked: unknown
        const connector = yield* makeScriptedConnector(({ request, answer }) => {
          if (request.operation === "manifest") return answer(fullManifest)
          asked = request.input
          const page = { events: [eventExamples.movement, eventExamples.issued], cursor: "3" }
          answer(page, {
            resign: (body) =>
              body.replace(/\{"operation":"event","id":"evt_94".*?"reference":null\}\}/, JSON.stringify(broken))
          })
        })
        const { events } = yield* startProvider(connector.url)
        const page = yield* events!.after!("2")
        assert.deepStrictEqual(asked, { after: "2" })
        assert.strictEqual(page.cursor, "3")
        assert.strictEqual(page.events[0]!._tag, "movement")
        assert.deepStrictEqual<unknown>(page.events[1], {
          _tag: "unreadable",
          content: broken,
          fault: "amount is the number 25000; it takes a string"
        })
      })
    )
  )

  covers("PROTOCOL-10")
  it.live(
    "that is signed and no event says what was found and what is taken; one of our own messages is no callback",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const connector = yield* makeScriptedConnector(({ answer }) => answer(fullManifest))
          const { events } = yield* startProvider(connector.url)
          const signing = { secrets: [secret], now_ms: Date.now() }
          const decode = (body: string | Buffer) =>
            events!.decode!(
              signMessage(signing.secrets, "1", signing.now_ms, body),
              body.toString(),
              typeof body === "string" ? Buffer.from(body) : body
            )
          const { movement, payin } = eventExamples
          const { resource_id: _, ...nameless } = movement
          for (const [body, fault] of [
            ["{", "the body is not JSON in UTF-8"],
            [Buffer.from([0x22, 0xff, 0x22]), "the body is not JSON in UTF-8"],
            ["[]", "the event is an empty array; it takes an object"],
            ["null", "the event is null; it takes an object"],
            [JSON.stringify({ ...movement, type: "payout" }), 'type is "payout"; it takes one of movement, refund'],
            [JSON.stringify(nameless), "resource_id is missing"],
            [JSON.stringify({ ...movement, outcome: "done", fee: 1 }), 'outcome is "done"; it takes one of "success"'],
            [JSON.stringify({ ...payin, sender: { account_number: 123456789 } }), "sender.account_number is not valid"],
            [JSON.stringify({ ...payin, target: "a\u0000" }), "target is"]
          ] as const) {
            const found = yield* decode(body)
            assert.strictEqual(found?._tag, "unreadable", String(body))
            assert.include((found as UnreadableEvent).fault, fault)
            assert.notInclude((found as UnreadableEvent).fault, "123456789")
          }
          const request = makeRequest("payout", examples.payout.id, examples.payout.input, "req_1", signing)
          assert.isUndefined(yield* events!.decode!(request.headers, request.body))
          assert.isUndefined(yield* decode(""))
          assert.isUndefined(yield* events!.decode!({}, "{"))
        })
      )
  )

  it.live("is not asked for where the connector does not list events", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const manifest = { ...fullManifest, events: { callbacks: true, readable: false } }
        const connector = yield* makeScriptedConnector(({ answer }) => answer(manifest))
        const { events } = yield* startProvider(connector.url)
        assert.deepStrictEqual(yield* events!.after!(null), { events: [], cursor: "" })
        assert.deepStrictEqual(yield* events!.after!("5"), { events: [], cursor: "5" })
        assert.lengthOf(connector.received, 1)
      })
    )
  )
})
