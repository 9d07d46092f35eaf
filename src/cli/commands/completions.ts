/** `corridor completions SHELL` */
import { Effect, Option } from "effect"
import { Argument, Command, Completions } from "effect/cli"
import { print } from "../globals.ts"
import { type Help, helpBelow } from "../help.ts"

/** Adds the global flags, which the descriptor of a command leaves out. */
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
  return {
    ...descriptor,
    flags: [...descriptor.flags, ...flags],
    subcommands: descriptor.subcommands.map((one) => withGlobalFlags(one, [...path, one.name], help))
  }
}

/** The library's script says how to install it with a flag that this command does not have. */
const instructions = /^# Installation:\n(?:#.*\n)*/m

/** The script of a shell, for the whole tree of commands, which `root` returns. */
export const completionsOf = (root: () => Command.Command.Any) =>
  Command.make(
    "completions",
    { shell: Argument.Literals("shell", ["bash", "zsh"]).pipe(Argument.withDescription("bash or zsh")) },
    Effect.fnUntraced(function* ({ shell }) {
      const descriptor = withGlobalFlags(Completions.fromCommand(root()), [], yield* helpBelow(root()))
      const script = Completions.generate("corridor", shell, descriptor).replace(instructions, "").trimEnd()
      yield* print([script], { shell, script })
    })
  ).pipe(
    Command.withShortDescription("Print a script that completes commands and options in a shell"),
    Command.withDescription("Prints a script that completes commands and options in a shell."),
    Command.withExamples([
      { command: "source <(corridor completions bash)", description: "In ~/.bashrc" },
      { command: "corridor completions zsh > ~/.zfunc/_corridor", description: "With ~/.zfunc in fpath" }
    ])
  )
