/** The sandbox controls of the simulated provider (SANDBOX-12): outcomes and events that a developer requests. */
import { Clock, Effect } from "effect"
import { InvariantViolation } from "../../../engine/ports/errors.ts"
import { cutStem } from "../../../engine/ports/Ids.ts"
import type { MovementEvent, ProviderEvent, RefundReport } from "../../../engine/ports/Provider.ts"
import { type Behaviour, type OutcomeInput, Sandbox } from "../../../engine/ports/Sandbox.ts"
import type { Job, Row } from "../../../engine/ports/Storage.ts"
import { type SimulatedBooks, toEventJobId } from "./books.ts"
import { decodeScheduledEvents } from "./callback.ts"
import * as entries from "./entries.ts"
import { makeIssuedEvent, deriveTransactionHash } from "./hashing.ts"
import {
  toMovementEvent,
  countExecutions,
  type SimulatedInstruction,
  toReportOutcome,
  applyOutcome,
  restateOutcome
} from "./instruction.ts"
import {
  isAboutRefund,
  toRefundEvent,
  reportPayin,
  reportRefund,
  type ScheduledRefund,
  type SimulatedRefund,
  spoken
} from "./refund.ts"

/** Lists the instructions of a movement, newest first. There is one, unless an engine submits it under two command ids. */
const listInstructions = (books: SimulatedBooks, resource_id: string, merchant_id?: string) =>
  books.storage
    .list({
      ...(merchant_id === undefined ? {} : { merchant_id }),
      kinds: [entries.instructionKind],
      index_keys: [entries.resourceIndexKey(resource_id)],
      offset: 0,
      limit: 200
    })
    .pipe(Effect.map(({ items }) => items.map((row) => entries.readInstruction(row)!)))

const kinds: Readonly<Record<string, SimulatedInstruction["kind"]>> = {
  con: "conversion",
  ofr: "offramp",
  onr: "onramp",
  tfr: "transfer"
}

/** Finds the refund that a reported outcome is about. Undefined: it is about the movement. */
const findRefundOfOutcome = Effect.fnUntraced(function* (books: SimulatedBooks, input: OutcomeInput) {
  const { event_id, merchant_id, resource_id } = input
  const { items } = yield* books.storage.list({
    merchant_id,
    kinds: [entries.refundKind],
    index_keys: [entries.resourceIndexKey(resource_id)],
    offset: 0,
    limit: 1
  })
  const known = entries.readRefund(items[0])
  if (known?.command_id === undefined) return undefined
  const repeats = known.reports?.some((report) => report.event_id === event_id) === true
  if (!repeats && !isAboutRefund(known, input, yield* Clock.currentTimeMillis)) return undefined
  const key = entries.refundKey({ merchant_id, id: known.command_id })
  return { known, key, payinKey: entries.payinKey(merchant_id, known.payin_id) }
})

/** Reports the outcome of a refund. The id of an earlier report sends that report again, with the values of this call. */
const reportRefundOutcome = (
  { event_id, figures, merchant_id, outcome, reason, resource_id }: OutcomeInput,
  known: SimulatedRefund,
  payin: Row | undefined,
  now: number
) => {
  const { command_id = "" } = known
  const eventFor = (report: ScheduledRefund) => toRefundEvent(merchant_id, resource_id, command_id, report)
  const repeated = known.reports?.find((report) => report.at <= now && report.event_id === event_id)
  const word = spoken[outcome] ?? "failed"
  if (repeated !== undefined) {
    const restatement = { ...repeated, outcome: word, reason: reason ?? repeated.reason }
    return { entries: [], result: eventFor({ ...restatement, figures: { ...repeated.figures, ...figures } }) }
  }
  const given = { outcome: word, reason, event_id, ...(figures && { figures }) }
  const { refund, payin: after, report, withdrawn } = reportRefund(known, entries.readPayin(payin), given, now)
  const result = eventFor(report)
  return {
    entries: [
      entries.makeRefundEntry(merchant_id, command_id, refund),
      ...(after === null ? [] : [{ key: entries.payinKey(merchant_id, known.payin_id), data: after }])
    ],
    cancels: withdrawn.map((other) => toEventJobId(eventFor(other))).filter((id) => id !== toEventJobId(result)),
    result
  }
}

/** Makes the report of an outcome for a movement that the provider has not received. */
const makeUnsubmittedReport = (input: OutcomeInput, event_id: string): MovementEvent | RefundReport => {
  const { merchant_id, resource_id, reason, transaction_hash } = input
  const kind = kinds[resource_id.slice(0, resource_id.indexOf("_"))]
  // A deposit or an exception: only its refund has outcomes
  if (kind === undefined) {
    const outcome = spoken[input.outcome] ?? "failed"
    return toRefundEvent(merchant_id, resource_id, null, {
      event_id,
      outcome,
      reason,
      ...(input.figures && { figures: input.figures })
    })
  }
  const hashed = input.outcome === "success" && (kind === "transfer" || kind === "onramp")
  return {
    _tag: "movement",
    event_id,
    merchant_id,
    resource_id,
    outcome: toReportOutcome(kind, input.outcome),
    reason,
    transaction_hash: transaction_hash ?? (hashed ? deriveTransactionHash("solana", resource_id) : null),
    ...input.figures
  }
}

/**
 * Applies an outcome that the sandbox reports to an instruction, and cancels the jobs of outcomes that it replaces. The id of an
 * earlier report sends that report again.
 */
const amendReport = (input: OutcomeInput, known: SimulatedInstruction, now: number) => {
  const { merchant_id, resource_id } = input
  const repeated = known.reports.find(({ at, event_id }) => at <= now && event_id === input.event_id)
  if (repeated !== undefined)
    return {
      entries: [],
      result: toMovementEvent(merchant_id, resource_id, restateOutcome(repeated, known.kind, input))
    }
  const { instruction, withdrawn, report: latest } = applyOutcome(known, input, now)
  const result = toMovementEvent(merchant_id, resource_id, latest)
  return {
    entries: [entries.makeInstructionEntry(merchant_id, instruction)],
    cancels: withdrawn
      .map((other) => toEventJobId(toMovementEvent(merchant_id, resource_id, other)))
      .filter((id) => id !== toEventJobId(result)),
    result
  }
}

const runReportJob = (job: Job) =>
  decodeScheduledEvents(job.body["events"]).pipe(
    Effect.catch((cause) => Effect.die(new InvariantViolation(`the job ${job.id} holds no provider events`, { cause })))
  )

/** Decides a verification by its document number: one that ends in `0000` is declined, any other approved (KYC-11). */
const examineDocument = (document_number: string) =>
  document_number.trim().endsWith("0000")
    ? ({ outcome: "rejected", reason: "declined" } as const)
    : ({ outcome: "approved", reason: null } as const)

export const makeSandbox = (books: SimulatedBooks): Sandbox["Service"] => {
  const fresh = (about: string) => Effect.map(books.ids.make("evt"), (id) => `${about}.${cutStem(id)}`)

  const verdict: Sandbox["Service"]["verification"] = Effect.fnUntraced(function* (given) {
    const event_id = yield* fresh(given.resource_id)
    return yield* books.schedule(given.merchant_id, given.resource_id, { _tag: "verification", event_id, ...given })
  })

  return Sandbox.of({
    run: runReportJob,
    outcome: Effect.fnUntraced(function* (input) {
      const { merchant_id, resource_id } = input
      const refund = yield* findRefundOfOutcome(books, input)
      if (refund !== undefined) {
        const { known, key, payinKey } = refund
        return yield* books.amendAndSchedule<ProviderEvent>(
          merchant_id,
          resource_id,
          [key, payinKey],
          ([row, payin], now) => reportRefundOutcome(input, entries.readRefund(row) ?? known, payin, now)
        )
      }
      const [newest] = yield* listInstructions(books, resource_id, merchant_id)
      if (newest === undefined)
        return yield* books.schedule(
          merchant_id,
          resource_id,
          makeUnsubmittedReport(input, input.event_id ?? (yield* fresh(resource_id)))
        )
      const key = entries.instructionKey({ merchant_id, id: newest.command_id })
      return yield* books.amendAndSchedule(merchant_id, resource_id, [key], ([row], now) =>
        amendReport(input, entries.readInstruction(row) ?? newest, now)
      )
    }),
    payin: Effect.fnUntraced(function* (input) {
      const { merchant_id } = input
      const payin_id = input.payin_id ?? (yield* books.ids.make("payin"))
      const key = entries.payinKey(merchant_id, payin_id)
      return yield* books.amendAndSchedule(merchant_id, payin_id, [key], ([row], now) => {
        const { payin, event } = reportPayin(entries.readPayin(row), input, payin_id, now)
        return { entries: [{ key, data: payin }], result: event }
      })
    }),
    payinOf: (merchant_id, payin_id) =>
      Effect.map(books.storage.get([entries.payinKey(merchant_id, payin_id)]), ([row]) => entries.readPayin(row)),
    issued: (command) => {
      const { merchant_id, resource_id } = command
      const key = entries.issueKey(command)
      const event = makeIssuedEvent(command)
      return books.amendAndSchedule(merchant_id, resource_id, [key], ([row]) => ({
        entries: row === undefined ? [{ key, data: event }] : [],
        result: event
      }))
    },
    screened: Effect.fnUntraced(function* (given) {
      const { merchant_id, resource_id } = given
      const event_id = yield* fresh(resource_id)
      return yield* books.schedule(merchant_id, resource_id, { _tag: "screened", event_id, ...given })
    }),
    verification: verdict,
    examine: ({ merchant_id, resource_id, document_number }) =>
      verdict({ merchant_id, resource_id, ...examineDocument(document_number) }),
    behave: (merchant_id, behaviour) => {
      const key = entries.behaviourKey(merchant_id)
      const given = Object.fromEntries(Object.entries(behaviour).filter(([, setting]) => setting !== undefined))
      return books.amend([key], ([row]) => {
        const data: Behaviour = { ...entries.readBehaviour(row), ...given }
        return { entries: [{ key, data }], result: data }
      })
    },
    behaviour: (merchant_id) =>
      Effect.map(books.storage.get([entries.behaviourKey(merchant_id)]), ([row]) => entries.readBehaviour(row)),
    executions: (command_id) =>
      Effect.map(books.storage.find(entries.instructionKind, command_id), (row) => {
        const known = entries.readInstruction(row)
        return known === undefined ? 0 : countExecutions(known)
      }),
    executionsOf: (resource_id) =>
      Effect.map(listInstructions(books, resource_id), (known) =>
        known.reduce((sum, instruction) => sum + countExecutions(instruction), 0)
      ),
    count: Effect.map(
      books.storage.list({
        kinds: [entries.instructionKind],
        index_keys: [entries.executedIndexKey],
        offset: 0,
        limit: 1
      }),
      ({ total }) => total
    )
  })
}
