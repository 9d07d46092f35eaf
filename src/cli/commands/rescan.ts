/** `corridor rescan`: reads blocks of a chain again. */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { Providers } from "../../engine/ports/Provider.ts"
import { CommandFailure, runFailure } from "../failure.ts"
import { ConfigFile, printResult, makeTextFlag, makeIntegerFlag } from "../globals.ts"
import { runWithSettings } from "./reconcile.ts"

const provider = makeTextFlag("provider", "NAME", "The provider of the chain, by its name in the configuration")

const from = makeIntegerFlag("from", 0, 999_999_999).pipe(
  Flag.withMetavar("BLOCK"),
  Flag.withDescription("The first block to read again; on Solana, the slot")
)

export const rescan = Command.make("rescan", { provider, from }, ({ from, provider: name }) =>
  runWithSettings(
    Effect.gen(function* () {
      const { all, byName: named } = yield* Providers
      const found = named(name)
      if (found === undefined)
        return yield* new CommandFailure({
          lines: [`--provider is ${name}; the configuration has ${all.map((one) => one.name).join(", ")}`],
          exit: 1
        })
      if (found.events?.rescan === undefined)
        return yield* new CommandFailure({ lines: [`${name} has no blocks to read again`], exit: 1 })
      const range = yield* Effect.mapError(found.events.rescan(from), ({ message }) =>
        runFailure(`${name}: ${message}`)
      )
      yield* printResult(
        [`${name}: blocks ${range.from} to ${range.to} are read again by the server. What is booked stays as it is.`],
        { provider: name, ...range }
      )
    })
  )
).pipe(
  Command.withGlobalFlags([ConfigFile]),
  Command.withShortDescription("Have blocks of a chain read again, for a deposit that was missed"),
  Command.withDescription(
    "Has the server read final blocks of a chain again, from one on. A deposit that was missed is credited, and no other changes: it may be repeated. It writes to the store that the server uses, which reads the blocks at its next turn."
  ),
  Command.withExamples([{ command: "corridor rescan --config corridor.config.ts --provider base --from 24810000" }])
)
