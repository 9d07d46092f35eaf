/** The client for Python that a standard generator makes of the document, and the example that pays with it. */
import { execFile, spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { generate } from "../../examples/python-client/generate.ts"
import { createClient } from "../../src/client/index.ts"
import { sign } from "../../src/engine/crypto/signing.ts"
import { type Api, startApi } from "../support/http/server.ts"
import { faultyProxy } from "../support/http/faulty-proxy.ts"
import { covers } from "../support/repository/covers.ts"

const run = promisify(execFile)
const works = (command: string, ...args: ReadonlyArray<string>): boolean => spawnSync(command, args).status === 0

const isInstalled = ((): boolean => {
  try {
    return createRequire(import.meta.url).resolve("@openapitools/openapi-generator-cli/package.json") !== ""
  } catch {
    return false
  }
})()
/** A Python that has what the generated client requires. */
const python = ["python3", "/usr/bin/python3"].find((one) => works(one, "-c", "import urllib3, six, certifi, dateutil"))
const lacking = [
  ...(isInstalled ? [] : ["the generator: npm ci"]),
  ...(works("java", "-version") ? [] : ["Java"]),
  ...(python === undefined ? ["a Python with urllib3, six, certifi and dateutil"] : [])
]
const why = lacking.length === 0 ? "" : ` (skipped without ${lacking.join(", ")})`

const folder = mkdtempSync(join(tmpdir(), "corridor-python-"))
const example = resolve("examples/python-client")
let api: Api

describe.skipIf(lacking.length > 0)(`the generated client for Python${why}`, () => {
  beforeAll(async () => {
    generate(folder)
    api = await startApi({ rate_per_second: 0 })
  })
  afterAll(async () => {
    await api?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const runPython = (args: ReadonlyArray<string>, url = "") =>
    run(python!, args, {
      env: {
        PATH: process.env["PATH"],
        PYTHONPATH: `${folder}:${example}`,
        PYTHONDONTWRITEBYTECODE: "1",
        CORRIDOR_URL: url,
        CORRIDOR_API_KEY: api.key
      },
      timeout: 60_000
    })

  const paid = ["paid 10 found 10 True", "balance 90.00", "refused 422 ledger_insufficient_funds"]
  covers("CLIENT-7")
  it("pays, reads all pages, and is refused", async () => {
    const { stdout } = await runPython([join(example, "pay.py")], api.base)
    expect(stdout.trim().split("\n")).toEqual(paid)
  })

  covers("CLIENT-7")
  it("pays each once behind a proxy that loses requests and responses", async () => {
    const proxy = await faultyProxy(api.port, "python", { lateMs: 50, share: 0.4, pass: "/sandbox/" })
    const { stdout } = await runPython([join(example, "pay.py")], proxy.url)
    await proxy.close()
    expect(stdout.trim().split("\n")).toEqual(paid)
    expect([...proxy.made].filter(([fault]) => fault !== "pass").length).toBeGreaterThan(3)
    const direct = createClient({ baseUrl: api.base, apiKey: api.key })
    const wallet = (await direct.wallets.list({ per_page: 1 })).items[0]!
    expect((await direct.transfers.list({ wallet_id: wallet.id })).total).toBe(10)
  })

  covers("CLIENT-7")
  it("verifies a delivery, and rejects another", async () => {
    const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    const body = '{"event_id":"evt_1","name":"café"}'
    const headers = {
      "webhook-id": "msg_evt_1",
      "webhook-timestamp": "1780000000",
      "webhook-signature": `v1,AAAA ${sign([secret], "msg_evt_1", 1_780_000_000, body)}`
    }
    writeFileSync(join(folder, "delivery.json"), JSON.stringify({ body, headers, secret }))
    const program = `import json, sys
from pay import verify
given = json.load(open(sys.argv[1]))
body, headers, secret = given["body"].encode(), given["headers"], given["secret"]
print(verify(body, headers, secret, 1780000300), verify(body + b" ", headers, secret, 1780000000), verify(body, headers, secret, 1780000301))`
    const { stdout } = await runPython(["-c", program, join(folder, "delivery.json")])
    expect(stdout.trim()).toBe("True False False")
  })

  it("has a method for every operation", async () => {
    const ids = api.contract.operations.map(({ id }) => id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    const program = `import json, corridor_client
print(json.dumps([m for n in dir(corridor_client) if n.endswith("Api") for m in dir(getattr(corridor_client, n))]))`
    const { stdout } = await runPython(["-c", program])
    const methods = new Set(JSON.parse(stdout) as ReadonlyArray<string>)
    expect(ids.filter((id) => !methods.has(id))).toEqual([])
    expect(readFileSync(join(folder, "requirements.txt"), "utf8")).toContain("urllib3")
  })
})
