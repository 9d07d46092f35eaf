/** What is left out of the texts of errors: each sort of secret by an example that only its own pattern hides. */
import { Cause, Clock, Effect, Logger, Tracer } from "effect"
import { describe, expect, it } from "vitest"
import { lines, redactCause, redactText, redactLogger } from "../../../src/http/observability/log-line.ts"
import { covers } from "../../support/repository/covers.ts"

const secrets: ReadonlyArray<readonly [what: string, text: string, redacted: string]> = [
  ["a key of the test environment", "with sk_test_AbC-12/x= given", "with sk_test_… given"],
  ["a key of the live environment", "with sk_live_AbC-12/x= given", "with sk_live_… given"],
  ["a secret of webhooks", "with whsec_AbC+12/x= given", "with whsec_… given"],
  ["an operator's token", "with op_AbC-12_x given", "with op_… given"],
  ["a bearer's credential", "header Bearer abc.def sent", "header Bearer … sent"],
  ["a Basic credential", "header basic YWJj:x sent", "header basic … sent"],
  ["the user of a URL", "at postgres://joe:hunter2@db/x now", "at postgres://…@db/x now"],
  ["a hosted link", "at /verify/AbC-12_x now", "at /verify/… now"],
  ["an email address", "of ada.obi+x@mail.example.com now", "of …@… now"],
  ["an IBAN", "to GB29NWBK60161331926819 now", "to … now"],
  ["an account number", "to 012345 now", "to … now"],
  ["a phone number", "to +2348012345678 now", "to … now"],
  ["what is quoted", 'found "Ada Obi" there', 'found "…" there'],
  ["what is quoted with a quotation mark in it", String.raw`found "Ada \"Obi\" x" there`, 'found "…" there']
]

const kept: ReadonlyArray<string> = [
  'relation "resource" does not exist',
  'constraint "account_check" is violated',
  'Missing key at ["amount"]',
  "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3 is processing",
  "after 30000 ms",
  "a shop_x is no token"
]

describe("a text that is logged", () => {
  covers("TELEMETRY-6")
  it.each(secrets)("does not have %s", (_, text, redacted) => {
    expect(redactText(text)).toBe(redacted)
  })

  it.each(kept)("keeps %s", (text) => {
    expect(redactText(text)).toBe(text)
  })

  it("is redacted in the message, the name of a cause stays, and so does its stack without what was quoted", () => {
    const error = new RangeError("the token op_AbC is wrong")
    const text = Cause.pretty(redactCause(Cause.die(error)))
    expect(text).toContain("RangeError: the token op_… is wrong")
    expect(text).toContain("redaction.test")
    expect(text).not.toContain("op_AbC")
  })
})

describe("a line of the log", () => {
  const logged = async (work: Effect.Effect<void>): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
    const written: Array<string> = []
    const original = console.log
    console.log = (line: string) => void written.push(line)
    try {
      const clock = Effect.runSync(Clock.clockWith(Effect.succeed))
      await Effect.runPromise(Effect.provide(work, Logger.layer([redactLogger(clock, lines)])))
    } finally {
      console.log = original
    }
    return written.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
  }

  covers("TELEMETRY-7")
  it("has the level, the text and the annotations, the error if there is one, and the span it was written in", async () => {
    const span = Tracer.externalSpan({ traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" })
    const [plain, failed, traced] = await logged(
      Effect.gen(function* () {
        yield* Effect.annotateLogs(Effect.logInfo("state change"), { id: "tfr_1" })
        yield* Effect.logError("it failed", Cause.die(new Error("no sk_test_abc here")))
        yield* Effect.withParentSpan(Effect.logWarning("inside"), span)
      })
    )
    expect(plain).toEqual({ timestamp: expect.any(String), level: "info", message: "state change", id: "tfr_1" })
    expect(failed).toMatchObject({ level: "error", message: "it failed" })
    expect(failed!["error"]).toMatch(/^Error: no sk_test_… here\n/)
    expect(traced).toMatchObject({ level: "warn", trace_id: span.traceId, span_id: span.spanId })
  })
})
