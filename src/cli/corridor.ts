/** The `corridor` command and its subcommands. */
import { Command } from "effect/cli"
import { batch } from "./commands/batch.ts"
import { breaks } from "./commands/breaks.ts"
import { checkProvider } from "./commands/check-provider.ts"
import { close } from "./commands/close.ts"
import { create } from "./commands/create.ts"
import { makeCompletionsCommand } from "./commands/completions.ts"
import { doctor } from "./commands/doctor.ts"
import { events } from "./commands/events.ts"
import { explain } from "./commands/explain.ts"
import { get } from "./commands/get.ts"
import { keys } from "./commands/keys.ts"
import { list } from "./commands/list.ts"
import { listen } from "./commands/listen.ts"
import { login, logout, profiles } from "./commands/login.ts"
import { migrate } from "./commands/migrate.ts"
import { operators } from "./commands/operators.ts"
import { reconcile } from "./commands/reconcile.ts"
import { rescan } from "./commands/rescan.ts"
import { search } from "./commands/search.ts"
import { serve } from "./commands/serve.ts"
import { simulate } from "./commands/simulate.ts"
import { statements } from "./commands/statements.ts"
import { trigger } from "./commands/trigger.ts"
import { upgrade } from "./commands/upgrade.ts"
import { verify } from "./commands/verify.ts"
import { webhooks } from "./commands/webhooks.ts"
import { PrintJson } from "./globals.ts"

const completions = makeCompletionsCommand((): Command.Command.Any => corridor)

export const corridor = Command.make("corridor").pipe(
  Command.withDescription(
    "Cross-border payments on stablecoin rails. Without a command, corridor serves. Exit codes: 0 done, 1 something was found, 2 bad usage, 3 the server or the store cannot be used."
  ),
  Command.withSubcommands([
    { group: "The service", commands: [serve, migrate, upgrade, keys, reconcile, rescan, doctor] },
    { group: "A running server, as an operator", commands: [explain, search, operators] },
    { group: "A running server, as a merchant or an operator", commands: [list, get, create, webhooks] },
    { group: "A running server, as a treasurer", commands: [statements, breaks, close] },
    { group: "A running server, as a merchant", commands: [batch] },
    { group: "A running server, as a merchant's developer", commands: [listen, trigger, events] },
    { group: "Checks", commands: [verify, checkProvider, simulate] },
    { group: "This command", commands: [login, logout, profiles, completions] }
  ]),
  Command.withGlobalFlags([PrintJson])
)
