/**
 * Look-ups of verifications that a provider makes: an event that was missed is found here (KYC-15). A provider is first told of a customer
 * that has changed (KYC-16).
 */
import { Clock, Effect } from "effect"
import type { VerificationData } from "../../../machines/parties/verification.ts"
import type { CustomerData } from "../../../machines/parties/customer.ts"
import type { StorageFault, Unavailable } from "../../ports/errors.ts"
import { Cipher } from "../../ports/Cipher.ts"
import type { Provider, VerificationCommand, VerificationStatus } from "../../ports/Provider.ts"
import { type Job, type JobWrite, type Lease, type Row, Storage } from "../../ports/Storage.ts"
import { CustomerKind } from "../../resources/parties/customer.ts"
import { makeVerificationCommand, findVerificationDelay, startIdOf } from "../../resources/parties/verification.ts"
import { VerificationOutcomes } from "../../resources/parties/verification-outcome.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { listLoggedCalls, addLogEntry } from "../../reports/progress.ts"
import { identityVersionOf, identityVersionsOf } from "../../resources/parties/verified-identity.ts"
import { callProvider, type OutgoingCalls, restartVerification, retryMs } from "./provider-calls.ts"

const open: ReadonlySet<string> = new Set(["pending", "in_progress"])

const toVerificationOutcome = (status: VerificationStatus) => {
  switch (status._tag) {
    case "opened":
    case "approved":
      return { outcome: status._tag, reason: null }
    case "rejected":
      return { outcome: status._tag, reason: status.reason }
    case "absent":
    case "pending":
      return undefined
  }
}

/** Makes the handler of the jobs that ask a provider about an open session. `complete` and `leaseOf` are those of the other jobs. */
export const makeVerify = ({
  calls,
  complete,
  leaseOf
}: {
  readonly calls: OutgoingCalls
  readonly complete: (
    job: Job,
    again?: { readonly after_ms: number; readonly body?: JobWrite["body"] }
  ) => Effect.Effect<unknown, StorageFault>
  readonly leaseOf: (job: Job) => Lease
}) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const outcomes = yield* VerificationOutcomes
    const cipher = yield* Cipher

    /** Tells the provider of a customer that has changed. The next run asks about it. */
    const beginAnew = Effect.fnUntraced(function* (
      job: Job,
      row: Row<VerificationData>,
      provider: Provider["Service"],
      command: VerificationCommand,
      begun: { readonly starts: number; readonly latest: number }
    ) {
      const at = yield* Clock.currentTimeMillis
      const start = restartVerification(provider, command, at)
      const { record, result } = yield* callProvider(job, provider, "start_verification", job.attempt, start)
      const logged = { ...job, log: addLogEntry(job, record) }
      if (result._tag === "Failure") return yield* complete(logged, { after_ms: retryMs(job.attempt) })
      const { expires_at, hosted_url } = result.success.page
      const link = { url_sealed: yield* cipher.seal(hosted_url), expires_at }
      const source = { lease: leaseOf(job), origin: { calls: listLoggedCalls(logged) } }
      return yield* outcomes.restart(row, { link, command_id: command.id, ...begun }, source)
    })

    return Effect.fnUntraced(function* (
      job: Job,
      found: Row,
      provider: Provider["Service"]
    ): Effect.fn.Return<unknown, Unavailable> {
      const row = found as Row<VerificationData>
      const { customer_id, link, redirect_url, starts, tier_requested } = row.data
      const { id, merchant_id } = row
      // A later link may be of our page, where no provider verifies any more.
      if (!open.has(row.state) || link?.url_sealed === undefined || starts === undefined) return yield* complete(job)
      const [customer] = yield* storage.get([{ merchant_id, kind: CustomerKind.kind, id: customer_id }])
      if (customer === undefined) return yield* complete(job)
      const tier = tier_requested
      const about = { merchant_id, customer_id, customer: customer.data as CustomerData, id, redirect_url, tier }
      const asked = identityVersionOf(about.customer)
      if (asked !== identityVersionsOf(row.data).latest && (yield* Clock.currentTimeMillis) < link.expires_at) {
        const begun = { starts: starts + 1, latest: asked }
        return yield* beginAnew(job, row, provider, makeVerificationCommand({ ...about, starts: begun.starts }), begun)
      }
      const version = identityVersionsOf(row.data).latest
      const command = { ...makeVerificationCommand({ ...about, starts }), id: startIdOf(row) }
      const lookup = calls.verification(provider, command)
      const { record, result } = yield* callProvider(job, provider, "verify", job.attempt, lookup)
      const verdict = result._tag === "Failure" ? undefined : toVerificationOutcome(result.success)
      const logged = { ...job, log: addLogEntry(job, record) }
      if (verdict !== undefined && (verdict.outcome !== "opened" || row.state === "pending")) {
        const event_id = `${job.id}.${starts}.${verdict.outcome}`
        const report = { _tag: "verification", event_id, merchant_id, resource_id: id, ...verdict } as const
        const source = { deduplicationKey: `lookup/${provider.name}/${event_id}`, deduplication_ms: keyLifetime }
        const origin = { calls: listLoggedCalls(logged) }
        yield* outcomes.handle(
          merchant_id,
          id,
          { _tag: "reported", provider: provider.name, report, asked: version },
          { ...source, origin }
        )
      }
      const lookups = typeof job.body["lookups"] === "number" ? job.body["lookups"] + 1 : 1
      const isOver = (yield* Clock.currentTimeMillis) >= link.expires_at
      if (isOver || (verdict !== undefined && verdict.outcome !== "opened")) return yield* complete(job)
      return yield* complete(logged, { after_ms: findVerificationDelay(lookups), body: { ...job.body, lookups } })
    })
  })
