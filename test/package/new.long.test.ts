/** `npm run new` in a copy of the repository: what it writes works, and fails only where its author must decide. */
import { execFile } from "node:child_process"
import { cpSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { askedOf } from "../../scripts/new.ts"
import { bare } from "../support/cli/environment.ts"

const run = promisify(execFile)
const root = fileURLToPath(new URL("../..", import.meta.url))
const skipped = new Set(["node_modules", ".git", "dist"])

const folder = realpathSync(mkdtempSync(join(tmpdir(), "corridor-new-")))
const copy = join(folder, "copy")
const reported = join(folder, "report.json")
const config = join(folder, "vitest.config.mjs")
beforeAll(() => {
  cpSync(root, copy, { recursive: true, filter: (path) => !skipped.has(basename(path)) })
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A command in the copy, with an environment of its own: this test's would make a nested run part of it. */
const inCopy = async (file: string, ...args: ReadonlyArray<string>): Promise<Ended> => {
  const env = { ...bare, HOME: process.env["HOME"] }
  return run(file, args, { cwd: copy, env, maxBuffer: 1 << 26 }).then(
    (ended) => ({ ...ended, code: 0 }),
    (failed: Ended) => failed
  )
}
const bin = (name: string, ...args: ReadonlyArray<string>) => inCopy(join(copy, "node_modules/.bin", name), ...args)
const create = (...args: ReadonlyArray<string>) => inCopy(process.execPath, "scripts/new.ts", ...args)

/** The files of the copy that are not as they are here, or are not here. Tests beside this one write into none of these folders. */
const changes = async (): Promise<ReadonlyArray<string>> => {
  const compared = await Promise.all(
    ["docs", "src", "test"].map((name) => inCopy("diff", "-rq", join(root, name), join(copy, name)))
  )
  const pathOf = (line: string): string =>
    line.replace(/^Only in (.*): (.*)$/, "$1/$2").replace(/^Files .* and (.*) differ$/, "$1")
  return compared
    .flatMap(({ stdout }) => stdout.split("\n"))
    .filter((line) => line !== "")
    .map((line) => pathOf(line).replace(`${copy}/`, ""))
    .toSorted()
}

interface Report {
  readonly numPassedTests: number
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{
      readonly status: string
      readonly failureMessages: ReadonlyArray<string>
    }>
  }>
}

describe("npm run new", () => {
  it("refuses what it cannot write, and says why", () => {
    const refusals: ReadonlyArray<readonly [string, string]> = [
      ["Refund", '"Refund" is no name'],
      ["", '"" is no name'],
      ["refund chargeback", "One name at a time"],
      ["transfer", "The name transfer is taken"],
      ["return", "The name return means something else"],
      ["refund --prefix tfr", "The prefix tfr is in use by transfer"],
      ["refund --prefix evt", "The prefix evt is in use"],
      ["refund --prefix r", "not of 2 to 7 letters"],
      ["refund --subject money", "There is no subject money. The subjects are access"],
      ["refund --folder money", "--folder"]
    ]
    expect(refusals.map(([args]) => [args, askedOf(args.split(" "))])).toEqual(
      refusals.map(([args, message]) => [args, expect.stringContaining(message)])
    )
  })

  it("ends with 1 where it refuses, and writes nothing", async () => {
    const { code, stdout, stderr } = await create("refund", "--prefix", "evt")
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining("The prefix evt is in use")])
    expect(await changes()).toEqual([])
  })

  it("writes a resource that works, and fails its scenario where its author must decide", {
    timeout: 400_000
  }, async () => {
    const { code, stdout, stderr } = await create("refund", "--subject", "movements")
    expect([code, stderr]).toEqual([0, ""])
    expect(await changes()).toEqual([
      "src/engine/operations/index.ts",
      "src/engine/operations/movements/refund.ts",
      "src/engine/registry.ts",
      "src/engine/representations/movements/refund.ts",
      "src/engine/resources/movements/refund.ts",
      "src/machines/movements/refund.ts",
      "test/scenarios/movements/refund.test.ts"
    ])
    const added = (path: string): number =>
      readFileSync(join(copy, path), "utf8").split("\n").length -
      readFileSync(join(root, path), "utf8").split("\n").length
    expect([added("src/engine/operations/index.ts"), added("src/engine/registry.ts")]).toEqual([1, 1])

    for (const script of /npm run .*/.exec(stdout)![0].split(" && ")) {
      const ended = await inCopy("npm", ...script.split(" ").slice(1))
      expect(ended.code, `${script}: ${ended.stderr}`).toBe(0)
    }

    // A hook that starts a server takes longer than ten seconds, the limit otherwise, on a loaded machine.
    const limits = { testTimeout: 60_000, hookTimeout: 120_000 }
    const experimental = { viteModuleRunner: false, nodeLoader: false }
    const env = { CORRIDOR_TEST_STORES: "memory" }
    const test = { ...limits, experimental, pool: "forks", maxWorkers: 1, isolate: false, env }
    writeFileSync(config, `export default ${JSON.stringify({ cacheDir: ".", test })}`)
    // The tests beside those that it has written do not know of it: `npm run check:types` compiles them, for longer than all else here.
    const include = ["src", "test/support", "test/citus/global-setup.ts", "test/scenarios/movements/refund.test.ts"]
    writeFileSync(join(copy, "tsconfig.new.json"), JSON.stringify({ extends: "./tsconfig.json", include }))
    const tests = [
      "test/tidy.test.ts",
      "test/scenarios/movements/refund.test.ts",
      "test/property/golden.test.ts",
      "test/property/documents.test.ts",
      "test/http/document/contract.test.ts",
      "test/http/document/descriptions.test.ts"
    ]
    const changed = await changes()
    const written = changed.filter((path) => path.endsWith("/refund.ts"))
    const [types, format, lint] = await Promise.all([
      // One checker: several check what they share once each.
      bin("tsc", "--noEmit", "--checkers", "1", "--project", "tsconfig.new.json"),
      bin("biome", "format", ...changed),
      bin("oxlint", ...written),
      bin("vitest", "run", "--root", copy, "--config", config, "--reporter", "json", "--outputFile", reported, ...tests)
    ])
    expect(types.code, types.stdout).toBe(0)
    expect(format.code, format.stderr).toBe(0)
    expect(lint.code, lint.stdout).toBe(0)
    const report = JSON.parse(readFileSync(reported, "utf8")) as Report
    const failures = report.testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status !== "passed")
      .map(({ failureMessages }) => /Decide their (\w+)/.exec(failureMessages.join())?.[1] ?? failureMessages)
    expect(failures.toSorted()).toEqual(["data", "law", "lifecycle", "rules", "specimen"])
    expect(report.numPassedTests).toBeGreaterThan(150)
  })
})
