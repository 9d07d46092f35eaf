/**
 * Chooses what `npm test` leaves to `npm run test:all`: `node scripts/choose-tests.ts --seconds 170` writes `test/left-out.json`. Of the
 * measured files ([seconds.json]), it takes the one that shows most for its seconds, until everything is shown or the seconds are used:
 * a rule that it names, a seeded defect that it notices. What is small is never left out, and neither are the folders and files below.
 */
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { defects } from "../test/defects/defects.ts"
import { isAlwaysRun, leftOutPath, runnable } from "../test/support/repository/main-run.ts"
import { rules } from "../test/support/repository/covers.ts"
import { secondsOf } from "../test/support/repository/seconds.ts"
import { sources } from "../test/support/repository/source.ts"
import { findCoverage } from "./rules-doc.ts"

const { values } = parseArgs({ options: { seconds: { type: "string", default: "170" }, dry: { type: "boolean" } } })

/** What a file that takes too little to be listed costs. */
const SMALL_SECONDS = 0.15

/** What each file shows. */
const shownBy = new Map<string, Set<string>>()
const show = (path: string, what: string): void => {
  shownBy.set(path, (shownBy.get(path) ?? new Set()).add(what))
}
const { holding } = findCoverage(sources("test"))
for (const [rule, tests] of holding) for (const { file } of tests) show(file, rule)
for (const { file, name, tests } of defects) for (const path of tests) show(path, `${file}: ${name}`)

/** What is left of a file of laws that are tried less often. */
const LAWS_SHARE = 0.4
const lawful = new Set(
  sources("test").flatMap(({ path, text }) => (text.includes("/properties/tries.ts") ? [path] : []))
)

const costOf = (path: string): number => (secondsOf[path] ?? SMALL_SECONDS) * (lawful.has(path) ? LAWS_SHARE : 1)
const files = runnable()
const taken = new Set(files.filter((path) => isAlwaysRun(path) || costOf(path) < SMALL_SECONDS * 2))
const shown = new Set([...taken].flatMap((path) => [...(shownBy.get(path) ?? [])]))
const sum = (): number => [...taken].reduce((seconds, path) => seconds + costOf(path), 0)
/** How much a file shows that none does so far. A rule counts as much as two defects. */
const newOf = (path: string): number =>
  [...(shownBy.get(path) ?? [])].reduce((sum, one) => sum + (shown.has(one) ? 0 : rules.has(one) ? 2 : 1), 0)
const most = Number(values.seconds)
for (;;) {
  const left = files.filter((path) => !taken.has(path) && sum() + costOf(path) <= most)
  const best = left.reduce<readonly [path: string, worth: number]>(
    (best, path) => {
      const worth = newOf(path) / costOf(path)
      return worth > best[1] ? [path, worth] : best
    },
    ["", 0]
  )
  if (best[0] === "") break
  taken.add(best[0])
  for (const one of shownBy.get(best[0]) ?? []) shown.add(one)
}
// What is left of the seconds goes to what takes least.
for (const path of files.filter((path) => !taken.has(path)).toSorted((a, b) => costOf(a) - costOf(b)))
  if (sum() + costOf(path) <= most) taken.add(path)

const leftOut = files.filter((path) => !taken.has(path))
const all = new Set([...files.flatMap((path) => [...(shownBy.get(path) ?? [])])])
for (const path of leftOut.toSorted((a, b) => costOf(b) - costOf(a))) {
  const alone = [...(shownBy.get(path) ?? [])].filter((one) => !shown.has(one))
  process.stdout.write(`${costOf(path).toFixed(1).padStart(6)} s ${path}: ${alone.length} of its own\n`)
}
process.stdout.write(
  `${taken.size} of ${files.length} files, ${sum().toFixed(0)} s; ${shown.size} of ${all.size} rules and defects\n` +
    [...all]
      .filter((one) => ![...taken].some((path) => shownBy.get(path)?.has(one)))
      .map((one) => `  ${one}\n`)
      .join("")
)
if (values.dry !== true) writeFileSync(leftOutPath, `${JSON.stringify(leftOut, null, 2)}\n`)
