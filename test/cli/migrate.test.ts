/** `corridor migrate` on fresh databases, by several processes at once, on a directory, and where it cannot. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { migrationNames } from "../../src/adapters/storage/migrations.ts"
import { corridor, corridorProcess } from "../support/cli/command-line.ts"
import { covers } from "../support/repository/covers.ts"
import { query } from "../support/stores/database.ts"
import { whileInUse } from "../support/stores/pglite.ts"
import { serverUrl } from "../support/stores/run-server.ts"

const directory = mkdtempSync(join(tmpdir(), "corridor-migrate-"))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

interface Report {
  readonly databases: ReadonlyArray<{ readonly store: string; readonly applied: ReadonlyArray<string> }>
}

const emptyDatabase = async (): Promise<string> => {
  const name = `empty_${crypto.randomUUID().replaceAll("-", "")}`
  await query(await serverUrl(), `create database ${name}`)
  return (await serverUrl()).replace(/\/postgres$/, `/${name}`)
}

const migrated = async (url: string, run = corridor): Promise<Report> => {
  const { code, errors, out } = await run(["migrate", "--json"], { DATABASE_URL: url })
  expect([code, errors]).toEqual([0, []])
  return JSON.parse(out) as Report
}

describe("corridor migrate", () => {
  covers("CLI-5")
  it("applies every migration once, by whichever of several processes is first", async () => {
    const url = await emptyDatabase()
    const reports = await Promise.all([1, 2, 3].map(() => migrated(url, corridorProcess)))
    expect(reports.flatMap(({ databases }) => databases.flatMap(({ applied }) => applied)).toSorted()).toEqual(
      migrationNames
    )
    expect(reports.filter(({ databases }) => databases[0]!.applied.length > 0)).toHaveLength(1)
    const { code, out } = await corridor(["migrate"], { DATABASE_URL: url })
    expect([code, out]).toEqual([0, expect.stringMatching(/^postgres:\/\/[^:@/]+:\d+\/empty_\w+: nothing to apply\n$/)])
  })

  covers("SERVICE-30")
  it.each([["migrate"], ["upgrade", "--check"], ["verify"], ["doctor"]])(
    "and %s refuse a store of an unreleased build in one line that says what to do",
    async (...command) => {
      const url = await emptyDatabase()
      await query(
        url,
        "create table migration (name text, hash text); insert into migration values ('0001_init.sql', 'x')"
      )
      const { code, errors, out } = await corridor(command, { DATABASE_URL: url })
      const lines = [...errors, ...out.split("\n")].filter((line) => line.includes("0001_init.sql"))
      expect([code !== 0, lines]).toEqual([
        true,
        [expect.stringContaining("a build that was never released made this store (it has 0001_init.sql): start with")]
      ])
    }
  )

  it("migrates a directory, and refuses one that another process uses", async () => {
    const env = { DATABASE_URL: `pglite:${join(directory, "store")}` }
    const first = await corridor(["migrate"], env)
    expect([first.code, first.out]).toEqual([
      0,
      `pglite:${join(directory, "store")}: applied ${migrationNames.join(", ")}\n`
    ])
    const { code, errors } = await whileInUse(join(directory, "store"), () => corridor(["migrate"], env))
    expect([code, errors]).toEqual([
      3,
      [expect.stringMatching(/cannot be used: the directory \S+ is in use by process/)]
    ])
  })

  it.each([
    [{ DATABASE_URL: "mysql://h/d" }, /^DATABASE_URL is a string of 11 characters; it takes memory:/],
    [
      { DATABASE_URL: "postgres://nobody:hunter2@127.0.0.1:1/none" },
      /^the store postgres:\/\/127\.0\.0\.1:1\/none .* cannot be used/
    ]
  ])("exits with 3 and one line for %j, without the password", async (env, line) => {
    const { code, errors } = await corridor(["migrate"], env)
    expect([code, errors]).toEqual([3, [expect.stringMatching(line)]])
    expect(errors.join()).not.toContain("hunter2")
  })

  it("has nothing to apply in memory", async () => {
    expect(await corridor(["migrate"], { DATABASE_URL: "memory:" })).toMatchObject({ code: 0, errors: [] })
  })
})
