/** ISO 8601 durations of inputs. */
import { Duration, Option, Schema } from "effect"
import type { FaultAnnotations } from "./validation.ts"

/** The length of an ISO 8601 duration in milliseconds; undefined for a text that is none. */
export const durationMs = (text: string): number | undefined =>
  Option.getOrUndefined(Option.map(Duration.fromIso(text), Duration.toMillis))

const minuteMs = 60_000
const monthMs = 30 * 24 * 60 * minuteMs

/** A duration from a minute to thirty days, as its text. */
export const WaitingTime = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      const ms = durationMs(text)
      return ms !== undefined && ms >= minuteMs && ms <= monthMs
    },
    {
      expected: "an ISO 8601 duration from PT1M to P30D",
      code: "invalid_format"
    } satisfies FaultAnnotations
  )
)
