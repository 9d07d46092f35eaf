/** What is printed about the use of a command: its help, and one line for each fault of its arguments. */
import { type CliError, type CliOutput, CliOutput as Output } from "effect/cli"
import { Effect } from "effect"
import { findNearest } from "../engine/input/nearest.ts"
import type { Process } from "./process.ts"

const addSuggestion = (line: string, near: string | undefined): string =>
  near === undefined ? line : `${line} Did you mean ${near}?`

const formatUsageFault = (error: CliError.NonShowHelpErrors, names: ReadonlyArray<string>): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return addSuggestion(
        `${error.option} is not an option of ${(error.command ?? ["corridor"]).join(" ")}.`,
        error.suggestions[0] ?? findNearest(error.option, names)
      )
    case "UnknownSubcommand": {
      const path = [...(error.parent ?? []).slice(1), error.subcommand].join(" ")
      return addSuggestion(
        `unknown command ${JSON.stringify(path)}.`,
        error.suggestions[0] ?? findNearest(error.subcommand, names)
      )
    }
    case "MissingOption":
      return `--${error.option} is required.`
    case "MissingArgument":
      return `${error.argument} is required.`
    case "UnexpectedArgument":
      return `unexpected argument ${error.arguments.map((one) => JSON.stringify(one)).join(", ")}.`
    case "InvalidValue": {
      const name = error.kind === "flag" ? `--${error.option}` : error.option
      const takes = error.expected
        .replace(/^Expected:? /, "")
        .replaceAll(" | ", " or ")
        .replaceAll('"', "")
      return error.value === ""
        ? `${name} takes ${takes}; found nothing.`
        : `${name} is ${JSON.stringify(error.value)}; it takes ${takes}.`
    }
    default:
      return error.message.replace(/\.?$/, ".")
  }
}

/** Lists the names that are valid in place of an unknown word or option. */
const listKnownNames = ({ helpDoc }: CliOutput.Presenter.InvalidInvocation): ReadonlyArray<string> => [
  ...(helpDoc.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name)),
  ...[...helpDoc.flags, ...(helpDoc.inheritedFlags ?? []), ...(helpDoc.globalFlags ?? [])].map(
    ({ name }) => `--${name}`
  )
]

/** Wraps a text into lines of at most `width` characters, unless a word is longer. */
const wrapText = (text: string, width: number): string => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1)!
    if (line === "") lines[lines.length - 1] = word
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`
    else lines.push(word)
  }
  return lines.join("\n  ")
}

/** Makes the presenter of the command line: help goes to the standard output, and faults of the arguments to the standard error. */
export const makePresenter = ({ colors, columns, complain, say }: Process["Service"]): CliOutput.Presenter => {
  const formatter = Output.defaultFormatter({ colors })
  return {
    present: (event) =>
      Effect.sync(() => {
        switch (event._tag) {
          case "Help":
            if (event.reason === "Implicit") complain(`${event.commandPath.join(" ")} takes a command.\n`)
            say(
              formatter.formatHelpDoc({
                ...event.helpDoc,
                description: wrapText(event.helpDoc.description, columns - 4)
              })
            )
            return
          case "InvalidInvocation":
            for (const error of event.errors) complain(formatUsageFault(error, listKnownNames(event)))
            complain(`${event.commandPath.join(" ")} --help lists what it takes.`)
            return
          case "Version":
            say(event.version)
        }
      })
  }
}
