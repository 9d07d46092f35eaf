/**
 * What Sumsub said of an applicant, and what that is to the port. Total and pure: any status with any body is a status of the port, or the
 * sentence why not. What is on no table decides nothing.
 */
import { Schema } from "effect"
import type { VerificationStatus } from "../../../engine/ports/Provider.ts"
import { keptText, type CompanyReply } from "../../provider/company/client.ts"

/** The states of a review that have no verdict. A `reviewAnswer` beside them is none: `awaitingService` comes with GREEN. */
export const openStates = [
  "init",
  "pending",
  "prechecked",
  "queued",
  "onHold",
  "awaitingUser",
  "awaitingService"
] as const

/** What a `completed` review says, by its answer and the type of its rejection. RED with RETRY: the applicant may try again. */
export const answers = {
  GREEN: "approved",
  "RED FINAL": "rejected",
  "RED RETRY": "opened"
} as const

/** The reasons of the service, by labels of a rejection. Any other label is `declined`. */
export const reasons: Readonly<Record<string, ReadonlyArray<string>>> = {
  identity_mismatch: ["SELFIE_MISMATCH", "BAD_FACE_MATCHING", "PROBLEMATIC_APPLICANT_DATA", "INCONSISTENT_PROFILE"],
  document_invalid: [
    "FORGERY",
    "GRAPHIC_EDITOR",
    "DOCUMENT_TEMPLATE",
    "DOCUMENT_DAMAGED",
    "DOCUMENT_DEPRIVED",
    "DOCUMENT_MISSING",
    "DOCUMENT_PAGE_MISSING",
    "INCOMPLETE_DOCUMENT",
    "ID_INVALID",
    "NOT_DOCUMENT"
  ]
}

const Loose = Schema.optionalKey(Schema.Unknown)
const Applicant = Schema.Struct({
  id: Schema.String,
  externalUserId: Schema.String,
  review: Schema.Struct({
    reviewStatus: Schema.String,
    levelName: Loose,
    attemptId: Loose,
    reviewDate: Loose,
    createDate: Loose,
    reviewResult: Schema.optionalKey(
      Schema.NullOr(Schema.Struct({ reviewAnswer: Loose, reviewRejectType: Loose, rejectLabels: Loose }))
    )
  })
})
/** Sumsub's own error: its `code` repeats the status. */
const Refusal = Schema.Struct({ code: Schema.String, description: Schema.String })
const Link = Schema.Struct({ url: Schema.String })
const Level = Schema.Struct({ name: Schema.String })
const Levels = Schema.Struct({ items: Schema.Array(Schema.Unknown), totalItems: Loose })

const applicantIn = Schema.decodeUnknownOption(Applicant)
const refusalIn = Schema.decodeUnknownOption(Refusal)
const linkIn = Schema.decodeUnknownOption(Link)
const levelIn = Schema.decodeUnknownOption(Level)
const levelsIn = Schema.decodeUnknownOption(Levels)

/** Whether an answer is an error of Sumsub's own under a status, and not of what stands before it. */
export const isRefusal = ({ json, status }: CompanyReply, of: number): boolean => {
  const read = status === of ? refusalIn(json) : undefined
  return read?._tag === "Some" && read.value.code === String(of)
}

/** Why an answer is none. Its description is Sumsub's own sentence, about the request and not about the applicant. */
export const saidIn = ({ json, status }: CompanyReply): string => {
  const description = keptText((json as { readonly description?: unknown } | null | undefined)?.description)
  return description === null ? `status ${status} with a body that is not its own` : `status ${status}: ${description}`
}

/** What is asked about: the applicant of a session, at the level of its tier. */
export interface ApplicantKey {
  readonly id: string
  readonly level: string
}

/** An applicant's status. `review`: the same for as long as the verdict is that of one review. */
export interface ApplicantReview {
  readonly status: VerificationStatus
  readonly review: string
}

/** An answer that decides nothing. */
export interface Unclear {
  readonly sentence: string
}

const reasonOf = (labels: unknown): string => {
  const given: ReadonlyArray<unknown> = Array.isArray(labels) ? labels : []
  return (
    Object.keys(reasons).find((reason) => given.some((label) => reasons[reason]!.includes(label as string))) ??
    "declined"
  )
}

const verdictOf = ({
  rejectLabels,
  reviewAnswer,
  reviewRejectType
}: {
  readonly reviewAnswer?: unknown
  readonly reviewRejectType?: unknown
  readonly rejectLabels?: unknown
}): VerificationStatus | undefined => {
  // Only texts: a list of one text would read like it.
  const [answer, type] = [reviewAnswer, reviewRejectType].map((value) => (typeof value === "string" ? value : "?"))
  const key = answer === "GREEN" ? answer : `${answer} ${type}`
  const outcome = Object.hasOwn(answers, key) ? answers[key as keyof typeof answers] : undefined
  if (outcome === undefined) return undefined
  return outcome === "rejected" ? { _tag: outcome, reason: reasonOf(rejectLabels) } : { _tag: outcome }
}

/** What a look-up of an applicant says of its session. */
export const seenIn = (reply: CompanyReply, { id, level }: ApplicantKey): ApplicantReview | Unclear => {
  if (isRefusal(reply, 404)) return { status: { _tag: "absent" }, review: "none" }
  const read = reply.status === 200 ? applicantIn(reply.json) : undefined
  if (read === undefined || read._tag === "None") return { sentence: `Sumsub answered ${saidIn(reply)}` }
  const { externalUserId, review } = read.value
  if (externalUserId !== id) return { sentence: "Sumsub answered with another applicant" }
  const { attemptId, createDate, levelName, reviewDate, reviewResult, reviewStatus } = review
  const known = keptText(attemptId, 64) ?? keptText(reviewDate, 64) ?? keptText(createDate, 64) ?? "first"
  if ((openStates as ReadonlyArray<string>).includes(reviewStatus)) return { status: { _tag: "opened" }, review: known }
  const status = reviewStatus === "completed" ? verdictOf(reviewResult ?? {}) : undefined
  if (status === undefined) return { sentence: `Sumsub's review of ${id} is in a state that is not known` }
  if (status._tag !== "opened" && levelName !== level)
    return { sentence: `Sumsub's review of ${id} is not at the level of its tier, ${JSON.stringify(level)}` }
  return { status, review: known }
}

export const isUnclear = (seen: ApplicantReview | Unclear): seen is Unclear => "sentence" in seen

/** The page of a link. Undefined: the answer has none that can be shown to a customer. */
export const pageIn = ({ json, status }: CompanyReply): string | undefined => {
  const read = status === 200 || status === 201 ? linkIn(json) : undefined
  if (read === undefined || read._tag === "None") return undefined
  const { url } = read.value
  return URL.canParse(url) && new URL(url).protocol === "https:" ? url : undefined
}

/** The names of all levels. Undefined: the answer has none, or not all. */
export const levelsOf = ({ json, status }: CompanyReply): ReadonlySet<string> | undefined => {
  // Lists of other calls are in a member `list`.
  const read = levelsIn((json as { readonly list?: unknown } | null | undefined)?.list ?? json)
  if (status !== 200 || read._tag === "None") return undefined
  const { items, totalItems } = read.value
  const names = items.flatMap((item) => {
    const level = levelIn(item)
    return level._tag === "Some" ? [level.value.name] : []
  })
  const isWhole = totalItems === undefined || totalItems === String(items.length)
  return isWhole && names.length === items.length ? new Set(names) : undefined
}
