/** Callbacks of a fake Sumsub: their signature, the look-up behind each, and verdicts that are withdrawn. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Provider } from "../../../../src/engine/ports/Provider.ts"
import type { FakeSumsub } from "../../../support/companies/fake-sumsub.ts"
import { describeLookup, sumsubWorld, verificationOf } from "../../../support/companies/sumsub-world.ts"
import { covers } from "../../../support/repository/covers.ts"

type Sent = ReturnType<FakeSumsub["callback"]>

const deliver = (provider: Provider["Service"], { body, headers }: Sent) =>
  provider.events!.decode!(headers, body, Buffer.from(body))

/** What becomes of a callback in a word. */
const wordOf = (provider: Provider["Service"], sent: Sent) =>
  Effect.match(deliver(provider, sent), {
    onFailure: ({ _tag }): string => _tag,
    onSuccess: (event) =>
      event === undefined
        ? "refused"
        : event._tag === "verification"
          ? `${event.event_id} ${event.outcome}`
          : event._tag
  })

/** A session whose customer has opened its page. */
const opened = (options: Parameters<typeof sumsubWorld>[0] = {}) =>
  Effect.gen(function* () {
    const world = yield* sumsubWorld(options)
    const { provider } = yield* world.start()
    yield* world.inWorld(provider.verification!.start(verificationOf(1)))
    world.fake.open("kyc_1")
    const word = (...args: Parameters<FakeSumsub["callback"]>) =>
      world.inWorld(wordOf(provider, world.fake.callback(...args)))
    return { ...world, provider, word }
  })

describe("a callback", () => {
  covers("SUMSUB-4", "SUMSUB-5")
  it.live("says what a look-up says, in one event for each state", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider, word } = yield* opened()
      assert.strictEqual(yield* word("applicantCreated", "kyc_1"), "kyc_1/opened opened")
      assert.strictEqual(yield* word("applicantPending", "kyc_1"), "kyc_1/opened opened")
      fake.review("kyc_1", { answer: "GREEN", attempt: 1 })
      const sent = fake.callback("applicantReviewed", "kyc_1")
      const event = yield* inWorld(deliver(provider, sent))
      assert.deepStrictEqual(event, {
        ...{ _tag: "verification", event_id: "kyc_1/approved/att1", merchant_id: "mer_1", resource_id: "kyc_1" },
        ...{ outcome: "approved", reason: null }
      })
      // Played again, for ever.
      for (let again = 0; again < 3; again++) assert.deepStrictEqual(yield* inWorld(deliver(provider, sent)), event)
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-4")
  it.live("is not believed: an old approval that is played again after a rejection is the rejection", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider, word } = yield* opened()
      const claims = { reviewStatus: "completed", reviewResult: { reviewAnswer: "GREEN" } }
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1", { members: claims }), "kyc_1/opened opened")
      const old = fake.callback("applicantReviewed", "kyc_1", { members: claims })
      fake.review("kyc_1", { answer: "RED", rejectType: "FINAL", labels: ["SELFIE_MISMATCH"], attempt: 2 })
      const event = yield* inWorld(deliver(provider, old))
      assert.include(event as object, {
        outcome: "rejected",
        reason: "identity_mismatch",
        event_id: "kyc_1/rejected/att2"
      })
      assert.notInclude(JSON.stringify(event), "private comment")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-4")
  it.live.each([
    ["another secret", { secret: "dddddddddddddddddddddddd" }, {}],
    ["SHA-1, which its header names", { alg: "sha1" }, {}],
    ["SHA-512 where SHA-256 is set", { alg: "sha512" }, {}],
    ["SHA-256 where SHA-512 is set", { alg: "sha256" }, { webhook_digest: "sha512" }]
  ] as const)("is refused with %s", ([_, signing, options]) =>
    Effect.gen(function* () {
      const { fake, word } = yield* opened(options)
      const asked = fake.requests.length
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1", signing), "refused")
      assert.strictEqual(fake.requests.length, asked, "nothing is looked up for it")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-4")
  it.live("is refused without a digest, with half of one, and with another body", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider } = yield* opened()
      const sent = fake.callback("applicantReviewed", "kyc_1")
      const digest = sent.headers["x-payload-digest"]!
      for (const headers of [
        {},
        { "x-payload-digest": "" },
        { "x-payload-digest": digest.slice(0, 32) },
        { "x-payload-digest": `${digest}00` },
        { "x-payload-digest": "zz".repeat(32) }
      ])
        assert.strictEqual(yield* inWorld(wordOf(provider, { headers, body: sent.body })), "refused")
      assert.strictEqual(yield* inWorld(wordOf(provider, { ...sent, body: `${sent.body} ` })), "refused")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-4")
  it.live("is taken with the new secret, the old one, and the algorithm that is set", () =>
    Effect.gen(function* () {
      const { word } = yield* opened({
        webhook_secret: ["eeeeeeeeeeeeeeeeeeeeeeee", "cccccccccccccccccccccccc"],
        webhook_digest: "sha512"
      })
      for (const secret of ["eeeeeeeeeeeeeeeeeeeeeeee", "cccccccccccccccccccccccc"])
        assert.strictEqual(yield* word("applicantCreated", "kyc_1", { alg: "sha512", secret }), "kyc_1/opened opened")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-4")
  it.live("about nothing of ours is acknowledged and asked nothing about, and one that is no event is recorded", () =>
    Effect.gen(function* () {
      const { fake, word } = yield* opened()
      const asked = fake.requests.length
      assert.strictEqual(yield* word("applicantReviewed", "somebody-elses"), "none")
      assert.strictEqual(yield* word("applicantReviewed", null), "none")
      assert.strictEqual(yield* word("kytTxnApproved", null), "none")
      assert.strictEqual(yield* word("x", "kyc_1", { members: { externalUserId: "a\u0000b" } }), "none")
      assert.strictEqual(fake.requests.length, asked)
      assert.strictEqual(yield* word("x", "kyc_1", { members: { type: null } }), "unreadable")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-4")
  it.live.each([
    "html",
    "html_404",
    "truncated",
    "redirect",
    "error_500",
    "limited",
    "silent",
    "lost",
    "other"
  ] as const)("is not acknowledged while its look-up is %s, and counts when it is sent again", (kind) =>
    Effect.gen(function* () {
      const { fake, time, word } = yield* opened()
      fake.review("kyc_1", { answer: "GREEN" })
      fake.goWrong(kind)
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "ProviderFault")
      time.now += 300_000
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/approved/att0 approved")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-5")
  it.live("withdraws an approval: it is recorded for the operator, and no event of the session", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider, word } = yield* opened()
      // A reset before any verdict is an everyday thing.
      assert.strictEqual(yield* word("applicantReset", "kyc_1"), "kyc_1/opened opened")
      fake.review("kyc_1", { answer: "GREEN" })
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/approved/att0 approved")
      assert.strictEqual(yield* word("applicantTagsChanged", "kyc_1"), "kyc_1/approved/att0 approved")
      const deactivated = yield* inWorld(deliver(provider, fake.callback("applicantDeactivated", "kyc_1")))
      assert.match(
        (deactivated as { fault: string }).fault,
        /no longer says that kyc_1 is approved \(applicantDeactivated\)/
      )
      fake.review("kyc_1", { status: "init" })
      assert.strictEqual(yield* word("applicantReset", "kyc_1"), "unreadable")
      fake.applicants.delete("kyc_1")
      assert.strictEqual(yield* word("applicantDeleted", "kyc_1"), "unreadable")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-5")
  it.live("tells a rejection after an approval, and a new approval after a rejection, as events of their own", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider, word } = yield* opened()
      fake.review("kyc_1", { answer: "RED", rejectType: "FINAL", attempt: 0 })
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/rejected/att0 rejected")
      fake.review("kyc_1", { answer: "GREEN", attempt: 1 })
      // A look-up of the engine saw it first.
      yield* inWorld(provider.verification!.lookup(verificationOf(1)))
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/approved/att1 approved")
      fake.review("kyc_1", { answer: "RED", rejectType: "FINAL", attempt: 2 })
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/rejected/att2 rejected")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-5")
  it.live("after an approval that only a look-up saw, withdraws it too", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider, start } = yield* opened()
      fake.review("kyc_1", { answer: "GREEN" })
      yield* inWorld(provider.verification!.lookup(verificationOf(1)))
      fake.review("kyc_1", { status: "init" })
      const { provider: later } = yield* start()
      assert.strictEqual(yield* inWorld(wordOf(later, fake.callback("applicantReset", "kyc_1"))), "unreadable")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-5", "SUMSUB-9")
  it.live.each(["applicantDeactivated", "applicantDeleted"])(
    "of %s that arrives before the approval was told approves nobody: neither it, nor a later one, nor a look-up",
    (ending) =>
      Effect.gen(function* () {
        const { fake, inWorld, provider, start, word } = yield* opened()
        fake.review("kyc_1", { answer: "GREEN" })
        const event = yield* inWorld(deliver(provider, fake.callback(ending, "kyc_1")))
        assert.match((event as { fault: string }).fault, /deactivated or deleted kyc_1/)
        assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "unreadable")
        assert.match(
          yield* inWorld(describeLookup(provider, verificationOf(1))),
          /^fault: Sumsub has deactivated or deleted/
        )
        // Another link and another process change nothing.
        yield* inWorld(provider.verification!.start(verificationOf(1, {}, 2)))
        yield* inWorld(provider.verification!.start(verificationOf(1, { tier: "tier_2" }, 3)))
        yield* inWorld(provider.verification!.start(verificationOf(1, {}, 4)))
        const { provider: later } = yield* start()
        assert.match(
          yield* inWorld(describeLookup(later, verificationOf(1))),
          /^fault: Sumsub has deactivated or deleted/
        )
        // What it says of others counts.
        fake.review("kyc_1", { answer: "RED", rejectType: "FINAL" })
        assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/rejected/att0 rejected")
      }).pipe(Effect.scoped)
  )

  covers("SUMSUB-9")
  it.live("of an applicant's end counts although its look-up fails at first", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider, word } = yield* opened()
      fake.review("kyc_1", { answer: "GREEN" })
      fake.goWrong("error_500")
      assert.strictEqual(yield* word("applicantDeactivated", "kyc_1"), "ProviderFault")
      assert.match(yield* inWorld(describeLookup(provider, verificationOf(1))), /^fault: Sumsub has deactivated/)
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-8")
  it.live("about the approval of another person than the customer is recorded for the operator", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider, word } = yield* opened()
      fake.review("kyc_1", { answer: "GREEN" })
      const applicant = fake.applicants.get("kyc_1")!
      const own = applicant.info
      applicant.info = { firstName: "Viktor", lastName: "Black", country: "NGA" }
      const event = yield* inWorld(deliver(provider, fake.callback("applicantReviewed", "kyc_1")))
      assert.match((event as { fault: string }).fault, /approves kyc_1, and has another name/)
      assert.notMatch((event as { fault: string }).fault, /Viktor|Black|Ada|Obi/)
      assert.match(
        yield* inWorld(describeLookup(provider, verificationOf(1))),
        /^fault: Sumsub approves kyc_1, and has another/
      )
      applicant.info = own
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/approved/att0 approved")
      applicant.info = { firstName: "Viktor", lastName: "Black", country: "NGA" }
      assert.strictEqual(yield* word("applicantPersonalInfoChanged", "kyc_1"), "unreadable")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-8")
  it.live("is about the customer that the latest link was for", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider, word } = yield* opened()
      fake.review("kyc_1", { answer: "GREEN" })
      const customer = { ...verificationOf(1).customer, name: "Ada Eze" }
      yield* inWorld(provider.verification!.start(verificationOf(1, { customer }, 2)))
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "unreadable")
      yield* inWorld(provider.verification!.start(verificationOf(1, {}, 3)))
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/approved/att0 approved")
    }).pipe(Effect.scoped)
  )

  covers("SUMSUB-5", "SUMSUB-8")
  it.live(
    "after a new start withdraws nothing: what was approved before it was not the customer that it is about",
    () =>
      Effect.gen(function* () {
        const { fake, inWorld, provider, word } = yield* opened()
        fake.review("kyc_1", { answer: "GREEN" })
        // It comes between the change of the customer and the new start, and approves nobody.
        assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/approved/att0 approved")
        const customer = { ...verificationOf(1).customer, name: "Ada Eze" }
        yield* inWorld(provider.verification!.start(verificationOf(1, { customer }, 2)))
        fake.review("kyc_1", { status: "init" })
        assert.strictEqual(yield* word("applicantReset", "kyc_1"), "kyc_1/opened opened")
      }).pipe(Effect.scoped)
  )

  covers("SUMSUB-8")
  it.live("and a look-up after it are about the customers that each is asked about, in every order", () =>
    Effect.gen(function* () {
      const { fake, inWorld, provider, word } = yield* opened()
      const other = { customer: { ...verificationOf(1).customer, name: "Someone Else" } }
      fake.review("kyc_1", { answer: "GREEN" })
      const looked = (over: object) => inWorld(describeLookup(provider, verificationOf(1, over, 2)))
      for (const _ of [1, 2]) {
        assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/approved/att0 approved")
        assert.match(yield* looked(other), /has another name/)
        assert.strictEqual(yield* looked({}), "approved")
      }
      // A link for another customer, and for this one again.
      yield* inWorld(provider.verification!.start(verificationOf(1, other, 3)))
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "unreadable")
      assert.match(yield* looked(other), /has another name/)
      yield* inWorld(provider.verification!.start(verificationOf(1, {}, 4)))
      assert.strictEqual(yield* word("applicantReviewed", "kyc_1"), "kyc_1/approved/att0 approved")
    }).pipe(Effect.scoped)
  )
})
