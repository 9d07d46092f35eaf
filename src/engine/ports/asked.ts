/**
 * Calls of ports: their results are validated, and the questions that a request asks of providers and of the market before it writes
 * are recorded. What it writes keeps them in its history (TIMELINE-6). Jobs record their own calls.
 */
import { Cause, Clock, Context, Effect, Exit } from "effect"
import type { Rates } from "./Rates.ts"
import { ProviderFault } from "./errors.ts"
import type { AskedOperation, CallRecord } from "./storage-records.ts"
import { onExitSync } from "./when-ended.ts"

/** A request that asks more has a history of the first of them. */
const questionsMax = 20

/** The calls of the current request to providers and to the rate source, kept for its history. `undefined`: they are not recorded. */
export const Asked = Context.Reference<Array<CallRecord> | undefined>("corridor/engine/Asked", {
  defaultValue: () => undefined
})

interface Question<A> {
  readonly provider: string
  readonly operation: AskedOperation
  /** The provider's idempotency key, if the question has one. */
  readonly command: string | null
  /** The answer in one word. It has nothing that identifies a person. */
  readonly answerOf: (answer: A) => string
}

/** Runs a call to a provider or the rate source, and records its answer in {@link Asked}. The recorded time is the service's. */
export const recordAnswer = <A, E>(
  { answerOf, command, operation, provider }: Question<A>,
  ask: Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiber((fiber) => {
    const asked = fiber.getRef(Asked)
    if (asked === undefined || asked.length >= questionsMax) return ask
    return Clock.clockWith((clock) => {
      const began = clock.monotonicTimeNanosUnsafe()
      return onExitSync(ask, (exit) => {
        const latency_ms = Math.round(Number(clock.monotonicTimeNanosUnsafe() - began) / 1e6)
        const answer = Exit.isSuccess(exit)
          ? answerOf(exit.value)
          : Cause.hasInterruptsOnly(exit.cause)
            ? "given_up"
            : "fault"
        const at = clock.currentTimeMillisUnsafe()
        asked.push({ command, provider, operation, attempt: 1, at, latency_ms, answer })
      })
    })
  })

// Validation of the results of ports, and validated rates, which the default prices also use.

type PortCall<A> = Effect.Effect<A, ProviderFault>

/** Describes a result without quoting it in full, because it may name a person. */
const describeResult = (value: unknown): string =>
  value === undefined ? "nothing" : typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : typeof value

/** Makes a function that calls a port, and fails with `ProviderFault` if the result is invalid or the call throws. */
export const makeValidatedCall =
  (port: string, method: string, expected: string, isValid: (value: unknown) => boolean) =>
  <A>(ask: () => PortCall<A>): PortCall<A> =>
    Effect.suspend(ask).pipe(
      Effect.catchDefect((cause) => Effect.fail(new ProviderFault({ message: `${port} failed at ${method}`, cause }))),
      Effect.flatMap((value) =>
        isValid(value)
          ? Effect.succeed(value)
          : Effect.fail(
              new ProviderFault({
                message: `${port} answered ${method} with ${describeResult(value)}; it takes ${expected}`
              })
            )
      )
    )

const positive = /^\d{1,40}(\.\d{1,40})?$/
const isRate = (value: unknown): boolean =>
  typeof value === "string" &&
  positive.test(value) &&
  /[1-9]/.test(value) &&
  value.replace(/^0[.0]*|\D/g, "").length <= 12
const isPositiveDecimal = (value: unknown): boolean =>
  typeof value === "string" && positive.test(value) && /[1-9]/.test(value)

const market: Question<string> = {
  provider: "the rate source",
  operation: "price",
  command: null,
  answerOf: (rate) => rate
}

/** Wraps rates so that their results are validated. `port` names the source in faults. */
export const validateRates = (port: string, rates: Rates["Service"]): Rates["Service"] => {
  const rate = makeValidatedCall(port, "rate", "a positive decimal string of at most 12 significant digits", isRate)
  const perUsd = makeValidatedCall(port, "perUsd", "a positive decimal string", isPositiveDecimal)
  return {
    rate: (source, destination) => rate(() => rates.rate(source, destination)),
    perUsd: (code) => perUsd(() => rates.perUsd(code))
  }
}

/** Wraps rates so that their calls are recorded in {@link Asked}. */
export const recordRates = (rates: Rates["Service"]): Rates["Service"] => ({
  rate: (source, destination) => recordAnswer(market, rates.rate(source, destination)),
  perUsd: (code) => recordAnswer(market, rates.perUsd(code))
})

/** Wraps rates so that their results are validated and recorded. */
export const wrapRates = (rates: Rates["Service"]): Rates["Service"] =>
  recordRates(validateRates("the rate source", rates))
