/** What a case is. */
import type { Bench } from "./bench.ts"
import type { Trial } from "./trial.ts"

export const areas = [
  "manifest",
  "signatures",
  "transport",
  "payouts",
  "conversions",
  "refunds",
  "issues",
  "instructions",
  "verifications",
  "amounts",
  "contents",
  "events",
  "callbacks",
  "books",
  "directory",
  "screening",
  "rates"
] as const
export type CaseArea = (typeof areas)[number]

/** Why a case cannot run against this connector in this run; undefined: it can. */
export type Need = (bench: Bench) => string | undefined

export interface Case {
  /** `<area>/<name>`. */
  readonly id: string
  /** What a connector must do. */
  readonly rule: string
  /** What goes wrong for money or people where it does not. */
  readonly why: string
  readonly needs: ReadonlyArray<Need>
  /**
   * When it runs. Default: in any order among the others. `restart`: with all others that restart the connector, which is
   * restarted once for them. `crash`: alone. `end`: after all others, over what they did.
   */
  readonly phase?: "restart" | "crash" | "end"
  readonly run: (trial: Trial) => Promise<void>
}

const readReason = (found: unknown): string | undefined => (typeof found === "string" ? found : undefined)

export const needs = {
  payouts: ({ subject }) => readReason(subject.payouts()),
  conversions: ({ subject }) => readReason(subject.conversions()),
  issues: ({ subject }) => readReason(subject.payins("issue")),
  payins: ({ subject }) => readReason(subject.payins("payin")),
  waiting: ({ waiting }) =>
    waiting === null ? "--waiting-account is not given: no payout is known to wait for a person" : undefined,
  verification: ({ subject }) => (subject.offers("verification") ? undefined : "no verification is offered"),
  screening: ({ subject }) => (subject.offers("screening") ? undefined : "no screening is offered"),
  directory: ({ subject }) => (subject.offers("directory") ? undefined : "no directory is offered"),
  rates: ({ subject }) => (subject.serves("rates") ? undefined : "no rates are offered"),
  statements: ({ subject }) =>
    subject.serves("statements")
      ? undefined
      : "no statements are offered: how often a command was executed cannot be seen",
  events: ({ subject }) => (subject.manifest.events.readable ? undefined : "the manifest has no readable events"),
  callbacks: ({ subject, callbacks, no_callbacks }) =>
    !subject.manifest.events.callbacks
      ? "the manifest has no callbacks"
      : callbacks === null
        ? no_callbacks
        : undefined,
  identity: ({ subject }) =>
    subject.manifest.id === null
      ? "the manifest has no `id`: under another name, Corridor knows the connector by its URL alone"
      : undefined,
  restart: ({ restarts }) => (restarts.isPossible ? undefined : "--start or --restart is not given"),
  /** Refunds need money that was paid in for them, and an event that says so. */
  refunds: ({ subject, payIn, follower, callbacks }) =>
    readReason(subject.payins("payin")) ??
    (payIn === null
      ? "--pay-in is not given: there is no money to return"
      : follower === null && callbacks === null
        ? "pay-ins cannot be seen: neither the events are readable nor is --callback-listen given"
        : undefined)
} as const satisfies Readonly<Record<string, Need>>
