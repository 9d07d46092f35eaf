/** Where the data of a Postgres database is, to tell a restored copy from the original (RESTORE-1). */
import { Effect } from "effect"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import type { LeaseClock } from "./driver.ts"
import type { Ask } from "./histories.ts"
import { text } from "./rows.ts"

/**
 * The cluster, the database in it, and the timeline of its log. The name of the log's file has the timeline at once after a
 * promotion; the control file has it after the next checkpoint.
 */
export const identity = `(select s.system_identifier || '/' || d.oid || '/' ||
  ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int
  from pg_control_system() s, pg_database d where d.datname = current_database())`

/** What was recorded of it, or null. */
export const recordedIdentity = "(select value from setting where key = 'identity')"

/** Any timeline: the identity of a database with standbys that lose no commit. */
const ANY = `regexp_replace(${identity}, '[0-9]+$', '*')`

/** A server that lacks these functions, or does not let its users call them, has no identity. */
const orNone = <A>(
  asked: Effect.Effect<ReadonlyArray<A>, StorageFault>
): Effect.Effect<ReadonlyArray<A>, StorageFault> =>
  Effect.catchIf(
    asked,
    ({ message }) => /^(?:42501|42883|0A000)/.test(message),
    () => Effect.succeed([])
  )

/** PGlite has none: a directory is the same wherever it is copied to. */
export const identityOf = (
  ask: Ask,
  clock: LeaseClock
): Pick<Storage["Service"], "identities" | "recordIdentities"> => ({
  identities:
    clock === "caller"
      ? Effect.succeed([])
      : Effect.map(orNone(ask(`select ${identity} as found, ${recordedIdentity} as recorded`, [])), (rows) =>
          rows.map(({ found, recorded }) => ({
            found: text(found),
            recorded: recorded === null ? null : text(recorded)
          }))
        ),
  recordIdentities: (how) =>
    clock === "caller"
      ? Effect.void
      : Effect.asVoid(
          orNone(
            ask(
              `insert into setting (key, value)
               select 'identity', case when $1::text = 'promotable' then ${ANY} else ${identity} end
               on conflict (key) do update set value = excluded.value where $1::text <> 'first'`,
              [how]
            )
          )
        )
})
