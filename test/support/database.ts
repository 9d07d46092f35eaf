import postgres from "postgres"
import { inject } from "vitest"
import { TEMPLATE } from "./global-setup.ts"

/** A fresh, migrated database on the run's server. */
export const freshDatabase = async (): Promise<string> => {
  const url = inject("postgres")
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  const sql = postgres(url, { max: 1, fetch_types: false, onnotice: () => {} })
  try {
    await sql.unsafe(`create database ${name} template ${TEMPLATE}`)
  } finally {
    await sql.end()
  }
  return url.replace(/\/postgres$/, `/${name}`)
}
