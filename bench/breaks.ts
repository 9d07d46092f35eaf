/** Ten thousand open breaks: their pages in both orders, a page by a filter that no index has, and all of them as a file. */
import { Effect } from "effect"
import { Breaks } from "../src/engine/resources/reconciliation/break.ts"
import { Matchings } from "../src/engine/resources/reconciliation/matching.ts"
import { BreakFiles } from "../src/engine/work/reconciliation/break-files.ts"
import { accountOf, store } from "./matching.ts"
import * as ours from "./ours.ts"
import type { Show } from "./results.ts"

const BREAKS = 10_000
const ROUNDS = 5

const paid = (n: number) => ({ id: `tfr_${n}`, amount: `${n + 1}000000`, currency: "USDC", day: "2026-01-05" })

export const measureBreaks = async (
  fresh: () => Promise<string>,
  show: Show,
  scale: number
): Promise<ReadonlyArray<object>> => {
  const opened = await ours.openOnPostgres(await fresh())
  const count = Math.ceil(BREAKS * scale)
  try {
    const account = await opened.run(accountOf("simulated"))
    await opened.run(
      store(
        account.id,
        Array.from({ length: count }, (_, n) => paid(n))
      )
    )
    await opened.run(Effect.flatMap(Matchings, (matchings) => matchings.match(account.id, false)))
    const page = (query: object) => Effect.flatMap(Breaks, (breaks) => breaks.list({ status: "open", ...query }))
    const file = Effect.flatMap(BreakFiles, (files) => files.list({ status: "open", format: "csv" }))
    const measured = async (name: string, read: Parameters<typeof opened.run>[0]) => {
      const times: Array<number> = []
      for (let n = 0; n < ROUNDS; n++) {
        const began = performance.now()
        await opened.run(read)
        times.push(performance.now() - began)
      }
      return { name, breaks: count, slowest_ms: Math.round(Math.max(...times)) }
    }
    const last = Math.ceil(count / 200)
    const rows = [
      await measured("breaks/postgres, the first page", page({ per_page: 200 })),
      await measured("breaks/postgres, the last page", page({ per_page: 200, page: last })),
      await measured("breaks/postgres, the most urgent", page({ per_page: 200, order: "urgent" })),
      await measured("breaks/postgres, the least urgent", page({ per_page: 200, order: "urgent", page: last })),
      await measured("breaks/postgres, of an amount", page({ amount: "77.00" })),
      await measured("breaks/postgres, as a file", file)
    ]
    show(["", "breaks", "slowest ms"])
    for (const row of rows) show(Object.values(row))
    return rows
  } finally {
    await opened.close()
  }
}
