/** The code samples of the documentation: each is valid, and does what the operation does. */
import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { DocumentedOperation } from "../../../src/console/docs/document.ts"
import { languages, writeSample } from "../../../src/console/docs/samples.ts"
import { openApi } from "../../../src/http/openapi.ts"
import { bare } from "../../support/cli/environment.ts"
import { serveHere, type ServedHere } from "../../support/http/served-here.ts"
import { apiKey, operatorToken } from "../../support/http/served-process.ts"
import { covers } from "../../support/repository/covers.ts"

const run = promisify(execFile)
const spec = openApi({ base_url: "http://127.0.0.1:8080", docs_url: "https://docs.example", environment: "test" })
const operations: ReadonlyArray<DocumentedOperation> = Object.entries<object>(spec["paths"]).flatMap(([path, item]) =>
  Object.entries<any>(item).map(([method, node]) => ({
    id: node.operationId,
    method: method.toUpperCase(),
    path,
    tag: node.tags[0],
    summary: node.summary,
    node
  }))
)
const named = (id: string): DocumentedOperation => operations.find((one) => one.id === id)!

let folder: string
let server: ServedHere
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "samples-"))
  // The samples import the client by its name. The link leads to the sources.
  const installed = join(folder, "node_modules", "corridor")
  mkdirSync(installed, { recursive: true })
  symlinkSync(resolve("src"), join(installed, "src"))
  const exports = { "./client": "./src/client/index.ts" }
  writeFileSync(join(installed, "package.json"), JSON.stringify({ name: "corridor", type: "module", exports }))
  server = await serveHere()
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

/** Runs a sample as it is. The output of a failed one begins with `failed`. */
const outputOf = async (operation: DocumentedOperation, language: (typeof languages)[number]): Promise<string> => {
  const env = { ...bare, CORRIDOR_API_KEY: apiKey, CORRIDOR_OPERATOR_TOKEN: operatorToken }
  const text = writeSample(spec, server.url, operation, language)
  const script = language === "TypeScript" ? join(folder, `${operation.id}.mts`) : ""
  if (script !== "") writeFileSync(script, text)
  const commands = {
    curl: ["bash", ["--norc", "-euc", text]],
    TypeScript: [process.execPath, [script]],
    Python: ["python3", ["-c", text]]
  } as const
  const [command, args] = commands[language]
  try {
    return (await run(command, args, { env })).stdout
  } catch (error) {
    return `failed ${(error as { readonly stderr: string }).stderr}`
  }
}

covers("SERVICE-13")
describe("code samples", () => {
  it("are valid in each language, for every operation", async () => {
    const texts = operations.map((operation) => ({
      id: operation.id,
      curl: writeSample(spec, "http://127.0.0.1:8080", operation, "curl"),
      python: writeSample(spec, "http://127.0.0.1:8080", operation, "Python")
    }))
    expect(texts.length).toBeGreaterThan(100)
    const shell = texts.map(({ curl, id }) => `f_${id}() {\n${curl}\n}`).join("\n")
    expect((await run("bash", ["-n", "-c", shell])).stderr).toBe("")
    const file = join(folder, "samples.json")
    writeFileSync(file, JSON.stringify(texts.map(({ python }) => python)))
    await run("python3", [
      "-c",
      "import ast, json, sys\nfor text in json.load(open(sys.argv[1])): ast.parse(text)",
      file
    ])
  })

  it("in TypeScript have the types of the client, for every operation", async () => {
    const files = operations.map((operation) => {
      const file = join(folder, `typed-${operation.id}.mts`)
      writeFileSync(file, writeSample(spec, "http://127.0.0.1:8080", operation, "TypeScript"))
      return file
    })
    const paths = { "corridor/client": [resolve("src/client/index.ts")] }
    const compilerOptions = { paths, typeRoots: [resolve("node_modules/@types")] }
    const project = join(folder, "tsconfig.json")
    writeFileSync(project, JSON.stringify({ extends: resolve("tsconfig.json"), compilerOptions, files, include: [] }))
    const compiler = resolve("node_modules/typescript/bin/tsc")
    const { stdout } = await run(process.execPath, [
      compiler,
      "--checkers",
      "1",
      "--project",
      project,
      "--pretty",
      "false"
    ]).catch((failed: { readonly stdout: string }) => failed)
    expect(stdout).toBe("")
  })

  it.each(languages)("in %s read, write, and act as an operator", async (language) => {
    expect(await outputOf(named("getMe"), language)).toContain("mer_")
    expect(await outputOf(named("createCustomer"), language)).toContain("cust_")
    expect(await outputOf(named("getTrialBalance"), language)).toContain("currencies")
  })

  it.each([
    ["TypeScript", "code: 'not_found'"],
    ["Python", "not_found: "]
  ] as const)("in %s end with the code of a refusal", async (language, code) => {
    const output = await outputOf(named("getTransfer"), language)
    expect(output).toMatch(/^failed/)
    expect(output).toContain(code)
  })

  covers("DOCS-5")
  it("have a key of their own in each language, made before the request, where the operation takes one", () => {
    const made = {
      curl: /^KEY=.+\n[^]*"Idempotency-Key: \$KEY"/,
      TypeScript: /^const idempotencyKey = .+\n[^]*\{ idempotencyKey \}\)/m,
      Python: /^key = .+\n[^]*"Idempotency-Key": key/m
    }
    for (const operation of operations)
      for (const language of languages) {
        const text = writeSample(spec, "http://127.0.0.1:8080", operation, language)
        const isKeyed =
          operation.method === "POST" && !operation.path.startsWith("/sandbox/") && !operation.path.endsWith("/preview")
        expect([operation.id, language, made[language].test(text)]).toEqual([operation.id, language, isKeyed])
        expect(text).not.toContain("uuidgen")
      }
  })

  it.each(languages)("in %s have another key in each run", async (language) => {
    const idIn = (output: string): string => /cust_\w+/.exec(output)?.[0] ?? output
    const first = idIn(await outputOf(named("createCustomer"), language))
    const second = idIn(await outputOf(named("createCustomer"), language))
    expect([first, second]).toEqual([expect.stringMatching(/^cust_/), expect.stringMatching(/^cust_/)])
    expect(second).not.toBe(first)
  })

  it.each(languages)("in %s have the parameters that a query requires", async (language) => {
    expect(await outputOf(named("listSearchResults"), language)).not.toMatch(/^failed|"status":false/)
  })

  it("quote what a shell would read as its own", () => {
    const operation = {
      ...named("createCustomer"),
      node: {
        ...named("createCustomer").node,
        requestBody: { content: { "application/json": { examples: { one: { value: { name: "O'Hara $(id)" } } } } } }
      }
    }
    expect(writeSample(spec, "http://x", operation, "curl")).toContain(`O'\\''Hara $(id)`)
  })
})
