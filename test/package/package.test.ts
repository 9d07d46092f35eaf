/**
 * The package as somebody installs it: packed, unpacked beside its dependencies and nothing else, type-checked strictly
 * and run by plain Node. What is run is what the README and the guides show.
 */
import { execFile, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bare } from "../support/cli/environment.ts"
import { snippetsOf } from "../support/documents/snippets.ts"
import { installInto, mistakesIn } from "../support/package/installed.ts"

const run = promisify(execFile)
const snippet = (name: string): string => {
  const found = snippetsOf(name.split("#")[0]!).find((one) => one.name === name)
  if (found === undefined) throw new Error(`No page has the snippet ${name}`)
  return found.code
}
const shown = ["README.md#inside-your-application", "docs/guides/embed.md#with-effect"].map(snippet)

const app = mkdtempSync(join(tmpdir(), "corridor-app-"))
afterAll(() => rmSync(app, { recursive: true, force: true }))

beforeAll(async () => {
  // `.ci/run` has built it already.
  await installInto(app, { built: process.env["CORRIDOR_BUILT"] === "1" })
  shown.forEach((code, at) => writeFileSync(join(app, `shown-${at}.ts`), code))
  writeFileSync(join(app, "corridor.config.ts"), snippet("docs/guides/configure.md#a-configuration-file.2"))
  writeFileSync(join(app, "wrong.ts"), wrong)
  writeFileSync(join(app, "right.ts"), right)
})

/** Each line is a mistake that a type must find: none of it may be `any`. */
const wrong = `
import { Corridor, type RunningCorridor } from "corridor"
import { memoryStorage } from "corridor/adapters/storage/memory"
declare const corridor: RunningCorridor
export const lagos = corridor.as("mer_1")
lagos.wallets.create({ currency: 5 })
lagos.wallets.create({})
lagos.wallets.get()
lagos.transfers.list({ status: "returned" })
lagos.quotes.get("quo_1").then(({ price }) => price)
lagos.offramps.create({ quote_id: "quo_1" }, { ifMatch: "1" })
corridor.sandbox
Corridor.start({ storage: memoryStorage() })
`
const right = `
import type { RunningCorridor, TransferBody } from "corridor"
declare const corridor: RunningCorridor
export const paid = async (id: string): Promise<TransferBody> => corridor.as("mer_1").transfers.get(id)
export const pages = async (): Promise<boolean> =>
  (await corridor.as("mer_1").transfers.list({ page: 2, per_page: "10", status: "success", created_after: "2026-01-01" })).has_more
export const held = async (): Promise<string> => (await corridor.operator.deposits.held()).items[0]?.merchant_id ?? ""
`

/** The files that an import of an entry loads, as URLs. */
const loadedBy = async (entry: string): Promise<ReadonlyArray<string>> => {
  const script = `import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
    await import(${JSON.stringify(entry)})
    console.log(JSON.stringify(loaded))`
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: app, timeout: 60_000 })
  return JSON.parse(stdout) as ReadonlyArray<string>
}

describe("the package, installed", () => {
  it("type-checks under strict: what the pages show is right, and mistakes are found", async () => {
    const found = await mistakesIn(app)
    expect(found.filter((line) => !line.startsWith("wrong.ts"))).toEqual([])
    const lines = new Set(found.map((line) => Number(/\((\d+)/.exec(line)?.[1])))
    const expected = wrong
      .split("\n")
      .flatMap((line, at) => (/^(?:lagos\.|corridor\.|Corridor\.)/.test(line) ? [at + 1] : []))
    expect([...lines].toSorted((a, b) => a - b)).toEqual(expected)
  })

  it.for([
    [0, ["100.00", "not_found"]],
    [1, ["0"]]
  ] as const)("runs what the pages show, %i, in plain Node", async ([at, message]) => {
    const { stdout } = await run(process.execPath, [`shown-${at}.ts`], { cwd: app, timeout: 30_000 })
    expect(
      stdout.split("\n").filter((line) => line !== "" && !line.includes("level=") && !line.includes("INFO"))
    ).toEqual(message)
  })

  it("shows two ways in", () => {
    expect(shown).toHaveLength(2)
  })

  it("serves with the configuration file that the guide shows, and reports its faults", async () => {
    const env = {
      ...bare,
      CORRIDOR_KEY: Buffer.alloc(32, 5).toString("base64"),
      PORT: "0",
      HOST: "127.0.0.1"
    }
    const args = ["node_modules/corridor/dist/cli/main.js", "serve", "--config", "corridor.config.ts"]
    const lacking = await run(process.execPath, args, { cwd: app, env }).catch(
      (failed: { readonly stderr: string }) => failed
    )
    expect(lacking.stderr).toBe("corridor: database reads DATABASE_URL, which is not set in the environment.\n")
    const child = spawn(process.execPath, args, { cwd: app, env: { ...env, DATABASE_URL: "memory:" } })
    const closed = new Promise((resolve) => child.once("close", resolve))
    let output = ""
    child.stdout.on("data", (chunk) => (output += String(chunk)))
    child.stderr.on("data", (chunk) => (output += String(chunk)))
    try {
      await expect.poll(() => output).toMatch(/listens on http:\S+ \(test, memory:\)/)
      const page = await fetch(`${/listens on (http:\S+)/.exec(output)![1]}/console`)
      const script = /src="([^"]+)"/.exec(await page.text())?.[1] ?? ""
      expect([page.status, (await fetch(new URL(script, page.url))).status]).toEqual([200, 200])
      child.kill("SIGTERM")
      expect(await closed).toBe(0)
    } finally {
      // Nothing, where it has ended: a server does not outlive a test that fails.
      child.kill("SIGKILL")
    }
  })

  it("brings no chain client: the packages that it requires do not include one, and every entry loads without", async () => {
    const packed = join(app, "node_modules", "corridor", "package.json")
    const required = new Set<string>()
    const visit = (file: string): void => {
      const {
        dependencies = {},
        peerDependencies = {},
        peerDependenciesMeta = {}
      } = JSON.parse(readFileSync(file, "utf8")) as Partial<
        Record<"dependencies" | "peerDependencies", Record<string, string>>
      > & {
        readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
      }
      const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
      for (const name of [...Object.keys(dependencies), ...peers]) {
        const manifestOf = resolve("node_modules", name, "package.json")
        if (required.has(name)) continue
        required.add(name)
        if (existsSync(manifestOf)) visit(manifestOf)
      }
    }
    visit(packed)
    expect(required.size).toBeGreaterThan(8)
    expect([...required].filter((name) => /^(?:viem|@solana|@solana-program|ethers)(?:\/|$)/.test(name))).toEqual([])

    const { exports } = JSON.parse(readFileSync(packed, "utf8")) as {
      readonly exports: Readonly<Record<string, unknown>>
    }
    const entries = Object.keys(exports)
      .filter((entry) => entry !== "./package.json")
      .map((entry) => `corridor${entry.slice(1)}`)
    expect(entries.length).toBeGreaterThan(20)
    // What no entry names is internal, and its path is not for users.
    expect(entries.filter((entry) => entry.includes("*"))).toEqual([])
    const inside = `import("corridor/adapters/storage/sql").catch(({ code }) => console.log(code))`
    const closed = await run(process.execPath, ["--input-type=module", "-e", inside], { cwd: app, timeout: 60_000 })
    expect(closed.stdout).toBe("ERR_PACKAGE_PATH_NOT_EXPORTED\n")
    expect(entries).toContain("corridor/adapters/provider/custom")
    const script = `for (const entry of ${JSON.stringify(entries)}) await import(entry)
      for (const name of ["viem", "@solana/kit"]) await import(name).then(() => console.log(name), () => {})`
    const { stdout } = await run(process.execPath, ["--input-type=module", "-e", script], { cwd: app, timeout: 60_000 })
    expect(stdout).toBe("")
  })

  it("loads few files when it is imported: neither every module of Effect nor one file for each of its own", async () => {
    const loaded = await loadedBy("corridor")
    expect(loaded.filter((url) => /\/effect\/dist\/(?:[\w-]+\/)?index\.js$/.test(url))).toEqual([])
    expect(loaded.filter((url) => /postgres|undici|pglite|viem/.test(url))).toEqual([])
    expect(loaded.filter((url) => url.includes("/corridor/dist/")).length).toBeLessThan(60)
    expect(loaded.length).toBeLessThan(260)
    // The client needs nothing, and the receiver needs Node.
    const own = /\/corridor\/dist\//
    expect((await loadedBy("corridor/client")).filter((url) => !own.test(url))).toEqual([])
    expect((await loadedBy("corridor/receiver")).filter((url) => !own.test(url) && !url.startsWith("node:"))).toEqual(
      []
    )
  })

  it("has every adapter, and what is read at run time", () => {
    const corridor = join(app, "node_modules", "corridor", "dist")
    const { files } = JSON.parse(readFileSync(join(corridor, "console", "manifest.json"), "utf8")) as {
      readonly files: ReadonlyArray<string>
    }
    const built = readdirSync(join(corridor, "console"), { recursive: true, withFileTypes: true })
    expect(built.filter((entry) => entry.isFile()).length).toBe(files.length + 1)
    for (const file of [
      "http/index.js",
      "cli/main.js",
      "adapters/storage/postgres.js",
      "adapters/storage/migrations/0001_tables.sql"
    ]) {
      expect([file, existsSync(join(corridor, file))]).toEqual([file, true])
    }
  })

  it("has the examples as programs that import it and run", async () => {
    const examples = join(app, "node_modules/corridor/dist/examples")
    for (const name of readdirSync(examples).filter((name) => name.endsWith(".js"))) {
      const imported = [...readFileSync(join(examples, name), "utf8").matchAll(/ from "([^"]+)"/g)].map(
        ([, from]) => from!
      )
      expect([name, imported.filter((from) => from.includes("/src") || from.endsWith(".ts"))]).toEqual([name, []])
    }
    const embedded = readdirSync(examples).filter((name) => name.startsWith("embedded-"))
    expect(embedded.length).toBe(3)
    for (const name of embedded) {
      const { stdout } = await run(process.execPath, [join(examples, name)], { cwd: app, timeout: 240_000 })
      expect([name, stdout.includes("'0.00'")]).toEqual([name, true])
    }
  })

  it("opens an embedded Postgres from its own migrations", async () => {
    writeFileSync(
      join(app, "pglite.mjs"),
      `import { Corridor } from "corridor"
       import { aesGcmCipher, aesKey } from "corridor/adapters/cipher/aes-gcm"
       import { simulatedProvider } from "corridor/adapters/provider/simulated"
       import { pgliteStorage } from "corridor/adapters/storage/pglite"
       import { memoryWebhooks } from "corridor/adapters/webhook/memory"
       const cipher = aesGcmCipher({ keys: [aesKey(Buffer.alloc(32).toString("base64"))] })
       const corridor = await Corridor.start({ storage: pgliteStorage(), provider: simulatedProvider(), webhooks: memoryWebhooks(), cipher })
       console.log((await corridor.merchants.list()).total)
       await corridor.close()`
    )
    const { stdout } = await run(process.execPath, ["pglite.mjs"], { cwd: app, timeout: 240_000 })
    expect(stdout.trim()).toBe("0")
  })
})
