/** The log of a server: one JSON object per line, on the standard output. */
import { Cause, type Clock, Logger, References } from "effect"
import { redactedCause, redactedText } from "./redaction.ts"

const partOf = (part: unknown): string => {
  if (typeof part === "string") return part
  const { message, name } = part as { readonly message?: unknown; readonly name?: unknown }
  return part instanceof Error ? `${String(name)}: ${String(message)}` : (JSON.stringify(part) ?? String(part))
}

const textOf = (message: unknown): string =>
  redactedText((Array.isArray(message) ? message : [message]).map(partOf).join(": "))

/** A logger that gets the text of each message, redacted, and the wall time, whatever the service's clock shows. */
export const safely = <A>(clock: Clock.Clock, logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A> =>
  Logger.make((options) =>
    logger.log({
      ...options,
      date: new Date(clock.currentTimeMillisUnsafe()),
      message: textOf(options.message),
      cause: redactedCause(options.cause)
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

export const lines: Logger.Logger<unknown, void> = Logger.withConsoleLog(line)
