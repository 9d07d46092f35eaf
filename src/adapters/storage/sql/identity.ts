/** Where the data of a Postgres database is, to tell a restored copy from the original (RESTORE-1). */
import { Effect } from "effect"
import type { StorageFault } from "../../../engine/ports/errors.ts"
import type { Storage } from "../../../engine/ports/Storage.ts"
import type { SqlAsk, LeaseClock } from "./driver.ts"
import { textOrNull } from "./rows.ts"

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

/**
 * The condition of a claim: the database is where it was recorded. A standby may be promoted, behind the same address, after the
 * identity was last compared. `only`: the table of the search path, also in a statement of a cell (`cells/names.ts`), which has
 * no identity of its own.
 */
export const isHere = ` where coalesce((select s.value in (${identity}, ${ANY}) from only setting s where s.key = 'identity'), true)`

/**
 * Added to the statement of a commit: one more row if the database is where it was recorded, told by the server that commits, in
 * the statement that does.
 */
export const originalRow = ` union all select -1, 'Original', null, null, null, null, null${isHere}`

/** What is recorded of a store whose copies Corridor cannot tell. No database is there. */
const COPY = "copy"

/** Whether a server lacks the functions that tell its identity, or does not let its users call them. */
export const lacksIdentityFunctions = ({ message }: StorageFault): boolean => /^(?:42501|42883|0A000)/.test(message)

const values = { anew: identity, promotable: ANY, first: identity, suspended: `'${COPY}'` } as const

/** Makes the methods that read and record the identity of the database. PGlite cannot tell where it is: a copied directory looks the same. */
export const makeIdentityMethods = (
  ask: SqlAsk,
  clock: LeaseClock
): Pick<Storage["Service"], "identity" | "recordIdentity"> => {
  const isEmbedded = clock === "caller"
  /** Asks for what the server may be unable to tell, or else asks otherwise. */
  const either = (able: string, unable: string) =>
    isEmbedded ? ask(unable, []) : Effect.catchIf(ask(able, []), lacksIdentityFunctions, () => ask(unable, []))
  return {
    identity: Effect.map(
      either(
        `select ${identity} as found, ${recordedIdentity} as recorded`,
        `select null::text as found, ${recordedIdentity} as recorded`
      ),
      ([row]) => ({ found: textOrNull(row!["found"]), recorded: textOrNull(row!["recorded"]) })
    ),
    recordIdentity: (how) => {
      const record = `insert into setting (key, value) select 'identity', ${values[how]} on conflict (key) do update set value = excluded.value`
      if (how === "suspended") return Effect.asVoid(ask(record, []))
      return Effect.asVoid(
        how === "first"
          ? either(`${record} where false`, "select 1 as none")
          : either(record, "delete from setting where key = 'identity'")
      )
    }
  }
}
