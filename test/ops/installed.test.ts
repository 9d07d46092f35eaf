/**
 * The package as an installation of its own, with the packages that npm brings: its size, the steps of the Containerfile, and
 * a consumer in CommonJS. Run `npm run build` first.
 */
import { execFile, spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { DockerfileParser } from "dockerfile-ast"
import { validate } from "dockerfile-utils"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { listSettings } from "../support/ops/known-settings.ts"

const run = promisify(execFile)
const root = mkdtempSync(join(tmpdir(), "corridor-installed-"))
chmodSync(root, 0o755)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const text = readFileSync("ops/container/Containerfile", "utf8")
const instructions = DockerfileParser.parse(text).getInstructions()
const argumentsOf = (keyword: string): ReadonlyArray<string> =>
  instructions.filter((one) => one.getKeyword() === keyword).map((one) => one.getArgumentsContent() ?? "")
const listIn = (form: string): ReadonlyArray<string> => JSON.parse(form) as ReadonlyArray<string>

/** What `npm install` of the Containerfile makes, in a folder of its own. `image`: with its other steps. */
const installed = { whole: join(root, "whole"), slim: join(root, "slim") }
const image = join(root, "image")

beforeAll(async () => {
  await run("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", root])
  const packed = readdirSync(root).filter((name) => /^corridor-.*\.tgz$/.test(name))
  const [step = ""] = argumentsOf("RUN").filter((one) => one.startsWith("npm install "))
  const options = step.split(" ").slice(2, -1)
  if (packed.length !== 1 || !options.includes("--omit=dev")) throw new Error(`${packed.join()} ${step}`)
  for (const [folder, more] of [
    [installed.whole, []],
    [installed.slim, ["--omit=optional"]]
  ] as const) {
    mkdirSync(folder)
    await run("npm", ["install", ...options, "--prefer-offline", ...more, join(root, packed[0]!)], { cwd: folder })
  }
  cpSync(installed.whole, image, { recursive: true })
  const after = argumentsOf("RUN").slice(argumentsOf("RUN").indexOf(step) + 1)
  for (const one of after.filter((text) => text.includes("node_modules"))) await run("sh", ["-c", one], { cwd: image })
})

const packagesIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(folder, "node_modules"))
    .flatMap((name) =>
      name.startsWith("@") ? readdirSync(join(folder, "node_modules", name)).map((inner) => `${name}/${inner}`) : [name]
    )
    .filter((name) => !name.startsWith("."))

/** Megabytes of its files, each package rounded up. What a file system adds to a thousand small files is not of the package. */
const sizeOf = (path: string): number =>
  Number(spawnSync("du", ["-sm", "--apparent-size", path], { encoding: "utf8" }).stdout.split("\t")[0])

/** Another user than root, who owns nothing of the installation. */
const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

/** The server as the image starts it. `end` stops it, and gives its exit code. */
const started = async (folder: string, env: Record<string, string>, options: ReadonlyArray<string> = []) => {
  const home = mkdtempSync(join(root, "home-"))
  if (nobody.uid !== undefined) chownSync(home, nobody.uid, nobody.gid)
  const [entry, command] = [argumentsOf("ENTRYPOINT"), argumentsOf("CMD")].map((found) => listIn(found.at(-1)!))
  const [node, ...args] = [...entry!, ...command!].map((one) => one.replace("/opt/corridor", folder))
  expect(node).toBe("node")
  const child = spawn(process.execPath, [...options, ...args], {
    ...nobody,
    cwd: home,
    env: { PATH: process.env["PATH"], HOST: "127.0.0.1", PORT: "0", ...env }
  })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += String(chunk)))
  const exit = new Promise<number | null>((done) => child.once("close", done))
  void exit.then(() => (output += " ended"))
  await expect.poll(() => output, { timeout: 90_000 }).toMatch(/listens on http:\S+|ended$/)
  const port = /listens on http:[^ ]+:(\d+)/.exec(output)?.[1]
  if (port !== undefined)
    await expect.poll(() => fetch(`http://127.0.0.1:${port}/health/ready`)).toMatchObject({ ok: true })
  return {
    home,
    output: () => output,
    port,
    end: () => {
      child.kill("SIGTERM")
      return exit
    }
  }
}

describe("the installed package", () => {
  it("brings what is used, and nothing else", () => {
    const common = [
      "@noble/hashes",
      "@scure/base",
      "big.js",
      "corridor",
      "csv-parse",
      "csv-stringify",
      "effect",
      "ipaddr.js",
      "postgres",
      "saxes",
      "ulid",
      "undici",
      "xmlchars",
      "xstate"
    ]
    expect(packagesIn(installed.slim).toSorted()).toEqual(common)
    expect(packagesIn(installed.whole).toSorted()).toEqual([...common, "@electric-sql/pglite"].toSorted())
  })

  it("is as small as its two largest packages allow", () => {
    const sizes = Object.entries(installed).map(([name, folder]) => {
      const modules = join(folder, "node_modules")
      const parts = packagesIn(folder).map((one) => `${one} ${sizeOf(join(modules, one))}`)
      return [name, sizeOf(modules), parts.join(", ")] as const
    })
    for (const [name, megabytes, parts] of sizes) console.log(`${name}: ${megabytes} MB (${parts})`)
    const ofTheRest = (folder: string): number =>
      packagesIn(folder)
        .filter((one) => one !== "effect" && one !== "@electric-sql/pglite")
        .reduce((sum, one) => sum + sizeOf(join(folder, "node_modules", one)), 0)
    // `effect` has 61 MB with its sources and maps, and PGlite 27. Both are installed as they are published.
    // Corridor's own 16 MB have its documents and examples; 1 MB is the document of the API. What reads CSV and XML is 3 MB in four packages,
    // of which each counts in whole megabytes.
    expect(ofTheRest(installed.whole)).toBeLessThan(35)
    expect(sizeOf(join(installed.slim, "node_modules"))).toBeLessThan(82)
    expect(sizeOf(join(installed.whole, "node_modules"))).toBeLessThan(109)
    console.log(`image: ${sizeOf(join(image, "node_modules"))} MB`)
    expect(sizeOf(join(image, "node_modules"))).toBeLessThan(65)
  })

  it("names the package of the embedded Postgres where it is left out, and serves without it", async () => {
    const lacking = await started(installed.slim, {})
    expect(await lacking.end()).toBe(1)
    expect(lacking.output()).toContain(
      "corridor: the store pglite:.corridor (DATABASE_URL) cannot be used: a pglite: store requires the package @electric-sql/pglite, which is not installed: npm install @electric-sql/pglite\n"
    )
    // Node's permissions: it reads, and writes nowhere.
    const serving = await started(installed.slim, { DATABASE_URL: "memory:" }, ["--permission", "--allow-fs-read=*"])
    expect(serving.port).toMatch(/^\d+$/)
    expect(readdirSync(serving.home)).toEqual([])
    expect(await serving.end()).toBe(0)
  })

  it("compiles for a consumer in CommonJS with TypeScript's node16", async () => {
    const app = join(installed.whole, "app")
    mkdirSync(app)
    writeFileSync(join(app, "package.json"), JSON.stringify({ name: "app", private: true, type: "commonjs" }))
    const entries = [
      "",
      "/http",
      "/config",
      "/receiver",
      "/testing",
      "/client",
      "/adapters/storage/postgres",
      "/adapters/provider/custom"
    ]
    const code = [
      ...entries.map((entry, at) => `import entry${at} = require("corridor${entry}")`),
      `export const used = [${entries.map((_, at) => `entry${at}`).join(", ")}]`,
      `import { memoryStorage } from "corridor/adapters/storage/memory"`,
      `export const start = () => entry0.Corridor.start({ storage: memoryStorage() } as never)`,
      `if (typeof memoryStorage !== "function" || used.length !== ${entries.length}) throw new Error("not loaded")`,
      `console.log("loaded")`
    ]
    writeFileSync(join(app, "index.ts"), code.join("\n"))
    mkdirSync(join(app, "node_modules", "@types"), { recursive: true })
    const types = resolve("node_modules/@types/node")
    writeFileSync(
      join(app, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          module: "node16",
          target: "es2022",
          strict: true,
          skipLibCheck: true,
          typeRoots: [resolve(types, "..")],
          types: ["node"]
        },
        files: ["index.ts"]
      })
    )
    const compiler = resolve("node_modules/typescript/bin/tsc")
    const { output, status } = spawnSync(
      process.execPath,
      [compiler, "-p", app, "--pretty", "false", "--checkers", "1"],
      {
        encoding: "utf8"
      }
    )
    expect([output.join(""), status]).toEqual(["", 0])
    const { stdout } = await run(process.execPath, [join(app, "index.js")], { cwd: app, timeout: 60_000 })
    expect(stdout).toBe("loaded\n")
  })
})

describe("ops/container", () => {
  it("passes a linter, and has two stages of one pinned image", () => {
    expect(validate(text).map(({ message }) => message)).toEqual([])
    const [build, final] = argumentsOf("FROM")
    expect(build).toBe(`${final} AS build`)
    const { devDependencies } = JSON.parse(readFileSync("package.json", "utf8")) as {
      readonly devDependencies: Readonly<Record<string, string>>
    }
    expect(final).toBe(`docker.io/library/node:${devDependencies["node"]}-bookworm-slim`)
    const last = instructions.map((one) => one.getKeyword()).lastIndexOf("FROM")
    const steps = instructions.slice(last).map((one) => one.getKeyword())
    expect(steps.indexOf("USER")).toBeLessThan(steps.indexOf("ENTRYPOINT"))
    expect(argumentsOf("USER")).toEqual(["node"])
  })

  it("copies what the build needs, and sets only settings that exist", () => {
    const copied = instructions.filter(
      (one) => one.getKeyword() === "COPY" && !one.getTextContent().includes("--from=")
    )
    for (const source of copied.flatMap((one) => one.getArguments().map(String).slice(0, -1)))
      expect([source, existsSync(source)]).toEqual([source, true])
    const ignored = readFileSync(".dockerignore", "utf8").split("\n")
    expect(ignored).toEqual(expect.arrayContaining([".git", "node_modules"]))
    const names = argumentsOf("ENV").flatMap((one) => [...one.matchAll(/(\w+)=/g)].map(([, name = ""]) => name))
    const known = listSettings()
    expect(names.filter((name) => name !== "NODE_ENV" && !known.has(name))).toEqual([])
  })

  it("serves the default store as another user, and its health check sees it", async () => {
    const served = await started(image, {})
    expect(served.output()).toMatch(/\(test, pglite:\.corridor\)/)
    expect(readdirSync(served.home)).toEqual([".corridor"])
    const [check = ""] = argumentsOf("HEALTHCHECK")
    const [node, ...args] = listIn(check.slice(check.indexOf("[")))
    expect(node).toBe("node")
    const health = (port: string): number | null =>
      spawnSync(process.execPath, args, { env: { PATH: process.env["PATH"], PORT: port }, timeout: 30_000 }).status
    expect([health(served.port!), health("1")]).toEqual([0, 1])
    expect(await served.end()).toBe(0)
  })
})
