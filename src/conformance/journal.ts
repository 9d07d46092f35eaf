/**
 * What is known of each command of the run, and the laws that every answer about it must keep, whichever case asked.
 * A case makes a situation; the journal sees whether the answers fit together.
 */
import { Predicate } from "effect"
import type { RecordedExchange, JsonMembers } from "./exchange.ts"

/** A command as it is sent, without `operation`. */
export interface SentCommand {
  readonly id: string
  /** The operation, which is `PUT` under an id of Corridor's; `GET` of what became of it has `_status` behind its name. */
  readonly family: "payout" | "conversion" | "refund" | "issue" | "instruction" | "verification"
  readonly members: JsonMembers
}

export interface ToldOutcome {
  readonly outcome: string
  readonly [member: string]: unknown
}

interface Submission {
  readonly from_ms: number
  /** When the connector had answered, or could no longer be at work on it unseen. */
  to_ms: number
  readonly content: string
  /** The answer said that nothing was executed: `unavailable`. */
  isVoid: boolean
}

/** What the run knows of one id. */
export interface Known {
  readonly command: SentCommand
  readonly submissions: Array<Submission>
  /** The first answer that said: the connector has it. */
  taken?: { readonly exchange: RecordedExchange; readonly content: string }
  /** The last answer that said `absent`. */
  absent?: { readonly exchange: RecordedExchange }
  settled?: { readonly exchange: RecordedExchange; readonly outcome: ToldOutcome }
  rejected?: { readonly exchange: RecordedExchange }
  /** The last answer that said `unavailable`. */
  void?: { readonly exchange: RecordedExchange }
  /** What was issued or started: the same for every repeat. */
  issued?: { readonly exchange: RecordedExchange; readonly text: string }
}

/** A law that an answer broke, and the earlier answer that it contradicts. */
export interface JournalContradiction {
  readonly found: string
  readonly before: RecordedExchange
}

/** Formats a value as text with sorted members; null members are left out, like absent ones. */
export const toCanonicalText = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    Predicate.isReadonlyObject(member)
      ? Object.fromEntries(
          Object.entries(member)
            .filter(([, one]) => one !== null && one !== undefined)
            .sort(([one], [other]) => (one < other ? -1 : 1))
        )
      : member
  )

/** Reads the content of a command: what a repeat must have in common with the first. */
export const readContent = ({ members }: SentCommand): string => toCanonicalText({ ...members, attempt: null })

/** The statuses that say: the connector has it. Those of verifications include the customer's own outcome. */
const taking: ReadonlySet<unknown> = new Set([
  "accepted",
  "settled",
  "pending",
  "issued",
  "started",
  "opened",
  "approved"
])

/** Whether an outcome may follow another: a success can be returned, everything else is final. */
const mayFollowOutcome = (before: ToldOutcome, after: ToldOutcome): boolean =>
  toCanonicalText(before) === toCanonicalText(after) ||
  (before.outcome === "success" && (after.outcome === "returned" || after.outcome === "reversed"))

export class Journal {
  readonly #known = new Map<string, Known>()

  /** Commands that were sent at least once, or looked up. */
  get all(): ReadonlyArray<Known> {
    return [...this.#known.values()]
  }

  of(command: SentCommand): Known {
    const key = `${command.family} ${command.id}`
    const found = this.#known.get(key)
    if (found !== undefined) return found
    const begun: Known = { command, submissions: [] }
    this.#known.set(key, begun)
    return begun
  }

  /**
   * Begins a submission. Call the result when the connector can no longer begin to work on it: after its answer, or some
   * time after the connection was cut.
   */
  submitting(command: SentCommand, at_ms: number): (to_ms: number, status?: unknown) => void {
    const submission: Submission = {
      from_ms: at_ms,
      to_ms: Number.POSITIVE_INFINITY,
      content: readContent(command),
      isVoid: false
    }
    this.of(command).submissions.push(submission)
    return (to_ms, status) => {
      submission.to_ms = to_ms
      submission.isVoid = status === "unavailable"
    }
  }

  /** The law that a result of `PUT` breaks. */
  submitted(command: SentCommand, result: JsonMembers, exchange: RecordedExchange): JournalContradiction | undefined {
    const known = this.of(command)
    const { status } = result
    const content = readContent(command)
    const { taken } = known
    if (taken !== undefined && taken.exchange.to_ms <= exchange.from_ms) {
      const isSame = taken.content === content
      if (isSame && status === "conflict")
        return { found: "The same content under the same id is answered `conflict`.", before: taken.exchange }
      if (!isSame && status !== "conflict")
        return {
          found: `Other content under an id that the connector has taken is answered ${JSON.stringify(status)}, not "conflict".`,
          before: taken.exchange
        }
      if (!isSame) return undefined
      if (status === "rejected" || status === "unavailable")
        return { found: `A repeat of a command that was taken is answered "${status}".`, before: taken.exchange }
    }
    return this.#observe(known, content, result, exchange)
  }

  /** The law that a result of `GET` breaks. */
  found(command: SentCommand, result: JsonMembers, exchange: RecordedExchange): JournalContradiction | undefined {
    const known = this.of(command)
    if (result["status"] === "absent") {
      const before = known.taken?.exchange
      if (before !== undefined && before.to_ms <= exchange.from_ms)
        return { found: "A command that was taken is reported as `absent`: Corridor gives the money back.", before }
      const isLater = (known.absent?.exchange.from_ms ?? 0) < exchange.from_ms
      if (isLater) known.absent = { exchange }
      return undefined
    }
    return this.#observe(known, known.taken?.content ?? null, result, exchange)
  }

  #observe(
    known: Known,
    content: string | null,
    result: JsonMembers,
    exchange: RecordedExchange
  ): JournalContradiction | undefined {
    const { status } = result
    const isOutcome = known.command.family === "verification"
    if (status === "rejected" && !isOutcome) known.rejected ??= { exchange }
    if (status === "unavailable") known.void = { exchange }
    if (!taking.has(status) && !(status === "rejected" && isOutcome)) return undefined

    const { absent, rejected, settled } = known
    const isSuccess = (result["outcome"] as ToldOutcome | undefined)?.outcome === "success"
    if (rejected !== undefined && rejected.exchange.to_ms <= exchange.from_ms && (status !== "settled" || isSuccess))
      return { found: `A command that was rejected is now ${JSON.stringify(status)}.`, before: rejected.exchange }
    if (absent !== undefined && absent.exchange.to_ms <= exchange.from_ms) {
      const isOnlyBefore = known.submissions.every(({ to_ms }) => to_ms <= absent.exchange.from_ms)
      if (isOnlyBefore)
        return {
          found: `A command that was \`absent\`, and was not submitted again, is now ${JSON.stringify(status)}.`,
          before: absent.exchange
        }
    }
    const { submissions } = known
    if (submissions.length > 0 && submissions.every(({ isVoid, to_ms }) => isVoid && to_ms <= exchange.from_ms))
      return {
        found: `A command that was \`unavailable\`, and was not submitted again, is now ${JSON.stringify(status)}.`,
        before: known.void?.exchange ?? exchange
      }
    // A rejected command may be settled as failed; the connector has not taken it for that.
    if (rejected !== undefined) return undefined
    const [first] = submissions
    if (known.taken === undefined || exchange.to_ms < known.taken.exchange.to_ms)
      known.taken = { exchange, content: content ?? first?.content ?? "" }

    if (status === "settled") {
      const outcome = result["outcome"] as ToldOutcome
      if (
        settled !== undefined &&
        settled.exchange.to_ms <= exchange.from_ms &&
        !mayFollowOutcome(settled.outcome, outcome)
      )
        return { found: "A settled command has another outcome than before.", before: settled.exchange }
      if (settled === undefined || settled.exchange.to_ms <= exchange.from_ms) known.settled = { exchange, outcome }
    } else if (settled !== undefined && status === "pending" && settled.exchange.to_ms <= exchange.from_ms)
      return { found: "A settled command is `pending` again.", before: settled.exchange }

    if (status === "issued" || status === "started") {
      // A page may be open for longer at each repeat; it is the same page.
      const text = toCanonicalText({ ...result, expires_at: null })
      if (known.issued !== undefined && known.issued.text !== text)
        return { found: "The same id gets another result than before.", before: known.issued.exchange }
      known.issued = { exchange, text }
    }
    return undefined
  }
}
