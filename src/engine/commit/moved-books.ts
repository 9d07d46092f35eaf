/** What follows from the money that a Change moves at providers: matching of the lines that wait for it (MATCH-7). */
import { Context, type Effect } from "effect"
import type { Change } from "../ports/Storage.ts"

interface MovedBooks {
  /**
   * Commits a Change with the jobs that it has for what it moves. None where no line waits for what moves there: it costs no statement then.
   * Law: no Change waits for another because of them.
   */
  readonly committed: <A, E>(change: Change, commit: (change: Change) => Effect.Effect<A, E>) => Effect.Effect<A, E>
  /** A Change is written: it may have lines that wait. */
  readonly written: (change: Change) => void
}

/** Undefined: nothing follows, as in a test of the write path alone. */
export const MovedBooks = Context.Reference<MovedBooks | undefined>("corridor/engine/MovedBooks", {
  defaultValue: () => undefined
})
