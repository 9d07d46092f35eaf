/** `corridor simulate` */
import { availableParallelism } from "node:os"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { found, usageFailure } from "../failure.ts"
import { makeSwitch, PrintJson, makeIntegerFlag } from "../globals.ts"
import { Process } from "../process.ts"
import { drawProgress } from "../progress.ts"

const isAnyGiven = (options: ReadonlyArray<Option.Option<unknown>>): boolean =>
  options.some((one) => Option.isSome(one))

const makeSeedOption = (name: string) => makeIntegerFlag(name, 0, 999_999_999)

const makeNumbersOption = (name: string) =>
  Flag.String(name).pipe(
    Flag.withMetavar("NUMBERS"),
    Flag.map((text) => text.split(",")),
    Flag.filter(
      (parts) => parts.every((part) => part.length > 0),
      () => "a list with commas between its members"
    )
  )

const options = {
  seeds: makeIntegerFlag("seeds", 1, 1_000_000).pipe(
    Flag.withDescription("How many seeds to run; default 200"),
    Flag.optional
  ),
  from: makeSeedOption("from").pipe(Flag.withDescription("The first seed; default 1"), Flag.optional),
  workers: makeIntegerFlag("workers", 1, 256).pipe(
    Flag.withDescription("Processes to run them in; default: one for each core"),
    Flag.optional
  ),
  coverage: makeSwitch("coverage").pipe(
    Flag.withDescription("Print every transition, report and result that was visited, and what is missing")
  ),
  seed: makeSeedOption("seed").pipe(Flag.withDescription("Run one seed, and print its log"), Flag.optional),
  quiet: makeSwitch("quiet").pipe(Flag.withDescription("With --seed: print the result only")),
  keep: makeNumbersOption("keep").pipe(Flag.withDescription("With --seed: only these operations"), Flag.optional),
  without: makeNumbersOption("without").pipe(Flag.withDescription("With --seed: without these faults"), Flag.optional),
  always: makeNumbersOption("always").pipe(
    Flag.withDescription("With --seed: with these faults always"),
    Flag.optional
  ),
  salt: makeSeedOption("salt").pipe(
    Flag.withDescription("With --seed: another order of what is concurrent"),
    Flag.optional
  )
}

export const simulate = Command.make(
  "simulate",
  options,
  Effect.fnUntraced(function* ({ always, coverage, from, keep, quiet, salt, seed, seeds, without, workers }) {
    const { say, status } = yield* Process
    const isJson = yield* PrintJson
    const one = Option.getOrUndefined(seed)
    const isMany = coverage || isAnyGiven([seeds, from, workers])
    const isOne = quiet || isAnyGiven([keep, without, always, salt])
    if (one !== undefined && isMany)
      return yield* usageFailure("--seed runs one seed; --seeds, --from, --workers and --coverage are about several.")
    if (one === undefined && isOne)
      return yield* usageFailure(
        "--quiet, --keep, --without, --always and --salt are about one seed: --seed is required."
      )
    const kept = Option.getOrUndefined(keep)
    const numbers = kept?.map(Number)
    if (numbers?.some((n) => !Number.isSafeInteger(n) || n < 0) === true)
      return yield* usageFailure(`--keep is ${JSON.stringify(kept?.join())}; it takes the numbers of operations.`)
    const { simulateMany, simulateOne } = yield* Effect.promise(() => import("../simulation/report.ts"))
    const count = Option.getOrElse(seeds, () => 200)
    const bar = one === undefined ? yield* drawProgress() : undefined
    const isClean = yield* Effect.promise(() =>
      one === undefined
        ? simulateMany({
            seeds: count,
            from: Option.getOrElse(from, () => 1),
            workers: Option.getOrElse(workers, availableParallelism),
            isJson,
            isCovered: coverage,
            progress: (done, failed) => bar?.progress(done / count, `${done} of ${count} seeds, ${failed} failed`),
            command: "corridor simulate",
            say: (line) => {
              status?.("")
              say(line)
            }
          })
        : simulateOne({
            seed: one,
            keep: numbers,
            without: Option.getOrElse(without, () => []),
            always: Option.getOrElse(always, () => []),
            salt: Option.getOrElse(salt, () => 0),
            isQuiet: quiet,
            isJson,
            say
          })
    ).pipe(Effect.ensuring(bar?.end ?? Effect.void))
    if (!isClean) return yield* found
  })
).pipe(
  Command.withShortDescription("Run simulated months of traffic and faults, and check every invariant"),
  Command.withDescription(
    "Runs the simulation of corridor/testing: one program of operations and faults for each seed, on the memory store and the simulated provider, with every invariant checked. Equal seeds give equal simulations. A failing seed is shrunk, and its command is printed."
  ),
  Command.withExamples([
    { command: "corridor simulate --seeds 1000", description: "1,000 seeds, on all cores" },
    { command: "corridor simulate --seed 7", description: "One simulation, line by line" }
  ])
)
