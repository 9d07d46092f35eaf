/** `corridor verify` after kill -9: nothing is wrong in what a killed node leaves, and reading it changes no byte. */
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { PGlite } from "@electric-sql/pglite"
import { afterAll, describe, expect, it } from "vitest"
import { corruptions, type Query } from "../support/cli/corruptions.ts"
import { rollUp } from "../support/cli/history.ts"
import { healthy, listDifferences, seedCorruptions, runVerify } from "../support/cli/verified.ts"
import { covers } from "../support/repository/covers.ts"
import { freshDatabase } from "../support/stores/database.ts"
import { fillDirectory } from "../support/stores/pglite.ts"

/** The hash of every file of a directory. */
const filesOf = (directory: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(directory, { recursive: true, encoding: "utf8" })
      .filter((name) => !statSync(join(directory, name)).isDirectory() && !name.startsWith("corridor."))
      .map((name) => [
        name,
        createHash("sha256")
          .update(readFileSync(join(directory, name)))
          .digest("hex")
      ])
  )

/** Starts a node that moves money without end, and kills it with SIGKILL after it has acknowledged `count` movements. */
const killed = (database: string, hook: string, count: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const script = fileURLToPath(new URL("../support/faults/crashing-node.ts", import.meta.url))
    const child = spawn(process.execPath, [script, database, hook, "1"], { stdio: ["ignore", "pipe", "inherit"] })
    let acknowledged = 0
    child.stdout.on("data", (chunk) => {
      acknowledged += String(chunk).split("\n").length - 1
      if (acknowledged >= count) child.kill("SIGKILL")
    })
    child.once("exit", (code, signal) => (signal === "SIGKILL" ? resolve() : reject(new Error(`ended with ${code}`))))
  })

describe("corridor verify, after kill -9", () => {
  const folder = mkdtempSync(join(tmpdir(), "corridor-verify-"))
  const directory = join(folder, "store")
  const receiver = createServer((_, response) => void response.writeHead(204).end()).listen(0, "127.0.0.1")
  const hook = (): string => `http://127.0.0.1:${(receiver.address() as { readonly port: number }).port}/`
  afterAll(() => {
    receiver.close()
    rmSync(folder, { recursive: true, force: true })
  })

  covers("VERIFY-4")
  it("finds nothing in a PGlite directory, leaves every byte of it, and finds what is then corrupted", async () => {
    await fillDirectory(directory)
    await killed(directory, hook(), 40)
    const before = filesOf(directory)
    await healthy(`pglite:${directory}`)
    expect(filesOf(directory)).toEqual(before)

    const db = await PGlite.create(directory)
    const ask: Query = async (text) => (await db.query<Readonly<Record<string, unknown>>>(text)).rows
    await rollUp(ask)
    const expected = await seedCorruptions(ask, corruptions)
    await db.close()
    const [code, report] = await runVerify(`pglite:${directory}`)
    expect(code).toBe(1)
    expect(listDifferences(report)).toEqual(expect.arrayContaining([...expected]))
  })

  it("finds nothing on Postgres", async () => {
    const url = await freshDatabase()
    await killed(url, hook(), 60)
    await healthy(url)
  })
})
