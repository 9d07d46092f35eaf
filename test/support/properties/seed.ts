/**
 * Runs before each test file: what properties draw is drawn by the commit, as turns are. A run of a commit that is red is red again, here
 * and elsewhere, and each commit draws anew. With `CORRIDOR_TEST_TURN=all` each run does.
 */
import { createHash } from "node:crypto"
import fc from "fast-check"
import { turnHere } from "../repository/turns.ts"

/** The seed of a turn. Undefined: each run draws its own. */
export const seedOf = (turn: string): number | undefined =>
  turn === "all" ? undefined : createHash("sha256").update(turn).digest().readInt32BE(0)

const seed = seedOf(turnHere())
if (seed !== undefined) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed })
