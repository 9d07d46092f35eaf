/** Verification sessions, from their start to a verdict, on every store (KYC-5 to KYC-9). */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Verifications } from "../../../src/engine/resources/parties/verification.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { covers } from "../../support/repository/covers.ts"
import { onServers, type Run } from "../../support/engines/every-store.ts"
import { day, verifying } from "../../support/merchants/verification.ts"
import { call } from "../../support/engines/simulated-engine.ts"

const token = /^http:\/\/127\.0\.0\.1:8080\/verify\/([A-Za-z0-9_-]{43})$/

const shared = (run: Run): void => {
  covers("KYC-4", "KYC-2", "KYC-3")
  covers("KYC-10", "KYC-5")
  it("starts pending for the next tier up, with a link for a day, and the customer is pending with it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const now = yield* Clock.currentTimeMillis
        const made = yield* m.start({ redirect_url: "https://example.com/back?a=%20b#c" })
        const { created_at, hosted_url, hosted_url_expires_at, id, updated_at, ...rest } = made
        assert.match(id, /^kyc_[0-9a-z]{26}$/)
        assert.match(hosted_url ?? "", token)
        const link_ms = Date.parse(hosted_url_expires_at ?? "") - now
        // From the call on, which may take a while.
        assert.isAtLeast(link_ms, day * 1000)
        assert.isBelow(link_ms, day * 1000 + 300_000)
        assert.strictEqual(updated_at, created_at)
        assert.deepEqual(rest, {
          customer_id: m.customer,
          status: "pending",
          tier_requested: "tier_1",
          tier_current: "tier_0",
          redirect_url: "https://example.com/back?a=%20b#c",
          failure_reason: null,
          failure_reason_message: null
        })
        assert.deepEqual(yield* m.session(id), made)
        assert.deepEqual(yield* m.sessions, [made])
        assert.deepEqual(yield* m.kycStatus, ["pending", "tier_0"])
        assert.deepEqual(yield* m.events(id), [])
      })
    ))

  it("keeps the link's token encrypted, and by its hash", () =>
    run(
      Effect.gen(function* () {
        const storage = yield* Storage
        const m = yield* verifying()
        const keyed = { ...m.caller, idempotency: { key: "verify-ada", fingerprint: "f" } }
        const { hosted_url, id } = yield* (yield* Verifications).create(keyed, m.customer, {})
        const secret = token.exec(hosted_url ?? "")?.[1] ?? "none"
        const answer = yield* storage.idempotencyRecord(m.merchant_id, "idem/verify-ada", 0)
        const written = [yield* m.kept("verification", id), yield* storage.history(m.merchant_id, id), answer]
        assert.notInclude(JSON.stringify(written), secret)
      })
    ))

  covers("KYC-6", "KYC-7")
  it("is given again while its link holds, opened or not, and has a new link in its place once that has lapsed", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const first = yield* m.start({ redirect_url: "https://example.com/one" })
        assert.deepEqual(yield* m.start({ tier: "tier_1", redirect_url: "https://example.com/two" }), first)
        yield* m.says(first.id, "opened")
        const opened = yield* m.start()
        assert.deepEqual(opened, { ...first, status: "in_progress", updated_at: opened.updated_at })
        yield* m.advance(day + 1)
        const lapsed = yield* m.session(first.id)
        assert.deepEqual([lapsed.status, lapsed.hosted_url], ["expired", first.hosted_url])
        assert.deepEqual(yield* m.kycStatus, ["expired", "tier_0"])
        const again = yield* m.start()
        assert.deepEqual([again.id, again.status, again.redirect_url], [first.id, "pending", "https://example.com/one"])
        assert.notStrictEqual(again.hosted_url, first.hosted_url)
        assert.isAbove(
          Date.parse(again.hosted_url_expires_at ?? ""),
          Date.parse(first.hosted_url_expires_at ?? "") + day * 1000
        )
        assert.deepEqual(yield* m.kycStatus, ["pending", "tier_0"])
        assert.strictEqual((yield* m.sessions).length, 1)
        yield* m.advance(day + 1)
        assert.strictEqual(
          (yield* m.start({ redirect_url: "https://example.com/three" })).redirect_url,
          "https://example.com/three"
        )
      })
    ))

  covers("KYC-10")
  it("is one session, however many ask at once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const made = yield* Effect.all(
          Array.from({ length: 12 }, () => m.start()),
          { concurrency: 12 }
        )
        assert.strictEqual(new Set(made.map(({ id }) => id)).size, 1)
        assert.strictEqual(new Set(made.map(({ hosted_url }) => hosted_url)).size, 1)
        yield* m.advance(day + 1)
        const again = yield* Effect.all(
          Array.from({ length: 12 }, () => m.start()),
          { concurrency: 12 }
        )
        assert.strictEqual(new Set(again.map(({ hosted_url }) => hosted_url)).size, 1)
        assert.strictEqual((yield* m.sessions).length, 1)
      })
    ))

  covers("KYC-8", "KYC-13", "TYPE-26", "EVENT-26", "KYC-9", "EVENT-12")
  it("approved, raises the tier and tells the verified profile, masked and without empty members", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { id } = yield* m.start()
        yield* m.says(id, "opened")
        assert.deepEqual(yield* m.kycStatus, ["in_progress", "tier_0"])
        yield* m.advance(60)
        assert.deepEqual(yield* m.says(id, "approved"), { id, status: "approved" })
        assert.deepEqual(yield* m.kycStatus, ["approved", "tier_1"])
        const session = yield* m.session(id)
        assert.deepInclude(session, {
          status: "approved",
          tier_current: "tier_1",
          hosted_url: null,
          hosted_url_expires_at: null
        })
        const [event, ...more] = yield* m.events(id)
        assert.deepEqual(more, [])
        assert.deepEqual(event!.event_object.customer, yield* m.summary)
        assert.deepInclude(event, {
          event_type: "kyc.approved",
          event_category: "kyc",
          event_object_id: id,
          event_object_status: "approved",
          event_object_changes: { status: ["in_progress", "approved"] },
          event_sequence: 1
        })
        const { customer, profile, ...rest } = event!["event_object"]
        assert.deepEqual(profile, { phone: "+2348012345678", id_number: "*****567Z", id_type: "passport" })
        assert.deepInclude(customer, { id: m.customer, tier: "tier_1", name: "Ada Obi" })
        assert.deepEqual(rest, {
          id,
          customer_id: m.customer,
          status: "approved",
          tier_requested: "tier_1",
          tier_current: "tier_1",
          tier_upgraded_from: "tier_0",
          created_at: session.created_at,
          updated_at: session.updated_at
        })
        assert.notInclude(JSON.stringify(event), "A1234567Z")
      })
    ))

  covers("TYPE-27", "EVENT-16")
  it.each([
    ["document_invalid", "document_invalid"],
    ["identity_mismatch", "identity_mismatch"],
    ["something else", "declined"],
    [undefined, "declined"]
  ])("rejected for %s, tells %s in place of the profile, and a new session may follow", (reason, expected) =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { id } = yield* m.start({ redirect_url: "https://example.com/" })
        yield* m.advance(60)
        assert.deepEqual(yield* m.says(id, "rejected", reason), { id, status: "rejected" })
        assert.deepEqual(yield* m.kycStatus, ["rejected", "tier_0"])
        const [event, ...more] = yield* m.events(id)
        assert.deepEqual(
          [event?.["event_type"], event?.["event_object_changes"], more],
          ["kyc.rejected", { status: ["pending", "rejected"] }, []]
        )
        const { event_object: object } = event!
        assert.sameMembers(Object.keys(object), [
          "id",
          "customer_id",
          "status",
          "tier_requested",
          "tier_current",
          "redirect_url",
          "created_at",
          "updated_at",
          "customer",
          "failure_reason",
          "failure_reason_message"
        ])
        assert.deepEqual(object.customer, yield* m.summary)
        assert.strictEqual(object.failure_reason, expected)
        assert.match(object.failure_reason_message, /^[A-Z].+\.$/)
        assert.notInclude(Object.values(object), null)
        assert.strictEqual((yield* m.session(id)).failure_reason, expected)
        const next = yield* m.start()
        assert.notStrictEqual(next.id, id)
        assert.isNull(next.redirect_url)
        assert.deepEqual(
          (yield* m.sessions).map(({ status }) => status),
          ["pending", "rejected"]
        )
        assert.deepEqual(yield* m.kycStatus, ["pending", "tier_0"])
      })
    )
  )

  it("for a higher tier leaves an earlier approval as it is, whatever becomes of it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        yield* m.says((yield* m.start()).id, "approved")
        const declined = yield* m.start()
        assert.deepEqual([declined.tier_requested, declined.tier_current], ["tier_2", "tier_1"])
        for (const outcome of ["opened", "rejected"] as const) {
          yield* m.says(declined.id, outcome)
          assert.deepEqual(yield* m.kycStatus, ["approved", "tier_1"])
        }
        const lapsing = yield* m.start()
        yield* m.advance(day + 1)
        assert.deepEqual(yield* m.kycStatus, ["approved", "tier_1"])
        const again = yield* m.start()
        assert.strictEqual(again.id, lapsing.id)
        yield* m.says(again.id, "approved")
        assert.deepEqual(yield* m.kycStatus, ["approved", "tier_2"])
        const [event] = yield* m.events(again.id)
        assert.strictEqual(event?.["event_object"].tier_upgraded_from, "tier_1")
      })
    ))

  covers("KYC-1", "KYC-5")
  it("refuses what it cannot be asked for", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const tag = <A, E extends { readonly _tag: string }, R>(asked: Effect.Effect<A, E, R>) =>
          Effect.map(Effect.flip(asked), ({ _tag }) => _tag)
        assert.strictEqual(yield* tag(m.start({}, m.default_customer)), "InvalidInput")
        assert.strictEqual(yield* tag(m.start({}, "cust_none")), "NotFound")
        const { id } = yield* m.start({ tier: "tier_2" })
        assert.strictEqual(yield* tag(m.start()), "InvalidStatus")
        assert.strictEqual(yield* tag(m.start({ tier: "tier_1" })), "InvalidStatus")
        yield* m.says(id, "approved")
        for (const tier of ["tier_1", "tier_2"] as const)
          assert.strictEqual(yield* tag(m.start({ tier })), "InvalidStatus")
        assert.strictEqual(yield* tag(m.start()), "InvalidStatus")
        const stranger = yield* verifying()
        const verifications = yield* Verifications
        assert.strictEqual(yield* tag(verifications.get(stranger.caller, stranger.customer, id)), "NotFound")
        assert.strictEqual(yield* tag(verifications.get(m.caller, m.default_customer, id)), "NotFound")
        assert.strictEqual(
          yield* tag(verifications.create(yield* call(stranger.merchant_id), m.customer, {})),
          "NotFound"
        )
        assert.strictEqual(yield* tag(stranger.says(id, "approved")), "NotFound")
      })
    ))

  it("for another tier may begin once the one under way has lapsed, and its late timer changes nothing", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const first = yield* m.start({ tier: "tier_1" })
        yield* m.advance(day)
        const second = yield* m.start({ tier: "tier_2" })
        assert.notStrictEqual(second.id, first.id)
        yield* m.settle
        assert.deepEqual(
          (yield* m.sessions).map(({ id, status }) => [id, status]),
          [
            [second.id, "pending"],
            [first.id, "expired"]
          ]
        )
        assert.deepEqual(yield* m.kycStatus, ["pending", "tier_0"])
        yield* m.says(second.id, "approved")
        assert.deepEqual(yield* m.kycStatus, ["approved", "tier_2"])
      })
    ))

  covers("SANDBOX-3")
  it("moves nothing on a word that comes too late: a verdict is kept for the operator once, its echo and an opening are not", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* verifying()
        const { id } = yield* m.start()
        yield* m.advance(day + 1)
        assert.deepEqual(yield* m.says(id, "approved"), { id, status: "expired" })
        assert.deepEqual(
          (yield* m.exceptions).map(({ reason, resource_id, amount }) => [reason, resource_id, amount]),
          [["contradicts_state", id, null]]
        )
        yield* m.start()
        yield* m.says(id, "approved")
        yield* m.says(id, "approved")
        yield* m.says(id, "opened")
        assert.strictEqual((yield* m.exceptions).length, 1)
        const word = {
          _tag: "verification",
          event_id: `late.${id}`,
          merchant_id: null,
          resource_id: id,
          outcome: "rejected",
          reason: null
        } as const
        assert.deepEqual(
          [yield* inbox.receive("simulated", word), yield* inbox.receive("simulated", word)],
          ["ignored", "duplicate"]
        )
        assert.strictEqual((yield* m.exceptions).length, 2)
        assert.deepEqual(yield* m.kycStatus, ["approved", "tier_1"])
        assert.deepEqual(
          (yield* m.events(id)).map((event) => event["event_type"]),
          ["kyc.approved"]
        )
        const nobody = { ...word, event_id: `nobody.${id}`, resource_id: "kyc_none" }
        assert.strictEqual(yield* inbox.receive("simulated", nobody), "ignored")
      })
    ))

  it("has lapsed from the instant it does, before any timer has run", () =>
    run(
      Effect.gen(function* () {
        const clock = yield* ServiceClock
        const m = yield* verifying()
        const { hosted_url, hosted_url_expires_at, id } = yield* m.start()
        yield* m.says(id, "opened")
        const lapses_at = Date.parse(hosted_url_expires_at ?? "")
        yield* clock.moveTo(lapses_at)
        assert.deepEqual([(yield* m.session(id)).status, (yield* m.sessions)[0]?.status], ["expired", "expired"])
        assert.deepEqual(yield* m.kycStatus, ["expired", "tier_0"])
        assert.deepEqual(yield* m.says(id, "approved"), { id, status: "expired" })
        assert.deepEqual(yield* m.kycStatus, ["expired", "tier_0"])
        const again = yield* m.start()
        assert.deepEqual([again.id, again.status, again.hosted_url === hosted_url], [id, "pending", false])
        yield* m.settle
        assert.deepEqual([yield* m.session(id), yield* m.kycStatus], [again, ["pending", "tier_0"]])
        yield* m.advance(day)
        assert.deepEqual([yield* m.listed("expired"), yield* m.listed("pending")], [[m.customer], []])
      })
    ))

  it("hears one of two verdicts that come at once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { id } = yield* m.start()
        yield* Effect.all([m.says(id, "approved"), m.says(id, "rejected"), m.says(id, "approved")], { concurrency: 3 })
        const [event, ...more] = yield* m.events(id)
        const { status } = yield* m.session(id)
        assert.deepEqual([event?.["event_object_status"], more], [status, []])
        assert.deepEqual(yield* m.kycStatus, status === "approved" ? ["approved", "tier_1"] : ["rejected", "tier_0"])
      })
    ))
}

onServers("a verification", shared)
