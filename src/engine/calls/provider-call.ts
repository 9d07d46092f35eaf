/** Queries to an external service, the provider or the rate source, made before anything is written. */
import { Duration, Effect, Fiber } from "effect"
import { ExternalServiceUnavailable, ProviderFault } from "../ports/errors.ts"
import type { Provider } from "../ports/Provider.ts"
import { OutsideWait } from "./Admission.ts"

/** How long a caller waits at most. */
const timeoutMs = 15_000

/** How long it waits at most for an answer that it can do without. */
const brieflyMs = 2_000

/** Who is asked: a provider, or the rate source. */
type Whom = Pick<Provider["Service"], "name"> | "rate source"

/** Runs a query with a time limit. An answer that is there at once needs no timer, and no place among the waiting calls. */
const limitTime = <A, R>(
  query: Effect.Effect<A, ProviderFault, R>,
  whom: Whom,
  timeoutMs: number
): Effect.Effect<A, ProviderFault, R> =>
  Effect.flatMap(Effect.forkChild(query, { startImmediately: true }), (fiber) => {
    const exit = fiber.pollUnsafe()
    if (exit !== undefined) return exit
    const waited = Effect.timeoutOrElse(Fiber.join(fiber), {
      duration: Duration.millis(timeoutMs),
      orElse: () => Effect.fail(new ProviderFault({ message: `no answer within ${timeoutMs} ms` }))
    })
    return Effect.flatMap(OutsideWait, (waiting) =>
      Effect.tapError(waiting(whom === "rate source" ? whom : whom.name, waited), () => Fiber.interrupt(fiber))
    )
  })

/**
 * Runs a query whose result a request needs before it writes. While it waits, it does not count as a running call.
 *
 * `what` names the result, for the message. Errors: `ExternalServiceUnavailable` if the query fails or does not end in time, or if too many
 * calls wait for `whom`.
 */
export const awaitAnswer = <A, R>(
  what: string,
  whom: Whom,
  query: Effect.Effect<A, ProviderFault, R>
): Effect.Effect<A, ExternalServiceUnavailable, R> =>
  limitTime(query, whom, timeoutMs).pipe(
    Effect.catchTag("ProviderFault", (fault) => {
      const service = whom === "rate source" ? whom : "provider"
      return Effect.andThen(
        Effect.logWarning(`the ${service} did not return ${what}: ${fault.message}`),
        Effect.fail(
          new ExternalServiceUnavailable({
            message: `The ${service} did not return ${what}. Nothing was written. Retry the request later.`
          })
        )
      )
    })
  )

/** Runs a query whose result a request can do without. Undefined: it failed, or did not end within two seconds. */
export const askBriefly = <A, R>(whom: Whom, query: Effect.Effect<A, ProviderFault, R>) =>
  Effect.catchTag(limitTime(query, whom, brieflyMs), "ProviderFault", () => Effect.undefined)

/** Waits for the current rate, or for a price that depends on it. Errors: see {@link awaitAnswer}. */
export const awaitPrice = <A, R>(query: Effect.Effect<A, ProviderFault, R>) =>
  awaitAnswer("a current rate", "rate source", query)
