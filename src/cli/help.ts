/** The help of commands as data, for their page and for completions. */
import { NodeServices } from "../http/node/index.ts"
import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag, type HelpDoc } from "effect/cli"

/** The flags of every command, besides its own. */
export const builtIns = CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] })

export interface Help {
  /** From the root, without its name. */
  readonly path: ReadonlyArray<string>
  readonly doc: HelpDoc.HelpDoc
}

/** Lists the help of a command and of all commands below it, in the order of their declarations. */
export const listHelp = (
  root: Command.Command.Any,
  path: ReadonlyArray<string> = []
): Effect.Effect<ReadonlyArray<Help>> =>
  Effect.gen(function* () {
    // The help of a command, whose handler does not run. `path`: from the root, without its name.
    const doc = yield* Effect.gen(function* () {
      let found: HelpDoc.HelpDoc | undefined
      const presenter = CliOutput.layerPresenter({
        present: (event) => Effect.sync(() => void (found = event._tag === "Help" ? event.helpDoc : undefined))
      })
      const services = Layer.mergeAll(NodeServices.layer, builtIns, presenter)
      yield* Effect.orDie(
        Effect.provide(
          Command.runWith(root as Command.Command<string, never>, { version: "" })([...path, "--help"]),
          services
        )
      )
      return found!
    })
    const names = (doc.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name))
    const below = yield* Effect.forEach(names, (name) => listHelp(root, [...path, name]))
    return [{ path, doc }, ...below.flat()]
  })
