/** Verifications: one session is one applicant, and has its row in the books before Sumsub knows of it. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { VerificationCapability, VerificationCommand } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type ChainBooks, dataOf, entryKey } from "../../provider/chain/books.ts"
import type { SumsubCalls } from "./calls.ts"
import type { ApplicantReview, DoubtfulApproval, ExpectedCustomer } from "./mapping.ts"
import { type SumsubConfig, tiers } from "./options.ts"

/** A session that has, or gets, an applicant. */
export interface StartedSession {
  readonly merchant_id: string
  /** The level at which it began. */
  readonly level: string
  /** Whom the latest link was for. */
  readonly customer: ExpectedCustomer
  /** A look-up has said that it is approved. */
  readonly approved: boolean
  /** Sumsub has deactivated or deleted its applicant. */
  readonly ended: boolean
}

export interface SumsubParts {
  readonly config: SumsubConfig
  readonly calls: SumsubCalls
  readonly books: ChainBooks
  /** The name under which the store has what belongs to the provider. */
  readonly key: string
}

const sessionKey = (key: string, id: string) => entryKey("sumsub_session", `${key}/${id}`)

const levelOf = ({ levels, name }: SumsubConfig, { customer, tier }: VerificationCommand) => {
  const known = tiers.find((one) => one === tier)
  const level = known && levels[customer.type]?.[known]
  return level === undefined
    ? Effect.fail(
        new ProviderFault({ message: `${name} verifies no ${customer.type} for ${tier}: levels has no such level` })
      )
    : Effect.succeed(level)
}

const isSameCustomer = (one: ExpectedCustomer, other: ExpectedCustomer): boolean =>
  one.country_code === other.country_code && one.name === other.name && one.type === other.type

const doubtApproval = (id: string): DoubtfulApproval => ({
  _tag: "doubtful",
  sentence: `Sumsub has deactivated or deleted ${id}, so the customer is not approved by it: look at the applicant there`
})

/** What is known of sessions, and look-ups of them. */
export const makeApplicantReviews = ({ books, calls, key }: SumsubParts) => ({
  find: (id: string) => books.read<StartedSession>(sessionKey(key, id)),
  begin: (id: string, { customer: { country_code, name, type }, merchant_id }: VerificationCommand, level: string) =>
    books.amend([sessionKey(key, id)], ([row]) => {
      const before = dataOf<StartedSession>(row)
      const { approved = false, ended = false } = before ?? {}
      const data: StartedSession = { merchant_id, level, customer: { country_code, name, type }, approved, ended }
      const isSame = before !== undefined && before.level === level && isSameCustomer(before.customer, data.customer)
      return { entries: isSame ? [] : [{ key: sessionKey(key, id), data }], result: undefined }
    }),
  /** Writes down that an applicant is no more. Returns its session as it was; undefined: there is none. */
  end: (id: string) =>
    books.amend([sessionKey(key, id)], ([row]) => {
      const before = dataOf<StartedSession>(row)
      const isNew = before !== undefined && !before.ended
      const entries = isNew ? [{ key: sessionKey(key, id), data: { ...before, ended: true } }] : []
      return { entries, result: before }
    }),
  /**
   * Looks an applicant up, and remembers an approval: it may be withdrawn later.
   *
   * Law: an applicant that has ended is never approved, whatever a look-up still says.
   */
  see: Effect.fnUntraced(function* (
    id: string,
    session: Pick<StartedSession, "customer" | "level">
  ): Effect.fn.Return<ApplicantReview, ProviderFault> {
    const seen = yield* calls.lookup({ id, ...session })
    if (seen.status._tag !== "approved") return seen
    return yield* books.amend([sessionKey(key, id)], ([row]) => {
      const before = dataOf<StartedSession>(row)
      if (before?.ended === true) return { entries: [], result: { ...seen, status: doubtApproval(id) } }
      const isNew = before !== undefined && !before.approved
      return {
        entries: isNew ? [{ key: sessionKey(key, id), data: { ...before, approved: true } }] : [],
        result: seen
      }
    })
  })
})

export type ApplicantReviews = ReturnType<typeof makeApplicantReviews>

export const makeVerification = (
  { calls, config }: SumsubParts,
  applicants: ApplicantReviews
): VerificationCapability => ({
  start: Effect.fnUntraced(function* (command) {
    const { resource_id: id } = command
    const level = yield* levelOf(config, command)
    yield* applicants.begin(id, command, level)
    // Sumsub counts from when it gets the request, which is not before now.
    const now = yield* wallNow
    const hosted_url = yield* calls.link({ id, level }, command)
    return { hosted_url, expires_at: now + config.link_ttl_seconds * 1000 }
  }),
  lookup: Effect.fnUntraced(function* (command) {
    const { customer, resource_id: id } = command
    const level = (yield* applicants.find(id))?.level ?? (yield* levelOf(config, command))
    const { status } = yield* applicants.see(id, { customer, level })
    return status._tag === "doubtful" ? yield* new ProviderFault({ message: status.sentence }) : status
  })
})
