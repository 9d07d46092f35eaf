/** The code that the README, the guides and the concepts show, run as it is: TypeScript in an application, shell in three shells. */
import { execFile, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { delimiter, join } from "node:path"
import { tmpdir } from "node:os"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bare } from "../support/cli/environment.ts"
import { contexts } from "../support/documents/contexts.ts"
import { missingTests, type Snippet, snippetsOf } from "../support/documents/snippets.ts"
import { apiKey, type Served, serve } from "../support/http/served-process.ts"
import { installInto, mistakesIn } from "../support/package/installed.ts"
import { covers } from "../support/repository/covers.ts"
import { filesIn } from "../support/repository/source.ts"

const run = promisify(execFile)

const pages = [
  ...[
    "README.md",
    "docs/chains.md",
    "docs/check-provider.md",
    "docs/provider-protocol.md",
    "docs/providers.md",
    "docs/simulation.md",
    "docs/telemetry.md"
  ],
  ...["docs/guides", "docs/concepts", "docs/questions"].flatMap((folder) => filesIn(folder, ".md"))
]
const snippets = pages.flatMap(snippetsOf)
const isRunHere = ({ by, unrun }: Snippet): boolean => by === undefined && unrun === undefined
const of = (language: string): ReadonlyArray<Snippet> =>
  snippets.filter((snippet) => snippet.language === language && isRunHere(snippet))

/** Where a command is on the PATH. */
const onPath = (accepts: (file: string) => boolean): string | undefined =>
  (process.env["PATH"] ?? "").split(delimiter).find((folder) => accepts(folder))

const freePort = async (): Promise<number> => {
  const probe = createServer().listen(0, "127.0.0.1")
  await new Promise((resolve) => probe.once("listening", resolve))
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

let server: Served
const app = mkdtempSync(join(tmpdir(), "corridor-snippets-"))
beforeAll(async () => {
  server = await serve()
  const more = ["standardwebhooks", "@stablelib/base64", "fast-sha256", "viem", "@solana/kit", "@solana-program/token"]
  await installInto(app, { built: true, more })
})
afterAll(async () => {
  rmSync(app, { recursive: true, force: true })
  server.child.kill()
  await server.exit
})
const environment = (): Record<string, string | undefined> => ({
  ...bare,
  CORRIDOR_URL: server.url,
  CORRIDOR_API_KEY: apiKey
})

describe("what pages show", () => {
  it("is run here, or by a test that exists, or says why not", () => {
    const languages = new Set(["sh", "ts", "json", "csv", "python", "yaml"])
    expect(snippets.filter(({ language }) => !languages.has(language)).map(({ name }) => name)).toEqual([])
    expect([...of("python"), ...of("yaml")].map(({ name }) => name)).toEqual([])
    expect(missingTests(snippets)).toEqual([])
    const unrun = snippets.filter((one) => one.unrun !== undefined)
    const elsewhere = snippets.filter(({ by }) => by !== undefined)
    console.log(
      `${snippets.length} snippets: ${snippets.filter(isRunHere).length} run here, ${elsewhere.length} by other tests, ${unrun.length} not run.`
    )
    for (const { name, unrun: why } of unrun) console.log(`  not run: ${name}: ${why}`)
    expect(unrun.length).toBeLessThanOrEqual(4)
    expect(snippets.filter(isRunHere).length).toBeGreaterThan(10)
  })

  it("is JSON where it says so", () => {
    for (const { code, name } of of("json")) expect(() => JSON.parse(code), name).not.toThrow()
  })
})

const shells = [
  ["bash", "--norc"],
  ["zsh", "-f"],
  ["dash", "-u"]
] as const
const isThere = (shell: string): boolean => spawnSync(shell, ["-c", "exit 0"]).status === 0
const missing = shells.map(([shell]) => shell).filter((shell) => !isThere(shell))
if (missing.length > 0) console.log(`Skipped: no ${missing.join(", no ")} on the PATH.`)

covers("SERVICE-13")
describe("what pages show of the shell", () => {
  /** What a person replaces: the address and the key of the server, and a port that is free here. */
  const runIn = async (shell: string, option: string, { code }: Snippet): Promise<ReadonlyArray<string>> => {
    const port = String(await freePort())
    const mine = code
      .replaceAll("http://127.0.0.1:8080", server.url)
      .replaceAll("sk_test_...", apiKey)
      .replaceAll("127.0.0.1:4000", `127.0.0.1:${port}`)
    const { stdout, stderr } = await run(shell, [option, "-ec", mine], { env: { ...environment(), PORT: port } })
    expect(stderr).toBe("")
    return stdout.trim().split("\n")
  }
  const named = (name: string): Snippet => snippets.find((one) => one.name === name)!

  it("has no comments: an interactive zsh takes them as words", () => {
    for (const { code, name } of snippets.filter(({ language }) => language === "sh"))
      expect([name, /(?:^|\s)#/m.test(code.replaceAll(/'[^']*'/g, "''"))]).toEqual([name, false])
  })

  it("is all run by one of the next tests", () => {
    expect(of("sh").map(({ name }) => name)).toEqual([
      "README.md#a-payout",
      "docs/guides/quickstart.md#quickstart",
      "docs/guides/testing.md#time"
    ])
  })

  const present = shells.filter(([shell]) => !missing.includes(shell))
  it("pays out as the quickstart does, in one shell after the other on one store", async () => {
    for (const [shell, option] of present) {
      const lines = await runIn(shell, option, named("docs/guides/quickstart.md#quickstart"))
      const received = lines.filter((line) => /^[a-z]+\.\w+ #/.test(line)).map((line) => line.split(" ")[0])
      const own = lines.filter((line) => !/^[a-z]+\.\w+ #|^listening on/.test(line))
      expect(own, shell).toEqual([
        "true",
        expect.stringMatching(/^txn_/),
        "500.00",
        "active",
        "success",
        "success",
        "true"
      ])
      expect(new Set(received)).toEqual(
        new Set([
          "deposit.confirmed",
          "offramp.created",
          "offramp.funds_received",
          "offramp.processing",
          "offramp.success"
        ])
      )
    }
  })

  it("pays out as the README does, in all shells at once", async () => {
    const lines = await Promise.all(present.map(([shell, option]) => runIn(shell, option, named("README.md#a-payout"))))
    expect(lines).toEqual(present.map(() => ["500.00", "active", "success"]))
  })

  it.each(present)("settles and moves the clock as the guide to testing does, in %s", async (shell, option) => {
    const [line = ""] = await runIn(shell, option, named("docs/guides/testing.md#time"))
    expect(line.match(/"status":true/g)).toHaveLength(2)
  })
})

describe("what pages show of TypeScript", () => {
  const programs = of("ts")
  const fileOf = (snippet: Snippet): string => `${snippet.name.replaceAll(/[^a-z0-9]+/gi, "-").toLowerCase()}.ts`
  beforeAll(() => {
    for (const snippet of programs) {
      const { after = "", before = "", replaced = [] } = contexts[snippet.name] ?? {}
      const code = replaced.reduce((text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`${snippet.name} has no ${from}`)
        return text.replace(from, to)
      }, snippet.code)
      writeFileSync(join(app, fileOf(snippet)), `${before}\n${code}\n${after}\nexport {}\n`)
    }
  })

  it("compiles in strict mode with the types of the package", async () => {
    expect(await mistakesIn(app)).toEqual([])
    expect(programs.length).toBeGreaterThan(6)
  })

  it("is known here: each program has its output", () => {
    expect(Object.keys(contexts).toSorted()).toEqual(programs.map(({ name }) => name).toSorted())
  })

  it.each(programs.map((snippet) => [snippet.name, snippet] as const))("runs: %s", async (name, snippet) => {
    const { stdout } = await run(process.execPath, [fileOf(snippet)], { cwd: app, env: environment(), timeout: 60_000 })
    const lines = stdout.split("\n").filter((line) => line !== "" && !/level=|INFO/.test(line))
    expect(lines).toEqual(contexts[name]!.output)
  })

  const oldest = onPath((folder) =>
    (spawnSync(join(folder, "node"), ["-v"], { encoding: "utf8" }).stdout ?? "").startsWith("v20.")
  )
  const why = oldest === undefined ? " (skipped: no Node 20 on the PATH)" : ""
  it.skipIf(oldest === undefined)(`runs what receives webhooks on Node 20, compiled${why}`, async () => {
    for (const name of ["docs/guides/webhooks.md#the-receiver", "docs/guides/webhooks.md#what-is-sent"]) {
      const file = join("out", fileOf(programs.find((one) => one.name === name)!).replace(/\.ts$/, ".js"))
      const { stdout } = await run(join(oldest!, "node"), [file], { cwd: app, env: environment() })
      expect(stdout.trim().split("\n"), name).toEqual(contexts[name]!.output)
    }
  })

  covers("CLI-15")
  it.skipIf(oldest === undefined)(`says on Node 20 which Node it needs, and does nothing${why}`, async () => {
    const command = ["node_modules/corridor/dist/cli/main.js", "serve"]
    const failed = await run(join(oldest!, "node"), command, { cwd: app, env: environment() }).catch(
      (error: { readonly code: number; readonly stderr: string }) => error
    )
    expect(failed).toMatchObject({ code: 3 })
    expect(failed.stderr).toMatch(/^corridor: Node 22\.19\.0 or later is required; this is 20\.\d+\.\d+\.\n$/)
  })

  it.skipIf(oldest === undefined)(`says so on import on Node 20, before anything else fails${why}`, async () => {
    const entries = [
      "corridor",
      "corridor/http",
      "corridor/config",
      "corridor/testing",
      "corridor/adapters/storage/pglite"
    ]
    const script = `for (const entry of ${JSON.stringify(entries)})
      await import(entry).then(() => console.log("imported"), ({ message, stack }) => console.log(stack === message, message))`
    const { stdout } = await run(join(oldest!, "node"), ["--input-type=module", "-e", script], {
      cwd: app,
      env: environment()
    })
    const line = /^true corridor: Node 22\.19\.0 or later is required; this is 20\.\d+\.\d+\.$/
    expect(stdout.trimEnd().split("\n")).toEqual(entries.map(() => expect.stringMatching(line)))
  })
})
