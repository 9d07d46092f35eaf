import { Effect } from "effect"
import type { Call } from "./Call.ts"
import { Conflict } from "./errors.ts"
import type { Row } from "./Storage.ts"

/** Refuses a change of a resource whose version is not the one the caller read (decisions 2.15). Checked with the state. */
export const ifMatch = (call: Call, row: Pick<Row, "version">): Effect.Effect<void, Conflict> =>
  call.if_match === null || call.if_match === String(row.version)
    ? Effect.void
    : Effect.fail(
        new Conflict({ message: `The resource is at version ${row.version}, not at ${call.if_match} as If-Match names. Read it again.` })
      )
