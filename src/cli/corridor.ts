/** The `corridor` command and its subcommands. */
import { Command } from "effect/cli"
import { checkProvider } from "./commands/check-provider.ts"
import { completionsOf } from "./commands/completions.ts"
import { keys } from "./commands/keys.ts"
import { migrate } from "./commands/migrate.ts"
import { serve } from "./commands/serve.ts"
import { simulate } from "./commands/simulate.ts"
import { verify } from "./commands/verify.ts"
import { Json } from "./globals.ts"

const completions = completionsOf((): Command.Command.Any => corridor)

export const corridor = Command.make("corridor").pipe(
  Command.withDescription(
    "Cross-border payments on stablecoin rails. Without a command, corridor serves. Exit codes: 0 done, 1 something was found, 2 bad usage, 3 the server or the store cannot be used."
  ),
  Command.withSubcommands([
    { group: "The service", commands: [serve, migrate, keys] },
    { group: "Checks", commands: [verify, checkProvider, simulate] },
    { group: "This command", commands: [completions] }
  ]),
  Command.withGlobalFlags([Json])
)
