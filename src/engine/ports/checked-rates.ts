/** A port's answers, taken only where they are what the port says; and rates, which the default prices are made of too. */
import { Effect } from "effect"
import { ProviderFault } from "./errors.ts"
import type { Rates } from "./Rates.ts"

type Asked<A> = Effect.Effect<A, ProviderFault>

/** What is said of an answer: never the answer itself, which may name a person. */
const described = (value: unknown): string =>
  value === undefined ? "nothing" : typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : typeof value

const fault = (whom: string, question: string, taken: string, value: unknown): ProviderFault =>
  new ProviderFault({ message: `${whom} answered ${question} with ${described(value)}; it takes ${taken}` })

/** Asks, and takes what `holds`. Who throws has not answered either. */
export const validating =
  (whom: string, question: string, taken: string, isValid: (value: unknown) => boolean) =>
  <A>(ask: () => Asked<A>): Asked<A> =>
    Effect.suspend(ask).pipe(
      Effect.catchDefect((cause) =>
        Effect.fail(new ProviderFault({ message: `${whom} failed at ${question}`, cause }))
      ),
      Effect.flatMap((value) =>
        isValid(value) ? Effect.succeed(value) : Effect.fail(fault(whom, question, taken, value))
      )
    )

const positive = /^\d{1,40}(\.\d{1,40})?$/
const isRate = (value: unknown): boolean =>
  typeof value === "string" &&
  positive.test(value) &&
  /[1-9]/.test(value) &&
  value.replace(/^0[.0]*|\D/g, "").length <= 12
const isWorth = (value: unknown): boolean => typeof value === "string" && positive.test(value) && /[1-9]/.test(value)

export const checkedRates = (rates: Rates["Service"]): Rates["Service"] => {
  const rate = validating(
    "the rate source",
    "rate",
    "a positive decimal string of at most 12 significant digits",
    isRate
  )
  const perUsd = validating("the rate source", "perUsd", "a positive decimal string", isWorth)
  return {
    rate: (source, destination) => rate(() => rates.rate(source, destination)),
    perUsd: (code) => perUsd(() => rates.perUsd(code))
  }
}
