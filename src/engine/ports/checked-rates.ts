/** Validation of the results of ports, and validated rates, which the default prices also use. */
import { Effect } from "effect"
import { type Question, recordAnswer } from "./asked.ts"
import { ProviderFault } from "./errors.ts"
import type { Rates } from "./Rates.ts"

type PortCall<A> = Effect.Effect<A, ProviderFault>

/** Describes a result without quoting it in full, because it may name a person. */
const describeResult = (value: unknown): string =>
  value === undefined ? "nothing" : typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : typeof value

const fault = (port: string, method: string, expected: string, value: unknown): ProviderFault =>
  new ProviderFault({ message: `${port} answered ${method} with ${describeResult(value)}; it takes ${expected}` })

/** Calls a port and fails with `ProviderFault` if the result is invalid, or if the call throws. */
export const validating =
  (port: string, method: string, expected: string, isValid: (value: unknown) => boolean) =>
  <A>(ask: () => PortCall<A>): PortCall<A> =>
    Effect.suspend(ask).pipe(
      Effect.catchDefect((cause) => Effect.fail(new ProviderFault({ message: `${port} failed at ${method}`, cause }))),
      Effect.flatMap((value) =>
        isValid(value) ? Effect.succeed(value) : Effect.fail(fault(port, method, expected, value))
      )
    )

const positive = /^\d{1,40}(\.\d{1,40})?$/
const isRate = (value: unknown): boolean =>
  typeof value === "string" &&
  positive.test(value) &&
  /[1-9]/.test(value) &&
  value.replace(/^0[.0]*|\D/g, "").length <= 12
const isWorth = (value: unknown): boolean => typeof value === "string" && positive.test(value) && /[1-9]/.test(value)

const market: Question<string> = {
  provider: "the rate source",
  operation: "price",
  command: null,
  answerOf: (rate) => rate
}

/** Rates whose results are validated. `port` names the source in faults. */
export const validRates = (port: string, rates: Rates["Service"]): Rates["Service"] => {
  const rate = validating(port, "rate", "a positive decimal string of at most 12 significant digits", isRate)
  const perUsd = validating(port, "perUsd", "a positive decimal string", isWorth)
  return {
    rate: (source, destination) => rate(() => rates.rate(source, destination)),
    perUsd: (code) => perUsd(() => rates.perUsd(code))
  }
}

/** Rates whose answers are recorded in the history of what a request writes. */
export const recordRates = (rates: Rates["Service"]): Rates["Service"] => ({
  rate: (source, destination) => recordAnswer(market, rates.rate(source, destination)),
  perUsd: (code) => recordAnswer(market, rates.perUsd(code))
})

/** Validated and recorded rates. */
export const wrapRates = (rates: Rates["Service"]): Rates["Service"] =>
  recordRates(validRates("the rate source", rates))
