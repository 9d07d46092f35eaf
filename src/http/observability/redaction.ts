/**
 * Texts of errors as they may be logged and exported. Lines are made of ids, so only the text of an error can quote an input:
 * what looks like a secret, a number of an account or a person, an email address or a hosted link is left out of it.
 */
import { Cause } from "effect"

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

/** The cause with the same errors, whose messages and stacks are redacted. */
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
