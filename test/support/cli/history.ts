/** A database with a history that has something for every corruption: a simulation with faults that is verified while it lasts, whose counters are rolled up. */
import postgres from "postgres"
import { shortenProgram } from "../simulation/shortened.ts"
import { freshDatabase, query } from "../stores/database.ts"
import type { Query } from "./corruptions.ts"
import { verifyThroughout } from "./verified-throughout.ts"
import { serverUrl } from "../stores/run-server.ts"

const name = "verified_history"

/** Rolls all counters up, so that there are counters to be wrong. */
export const rollUp = async (ask: Query): Promise<void> => {
  for (let n = 0; n < 50; n++) {
    const [row] = await ask("select corridor_roll(100000)::text as more")
    if (row?.["more"] !== "true") return
  }
}

/** Its URL, for copies. The first file of a run that asks makes it, and others wait. */
export const historyDatabase = async (): Promise<string> => {
  const sql = postgres(await serverUrl(), { max: 1, onnotice: () => {} })
  try {
    await sql`select pg_advisory_lock(hashtext(${name}))`
    if ((await sql`select 1 from pg_database where datname = ${name}`).length === 0) {
      const url = await freshDatabase()
      const { accused, found } = await verifyThroughout(shortenProgram(5, 160), url)
      const wrong = [...found, ...accused.map((one) => JSON.stringify(one))]
      if (wrong.length > 0) throw new Error(wrong.join("\n"))
      await rollUp((text) => query(url, text))
      await query(await serverUrl(), `alter database ${new URL(url).pathname.slice(1)} rename to ${name}`)
    }
  } finally {
    await sql.end()
  }
  return (await serverUrl()).replace(/\/postgres$/, `/${name}`)
}
