/** Every command of docs/runbooks, run as it stands against a real server, a real Postgres and a bank. */
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bare, main } from "../support/cli/environment.ts"
import { until } from "../support/repository/poll-timeout.ts"
import { type Connector, startConnector } from "../support/connectors/launcher.ts"
import { apiKey, operatorToken, type Served, serve } from "../support/http/served-process.ts"
import { binaries, type Cluster, folderFor, newCluster, removeCluster, tool } from "../support/ops/cluster.ts"
import { listSettings } from "../support/ops/known-settings.ts"
import { configFor, customer, merchant, pays } from "../support/ops/payments.ts"

const pages = readdirSync("docs/runbooks").filter((name) => name.endsWith(".md"))

/** The commands of a page, in their order. A block inside a list is indented. */
const commandsIn = (page: string): string =>
  [...readFileSync(`docs/runbooks/${page}`, "utf8").matchAll(/^([ ]*)```sh\n([\s\S]*?)^[ ]*```$/gm)]
    .map(([, indent = "", block = ""]) => block.replaceAll(new RegExp(`^${indent}`, "gm"), ""))
    .join("\n")

const folder = mkdtempSync(join(tmpdir(), "corridor-runbooks-"))
let bank: Connector
let cluster: Cluster
let server: Served
let env: Record<string, string> = {}

const freePort = (): Promise<string> =>
  new Promise((done) => {
    const listener = createServer().listen(0, "127.0.0.1", () => {
      const { port } = listener.address() as { readonly port: number }
      listener.close(() => done(`${port}`))
    })
  })

beforeAll(async () => {
  if (binaries === undefined) return
  const archive = folderFor("archive", folder)
  bank = await startConnector("node")
  const config = join(folder, "corridor.config.ts")
  writeFileSync(config, configFor(bank))
  cluster = await newCluster({
    wal_level: "replica",
    archive_mode: "on",
    archive_command: `test ! -f ${archive}/%f && cp %p ${archive}/%f`
  })
  await tool("createdb", "--maintenance-db", cluster.urlOf("postgres"), "corridor")
  const key = Buffer.alloc(32, 7).toString("base64")
  const settings = { DATABASE_URL: cluster.urlOf("corridor"), CORRIDOR_ENCRYPTION_KEY: key }
  server = await serve({ ...settings, CORRIDOR_RATE_LIMIT_PER_SECOND: "0" }, main, ["serve", "--config", config])
  const payout = await pays(server, await customer(server), "invoice-1", "10000.00")
  await until(
    () => merchant(server, `/v1/offramps/${payout}`),
    ({ data }) => data.status === "success"
  )

  const bin = join(folder, "bin")
  mkdirSync(bin)
  writeFileSync(join(bin, "corridor"), `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`)
  chmodSync(join(bin, "corridor"), 0o755)
  const backups = join(folder, "backups")
  mkdirSync(backups)
  env = {
    ...settings,
    NODE_COMPILE_CACHE: bare["NODE_COMPILE_CACHE"] ?? "",
    PATH: `${bin}:${binaries}:${resolve("node_modules/.bin")}:${process.env["PATH"]}`,
    CONFIG: config,
    CORRIDOR_URL: server.url,
    CORRIDOR_API_KEY: apiKey,
    CORRIDOR_OPERATOR_TOKEN: operatorToken,
    BACKUPS: backups,
    COPY_PORT: await freePort(),
    PROVIDER: "bank",
    PAYOUT: payout,
    SINCE: "2026-01-01T00:00:00Z"
  }
})

afterAll(async () => {
  server?.child.kill("SIGKILL")
  await server?.exit
  await cluster?.stop()
  await bank?.stop()
  if (cluster !== undefined) removeCluster(cluster)
  rmSync(folder, { recursive: true, force: true })
})

const run = (script: string): Promise<{ readonly code: number | null; readonly output: string }> =>
  new Promise((done) => {
    const child = spawn("bash", ["--norc", "-euo", "pipefail", "-c", script], {
      env,
      cwd: folder,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
    child.once("close", (code) => done({ code, output }))
    // A page that starts a server must end it; what a failed one has left is ended here.
    child.once("exit", () => {
      try {
        process.kill(-child.pid!, "SIGKILL")
      } catch {
        // Nothing was left.
      }
    })
  })

/** The marks of what shows that the commands of a page worked. */
const shows: Readonly<Record<string, ReadonlyArray<RegExp>>> = {
  "backup-and-restore.md": [
    /backup successfully verified/,
    /no difference/,
    /fail {2}store .*restored copy/,
    /"scope":"all"/,
    /bank, simulated: \d+ lines: .*1 matched/,
    /is accepted, instead of/
  ],
  "upgrade.md": [/nothing to apply/, /"status":"ok"/, /no difference/],
  "key-rotation.md": [
    /secrets? encrypted again/,
    /nothing; it can be removed from CORRIDOR_ENCRYPTION_KEY/,
    /"signing_secret"/
  ],
  "provider-outage.md": [/"name":"bank"/, /"status":"active"/, /"balances"/, /"status":"released"/],
  "stuck-payout.md": [/: success\n/, /"transitions"|"entries"/],
  "full-disk.md": [/pg_size_pretty/, /"status":"ok"/, /no difference/],
  "lost-region.md": [/^f$/m, /no difference/, /was accepted before/, /"status":"released"/]
}

describe.skipIf(binaries === undefined)("docs/runbooks (Postgres's own tools)", () => {
  // After the rotation of the encryption key, the other pages would need the new one.
  const last = "key-rotation.md"
  const inOrder = [...Object.keys(shows).filter((page) => page !== last), last]
  it.each(inOrder)("%s: its commands run", async (page) => {
    const { code, output } = await run(`${commandsIn("README.md")}\n${commandsIn(page)}`)
    expect([code, code === 0 ? "" : output.slice(-4000)]).toEqual([0, ""])
    for (const mark of shows[page] ?? []) expect(output).toMatch(mark)
  })
})

describe("docs/runbooks", () => {
  it("has the pages that its index lists", () => {
    const index = readFileSync("docs/runbooks/README.md", "utf8").split("## ")[0]!
    const listed = [...index.matchAll(/\]\(([\w-]+\.md)\)/g)].map(([, page]) => page)
    expect([...listed, "README.md"].toSorted()).toEqual(pages.toSorted())
    expect(Object.keys(shows).filter((page) => !pages.includes(page))).toEqual([])
  })

  it("names settings that exist", () => {
    const known = new Set([...listSettings(), "CORRIDOR_URL"])
    const named = pages.flatMap((page) =>
      [...readFileSync(`docs/runbooks/${page}`, "utf8").matchAll(/\bCORRIDOR_[A-Z_]+\b/g)].map(([name]) => name)
    )
    expect(named.filter((name) => !known.has(name))).toEqual([])
  })
})
