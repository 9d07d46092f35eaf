import postgres from "postgres"
import { TEMPLATE } from "./migrated-server.ts"
import { serverUrl } from "./run-server.ts"

/** Runs one statement on a connection of its own. */
export const query = async <A>(url: string, text: string): Promise<ReadonlyArray<A>> => {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return (await sql.unsafe(text)) as unknown as ReadonlyArray<A>
  } finally {
    await sql.end()
  }
}

const nameOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1)

/** A fresh, migrated database on the run's server; or a copy of one there that nobody is connected to. */
export const freshDatabase = async (of?: string): Promise<string> => {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  await query(
    await serverUrl(),
    `create database ${name} template ${of === undefined ? TEMPLATE : nameOf(of)} strategy file_copy`
  )
  const url = (await serverUrl()).replace(/\/postgres$/, `/${name}`)
  // A copy would run no jobs.
  if (of !== undefined) await query(url, "delete from setting where key = 'identity'")
  return url
}

/** Takes a database away before the run's server ends: for who makes very many. */
export const dropDatabase = async (url: string): Promise<void> =>
  void (await query(await serverUrl(), `drop database ${nameOf(url)} with (force)`))
