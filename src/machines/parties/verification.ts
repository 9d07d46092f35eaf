/**
 * A verification session: a hosted link under which one customer proves their identity, for one tier (KYC-5 to KYC-8).
 * An expired link is refreshed in place. A verdict is final.
 */
import { assign, setup } from "xstate"
import type { CustomerProfile, Tier } from "./customer.ts"
import { cancel, lifecycle, outcomes, publish, timer } from "../kernel/lifecycle.ts"
import type { CustomerSummary } from "./summaries.ts"

/** Why a verification is declined (KYC-13). */
export const declines = ["document_invalid", "identity_mismatch", "declined"] as const
export type Decline = (typeof declines)[number]

/** What the customer entered under the link. `profile.id_number` is encrypted, with its mask beside it. */
export interface VerificationSubmission {
  readonly name: string
  readonly profile: Pick<CustomerProfile, "date_of_birth" | "id_type" | "id_number" | "id_number_masked">
  /** The `identity_version` of the customer when it was sent. Absent: 0. */
  readonly identity_version?: number
}

/** The customer after an approval, as kyc.approved shows it. The profile is masked and has no empty members. */
interface VerificationApproval {
  readonly customer: CustomerSummary
  readonly profile: Readonly<Record<string, unknown>>
  /** Null: the approval did not change the tier. */
  readonly tier_upgraded_from: Tier | null
}

/**
 * A hosted link: of our page, which the token opens and which is found by the token's hash, or the encrypted URL of the
 * provider's page.
 */
export type HostedLink = {
  /** Epoch milliseconds: the link is expired from this instant on. */
  readonly expires_at: number
} & (
  | { readonly token_sealed: string; readonly token_hash: string; readonly url_sealed?: never }
  | { readonly url_sealed: string; readonly token_sealed?: never; readonly token_hash?: never }
)

/** Verifies where no provider does: the staff of the operator reviews what the customer entered on our page. */
export const STAFF = "operator"

export interface VerificationData {
  /** Who verifies: a provider, or {@link STAFF}. Absent on rows that were written before this member existed. */
  readonly provider?: string
  /** How often a provider began the verification: once for each link of its page. Absent: none has. */
  readonly starts?: number
  /** The id of the latest start. Absent: none was, or the row was written before this member existed. */
  readonly command_id?: string
  /**
   * The `identity_version` of the customer that a provider was told: by its first start, and by the latest one. Absent: none was, or
   * the row was written before this member existed.
   */
  readonly identity_versions?: { readonly first: number; readonly latest: number }
  readonly customer_id: string
  readonly tier_requested: Exclude<Tier, "tier_0">
  readonly redirect_url: string | null
  /** Null once there is a verdict: the link no longer opens. */
  readonly link: HostedLink | null
  /** Null before the form is sent, and when it is no longer needed. */
  readonly submission: VerificationSubmission | null
  readonly approval: VerificationApproval | null
  /** The customer that was rejected. Null without a rejection. */
  readonly rejected: CustomerSummary | null
  readonly failure_reason: Decline | null
}

export type VerificationEvent =
  | { readonly type: "provider.opened"; readonly at: number }
  | { readonly type: "customer.submitted"; readonly at: number; readonly submission: VerificationSubmission }
  | {
      readonly type: "provider.approved"
      readonly at: number
      readonly approval: VerificationApproval
      readonly more_held: boolean
      /** Operator: the verdict counts although the link has expired. */
      readonly late?: true
    }
  | {
      readonly type: "provider.rejected"
      readonly at: number
      readonly reason: Decline
      readonly customer: CustomerSummary
    }
  | {
      readonly type: "refresh"
      readonly at: number
      readonly link: HostedLink
      readonly redirect_url: string | null
      /** Who verifies now. Absent: as before. */
      readonly verifier?: Pick<VerificationData, "provider" | "starts" | "command_id" | "identity_versions">
    }
  | { readonly type: "timer.link_expiry"; readonly at: number }

/** How long a link can be opened and its form sent: one day (KYC-5). */
export const LINK_LIFETIME_MS = 24 * 60 * 60 * 1000

/**
 * The timer that releases the deposits which did not fit into one commit. The engine handles it; no state accepts it.
 */
export const releaseTimer = "release"

const linkExpiry = "link_expiry"
const ended = cancel(linkExpiry)
const refresh = { guard: "lapsed", target: "pending", reenter: true, actions: "refreshed" } as const
const expire = { target: "expired", actions: "forgotten" } as const

/** The customer has sent the form, which waits for a verdict. The link no longer expires. */
export const IN_REVIEW = "in_review"

const verdicts = {
  "provider.approved": [
    {
      guard: "liveWithMoreHeld",
      target: "approved",
      actions: ["approved", timer({ name: releaseTimer, after_ms: 0 })]
    },
    { guard: "live", target: "approved", actions: "approved" }
  ],
  "provider.rejected": { guard: "live", target: "rejected", actions: "rejected" }
} as const

/** Verdicts on what was submitted. */
const decisions = {
  "provider.approved": [
    {
      guard: "moreHeld",
      target: "approved",
      actions: ["approved", timer({ name: releaseTimer, after_ms: 0 })]
    },
    { target: "approved", actions: "approved" }
  ],
  "provider.rejected": { target: "rejected", actions: "rejected" }
} as const

/** Whether a verdict counts: before the link expires, or later when the operator says so. */
const isCounted = (context: VerificationData, event: VerificationEvent): boolean =>
  event.at < (context.link?.expires_at ?? 0) || (event.type === "provider.approved" && event.late === true)

const machine = setup({
  types: { context: {} as VerificationData, events: {} as VerificationEvent, input: {} as VerificationData },
  actions: {
    ...outcomes,
    submitted: assign(({ event }) => (event.type === "customer.submitted" ? { submission: event.submission } : {})),
    approved: assign(({ event }) =>
      event.type === "provider.approved" ? { approval: event.approval, link: null, submission: null } : {}
    ),
    rejected: assign(({ event }) =>
      event.type === "provider.rejected"
        ? { rejected: event.customer, failure_reason: event.reason, link: null, submission: null }
        : {}
    ),
    refreshed: assign(({ context, event }) =>
      event.type === "refresh"
        ? {
            link: event.link,
            redirect_url: event.redirect_url ?? context.redirect_url,
            submission: null,
            ...event.verifier
          }
        : {}
    ),
    forgotten: assign({ submission: null })
  },
  guards: {
    live: ({ context, event }) => isCounted(context, event),
    liveWithMoreHeld: ({ context, event }) =>
      event.type === "provider.approved" && event.more_held && isCounted(context, event),
    moreHeld: ({ event }) => event.type === "provider.approved" && event.more_held,
    lapsed: ({ context, event }) => event.at >= (context.link?.expires_at ?? 0)
  }
}).createMachine({
  id: "verification",
  version: "1",
  context: ({ input }) => input,
  initial: "pending",
  states: {
    pending: {
      entry: {
        type: "timer",
        params: ({ context }) => ({
          name: linkExpiry,
          at: context.link?.expires_at ?? 0
        })
      },
      on: {
        ...verdicts,
        refresh,
        "provider.opened": { guard: "live", target: "in_progress" },
        "customer.submitted": { guard: "live", target: "in_review", actions: "submitted" },
        "timer.link_expiry": expire
      }
    },
    in_progress: {
      on: {
        ...verdicts,
        refresh,
        "customer.submitted": { guard: "live", target: "in_review", actions: "submitted" },
        "timer.link_expiry": expire
      }
    },
    in_review: { entry: ended, on: { ...decisions, "customer.submitted": { guard: "live", actions: "submitted" } } },
    expired: { on: { refresh, "provider.approved": verdicts["provider.approved"] } },
    approved: { type: "final", entry: [ended, publish("approved")] },
    rejected: { type: "final", entry: [ended, publish("rejected")] }
  }
})

export const Verification = lifecycle<VerificationData, VerificationEvent>("verification", machine)

/** Whether a session takes an approval that an operator applies late: until it has a verdict. */
export const isOpenForLateApproval = ({
  machine,
  state
}: {
  readonly machine: string
  readonly state: string
}): boolean => Verification.knows(machine) && !Verification.hasEnded(state, machine)
