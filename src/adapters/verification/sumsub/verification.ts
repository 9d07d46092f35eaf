/** Verifications: one session is one applicant, and has its row in the books before Sumsub knows of it. */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { VerificationCapability, VerificationCommand } from "../../../engine/ports/Provider.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type ChainBooks, dataOf, entryKey } from "../../provider/chain/books.ts"
import type { SumsubCalls } from "./calls.ts"
import type { ApplicantReview } from "./mapping.ts"
import { type SumsubConfig, tiers } from "./options.ts"

/** A session that has, or gets, an applicant. */
export interface StartedSession {
  readonly merchant_id: string
  /** The level at which it began. */
  readonly level: string
  /** A look-up has said that it is approved. */
  readonly approved: boolean
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

/** What is known of sessions, and look-ups of them. */
export const makeApplicantReviews = ({ books, calls, key }: SumsubParts) => ({
  find: (id: string) => books.read<StartedSession>(sessionKey(key, id)),
  begin: (id: string, merchant_id: string, level: string) =>
    books.amend([sessionKey(key, id)], ([row]) => {
      const before = dataOf<StartedSession>(row)
      const data: StartedSession = { merchant_id, level, approved: before?.approved ?? false }
      return { entries: before?.level === level ? [] : [{ key: sessionKey(key, id), data }], result: undefined }
    }),
  /** Looks an applicant up, and remembers an approval: it may be withdrawn later. */
  see: Effect.fnUntraced(function* (id: string, level: string): Effect.fn.Return<ApplicantReview, ProviderFault> {
    const seen = yield* calls.lookup({ id, level })
    if (seen.status._tag === "approved")
      yield* books.amend([sessionKey(key, id)], ([row]) => {
        const before = dataOf<StartedSession>(row)
        const isNew = before !== undefined && !before.approved
        return {
          entries: isNew ? [{ key: sessionKey(key, id), data: { ...before, approved: true } }] : [],
          result: undefined
        }
      })
    return seen
  })
})

export type ApplicantReviews = ReturnType<typeof makeApplicantReviews>

export const makeVerification = (
  { calls, config }: SumsubParts,
  applicants: ApplicantReviews
): VerificationCapability => ({
  start: Effect.fnUntraced(function* (command) {
    const { merchant_id, resource_id: id } = command
    const level = yield* levelOf(config, command)
    yield* applicants.begin(id, merchant_id, level)
    // Sumsub counts from when it gets the request, which is not before now.
    const now = yield* wallNow
    const hosted_url = yield* calls.link({ id, level }, command)
    return { hosted_url, expires_at: now + config.link_ttl_seconds * 1000 }
  }),
  lookup: Effect.fnUntraced(function* (command) {
    const { resource_id: id } = command
    const level = (yield* applicants.find(id))?.level ?? (yield* levelOf(config, command))
    return (yield* applicants.see(id, level)).status
  })
})
