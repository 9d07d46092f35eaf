/**
 * Provider events, each handled once per (provider, event id). An event that fits no resource becomes an exception and
 * is acknowledged: the provider gets no error, and the event is not lost.
 */
import { Context, Effect, Layer } from "effect"
import type { ChangeSet } from "../../commit/changeset.ts"
import type { Kind } from "../../commit/kind.ts"
import type { EventResult, Source } from "../../commit/call.ts"
import type { Unavailable } from "../../ports/errors.ts"
import type { ProviderEvent, UnreadableEvent } from "../../ports/Provider.ts"
import type { CallRecord, Row } from "../../ports/Storage.ts"
import { VerificationKind } from "../../resources/parties/verification.ts"
import { VerificationOutcomes } from "../../resources/parties/verification-outcome.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { makeAcceptedAnswers } from "./accepted-answers.ts"
import { type DeliveryOptions, toEventResult, makeDeliver, type ProviderReport } from "./apply-event.ts"
import { type EventLease, makeProviderEvents } from "./provider-events.ts"
import type { ProviderWord } from "./result-events.ts"

export class Inbox extends Context.Service<
  Inbox,
  {
    /**
     * Handles an event of a provider. Law: an event id of a provider has one effect for each merchant, however often and in whatever order
     * the event arrives. The same id with other content has no effect and is recorded as an exception with both versions. The record of an
     * id is its merchant's, written in the Change of the effect: one for all merchants would be a row in another database than the effect,
     * asked for with every event and kept for ever. An event that
     * can never be applied is recorded too: only errors that a repeat may resolve fail. An id is stored for as long as
     * {@link RetentionPolicy} says; a repeat after that moves no money, see there. `lease`: the job that brought the event, which
     * is completed with it if the event is about a movement and no duplicate.
     * Errors: `ExternalServiceUnavailable` when the event cannot be priced now. Nothing is written; send it again.
     */
    readonly receive: (
      provider: string,
      event: ProviderEvent | UnreadableEvent,
      origin?: Source["origin"],
      lease?: EventLease
    ) => Effect.Effect<EventResult, Unavailable>
    /**
     * Applies an event from a job or a provider's result to a resource, and records what the provider reported. An event that the state does not accept is
     * dropped with its job; `otherwise` is written. `readPrecondition` runs in the decision of the step.
     */
    readonly handle: (
      kind: Kind,
      merchant_id: string,
      id: string,
      event: (at: number) => ProviderReport,
      source: Source,
      otherwise?: (row: Row | undefined, at: number) => ReadonlyArray<ChangeSet>,
      options?: Pick<DeliveryOptions, "first" | "readPrecondition">
    ) => Effect.Effect<{ readonly result: EventResult; readonly row: Row | undefined }, Unavailable>
    /**
     * Applies the result of a call, as `handle` does. `word`: the outcome that it states, if any. `options.accepts`: whether the row is
     * still about what was asked.
     * Law: where the state does not accept it, also because an event has ended the resource and cancelled the job meanwhile, it leads to
     * what it would lead to as an event, once (OUTCOME-10).
     */
    readonly handleAnswer: (
      kind: Kind,
      merchant_id: string,
      id: string,
      event: (at: number) => ProviderReport,
      source: Source,
      word: ProviderWord | undefined,
      options?: Pick<DeliveryOptions, "accepts" | "readPrecondition">
    ) => Effect.Effect<{ readonly result: EventResult; readonly row: Row | undefined }, Unavailable>
    /**
     * Keeps the answer of a provider that has accepted a submission: with the outcome that is received within
     * {@link OutcomeWindow}, or by `keep`.
     */
    readonly accepted: (record: CallRecord, keep: Effect.Effect<void>) => Effect.Effect<void>
  }
>()("corridor/engine/Inbox") {
  static readonly layer = Layer.effect(
    Inbox,
    Effect.gen(function* () {
      const verifications = yield* VerificationOutcomes
      const { deliver } = yield* makeDeliver
      const answers = yield* makeAcceptedAnswers
      const { eventsOf, recordedAs } = yield* makeProviderEvents(answers)

      const handleAnswer = Effect.fnUntraced(function* (
        kind: Kind,
        merchant_id: string,
        id: string,
        event: (at: number) => ProviderReport,
        source: Source,
        word: ProviderWord,
        { accepts = () => true, readPrecondition }: Pick<DeliveryOptions, "accepts" | "readPrecondition">
      ) {
        const asEvent = (row: Row | undefined, at: number) =>
          row === undefined || !word.counts(row) ? Effect.succeed([]) : recordedAs(kind, row, word, at)
        const { lease, ...others } = source
        // Under one key, so that a word whose commit was made and not confirmed is not told again.
        const once = {
          deduplicationKey: `told/${word.event.event_id}/${lease?.token ?? ""}`,
          deduplication_ms: keyLifetime,
          ...others
        }
        const first = yield* deliver(
          kind,
          merchant_id,
          id,
          event,
          lease === undefined ? once : { ...once, lease },
          asEvent,
          {
            accepts,
            readPrecondition
          }
        )
        // The event that has ended the resource has cancelled the job as well, and with it the lease under which the word was told.
        if (first.result !== "duplicate" || lease === undefined) return first
        return yield* deliver(kind, merchant_id, id, event, once, asEvent, {
          accepts: (row) => accepts(row) && word.counts(row)
        })
      })

      return Inbox.of({
        accepted: answers.keep,
        receive: (provider, event, origin = {}, lease) => eventsOf(provider)(event, origin, lease),
        handleAnswer: (kind, merchant_id, id, event, source, word, options = {}) =>
          Effect.map(
            word === undefined
              ? deliver(kind, merchant_id, id, event, source, () => Effect.succeed([]), options)
              : handleAnswer(kind, merchant_id, id, event, source, word, options),
            ({ result, row }) => ({ result: toEventResult(result), row })
          ),
        handle: (kind, merchant_id, id, event, source, otherwise = () => [], options) =>
          kind.kind === VerificationKind.kind
            ? Effect.map(
                verifications.handle(merchant_id, id, { _tag: "timer", type: event(0).type }, source),
                (result) => ({ result: toEventResult(result), row: undefined })
              )
            : Effect.map(
                deliver(kind, merchant_id, id, event, source, (row, at) => Effect.succeed(otherwise(row, at)), options),
                ({ result, row }) => ({ result: toEventResult(result), row })
              )
      })
    })
  )
}
