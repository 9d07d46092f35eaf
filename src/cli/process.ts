/** What a command knows of the process that it runs in. `main.ts` alone makes it from the real one. */
import { Context, type Effect } from "effect"

export class Process extends Context.Service<
  Process,
  {
    readonly env: Readonly<Record<string, string | undefined>>
    /** The directory that relative paths start from. */
    readonly directory: string
    /** Writes a line to the standard output. */
    readonly say: (line: string) => void
    /** Writes a line to the standard error, after the name of the command. */
    readonly complain: (line: string) => void
    /** All of the standard input, to its end. */
    readonly readInput: Effect.Effect<string>
    /** Replaces the last line of the terminal at the standard error. Absent if it is no terminal. An empty text clears it. */
    readonly status: ((text: string) => void) | undefined
    /** Whether a person reads the standard output as it comes: it is a terminal. */
    readonly isTerminal?: boolean
    /** Whether the standard output takes colours. */
    readonly colors: boolean
    /** Width of the terminal in characters; 100 without one. */
    readonly columns: number
    /**
     * Completes at the first SIGTERM or SIGINT. A second signal, or the end of `graceMs`, ends the process immediately.
     */
    readonly stopped: (graceMs: number) => Effect.Effect<void>
  }
>()("corridor/cli/Process") {}
