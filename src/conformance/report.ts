/** The report, as text of at most 80 columns that a person can act on, and as JSON. */
import type { Case } from "./case.ts"
import type { RecordedExchange } from "./exchange.ts"
import { flags, type Options } from "./options.ts"
import { countVerdicts, isPass, type Summary, type CaseVerdict } from "./verdict.ts"

const WIDTH = 80
/** The longest text of a request or an answer in the report. */
const SHOWN_MAX = 1200

/** Wraps a text into lines of at most `width`, at spaces where there are any. */
const wrapText = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(" ")) {
    let rest = word
    if (line !== "" && line.length + 1 + rest.length > width) {
      lines.push(line)
      line = ""
    }
    while (rest.length > width) {
      lines.push(rest.slice(0, width))
      rest = rest.slice(width)
    }
    line = line === "" ? rest : `${line} ${rest}`
  }
  return [...lines, line]
}

/** Puts a label before a text; further lines are indented alike. */
const addLabel = (label: string, text: string, indent = 13): string =>
  wrapText(text.replace(/\s+/g, " ").trim(), WIDTH - indent)
    .map((line, i) => (i === 0 ? label.padEnd(indent) : " ".repeat(indent)) + line)
    .join("\n")

const cutText = (text: string): string =>
  text.length <= SHOWN_MAX ? text : `${text.slice(0, SHOWN_MAX)} … (${text.length} characters)`

const formatRequest = ({ request: { method, path, body } }: RecordedExchange): string =>
  cutText(`${method} ${path}${body === "" ? "" : ` ${body}`}`)

const formatAnswer = ({ status, answer, from_ms, to_ms }: RecordedExchange): string =>
  cutText(`${status === null ? "" : `${status} `}${answer === "" ? "(no body)" : answer}`) + ` (${to_ms - from_ms} ms)`

export const formatHelp = (): string => {
  const lines = Object.entries(flags).map(([name, { value, help }]) =>
    addLabel(`  ${name}${value === null ? "" : ` ${value}`}`.padEnd(30), help, 30)
  )
  return [
    "corridor check-provider --url URL --secret whsec_… [options]",
    "",
    ...wrapText(
      "Checks a connector against the provider protocol. Run it against a test system: it makes payments.",
      WIDTH
    ),
    "",
    ...lines,
    "",
    "Exit code: 0 nothing failed, 1 a case failed or did not run, 2 bad usage,",
    "3 the connector could not be reached."
  ].join("\n")
}

export const formatCases = (cases: ReadonlyArray<Case>): string =>
  cases.map(({ id, rule }) => addLabel(`${id}  `, rule, 34)).join("\n")

/** Formats what is printed before any money moves. `terms`: the payouts, or why there are none. */
export const formatPreface = (options: Options, seed: string, cases: number, terms: string): string =>
  [
    addLabel("connector", options.url.href),
    addLabel("seed", seed),
    addLabel("cases", String(cases)),
    addLabel("money", terms),
    addLabel("limits", `at most ${options.max_calls} calls and ${options.max_s} s`),
    ""
  ].join("\n")

const marks = { passed: "ok", failed: "FAILED", skipped: "skipped", "not-run": "NOT RUN" } as const

export const formatVerdict = (verdict: CaseVerdict): string =>
  addLabel(marks[verdict.status], "reason" in verdict ? `${verdict.id}: ${verdict.reason}` : verdict.id, 9)

const formatFailure = (verdict: Extract<CaseVerdict, { status: "failed" }>, options: Options, seed: string): string =>
  [
    `FAILED ${verdict.id}`,
    addLabel("  found", verdict.found),
    addLabel("  rule", verdict.rule),
    addLabel("  why", verdict.why),
    ...verdict.exchanges.flatMap((exchange) => [
      addLabel("  sent", formatRequest(exchange)),
      addLabel("  came", formatAnswer(exchange))
    ]),
    // The options of a run that matter for doing it again. Never the secret.
    addLabel(
      "  again",
      [
        `corridor check-provider --url ${options.url.href.replace(/\/$/, "")} --secret …`,
        ...(options.wishes.currency === undefined ? [] : [`--currency ${options.wishes.currency}`]),
        `--seed ${seed} --only ${verdict.id}`
      ].join(" ")
    )
  ].join("\n")

export const formatSummary = (summary: Summary, options: Options): string => {
  const { verdicts, seed, calls, elapsed_ms, moved, restarts } = summary
  const failures = verdicts.filter((verdict) => verdict.status === "failed")
  const count = (status: CaseVerdict["status"]): number => countVerdicts(verdicts, status)
  const paid = Object.entries(moved).map(([currency, sum]) => `${sum} ${currency}`)
  return [
    ...failures.map((verdict) => `\n${formatFailure(verdict, options, seed)}`),
    "",
    `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped, ${count("not-run")} not run`,
    `${calls} calls, ${restarts} restarts, ${Math.round(elapsed_ms / 1000)} s; executed ${paid.length === 0 ? "nothing" : paid.join(", ")}`,
    addLabel(
      "",
      isPass(summary) ? "Nothing failed." : "The connector does not keep the protocol, or was not checked whole.",
      0
    )
  ].join("\n")
}

/** Formats the report as JSON, for programs. It has no secret: requests have their signatures only. */
export const formatJsonReport = (summary: Summary): string =>
  JSON.stringify(
    {
      ...summary,
      is_pass: isPass(summary),
      verdicts: summary.verdicts.map((verdict) =>
        verdict.status === "failed"
          ? {
              ...verdict,
              exchanges: verdict.exchanges.map((exchange) => ({
                sent: formatRequest(exchange),
                came: formatAnswer(exchange)
              }))
            }
          : verdict
      )
    },
    null,
    2
  )
