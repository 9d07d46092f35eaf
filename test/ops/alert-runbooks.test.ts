/** The commands of the alerts' runbooks, run by bash as they stand there. */
import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { alerts } from "../../scripts/ops/alerts.ts"
import { bare, main } from "../support/cli/environment.ts"
import { operatorToken, type Served, serve } from "../support/http/served-process.ts"
import { covers } from "../support/repository/covers.ts"

const pages = [...new Set(alerts.flatMap((group) => group.alerts.map(({ runbook }) => runbook)))].toSorted()
const blocksOf = (page: string): ReadonlyArray<string> =>
  [...readFileSync(`docs/runbooks/${page}.md`, "utf8").matchAll(/```bash\n(.*?)```/gs)].map(([, text]) => text!)

const folder = mkdtempSync(join(tmpdir(), "corridor-runbooks-"))
let served: Served
beforeAll(async () => {
  served = await serve()
  writeFileSync(join(folder, "corridor"), `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`, { mode: 0o755 })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  served.child.kill("SIGTERM")
  await served.exit
})

const run = (script: string) =>
  new Promise<{ readonly code: number | null; readonly errors: string }>((done) => {
    const env = {
      ...bare,
      PATH: `${folder}:${process.env["PATH"]}`,
      CORRIDOR_URL: served.url,
      CORRIDOR_OPERATOR_TOKEN: operatorToken
    }
    const child = spawn("bash", ["-eu", "-o", "pipefail", "-c", script], { env, stdio: ["ignore", "ignore", "pipe"] })
    let errors = ""
    child.stderr.on("data", (chunk: Buffer) => (errors += String(chunk)))
    child.once("close", (code) => done({ code, errors }))
  })

describe("the commands of a runbook", () => {
  covers("OPS-2")
  it.each(pages)("run as they stand: %s", async (page) => {
    const blocks = blocksOf(page)
    expect(blocks.length).toBeGreaterThan(0)
    for (const block of blocks) expect([block, await run(block)]).toEqual([block, { code: 0, errors: "" }])
  })
})
