/** Events: what Corridor learns of outcomes without asking. Each is there, once, in one order, with one content. */
import { type Case, needs } from "../case.ts"
import { sleep, until } from "../clock.ts"
import type { FollowedEvent } from "../follower.ts"
import { toCanonicalText, type Known } from "../journal.ts"
import { isSameAmount, parseSignedUnits } from "../money.ts"
import type { Trial } from "../trial.ts"
import { drawPayout } from "./fixtures.ts"

/** Lists ended commands of money that the connector first answered with `accepted`: their outcomes must come as events. */
const listLateOutcomes = (trial: Trial): ReadonlyArray<Known> =>
  trial.bench.journal.all.filter(
    ({ command, taken, settled }) =>
      (command.family === "payout" || command.family === "conversion") &&
      settled !== undefined &&
      taken?.exchange.answer.includes('"accepted"') === true
  )

const listEventsOf = (events: ReadonlyArray<FollowedEvent>, { command }: Known): ReadonlyArray<FollowedEvent> =>
  events.filter(({ type, resource_id }) => type === "movement" && resource_id === command.members["resource_id"])

/** Picks the members of an outcome that an event and a look-up share, as text. */
const pickOutcomeMembers = (outcome: object): string => {
  const {
    outcome: word,
    reason,
    transaction_hash,
    amount,
    fee,
    fee_currency,
    parts,
    complete,
    provider_reference
  } = outcome as FollowedEvent
  return toCanonicalText({
    word,
    reason,
    transaction_hash,
    amount,
    fee,
    fee_currency,
    parts,
    complete,
    provider_reference
  })
}

interface Part {
  readonly id: string
  readonly amount: string
}

const readParts = ({ parts }: FollowedEvent): ReadonlyArray<Part> => parts as ReadonlyArray<Part>

/** Makes the key of the payment that an event's parts return: a refund by its command, a movement by its resource. */
const makeReturnKey = ({ command_id, resource_id, type }: FollowedEvent): string =>
  `${type} ${String(resource_id)} ${String(command_id ?? "")}`

/** Finds what is wrong with the parts of an event, after those of `before`. `sent`: the amount of its command, if the run has it. */
const findPartFault = (event: FollowedEvent, before: FollowedEvent | undefined, sent: unknown): string | undefined => {
  const now = new Map(readParts(event).map(({ amount, id }) => [id, amount]))
  const sum = [...now.values()].reduce((total, amount) => total + (parseSignedUnits(amount) ?? 0n), 0n)
  if (now.size < readParts(event).length) return "has two parts with one id"
  if (parseSignedUnits(event["amount"]) !== undefined && parseSignedUnits(event["amount"]) !== sum)
    return `has the amount ${String(event["amount"])}, which is not the sum of its parts`
  if ((parseSignedUnits(sent) ?? sum) < sum) return `has parts of more than the ${String(sent)} that were sent`
  if (before === undefined) return undefined
  for (const { amount, id } of readParts(before)) {
    if (!now.has(id)) return `leaves out the part ${id} of the event ${before.id}`
    if (!isSameAmount(now.get(id), amount))
      return `has ${now.get(id)} for the part ${id}, which had ${amount} in ${before.id}`
  }
  return before["complete"] === true && now.size > readParts(before).length
    ? `has a new part, though the event ${before.id} was complete`
    : undefined
}

/** Waits until each accepted command has its event, or the time is over. Returns the events of the run. */
const awaitOutcomeEvents = async (trial: Trial): Promise<ReadonlyArray<FollowedEvent>> => {
  const { follower, waits } = trial.bench
  if (follower === null) return trial.unjudged("the events are not followed")
  await until(waits.settle_ms, async () => {
    const events = await follower.readOn()
    return listLateOutcomes(trial).every((known) => listEventsOf(events, known).length > 0) ? true : undefined
  })
  return follower.events
}

export const eventCases: ReadonlyArray<Case> = [
  {
    id: "events/outcome",
    rule: "The outcome of an accepted payout is an event with its resource_id and the outcome that the lookup has.",
    why: "Corridor waits for the event. Without it the customer waits until somebody looks the payout up.",
    needs: [needs.events, needs.payouts],
    run: async (trial) => {
      const commands = Array.from({ length: 4 }, () => drawPayout(trial))
      for (const command of commands) await trial.taken(command)
      for (const command of commands) {
        await trial.success(command)
        const known = trial.bench.journal.of(command)
        if (!listLateOutcomes(trial).includes(known)) continue
        const found = await until(trial.bench.waits.settle_ms, async () => {
          const [one] = listEventsOf((await trial.bench.follower?.readOn()) ?? [], known)
          return one
        })
        if (found === undefined)
          return trial.fail(
            `The payout ${command.id} was accepted and has ended, and no event names ${String(command.members["resource_id"])}.`,
            known.settled!.exchange
          )
        if (pickOutcomeMembers(found) !== pickOutcomeMembers(known.settled!.outcome))
          trial.fail(
            `The event ${found.id} says ${pickOutcomeMembers(found)}, and the lookup ${pickOutcomeMembers(known.settled!.outcome)}.`,
            known.settled!.exchange
          )
      }
    }
  },
  {
    id: "events/all-outcomes",
    rule: "Each command that was accepted has an event of its outcome; no command that was never taken has one.",
    why: "An outcome without an event is learned late; an event without an outcome settles a payment that was never made.",
    needs: [needs.events, needs.payouts],
    phase: "end",
    run: async (trial) => {
      const events = await awaitOutcomeEvents(trial)
      if (listLateOutcomes(trial).length === 0)
        return trial.unjudged("no command of this run was accepted and has ended")
      const without = listLateOutcomes(trial).filter((known) => listEventsOf(events, known).length === 0)
      if (without.length > 0)
        trial.fail(
          `${without.length} of ${listLateOutcomes(trial).length} commands that were accepted and have ended have no event, such as ${without[0]!.command.id}.`,
          without[0]!.settled!.exchange
        )
      const never = trial.bench.journal.all.filter(
        ({ taken, command, submissions }) =>
          taken === undefined && submissions.length > 0 && command.family === "payout"
      )
      const wrong = never.find((known) => listEventsOf(events, known).some(({ outcome }) => outcome === "success"))
      if (wrong !== undefined) trial.fail(`${wrong.command.id} was never taken, and an event says that it succeeded.`)
    }
  },
  {
    id: "events/once",
    rule: "An event has an id of its own: no other event has it, and the list has each event once.",
    why: "Corridor counts an id once. Of two events with one id the second is dropped, and its outcome lost.",
    needs: [needs.events],
    phase: "end",
    run: async (trial) => {
      const seen = new Map<string, FollowedEvent>()
      const events = await awaitOutcomeEvents(trial)
      if (events.length === 0) return trial.unjudged("no event came in")
      for (const event of events) {
        const before = seen.get(event.id)
        if (before !== undefined)
          trial.fail(
            toCanonicalText(before) === toCanonicalText(event)
              ? `The list has the event ${event.id} twice.`
              : `Two events have the id ${event.id}: ${toCanonicalText(before)} and ${toCanonicalText(event)}.`
          )
        seen.set(event.id, event)
      }
    }
  },
  {
    id: "events/list-is-stable",
    rule: "The list keeps its order and its content: what was read while events came in is what is read again from any cursor, also after a restart.",
    why: "Corridor reads on from its cursor. An event that appears before the cursor is never read.",
    needs: [needs.events],
    phase: "end",
    run: async (trial) => {
      const { follower, waits } = trial.bench
      if (follower === null) return trial.unjudged("the events are not followed")
      await awaitOutcomeEvents(trial)
      await sleep(waits.watch_ms)
      await follower.readOn()
      const { events, marks } = follower
      if (events.length === 0) return trial.unjudged("no event came in")
      const sample = [marks[0]!, ...Array.from({ length: 3 }, () => trial.chance.pick(marks)), marks.at(-1)!]
      for (const { cursor, count } of sample) {
        const expected = events.slice(count)
        const { items } = await trial.list("events", "events", cursor)
        const at = expected.findIndex((event, i) => toCanonicalText(items[i]) !== toCanonicalText(event))
        if (at >= 0)
          trial.fail(
            `Read again from the cursor ${JSON.stringify(cursor)}, the event at position ${at + 1} is ${toCanonicalText(items[at]) ?? "missing"}; it was ${toCanonicalText(expected[at])}.`
          )
      }
      const whole = await trial.list<FollowedEvent>("events", "events", null)
      const ids = new Set(whole.items.map(({ id }) => id))
      const lost = events.find(({ id }) => !ids.has(id))
      if (lost !== undefined) trial.fail(`The event ${lost.id} is not in the list that is read from the beginning.`)
    }
  },
  {
    id: "events/parts",
    rule: "A return or a refund in parts only grows: each event repeats the parts before with their amounts. Their sum is the `amount`, if there is one, and at most what was sent. After the last one none follows.",
    why: "Each part is booked once, by its id. A part that changes, or that has a new id, is money that came twice or not at all.",
    needs: [needs.events],
    phase: "end",
    run: async (trial) => {
      const events = await awaitOutcomeEvents(trial)
      const stated = events.filter(({ parts }) => Array.isArray(parts))
      if (stated.length === 0) return trial.unjudged("no outcome of this run came in parts")
      const sent = new Map(
        trial.bench.journal.all.map(({ command: { members } }) => [String(members["resource_id"]), members["amount"]])
      )
      const before = new Map<string, FollowedEvent>()
      for (const event of stated) {
        const found = findPartFault(event, before.get(makeReturnKey(event)), sent.get(String(event.resource_id)))
        if (found !== undefined) trial.fail(`The event ${event.id} ${found}.`)
        before.set(makeReturnKey(event), event)
      }
    }
  }
]
