/** The calls of Sumsub. Each request is signed over its time, method, path with the query, and body. */
import { createHmac } from "node:crypto"
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { VerificationCommand } from "../../../engine/ports/Provider.ts"
import type { Transport } from "../../../protocol/transport.ts"
import {
  type CompanyRequest,
  faultOfNoReply,
  makeCompanyClient,
  type NoReply,
  type CompanyReply
} from "../../provider/company/client.ts"
import {
  isUnclear,
  readLinkPage,
  describeReply,
  type ApplicantReview,
  readApplicant,
  type ApplicantKey
} from "./mapping.ts"
import type { SumsubConfig } from "./options.ts"

export const makeCalls = (transport: Transport, config: SumsubConfig, now: Effect.Effect<number>) => {
  // The headers of a request at a time.
  const ask = makeCompanyClient({
    transport,
    base_url: config.url,
    headers: ({ body = "", method, path }: CompanyRequest, now_ms: number) => {
      const seconds = String(Math.floor(now_ms / 1000))
      return {
        "x-app-token": config.app_token,
        "x-app-access-ts": seconds,
        "x-app-access-sig": createHmac("sha256", config.secret_key)
          .update(seconds + method + path + body)
          .digest("hex")
      }
    },
    now
  })
  const levels: Effect.Effect<CompanyReply, NoReply> = ask({ method: "GET", path: "/resources/applicants/-/levels" })

  /** A link for the applicant of a session. Asked for again, it is another link for the same applicant. */
  const link = Effect.fnUntraced(function* (
    { id, level }: Pick<ApplicantKey, "id" | "level">,
    { customer, redirect_url }: VerificationCommand
  ): Effect.fn.Return<string, ProviderFault> {
    const body = JSON.stringify({
      levelName: level,
      userId: id,
      applicantIdentifiers: { email: customer.email },
      ...(redirect_url === null ? {} : { redirect: { successUrl: redirect_url, rejectUrl: redirect_url } }),
      ttlInSecs: config.link_ttl_seconds
    })
    const path = "/resources/sdkIntegrations/levels/-/websdkLink"
    const reply = yield* Effect.mapError(ask({ method: "POST", path, body }), faultOfNoReply)
    return (
      readLinkPage(reply) ??
      (yield* new ProviderFault({ message: `a link for ${id}: Sumsub answered ${describeReply(reply)}` }))
    )
  })

  const lookup = Effect.fnUntraced(function* (session: ApplicantKey): Effect.fn.Return<ApplicantReview, ProviderFault> {
    const path = `/resources/applicants/-;externalUserId=${encodeURIComponent(session.id)}/one`
    const reply = yield* Effect.mapError(ask({ method: "GET", path }), faultOfNoReply)
    const seen = readApplicant(reply, session)
    return isUnclear(seen)
      ? yield* new ProviderFault({ message: `the applicant of ${session.id}: ${seen.sentence}` })
      : seen
  })

  return { levels, link, lookup }
}

export type SumsubCalls = ReturnType<typeof makeCalls>
