/** Whether the store takes writes. */
import { Effect } from "effect"
import type { SqlAsk } from "./driver.ts"

/** One row, which is replaced: it proves that the log can be written, and leaves nothing. */
const pingText = `insert into setting (key, value) values ('ready', '1') on conflict (key) do update set value = excluded.value`

/** A write to each table, which is undone (`0006_upkeep.sql`). */
const trialText = "select corridor_trial()"

/** `failed`: a commit has failed, which puts the store in doubt. `ping`: see the port. */
export const makeTrial = (ask: SqlAsk) => {
  /** Whether a commit might fail, as far as is known: none was tried yet, or the last one failed. */
  let isDoubtful = true
  const ping = Effect.asVoid(ask(pingText, []))
  const trial = Effect.map(ask(trialText, []), () => void (isDoubtful = false))
  return {
    ping: Effect.suspend(() => (isDoubtful ? Effect.andThen(ping, trial) : ping)),
    failed: (): void => {
      isDoubtful = true
    }
  }
}
