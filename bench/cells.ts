/**
 * One schema against eight cells: `npm run bench -- --cells`. The same creations over the same merchants, in alternating
 * rounds: in one schema, in eight cells of one Postgres, and, where the machine has Citus, in eight cells of a coordinator with
 * two workers. One process creates them. Everything shares the machine, so that more servers gain nothing here: the figures
 * say what cells cost.
 */
import { citusBin, citusDatabase, noCitus, startCitus } from "../test/support/stores/citus.ts"
import { compare } from "./measure.ts"
import { createInCells, createOnPostgres } from "./ours.ts"
import type { Show } from "./results.ts"

const CELLS = 8
const WALLETS = 2_000
const IN_FLIGHT = 128
const settings = { shared_buffers: "256MB", max_wal_size: "4GB" }

export const measureCells = async (
  fresh: () => Promise<string>,
  show: Show,
  scale: number
): Promise<ReadonlyArray<object>> => {
  const bin = citusBin()
  const citus = bin === undefined ? undefined : await startCitus(bin, settings)
  if (citus === undefined) show([noCitus])
  try {
    const count = Math.ceil(4_000 * scale)
    const one = await createOnPostgres(await fresh(), WALLETS, IN_FLIGHT)
    const lines: Array<object> = []
    show(["", "one schema/s", "cells/s", "ratio", "p50 ms", "p99 ms"])
    const measured = async (name: string, url: string, many: number): Promise<void> => {
      const cells = await createInCells(url, CELLS, WALLETS, IN_FLIGHT)
      try {
        const { floor, ours } = await compare({ ours: cells, floor: one }, { warmup: many, count: many, rounds: 5 })
        const [cells_per_s, one_per_s] = [Math.round(ours!.per_s), Math.round(floor!.per_s)]
        const [p50_ms, p99_ms] = [Math.round(ours!.p50_ms), Math.round(ours!.p99_ms)]
        const ratio = Math.round((100 * cells_per_s) / one_per_s) / 100
        const line = { name, one_per_s, cells_per_s, ratio, p50_ms, p99_ms }
        lines.push(line)
        show(Object.values(line))
      } finally {
        await cells.close()
      }
    }
    try {
      await measured(`${CELLS} cells, one Postgres`, await fresh(), count)
      if (citus !== undefined) {
        const servers = [citus.coordinator, ...citus.workers].map(({ url }) => url)
        await measured(`${CELLS} cells, Citus with two workers`, await citusDatabase(servers), Math.ceil(count / 4))
      }
    } finally {
      await one.close()
    }
    return lines
  } finally {
    await citus?.stop()
  }
}
