/** Exchange rates of a connector: `GET /rates` of the provider protocol (`docs/provider-protocol.md`). */
import { Effect, Layer, Result, Scope } from "effect"
import { checkOptions, type TakesOf } from "../../engine/input/options.ts"
import { ProviderFault } from "../../engine/ports/errors.ts"
import { Ids } from "../../engine/ports/Ids.ts"
import { computeCustomerRate, type MidRate, perUsdOf, Rates } from "../../engine/ports/Rates.ts"
import { wallNow } from "../../engine/ports/Time.ts"
import { requireCurrency } from "../../engine/reference/currencies.ts"
import { makeClient, listSecrets, settingsFault } from "../../protocol/client.ts"
import { shareLoad } from "../../protocol/shared.ts"
import { siftLists } from "../../protocol/sifting.ts"
import { makeTransport } from "../../protocol/transport.ts"
import { parseEpoch } from "../../protocol/fields.ts"
import type { ResultOf } from "../../protocol/operations.ts"

type Quoted = Extract<ResultOf<"rates">, { readonly rates: unknown }>["rates"]

/** A rate may be this far ahead of this clock: clocks differ. */
const SKEW_MS = 5000

/** The currency of all cross rates. */
const PIVOT = "USD"

const formatSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`

/**
 * Finds the mid rate of a currency, from its newest pair with the US dollar, in either direction. Other pairs are not used.
 *
 * Errors: a sentence, when there is none, when it is older than `max_age_ms`, or when it is from the future.
 */
export const findMidRate = (
  quoted: Quoted,
  code: string,
  now_ms: number,
  max_age_ms: number
): Result.Result<MidRate, string> => {
  if (code === PIVOT) return Result.succeed({ per_usd: "1" })
  const [newest] = quoted
    .flatMap(({ base, quote, rate, at }) =>
      base === PIVOT && quote === code
        ? [{ mid: { per_usd: rate }, at: parseEpoch(at)! }]
        : base === code && quote === PIVOT
          ? [{ mid: { per_usd: "1", usd: rate }, at: parseEpoch(at)! }]
          : []
    )
    .toSorted((a, b) => b.at - a.at)
  if (newest === undefined) return Result.fail(`there is no rate of ${code} and USD`)
  const age_ms = now_ms - newest.at
  if (age_ms > max_age_ms)
    return Result.fail(
      `the rate of ${code} is ${formatSeconds(age_ms)} old; at most ${formatSeconds(max_age_ms)} is taken`
    )
  if (age_ms < -SKEW_MS)
    return Result.fail(
      `the rate of ${code} is ${formatSeconds(-age_ms)} ahead of this clock; at most ${formatSeconds(SKEW_MS)} is taken`
    )
  return Result.succeed(newest.mid)
}

export interface HttpRatesOptions {
  /** The base URL of the connector: HTTPS, or HTTP to a loopback address. */
  readonly url: string
  /** The shared secret, `whsec_…`. During a rotation: the new and the old one. */
  readonly secret: string | ReadonlyArray<string>
  /** The platform's share of each rate, as a fraction from 0 to below 1: `"0.005"`. */
  readonly spread: string
  /** The oldest rate that counts, by its own time. Default: 60,000. */
  readonly max_age_ms?: number
  /** How long an answer is used for further calls. Default: 2,000. */
  readonly keep_ms?: number
  /** The longest wait for an answer. Default: 5,000. */
  readonly timeout_ms?: number
  /**
   * Units of a currency for one US dollar, where the connector does not quote it: `{ USDC: "1" }` values a stablecoin at its
   * peg. It goes before what the connector quotes. Default: none.
   */
  readonly fixed?: { readonly [code: string]: string }
}

const positive = /^\d{1,18}(?:\.\d{1,18})?$/

const takes: TakesOf<HttpRatesOptions> = {
  url: "any",
  secret: "any",
  spread: "any",
  max_age_ms: "any",
  keep_ms: "any",
  timeout_ms: "any",
  fixed: "object?"
}

/** Checks the options, and returns them. Errors: throws `TypeError` for an invalid one. The message names the member, never a secret. */
const checkRateOptions = (options: HttpRatesOptions): HttpRatesOptions => {
  checkOptions("httpRates", options, takes)
  const { fixed = {}, secret, spread, url } = options
  const fault = settingsFault({ url, secrets: listSecrets(secret) })
  if (fault !== null) throw new TypeError(`rates: ${fault}`)
  if (!/^0(?:\.\d{1,18})?$/.test(spread)) {
    throw new TypeError(
      `rates: spread is ${JSON.stringify(spread)}; it takes a fraction from 0 to below 1, such as "0.005"`
    )
  }
  for (const [code, mid] of Object.entries(fixed)) {
    if (!positive.test(mid) || !/[1-9]/.test(mid)) {
      throw new TypeError(
        `rates: fixed.${code} is ${JSON.stringify(mid)}; it takes the units of ${code} for one US dollar`
      )
    }
  }
  for (const member of ["max_age_ms", "keep_ms", "timeout_ms"] as const) {
    const value = options[member]
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw new TypeError(`rates: ${member} is ${String(value)}; it takes whole milliseconds, at least 1`)
  }
  return options
}

const makeRates = Effect.fnUntraced(function* (options: HttpRatesOptions) {
  const { url, secret, spread, max_age_ms = 60_000, keep_ms = 2000, timeout_ms = 5000, fixed = {} } = options
  const ids = yield* Ids
  const transport = yield* makeTransport({ timeout_ms })
  const request_id = ids.make("req")
  const client = siftLists(makeClient({ url, secrets: listSecrets(secret), transport, now: wallNow, request_id }))
  const unavailable = (message: string): ProviderFault => new ProviderFault({ message: `the rate source: ${message}` })

  const quoted = shareLoad(
    client.call("rates", null, {}).pipe(
      Effect.mapError(({ reason, message }) => unavailable(`${reason}: ${message}`)),
      Effect.flatMap((result) =>
        "rates" in result ? Effect.succeed(result.rates) : Effect.fail(unavailable("it does not offer rates"))
      )
    ),
    keep_ms,
    wallNow
  )

  const mid = Effect.fnUntraced(function* (code: string): Effect.fn.Return<MidRate, ProviderFault> {
    const peg = Object.hasOwn(fixed, code) ? fixed[code] : undefined
    if (peg !== undefined) return { per_usd: peg }
    const found = findMidRate(yield* quoted.get, code, yield* wallNow, max_age_ms)
    return Result.isSuccess(found) ? found.success : yield* unavailable(found.failure)
  })
  const side = (code: string) => Effect.map(mid(code), (rate) => ({ ...rate, type: requireCurrency(code).type }))

  return Rates.of({
    rate: (source, destination) =>
      Effect.map(Effect.all([side(source), side(destination)]), ([from, to]) => computeCustomerRate(from, to, spread)),
    perUsd: (code) => Effect.map(mid(code), perUsdOf)
  })
})

/**
 * The layer of a connector's rates. A rate that is older than `max_age_ms`, or from the future, is not used: there is no quote then.
 *
 * Errors: throws `TypeError` for invalid options.
 */
const layer = (options: HttpRatesOptions): Layer.Layer<Rates> =>
  Layer.effect(Rates, makeRates(checkRateOptions(options))).pipe(Layer.provide(Ids.layer))

export const HttpRates = { layer } as const

/**
 * The rates of a connector, for `Corridor.start` and for a configuration file. Its idle connections do not keep the process alive.
 *
 * Errors: throws `TypeError` for invalid options.
 */
export const httpRates = (options: HttpRatesOptions) => {
  const rates = Effect.runSync(
    makeRates(checkRateOptions(options)).pipe(
      Effect.provide(Ids.layer),
      Effect.provideService(Scope.Scope, Scope.makeUnsafe())
    )
  )
  return {
    /** Units of `destination` that a customer receives for one unit of `source`, including the spread. */
    rate: (source: string, destination: string): Promise<string> => Effect.runPromise(rates.rate(source, destination)),
    /** Units of a currency for one US dollar at the mid rate. */
    perUsd: (code: string): Promise<string> => Effect.runPromise(rates.perUsd(code))
  }
}
