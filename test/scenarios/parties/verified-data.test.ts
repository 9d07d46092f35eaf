/** What a verification has confirmed changes by a verification alone (CUSTOMER-6). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Customers, UpdateCustomer } from "../../../src/engine/resources/parties/customer.ts"
import { VerificationOutcomes } from "../../../src/engine/resources/parties/verification-outcome.ts"
import { decode } from "../../../src/engine/input/validation.ts"
import { covers } from "../../support/repository/covers.ts"
import { onMemory, type Run, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { verifying } from "../../support/merchants/verification.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const once = <A, E>(effect: Effect.Effect<A, E, SimulatedEngine>) =>
  Effect.runPromise(Effect.provide(effect, makeSimulatedEngine()))

/** A merchant whose customer Ada stated her birth date under a link, and what it may change of her. */
const approving = Effect.gen(function* () {
  const m = yield* verifying()
  const [customers, outcomes] = yield* Effect.all([Customers, VerificationOutcomes])
  const change = (input: object, id = m.customer) =>
    Effect.flatMap(decode(UpdateCustomer, input), (given) => customers.update(m.caller, id, given))
  let forms = 0
  return {
    ...m,
    change,
    refused: (input: object, id?: string) =>
      Effect.map(Effect.result(change(input, id)), (result) =>
        result._tag === "Failure" ? result.failure._tag : "Success"
      ),
    shown: Effect.map(customers.get(m.caller, m.customer), ({ body }) => body),
    /** A session under which something is stated, and which is approved. */
    approved: Effect.fnUntraced(function* (name: string, date_of_birth: string) {
      const { id } = yield* m.start()
      const submission = { name, profile: { date_of_birth } }
      yield* outcomes.handle(
        m.merchant_id,
        id,
        { _tag: "submitted", submission },
        { deduplicationKey: `form/${id}/${++forms}` }
      )
      yield* m.says(id, "approved")
    })
  }
})

const shared = (run: Run): void => {
  covers("CUSTOMER-6")
  it("name, birth date and document of an approved customer do not change by an update; the rest does", () =>
    run(
      Effect.gen(function* () {
        const m = yield* approving
        yield* m.change({ name: "Ada N. Obi", profile: { id_number: "B1234567Z" } })
        yield* m.approved("Ada N. Obi", "01/31/1990")
        const before = yield* m.shown
        for (const input of [
          { name: "Ada Eze" },
          { profile: { date_of_birth: "02/01/1990" } },
          { profile: { id_number: "C1234567Z" } },
          { profile: { id_type: "national_id" } },
          { name: "Ada N. Obi", profile: { id_number: "C1234567Z" }, email: "other@example.com" }
        ])
          assert.strictEqual(yield* m.refused(input), "InvalidStatus", JSON.stringify(input))
        assert.deepEqual(yield* m.shown, before)
        const message = { email: "eze@example.com", profile: { phone: "+2348099999999" }, metadata: { a: "1" } }
        const after = yield* m.change(message)
        assert.deepEqual(after, {
          ...before,
          email: message.email,
          metadata: message.metadata,
          profile: { ...before.profile, ...message.profile },
          updated_at: after.updated_at
        })
      })
    ))

  it("a change and an approval at once: what is approved is what was changed, or it is refused", () =>
    run(
      Effect.gen(function* () {
        const m = yield* approving
        const { id } = yield* m.start()
        const [changed] = yield* Effect.all([m.refused({ name: "Ada Eze" }), m.says(id, "approved")], {
          concurrency: "unbounded"
        })
        const [event] = yield* m.events(id)
        const reported = event!["event_object"].customer.name as string
        assert.strictEqual(reported, changed === "Success" ? "Ada Eze" : "Ada Obi")
        assert.strictEqual((yield* m.shown).name, reported)
      })
    ))
}

onMemory("verified data", shared)

it("saying again what was verified changes nothing: an id number whole, or as it is shown", () =>
  once(
    Effect.gen(function* () {
      const m = yield* approving
      yield* m.approved("Ada Obi", "01/31/1990")
      const { name, profile } = yield* m.shown
      assert.strictEqual(profile.id_number, "*****567Z")
      for (const id_number of ["A1234567Z", "*****567Z"]) {
        const same = { id_number, id_type: profile.id_type, date_of_birth: "1/31/1990" }
        assert.deepEqual((yield* m.change({ name, profile: same })).profile, profile)
      }
      for (const id_number of ["A1234567z", "*****568Z"])
        assert.strictEqual(yield* m.refused({ profile: { id_number } }), "InvalidStatus")
    })
  ))

it("a new verification changes them, the name of an individual too", () =>
  once(
    Effect.gen(function* () {
      const m = yield* approving
      yield* m.approved("Ada Obi", "01/31/1990")
      yield* m.approved("Ada Eze", "02/28/1990")
      const { name, profile, tier } = yield* m.shown
      assert.deepEqual([name, profile.date_of_birth, tier], ["Ada Eze", "02/28/1990", "tier_2"])
    })
  ))

it("they change while nobody is approved, and on the default customer", () =>
  once(
    Effect.gen(function* () {
      const m = yield* approving
      const message = { name: "Ada Eze", profile: { date_of_birth: "02/28/1990", id_number: "X1", id_type: "nin" } }
      assert.strictEqual((yield* m.change(message, m.default_customer)).name, "Ada Eze")
      const { id } = yield* m.start()
      assert.strictEqual((yield* m.change(message)).profile.id_type, "nin")
      yield* m.says(id, "rejected")
      assert.strictEqual((yield* m.change({ name: "Ada Obi" })).name, "Ada Obi")
    })
  ))

it("what a verification left out is not added by an update", () =>
  once(
    Effect.gen(function* () {
      const m = yield* approving
      yield* m.says((yield* m.start()).id, "approved")
      assert.strictEqual(yield* m.refused({ profile: { date_of_birth: "01/31/1990" } }), "InvalidStatus")
      assert.strictEqual(yield* m.refused({ profile: { phone: "+2348099999999" } }), "Success")
    })
  ))
