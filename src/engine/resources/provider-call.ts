/** Questions a request puts to the provider while its caller waits. */
import { Duration, Effect } from "effect"
import { ExternalServiceUnavailable, ProviderFault } from "../errors.ts"

/** A caller is not kept waiting for longer. */
const patienceMs = 15_000

/**
 * Asks the provider what a request needs to know before anything is written.
 *
 * `what` is the question, for the message. Errors: `ExternalServiceUnavailable` when there is no definite answer in time.
 */
export const answerOf = <A>(
  what: string,
  question: Effect.Effect<A, ProviderFault>
): Effect.Effect<A, ExternalServiceUnavailable> =>
  Effect.timeoutOrElse(question, {
    duration: Duration.millis(patienceMs),
    orElse: () => Effect.fail(new ProviderFault({ message: `no answer within ${patienceMs} ms` }))
  }).pipe(
    Effect.catchTag("ProviderFault", (fault) =>
      Effect.andThen(
        Effect.logWarning(`the provider did not say ${what}: ${fault.message}`),
        Effect.fail(
          new ExternalServiceUnavailable({
            message: `The provider did not say ${what}. Nothing was written; repeat the request later.`
          })
        )
      )
    )
  )
