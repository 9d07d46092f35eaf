/** Verifications: one session is one applicant, and has its row in the books before Sumsub knows of it. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { VerificationCapability, VerificationCommand } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type ChainBooks, readData, entryKey } from "../../provider/chain/books.ts"
import { dayOf } from "../../provider/company/submissions.ts"
import type { SumsubCalls } from "./calls.ts"
import type { ApplicantReview, ExpectedCustomer } from "./mapping.ts"
import { type SumsubConfig, tiers } from "./options.ts"

/** A session that has, or gets, an applicant. */
export interface StartedSession {
  readonly merchant_id: string
  /** The level at which it began. */
  readonly level: string
  /** Whom the latest link was for, until there is a verdict, or its time is over. Null: nobody is kept. */
  readonly customer: ExpectedCustomer | null
  /** When the customer is forgotten without a verdict, a day of UTC. Absent: it was written before there was one. */
  readonly kept_until?: string
  /** A look-up has said that it is approved. */
  readonly approved: boolean
  /** The digest of the applicant that was approved last. */
  readonly approved_as?: string | null
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

const dayMs = 24 * 3_600_000
/** A customer is kept so long after the link has lapsed, milliseconds: a review may take longer than a link. */
const keptMs = 30 * dayMs
/** The most days whose customers are forgotten at once. */
const daysMax = 10

const dayIndex = (key: string, day: string): string => `sumsub_kept=${key}/${day}`

const toSessionWrite = (key: string, id: string, data: StartedSession) => ({
  ...{ key: sessionKey(key, id), data },
  index_keys: data.customer === null || data.kept_until === undefined ? [] : [dayIndex(key, data.kept_until)]
})

const chooseLevel = ({ levels, name }: SumsubConfig, { customer, tier }: VerificationCommand) => {
  const known = tiers.find((one) => one === tier)
  const level = known && levels[customer.type]?.[known]
  return level === undefined
    ? Effect.fail(
        new ProviderFault({ message: `${name} verifies no ${customer.type} for ${tier}: levels has no such level` })
      )
    : Effect.succeed(level)
}

/** Forgets the customers whose time is over: at each start the next days, so that none is left out. */
const makeForgetting = ({ books, key }: SumsubParts) => {
  const forgottenKey = entryKey("sumsub_forgotten", key)
  return Effect.fnUntraced(function* (now: number) {
    const today = Date.parse(dayOf(now))
    const before = (yield* books.read<{ readonly to: number }>(forgottenKey))?.to ?? today
    const to = Math.min(today, before + daysMax * dayMs)
    for (let at = before; at < to; at += dayMs)
      for (const row of yield* books.list({
        kind: sessionKey(key, "").kind,
        index_keys: [dayIndex(key, dayOf(at))]
      })) {
        const id = row.id.slice(row.id.indexOf("/") + 1)
        yield* books.amend([sessionKey(key, id)], ([found]) => {
          const session = readData<StartedSession>(found)
          // Another link may have been made meanwhile.
          const isOver = session !== undefined && session.customer !== null && session.kept_until === dayOf(at)
          const entries = isOver ? [toSessionWrite(key, id, { ...session, customer: null })] : []
          return { entries, result: undefined }
        })
      }
    yield* books.amend([forgottenKey], ([row]) => {
      const isBehind = (readData<{ readonly to: number }>(row)?.to ?? -1) >= to
      return { entries: isBehind ? [] : [{ key: forgottenKey, data: { to } }], result: undefined }
    })
  })
}

/** Makes the reviews of applicants: the stored sessions, and their look-ups. */
export const makeApplicantReviews = ({ books, calls, key }: SumsubParts) => ({
  find: (id: string) => books.read<StartedSession>(sessionKey(key, id)),
  begin: (
    id: string,
    { customer: { country_code, date_of_birth, name, type }, merchant_id }: VerificationCommand,
    level: string,
    lapses_at: number
  ) =>
    books.amend([sessionKey(key, id)], ([row]) => {
      const { ended = false } = readData<StartedSession>(row) ?? {}
      const customer = { country_code, date_of_birth, name, type }
      const kept_until = dayOf(lapses_at + keptMs)
      // Who is verified again was not approved by what was told before: that was about other data, or came too late.
      const undecided = { approved: false, approved_as: null }
      const data: StartedSession = { merchant_id, level, customer, kept_until, ...undecided, ended }
      return { entries: [toSessionWrite(key, id, data)], result: undefined }
    }),
  /** Records that an applicant is no more. Returns its session as it was; undefined: there is none. */
  end: (id: string) =>
    books.amend([sessionKey(key, id)], ([row]) => {
      const before = readData<StartedSession>(row)
      const isNew = before !== undefined && !before.ended
      const entries = isNew ? [toSessionWrite(key, id, { ...before, ended: true })] : []
      return { entries, result: before }
    }),
  /**
   * Looks an applicant up, and remembers an approval: it may be withdrawn later. With a verdict, the customer is not kept.
   *
   * Law: an applicant that has ended is never approved, whatever a look-up still says.
   */
  see: Effect.fnUntraced(function* (
    id: string,
    session: Pick<StartedSession, "approved_as" | "customer" | "level">
  ): Effect.fn.Return<ApplicantReview, ProviderFault> {
    const seen = yield* calls.lookup({ id, ...session })
    const { _tag } = seen.status
    if (_tag !== "approved" && _tag !== "rejected") return seen
    return yield* books.amend([sessionKey(key, id)], ([row]) => {
      const before = readData<StartedSession>(row)
      if (_tag === "approved" && before?.ended === true) {
        const sentence = `Sumsub has deactivated or deleted ${id}, so the customer is not approved by it: look at the applicant there`
        const result: ApplicantReview = { ...seen, status: { _tag: "doubtful", sentence } }
        return { entries: [], result }
      }
      if (before === undefined) return { entries: [], result: seen }
      const approval = _tag === "approved" ? { approved: true, approved_as: seen.digest } : {}
      const data = { ...before, customer: null, ...approval }
      const isSame = before.customer === null && (_tag === "rejected" || before.approved_as === seen.digest)
      return { entries: isSame ? [] : [toSessionWrite(key, id, data)], result: seen }
    })
  })
})

export type ApplicantReviews = ReturnType<typeof makeApplicantReviews>

export const makeVerification = (parts: SumsubParts, applicants: ApplicantReviews): VerificationCapability => {
  const { calls, config } = parts
  const forget = makeForgetting(parts)
  return {
    start: Effect.fnUntraced(function* (command) {
      const { resource_id: id } = command
      const level = yield* chooseLevel(config, command)
      // Sumsub counts from when it gets the request, which is not before now.
      const now = yield* wallNow
      const expires_at = now + config.link_ttl_seconds * 1000
      yield* forget(now)
      yield* applicants.begin(id, command, level, expires_at)
      const hosted_url = yield* calls.link({ id, level }, command)
      return { hosted_url, expires_at }
    }),
    lookup: Effect.fnUntraced(function* (command) {
      const { customer, resource_id: id } = command
      const level = (yield* applicants.find(id))?.level ?? (yield* chooseLevel(config, command))
      const { status } = yield* applicants.see(id, { customer, level })
      return status._tag === "doubtful" ? yield* new ProviderFault({ message: status.sentence }) : status
    })
  }
}
