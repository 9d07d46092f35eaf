/** Mid rates from a list of quoted pairs. Pure. */
import { Result } from "effect"
import type { MidRate } from "../../engine/ports/Rates.ts"
import { epochOf } from "../../protocol/fields.ts"
import type { ResultOf } from "../../protocol/operations.ts"

export type Quoted = Extract<ResultOf<"rates">, { readonly rates: unknown }>["rates"]

/** A rate may be this far ahead of this clock: clocks differ. */
export const SKEW_MS = 5000

/** The currency of all cross rates. */
const PIVOT = "USD"

const formatSeconds = (ms: number): string => `${Math.round(ms / 1000)} s`

/**
 * The mid rate of a currency, from the newest pair of it and the US dollar, in either direction. Other pairs are not used.
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
        ? [{ mid: { per_usd: rate }, at: epochOf(at)! }]
        : base === code && quote === PIVOT
          ? [{ mid: { per_usd: "1", usd: rate }, at: epochOf(at)! }]
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
