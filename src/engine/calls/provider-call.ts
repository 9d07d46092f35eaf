/** Queries to an external service, the provider or the rate source, made before anything is written. */
import { Duration, Effect, Fiber } from "effect"
import { ExternalServiceUnavailable, ProviderFault } from "../ports/errors.ts"

/** How long a caller waits at most. */
const timeoutMs = 15_000

/** A query whose answer is there at once needs no timer: most prices are known already. */
const timely = <A, R>(query: Effect.Effect<A, ProviderFault, R>): Effect.Effect<A, ProviderFault, R> =>
  Effect.flatMap(
    Effect.forkChild(query, { startImmediately: true }),
    (fiber) =>
      fiber.pollUnsafe() ??
      Effect.timeoutOrElse(Fiber.join(fiber), {
        duration: Duration.millis(timeoutMs),
        orElse: () =>
          Effect.andThen(
            Fiber.interrupt(fiber),
            Effect.fail(new ProviderFault({ message: `no answer within ${timeoutMs} ms` }))
          )
      })
  )

/**
 * Runs a query of which a request needs the result before it writes.
 *
 * `what` names the result and `whom` the service, for the message. Errors: `ExternalServiceUnavailable` if the query fails or
 * does not end in time.
 */
export const answerOf = <A, R>(
  what: string,
  query: Effect.Effect<A, ProviderFault, R>,
  whom: "provider" | "rate source" = "provider"
): Effect.Effect<A, ExternalServiceUnavailable, R> =>
  timely(query).pipe(
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

/** The current rate, or a price that depends on it. Errors: see {@link answerOf}. */
export const priceOf = <A, R>(query: Effect.Effect<A, ProviderFault, R>) =>
  answerOf("a current rate", query, "rate source")
