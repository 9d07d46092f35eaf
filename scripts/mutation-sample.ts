/**
 * Mutants drawn at random over all of `src`: `npm run mutation:sample -- --sample 400 --seed 1`. Prints which share of them a test
 * notices, by room, and every mutant that none does. Only the tests that run the mutated function are asked, the nearest first, until
 * they take `--seconds` of a processor.
 *
 * Which tests run what is measured by `npm run mutation:reach`, which takes the time of all tests.
 */
import { spawnSync } from "node:child_process"
import { cpSync, existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { secondsOf } from "../test/support/repository/seconds.ts"
import type { Reach } from "../test/support/repository/reach.ts"
import { startMigratedServer } from "../test/support/stores/migrated-server.ts"
import { copySources, eachOf, runVitest } from "./seeded.ts"
import { statementMutants } from "./statement-mutants.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** A text of a source, and what stands there instead. Offsets count UTF-16 units. */
export interface Mutant {
  readonly path: string
  readonly start: number
  readonly end: number
  readonly mutator: string
  readonly replacement: string
  /** The innermost function that it is in. Null: it runs once, when its module loads, or is a statement of a store. */
  readonly within: readonly [start: number, end: number] | null
}

const { values } = parseArgs({
  options: {
    sample: { type: "string", default: "400" },
    seed: { type: "string", default: "1" },
    workers: { type: "string", default: String(availableParallelism()) },
    /** Processor seconds of tests for one mutant. */
    seconds: { type: "string", default: "12" },
    /** A part of the paths to draw from. */
    only: { type: "string", default: "src/" },
    reach: { type: "string", default: join(root, "node_modules/.cache/reach.jsonl") },
    json: { type: "string" }
  }
})
const mostSeconds = Number(values.seconds)

/** Equal seeds give equal numbers: xorshift of 32 bits, in [0, 1). */
const randomOf = (seed: number): (() => number) => {
  let state = (seed * 2654435761) >>> 0 || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
}

/** As many of the items as are wanted, each as likely. */
const drawSample = <A>(items: ReadonlyArray<A>, count: number, random: () => number): ReadonlyArray<A> => {
  const left = [...items]
  return Array.from(
    { length: Math.min(count, left.length) },
    () => left.splice(Math.floor(random() * left.length), 1)[0]!
  )
}

const mutantsIn = (paths: ReadonlyArray<string>): ReadonlyArray<Mutant> => {
  if (!existsSync(join(root, "tools/mutation/node_modules"))) {
    const { status } = spawnSync("npm", ["ci", "--prefix", "tools/mutation"], { cwd: root, stdio: "inherit" })
    if (status !== 0) throw new Error("cannot install tools/mutation")
  }
  const { status, stdout } = spawnSync(process.execPath, ["tools/mutation/mutants.mjs"], {
    cwd: root,
    input: JSON.stringify(paths),
    maxBuffer: 2 ** 30,
    stdio: ["pipe", "pipe", "inherit"]
  })
  if (status !== 0) throw new Error("cannot list the mutants")
  return JSON.parse(stdout.toString()) as ReadonlyArray<Mutant>
}

if (!existsSync(values.reach)) {
  process.stderr.write(`${values.reach} is not there: run npm run mutation:reach first.\n`)
  process.exit(2)
}
const reaches = readFileSync(values.reach, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Reach)

/** How much of the sources a test runs: the less, the nearer it is to what it runs. */
const breadthOf = new Map(reaches.map(({ functions, test }) => [test, Object.values(functions).flat().length]))
const secondsFor = (test: string): number => secondsOf[test] ?? 1

const testsIn = (folder: string): ReadonlyArray<string> =>
  globSync(`${folder}/*.test.ts`, { cwd: root }).filter((path) => !path.includes(".long."))

/** What no worker runs: statements run in the store, and the console in a browser. */
const apart: ReadonlyArray<readonly [mutated: RegExp, tests: ReadonlyArray<string>]> = [
  [/\.sql$/, testsIn("test/adapters/storage")],
  [/^src\/console\//, testsIn("test/console")]
]

type Verdict = "noticed" | "survived" | "not reached"

const verdictOf = async (mutant: Mutant, folder: string, postgres: string): Promise<Verdict> => {
  // The tests to ask: those of the subject first, then those that run the least else.
  const subject = mutant.path
    .split("/")
    .at(-1)!
    .replace(/\.\w+$/, "")
  const room = dirname(mutant.path).split("/").at(-1)!
  const reaching =
    apart.find(([mutated]) => mutated.test(mutant.path))?.[1] ??
    reaches
      .filter((one) => {
        // Which function a test file ran of a mutant's, or of its module where it is in none.
        const { path, within } = mutant
        const { functions } = one
        const ran = functions[path] ?? []
        if (within === null) return ran.some(([start]) => start > 0)
        const [start, end] = within
        // Where the two disagree on what begins a method, its end decides.
        return ran.some((one) => (one[0] === start || one[1] === end) && one[1] - one[0] <= end - start + 40)
      })
      .map(({ test }) => test)
  const farOf = (test: string): number => (test.includes(subject) ? 0 : test.includes(`/${room}`) ? 1 : 2)
  const nearest = reaching.toSorted((a, b) => farOf(a) - farOf(b) || (breadthOf.get(a) ?? 0) - (breadthOf.get(b) ?? 0))
  const asked: Array<string> = []
  let seconds = 0
  for (const test of nearest) {
    if (asked.length > 0 && seconds + secondsFor(test) > mostSeconds) continue
    asked.push(test)
    seconds += secondsFor(test)
  }
  const tests = asked
  if (tests.length === 0) return "not reached"
  const path = join(folder, mutant.path)
  // The template has the statements, and the setup of a run builds the console.
  const needsOwnSetup = apart.some(([mutated]) => mutated.test(mutant.path))
  const given = needsOwnSetup ? {} : { CORRIDOR_TEST_POSTGRES: postgres }
  const text = readFileSync(path, "utf8")
  writeFileSync(path, text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end))
  try {
    const status = await runVitest(folder, ["--reporter=dot", "--maxWorkers=1", ...tests], {
      env: { ...process.env, ...given, CORRIDOR_TEST_STORES: "memory,postgres" },
      // What hangs is noticed.
      timeout: (mostSeconds * 6 + 60) * 1000,
      killSignal: "SIGKILL"
    })
    return status === 0 ? "survived" : "noticed"
  } finally {
    writeFileSync(path, text)
  }
}

const sources = globSync(["src/**/*.ts", "src/**/*.tsx"], { cwd: root })
  .filter((path) => path.startsWith(values.only) && !path.includes("/generated/"))
  .toSorted()
const statements = globSync("src/**/*.sql", { cwd: root })
  .filter((path) => path.startsWith(values.only))
  .toSorted()
const all = [
  ...mutantsIn(sources),
  ...statements.flatMap((path) => statementMutants(path, readFileSync(join(root, path), "utf8")))
]
const sample = drawSample(all, Number(values.sample), randomOf(Number(values.seed)))
process.stdout.write(`${sample.length} of ${all.length} mutants, seed ${values.seed}\n`)

const paths = readdirSync(root).filter((name) => !["node_modules", ".git", "dist"].includes(name))
const server = await startMigratedServer()
const folders = Array.from({ length: Number(values.workers) }, () => {
  const folder = copySources(paths)
  if (existsSync(join(root, "dist"))) cpSync(join(root, "dist"), join(folder, "dist"), { recursive: true })
  return folder
})
const verdicts: Array<{ readonly mutant: Mutant; readonly verdict: Verdict }> = []
try {
  const free = [...folders]
  await eachOf(sample, folders.length, async (mutant) => {
    const folder = free.pop()!
    const verdict = await verdictOf(mutant, folder, server.url)
    free.push(folder)
    verdicts.push({ mutant, verdict })
    if (verdict === "noticed") return
    const text = readFileSync(join(root, mutant.path), "utf8")
    const line = text.slice(0, mutant.start).split("\n").length
    const shown = (code: string): string => code.replace(/\s+/g, " ").slice(0, 120)
    process.stdout.write(
      `${verdict} ${mutant.path}:${line} ${mutant.mutator}: ${shown(text.slice(mutant.start, mutant.end))} → ${shown(mutant.replacement)}\n`
    )
  })
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  await server.stop()
}

// The room of a source: two folders below `src` where there are so many.
const rooms = Map.groupBy(verdicts, ({ mutant: { path } }) => dirname(path).split("/").slice(0, 3).join("/"))
const row = (name: string, of: typeof verdicts): string => {
  const noticed = of.filter(({ verdict }) => verdict === "noticed").length
  return `${name.padEnd(40)}${String(noticed).padStart(6)} of ${String(of.length).padStart(4)}${((100 * noticed) / of.length).toFixed(0).padStart(5)} %\n`
}
process.stdout.write("\n")
for (const [room, of] of [...rooms].toSorted(([a], [b]) => (a < b ? -1 : 1))) process.stdout.write(row(room, of))
process.stdout.write(row("all", verdicts))
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(verdicts, null, 1))
