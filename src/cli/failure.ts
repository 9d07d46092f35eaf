/** How a command ends. */
import { Data } from "effect"

/** The exit codes of all commands. `docs/cli.md` prints this table. */
export const exitCodes = {
  0: "the command did what it was asked, and found nothing wrong",
  1: "a check found something, a request was refused, or `serve` or `keys` could not start",
  2: "the command, an option or a value is not one that it takes; nothing was done",
  3: "the server, the store or the configuration cannot be used",
  4: "the act waits for the approval of somebody else, and is not done"
} as const

export type ExitCode = keyof typeof exitCodes

export const readFirstLine = (thrown: unknown): string =>
  (thrown instanceof Error ? thrown.message : String(thrown)).split("\n", 1)[0]!

/** Describes an error of `fetch`: for a lost connection, the reason is in its cause. */
export const describeFetchError = (error: unknown): string => {
  const { cause, message } = error as Error
  return cause instanceof Error && cause.message !== "" ? cause.message : message
}

/** The command cannot go on. Each line is printed to the standard error. */
export class CommandFailure extends Data.TaggedError("CommandFailure")<{
  readonly lines: ReadonlyArray<string>
  readonly exit: Exclude<ExitCode, 0>
  /** Of a server that cannot be used: it has answered, and it failed or is too busy. */
  readonly hasAnswered?: true
}> {}

/** Whether a failure says that the server did not answer at all. */
export const isUnreachable = ({ exit, hasAnswered }: CommandFailure): boolean => exit === 3 && hasAnswered === undefined

export const usageFailure = (...lines: ReadonlyArray<string>): CommandFailure => new CommandFailure({ lines, exit: 2 })

export const runFailure = (...lines: ReadonlyArray<string>): CommandFailure => new CommandFailure({ lines, exit: 3 })

/** What a command that ran to its end has found, without a line of its own. */
export const found = new CommandFailure({ lines: [], exit: 1 })

/** What was asked waits for approval, as the command has said. */
export const waits = new CommandFailure({ lines: [], exit: 4 })
