/** An approval counts only for the data that it was given for, in whichever order a change, a callback and a look-up come (KYC-16). */
import { assert, describe, it } from "vitest"
import { Clock, Effect } from "effect"
import { Provider, makeOpenManifest, type VerificationCommand } from "../../../src/engine/ports/Provider.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { day, verifying } from "../../support/merchants/verification.ts"
import { triesOf } from "../../support/properties/tries.ts"
import { covers } from "../../support/repository/covers.ts"

/** Whom the documents are of. */
const holder = "Ada Obi"

/**
 * A provider that has seen the documents of {@link holder}. `asks`: whether a look-up is about the customer that it names, as of an
 * adapter, or about the one that its command began with, as of a connector.
 */
const vendor = (asks: "present customer" | "command") => {
  const names = new Map<string, string>()
  const hooks: {
    duringLookup: Effect.Effect<void>
    duringStart: Effect.Effect<void>
    isAway: boolean
    starts: number
  } = {
    duringLookup: Effect.void,
    duringStart: Effect.void,
    isAway: false,
    starts: 0
  }
  const provider = Provider.of({
    name: "vendor",
    manifest: makeOpenManifest("verification"),
    verification: {
      start: ({ customer, id }: VerificationCommand) =>
        Effect.gen(function* () {
          if (hooks.isAway) return yield* new ProviderFault({ message: "no answer" })
          // A command is one request for ever.
          assert.strictEqual(names.get(id) ?? customer.name, customer.name, "another request under one id")
          names.set(id, customer.name)
          hooks.starts++
          const hook = hooks.duringStart
          hooks.duringStart = Effect.void
          const expires_at = (yield* Clock.currentTimeMillis) + 1000 * day
          yield* hook
          return { hosted_url: `https://vendor.example/${id}`, expires_at }
        }),
      lookup: ({ customer, id }: VerificationCommand) =>
        Effect.gen(function* () {
          const name = asks === "command" ? names.get(id) : customer.name
          const hook = hooks.duringLookup
          hooks.duringLookup = Effect.void
          yield* hook
          return name === holder ? { _tag: "approved" } : { _tag: "opened" }
        })
    }
  })
  return { provider, hooks, names }
}

const step = {
  /** The merchant gives the customer another name. */
  other: "another name",
  /** The merchant gives the customer the name of the documents. */
  own: "the holder's name",
  callback: "a callback",
  lookup: "a look-up"
} as const
type Step = keyof typeof step

const verified = (asks: Parameters<typeof vendor>[0], first: string) => {
  const { hooks, provider, names } = vendor(asks)
  const run = Effect.gen(function* () {
    const v = yield* verifying()
    const inbox = yield* Inbox
    yield* v.renamed(first)
    const session = yield* v.start({})
    let events = 0
    const says = (outcome: "approved" | "opened") =>
      Effect.suspend(() =>
        inbox.receive("vendor", {
          ...{ _tag: "verification", merchant_id: null, resource_id: session.id, reason: null },
          ...{ event_id: `own-${session.id}-${++events}`, outcome }
        } as const)
      )
    const approve = says("approved")
    return {
      ...v,
      session_id: session.id,
      hooks,
      names,
      approve,
      opened: says("opened"),
      takes: (one: Step): Effect.Effect<unknown, unknown, SimulatedEngine> => {
        switch (one) {
          case "other":
            return Effect.ignore(v.renamed("Someone Else"))
          case "own":
            return Effect.ignore(v.renamed(holder))
          case "callback":
            // It approves whoever has the documents, and was told once that this is the customer.
            return [...names.values()].includes(holder) ? approve : Effect.void
          case "lookup":
            return v.advance(600)
        }
      },
      name: Effect.map(
        Effect.flatMap(Customers, (c) => c.get(v.caller, v.customer)),
        ({ body }) => body.name
      )
    }
  })
  return { provider, run }
}

type Verified = Effect.Success<ReturnType<typeof verified>["run"]>

const steps = Object.keys(step) as ReadonlyArray<Step>
/** All sequences of a length. */
const sequences = (length: number): ReadonlyArray<ReadonlyArray<Step>> =>
  length === 0 ? [[]] : sequences(length - 1).flatMap((before) => steps.map((one) => [...before, one]))

/** All of them, or every so manieth in a run that tries a share. */
const tried = sequences(3).filter((_, n, all) => n % Math.round(all.length / triesOf(all.length)) === 0)

describe("an approval", () => {
  covers("KYC-16")
  it.each([
    ["present customer", holder],
    ["present customer", "Ada Oby"],
    ["command", holder],
    ["command", "Ada Oby"]
  ] as const)(
    "counts for the name that it was given for, in every order: a look-up about the %s, from %s",
    (asks, first) =>
      Effect.gen(function* () {
        for (const sequence of tried) {
          const { provider, run } = verified(asks, first)
          yield* Effect.gen(function* () {
            const v = yield* run
            const about = sequence.map((one) => step[one]).join(", ")
            for (const one of sequence) {
              yield* v.takes(one)
              const [status] = yield* v.kycStatus
              if (status === "approved") assert.strictEqual(yield* v.name, holder, `approved after ${about}`)
            }
            yield* v.advance(day)
            const [status] = yield* v.kycStatus
            assert.strictEqual(status === "approved", (yield* v.name) === holder, `the end after ${about}`)
            assert.deepEqual(yield* v.exceptions, [], about)
            const approvals = (yield* v.events(v.session_id)).map(({ event_object }) => event_object.customer.name)
            assert.deepEqual(approvals, status === "approved" ? [holder] : [], about)
          }).pipe(Effect.provide(makeSimulatedEngine({ others: [provider] })))
        }
      }).pipe(Effect.runPromise)
  )

  const answering = (
    asks: Parameters<typeof vendor>[0],
    body: (v: Verified) => Effect.Effect<void, unknown, SimulatedEngine>,
    first = holder
  ) =>
    Effect.gen(function* () {
      const { provider, run } = verified(asks, first)
      yield* Effect.flatMap(run, body).pipe(Effect.provide(makeSimulatedEngine({ others: [provider] })))
    }).pipe(Effect.runPromise)

  it.each(["present customer", "command"] as const)(
    "of a look-up that a change overtakes counts for nobody: about the %s",
    (asks) =>
      answering(asks, (v) =>
        Effect.gen(function* () {
          const context = yield* Effect.context<SimulatedEngine>()
          v.hooks.duringLookup = Effect.orDie(Effect.provideContext(Effect.asVoid(v.renamed("Someone Else")), context))
          yield* v.advance(600)
          assert.strictEqual(yield* v.name, "Someone Else")
          assert.deepEqual(yield* v.kycStatus, ["in_progress", "tier_0"])
          yield* v.renamed(holder)
          yield* v.advance(1)
          assert.deepEqual(yield* v.kycStatus, ["approved", "tier_1"])
        })
      )
  )

  it.each([{ date_of_birth: "02/01/1990" }, { id_number: "C1234567Z" }, { id_type: "national_id" }] as const)(
    "counts for no other birth date, number or type of a document: %o",
    (profile) =>
      answering("command", (v) =>
        Effect.gen(function* () {
          yield* Customers.use((s) => s.update(v.caller, v.customer, { profile }))
          yield* v.approve
          assert.deepEqual(yield* v.kycStatus, ["pending", "tier_0"])
          assert.strictEqual(v.names.size, 1, "a job begins it anew")
        })
      )
  )

  it("is not begun anew for what no document says", () =>
    answering("command", (v) =>
      Effect.gen(function* () {
        yield* v.settle
        const before = v.names.size
        const changes = { email: "a@example.com", profile: { phone: "+2348099999999" } }
        yield* Customers.use((s) => s.update(v.caller, v.customer, changes))
        yield* v.settle
        assert.strictEqual(v.names.size, before)
      })
    ))

  it("is asked for again under a new link until the provider answers, and the session shows the link", () =>
    answering("command", (v) =>
      Effect.gen(function* () {
        v.hooks.isAway = true
        const { hosted_url, id } = yield* v.session(v.session_id)
        yield* v.renamed("Ada Eze")
        yield* v.advance(30)
        assert.strictEqual((yield* v.session(id)).hosted_url, hosted_url)
        yield* v.renamed("Ada Ezeh")
        v.hooks.isAway = false
        yield* v.advance(900)
        const after = yield* v.session(id)
        assert.isTrue(after.hosted_url?.startsWith(`https://vendor.example/${id}.start_2_2_`))
        assert.deepEqual([...v.names.values()], [holder, "Ada Ezeh"])
        assert.deepEqual(yield* v.kycStatus, ["in_progress", "tier_0"])
      })
    ))

  covers("KYC-16", "SUMSUB-8")
  it("is asked for, and a message that doubts the customer of before is no exception, until the provider is told", () =>
    answering(
      "command",
      (v) =>
        Effect.gen(function* () {
          const inbox = yield* Inbox
          const exceptions = yield* Exceptions
          const open = Effect.map(exceptions.list({}), ({ items }) => items.map(({ reason }) => reason))
          const doubts = (attempt: number) =>
            inbox.receive("vendor", {
              ...{ _tag: "unreadable", content: { attempt }, fault: "the documents have another name" },
              verification: v.session_id
            } as const)
          yield* v.renamed(holder)
          v.hooks.isAway = true
          yield* v.advance(30)
          assert.strictEqual(yield* doubts(1), "ignored")
          assert.deepEqual(yield* open, [])
          v.hooks.isAway = false
          yield* v.advance(900)
          assert.deepEqual(yield* v.kycStatus, ["approved", "tier_1"])
          yield* doubts(2)
          assert.deepEqual(yield* open, ["unreadable_event"])
        }),
      "Ada Oby"
    ))

  it("is asked for although the session goes on while the provider is told of a customer that has changed", () =>
    answering(
      "command",
      (v) =>
        Effect.gen(function* () {
          const context = yield* Effect.context<SimulatedEngine>()
          v.hooks.duringStart = Effect.orDie(Effect.provideContext(Effect.asVoid(v.opened), context))
          yield* v.renamed(holder)
          yield* v.advance(600)
          assert.deepEqual(yield* v.kycStatus, ["approved", "tier_1"])
          // The first page was asked for before the session went on: it replaces nothing.
          assert.strictEqual(v.hooks.starts, 3)
        }),
      "Ada Oby"
    ))

  it("is asked for in vain where the merchant has asked for another link meanwhile, which stays", () =>
    answering("command", (v) =>
      Effect.gen(function* () {
        const context = yield* Effect.context<SimulatedEngine>()
        const clock = yield* ServiceClock
        let answered: string | null = null
        const restarted = Effect.gen(function* () {
          yield* clock.moveTo((yield* Clock.currentTimeMillis) + 1001 * day)
          answered = (yield* v.start()).hosted_url_expires_at
        })
        v.hooks.duringStart = Effect.orDie(Effect.provideContext(restarted, context))
        yield* v.renamed("Ada Eze")
        yield* v.advance(1)
        assert.isNotNull(answered)
        assert.strictEqual((yield* v.session(v.session_id)).hosted_url_expires_at, answered)
        assert.deepEqual(yield* v.kycStatus, ["pending", "tier_0"])
      })
    ))

  it("that came late is applied only while the customer is the one that the provider was told of", () =>
    answering(
      "command",
      (v) =>
        Effect.gen(function* () {
          const exceptions = yield* Exceptions
          v.hooks.isAway = true
          yield* v.advance(1001 * day)
          yield* v.approve
          const [late] = yield* v.exceptions
          assert.include(late!.actions, "apply")
          yield* v.renamed("Someone Else")
          const [now] = yield* v.exceptions
          assert.notInclude(now!.actions, "apply")
          const apply = exceptions.resolve(yield* call(PLATFORM_MERCHANT), late!.id, { action: "apply", note: "late" })
          assert.strictEqual((yield* Effect.flip(apply))._tag, "InvalidStatus")
          assert.deepEqual(yield* v.kycStatus, ["expired", "tier_0"])
        }),
      "Ada Oby"
    ))
})
