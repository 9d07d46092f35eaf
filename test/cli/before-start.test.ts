/** What is looked at before a server is started: `corridor upgrade --check` and `corridor doctor`. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { migrationNames } from "../../src/adapters/storage/migrations.ts"
import { corridor } from "../support/cli/command-line.ts"
import { serveHere } from "../support/http/served-here.ts"
import { apiKey, operatorToken } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase, query } from "../support/stores/database.ts"
import { fillDirectory, whileInUse } from "../support/stores/pglite.ts"

const key = (n: number): string => Buffer.alloc(32, n).toString("base64")

let store: string
const receiver = createServer((_, response) => void response.end()).listen(0, "127.0.0.1")
const hook = (port: number) =>
  `insert into resource select merchant_id, 'webhook_endpoint', 'whe_${port}', 1, '1', 'active', 'active', null, null, 0, 0, false, 0,
    '{}', '{"url":"http://127.0.0.1:${port}/hook"}' from resource where kind = 'merchant' limit 1`
const folder = mkdtempSync(join(tmpdir(), "corridor-doctor-"))

beforeAll(async () => {
  store = await freshDatabase()
  const server = await serveHere({ DATABASE_URL: store, CORRIDOR_ENCRYPTION_KEY: key(1) })
  const env = { CORRIDOR_URL: server.url, CORRIDOR_API_KEY: apiKey }
  await corridor(["trigger", "transfer.success"], env)
  await server.stop()
})
afterAll(() => {
  receiver.close()
  rmSync(folder, { recursive: true, force: true })
})

interface Checked {
  readonly ok: boolean
  readonly databases: ReadonlyArray<{
    readonly faults: ReadonlyArray<string>
    readonly migrations: { readonly missing: ReadonlyArray<string> }
  }>
}

const upgraded = async (url: string, keys = key(1)): Promise<readonly [number | null, Checked]> => {
  const { code, errors, out } = await corridor(["upgrade", "--check", "--json"], {
    DATABASE_URL: url,
    CORRIDOR_ENCRYPTION_KEY: keys
  })
  expect(errors).toEqual([])
  return [code, JSON.parse(out) as Checked]
}

describe("corridor upgrade --check", () => {
  covers("CLI-13")
  it("finds nothing on a store of this release", async () => {
    const [code, report] = await upgraded(store)
    expect([code, report.ok]).toEqual([0, true])
    const { out } = await corridor(["upgrade", "--check"], { DATABASE_URL: store, CORRIDOR_ENCRYPTION_KEY: key(1) })
    expect(out).toMatch(
      / resources in \d+ versions of machines, encryption keys [0-9a-f]{8}\n {2}this release can start on it\n$/
    )
  })

  it("names machine versions that it cannot load, a newer release's migration, and a missing key", async () => {
    const url = await freshDatabase(store)
    await query(url, "update resource set machine = '99' where kind = 'transfer'")
    await query(url, "insert into migration (name, hash) values ('9999_next.sql', 'x')")
    await query(url, `update migration set hash = 'other' where name = '${migrationNames[0]}'`)
    const [code, report] = await upgraded(url, key(2))
    expect([code, report.ok]).toEqual([1, false])
    expect(report.databases[0]!.faults).toEqual([
      "a newer release has applied 9999_next.sql, which this release does not know",
      `${migrationNames[0]} was applied from another file than that of this release`,
      "this release cannot load version 99 of transfer, which 1 resources have",
      expect.stringMatching(
        /^the store was written under the encryption key [0-9a-f]{8}, which CORRIDOR_ENCRYPTION_KEY does not contain$/
      )
    ])
  })

  it("lists the migrations that a start would apply, and writes none", async () => {
    const url = await freshDatabase(store)
    const last = migrationNames.at(-1)!
    await query(url, `delete from migration where name = '${last}'`)
    const [code, { databases }] = await upgraded(url)
    expect([code, databases[0]!.migrations.missing]).toEqual([0, [last]])
    expect(await query(url, `select 1 from migration where name = '${last}'`)).toHaveLength(0)
  })

  it("needs --check, and a store that can be read", async () => {
    expect(await corridor(["upgrade"], { DATABASE_URL: store })).toMatchObject({
      code: 2,
      errors: [expect.stringMatching(/^--check is required/)]
    })
    const { code, errors } = await corridor(["upgrade", "--check"], { DATABASE_URL: "postgres://127.0.0.1:1/x" })
    expect([code, errors]).toEqual([3, [expect.stringMatching(/cannot be used/)]])
  })
})

interface Finding {
  readonly status: string
  readonly about: string
  readonly sentence: string
}

const examined = async (env: Readonly<Record<string, string>>, ...args: ReadonlyArray<string>) => {
  const { code, errors, out } = await corridor(["doctor", "--json", ...args], env)
  expect(errors).toEqual([])
  const { findings } = JSON.parse(out) as { readonly findings: ReadonlyArray<Finding> }
  const lines = findings.map(({ about, sentence, status }) => `${status} ${about}: ${sentence}`)
  return { code, lines }
}

describe("corridor doctor", () => {
  covers("CLI-14")
  it("says what is well, of the configuration, the store, the clock, the receivers and the server", async () => {
    const url = await freshDatabase(store)
    const { port } = receiver.address() as { readonly port: number }
    await query(url, hook(port))
    await query(url, hook(1))
    // By their ids, these come last.
    for (let port = 700; port <= 750; port++) await query(url, hook(port))
    const server = await serveHere({ DATABASE_URL: url, CORRIDOR_ENCRYPTION_KEY: key(1) })
    const env = {
      DATABASE_URL: url,
      CORRIDOR_ENCRYPTION_KEY: key(1),
      CORRIDOR_URL: server.url,
      CORRIDOR_PUBLIC_URL: server.url,
      CORRIDOR_OPERATOR_TOKEN: operatorToken
    }
    const { code, lines } = await examined(env)
    await server.stop()
    expect(code).toBe(0)
    for (const expected of [
      /^ok configuration: every setting is valid/,
      /^ok store: postgres:\S+ can be read, and is migrated$/,
      /^ok clock: .* differ by 0\.\d s$/,
      /^ok webhooks: 1 of 50 receivers can be reached from here; 3 more were not tried$/,
      /^warn webhooks: http:\/\/127\.0\.0\.1:1, of whe_1, cannot be reached from here: /,
      /^ok base URL: http:\S+ can be reached from here$/,
      /^ok provider: simulated \(simulated\) is healthy$/
    ])
      expect(lines).toContainEqual(expect.stringMatching(expected))
    const away = await examined(env)
    expect(away.code).toBe(0)
    expect(away.lines).toContainEqual(
      expect.stringMatching(/^warn server: .*cannot be reached.*Start it with corridor serve/)
    )
  })

  it.each<readonly [string, () => Promise<Readonly<Record<string, string>>>, RegExp]>([
    ["a setting", async () => ({ PORT: "x" }), /^fail configuration: PORT is "x"; it takes a port from 0 to 65535\.$/],
    [
      "no database",
      async () => ({ DATABASE_URL: "postgres://u:hunter2@127.0.0.1:1/x" }),
      /^fail store: postgres:\/\/127\.0\.0\.1:1\/x cannot be used: .*ECONNREFUSED/
    ],
    [
      "another key",
      async () => ({ DATABASE_URL: store, CORRIDOR_ENCRYPTION_KEY: key(2) }),
      /^fail encryption key: .* was written under the key [0-9a-f]{8}/
    ],
    [
      "a newer store",
      async () => {
        const url = await freshDatabase(store)
        await query(url, "insert into migration (name, hash) values ('9999_next.sql', 'x')")
        return { DATABASE_URL: url, CORRIDOR_ENCRYPTION_KEY: key(1) }
      },
      /^fail store: .*a newer release has applied 9999_next\.sql/
    ],
    [
      "the other environment",
      async () => {
        const url = await freshDatabase(store)
        await query(url, "update setting set value = 'live' where key = 'environment'")
        return { DATABASE_URL: url, CORRIDOR_ENCRYPTION_KEY: key(1) }
      },
      /^fail environment: the store is of the live environment/
    ]
  ])("fails for %s, and exits with 1", async (_, env, line) => {
    const { code, lines } = await examined(await env())
    expect(code).toBe(1)
    expect(lines).toContainEqual(expect.stringMatching(line))
    expect(lines.join()).not.toContain("hunter2")
  })

  covers("SERVICE-32")
  it.each([
    ["behind its own", `${key(1)},${key(2)}`, false],
    ["before its own", `${key(2)},${key(1)}`, true]
  ])("with a new key %s, warns that other servers may not have it: %s", async (_, keys, warns) => {
    const env = { DATABASE_URL: store, CORRIDOR_ENCRYPTION_KEY: keys }
    const { lines } = await examined(env)
    const line =
      /^warn encryption key: No server has encrypted with the first key [0-9a-f]{8} yet\. Put it first only when every/
    expect(lines.some((one) => line.test(one))).toBe(warns)
    const { out } = await corridor(["keys", "status"], env)
    expect(/^[0-9a-f]{8} \(current\): nothing yet; put it first only when every running server has it/m.test(out)).toBe(
      warns
    )
  })

  covers("SERVICE-29")
  it.each([
    [{ CORRIDOR_ENVIRONMENT: "live", CORRIDOR_SCREENING: "none" }, true],
    [{ CORRIDOR_ENVIRONMENT: "live", CORRIDOR_SCREENING: "required" }, false],
    [{ CORRIDOR_ENVIRONMENT: "live" }, false],
    [{ CORRIDOR_SCREENING: "none" }, false]
  ])("with %j warns that nobody may be screened: %s", async (settings, warns) => {
    const { lines } = await examined({ CORRIDOR_ENCRYPTION_KEY: key(1), DATABASE_URL: "memory:", ...settings })
    const line = /^warn screening: screening is none: a beneficiary that no provider screens is cleared\./
    expect(lines.some((one) => line.test(one))).toBe(warns)
  })

  it.each([
    [{ CORRIDOR_ENVIRONMENT: "live", DATABASE_URL: `pglite:${join(folder, "live")}` }, true],
    [{ DATABASE_URL: `pglite:${join(folder, "live")}` }, false],
    [{ CORRIDOR_ENVIRONMENT: "live", DATABASE_URL: "memory:" }, false],
    [{ CORRIDOR_ENVIRONMENT: "live", DATABASE_URL: "postgres://127.0.0.1:1/x" }, false]
  ])("with %j warns that a crash of the machine may lose what was acknowledged: %s", async (settings, warns) => {
    const { lines } = await examined({ CORRIDOR_ENCRYPTION_KEY: key(1), ...settings })
    const line = /^warn store: the store is a PGlite directory, which is never flushed to the disk/
    expect(lines.some((one) => line.test(one))).toBe(warns)
  })

  it("takes a directory that a server uses, and one that does not exist, for what they are", async () => {
    const used = { DATABASE_URL: `pglite:${join(folder, "store")}` }
    expect((await examined(used)).lines).toContainEqual(expect.stringMatching(/^warn store: .*has no store yet/))
    await fillDirectory(join(folder, "store"))
    const { code, lines } = await whileInUse(join(folder, "store"), () => examined(used))
    expect(code).toBe(0)
    expect(lines).toContainEqual(expect.stringMatching(/^ok store: the directory \S+ is in use by process \d+/))
  })
})
