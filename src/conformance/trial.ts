/** One case in progress: what it sends, and what it must not see. */
import type { Chance } from "../testing/program/random.ts"
import { makeRequest, type Request } from "../protocol/messages.ts"
import type { InputOf, Operation } from "../protocol/operations.ts"
import type { Bench } from "./bench.ts"
import { Breach, requireResult, Unjudged } from "./breach.ts"
import { now, sleep, until } from "./clock.ts"
import { drawId } from "./draw.ts"
import {
  type WireResponse,
  type RecordedExchange,
  type Forgery,
  forgeSignature,
  type JsonMembers,
  readStatus
} from "./exchange.ts"
import type { SentCommand, JournalContradiction, ToldOutcome } from "./journal.ts"
import { isSameAmount } from "./money.ts"
import { pages, type ReadLine } from "./records.ts"

export interface Sending {
  /** The text of the body, made from the ordinary one. */
  readonly body?: (text: string) => string
  readonly forgery?: Forgery
  /** How the request travels. Default: as Corridor sends it. */
  readonly by?: (request: Request) => Promise<WireResponse>
}

export class Trial {
  readonly chance: Chance
  readonly bench: Bench
  /** Restarts the connector. In a case of the phase `restart`: once, together with the others. */
  readonly restart: () => Promise<void>

  constructor(chance: Chance, bench: Bench, restart: () => Promise<void>) {
    this.chance = chance
    this.bench = bench
    this.restart = restart
  }

  fail(found: string, ...exchanges: ReadonlyArray<RecordedExchange>): never {
    throw new Breach(found, exchanges)
  }

  /** Ends the case as one that cannot be judged here. */
  unjudged(reason: string): never {
    throw new Unjudged(reason)
  }

  request(operation: Operation, id: string | null, input: JsonMembers): Request {
    const signing = { secrets: [this.bench.wire.secret], now_ms: now() }
    return makeRequest(operation, id, input as InputOf<typeof operation>, drawId(this.chance, "req"), signing)
  }

  /** The same request with another body, signed anew. */
  rewritten(request: Request, body: string, forgery: Forgery = {}): Request {
    return forgeSignature({ ...request, body }, this.bench.wire.secret, forgery)
  }

  /** The result of an answer that must be one that Corridor takes. */
  definite(answer: WireResponse): JsonMembers {
    return requireResult(answer)
  }

  /** Reads a list of the connector from a cursor to its end. */
  list<A>(
    operation: "statements" | "events",
    of: string,
    after: string | null
  ): Promise<{ readonly items: ReadonlyArray<A>; readonly cursor: string | null }> {
    return pages<A>(after, (cursor) => this.call(operation, cursor === null ? {} : { after: cursor }), of)
  }

  /** Calls an operation that is no command. */
  async call(operation: Operation, input: JsonMembers = {}, id: string | null = null): Promise<JsonMembers> {
    return this.definite(await this.bench.wire.send(this.request(operation, id, input)))
  }

  requestOf({ family, id, members }: SentCommand, { body, forgery }: Sending = {}): Request {
    const request = this.request(family, id, members)
    if (body === undefined && forgery === undefined) return request
    return this.rewritten(request, body?.(request.body) ?? request.body, forgery)
  }

  #contradicts(found: JournalContradiction | undefined, { exchange }: WireResponse): void {
    if (found !== undefined) this.fail(found.found, found.before, exchange)
  }

  /** Submits a command. Fails for a result that contradicts an earlier one. */
  async submit(command: SentCommand, sending: Sending = {}): Promise<WireResponse> {
    const { journal, wire, waits } = this.bench
    const request = this.requestOf(command, sending)
    const ended = journal.submitting(command, now())
    try {
      const answer = await (sending.by ?? ((one) => wire.send(one)))(request)
      ended(now() + (answer.exchange.status === null ? waits.arrival_ms : 0), readStatus(answer))
      if (answer.kind === "result")
        this.#contradicts(journal.submitted(command, answer.result, answer.exchange), answer)
      return answer
    } catch (error) {
      ended(now() + waits.arrival_ms)
      throw error
    }
  }

  /** Submits a command and cuts the connection: the outcome is then unknown. `share`: how much of the body is sent. */
  async cut(command: SentCommand, share = 1): Promise<void> {
    const { journal, wire, waits } = this.bench
    const ended = journal.submitting(command, now())
    try {
      await wire.cut(this.requestOf(command), share, waits.arrival_ms)
      // A connector that has answered requests on a later connection has seen this one too, however slow it is.
      for (let i = 0; i < 2; i++) await wire.pipelined([this.request("manifest", null, {})])
    } finally {
      ended(now())
    }
  }

  /** Submits a command that the connector must take, now or when it is available again. */
  async taken(command: SentCommand, sending: Sending = {}): Promise<JsonMembers> {
    const answer = await until(this.bench.waits.settle_ms, async () => {
      const one = await this.submit(command, sending)
      if (readStatus(one) !== "unavailable") return one
      await this.absent(command, "It was answered `unavailable`, which says that nothing is executed")
      return undefined
    })
    if (answer === undefined) return this.unjudged("the connector was unavailable all the time")
    const result = this.definite(answer)
    const { status } = result
    if (status === "rejected")
      this.fail(
        `A command that should succeed is rejected: ${String(result["reason"])}. If this destination cannot be paid, name one with --account.`,
        answer.exchange
      )
    if (status === "conflict" || status === "unsupported")
      this.fail(`A command that the manifest offers is answered "${status}".`, answer.exchange)
    return result
  }

  /** Looks a command up. Fails for a result that contradicts an earlier one. */
  async lookup(command: SentCommand): Promise<WireResponse> {
    const { family, id } = command
    const answer = await this.bench.wire.send(this.request(`${family}_status`, id, {}))
    if (answer.kind === "result")
      this.#contradicts(this.bench.journal.found(command, answer.result, answer.exchange), answer)
    return answer
  }

  async status(command: SentCommand): Promise<JsonMembers> {
    return this.definite(await this.lookup(command))
  }

  /** Looks a command up until the connector knows what it is: while a request is at the bank, it may not answer. */
  async laterStatus(command: SentCommand): Promise<JsonMembers> {
    const answered = await until(this.bench.waits.settle_ms, async () => {
      const answer = await this.lookup(command)
      return answer.kind === "result" ? answer : undefined
    })
    return answered === undefined ? this.status(command) : this.definite(answered)
  }

  /** Looks a command up that must be absent. */
  async absent(command: SentCommand, why: string): Promise<void> {
    const answer = await this.lookup(command)
    const { status } = this.definite(answer)
    if (status !== "absent") this.fail(`${why}, and it is ${JSON.stringify(status)}, not "absent".`, answer.exchange)
  }

  /** Looks up a command that was taken: it is anything but `absent`. */
  async known(command: SentCommand): Promise<JsonMembers> {
    const answer = await this.lookup(command)
    const result = this.definite(answer)
    if (result["status"] === "absent") this.fail("A command that was taken is `absent`.", answer.exchange)
    return result
  }

  async issued(command: SentCommand): Promise<JsonMembers> {
    const { settle_ms } = this.bench.waits
    const result = await until(settle_ms, async () => {
      const found = await this.known(command)
      return found["status"] === "pending" ? undefined : found
    })
    if (result === undefined) return this.fail(`${command.id} is still pending after ${settle_ms / 1000} s.`)
    if (result["status"] !== "issued") this.fail(`The address of ${command.id} is ${JSON.stringify(result["status"])}.`)
    return result
  }

  async outcome(command: SentCommand): Promise<ToldOutcome> {
    const { settle_ms } = this.bench.waits
    let last: WireResponse | undefined
    const outcome = await until(settle_ms, async () => {
      last = await this.lookup(command)
      const result = this.definite(last)
      return result["status"] === "settled" ? (result["outcome"] as ToldOutcome) : undefined
    })
    if (outcome !== undefined) return outcome
    return this.fail(
      `The command has not ended ${settle_ms / 1000} s after it was taken. If the bank is slower, raise --settle-within.`,
      ...(last === undefined ? [] : [last.exchange])
    )
  }

  async success(command: SentCommand): Promise<ToldOutcome> {
    const outcome = await this.outcome(command)
    if (outcome.outcome === "success") return outcome
    const { settled } = this.bench.journal.of(command)
    return this.fail(
      `A command that should succeed ends as "${outcome.outcome}" (${String(outcome["reason"])}). If this destination cannot be paid, name one with --account.`,
      ...(settled === undefined ? [] : [settled.exchange])
    )
  }

  /** Waits until a command has ended well, and counts its payments in the statement. */
  async executedOnce(command: SentCommand): Promise<ToldOutcome> {
    const outcome = await this.success(command)
    const { records, waits } = this.bench
    await until(waits.settle_ms, async () => ((await records.linesOf(command.id)).length > 0 ? true : undefined))
    await sleep(waits.watch_ms)
    this.countedOnce(command, outcome, await records.linesOf(command.id))
    return outcome
  }

  /** As {@link executedOnce}; without a statement, only that it ends well. */
  async executedOnceWhereSeen(command: SentCommand): Promise<ToldOutcome> {
    return this.bench.subject.serves("statements") ? this.executedOnce(command) : this.success(command)
  }

  /** Fails unless the lines of a successful command are one payment. */
  countedOnce(command: SentCommand, outcome: ToldOutcome, lines: ReadonlyArray<ReadLine>): void {
    const { amount: paid = null } = outcome
    const whole = command.members["amount"] ?? command.members["source_amount"]
    const currency = command.members["currency"] ?? command.members["source_currency"]
    const { settled } = this.bench.journal.of(command)
    const shown = settled === undefined ? [] : [settled.exchange]
    const debits = lines.filter((line) => line.direction === "debit" && line.currency === currency)
    const payments = debits.filter((line) => isSameAmount(line.amount, paid ?? whole))
    const text = lines.map((line) => `${line.direction} ${line.amount} ${line.currency} (${line.id})`).join(", ")
    if (payments.length === 1 && debits.length <= 2) return
    this.fail(
      payments.length > 1 || debits.length > 2
        ? `The statement has ${debits.length} debits for ${command.id}, which was to be paid once: ${text}.`
        : `The statement has no debit of ${String(paid ?? whole)} ${String(currency)} for ${command.id}, which succeeded: ${text === "" ? "it has no line of it" : text}.`,
      ...shown
    )
  }

  /** Fails if the statement has a line of a command that was never executed. */
  async neverExecuted(command: SentCommand, why: string): Promise<void> {
    if (!this.bench.subject.serves("statements")) return
    const lines = await this.bench.records.linesOf(command.id)
    if (lines.some(({ direction }) => direction === "debit"))
      this.fail(`${why}, and the statement has ${lines.length} lines of it: ${lines.map(({ id }) => id).join(", ")}.`)
  }
}
