/** Who verifies a customer: the operator's staff, or a provider (KYC-14, KYC-15). */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import {
  Provider,
  makeOpenManifest,
  type VerificationCommand,
  type VerificationStatus
} from "../../../src/engine/ports/Provider.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Customers } from "../../../src/engine/resources/parties/customer.ts"
import { Verifications } from "../../../src/engine/resources/parties/verification.ts"
import { VerificationReviews } from "../../../src/engine/resources/parties/verification-review.ts"
import { HostedVerifications } from "../../../src/engine/work/providers/hosted-verification.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { onServers, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { day, verifying } from "../../support/merchants/verification.ts"
import { covers } from "../../support/repository/covers.ts"
import { overtaken } from "../../support/stores/overtaken.ts"

/** A provider that is not simulated, so that the operator's staff verifies. */
const real = ({ sandbox: _, ...inner }: Provider["Service"]): Provider["Service"] => Provider.of(inner)

const form = {
  name: "Ada N. Obi",
  date_of_birth: "01/31/1990",
  document_type: "passport",
  document_number: "P1234567"
} as const

const tokenOf = (hosted_url: string | null): string => hosted_url!.slice(hosted_url!.lastIndexOf("/") + 1)

onServers("a verification that the operator's staff reviews", (run) => {
  const submitted = Effect.gen(function* () {
    const v = yield* verifying()
    const hosted = yield* HostedVerifications
    const { hosted_url, id } = yield* v.start({ redirect_url: "https://example.com/done" })
    const token = tokenOf(hosted_url)
    assert.strictEqual((yield* hosted.open(token)).link_status, "open")
    assert.deepEqual(yield* v.kycStatus, ["in_progress", "tier_0"])
    const view = yield* hosted.submit(token, form)
    return { ...v, id, token, view, hosted, reviews: yield* VerificationReviews }
  })
  const operator = call(PLATFORM_MERCHANT)

  covers("KYC-14")
  it("waits for a review, which approves it once, also after the link has lapsed", () =>
    run(
      Effect.gen(function* () {
        const v = yield* submitted
        assert.strictEqual(v.view.link_status, "submitted")
        yield* v.advance(3 * day)
        assert.strictEqual((yield* v.session(v.id)).status, "in_progress")
        assert.strictEqual((yield* v.start({})).id, v.id)
        assert.strictEqual((yield* v.hosted.open(v.token)).link_status, "submitted")
        const { items } = yield* v.reviews.list({ merchant_id: v.merchant_id })
        assert.lengthOf(items, 1)
        assert.deepInclude(items[0]!, { id: v.id, awaits_review: true, provider: null, customer_id: v.customer })
        assert.deepEqual(items[0]!.submitted, {
          name: form.name,
          date_of_birth: form.date_of_birth,
          document_type: form.document_type,
          document_number: "****4567"
        })
        const { items: stuck } = yield* LedgerReports.use((r) => r.stuck({ merchant_id: v.merchant_id }))
        assert.deepInclude(stuck.find(({ id }) => id === v.id)!, { reason: "awaiting_operator", status: "in_progress" })
        const reviewed = yield* v.reviews.review(yield* operator, v.id, { decision: "approve", note: "seen" })
        assert.deepInclude(reviewed, { status: "approved", awaits_review: false, submitted: null })
        assert.deepEqual(yield* v.kycStatus, ["approved", "tier_1"])
        const again = v.reviews.review(yield* operator, v.id, { decision: "reject" })
        assert.strictEqual((yield* Effect.flip(again))._tag, "InvalidStatus")
        assert.deepEqual((yield* v.reviews.list({ merchant_id: v.merchant_id })).items, [])
        assert.deepEqual(
          (yield* v.events(v.id)).map(({ event_type }) => event_type),
          ["kyc.approved"]
        )
        assert.strictEqual(yield* v.hosted.open(v.token).pipe(Effect.map((page) => page.link_status)), "ended")
      }),
      { around: real }
    ))

  it("is rejected with a reason, and a new session can be started", () =>
    run(
      Effect.gen(function* () {
        const v = yield* submitted
        const decision = { decision: "reject", reason: "identity_mismatch" } as const
        assert.deepInclude(yield* v.reviews.review(yield* operator, v.id, decision), {
          status: "rejected",
          failure_reason: "identity_mismatch"
        })
        assert.deepEqual(yield* v.kycStatus, ["rejected", "tier_0"])
        assert.notStrictEqual((yield* v.start({})).id, v.id)
      }),
      { around: real }
    ))

  it("is approved as the business that the form was sent for, or as the person of the form", () =>
    run(
      Effect.gen(function* () {
        const v = yield* verifying()
        const [hosted, reviews, customers] = yield* Effect.all([HostedVerifications, VerificationReviews, Customers])
        const approve = (id: string) =>
          Effect.flatMap(operator, (caller) => reviews.review(caller, id, { decision: "approve" }))
        const company = { type: "business", name: "Obi Ltd", email: "obi@example.com", country_code: "NG" } as const
        const { id: business } = yield* customers.create(v.caller, company)
        const session = yield* v.start({}, business)
        yield* customers.update(v.caller, business, { name: "Obi Limited" })
        yield* hosted.submit(tokenOf(session.hosted_url), form)
        yield* customers.update(v.caller, business, { name: "Eze Limited" })
        assert.strictEqual((yield* Effect.flip(approve(session.id)))._tag, "InvalidStatus")
        yield* reviews.review(yield* operator, session.id, { decision: "reject" })
        const next = yield* v.start({}, business)
        yield* hosted.submit(tokenOf(next.hosted_url), form)
        assert.deepInclude(yield* approve(next.id), { status: "approved", customer_name: "Eze Limited" })
        // A person's form has the name that is approved.
        const person = yield* v.start({})
        yield* hosted.submit(tokenOf(person.hosted_url), form)
        yield* v.renamed("Somebody Else")
        yield* approve(person.id)
        const { body } = yield* customers.get(v.caller, v.customer)
        assert.deepEqual([body.kyc_status, body.name], ["approved", form.name])
      }),
      { around: real }
    ))

  it("cannot be reviewed before the form was sent", () =>
    run(
      Effect.gen(function* () {
        const v = yield* verifying()
        const reviews = yield* VerificationReviews
        const { id } = yield* v.start({})
        const early = reviews.review(yield* operator, id, { decision: "approve" })
        assert.strictEqual((yield* Effect.flip(early))._tag, "InvalidStatus")
        const unknown = reviews.review(yield* operator, `kyc_${"0".repeat(26)}`, { decision: "approve" })
        assert.strictEqual((yield* Effect.flip(unknown))._tag, "NotFound")
        // Nobody else decides either.
        const event = { _tag: "verification", merchant_id: null, resource_id: id, reason: null } as const
        const inbox = yield* Inbox
        const sent = { ...event, event_id: `forged-${id}`, outcome: "approved" } as const
        assert.strictEqual(yield* inbox.receive("simulated", sent), "ignored")
        assert.deepEqual(yield* v.kycStatus, ["pending", "tier_0"])
      }),
      { around: real }
    ))

  it("lists the oldest first, page by page, and all of a status", () =>
    run(
      Effect.gen(function* () {
        const first = yield* submitted
        yield* first.advance(60)
        const second = yield* submitted
        const reviews = yield* VerificationReviews
        const ids = Effect.fnUntraced(function* (page: number) {
          const { items, total } = yield* reviews.list({ page, per_page: 1, created_after: 0 })
          return [items.map(({ id }) => id), total] as const
        })
        const { total } = yield* reviews.list({})
        const all = yield* Effect.forEach(
          Array.from({ length: total }, (_, n) => n + 1),
          (page) => Effect.map(ids(page), ([[id]]) => id)
        )
        assert.isTrue(all.indexOf(first.id) < all.indexOf(second.id) && all.includes(first.id))
        assert.deepEqual((yield* ids(total + 1))[0], [])
        yield* reviews.review(yield* operator, first.id, { decision: "approve" })
        const { items } = yield* reviews.list({ status: "approved", merchant_id: first.merchant_id })
        assert.deepEqual(
          items.map(({ id }) => id),
          [first.id]
        )
      }),
      { around: real }
    ))
})

/** A provider that verifies. `started`: the ids it was given. */
const vendor = (answers: { down: boolean; status: VerificationStatus }) => {
  const started: Array<string> = []
  const provider = Provider.of({
    name: "vendor",
    manifest: makeOpenManifest("verification"),
    verification: {
      start: ({ id }: VerificationCommand) =>
        Effect.gen(function* () {
          started.push(id)
          if (answers.down) return yield* new ProviderFault({ message: "no answer" })
          const hosted_url = `https://vendor.example/${id}`
          return { hosted_url, expires_at: (yield* Clock.currentTimeMillis) + 3_600_000 }
        }),
      lookup: () => Effect.sync(() => answers.status)
    }
  })
  return { provider, started }
}

onServers("a verification that a provider makes", (run) => {
  covers("KYC-15")
  it("has the provider's link and expiry, and its events decide; a lapsed link is started again", () => {
    const { provider, started } = vendor({ down: false, status: { _tag: "pending" } })
    return run(
      Effect.gen(function* () {
        const v = yield* verifying()
        const session = yield* v.start({})
        assert.isTrue(session.hosted_url?.startsWith(`https://vendor.example/${session.id}.start_1_`))
        assert.strictEqual((yield* v.start({})).hosted_url, session.hosted_url)
        assert.deepEqual(
          started.map((id) => `https://vendor.example/${id}`),
          [session.hosted_url]
        )
        yield* v.advance(3700)
        assert.strictEqual((yield* v.session(session.id)).status, "expired")
        const again = yield* v.start({})
        assert.strictEqual(again.id, session.id)
        assert.isTrue(again.hosted_url?.startsWith(`https://vendor.example/${session.id}.start_2_`))
        const inbox = yield* Inbox
        const event = { _tag: "verification", merchant_id: null, resource_id: session.id, reason: null } as const
        yield* inbox.receive("simulated", { ...event, event_id: `other-${session.id}`, outcome: "approved" })
        assert.deepEqual(yield* v.kycStatus, ["pending", "tier_0"])
        assert.lengthOf(yield* v.exceptions, 1)
        yield* inbox.receive("vendor", { ...event, event_id: `own-${session.id}`, outcome: "approved" })
        assert.deepEqual(yield* v.kycStatus, ["approved", "tier_1"])
      }),
      { others: [provider] }
    )
  })

  it("writes nothing when the provider does not answer, and a repeat begins the same one", () => {
    const answers = { down: true, status: { _tag: "pending" } as VerificationStatus }
    const { provider, started } = vendor(answers)
    return run(
      Effect.gen(function* () {
        const v = yield* verifying()
        for (const _ of [1, 2]) assert.strictEqual((yield* Effect.flip(v.start({})))._tag, "ExternalServiceUnavailable")
        assert.deepEqual(yield* v.sessions, [])
        assert.deepEqual(yield* v.kycStatus, ["not_started", "tier_0"])
        answers.down = false
        const [one, other] = yield* Effect.all([v.start({}), v.start({})], { concurrency: 2 })
        assert.strictEqual(one.id, other.id)
        assert.deepEqual(new Set(started.map((id) => `https://vendor.example/${id}`)), new Set([one.hosted_url]))
        assert.lengthOf(yield* v.sessions, 1)
      }),
      { others: [provider] }
    )
  })

  covers("KYC-14")
  it("is the staff's once its link has lapsed and no provider verifies any more", async () => {
    const { provider } = vendor({ down: false, status: { _tag: "pending" } })
    const begun = await run(
      Effect.gen(function* () {
        const { customer, merchant_id, start } = yield* verifying()
        return { customer, merchant_id, id: (yield* start({})).id }
      }),
      { around: real, others: [provider] }
    )
    await run(
      Effect.gen(function* () {
        const caller = yield* call(begun.merchant_id)
        yield* (yield* verifying()).advance(3700)
        const { hosted_url, id } = yield* (yield* Verifications).create(caller, begun.customer, {})
        assert.strictEqual(id, begun.id)
        const view = yield* (yield* HostedVerifications).submit(tokenOf(hosted_url), form)
        assert.strictEqual(view.link_status, "submitted")
        const reviews = yield* VerificationReviews
        const reviewed = yield* reviews.review(yield* call(PLATFORM_MERCHANT), id, { decision: "approve" })
        assert.deepInclude(reviewed, { status: "approved", provider: null })
      }),
      { around: real }
    )
  })

  it("is looked up while its link is valid: an event that was missed is found", () => {
    const answers = { down: false, status: { _tag: "opened" } as VerificationStatus }
    return run(
      Effect.gen(function* () {
        const v = yield* verifying()
        const { id } = yield* v.start({})
        yield* v.advance(61)
        assert.strictEqual((yield* v.session(id)).status, "in_progress")
        answers.status = { _tag: "rejected", reason: "document_invalid" }
        yield* v.advance(301)
        assert.deepInclude(yield* v.session(id), { status: "rejected", failure_reason: "document_invalid" })
        assert.deepEqual(yield* v.kycStatus, ["rejected", "tier_0"])
      }),
      { others: [vendor(answers).provider] }
    )
  })
})

covers("KYC-15")
it("a start that another overtakes between its reads begins no verification of its own at the provider", () => {
  const { provider, started } = vendor({ down: false, status: { _tag: "pending" } })
  const { layer, first } = overtaken()
  return Effect.gen(function* () {
    const v = yield* verifying()
    const context = yield* Effect.context<SimulatedEngine>()
    // The customer has been read, and has no session; its sessions have not.
    first.beforeList = Effect.orDie(Effect.provideContext(v.start({}), context))
    const { hosted_url, id } = yield* v.start({})
    assert.deepEqual(new Set(started.map((one) => `https://vendor.example/${one}`)), new Set([hosted_url]))
    assert.deepEqual(
      (yield* v.sessions).map((session) => session.id),
      [id]
    )
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: layer, others: [provider] })), Effect.runPromise)
})

it("a start of a customer that somebody modifies again and again ends with a conflict", () => {
  const { provider, started } = vendor({ down: false, status: { _tag: "pending" } })
  const { layer, first } = overtaken()
  return Effect.gen(function* () {
    const v = yield* verifying()
    const context = yield* Effect.context<SimulatedEngine>()
    let names = 0
    const rename: Effect.Effect<void> = Effect.suspend(() => {
      first.beforeList = rename
      return Effect.asVoid(Effect.orDie(Effect.provideContext(v.renamed(`Ada ${names++}`), context)))
    })
    first.beforeList = rename
    assert.strictEqual((yield* Effect.flip(v.start({})))._tag, "Conflict")
    first.beforeList = Effect.void
    assert.deepEqual(started, [])
  }).pipe(Effect.provide(makeSimulatedEngine({ storage: layer, others: [provider] })), Effect.runPromise)
})
