/**
 * What the sandbox of the test environment asks of a provider that is simulated (SANDBOX-12).
 *
 * The simulated provider never calls the engine. Its events are jobs of queue `simulated`. A `ScheduledEvent` is such a job
 * handed to the caller: pass its event to the Inbox, then run `done`.
 */
import { Context, type Effect } from "effect"
import type { StorageFault } from "./errors.ts"
import type {
  IssueCommand,
  MovementOutcomeType,
  PayinEvent,
  ProviderEvent,
  Sender,
  VerificationEvent
} from "./Provider.ts"
import type { Job } from "./Storage.ts"

/** How the provider answers submissions of one merchant's movements. */
export const submissionModes = ["accept", "hold", "unavailable", "timeout"] as const
export type Submissions = (typeof submissionModes)[number]

/**
 * An event that the provider sends now.
 *
 * Law: its job is committed before it is returned. If the caller dies before `done`, the job sends the same event again,
 * under the same id.
 */
export interface ScheduledEvent<Event extends ProviderEvent = ProviderEvent> {
  readonly event: Event
  /** To be run once the event was received. */
  readonly done: Effect.Effect<void, StorageFault>
}

export interface OutcomeInput {
  readonly merchant_id: string
  readonly resource_id: string
  readonly outcome: MovementOutcomeType
  readonly reason: string | null
  /** Null: a success on a chain gets one made up, the same each time. */
  readonly transaction_hash: string | null
  /** Null: a new one. The id of an earlier word repeats that word, whatever else is given. */
  readonly event_id: string | null
}

/**
 * A pay-in, or a later stage of one. `payin_id` null: a new one. `sender.account_number` may be whole; four digits of it
 * are kept (DEPOSIT-14).
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
  readonly sender: Sender | null
  readonly narration: string | null
}

export class Sandbox extends Context.Service<
  Sandbox,
  {
    /**
     * The events of a due job of queue `simulated`, in order.
     *
     * Law: it changes nothing and may be repeated; whoever claimed the job completes it once every event was received.
     */
    readonly run: (job: Job) => Effect.Effect<ReadonlyArray<ProviderEvent>, StorageFault>
    /**
     * The provider's word on a movement. It takes the place of what the provider had still to say of it by itself.
     * `returned` on a transfer is told as `reversed` (TRANSFER-9).
     */
    readonly outcome: (input: OutcomeInput) => Effect.Effect<ScheduledEvent, StorageFault>
    /**
     * Money arrives. A payin_id seen before is the same money at another stage: its target, amount and payer stay as
     * first told.
     */
    readonly payin: (input: PayinInput) => Effect.Effect<ScheduledEvent<PayinEvent>, StorageFault>
    /** Issues an address or account now, whether or not it was asked for yet. The same details and event id every time. */
    readonly issued: (command: IssueCommand) => Effect.Effect<ScheduledEvent, StorageFault>
    readonly screened: (beneficiary: {
      readonly merchant_id: string
      readonly resource_id: string
      readonly screening_id: string
      readonly cleared: boolean
    }) => Effect.Effect<ScheduledEvent, StorageFault>
    readonly verification: (word: {
      readonly merchant_id: string
      readonly resource_id: string
      readonly outcome: VerificationEvent["outcome"]
      readonly reason: string | null
    }) => Effect.Effect<ScheduledEvent<VerificationEvent>, StorageFault>
    /** The verdict on what a customer stated under a hosted link, by its document's number (KYC-11). */
    readonly examine: (stated: {
      readonly merchant_id: string
      readonly resource_id: string
      readonly document_number: string
    }) => Effect.Effect<ScheduledEvent<VerificationEvent>, StorageFault>
    /** From now on, until told otherwise, also after a restart. */
    readonly behave: (merchant_id: string, submissions: Submissions) => Effect.Effect<void, StorageFault>
    /** How often a command was paid out. A return afterwards does not undo it. */
    readonly executions: (command_id: string) => Effect.Effect<number, StorageFault>
    /** How often a movement was paid out, over all of its commands. */
    readonly executionsOf: (resource_id: string) => Effect.Effect<number, StorageFault>
    /** How many commands were paid out in all. */
    readonly count: Effect.Effect<number, StorageFault>
  }
>()("corridor/engine/Sandbox") {}
