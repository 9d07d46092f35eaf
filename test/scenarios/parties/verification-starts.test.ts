/** What a provider is asked under the id of a start, where answers are lost and what is asked for changes (KYC-15, CONNECTOR-2). */
import { assert, describe, it } from "vitest"
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import {
  Provider,
  makeOpenManifest,
  type VerificationCommand,
  type VerificationStatus
} from "../../../src/engine/ports/Provider.ts"
import { startIdOf } from "../../../src/engine/resources/parties/verification.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { day, verifying } from "../../support/merchants/verification.ts"
import { covers } from "../../support/repository/covers.ts"

/** A provider that keeps to its protocol: an id is one content, and another one under it is a conflict. Links last a day. */
const vendor = () => {
  const contents = new Map<string, string>()
  const state = {
    /** How many of the next answers are lost, after the provider has begun. */
    lost: 0,
    starts: [] as Array<string>,
    asked: [] as Array<string>,
    during: Effect.void as Effect.Effect<void>,
    status: { _tag: "pending" } as VerificationStatus
  }
  const provider = Provider.of({
    name: "vendor",
    manifest: makeOpenManifest("verification"),
    verification: {
      start: (command: VerificationCommand) =>
        Effect.gen(function* () {
          const content = JSON.stringify(command)
          if ((contents.get(command.id) ?? content) !== content)
            return yield* new ProviderFault({ message: `${command.id} returned conflict` })
          contents.set(command.id, content)
          state.starts.push(command.id)
          const { during } = state
          state.during = Effect.void
          yield* during
          if (state.lost-- > 0) return yield* new ProviderFault({ message: "no answer" })
          return {
            hosted_url: `https://vendor.example/${command.id}`,
            expires_at: (yield* Clock.currentTimeMillis) + day * 1000
          }
        }),
      lookup: ({ id }: VerificationCommand) =>
        Effect.sync(() => {
          state.asked.push(id)
          return state.status
        })
    }
  })
  return { provider, state, contents }
}
type Vendor = ReturnType<typeof vendor>

const playing = <A, E>(
  body: (v: Effect.Success<ReturnType<typeof verifying>>, at: Vendor) => Effect.Effect<A, E, SimulatedEngine>
) => {
  const at = vendor()
  return Effect.flatMap(verifying(), (v) => body(v, at)).pipe(
    Effect.provide(makeSimulatedEngine({ others: [at.provider] })),
    Effect.runPromise
  )
}

type Verifying = Effect.Success<ReturnType<typeof verifying>>
const emailed = (v: Verifying, email: string) =>
  Customers.use((customers) => Effect.asVoid(customers.update(v.caller, v.customer, { email })))

const link = (n: number) => ({ redirect_url: `https://example.com/${n}` })

covers("KYC-15")
describe("a start without an answer", () => {
  it.each([
    ["with the same", Effect.void, link(1), 1],
    ["for another page to return to", Effect.void, link(2), 2],
    ["for a customer with another email address", "ada.obi@example.com", link(1), 2]
  ] as const)("is repeated %s: the session is one, and its content has an id of its own", (_, change, input, ids) =>
    playing((v, { contents, state }) =>
      Effect.gen(function* () {
        state.lost = 1
        assert.strictEqual((yield* Effect.flip(v.start(link(1))))._tag, "ExternalServiceUnavailable")
        if (typeof change === "string") yield* emailed(v, change)
        const { hosted_url, id, status } = yield* v.start(input)
        assert.strictEqual(status, "pending")
        assert.strictEqual(hosted_url, `https://vendor.example/${state.starts.at(-1)}`)
        assert.strictEqual(contents.size, ids)
        for (const one of contents.keys()) assert.match(one, new RegExp(`^${id}\\.start_1_`))
        assert.strictEqual((yield* v.session(id)).id, id)
      })
    )
  )

  it("is repeated after the link has lapsed too, with another content", () =>
    playing((v, { state }) =>
      Effect.gen(function* () {
        const { id } = yield* v.start(link(1))
        yield* v.advance(day)
        state.lost = 1
        assert.strictEqual((yield* Effect.flip(v.start(link(2))))._tag, "ExternalServiceUnavailable")
        const again = yield* v.start()
        assert.deepEqual([again.id, again.status], [id, "pending"])
        assert.deepEqual(
          state.starts.map((one) => one.slice(id.length, id.length + 8)),
          [".start_1", ".start_2", ".start_2"]
        )
      })
    ))

  it("that tells of a customer who has changed is repeated with the email address of then", () =>
    playing((v, { state }) =>
      Effect.gen(function* () {
        const { hosted_url, id } = yield* v.start()
        state.lost = 1
        yield* v.renamed("Ada Eze")
        yield* v.settle
        yield* emailed(v, "ada.eze@example.com")
        yield* v.advance(900)
        assert.strictEqual(state.starts.length, 3)
        assert.strictEqual((yield* v.session(id)).hosted_url, `https://vendor.example/${state.starts[2]}`)
        assert.notStrictEqual((yield* v.session(id)).hosted_url, hosted_url)
      })
    ))
})

it("a start whose customer has changed when it is committed is decided again with the content of then", () =>
  playing((v, { state }) =>
    Effect.gen(function* () {
      const context = yield* Effect.context<SimulatedEngine>()
      state.during = Effect.orDie(Effect.provideContext(emailed(v, "ada.obi@example.com"), context))
      const { hosted_url } = yield* v.start()
      assert.strictEqual(state.starts.length, 2)
      assert.strictEqual(hosted_url, `https://vendor.example/${state.starts[1]}`)
    })
  ))

it("a look-up asks about the latest start, whatever the customer's email address is by now", () =>
  playing((v, { state }) =>
    Effect.gen(function* () {
      yield* v.start(link(1))
      yield* emailed(v, "ada.obi@example.com")
      yield* v.advance(600)
      assert.deepEqual(new Set(state.asked), new Set(state.starts))
    })
  ))

it("a look-up asks about the id that an earlier release began with, where the session does not say it", () => {
  const idOf = (data: object) => startIdOf({ id: "kyc_1", data: data as never })
  assert.strictEqual(idOf({ starts: 2 }), "kyc_1.start_2")
  assert.strictEqual(idOf({ starts: 2, identity_versions: { first: 0, latest: 3 } }), "kyc_1.start_2_3")
  assert.strictEqual(idOf({ starts: 2, command_id: "kyc_1.start_2_3_ab" }), "kyc_1.start_2_3_ab")
})

covers("KYC-16")
it("a verdict on a customer of whom only a start without an answer has told counts for nobody else", () =>
  playing((v, { state }) =>
    Effect.gen(function* () {
      state.lost = 1
      assert.strictEqual((yield* Effect.flip(v.start()))._tag, "ExternalServiceUnavailable")
      yield* v.renamed("Someone Else")
      const { id } = yield* v.start()
      const inbox = yield* Inbox
      const event = { _tag: "verification", merchant_id: null, resource_id: id, reason: null } as const
      yield* inbox.receive("vendor", { ...event, event_id: `own-${id}`, outcome: "approved" })
      assert.deepEqual(yield* v.kycStatus, ["pending", "tier_0"])
      state.status = { _tag: "approved" }
      yield* v.advance(600)
      assert.deepEqual(yield* v.kycStatus, ["approved", "tier_1"])
    })
  ))
