/**
 * What happens to a verification, and to its customer with it: the provider's words, the customer's form, the link's
 * lapse. One commit moves both (KYC-8).
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { CustomerData, CustomerProfile, KycStatus } from "../../../machines/parties/customer.ts"
import {
  type Decline,
  declines,
  releaseTimer,
  type Submission,
  type VerificationData,
  type VerificationEvent
} from "../../../machines/parties/verification.ts"
import { type ChangeSet, requireUnchanged } from "../../commit/changeset.ts"
import { begin, type Stepped, timerOf } from "../../commit/steps.ts"
import { InvariantViolation, type Unavailable } from "../../ports/errors.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { type HandlerResult, resultOf, type Source } from "../../commit/source.ts"
import { Ids } from "../../ports/Ids.ts"
import { isAnothers, Provider, type VerificationEvent as VerificationReport } from "../../ports/Provider.ts"
import { customerBody, customerSummary } from "../../representations/parties/customer.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { CustomerKind } from "./customer.ts"
import { ExceptionKind, exceptionData } from "../deposits/exception.ts"
import { HeldDeposits } from "../deposits/held-deposits.ts"
import { isAbove, VerificationKind } from "./verification.ts"

/** What can happen to a session. */
export type VerificationTrigger =
  | { readonly _tag: "reported"; readonly report: VerificationReport }
  | { readonly _tag: "submitted"; readonly submission: Submission }
  | { readonly _tag: "timer"; readonly type: string }

const reasonOf = (reason: string | null): Decline => declines.find((known) => known === reason) ?? "declined"

/** What an approval makes of the customer's profile: what was stated under the link is verified now. */
const verified = (kept: CustomerProfile | null, submission: Submission | null): CustomerProfile | null =>
  submission === null ? kept : { ...kept, ...submission.profile }

/** Members that have a value, at any depth. */
const present = (members: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(members)
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, typeof value === "object" ? present(value as object) : value])
  )

export class VerificationOutcomes extends Context.Service<
  VerificationOutcomes,
  {
    /**
     * Hears what happened to a session. What its state has no use for moves nothing; a verdict among it is kept for the
     * operator as an exception, unless it repeats the one that stands.
     *
     * Law: approval, tier, events and the deposits that the tier has room for are one commit; deposits past fifty follow by
     * a timer, each released once.
     */
    readonly handle: (
      merchant_id: string,
      id: string,
      trigger: VerificationTrigger,
      source: Source
    ) => Effect.Effect<HandlerResult, Unavailable>
    /** Operator: what an approval writes that came after its link had lapsed. `undefined` where there is a verdict already. */
    readonly approveLate: (
      merchant_id: string,
      id: string,
      at: number
    ) => Effect.Effect<ReadonlyArray<ChangeSet> | undefined, Unavailable>
  }
>()("corridor/engine/VerificationOutcomes") {
  static readonly layer = Layer.effect(
    VerificationOutcomes,
    Effect.gen(function* () {
      const unitOfWork = yield* UnitOfWork
      const storage = yield* Storage
      const provider = yield* Provider
      const deposits = yield* HeldDeposits
      const ids = yield* Ids

      /** The customer after a step, whose states are all one. */
      const changed = Effect.fnUntraced(function* (
        customer: Row<CustomerData>,
        patch: Partial<CustomerData>,
        at: number
      ) {
        const next = yield* unitOfWork.step(CustomerKind, customer, { type: "update", patch }, at)
        if (next === undefined) throw new InvariantViolation("a customer takes updates")
        return next
      })

      /** A session's step and what it means for its customer; `undefined` where the session's state has no use for it. */
      type Moved = ReadonlyArray<ChangeSet> | undefined

      const approve = Effect.fnUntraced(function* (
        row: Row<VerificationData>,
        customer: Row<CustomerData>,
        at: number,
        late?: true
      ) {
        const { tier_requested, submission } = row.data
        const { tier: before, profile, type } = customer.data
        // Of a business it is a person who states a name.
        const named = submission !== null && type === "individual" ? { name: submission.name } : {}
        const tier = isAbove(tier_requested, before) ? tier_requested : before
        const after = yield* changed(
          customer,
          { tier, kyc_status: "approved", verification: null, profile: verified(profile, submission), ...named },
          at
        )
        // Without rates nobody can say what fits: an approval is heard all the same, and the deposits follow by the timer.
        const released = yield* Effect.catchTag(
          deposits.release(row.merchant_id, customer.id, tier, at),
          "ExternalServiceUnavailable",
          () => Effect.succeed({ changes: [], more: true })
        )
        const approval = {
          customer: customerSummary(after.row),
          profile: present(customerBody(after.row, at).profile),
          tier_upgraded_from: tier === before ? null : before
        }
        const event = {
          type: "provider.approved",
          at,
          approval,
          more_held: released.more,
          ...(late === undefined ? {} : { late })
        } as const
        const next = yield* unitOfWork.step(VerificationKind, row, event, at)
        return next === undefined ? undefined : [next.changes, after.changes, ...released.changes]
      })

      /** Where a customer stands with a session that has moved. An earlier approval outlives what becomes of a later one. */
      const follow = Effect.fnUntraced(function* (
        next: Stepped<VerificationData>,
        customer: Row<CustomerData>,
        at: number
      ): Effect.fn.Return<ReadonlyArray<ChangeSet>, Unavailable> {
        const { kyc_status, verification } = customer.data
        if (verification?.id !== next.row.id) return [next.changes]
        const status: KycStatus = kyc_status === "approved" ? kyc_status : (next.row.state as KycStatus)
        const isOver = next.row.state !== "pending" && next.row.state !== "in_progress"
        if (status === kyc_status && !isOver) return [next.changes]
        const after = yield* changed(customer, { kyc_status: status, ...(isOver ? { verification: null } : {}) }, at)
        return [next.changes, after.changes]
      })

      const eventOf = (trigger: VerificationTrigger, customer: Row<CustomerData>, at: number): VerificationEvent => {
        switch (trigger._tag) {
          case "submitted":
            return { type: "customer.submitted", at, submission: trigger.submission }
          case "timer":
            return { type: "timer.link_expiry", at }
          case "reported":
            return trigger.report.outcome === "opened"
              ? { type: "provider.opened", at }
              : {
                  type: "provider.rejected",
                  at,
                  reason: reasonOf(trigger.report.reason),
                  customer: customerSummary(customer)
                }
        }
      }

      const moved = Effect.fnUntraced(function* (
        trigger: VerificationTrigger,
        row: Row<VerificationData>,
        customer: Row<CustomerData>,
        at: number
      ): Effect.fn.Return<Moved, Unavailable> {
        if (trigger._tag === "timer" && trigger.type === `timer.${releaseTimer}`) {
          const { changes, more } = yield* deposits.release(row.merchant_id, customer.id, customer.data.tier, at)
          return more ? [...changes, timerOf(row, releaseTimer, at)] : changes
        }
        if (trigger._tag === "reported" && trigger.report.outcome === "approved")
          return yield* approve(row, customer, at)
        const next = yield* unitOfWork.step(VerificationKind, row, eventOf(trigger, customer, at), at)
        return next === undefined ? undefined : yield* follow(next, customer, at)
      })

      const contradicts = (trigger: VerificationTrigger, row: Row | undefined): VerificationReport | undefined =>
        trigger._tag === "reported" && trigger.report.outcome !== "opened" && trigger.report.outcome !== row?.state
          ? trigger.report
          : undefined

      const refused = Effect.fnUntraced(function* (
        merchant_id: string,
        id: string,
        trigger: VerificationTrigger,
        row: Row | undefined,
        at: number
      ): Effect.fn.Return<Decision<HandlerResult>> {
        const asItWas = requireUnchanged({ kind: VerificationKind.kind, id }, row)
        const isAnother = row !== undefined && isAnothers(row, provider.name)
        const report = isAnother && trigger._tag === "reported" ? trigger.report : contradicts(trigger, row)
        if (report === undefined) return { changes: [asItWas], result: "ignored" }
        const details = {
          provider: provider.name,
          event: report,
          reason: row === undefined ? "unknown_resource" : isAnother ? "another_provider" : "contradicts_state",
          ...(row === undefined ? {} : { row })
        }
        const exception = yield* Effect.flatMap(ids.make(ExceptionKind.prefix), (exception_id) =>
          begin(ExceptionKind, { merchant_id, id: exception_id }, exceptionData(details), at)
        ).pipe(Effect.provideService(Ids, ids))
        return { changes: [asItWas, exception.changes], result: "ignored" }
      })

      const sessionOf = Effect.fnUntraced(function* (merchant_id: string, id: string) {
        const [row] = yield* storage.get([{ merchant_id, kind: VerificationKind.kind, id }])
        return row as Row<VerificationData> | undefined
      })

      const customerOf = Effect.fnUntraced(function* ({ merchant_id, id, data }: Row<VerificationData>) {
        const [customer] = yield* storage.get([{ merchant_id, kind: CustomerKind.kind, id: data.customer_id }])
        if (customer === undefined) throw new InvariantViolation(`verification ${id} has a customer`)
        return customer as Row<CustomerData>
      })

      const handle = Effect.fnUntraced(function* (
        merchant_id: string,
        id: string,
        trigger: VerificationTrigger,
        source: Source
      ): Effect.fn.Return<HandlerResult, Unavailable> {
        const applied = yield* unitOfWork.apply(
          merchant_id,
          source,
          Effect.gen(function* (): Effect.fn.Return<Decision<HandlerResult>, Unavailable> {
            const at = yield* Clock.currentTimeMillis
            const row = yield* sessionOf(merchant_id, id)
            if (row === undefined) return yield* refused(merchant_id, id, trigger, undefined, at)
            if (trigger._tag === "reported" && isAnothers(row, provider.name))
              return yield* refused(merchant_id, id, trigger, row, at)
            const changes = yield* moved(trigger, row, yield* customerOf(row), at)
            return changes === undefined
              ? yield* refused(merchant_id, id, trigger, row, at)
              : { changes, result: "applied" }
          })
        )
        return resultOf(applied)
      })

      return VerificationOutcomes.of({
        handle,
        approveLate: Effect.fnUntraced(function* (merchant_id: string, id: string, at: number) {
          const row = yield* sessionOf(merchant_id, id)
          return row === undefined ? undefined : yield* approve(row, yield* customerOf(row), at, true)
        })
      })
    })
  )
}
