/**
 * Audits a simulation. After every commit it checks the ledger, the events and the model's predictions against
 * what was written; at the end, also against the provider's and the receivers' records. The first violation ends the
 * simulation.
 */
import { Context } from "effect"
import { Sandbox } from "../../engine/ports/Sandbox.ts"
import { PLATFORM_MERCHANT, type RowWrite } from "../../engine/ports/Storage.ts"
import { resolveBreaksAndCompare } from "./bank-settlement.ts"
import { BankWatch } from "./bank-watch.ts"
import { BrakeWatch } from "./brake-watch.ts"
import { Causes, readEventContent } from "./causes.ts"
import type { Coverage } from "./coverage.ts"
import { Publications } from "../model/events.ts"
import { isTerminalRow, Ledger, queryStore, rowKey } from "../model/ledger.ts"
import { type Data, Orders } from "../model/orders.ts"
import { issuable } from "../program/kinds.ts"
import { isMovement, Predictions } from "./predictions.ts"
import { parseMinorUnits } from "../program/amounts.ts"
import { beginning, minute, type Op } from "../program/program.ts"
import { Uniques } from "./uniques.ts"
import type { Answered, Log, Observer } from "../world/observer.ts"
import type { Simulation } from "../world/simulation.ts"

/** States in which a deposit waits for the chain or for the operator, who sees it in a list. */
const waiting: ReadonlySet<string> = new Set(["detected", "detected_unpriced", "held"])

export class Auditor implements Observer {
  readonly found: Array<string> = []
  commits = 0
  readonly log: Log | undefined
  readonly #coverage: Coverage
  readonly #causes = new Causes()
  readonly #orders = new Orders()
  readonly #ledger: Ledger
  readonly #publications: Publications
  readonly #predictions: Predictions
  readonly #uniques: Uniques
  readonly #brakes: BrakeWatch
  #simulation: Simulation | undefined
  /** Ids of rows by merchant, kind and state. */
  readonly #rowsByState = new Map<string, Set<string>>()
  /** Movements returned by a call. They must exist at the end. */
  readonly #acknowledged: Array<{ readonly op: Op; readonly id: string }> = []
  readonly #delivered = new Set<string>()

  constructor(coverage: Coverage, log?: Log) {
    this.log = log
    this.#coverage = coverage
    this.#ledger = new Ledger(this.#wrong)
    this.#publications = new Publications(this.#wrong)
    this.#uniques = new Uniques(this.#wrong)
    this.#brakes = new BrakeWatch(this.#ledger, coverage, this.#wrong)
    this.#predictions = new Predictions(this.#ledger, this.#orders, coverage, this.#wrong)
  }

  watch(simulation: Simulation): void {
    this.#simulation = simulation
    this.#brakes.timeline = simulation.timeline
    this.#orders.given = (n) => simulation.clients.given.get(n)
    simulation.clients.picks = (merchant, kind, state) =>
      [...(this.#rowsByState.get(`${merchant ?? PLATFORM_MERCHANT} ${kind} ${state}`) ?? [])].toSorted()
  }

  readonly #wrong = (what: string): void => {
    this.found.push(what)
    this.log?.(this.#now, "wrong", what)
  }

  readonly defect: Observer["defect"] = (message) => this.#wrong(`a defect: ${message}`)
  readonly claimed: Observer["claimed"] = (_, jobs) => this.#causes.claimed(jobs, this.#now)
  readonly submitted: Observer["submitted"] = (...args) => this.#brakes.submitted(...args)
  readonly unlisted: Observer["unlisted"] = (...args) => this.#brakes.unlisted(...args)
  readonly looked: Observer["looked"] = (...args) => this.#causes.looked(...args)
  readonly cleared: Observer["cleared"] = (screening_id) => this.#predictions.cleared(screening_id)
  readonly refunded: Observer["refunded"] = (...args) => this.#causes.refunded(...args)
  readonly spoken: Observer["spoken"] = (event, own) => this.#causes.spoken(event, own, this.#now)
  readonly read: Observer["read"] = (process, rows) => this.#predictions.read(process.name, rows, this.#now)
  readonly answered: Observer["answered"] = (_, command, attempt, answer) =>
    this.#causes.answered(command, attempt, answer)

  readonly delivered: Observer["delivered"] = (_process, url, message_id, body, secrets, { error }) => {
    const frozen = this.#publications.bodies.get(message_id)
    if (frozen !== undefined && frozen !== body)
      this.#wrong(`${message_id} was sent with a body that differs from the frozen one`)
    if (secrets.length === 0) this.#wrong(`${message_id} was sent without a signature`)
    if (error === null) this.#delivered.add(`${url} ${message_id}`)
  }

  readonly concluded: Observer["concluded"] = (op: Op, answer: Answered) => {
    this.#coverage.op(op, answer)
    if (answer._tag === "refused") this.#refused(op, answer.error)
    if (answer._tag === "refused" && op.call === "bank.statement" && !this.#isOfClosedAccount(op))
      this.#wrong(`the statement of operation ${op.n} was refused: ${answer.error.message}`)
    if (answer._tag !== "success") return
    const body = answer.body as Data | undefined
    if (body === undefined) return
    if (op.call === "operator.stuck") this.#brakes.listed(op, body)
    if (op.call === "batches.create")
      this.#orders.batches.drafted(body["id"], this.#simulation?.clients.given.get(op.n)?.at(-1) as Data)
    // A confirmation that waits for approval leaves the draft, for good if nobody approves it.
    if (op.call === "batches.confirm" && body["status"] !== "draft") this.#orders.batches.confirmed(body["id"])
    if (op.call.startsWith("quotes.")) {
      const wrong = this.#orders.quoted(body, this.#ledger.rows.get(`quote ${body["id"]}`))
      if (wrong !== undefined) this.#wrong(wrong)
    }
    if (/^(?:transfers|offramps|onramps|conversions)\.create$/.test(op.call))
      this.#acknowledged.push({ op, id: body["id"] })
  }

  /** The program closes an account for some hours. What is refused then is taken when the account is open again (`bank-settlement.ts`). */
  #isOfClosedAccount({ n }: Op): boolean {
    const [, about] = (this.#simulation?.clients.given.get(n) ?? []) as ReadonlyArray<Data>
    return this.#ledger.rows.get(`external_account ${about?.["external_account_id"]}`)?.state === "closed"
  }

  /** A payout that a limit has refused: there was no room for it. */
  #refused({ at, call, n }: Op, { message }: { readonly message: string }): void {
    const simulation = this.#simulation
    if (simulation === undefined || !/^(?:transfers|offramps)\.create$/.test(call) || !message.startsWith("The limit "))
      return
    const given = simulation.clients.given.get(n)?.at(-1) as Data
    const { rows } = this.#ledger
    const quote = rows.get(`quote ${given["quote_id"]}`)?.data as Data | undefined
    const wallet = rows.get(`wallet ${quote?.["source_wallet_id"] ?? given["wallet_id"]}`)
    const { currency = "" } = (wallet?.data ?? {}) as Data
    const { now, ahead } = simulation.timeline
    this.#predictions.limits.refused(message, {
      kind: quote === undefined ? "transfer" : "offramp",
      subjects: {
        platform: "platform",
        merchant: wallet?.merchant_id ?? null,
        wallet: wallet?.id ?? null,
        beneficiary: quote?.["beneficiary_id"] ?? given["beneficiary_id"]
      },
      amount: quote === undefined ? (parseMinorUnits(given["amount"], currency) ?? 0n) : BigInt(quote["source_amount"]),
      from: beginning + at,
      until: now + ahead + minute
    })
  }

  readonly committed: Observer["committed"] = (process, change, verdict, store) => {
    this.#uniques.check(change, verdict)
    if (verdict._tag !== "Committed") return
    this.commits++
    const before = new Map(change.rows.map((row) => [row, this.#ledger.rows.get(rowKey(row))]))
    this.#publications.check(change, (row) => before.get(row))
    const checked = this.#ledger.enter(change, store)
    for (const [row, was] of before) this.#moved(row, was)
    this.#brakes.committed(change)
    this.#predictions.hold(this.#causes.of(process, change, this.#now), change, before, process.name)
    return checked
  }

  get #now(): number {
    return this.#simulation?.age ?? 0
  }

  #moved(row: RowWrite, was: RowWrite | undefined): void {
    if (!row.kind.startsWith("simulated_")) this.#coverage.transition(row.kind, was?.state ?? null, row.via, row.state)
    const place = (state: string): Set<string> => {
      const key = `${row.merchant_id} ${row.kind} ${state}`
      const ids = this.#rowsByState.get(key) ?? new Set<string>()
      this.#rowsByState.set(key, ids)
      return ids
    }
    if (was !== undefined) place(was.state).delete(row.id)
    place(row.state).add(row.id)
  }

  /** Final checks: nothing is still in progress, nothing is lost, and what `/v1` shows is true. */
  async close(): Promise<void> {
    const simulation = this.#simulation
    if (simulation === undefined) return
    this.#ledger.close()
    this.#predictions.close()
    this.#brakes.close()
    for (const row of this.#ledger.rows.values()) {
      if (issuable.includes(row.kind) && row.state === "pending") this.#wrong(`${row.id} was never issued`)
      if (!isMovement(row) && row.kind !== "deposit") continue
      if (!isTerminalRow(row) && !(row.kind === "deposit" && waiting.has(row.state)))
        this.#wrong(`${row.id} is still ${row.state} at the end`)
    }
    this.#reused()
    this.#unreadable()
    for (const { op, id } of this.#acknowledged)
      if (this.#predictions.movement(id) === undefined)
        this.#wrong(`operation ${op.n} returned ${id}, which does not exist`)
    await this.#executions(simulation)
    await this.#deliveries(simulation)
    const { ahead, now } = simulation.timeline
    const bank = new BankWatch(this.#ledger.rows, this.#causes.strayed, now + ahead)
    for (const what of bank.wrong(simulation.bank)) this.#wrong(what)
    const { context } = simulation.reachable(0) ?? {}
    if (context !== undefined && this.found.length === 0)
      for (const what of await resolveBreaksAndCompare({ simulation, ledger: this.#ledger, context })) this.#wrong(what)
    const { limits } = this.#predictions
    await queryStore(simulation.store.counters(PLATFORM_MERCHANT, limits.keys()), (counters) => {
      for (const what of counters.flatMap((one) => limits.differing(one))) this.#wrong(what)
    })
    await queryStore(simulation.store.trialBalance, ({ currencies }) => {
      for (const { currency, debits, credits } of currencies)
        if (debits !== credits)
          this.#wrong(`the trial balance in ${currency} does not balance: debits ${debits}, credits ${credits}`)
    })
  }

  /** An event that reuses another event's id is recorded as an exception. */
  #reused(): void {
    const kept = new Set<string>()
    for (const { data, kind } of this.#ledger.rows.values()) {
      const { provider_event } = data as Data
      if (kind === "exception" && provider_event)
        kept.add(`${provider_event.event_id} ${readEventContent(provider_event)}`)
    }
    for (const event of this.#causes.reused)
      if (!kept.has(`${event.event_id} ${readEventContent(event)}`))
        this.#wrong(`event ${event.event_id} was reused with other content, and no exception records it`)
  }

  /** An event that cannot be read is recorded once, with the reason (PROTOCOL-10). */
  #unreadable(): void {
    const kept = new Map<string, number>()
    for (const { data, id, kind } of this.#ledger.rows.values()) {
      const { detail, provider_event, reason } = data as Data
      if (kind !== "exception" || reason !== "unreadable_event") continue
      if (!detail) this.#wrong(`${id} does not say what cannot be read`)
      kept.set(provider_event.event_id, (kept.get(provider_event.event_id) ?? 0) + 1)
    }
    for (const id of this.#causes.garbled)
      if (kept.get(id) !== 1) this.#wrong(`the unreadable event ${id} is recorded ${kept.get(id) ?? 0} times`)
  }

  /**
   * Checks against the provider's records: no command is executed twice, and the shown status agrees with what was
   * paid, unless events that contradict the provider's own arrived.
   */
  async #executions(simulation: Simulation): Promise<void> {
    const { context } = simulation.reachable(0) ?? {}
    if (context === undefined) return
    const sandbox = Context.getUnsafe(context, Sandbox)
    for (const command of this.#causes.commands) {
      const [id = ""] = command.split(".")
      const row = this.#predictions.movement(id)
      if (row === undefined) continue
      const counts = [await simulation.ask(sandbox.executions(command)), ...simulation.executions(command)]
      const paid = counts.reduce((sum, count) => sum + count, 0)
      if (Math.max(...counts) > 1) this.#wrong(`${command} was executed ${counts.join(" and ")} times`)
      const { failure_reason } = row.data as Data
      // The developer can make the simulated provider pay what another one has.
      if (this.#causes.strayed.has(id)) continue
      if (paid > 1) this.#wrong(`${command} was executed by several providers: ${counts.join(" and ")} times`)
      if (failure_reason === "refund_failed") continue
      const shown = row.status === "success" || (row.status === "returned" && row.kind !== "onramp") ? 1 : 0
      if (paid !== shown) this.#wrong(`${id} is ${row.status} (${row.state}), but the provider paid it ${paid} times`)
    }
  }

  /** Every event was delivered to each subscribed endpoint, or its delivery was abandoned. */
  async #deliveries(simulation: Simulation): Promise<void> {
    const { owed } = this.#publications
    const jobs = new Map<string, string>()
    for (const merchant_id of new Set(owed.map(({ merchant }) => merchant)))
      for (let offset = 0, total = 1; offset < total; offset += 200)
        await queryStore(simulation.store.jobs({ merchant_id, queue: "delivery", offset, limit: 200 }), (page) => {
          total = page.total
          for (const { body, partition_key, status } of page.items)
            jobs.set(`${partition_key} ${String(body["event_id"])}`, status)
        })
    for (const { endpoint, event } of owed) {
      const status = jobs.get(`${endpoint} ${event}`)
      const { url } = (this.#ledger.rows.get(`webhook_endpoint ${endpoint}`)?.data ?? {}) as Data
      if (status === undefined) this.#wrong(`event ${event} has no delivery to ${endpoint}`)
      else if (status === "delivered" && !this.#delivered.has(`${url} msg_${event}`))
        this.#wrong(`event ${event} is marked as delivered to ${endpoint}, which never received it`)
      else if (status === "pending") this.#wrong(`the delivery of event ${event} to ${endpoint} is still pending`)
    }
  }
}
