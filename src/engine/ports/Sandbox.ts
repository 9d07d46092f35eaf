/**
 * The control interface of a simulated provider, used by the sandbox of the test environment (SANDBOX-12).
 *
 * The simulated provider never calls the engine. Its events are jobs in the queue `simulated`. A `ScheduledEvent` is
 * such a job, handed to the caller: pass its event to the Inbox, then run `done`.
 */
import { Context, type Effect } from "effect"
import type { StorageFault } from "./errors.ts"
import type { IssueCommand } from "./provider-commands.ts"
import type { MovementOutcome, MovementOutcomeType } from "./provider-results.ts"
import type { PayinEvent, ProviderEvent, PayinSender, VerificationReport } from "./provider-events.ts"
import type { Job } from "./Storage.ts"

/** How the provider treats the submissions of one merchant. */
export const submissionModes = ["accept", "hold", "unavailable", "timeout"] as const
export type Submissions = (typeof submissionModes)[number]

/**
 * How the provider treats the refunds of one merchant. `settle`: they succeed, in `auto` mode after the provider's delay.
 * `accept`: they are accepted, and their outcome waits for the sandbox.
 */
export const refundModes = ["settle", "accept"] as const
export type RefundHandling = (typeof refundModes)[number]

export interface Behaviour {
  readonly submissions: Submissions
  readonly refunds: RefundHandling
}

/**
 * An event that the provider sends now.
 *
 * Law: its job is committed before it is returned. If the caller dies before `done`, the job sends the same event again,
 * under the same id.
 */
export interface ScheduledEvent<Event extends ProviderEvent = ProviderEvent> {
  readonly event: Event
  /** Run this once the event has been received. */
  readonly done: Effect.Effect<void, StorageFault>
}

export interface OutcomeInput {
  readonly merchant_id: string
  readonly resource_id: string
  readonly outcome: MovementOutcomeType
  readonly reason: string | null
  /** Null: a success on a chain gets a generated hash, the same each time. */
  readonly transaction_hash: string | null
  /** What the provider states besides. Absent: nothing. */
  readonly figures?: Pick<
    MovementOutcome,
    "amount" | "currency" | "fee" | "fee_currency" | "parts" | "complete" | "provider_reference"
  >
  /**
   * Null: a new event. The id of an earlier event reports it again, as this input says: another outcome under it contradicts
   * the first. What the input leaves out stays.
   */
  readonly event_id: string | null
}

/**
 * A pay-in, or a later stage of one. `payin_id` null: a new pay-in. `sender.account_number` may be complete; only its
 * last four digits are kept (DEPOSIT-14).
 */
export interface PayinInput {
  readonly merchant_id: string
  readonly payin_id: string | null
  readonly stage: PayinEvent["stage"]
  readonly target: string
  readonly amount: string
  readonly currency: string
  /** Null or `bank` for fiat. */
  readonly network: string | null
  readonly from_address: string | null
  readonly sender: PayinSender | null
  readonly narration: string | null
}

export class Sandbox extends Context.Service<
  Sandbox,
  {
    /**
     * The events of a due job in the queue `simulated`, in order.
     *
     * Law: it changes nothing and may be repeated. The worker that claimed the job completes it once every event was
     * received.
     */
    readonly run: (job: Job) => Effect.Effect<ReadonlyArray<ProviderEvent>, StorageFault>
    /**
     * Reports the outcome of a movement. It replaces the outcomes that the provider would still have reported by
     * itself. `returned` on a transfer is reported as `reversed` (TRANSFER-9).
     *
     * Where the provider has accepted a refund for the resource, it is the outcome of the refund: `success`, or `failed`,
     * `returned` and `refund_failed`, which say that it failed. After a refund that succeeded, `refund_failed` says that
     * the money came back.
     */
    readonly outcome: (input: OutcomeInput) => Effect.Effect<ScheduledEvent, StorageFault>
    /**
     * Reports a pay-in. A known `payin_id` is the same money at another stage, reported as `input` says, even if that
     * contradicts what was reported before: only the payer and the narration stay where `input` names none. What has
     * arrived, and can be refunded, is what was confirmed first.
     */
    readonly payin: (input: PayinInput) => Effect.Effect<ScheduledEvent<PayinEvent>, StorageFault>
    /** Where a pay-in has arrived, and in which currency. Undefined: it was never reported. */
    readonly payinOf: (
      merchant_id: string,
      payin_id: string
    ) => Effect.Effect<Pick<PayinEvent, "target" | "currency" | "network"> | undefined, StorageFault>
    /**
     * Issues an address or account now, whether or not it was requested. The details and the event id are the same
     * every time.
     */
    readonly issued: (command: IssueCommand) => Effect.Effect<ScheduledEvent, StorageFault>
    readonly screened: (beneficiary: {
      readonly merchant_id: string
      readonly resource_id: string
      readonly screening_id: string
      readonly cleared: boolean
    }) => Effect.Effect<ScheduledEvent, StorageFault>
    readonly verification: (result: {
      readonly merchant_id: string
      readonly resource_id: string
      readonly outcome: VerificationReport["outcome"]
      readonly reason: string | null
    }) => Effect.Effect<ScheduledEvent<VerificationReport>, StorageFault>
    /** Reports the verdict on the data that a customer entered under a hosted link, by the document number (KYC-11). */
    readonly examine: (stated: {
      readonly merchant_id: string
      readonly resource_id: string
      readonly document_number: string
    }) => Effect.Effect<ScheduledEvent<VerificationReport>, StorageFault>
    /**
     * Sets how submissions and refunds are treated from now on. Absent members stay as they are. Returns all settings. They
     * survive a restart.
     */
    readonly behave: (merchant_id: string, behaviour: Partial<Behaviour>) => Effect.Effect<Behaviour, StorageFault>
    /** How submissions and refunds of a merchant are treated now. */
    readonly behaviour: (merchant_id: string) => Effect.Effect<Behaviour, StorageFault>
    /** The number of times a command was paid out. A later return does not change it. */
    readonly executions: (command_id: string) => Effect.Effect<number, StorageFault>
    /** The number of times a movement was paid out, over all of its commands. */
    readonly executionsOf: (resource_id: string) => Effect.Effect<number, StorageFault>
    /** The number of commands that were paid out. */
    readonly count: Effect.Effect<number, StorageFault>
  }
>()("corridor/engine/Sandbox") {}
