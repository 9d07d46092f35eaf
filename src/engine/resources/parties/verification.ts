/** Verification sessions (KYC-1 to KYC-8). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { CustomerData, Tier } from "../../../machines/parties/customer.ts"
import {
  type HostedLink,
  LINK_LIFETIME_MS,
  Verification,
  type VerificationData,
  type VerificationEvent
} from "../../../machines/parties/verification.ts"
import { BaseUrl } from "../../settings/BaseUrl.ts"
import type { Call } from "../../commit/call.ts"
import { lookupKey, type KeyScope } from "../../commit/changeset.ts"
import { begin } from "../../commit/steps.ts"
import { Cipher } from "../../ports/Cipher.ts"
import { invalid, InvalidStatus, InvariantViolation } from "../../ports/errors.ts"
import { UnitOfWork, missing } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { Providers } from "../../ports/Provider.ts"
import { isLapsed, verificationBody, verificationEvent } from "../../representations/parties/verification.ts"
import { HttpsUrl, listing, Optional } from "../../input/schemas.ts"
import { sha256, token } from "../../crypto/secrets.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { CustomerKind } from "./customer.ts"
import { listRows } from "../../calls/list.ts"

export const VerificationKind: ResourceKind<VerificationData, VerificationEvent> = {
  kind: "verification",
  prefix: "kyc",
  lifecycle: Verification,
  indexKeys: ({ tier_requested }) => [`tier_requested=${tier_requested}`],
  events: { category: "kyc", object: verificationEvent }
}

/** The scope in which a session is found by the hash of its link's token. */
export const linkScope: KeyScope = { name: "verification", taken: "defect" }

export const CreateVerification = Schema.Struct({
  tier: Optional(Schema.Literals(["tier_1", "tier_2"])),
  redirect_url: Optional(HttpsUrl)
})
export type CreateVerification = typeof CreateVerification.Type

export const ListVerifications = Schema.Struct(listing)
export type ListVerifications = typeof ListVerifications.Type

const tiers: ReadonlyArray<Tier> = ["tier_0", "tier_1", "tier_2"]

/** Whether `tier` is above `other`. */
export const isAbove = (tier: Tier, other: Tier): boolean => tiers.indexOf(tier) > tiers.indexOf(other)

/** The requested tier, by default the next one. Errors: `InvalidStatus` unless it is higher than the customer's. */
const requestedTier = (customer: Row<CustomerData>, named: VerificationData["tier_requested"] | undefined) => {
  const tier = named ?? (customer.data.tier === "tier_0" ? "tier_1" : "tier_2")
  return isAbove(tier, customer.data.tier)
    ? Effect.succeed(tier)
    : Effect.fail(
        new InvalidStatus({
          message: `Customer ${customer.id} is at ${customer.data.tier}. A verification requires a higher tier.`
        })
      )
}

export class Verifications extends Context.Service<Verifications>()("corridor/engine/Verifications", {
  make: Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const storage = yield* Storage
    const providers = yield* Providers
    const cipher = yield* Cipher
    const ids = yield* Ids
    const base_url = yield* BaseUrl

    const bodyOf = Effect.fnUntraced(function* (row: Row<VerificationData>, tier_current: Tier, at: number) {
      const { link } = row.data
      const hosted_url = link === null ? null : `${base_url}/verify/${yield* cipher.open(link.token_sealed)}`
      return verificationBody(row, tier_current, hosted_url, at)
    })

    /** A link with an unguessable token, valid for a day. */
    const newLink = Effect.fnUntraced(function* (at: number) {
      const secret = yield* Effect.provideService(token, Ids, ids)
      const [token_sealed, token_hash] = yield* Effect.all([cipher.seal(secret), sha256(secret)])
      return { token_sealed, token_hash, expires_at: at + LINK_LIFETIME_MS } satisfies HostedLink
    })

    /** The newest session of a customer for a tier. All older ones have a verdict. */
    const newest = Effect.fnUntraced(function* (merchant_id: string, customer_id: string, tier: Tier) {
      const { items } = yield* storage.list({
        merchant_id,
        kinds: [VerificationKind.kind],
        index_keys: [`customer_id=${customer_id}`, `tier_requested=${tier}`],
        offset: 0,
        limit: 1
      })
      return items[0] as Row<VerificationData> | undefined
    })

    const ofCustomer = Effect.fnUntraced(function* (merchant_id: string, customer_id: string, id: string) {
      const customer = yield* unitOfWork.load(CustomerKind, merchant_id, customer_id)
      const row = yield* unitOfWork.load(VerificationKind, merchant_id, id)
      if (row.data.customer_id !== customer_id) return yield* missing(VerificationKind, id)
      return { customer, row }
    })

    return {
      /**
       * Starts a verification, or returns the one in progress. When its link has expired, the session gets a new link.
       *
       * Errors: `NotFound`; `InvalidInput` for the default customer; `InvalidStatus` for a tier that is not higher than the
       * customer's, or that differs from the one being verified.
       */
      create: Effect.fn("Verifications.create")(function* (call: Call, customer_id: string, input: CreateVerification) {
        const { merchant_id } = call
        return yield* unitOfWork.write(
          call,
          Effect.gen(function* () {
            const at = yield* Clock.currentTimeMillis
            const customer = yield* unitOfWork.load(CustomerKind, merchant_id, customer_id)
            if (customer.data.is_default) {
              return yield* invalid(
                "customerId",
                `Customer ${customer_id} is the default customer, which represents the merchant. The operator verifies it.`
              )
            }
            const tier = yield* requestedTier(customer, input.tier)
            const open = customer.data.verification
            if (open !== undefined && open !== null && at < open.lapses_at) {
              if (open.tier !== tier) {
                return yield* new InvalidStatus({
                  message: `Verification ${open.id} for ${open.tier} is in progress. Request another tier after it has ended.`
                })
              }
              const row = yield* unitOfWork.load(VerificationKind, merchant_id, open.id)
              return { changes: [], result: yield* bodyOf(row, customer.data.tier, at), secret: true }
            }
            const link = yield* newLink(at)
            const redirect_url = input.redirect_url ?? null
            const known = yield* newest(merchant_id, customer_id, tier)
            const refreshed =
              known === undefined
                ? undefined
                : yield* unitOfWork.step(VerificationKind, known, { type: "refresh", at, link, redirect_url }, at)
            const begun =
              refreshed ??
              (yield* begin<VerificationData>(
                VerificationKind,
                { merchant_id, id: yield* ids.make(VerificationKind.prefix), customer_id },
                {
                  customer_id,
                  tier_requested: tier,
                  redirect_url,
                  link,
                  submission: null,
                  approval: null,
                  rejected: null,
                  failure_reason: null,
                  provider: providers.all[0]!.name
                },
                at
              ))
            const { id } = begun.row
            const verification = { id, tier, lapses_at: link.expires_at }
            // Always written, so that the second of two concurrent calls is decided again and finds the first one's session.
            const moved = yield* unitOfWork.step(
              CustomerKind,
              customer,
              {
                type: "update",
                patch: { verification, ...(customer.data.kyc_status === "approved" ? {} : { kyc_status: "pending" }) }
              },
              at
            )
            if (moved === undefined) throw new InvariantViolation("a customer accepts updates")
            const linkKey = lookupKey(linkScope, { key: link.token_hash, kind: VerificationKind.kind, id })
            return {
              changes: [begun.changes, moved.changes, linkKey],
              result: yield* bodyOf(begun.row, customer.data.tier, at),
              secret: true
            }
          }).pipe(Effect.provideService(Ids, ids))
        )
      }),

      /** Errors: `NotFound` for the customer, and for a session of another customer. */
      get: Effect.fn("Verifications.get")(function* (call: Call, customer_id: string, id: string) {
        const { customer, row } = yield* ofCustomer(call.merchant_id, customer_id, id)
        const at = yield* Clock.currentTimeMillis
        const lapsed = isLapsed(row.data, at) ? ".lapsed" : ""
        return {
          body: yield* bodyOf(row, customer.data.tier, at),
          version: `${row.version}.${customer.data.tier}${lapsed}`
        }
      }),

      /** A customer's sessions, newest first. Errors: `NotFound` for the customer. */
      list: Effect.fn("Verifications.list")(function* (call: Call, customer_id: string, input: ListVerifications) {
        const customer = yield* unitOfWork.load(CustomerKind, call.merchant_id, customer_id)
        const at = yield* Clock.currentTimeMillis
        const index_keys = [`customer_id=${customer_id}`]
        const listed = yield* listRows<VerificationData>(
          storage,
          call.merchant_id,
          [VerificationKind.kind],
          index_keys,
          input
        )
        return { ...listed, items: yield* Effect.forEach(listed.items, (row) => bodyOf(row, customer.data.tier, at)) }
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
