/** `corridor reconcile`: what the providers executed against the books, after a restore. */
import { Effect, Layer, Logger, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { copied, isOriginal } from "../../engine/work/upkeep/StoreIdentity.ts"
import { parseInstant } from "../../engine/input/schemas.ts"
import { Storage } from "../../engine/ports/Storage.ts"
import { Executions, unsafe } from "../../engine/resources/movements/executions.ts"
import { Ids } from "../../engine/ports/Ids.ts"
import type { Config } from "../../http/config/config.ts"

import { BankStatements, type TakeStatements } from "../../engine/resources/reconciliation/statement.ts"
import { CommandFailure, found } from "../failure.ts"
import { readFileBytes } from "../files.ts"
import { ConfigFile, pickOptions, makeOptionalTextFlag, printResult, makeSwitch, makeTextFlag } from "../globals.ts"
import { Process } from "../process.ts"
import { explainFailure, readSettings } from "../settings.ts"

const refusals = new Set(["NotFound", "InvalidInput", "InvalidStatus", "Conflict", "ExternalServiceUnavailable"])

/** Runs work in an engine beside the running servers, without a dispatcher. Errors: `CommandFailure` with exit code 1 for a refusal. */
const runInEngine = Effect.fnUntraced(function* <A, E, R>(config: Config, work: Effect.Effect<A, E, R>) {
  const { makeEngineLayer } = yield* Effect.promise(() => import("../../http/serve/composition.ts"))
  const url = config.public_url ?? "http://127.0.0.1"
  const engine = makeEngineLayer(config, url, config.docs_url ?? `${url}/docs`).pipe(Layer.provide(Logger.layer([])))
  const done = yield* Effect.result(Effect.provide(work, engine))
  if (done._tag === "Success") return done.success
  const { failure } = done
  if (refusals.has((failure as { readonly _tag?: string })._tag ?? ""))
    return yield* new CommandFailure({ lines: [(failure as unknown as Error).message], exit: 1 })
  return yield* Effect.fail(failure)
})

/** Reads the settings, and runs work in an engine beside the running servers. Errors: `CommandFailure`. */
export const runWithSettings = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(readSettings({ exit: 3, isServing: true }), (config) =>
    explainFailure(config, 3)(runInEngine(config, work))
  )

const compareBooks = (provider: Option.Option<string>, since: number) =>
  Effect.gen(function* () {
    const executions = yield* Executions
    const names = Option.match(provider, { onNone: () => executions.providers, onSome: (name) => [name] })
    // A provider that does not answer hides nothing of the others.
    const [read, silent] = yield* Effect.partition(names, (name) =>
      Effect.mapError(executions.compare(name, since), (error) => ({ name, error }))
    )
    if (silent.length > 0 && silent.length === names.length) return yield* silent[0]!.error
    const lines = read.flatMap((one) => one.executions)
    const unreadable = read.flatMap((one) => one.unreadable)
    const open = yield* Effect.forEach(
      lines.filter(({ finding }) => unsafe.has(finding)),
      (line) =>
        Effect.map(
          line.finding === "unknown" && line.direction === "debit" ? executions.candidates(line) : Effect.succeed([]),
          (candidates) => ({ ...line, candidates })
        )
    )
    const counts = Object.groupBy([...lines, ...unreadable], ({ finding }) => finding)
    const summary = Object.entries(counts).map(([finding, some]) => `${some.length} ${finding}`)
    const isClear = silent.length === 0 && open.length === 0 && unreadable.length === 0
    yield* printResult(
      [
        ...open.flatMap((one) => [
          [
            one.provider,
            one.id,
            new Date(one.booked_at).toISOString(),
            `${one.direction} ${one.amount} ${one.currency}`,
            one.command_id ?? one.payin_id ?? "",
            one.finding + (one.status === null ? "" : ` (${one.status})`)
          ].join("  "),
          ...one.candidates.map(
            ({ created_at, id, merchant_id, reference }) =>
              `  may be ${id} of ${merchant_id}, ${new Date(created_at).toISOString()}${reference === null ? "" : `, ${reference}`}`
          )
        ]),
        ...unreadable.map(({ line, provider }) => `${provider}  ${JSON.stringify(line)}  unreadable`),
        ...silent.map(({ error, name }) => `${name}: nothing is known of what it executed. ${error.message}`),
        names.length === 0
          ? "No provider reports statements: ask each for a list of what it executed."
          : `${names.join(", ")}: ${lines.length + unreadable.length} lines${summary.length === 0 ? "" : `: ${summary.join(", ")}`}`
      ],
      {
        ok: isClear,
        providers: names,
        silent: silent.map(({ name }) => name),
        lines: lines.length + unreadable.length,
        open,
        unreadable
      }
    )
    return isClear
  })

const compareFile = (input: TakeStatements) =>
  Effect.gen(function* () {
    const { lines, unpaid } = yield* (yield* BankStatements).compare(input)
    // Whether a line of a file is as the books have it.
    const open = lines.filter((one) => !(one.finding === "matched" || one.finding === "under_way"))
    yield* printResult(
      [
        ...open.map((one) =>
          [
            one.provider,
            one.place,
            one.booked_on,
            `${one.direction} ${one.amount} ${one.currency}`,
            one.text,
            [one.finding, ...one.resource_ids].join(" ")
          ].join("  ")
        ),
        ...unpaid.map(
          ({ id, merchant_id, provider, status }) => `${provider}  ${id} of ${merchant_id}  ${status}: no line`
        ),
        `${lines.length} lines that no statement of the copy has: ${open.length} open. ${unpaid.length} payouts without a line.`
      ],
      { ok: open.length === 0, lines: lines.length, open, unpaid }
    )
    return open.length === 0
  })

const note = makeTextFlag("note", "TEXT", "Why, and who decided it: the audit log keeps it")

const adopt = Command.make(
  "adopt",
  {
    provider: makeTextFlag("provider", "NAME", "The provider of the line"),
    note,
    line: Argument.String("line").pipe(Argument.withDescription("The id of the line of the provider's statement")),
    movement: Argument.String("movement").pipe(Argument.withDescription("The id of the movement that it paid"))
  },
  ({ line, movement, note, provider }) =>
    runWithSettings(
      Effect.gen(function* () {
        const executions = yield* Executions
        const request_id = yield* (yield* Ids).make("req")
        const { id, status } = yield* executions.adopt(
          {
            merchant_id: "",
            role: "admin",
            key_id: null,
            operator: { id: null, name: "corridor reconcile", role: "admin" },
            operation: "adoptExecution",
            request_id,
            idempotency: null,
            if_match: null,
            reply: (result) => JSON.stringify(result)
          },
          { provider, line_id: line, movement_id: movement, note }
        )
        yield* printResult([`${id} is ${status}: line ${line} of ${provider} paid it.`], { id, status, line, provider })
      })
    )
).pipe(
  Command.withDescription(
    "Records that a line of a provider's statement paid a movement that waits. The movement succeeds and is never submitted. The amount and the currency must be those of the movement, a pause must cover it, and a line pays one movement."
  ),
  Command.withExamples([
    {
      command:
        'corridor reconcile adopt --provider bank --note "the copy lacks tfr_01…; the merchant repeated it" stl_1042 tfr_01j9z3k4m5n6p7q8r9s0t1v2w3'
    }
  ])
)

const unknowable = "It cannot tell where it is: its copies run jobs, unless they are suspended."

const suspend = Command.make("suspend", {}, () =>
  runWithSettings(
    Effect.gen(function* () {
      yield* (yield* Storage).recordIdentity("suspended")
      yield* printResult(["The store is a copy: its nodes run no jobs until corridor reconcile accept."], {
        suspended: true
      })
    })
  )
).pipe(
  Command.withDescription(
    "Marks the store as a restored copy: its nodes run no jobs until it is accepted. For copies that look like the original: a snapshot of a disk, a base backup that is started without a recovery, a copied PGlite directory. Run it on the copy, before any server."
  ),
  Command.withExamples([{ command: "corridor reconcile suspend" }])
)

/** Says what accepting a store changed. `was` and `recorded`: its recorded identity before and after. */
const describeAcceptance = (was: string | null, recorded: string | null): string => {
  if (recorded === null) return was === null ? unknowable : `The store is accepted, instead of ${was}. ${unknowable}`
  return was === recorded
    ? `${recorded} was accepted before.`
    : `${recorded} is accepted${was === null ? "" : `, instead of ${was}`}.`
}

const accept = Command.make(
  "accept",
  {
    promotable: makeSwitch("promotable").pipe(
      Flag.withDescription("A standby that is promoted later is no copy: its replication is synchronous")
    )
  },
  ({ promotable }) =>
    runWithSettings(
      Effect.gen(function* () {
        const storage = yield* Storage
        const before = yield* storage.identity
        yield* storage.recordIdentity(promotable ? "promotable" : "anew")
        const accepted = yield* storage.identity
        yield* printResult([describeAcceptance(before.recorded, accepted.recorded)], { accepted: [accepted] })
      })
    )
).pipe(
  Command.withDescription(
    "Accepts a restored copy, or a promoted standby, as the store: its dispatchers run jobs from now on. Before that, make sure that the original is stopped for ever, and that corridor reconcile finds nothing."
  ),
  Command.withExamples([{ command: "corridor reconcile accept" }])
)

const since = Flag.String("since").pipe(
  Flag.withMetavar("TIME"),
  Flag.withDescription("From when on, such as 2026-01-31T09:30:00Z: an hour before the backup. Default: everything"),
  Flag.filterMap(
    (text) => Option.fromUndefinedOr(parseInstant(text, false)),
    () => "a date (2026-01-31), or a UTC instant (2026-01-31T09:30:00Z)"
  ),
  Flag.withDefault(0)
)

export const reconcile = Command.make(
  "reconcile",
  {
    provider: makeOptionalTextFlag("provider", "NAME", "One provider. Default: all that report statements"),
    since,
    statement: makeOptionalTextFlag(
      "statement",
      "FILE",
      "A file of the bank, in place of the providers' own statements. Nothing of it is stored"
    ),
    mapping: makeOptionalTextFlag("mapping", "ID", "The statement mapping by which a CSV file is read, stp_…")
  },
  Effect.fnUntraced(function* ({ mapping, provider, since, statement }) {
    const file = Option.isNone(statement) ? undefined : yield* readFileBytes(statement.value)
    const work = Effect.gen(function* () {
      const isClear = yield* file === undefined
        ? compareBooks(provider, since)
        : compareFile({ file, ...pickOptions({ mapping }) })
      const isCopy = !isOriginal(yield* (yield* Storage).identity)
      return { isClear, isCopy }
    })
    const { isClear, isCopy } = yield* runWithSettings(work)
    if (isCopy) (yield* Process).complain(`${copied}.`)
    if (!isClear) return yield* found
  })
).pipe(
  Command.withSubcommands([adopt, accept, suspend]),
  Command.withGlobalFlags([ConfigFile]),
  Command.withShortDescription("Compare what providers executed with the books, after a restore"),
  Command.withDescription(
    "Reads the statements of the providers, and prints the lines that the books contradict or do not have: payments that a restored copy does not know, or would submit again. For each it lists the movements that wait and that it may have paid. A line that is not readable is printed as it came, and hides no other. With --statement it reads a file of the bank instead, as corridor statements import does and without storing it, compares it with the books by the same matching, and also prints the payouts that are open in the copy and that no line is. Exit code 1 if a line is open. See docs/runbooks/backup-and-restore.md."
  ),
  Command.withExamples([
    { command: "corridor reconcile --since 2026-01-31T09:30:00Z" },
    { command: "corridor reconcile --statement 2026-01-31.xml", description: "With the bank's file" }
  ])
)
