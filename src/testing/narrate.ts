/** What happened in a world, as lines for people. */
import type { Change, Verdict } from "../engine/ports/Storage.ts"
import { day, hour, minute, second } from "./program.ts"

const pad = (value: number, length = 2): string => String(value).padStart(length, "0")

/** `d03 04:12:33.120`: the day of the world, counted from 0, and the time of it. */
const moment = (age: number): string => {
  const [days, left] = [Math.floor(age / day), age % day]
  const time = [Math.floor(left / hour), Math.floor((left % hour) / minute), Math.floor((left % minute) / second)]
  return `d${pad(days)} ${time.map((one) => pad(one)).join(":")}.${pad(left % second, 3)}`
}

/** Ids are shortened to their prefix and their end, which tells them apart. */
const short = (text: string): string => text.replace(/\b([a-z]{2,6})_[0-9a-z]{20}([0-9a-z]{6})\b/g, "$1_…$2")

interface Committed {
  readonly by: string
  readonly verdict: Verdict
  readonly change: Change
}

const linesOf = ({ by, change, verdict }: Committed): ReadonlyArray<string> => {
  const cause = change.once?.key ?? change.lease?.job ?? ""
  const told = verdict._tag === "Committed" ? "" : ` ${verdict._tag}: ${JSON.stringify(verdict)}`
  return [
    `${by} commits ${cause}${told}`,
    ...change.rows.map(
      ({ from, id, state, version, via }) => `  ${id} v${version} ${from ?? "—"} → ${state} by ${via}`
    ),
    ...change.postings.map(({ amount, credit, currency, debit }) => `  ${debit} → ${credit} ${amount} ${currency}`),
    ...change.events.map(({ sequence, type }) => `  tells ${type} (${sequence})`),
    ...change.jobs.map(({ due_at, id, queue, status }) =>
      due_at === null ? `  ${queue} ${id} ${status}` : `  ${queue} ${id} due in ${(due_at - change.at) / second} s`
    )
  ]
}

/** The lines of one happening. */
export const narrated = (age: number, what: string, about: unknown): ReadonlyArray<string> => {
  const lines =
    what === "commit"
      ? linesOf(about as Committed)
      : [`${what} ${typeof about === "string" ? about : JSON.stringify(about)}`]
  return lines.map((line) => `${moment(age)} ${short(line)}`)
}
