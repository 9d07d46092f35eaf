/**
 * One database against two: `npm run bench -- --databases`. The same creations over the same merchants, in alternating
 * rounds, with each database on a server of its own. One process creates them, and everything shares the machine, so
 * that a second database gains only what the first one kept waiting.
 */
import { startPostgres } from "../test/support/stores/postgres-server.ts"
import { compare } from "./measure.ts"
import { createOnDatabases } from "./ours.ts"
import type { Show } from "./results.ts"

const WALLETS = 2_000
const IN_FLIGHT = 128

export const measureDatabases = async (
  fresh: () => Promise<string>,
  show: Show,
  scale: number
): Promise<ReadonlyArray<object>> => {
  const second = await startPostgres({ settings: { shared_buffers: "256MB", max_wal_size: "4GB" } })
  try {
    const url = await second.createDatabase("bench")
    const ours = await createOnDatabases([await fresh(), url], WALLETS, IN_FLIGHT)
    const floor = await createOnDatabases([await fresh()], WALLETS, IN_FLIGHT)
    try {
      const count = Math.ceil(4_000 * scale)
      const { ours: two, floor: one } = await compare({ ours, floor }, { warmup: count, count, rounds: 5 })
      const [two_per_s, one_per_s] = [Math.round(two!.per_s), Math.round(one!.per_s)]
      const line = { name: "databases", one_per_s, two_per_s, ratio: Math.round((100 * two_per_s) / one_per_s) / 100 }
      show(["", "one/s", "two/s", "ratio"])
      show(Object.values(line))
      return [line]
    } finally {
      await ours.close()
      await floor.close()
    }
  } finally {
    await second.stop()
  }
}
