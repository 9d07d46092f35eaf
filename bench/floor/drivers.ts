/** The transactions of the floors: postgres.js with eight connections, and PGlite. */
import { PGlite } from "@electric-sql/pglite"
import postgres from "postgres"
import { schema } from "./schema.ts"
import type { Statement, Transact } from "./transfers.ts"

export interface Database {
  readonly transact: Transact
  /** One statement, outside any transaction. */
  readonly statement: Statement
  readonly close: () => Promise<void>
}

export const onPostgres = async (url: string): Promise<Database> => {
  const sql = postgres(url, { max: 8, fetch_types: false, onnotice: () => {} })
  await sql.unsafe(schema)
  return {
    transact: (run) =>
      sql.begin((transaction) =>
        run((text, parameters) => transaction.unsafe(text, [...parameters] as Array<string>, { prepare: true }))
      ) as Promise<never>,
    statement: (text, parameters) => sql.unsafe(text, [...parameters] as Array<string>, { prepare: true }),
    close: () => sql.end({ timeout: 5 })
  }
}

export const onPGlite = async (): Promise<Database> => {
  const database = await PGlite.create()
  await database.exec(schema)
  return {
    transact: (run) =>
      database.transaction((transaction) =>
        run(async (text, parameters) => (await transaction.query(text, [...parameters])).rows)
      ) as Promise<never>,
    statement: async (text, parameters) => (await database.query(text, [...parameters])).rows,
    close: () => database.close()
  }
}
