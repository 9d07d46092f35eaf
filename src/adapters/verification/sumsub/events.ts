/** Callbacks, which are a reason to look up. */
import { createHmac, timingSafeEqual } from "node:crypto"
import { Effect, Schema } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { EventSources, NoEvent, UnreadableEvent, VerificationReport } from "../../../engine/ports/Provider.ts"
import { toStorableText, readJson } from "../../provider/company/client.ts"
import type { ApplicantReview } from "./mapping.ts"
import type { SumsubConfig } from "./options.ts"
import type { ApplicantReviews } from "./verification.ts"

const Callback = Schema.Struct({
  type: Schema.String,
  externalUserId: Schema.optionalKey(Schema.NullOr(Schema.String))
})
const callbackIn = Schema.decodeUnknownOption(Callback)

/** An applicant is approved no more after these, whatever a look-up still says. */
const endings: ReadonlySet<string> = new Set(["applicantDeactivated", "applicantDeleted"])

/** The hex HMAC of the raw bytes, by the algorithm that is configured: which one a header names is not believed. */
const isSigned = (
  { webhook_digest, webhook_secrets }: SumsubConfig,
  digest: string | undefined,
  body: Uint8Array
): boolean => {
  if (digest === undefined || !/^[0-9a-f]+$/i.test(digest)) return false
  const given = Buffer.from(digest, "hex")
  return webhook_secrets
    .map((secret) => createHmac(webhook_digest, secret).update(body).digest())
    .map((expected) => expected.length === given.length && timingSafeEqual(expected, given))
    .includes(true)
}

const none: NoEvent = { _tag: "none" }

const toReviewOutcome = (status: ApplicantReview["status"]) => {
  switch (status._tag) {
    case "opened":
    case "approved":
      return { outcome: status._tag, reason: null }
    case "rejected":
      return { outcome: status._tag, reason: status.reason }
    case "absent":
    case "pending":
    case "doubtful":
      return undefined
  }
}

export const makeEvents = (config: SumsubConfig, applicants: ApplicantReviews): EventSources | undefined => {
  const reportOf = Effect.fnUntraced(function* (
    body: string
  ): Effect.fn.Return<VerificationReport | UnreadableEvent | NoEvent, ProviderFault> {
    const json = readJson(body)
    const read = callbackIn(json)
    if (read._tag === "None")
      return { _tag: "unreadable", content: json ?? toStorableText(body, 2000), fault: "it is no event of Sumsub's" }
    const { externalUserId: id, type } = read.value
    if (typeof id !== "string" || toStorableText(id, 128) !== id) return none
    const isEnding = endings.has(type)
    const session = yield* isEnding ? applicants.end(id) : applicants.find(id)
    if (session === undefined) return none
    const { review, status } = yield* applicants.see(id, session)
    const verdict = toReviewOutcome(status)
    const isKept = verdict !== undefined && verdict.outcome !== "opened"
    if (status._tag === "doubtful" && !session.approved)
      return { _tag: "unreadable", content: json, fault: status.sentence, verification: id }
    if (session.approved && (isEnding || !isKept))
      return {
        _tag: "unreadable",
        content: json,
        fault: `Sumsub no longer says that ${id} is approved (${type}): look at the applicant there, and at what the customer may do here`
      }
    if (verdict === undefined) return none
    const event_id = `${id}/${verdict.outcome}${isKept ? `/${review}` : ""}`
    return { _tag: "verification", event_id, merchant_id: session.merchant_id, resource_id: id, ...verdict }
  })

  if (config.webhook_secrets.length === 0) return undefined
  return {
    decode: (headers, body, bytes) =>
      isSigned(config, headers["x-payload-digest"], bytes ?? Buffer.from(body))
        ? reportOf(body)
        : Effect.succeed(undefined)
  }
}
