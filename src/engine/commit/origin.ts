/** The origin of a Change: what its history shows of its cause, for people. */
import type { Call } from "./call.ts"
import type { Change, Origin } from "../ports/Storage.ts"

/** The call that a person or a program made, and what it has asked of others. */
export const makeOrigin = (
  { key_id, operation, operator, request_id: id }: Call,
  asked: Origin["calls"] = []
): Origin => ({
  request: {
    id,
    key_id,
    operation,
    ...(operator === null ? {} : { operator: { id: operator.id, name: operator.name } })
  },
  ...(asked.length === 0 ? {} : { calls: [...asked] })
})

/** Adds to a Change what is known of its cause, and the timers that it sets and cancels. Only rows have a history. */
export const withOrigin = <C extends Change>(change: C, known: Origin = {}): C => {
  if (change.rows.length === 0) return change
  const timers = change.jobs.filter(({ due_at, queue }) => queue === "timer" && due_at !== null)
  const origin: Origin = {
    ...known,
    ...(timers.length === 0 ? {} : { timers: Object.fromEntries(timers.map(({ due_at, id }) => [id, due_at!])) }),
    ...(change.cancels.length === 0 ? {} : { cancels: change.cancels })
  }
  return Object.keys(origin).length === 0 ? change : { ...change, origin }
}
