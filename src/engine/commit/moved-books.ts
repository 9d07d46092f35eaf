/** What follows from the money that a Change moves at providers: matching of the lines that wait for it (MATCH-7). */
import { Context, type Effect } from "effect"
import type { Change, JobWrite } from "../ports/Storage.ts"

interface MovedBooks {
  /** The jobs that a Change has with what it moves. None where no line waits for what moves there: it costs no statement then. */
  readonly jobsOf: (change: Change) => Effect.Effect<ReadonlyArray<JobWrite>>
  /** A Change is written: it may have lines that wait. */
  readonly written: (change: Change) => void
}

/** Undefined: nothing follows, as in a test of the write path alone. */
export const MovedBooks = Context.Reference<MovedBooks | undefined>("corridor/engine/MovedBooks", {
  defaultValue: () => undefined
})
