/** Messages of a provider that are certain and cannot be read: recorded once, with the reason, and in nobody's way. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { ProviderEvent, UnreadableEvent } from "../../../src/engine/ports/Provider.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { addressAt, freshAddress, payinEvent } from "../../support/merchants/payins.ts"
import { covers } from "../../support/repository/covers.ts"

const open = Effect.gen(function* () {
  const { items } = yield* (yield* Exceptions).list({ status: "open", reason: "unreadable_event", per_page: 200 })
  return items
})

const unreadable = (content: unknown, fault = "it is wrong"): UnreadableEvent => ({
  _tag: "unreadable",
  content,
  fault
})

onServers("a message that cannot be read", (run) => {
  covers("PROTOCOL-10", "DEPOSIT-14")

  it("is one exception however often it comes, with the reason; the event that is right under its id counts", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("0")
        const { target } = yield* addressAt(m, freshAddress())
        const good = payinEvent({ event_id: `${target}.e`, payin_id: target, target, amount: "10" })
        const amiss = { ...good, amount: 10 } as never as ProviderEvent
        const before = (yield* open).length
        assert.strictEqual(yield* inbox.receive("simulated", amiss), "ignored")
        const reordered = Object.fromEntries(Object.entries(amiss).toReversed()) as never as ProviderEvent
        assert.strictEqual(yield* inbox.receive("simulated", reordered), "duplicate")
        const raised = yield* open
        assert.lengthOf(raised, before + 1)
        const one = raised.find(({ provider_event }) => (provider_event as ProviderEvent).event_id === good.event_id)!
        assert.strictEqual(one.detail, "amount is the number 10; it takes a string")
        assert.deepEqual(one.actions, ["dismiss"])
        assert.deepInclude(one.provider_event as object, { payin_id: target, target, amount: 10 })
        assert.strictEqual((yield* m.balance).available, "0.00")
        assert.strictEqual(yield* inbox.receive("simulated", good), "applied")
        assert.strictEqual((yield* m.balance).available, "10.00")
        assert.strictEqual(yield* inbox.receive("simulated", good), "duplicate")
        yield* m.resolve(one.id, "dismiss")
        assert.lengthOf(yield* open, before)
      })
    ))

  it("is recorded with what an event has, bounded, and with four characters of the payer's account", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const id = freshAddress()
        const many = Object.fromEntries(
          Array.from({ length: 5000 }, (_, n) => [`member ${n} ${"x".repeat(100)}`, "0123456789"])
        )
        yield* inbox.receive(
          "simulated",
          unreadable({
            ...many,
            id,
            type: "payin",
            amount: { value: "1" },
            narration: `a\u0000b\ud800${"n".repeat(1000)}`,
            sender: { name: "MARY", account_number: 9876543210, iban: "NG00 9876543210" },
            account: "9876543210",
            details: { iban: "x" }
          })
        )
        const one = (yield* open).find(({ provider_event }) => (provider_event as { id?: string } | null)?.id === id)!
        const { narration, other_members, ...rest } = one.provider_event as {
          readonly narration: string
          readonly other_members: ReadonlyArray<string>
        }
        assert.deepEqual<unknown>(rest, {
          id,
          type: "payin",
          sender: { name: "MARY", account_number: "3210" },
          details: { iban: "x" }
        })
        assert.strictEqual(narration, `a\ufffdb\ufffd${"n".repeat(496)}`)
        assert.lengthOf(other_members, 20)
        assert.isBelow(JSON.stringify(one).length, 4_000)
        assert.notInclude(JSON.stringify(one), "9876543210")
      })
    ))

  it("belongs to the resource that it names, and to nobody's where that is another provider's or unknown", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("0")
        const { id } = yield* addressAt(m, freshAddress())
        const about = (n: number, resource_id: string, provider = "simulated") =>
          inbox.receive(provider, unreadable({ event_id: `${id}.${n}`, resource_id }))
        yield* about(1, id)
        yield* about(2, id, "another")
        yield* about(3, `${id.slice(0, -4)}zzzz`)
        yield* about(4, "nothing")
        const raised = (yield* open)
          .filter(({ provider_event }) => (provider_event as { event_id?: string } | null)?.event_id?.startsWith(id))
          .toReversed()
          .map(({ merchant_id, resource_id, resource_kind }) => [merchant_id, resource_id, resource_kind])
        assert.deepEqual<unknown>(raised, [
          [m.merchant_id, id, "deposit_address"],
          [PLATFORM_MERCHANT, null, null],
          [PLATFORM_MERCHANT, null, null],
          [PLATFORM_MERCHANT, null, null]
        ])
      })
    ))

  it.each([
    ["a text", "no JSON"],
    ["null", null],
    ["a list", [1, 2]],
    ["a number", 7],
    ["nothing", undefined],
    ["a value that is nested too deeply", JSON.parse(`${"[".repeat(50_000)}${"]".repeat(50_000)}`)],
    ["an id that no store keeps", { event_id: "a\u0000", type: "movement" }],
    ["an id that is no text", { event_id: 7 }]
  ])("is recorded whatever it is: %s", (_, content) =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const first = yield* inbox.receive("simulated", unreadable(content))
        assert.oneOf(first, ["ignored", "duplicate"])
        assert.strictEqual(yield* inbox.receive("simulated", unreadable(content)), "duplicate")
      })
    )
  )
})
