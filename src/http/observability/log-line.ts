/** The log of a server, on the standard output: one JSON object per line, or short lines for a person at a terminal. */
import { Cause, type Clock, Logger, References } from "effect"
import { redactCause, redactText } from "./redaction.ts"

const formatMessage = (message: unknown): string =>
  redactText(
    (Array.isArray(message) ? message : [message])
      .map((part) => {
        if (typeof part === "string") return part
        const { message, name } = part as { readonly message?: unknown; readonly name?: unknown }
        return part instanceof Error ? `${String(name)}: ${String(message)}` : (JSON.stringify(part) ?? String(part))
      })
      .join(": ")
  )

/** A logger that gets the text of each message, redacted, and the wall time, whatever the service's clock shows. */
export const safely = <A>(clock: Clock.Clock, logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A> =>
  Logger.make((options) =>
    logger.log({
      ...options,
      date: new Date(clock.currentTimeMillisUnsafe()),
      message: formatMessage(options.message),
      cause: redactCause(options.cause)
    })
  )

/** The line of a record: its time, level and text, the annotations, the error, and the span it was logged in. */
const line = Logger.make<unknown, string>(({ cause, date, fiber, logLevel, message }) => {
  const { span } = fiber.cache
  return JSON.stringify({
    timestamp: date.toISOString(),
    level: logLevel.toLowerCase(),
    message,
    ...fiber.getRef(References.CurrentLogAnnotations),
    ...(cause.reasons.length === 0 ? {} : { error: Cause.pretty(cause) }),
    ...(span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId })
  })
})

/** The most messages of which a terminal's log counts the repeats. */
const countedMax = 1_000

/** The annotations that a person reads beside a message. */
const shownOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  request: ["method", "route", "status"],
  "state change": ["kind", "to"]
}

const formatLogText = (message: unknown, annotations: Readonly<Record<string, unknown>>): string =>
  [message, ...(shownOf[String(message)] ?? []).map((name) => annotations[name])].filter(Boolean).join(" ")

/**
 * The log on a terminal: a short line for each record, without its annotations. A message that is repeated is shown again with how often it
 * came when that is a power of ten.
 */
export const terminalLines = (write: (line: string) => void): Logger.Logger<unknown, void> => {
  const counts = new Map<string, number>()
  return Logger.make(({ cause, date, fiber, logLevel, message }) => {
    const subject = formatLogText(message, fiber.getRef(References.CurrentLogAnnotations))
    const key = `${logLevel} ${subject}`
    const times = (counts.get(key) ?? 0) + 1
    if (times === 1 && counts.size >= countedMax) counts.clear()
    counts.set(key, times)
    // The 1st, the 10th, the 100th, …: of 12,315 equal messages five are shown.
    if (!/^10*$/.test(String(times))) return
    const [error = ""] = cause.reasons.length === 0 ? [] : Cause.pretty(cause).split("\n")
    const repeats = times === 1 ? "" : ` (${times} times)`
    write(
      `${date.toTimeString().slice(0, 8)} ${logLevel.toLowerCase()} ${subject}${error === "" ? "" : `: ${error}`}${repeats}`
    )
  })
}

export const lines: Logger.Logger<unknown, void> = Logger.withConsoleLog(line)
