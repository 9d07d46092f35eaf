/**
 * What providers executed, compared with the books. After a restore, a provider can have executed what the copy does not know
 * (RESTORE-2), and a person says which movement it was (RESTORE-3).
 *
 * What the lines under one command are together is decided by the matching of every statement (`matchedOnce`). Three things are decided
 * here, because the question is another one. Matching asks what a line is in books that are whole, of an account that has been opened; this
 * asks, before any job runs, whether a provider did what a copy would do again, of every provider and without an account. So a movement that
 * waits and was never submitted is `not_submitted` (matching: `contradicts_status`, of a file as well); a line that a person has
 * adopted is its movement by the key that was taken for it, since the line names a command that the copy never had; and a pay-in is known by
 * the key under which its reports are taken, whether or not it is credited, since a report that comes again credits it once.
 */
import { Clock, Context, Effect, Layer } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { world } from "../../../machines/kernel/ledger.ts"
import { matchLines, type OpenLine } from "../../../machines/kernel/matching.ts"
import { commandName } from "../../../machines/kernel/payout.ts"
import { ActiveBrakes, isBraked, toBrakedWork } from "../../calls/ActiveBrakes.ts"
import { readAllRows } from "../../calls/reads.ts"
import { awaitAnswer } from "../../calls/provider-call.ts"
import type { Call } from "../../commit/call.ts"
import { type KeyScope, addLookupKey, addNote } from "../../commit/changeset.ts"
import { isSubmitted, type Kind, Kinds } from "../../commit/kind.ts"
import { listReports, makeReport, addReportedOutcome } from "../../commit/reported-outcomes.ts"
import { jobId } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { toMinorOrNull } from "../../input/amounts.ts"
import { InvalidStatus, invalid, NotFound } from "../../ports/errors.ts"
import { type Provider, providerOf, Providers, type StatementLine, type StatementPage } from "../../ports/Provider.ts"
import { type Json, type Row, Storage } from "../../ports/Storage.ts"
import { isCurrencyCode } from "../../reference/currencies.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { payinScope } from "../deposits/payin-record.ts"
import { readMovements, describeResource, readRowsById } from "../reconciliation/books.ts"

/** The movement that a line was adopted for. Each line pays one movement, permanently. */
const executionScope: KeyScope = { name: "execution", taken: "decide_again" }

/**
 * What the books have of a line.
 *
 * - `matchLines`: its outcome. `under_way`: the command was submitted, and has no outcome yet.
 * - `not_submitted`: the movement, which is to be submitted, though the provider has executed it.
 * - `another_provider`: the movement, with another provider.
 * - `contradicted`: that the movement failed, and its customer has the money.
 * - `executed_twice`: one payment of the several lines under its command. `amount_differs`: another amount.
 * - `unknown`: nothing. The command or the pay-in is not in the books.
 * - `unreadable`: unknown what, since the line is not readable.
 * - `unrelated`: the line names neither a command nor a pay-in, or moves no money.
 */
export const findings = [
  "matched",
  "under_way",
  "not_submitted",
  "another_provider",
  "contradicted",
  "executed_twice",
  "amount_differs",
  "unknown",
  "unreadable",
  "unrelated"
] as const
type Finding = (typeof findings)[number]

/** Findings that must be cleared before anything is paid again. */
export const unsafe: ReadonlySet<Finding> = new Set([
  "not_submitted",
  "another_provider",
  "contradicted",
  "executed_twice",
  "amount_differs",
  "unknown",
  "unreadable"
])

/** A line of a provider's statement, and what the books have of it. */
interface StatementExecution extends StatementLine {
  readonly provider: string
  readonly finding: Exclude<Finding, "unreadable">
  readonly resource_id: string | null
  readonly merchant_id: string | null
  readonly status: string | null
}

/** A line that is not readable: it may be anything. `line`: as the provider sent it. */
interface Unreadable {
  readonly provider: string
  readonly finding: "unreadable"
  readonly line: Json
}

/** A movement that may be what an execution was: it waits, and has not been submitted. */
interface AdoptionCandidate {
  readonly id: string
  readonly merchant_id: string
  readonly reference: string | null
  readonly created_at: number
}

interface Compared {
  readonly executions: ReadonlyArray<StatementExecution>
  readonly unreadable: ReadonlyArray<Unreadable>
}

interface Adoption {
  readonly provider: string
  readonly line_id: string
  readonly movement_id: string
  readonly note: string
}

/** The pages of a statement that are read for one provider. A statement that is longer is an error, not an empty rest. */
const pagesMax = 10_000
/** The most pages with nothing one after another: a provider's cursor may always move. */
const emptyMax = 100

export const countAttempts = ({ data }: Row): number => (data as { readonly attempts?: number }).attempts ?? 0

/** Lists the statuses of a kind's rows that have not ended. */
export const openStatuses = ({ lifecycle, status = (state) => state }: Kind): ReadonlyArray<string> => {
  const open = [...lifecycle.machines].flatMap(([version, { states }]) =>
    Object.keys(states).filter((state) => !lifecycle.hasEnded(state, version))
  )
  return [...new Set(open.map((state) => status(state, {})))]
}

const lineKey = (provider: string, line_id: string): string => `${provider}/${line_id}`

const makeDeps = Effect.all({
  storage: Storage,
  kinds: Kinds,
  providers: Providers,
  brakes: ActiveBrakes,
  unitOfWork: UnitOfWork
})
type Deps = Effect.Success<typeof makeDeps>

/** Returns the statements that a provider reports. Errors: `NotFound`; `InvalidInput` when it reports none. */
const readProviderStatements = Effect.fnUntraced(function* ({ providers }: Deps, name: string) {
  const provider = providers.byName(name)
  if (provider === undefined) return yield* new NotFound({ message: `There is no provider ${JSON.stringify(name)}.` })
  return provider.statements ?? (yield* invalid("provider", `The provider ${name} reports no statements.`))
})

/** Calls `use` with each page of a statement, until it returns true. */
const findPage = Effect.fnUntraced(function* <E, R>(
  deps: Deps,
  name: string,
  use: (page: StatementPage) => Effect.Effect<boolean, E, R>
) {
  const statements = yield* readProviderStatements(deps, name)
  let after: string | null = null
  let empty = 0
  for (let page = 0; page < pagesMax; page++) {
    const read: StatementPage = yield* awaitAnswer("its statement", { name }, statements.lines(after))
    const { cursor, lines, unreadable = [] } = read
    empty = lines.length + unreadable.length > 0 ? 0 : empty + 1
    if ((yield* use(read)) || empty === emptyMax || cursor === null || cursor === after) return
    after = cursor
  }
  return yield* invalid("provider", `The statement of ${name} has more than ${pagesMax} pages.`)
})

/** Compares a line with the movement that it names. */
const classifyExecution = (
  { kinds }: Deps,
  provider: string,
  line: StatementLine,
  row: Row
): StatementExecution["finding"] => {
  const kind = kinds.byName.get(row.kind) as Kind
  if (!isSubmitted(kind) || line.command_id !== jobId(row.id, commandName)) return "matched"
  if ((providerOf(row) ?? provider) !== provider) return "another_provider"
  if (!kind.lifecycle.hasEnded(row.state, row.machine) && row.status !== "success")
    return countAttempts(row) === 0 ? "not_submitted" : "under_way"
  const came = listReports(row).some(({ outcome }) => outcome === "returned" || outcome === "reversed")
  return row.status === "success" || came || line.direction === "credit" ? "matched" : "contradicted"
}

const findExecution = Effect.fnUntraced(function* (deps: Deps, provider: string, line: StatementLine) {
  const { storage, kinds } = deps
  const { command_id, id, payin_id } = line
  const shown = (
    finding: StatementExecution["finding"],
    row?: Pick<Row, "id" | "merchant_id" | "status">
  ): StatementExecution => ({
    ...line,
    provider,
    finding,
    resource_id: row?.id ?? null,
    merchant_id: row?.merchant_id ?? null,
    status: row?.status ?? null
  })
  if (!/[1-9]/.test(line.amount)) return shown("unrelated")
  if (command_id !== null) {
    const adopted = yield* storage.lookup(executionScope.name, lineKey(provider, id))
    if (adopted !== undefined) {
      const [row] = yield* storage.get([adopted])
      if (row?.status === "success") return shown("matched", row)
      // Its adoption was interrupted (RESTORE-6).
      const hasEnded = row !== undefined && kinds.byName.get(row.kind)?.lifecycle.hasEnded(row.state, row.machine)
      return shown(hasEnded === true ? "contradicted" : "not_submitted", row)
    }
    const resource_id = command_id.split(".")[0] ?? command_id
    const kind = kinds.ofId(resource_id)
    const row = kind === undefined ? undefined : yield* storage.find(kind.kind, resource_id)
    return row === undefined ? shown("unknown") : shown(classifyExecution(deps, provider, line, row), row)
  }
  if (payin_id === null) return shown("unrelated")
  const key = lineKey(provider, payin_id)
  for (const name of ["arrival", "detection"] as const) {
    const holder = yield* storage.lookup(payinScope(name).name, key)
    if (holder === undefined) continue
    const [row] = yield* storage.get([holder])
    return shown("matched", row)
  }
  return shown("unknown")
})

/** Whether a movement pays exactly the amount of a line. */
const isDue = (
  { kinds }: Deps,
  row: Row,
  { amount, currency }: Pick<StatementLine, "amount" | "currency">
): boolean => {
  const due = kinds.byName.get(row.kind)?.payout?.(row, "")
  if (due === undefined || due.currency !== currency) return false
  return toMinorOrNull({ amount: due.amount, currency }) === toMinorOrNull({ amount, currency })
}

/** Finds a line of a provider's statement by its id. */
const findLine = Effect.fnUntraced(function* (deps: Deps, provider: string, line_id: string) {
  let line: StatementLine | undefined
  yield* findPage(deps, provider, ({ lines }) =>
    Effect.sync(() => {
      line ??= lines.find(({ id }) => id === line_id)
      return line !== undefined
    })
  )
  return (
    line ?? (yield* new NotFound({ message: `The statement of ${provider} has no line ${JSON.stringify(line_id)}.` }))
  )
})

/**
 * Compares several lines under one command, as the matching of statements does: the command is paid once, with its amount (MATCH-6). Only
 * these lines are compared, not earlier ones of the books.
 */
const matchEachOnce = Effect.fnUntraced(function* (
  deps: Deps,
  provider: string,
  executions: ReadonlyArray<StatementExecution>
) {
  const submitted = executions.filter(
    ({ command_id, direction, finding, resource_id }) =>
      direction === "debit" &&
      (finding === "matched" || finding === "under_way") &&
      resource_id !== null &&
      command_id === jobId(resource_id, commandName)
  )
  const wrong = new Map<StatementExecution, StatementExecution["finding"]>()
  for (const [currency, some] of Map.groupBy(submitted, (one) => one.currency)) {
    if (!isCurrencyCode(currency)) continue
    const account = { account: world(provider), currency, time_zone: "UTC" }
    const named = yield* readRowsById(
      deps,
      some.map(({ merchant_id, resource_id }) => {
        const id = resource_id!
        return { merchant_id: merchant_id!, kind: deps.kinds.ofId(id)!.kind, id }
      })
    )
    const rows = [...named.values()]
    const movements = (yield* readMovements(deps, account, rows)).map((one) => ({ ...one, open: true }))
    const lines = some.flatMap(({ amount, direction, resource_id }, nth): ReadonlyArray<OpenLine> => {
      const minor = toMinorOrNull({ amount, currency })
      const names = [{ resource_id: resource_id!, by: "command_id" as const }]
      return minor === null ? [] : [{ id: String(nth), direction, amount: BigInt(minor), day: "", names }]
    })
    const resources = rows.map((row) => describeResource(deps, account, row))
    for (const one of matchLines(lines, { movements, resources, wholeDays: new Set() })) {
      const { kind, severity } = "difference" in one ? one.difference : {}
      if (severity === "high" && (kind === "executed_twice" || kind === "amount_differs"))
        wrong.set(some[Number(one.line_id)]!, kind)
    }
  }
  return executions.map((one) => ({ ...one, finding: wrong.get(one) ?? one.finding }))
})

/**
 * Compares the lines of a provider's statement from `since` (epoch milliseconds) on with the books, oldest first, and lists those that are
 * not readable, whatever their time. Errors: `NotFound`; `InvalidInput` when it reports none; `ExternalServiceUnavailable` when it does not
 * respond.
 */
const compareStatement = Effect.fnUntraced(function* (deps: Deps, given: string, since: number) {
  const { providers } = deps
  const name = providers.keyOf(given)
  const executions: Array<StatementExecution> = []
  const rest: Array<Unreadable> = []
  yield* findPage(deps, name, ({ lines, unreadable = [] }) =>
    Effect.gen(function* () {
      for (const line of lines) if (line.booked_at >= since) executions.push(yield* findExecution(deps, name, line))
      for (const line of unreadable) rest.push({ provider: name, finding: "unreadable", line })
      return false
    })
  )
  const compared: Compared = { executions: yield* matchEachOnce(deps, name, executions), unreadable: rest }
  return compared
})

/** Lists the waiting movements that an execution may have paid: at its provider, with its amount. Newest first. */
const listCandidates = Effect.fnUntraced(function* (deps: Deps, execution: StatementExecution) {
  const { kinds, storage } = deps
  const isCandidate = (row: Row): boolean =>
    countAttempts(row) === 0 &&
    !kinds.byName.get(row.kind)?.lifecycle.hasEnded(row.state, row.machine) &&
    (providerOf(row) ?? execution.provider) === execution.provider &&
    isDue(deps, row, execution)
  const waiting = [...kinds.byName.values()].flatMap((kind) =>
    kind.payout === undefined ? [] : openStatuses(kind).map((status) => ({ kind: kind.kind, status }))
  )
  const rows = yield* Effect.forEach(waiting, ({ kind, status }) =>
    readAllRows(storage, { kinds: [kind], index_keys: [`status=${status}`] }, isCandidate)
  )
  return rows
    .flat()
    .toSorted((a, b) => b.created_at - a.created_at)
    .map(({ created_at, data, id, merchant_id }): AdoptionCandidate => {
      const { reference = null } = data as { readonly reference?: string | null }
      return { id, merchant_id, reference, created_at }
    })
})

/**
 * Operator: decides that a movement which has not been submitted is what the provider executed, as a line of its statement. The movement
 * succeeds, and is never submitted.
 *
 * A crash between the two commits leaves a movement without a job: nothing submits it, and nothing asks the provider, which does not know
 * its command (RESTORE-6). Repeat the call: it goes on.
 *
 * Errors: `NotFound` for the line and the movement; `InvalidInput` when the line is no debit of exactly what the movement pays, or names a
 * command of another movement that is in the books; `InvalidStatus` when no pause covers the movement, so that it may be submitted
 * meanwhile, when it was submitted, or when the line paid another movement.
 */
const adoptExecution = Effect.fnUntraced(function* (
  deps: Deps,
  call: Call,
  { line_id, movement_id, note, provider: given }: Adoption
) {
  const { providers, kinds, storage, brakes, unitOfWork } = deps
  const provider = providers.keyOf(given)
  const line = yield* findLine(deps, provider, line_id)
  const kind = kinds.ofId(movement_id)
  const before = kind?.payout === undefined ? undefined : yield* storage.find(kind.kind, movement_id)
  if (kind === undefined || before === undefined)
    return yield* new NotFound({ message: `There is no movement ${JSON.stringify(movement_id)}.` })
  const { merchant_id } = before
  if (line.direction !== "debit" || !isDue(deps, before, line))
    return yield* invalid(
      "line_id",
      `Line ${line_id} is a ${line.direction} of ${line.amount} ${line.currency}, which is not what ${movement_id} pays.`
    )
  if ((providerOf(before) ?? provider) !== provider)
    return yield* invalid("provider", `${movement_id} is with ${providerOf(before)}, and the line is of ${provider}.`)
  const { finding, resource_id } = yield* findExecution(deps, provider, line)
  if (finding !== "unknown" && resource_id !== movement_id)
    return yield* new InvalidStatus({ message: `Line ${line_id} belongs to ${resource_id ?? "no command"}.` })
  if (!(yield* brakes.refreshed).some((brake) => isBraked(brake, toBrakedWork(before, provider))))
    return yield* new InvalidStatus({
      message: `No pause covers ${movement_id}, so it may be submitted meanwhile. Create a pause first.`
    })

  const key = lineKey(provider, line_id)
  const isOurs = Effect.map(storage.lookup(executionScope.name, key), (owner) => owner?.id === movement_id)
  yield* unitOfWork.apply(
    merchant_id,
    { deduplicationKey: `execution/${key}/${movement_id}`, deduplication_ms: keyLifetime },
    function* () {
      const at = yield* Clock.currentTimeMillis
      const row = yield* unitOfWork.load(kind, merchant_id, movement_id)
      if (yield* isOurs) return { changes: [], result: undefined }
      const owner = yield* storage.lookup(executionScope.name, key)
      const next =
        owner === undefined && countAttempts(row) === 0
          ? yield* unitOfWork.step(kind, row, { type: "payout.begun", at }, at)
          : undefined
      if (next?.row.state !== "submitting")
        return yield* new InvalidStatus({
          message:
            owner === undefined
              ? `${movement_id} is ${row.status} and ${countAttempts(row) === 0 ? "cannot be paid" : "was submitted"}.`
              : `Line ${line_id} paid ${owner.id}.`
        })
      const taken = addLookupKey(executionScope, { key, kind: kind.kind, id: movement_id })
      const command_id = jobId(movement_id, commandName)
      const jobs = next.changes.jobs?.filter(({ id }) => id !== command_id) ?? []
      return { changes: [{ ...next.changes, jobs }, { cancels: [command_id] }, taken], result: undefined }
    }
  )
  return yield* unitOfWork.write({ ...call, merchant_id, subject: movement_id, note }, function* () {
    const at = yield* Clock.currentTimeMillis
    const row = yield* unitOfWork.load(kind, merchant_id, movement_id)
    const { amount, currency, provider_reference, transaction_hash } = line
    const figures = { amount: toMinorOrNull({ amount, currency })! }
    const succeeded = { type: "provider.succeeded", at, transaction_hash, ...figures }
    const next = yield* unitOfWork.step(kind, row, succeeded, at)
    if (next === undefined) return yield* new InvalidStatus({ message: `${movement_id} is ${row.status} already.` })
    const report = makeReport({ outcome: "success", amount, currency, provider_reference, transaction_hash })
    const command_id = line.command_id ?? jobId(movement_id, commandName)
    const changes = addReportedOutcome(next.changes, kind, movement_id, { ...report, at, provider, command_id })
    const { id, status } = next.row
    return { changes: addNote([changes], row, note), result: { id, merchant_id, status } }
  })
})

export class Executions extends Context.Service<Executions>()("corridor/engine/Executions", {
  make: Effect.gen(function* () {
    const deps = yield* makeDeps
    const { providers } = deps

    return {
      ...bindFirst(deps, { compare: compareStatement, candidates: listCandidates, adopt: adoptExecution }),
      /** The providers that report statements. */
      get providers(): ReadonlyArray<string> {
        return providers.all.flatMap(({ name, statements }: Provider["Service"]) =>
          statements === undefined ? [] : [name]
        )
      }
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
