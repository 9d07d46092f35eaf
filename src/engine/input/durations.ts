/** ISO 8601 durations of inputs. */
import { Duration, Option, Schema } from "effect"
import type { FaultAnnotations } from "./validation.ts"

/**
 * The length of an ISO 8601 duration in whole milliseconds, rounded up; undefined for a text that is none. A text may have nanoseconds, and
 * times are whole milliseconds.
 */
export const durationMs = (text: string): number | undefined =>
  Option.getOrUndefined(Option.map(Duration.fromIso(text), (duration) => Math.ceil(Duration.toMillis(duration))))

const durationOf = (least: string, most: string) => {
  const [from, to] = [durationMs(least)!, durationMs(most)!]
  return Schema.String.check(
    Schema.makeFilter(
      (text: string) => {
        const ms = durationMs(text)
        return ms !== undefined && ms >= from && ms <= to
      },
      {
        expected: `an ISO 8601 duration from ${least} to ${most}`,
        code: "invalid_format"
      } satisfies FaultAnnotations
    )
  )
}

/** A duration from a minute to thirty days, as its text. */
export const WaitingTime = durationOf("PT1M", "P30D")

/** The length of a rolling window: a duration from a minute to 366 days, as its text. */
export const RollingTime = durationOf("PT1M", "P366D")
