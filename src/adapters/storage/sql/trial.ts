/** Whether the store takes writes. */
import { Effect } from "effect"
import type { SqlAsk } from "./driver.ts"

/** One row, which is replaced: it proves that the log can be written, and leaves nothing. */
const pingText = `insert into setting (key, value) values ('ready', '1') on conflict (key) do update set value = excluded.value`

/** A write to each table, which is undone (`0005_upkeep.sql`). */
const trialText = "select corridor_trial()"

/**
 * A text of 64 kB that compresses badly, which is undone. On a full disk a row still fits into a page that is there; this one needs
 * pages that are not, as what was undone before holds its own until it is vacuumed.
 */
const roomText = `do $$ begin
  insert into setting (key, value) select 'room', string_agg(md5(random()::text), '') from generate_series(1, 2048);
  raise exception using errcode = 'CWOK0';
exception when sqlstate 'CWOK0' then null;
end $$`

/** `failed`: a commit has failed, which puts the store in doubt. `ping`: see the port. */
export const makeTrial = (ask: SqlAsk) => {
  /** Whether a commit might fail, as far as is known: none was tried yet, or the last one failed. */
  let isDoubtful = true
  const ping = Effect.asVoid(ask(pingText, []))
  const trial = Effect.map(Effect.andThen(ask(roomText, []), ask(trialText, [])), () => void (isDoubtful = false))
  return {
    ping: Effect.suspend(() => (isDoubtful ? Effect.andThen(ping, trial) : ping)),
    failed: (): void => {
      isDoubtful = true
    }
  }
}
