import postgres from "postgres"
import { inject } from "vitest"
import { TEMPLATE } from "./global-setup.ts"

const asked = async (statement: string): Promise<void> => {
  const sql = postgres(inject("postgres"), { max: 1, fetch_types: false, onnotice: () => {} })
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.end()
  }
}

const nameOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1)

/** A fresh, migrated database on the run's server; or a copy of one there that nobody is connected to. */
export const freshDatabase = async (of?: string): Promise<string> => {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`
  await asked(`create database ${name} template ${of === undefined ? TEMPLATE : nameOf(of)}`)
  return inject("postgres").replace(/\/postgres$/, `/${name}`)
}

/** Takes a database away before the run's server ends: for who makes very many. */
export const dropDatabase = (url: string): Promise<void> => asked(`drop database ${nameOf(url)} with (force)`)
