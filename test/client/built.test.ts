/** The client as its users have it: built, type-checked by their compiler settings, and run by other runtimes. */
import { execFile } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { addCommonJs } from "../../scripts/client/commonjs.ts"
import { bare } from "../support/cli/environment.ts"
import { type Api, startApi } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

const run = promisify(execFile)
const compiler = resolve("node_modules/typescript/bin/tsc")
const app = mkdtempSync(join(tmpdir(), "corridor-client-"))
const dist = join(app, "node_modules/corridor/dist")
let api: Api

const write = (name: string, text: string): void => {
  mkdirSync(dirname(join(app, name)), { recursive: true })
  writeFileSync(join(app, name), text)
}

/** What the consumers do: the same in ESM and CommonJS. */
const program = `
const corridor = createClient({ baseUrl: process.env["CORRIDOR_URL"] ?? "", apiKey: process.env["CORRIDOR_API_KEY"] ?? "" })
const main = async (): Promise<void> => {
  const wallet = await corridor.wallets.create({ currency: "USDC", label: "treasury" }, { idempotencyKey: "wallet-1042" })
  const found: Array<string> = []
  for await (const { id } of corridor.wallets.list({ currency: "USDC" })) found.push(id)
  const missing = await corridor.transfers.get("tfr_01j9z3k4m5n6p7q8r9s0t1v2w3").catch((error: unknown) => error)
  if (!(missing instanceof CorridorError)) throw new Error(String(missing))
  const code: "not_found" | undefined = missing.code === "not_found" ? missing.code : undefined
  const forged = await webhooks.verify("{}", { "webhook-id": "msg_1", "webhook-timestamp": "1", "webhook-signature": "v1,AA" }, "whsec_AAAA").catch((error: unknown) => error)
  console.log(JSON.stringify([found.includes(wallet.id), code, String(forged)]))
}
void main()
`
const expected = [true, "not_found", "WebhookError: the delivery is rejected: stale"]
const names = "createClient, CorridorError, webhooks"

/** The folders of consumers: their module format, and the settings of their compiler. */
const consumers = {
  esm: { type: "module", module: "nodenext", lib: ["ES2022", "DOM"], types: [] },
  commonjs: { type: "commonjs", module: "node16", lib: ["ES2022"], types: ["node"] },
  bundler: { type: "module", module: "preserve", lib: ["ES2022", "DOM"], types: [] }
} as const

beforeAll(async () => {
  api = await startApi()
  write("tsconfig.json", "")
  const options = {
    outDir: dist,
    rootDir: resolve("src"),
    noEmit: false,
    declaration: true,
    typeRoots: [resolve("node_modules/@types")]
  }
  write(
    "tsconfig.json",
    JSON.stringify({
      extends: resolve("tsconfig.json"),
      compilerOptions: options,
      files: [resolve("src/client/index.ts")],
      include: []
    })
  )
  await run(process.execPath, [compiler, "--checkers", "1", "-p", app])
  await addCommonJs(dist)
  cpSync("package.json", join(app, "node_modules/corridor/package.json"))
  mkdirSync(join(app, "node_modules/@types"), { recursive: true })
  symlinkSync(resolve("node_modules/@types/node"), join(app, "node_modules/@types/node"))
  symlinkSync(resolve("node_modules/undici-types"), join(app, "node_modules/undici-types"))
  for (const [name, { type, ...settings }] of Object.entries(consumers)) {
    write(`${name}/package.json`, JSON.stringify({ type }))
    const compilerOptions = {
      target: "es2022",
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: name === "bundler",
      skipLibCheck: false,
      ...settings
    }
    write(`${name}/tsconfig.json`, JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    const globals =
      name === "commonjs" ? "" : "declare const process: { readonly env: Record<string, string | undefined> }\n"
    write(`${name}/main.ts`, `import { ${names} } from "corridor/client"\n${globals}${program}`)
  }
})
afterAll(async () => {
  await api.close()
  rmSync(app, { recursive: true, force: true })
})

const env = () => ({ ...bare, CORRIDOR_URL: api.base, CORRIDOR_API_KEY: api.key })

/** Node 20 where it is installed. */
const oldest = "/usr/bin/node"

covers("CLIENT-6")
describe("the built client", () => {
  it.each(Object.keys(consumers))("compiles under the settings of %s, its own types included", async (name) => {
    const { stdout } = await run(process.execPath, [
      compiler,
      "--checkers",
      "1",
      "-p",
      join(app, name),
      "--pretty",
      "false"
    ]).catch((failed: { readonly stdout: string }) => failed)
    expect(stdout.split("\n").filter((line) => line.includes("error"))).toEqual([])
  })

  const runtimes = [process.execPath, oldest].filter(existsSync)
  it.each(runtimes.flatMap((runtime) => [[runtime, "esm"] as const, [runtime, "commonjs"] as const]))(
    "runs on %s from %s",
    async (runtime, name) => {
      await run(process.execPath, [compiler, "--checkers", "1", "-p", join(app, name)])
      const { stdout } = await run(runtime, [join(app, name, "main.js")], { env: env() })
      expect(JSON.parse(stdout)).toEqual(expected)
    }
  )

  it("does what the guide shows", async () => {
    const shown = [...readFileSync("docs/guides/client.md", "utf8").matchAll(/```ts\n([\s\S]*?)```/g)].map(
      ([, code = ""]) => code
    )
    write("guide/package.json", JSON.stringify({ type: "module" }))
    write("guide/main.ts", shown.join("\n"))
    const compilerOptions = { target: "es2022", module: "nodenext", strict: true, types: ["node"] }
    write("guide/tsconfig.json", JSON.stringify({ compilerOptions, include: ["*.ts"] }))
    const checked = await run(process.execPath, [
      compiler,
      "--checkers",
      "1",
      "-p",
      join(app, "guide"),
      "--pretty",
      "false"
    ]).catch((failed: { readonly stdout: string }) => failed)
    expect(checked.stdout).toBe("")
    const { stdout } = await run(process.execPath, [join(app, "guide", "main.js")], { env: env() })
    expect(stdout.trim().split("\n")).toEqual([
      "500.00",
      "true true",
      "bad_request: source_amount",
      "true true",
      "offramp created",
      "deposit success"
    ])
  })

  it("is small, alone, and has nothing of Node", async () => {
    const bundle = async (minify: boolean) => {
      const entryPoints = [join(dist, "client/index.js")]
      const { outputFiles } = await build({
        entryPoints,
        bundle: true,
        format: "esm",
        platform: "browser",
        minify,
        write: false
      })
      return outputFiles[0]!.text
    }
    const text = await bundle(true)
    expect(gzipSync(text).length).toBeLessThan(9_000)
    expect(await bundle(false)).not.toMatch(/\b(?:require|process|Buffer)\b|node:/)
    expect(readFileSync(join(dist, "client/index.cjs"), "utf8")).not.toMatch(/\brequire\(/)
  })
})
