/** `corridor completions SHELL` */
import { Effect, Option } from "effect"
import { Argument, Command, Completions } from "effect/cli"
import { printResult } from "../globals.ts"
import { type Help, listHelp } from "../help.ts"
import { listResourceNames } from "../server/resources.ts"

/** Adds the global flags and the names of resources to the descriptor of a command, which leaves them out. */
const withGlobalFlags = (
  descriptor: Completions.CommandDescriptor,
  path: ReadonlyArray<string>,
  help: ReadonlyArray<Help>
): Completions.CommandDescriptor => {
  const doc = help.find((one) => one.path.join(" ") === path.join(" "))?.doc
  const flags = (doc?.globalFlags ?? []).map(
    ({ aliases, description, name, type }): Completions.FlagDescriptor => ({
      name,
      aliases: aliases.map((alias) => alias.replace(/^-+/, "")),
      description: Option.getOrUndefined(description),
      type: type === "boolean" ? { _tag: "Boolean" } : { _tag: "Path", pathType: "file" },
      negation: false
    })
  )
  const [act] = path
  const isOnResource = act === "list" || act === "get" || act === "create"
  return {
    ...descriptor,
    flags: [...descriptor.flags, ...flags],
    arguments: descriptor.arguments.map((one) =>
      path.length === 1 && isOnResource && one.name === "resource"
        ? { ...one, type: { _tag: "Choice", values: listResourceNames(act) } }
        : one
    ),
    subcommands: descriptor.subcommands.map((one) => withGlobalFlags(one, [...path, one.name], help))
  }
}

/** The library's script says how to install it with a flag that this command does not have. */
const instructions = /^# Installation:\n(?:#.*\n)*/m

/** Makes the command that prints a shell's completion script, for the whole tree of commands that `root` returns. */
export const makeCompletionsCommand = (root: () => Command.Command.Any) =>
  Command.make(
    "completions",
    { shell: Argument.Literals("shell", ["bash", "zsh", "fish"]).pipe(Argument.withDescription("bash, zsh or fish")) },
    Effect.fnUntraced(function* ({ shell }) {
      const descriptor = withGlobalFlags(Completions.fromCommand(root()), [], yield* listHelp(root()))
      const script = Completions.generate("corridor", shell, descriptor).replace(instructions, "").trimEnd()
      yield* printResult([script], { shell, script })
    })
  ).pipe(
    Command.withShortDescription("Print a script that completes commands and options in a shell"),
    Command.withDescription("Prints a script that completes commands and options in a shell."),
    Command.withExamples([
      { command: "source <(corridor completions bash)", description: "In ~/.bashrc" },
      { command: "corridor completions zsh > ~/.zfunc/_corridor", description: "With ~/.zfunc in fpath" },
      { command: "corridor completions fish > ~/.config/fish/completions/corridor.fish" }
    ])
  )
