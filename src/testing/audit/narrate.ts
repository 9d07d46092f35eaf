/** Formats the log of a simulation for people. */
import type { Change, CommitResult } from "../../engine/ports/Storage.ts"
import { day, hour, minute, second } from "../program/program.ts"

const padNumber = (value: number, length = 2): string => String(value).padStart(length, "0")

/** Formats a time of the simulation as `d03 04:12:33.120`: the day, from 0, and the time. */
const formatMoment = (age: number): string => {
  const [days, left] = [Math.floor(age / day), age % day]
  const time = [Math.floor(left / hour), Math.floor((left % hour) / minute), Math.floor((left % minute) / second)]
  return `d${padNumber(days)} ${time.map((part) => padNumber(part)).join(":")}.${padNumber(left % second, 3)}`
}

interface Committed {
  readonly by: string
  readonly verdict: CommitResult
  readonly change: Change
}

const describeCommit = ({ by, change, verdict }: Committed): ReadonlyArray<string> => {
  const cause = change.idempotency?.key ?? change.lease?.job ?? ""
  const outcome = verdict._tag === "Committed" ? "" : ` ${verdict._tag}: ${JSON.stringify(verdict)}`
  return [
    `${by} commits ${cause}${outcome}`,
    ...change.rows.map(
      ({ from, id, state, version, via }) => `  ${id} v${version} ${from ?? "—"} → ${state} by ${via}`
    ),
    ...change.postings.map(({ amount, credit, currency, debit }) => `  ${debit} → ${credit} ${amount} ${currency}`),
    ...change.events.map(({ sequence, type }) => `  publishes ${type} (${sequence})`),
    ...change.jobs.map(({ due_at, id, queue, status }) =>
      due_at === null ? `  ${queue} ${id} ${status}` : `  ${queue} ${id} due in ${(due_at - change.at) / second} s`
    )
  ]
}

/** Formats the lines of one log entry. */
export const narrateEntry = (age: number, what: string, about: unknown): ReadonlyArray<string> => {
  const lines =
    what === "commit"
      ? describeCommit(about as Committed)
      : [`${what} ${typeof about === "string" ? about : JSON.stringify(about)}`]
  // Ids are shortened to their prefix and their last characters, which distinguish them.
  const long = /\b([a-z]{2,6})_[0-9a-z]{20}([0-9a-z]{6})\b/g
  return lines.map((line) => `${formatMoment(age)} ${line.replace(long, "$1_…$2")}`)
}
