/** The log of a server, on the standard output: one JSON object per line, or short lines for a person at a terminal. */
import { Cause, type Clock, Logger, References } from "effect"

// Texts of errors as they may be logged and exported. Lines are made of ids, so only the text of an error can quote an input:
// what looks like a secret, a number of an account or a person, an email address or a hosted link is left out of it.

/** What is quoted may be an input. Names in a store and the path of a member are not. */
const quoted = /(\b(?:at \[|constraint |relation |column |table |function |index |database ))?"(?:[^"\\]|\\.)*"/g

const patterns: ReadonlyArray<readonly [RegExp, string]> = [
  [/\b(sk_test|sk_live|whsec|op)_[\w+/=-]+/g, "$1_…"],
  [/\b(Bearer|Basic)\s+\S+/gi, "$1 …"],
  [/:\/\/[^\s/@]+@/g, "://…@"],
  [/\/verify\/[\w-]+/g, "/verify/…"],
  [/[\w.+-]+@[\w-]+\.[\w.-]+/g, "…@…"],
  [/\b[A-Z]{2}\d{2}[A-Z0-9]{10,30}\b/g, "…"],
  [/(?<![\w-])\+?\d{6,}(?![\w-])/g, "…"]
]

export const redactText = (text: string): string =>
  patterns.reduce(
    (left, [pattern, by]) => left.replaceAll(pattern, by),
    text.replaceAll(quoted, (found, kept?: string) => (kept === undefined ? '"…"' : found))
  )

/** Redacts the messages and stacks of a cause's errors. */
export const redactCause = (cause: Cause.Cause<unknown>): Cause.Cause<unknown> => {
  if (cause.reasons.length === 0) return cause
  return Cause.fromReasons(
    Cause.prettyErrors(cause).map(({ message, name, stack }) => {
      const error = new Error(redactText(message))
      error.name = name
      error.stack = stack === undefined ? `${name}: ${error.message}` : redactText(stack)
      return Cause.makeDieReason(error)
    })
  )
}

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

/** Makes a logger that passes on each message redacted, with the wall time, whatever the service's clock shows. */
export const redactLogger = <A>(clock: Clock.Clock, logger: Logger.Logger<unknown, A>): Logger.Logger<unknown, A> =>
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

/**
 * Makes the logger of a terminal: a short line for each record, without its annotations. A repeated message is shown again, with
 * its count, when the count is a power of ten.
 */
export const makeTerminalLogger = (write: (line: string) => void): Logger.Logger<unknown, void> => {
  const counts = new Map<string, number>()
  return Logger.make(({ cause, date, fiber, logLevel, message }) => {
    const subject = [
      message,
      ...(shownOf[String(message)] ?? []).map((name) => fiber.getRef(References.CurrentLogAnnotations)[name])
    ]
      .filter(Boolean)
      .join(" ")
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
