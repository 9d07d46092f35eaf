/** `corridor explain ID` */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import type { Timeline } from "../../client/index.ts"
import { printResult } from "../globals.ts"
import { Process } from "../process.ts"
import { asEither, openEitherApi } from "../server/api.ts"

/** The resources of a merchant that have a timeline, by the prefix of their ids. */
const movements: Readonly<Record<string, string>> = {
  onr: "onramps",
  ofr: "offramps",
  con: "conversions",
  tfr: "transfers"
}

const typeWidth = "provider_event".length

/** The most characters of a receiver's response that a line shows. `--json` has all that is kept. */
const RESPONSE_MAX = 200

/** Puts foreign text on one line: control characters could change the terminal. */
const toOneLine = (text: string): string => {
  const shown = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()
  return shown.length > RESPONSE_MAX ? `${shown.slice(0, RESPONSE_MAX)}…` : shown
}

const formatTimeline = (timeline: Timeline, colors: boolean): ReadonlyArray<string> => {
  const style = (code: number, text: string): string => (colors ? `\u001b[${code}m${text}\u001b[0m` : text)
  const { created_at, ended_at, entries, explanation, id, kind, merchant_id, state, status, truncated, waits_for } =
    timeline
  const seen = status === state ? status : `${status} (${state})`
  const waiting =
    waits_for === null
      ? []
      : [
          `Waiting since ${waits_for.since}: ${waits_for.sentence}`,
          ...(waits_for.until === null ? [] : [`  until ${waits_for.until}`]),
          ...(waits_for.next_attempt_at === null ? [] : [`  next attempt at ${waits_for.next_attempt_at}`]),
          ...(waits_for.attempts === 0 ? [] : [`  attempts so far: ${waits_for.attempts}`])
        ]
  return [
    style(1, `${kind} ${id}: ${seen}`),
    `${merchant_id}, created ${created_at}${ended_at === null ? "" : `, ended ${ended_at}`}`,
    ...(explanation.reason === null ? [] : [`Reason: ${explanation.message} (${explanation.reason})`]),
    ...(explanation.provider_reason === null
      ? []
      : [`  the provider's words: ${toOneLine(explanation.provider_reason)}`]),
    ...explanation.money.map(({ summary }) => `Money: ${summary}`),
    ...waiting,
    ...(explanation.next_step === null ? [] : [`Next step: ${explanation.next_step}`]),
    "",
    ...(truncated ? [style(2, "(older entries are left out)")] : []),
    ...entries.flatMap((entry) => {
      const { at, summary, type } = entry
      const response = entry.type === "delivery" ? entry.response_body : null
      return [
        `${style(2, at)}  ${style(36, type.padEnd(typeWidth))}  ${summary}`,
        ...(response ? [`${" ".repeat(at.length + typeWidth + 4)}response: ${toOneLine(response)}`] : [])
      ]
    })
  ]
}

export const explain = Command.make(
  "explain",
  {
    id: Argument.String("id").pipe(Argument.withDescription("The id of a resource, such as ofr_…")),
    ...asEither
  },
  Effect.fnUntraced(function* ({ id, ...given }) {
    const { colors } = yield* Process
    const api = yield* openEitherApi(given)
    const path =
      api.credential === "operator"
        ? "/operator/v1/resources"
        : `/v1/${movements[id.slice(0, id.indexOf("_"))] ?? "transactions"}`
    const { data } = yield* api.ask("GET", `${path}/${encodeURIComponent(id)}/timeline`)
    yield* printResult(formatTimeline(data as Timeline, colors), data)
  })
).pipe(
  Command.withShortDescription("Print what happened to a resource, and what it waits for"),
  Command.withDescription(
    "Prints why a resource failed or waits, where its money is and what to do next; then its story in order: requests, transitions, postings, calls to providers, timers, events and deliveries, and what it waits for now. An operator's token shows any resource; a merchant's key shows its own movements."
  ),
  Command.withExamples([{ command: "corridor explain ofr_01j9z3k4m5n6p7q8r9s0t1v2w3" }])
)
