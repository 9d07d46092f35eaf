/**
 * Mutation tests of the code that money and trust depend on: `npm run mutation`, or `npm run mutation -- quotes
 * signing` for some.
 *
 * Each mutant changes one place in the source. A mutant that no test detects has survived. Prints the score of each
 * file and, with `-- --survivors`, every surviving mutant. Exits with 1 when a target scores below {@link least}.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"

/** The lowest score of a target, in percent of its mutants. */
const least = 80

interface Target {
  /** Files, or a part of one between two of its lines, each given by its beginning. */
  readonly mutate: ReadonlyArray<string | readonly [path: string, from: string, to: string]>
  /** Tests that need no database. */
  readonly tests: ReadonlyArray<string>
  /**
   * Leaves out code that runs once when a module loads (schemas, names): each such mutant would load the engine anew.
   */
  readonly isLive?: boolean
}

const targets: Readonly<Record<string, Target>> = {
  money: {
    mutate: ["src/machines/kernel/money.ts"],
    tests: ["test/kernel/money.test.ts", "test/property/arithmetic.test.ts"]
  },
  pricing: {
    mutate: ["src/machines/kernel/pricing.ts"],
    tests: ["test/property/pricing.test.ts", "test/engine/ports/pricing.test.ts", "test/engine/ports/rates.test.ts"]
  },
  kernel: {
    mutate: ["ledger", "lifecycle", "outcome", "payout"].map((name) => `src/machines/kernel/${name}.ts`),
    tests: ["test/kernel/*.test.ts", "test/property/machines.test.ts", "test/property/golden.test.ts"]
  },
  quotes: {
    mutate: ["src/engine/resources/movements/quote.ts"],
    tests: [
      "test/property/quotes.test.ts",
      "test/engine/resources/quotes.test.ts",
      "test/http/refusals/movements.test.ts",
      "test/http/refusals/ramps.test.ts"
    ],
    isLive: true
  },
  unitOfWork: {
    mutate: ["src/engine/commit/UnitOfWork.ts"],
    tests: ["test/engine/commit/unit-of-work.test.ts"],
    isLive: true
  },
  idempotency: {
    mutate: [
      ["src/engine/commit/idempotency.ts", "export class InFlight", "const toRecordKey ="],
      ["src/engine/calls/executor.ts", "      const key = keyed ?", "    const operate"],
      ["src/http/request.ts", "export const computeFingerprint", "/** The version an `If-Match` names"]
    ],
    tests: [
      "test/property/idempotency.test.ts",
      "test/engine/calls/in-flight.test.ts",
      "test/http/requests/keyed.test.ts"
    ],
    isLive: true
  },
  signing: {
    mutate: ["src/engine/crypto/signing.ts", "src/receiver/verify.ts"],
    tests: ["test/engine/crypto/signing.test.ts", "test/receiver/receiver.test.ts"]
  }
}

const here = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url))
const report = here("node_modules/.stryker-report.json")
const stryker = here("tools/mutation/node_modules/@stryker-mutator/core/bin/stryker.js")

interface Mutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: "Killed" | "Survived" | "NoCoverage" | "Timeout" | "RuntimeError" | "CompileError" | "Ignored"
  readonly location: { readonly start: { readonly line: number; readonly column: number } }
}

interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: ReadonlyArray<Mutant> }>>
}

const run = (name: string, { mutate, tests, isLive = false }: Target): Report => {
  rmSync(report, { force: true })
  const concurrency = String(Math.max(1, availableParallelism() >> 1))
  const args = [
    "run",
    "tools/mutation/stryker.config.mjs",
    "--mutate",
    // A Stryker pattern for a part of a file. Errors: throws when a line no longer exists.
    mutate
      .map((part) => {
        if (typeof part === "string") return part
        const [path, from, to] = part
        const lines = readFileSync(here(path), "utf8").split("\n")
        const first = lines.findIndex((line) => line.startsWith(from))
        const last = lines.findIndex((line, at) => at > first && line.startsWith(to))
        if (first < 0 || last < 0)
          throw new Error(`${path} has no lines from ${JSON.stringify(from)} to ${JSON.stringify(to)}`)
        return `${path}:${first + 1}-${last}`
      })
      .join(","),
    "--concurrency",
    concurrency,
    ...(isLive ? ["--ignoreStatic"] : [])
  ]
  const { status } = spawnSync(process.execPath, [stryker, ...args], {
    cwd: here(""),
    env: { ...process.env, MUTATION_TESTS: tests.join(" ") },
    stdio: ["ignore", "inherit", "inherit"]
  })
  if (status !== 0 || !existsSync(report)) throw new Error(`cannot run the mutation tests of ${name}`)
  return JSON.parse(readFileSync(report, "utf8")) as Report
}

const install = (): void => {
  if (existsSync(stryker)) return
  const { status } = spawnSync("npm", ["ci", "--prefix", "tools/mutation"], { cwd: here(""), stdio: "inherit" })
  if (status !== 0) throw new Error("cannot install tools/mutation")
}

const isNoticed = ({ status }: Mutant): boolean => status === "Killed" || status === "Timeout"
const isMissed = ({ status }: Mutant): boolean => status === "Survived" || status === "NoCoverage"
const score = (all: ReadonlyArray<Mutant>): number => {
  const noticed = all.filter(isNoticed).length
  const counted = noticed + all.filter(isMissed).length
  return counted === 0 ? 100 : (100 * noticed) / counted
}

const row = (name: string, all: ReadonlyArray<Mutant>): string => {
  const counts = [all.filter(isNoticed), all.filter(isMissed)].map(({ length }) => String(length).padStart(8))
  return `${name.padEnd(36)}${counts.join("")}${score(all).toFixed(1).padStart(8)} %`
}

const args = process.argv.slice(2)
const showsSurvivors = args.includes("--survivors")
const wanted = args.filter((arg) => !arg.startsWith("--"))
const unknown = wanted.filter((name) => targets[name] === undefined)
if (unknown.length > 0) {
  process.stderr.write(`unknown target ${unknown.join(", ")}; the targets are ${Object.keys(targets).join(", ")}\n`)
  process.exit(2)
}

install()
const lines: Array<string> = []
let isEnough = true
for (const [name, target] of Object.entries(targets)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  const { files } = run(name, target)
  for (const [path, { mutants, source }] of Object.entries(files)) {
    lines.push(row(path.replace(/^src\//, "  "), mutants))
    if (!showsSurvivors) continue
    const text = source.split("\n")
    for (const { status, mutatorName, location, replacement } of mutants.filter(isMissed))
      lines.push(
        `      ${location.start.line}:${location.start.column} ${status} ${mutatorName}: ${text[location.start.line - 1]!.trim()}`,
        `        ${(replacement ?? "").replace(/\s+/g, " ").slice(0, 160)}`
      )
  }
  const all = Object.values(files).flatMap(({ mutants }) => mutants)
  lines.push(row(name, all))
  isEnough &&= score(all) >= least
}
process.stdout.write(`\n${"".padEnd(36)} noticed  missed   score\n${lines.join("\n")}\n`)
process.exit(isEnough ? 0 : 1)
