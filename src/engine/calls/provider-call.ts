/** Questions put to a service outside, the provider or the rate source, before anything is written. */
import { Duration, Effect } from "effect"
import { ExternalServiceUnavailable, ProviderFault } from "../ports/errors.ts"

/** A caller is not kept waiting for longer. */
const timeoutMs = 15_000

/**
 * Asks what a request needs to know before anything is written.
 *
 * `what` is the question and `whom` it is put to, for the message. Errors: `ExternalServiceUnavailable` when there is no definite answer in time.
 */
export const answerOf = <A, R>(
  what: string,
  question: Effect.Effect<A, ProviderFault, R>,
  whom: "provider" | "rate source" = "provider"
): Effect.Effect<A, ExternalServiceUnavailable, R> =>
  Effect.timeoutOrElse(question, {
    duration: Duration.millis(timeoutMs),
    orElse: () => Effect.fail(new ProviderFault({ message: `no answer within ${timeoutMs} ms` }))
  }).pipe(
    Effect.catchTag("ProviderFault", (fault) =>
      Effect.andThen(
        Effect.logWarning(`the ${whom} did not return ${what}: ${fault.message}`),
        Effect.fail(
          new ExternalServiceUnavailable({
            message: `The ${whom} did not return ${what}. Nothing was written. Retry the request later.`
          })
        )
      )
    )
  )

/** A rate, or a price that depends on one, as it is now. Errors: as {@link answerOf}. */
export const priceOf = <A, R>(question: Effect.Effect<A, ProviderFault, R>) =>
  answerOf("a current rate", question, "rate source")
