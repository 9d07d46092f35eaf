/** Runs one command line. */
import { NodeServices } from "../http/node/index.ts"
import { Cause, Effect, Exit, Layer } from "effect"
import { CliError, CliOutput, Command } from "effect/cli"
import { version } from "../version.ts"
import { corridor } from "./corridor.ts"
import { CommandFailure, type ExitCode } from "./failure.ts"
import { builtIns } from "./help.ts"
import { Process } from "./process.ts"
import { makePresenter } from "./usage.ts"
import { findMisspeltVariables } from "./variables.ts"

/** Rewrites the arguments: `help COMMAND` becomes `COMMAND --help`, and a line without a command becomes `serve`. */
const normalizeArguments = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (args[0] === "help") return [...args.slice(1), "--help"]
  const isFlag = (one: string): boolean => one.startsWith("-") && one !== "--config"
  const words = args.filter((one, at) => !isFlag(one) && one !== "--config" && args[at - 1] !== "--config")
  const isAsking = args.some((one) => /^(?:-h|--help|-v|--version)$/.test(one))
  return words.length === 0 && !isAsking ? ["serve", ...args] : args
}

/** Runs a command line. Returns the exit code. */
export const run = async (args: ReadonlyArray<string>, process: Process["Service"]): Promise<ExitCode> => {
  const { complain, env, say } = process
  // A configuration file reads variables of any name, and is looked at first.
  const warning = args.some((one) => /^--config(?:=|$)/.test(one)) ? undefined : await findMisspeltVariables(env)
  if (warning !== undefined) complain(warning)
  if (args[0] === "check-provider") {
    const { checkCompany, companyNames } = await import("./companies/check.ts")
    if (companyNames.includes(args[1] ?? "")) return checkCompany(args.slice(1), env, { say, complain })
    const { checkProvider } = await import("../conformance/command.ts")
    return checkProvider(args.slice(1), env, { say, complain })
  }
  const services = Layer.mergeAll(
    NodeServices.layer,
    Layer.succeed(Process, process),
    builtIns,
    CliOutput.layerPresenter(makePresenter(process))
  )
  const exit = await Effect.runPromiseExit(
    Effect.provide(Command.runWith(corridor, { version })(normalizeArguments(args)), services)
  )
  if (Exit.isSuccess(exit)) return 0
  const error = Cause.squash(exit.cause)
  if (error instanceof CommandFailure) {
    error.lines.forEach(complain)
    return error.exit
  }
  if (CliError.isCliError(error)) return 2
  complain(Cause.pretty(exit.cause))
  return 1
}
