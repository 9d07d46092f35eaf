/**
 * Chooses what `npm test` leaves to `npm run test:all`: `node scripts/choose-tests.ts --seconds 249` writes `test/left-out.json`. Of the
 * measured files (`whole` in `test/seconds.json`), it takes the one that shows most for its seconds, until everything is shown or the seconds are used:
 * a rule that it names, a seeded defect that it notices. What is small is never left out, and neither are the folders and files below.
 *
 * It writes `test/repeating.json` too: of what `npm test` leaves out, what has its turn in `npm run test:all`. That is what no seeded defect
 * names, and whose rules all have tests in what every commit runs.
 */
import { writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { defects } from "../test/defects/defects.ts"
import { candidates, isAlwaysRun, isEverywhere, leftOutPath, runnable } from "../test/support/repository/main-run.ts"
import { rules } from "../test/support/repository/covers.ts"
import { costOf, SMALL_SECONDS, wholeSecondsOf } from "../test/support/repository/seconds.ts"
import { sources } from "../test/support/repository/source.ts"
import { repeatingPath } from "../test/support/repository/turns.ts"
import { findCoverage } from "./rules-doc.ts"

const { values } = parseArgs({ options: { seconds: { type: "string", default: "249" }, dry: { type: "boolean" } } })

/** What each file shows. */
const shownBy = new Map<string, Set<string>>()
const show = (path: string, what: string): void => {
  shownBy.set(path, (shownBy.get(path) ?? new Set()).add(what))
}
const { holding } = findCoverage(sources("test"))
for (const [rule, tests] of holding) for (const { file } of tests) show(file, rule)
for (const { file, name, tests } of defects) for (const path of tests) show(path, `${file}: ${name}`)

const files = runnable()
const always = new Set(files.filter((path) => isAlwaysRun(path) || wholeSecondsOf(path) < SMALL_SECONDS * 2))
const most = Number(values.seconds)
const sum = (paths: Iterable<string>): number => [...paths].reduce((seconds, path) => seconds + wholeSecondsOf(path), 0)
const shownOf = (paths: Iterable<string>): Set<string> =>
  new Set([...paths].flatMap((path) => [...(shownBy.get(path) ?? [])]))
/** A rule counts a little more than a defect. */
const worthOf = (things: Iterable<string>): number =>
  [...things].reduce((sum, one) => sum + (rules.has(one) ? 1.5 : 1), 0)

/** With the file that shows most new for its seconds, again and again, until everything is shown or the seconds are used. */
const fill = (begun: ReadonlySet<string>, without?: string): Set<string> => {
  const taken = new Set(begun)
  const shown = shownOf(taken)
  let seconds = sum(taken)
  for (;;) {
    const fitting = files.filter(
      (path) => path !== without && !taken.has(path) && seconds + wholeSecondsOf(path) <= most
    )
    const best = fitting.reduce<readonly [path: string, worth: number]>(
      (best, path) => {
        const worth = worthOf([...(shownBy.get(path) ?? [])].filter((one) => !shown.has(one))) / wholeSecondsOf(path)
        return worth > best[1] ? [path, worth] : best
      },
      ["", 0]
    )
    if (best[0] === "") return taken
    taken.add(best[0])
    seconds += wholeSecondsOf(best[0])
    for (const one of shownBy.get(best[0]) ?? []) shown.add(one)
  }
}
// Others may show more in the seconds of a file that was taken early.
let taken = fill(always)
for (let isBetter = true; isBetter; ) {
  isBetter = false
  for (const path of [...taken].filter((path) => !always.has(path))) {
    const other = fill(new Set([...taken].filter((one) => one !== path)), path)
    if (worthOf(shownOf(other)) <= worthOf(shownOf(taken))) continue
    taken = other
    isBetter = true
  }
}
// What is left of the seconds goes to what takes least.
for (const path of files.filter((path) => !taken.has(path)).toSorted((a, b) => wholeSecondsOf(a) - wholeSecondsOf(b)))
  if (sum(taken) + wholeSecondsOf(path) <= most) taken.add(path)
const shown = shownOf(taken)

const leftOut = files.filter((path) => !taken.has(path))
const all = new Set([...files.flatMap((path) => [...(shownBy.get(path) ?? [])])])
for (const path of leftOut.toSorted((a, b) => wholeSecondsOf(b) - wholeSecondsOf(a))) {
  const alone = [...(shownBy.get(path) ?? [])].filter((one) => !shown.has(one))
  process.stdout.write(`${wholeSecondsOf(path).toFixed(1).padStart(6)} s ${path}: ${alone.length} of its own\n`)
}
process.stdout.write(
  `${taken.size} of ${files.length} files, ${sum(taken).toFixed(0)} s; ${shown.size} of ${all.size} rules and defects\n` +
    [...all]
      .filter((one) => ![...taken].some((path) => shownBy.get(path)?.has(one)))
      .map((one) => `  ${one}\n`)
      .join("")
)

/** What every commit runs: what `npm test` does, what a seeded defect names, and of the rest what shows most for its seconds until each rule is shown. */
const kept = new Set([...taken, ...defects.flatMap(({ tests }) => tests)])
const rest = candidates().filter((path) => !kept.has(path) && !isEverywhere(path) && costOf(path) >= SMALL_SECONDS * 4)
for (const path of candidates().filter((path) => !rest.includes(path))) kept.add(path)
for (const held = shownOf(kept); ; ) {
  const newOf = (path: string): number => [...(shownBy.get(path) ?? [])].filter((one) => !held.has(one)).length
  const [best] = rest
    .filter((path) => !kept.has(path) && newOf(path) > 0)
    .toSorted((a, b) => newOf(b) / costOf(b) - newOf(a) / costOf(a))
  if (best === undefined) break
  kept.add(best)
  for (const one of shownBy.get(best)!) held.add(one)
}
const repeating = rest.filter((path) => !kept.has(path))
process.stdout.write(
  `${repeating.length} files have their turn, of ${repeating.reduce((sum, path) => sum + costOf(path), 0).toFixed(0)} s\n`
)

if (values.dry !== true) {
  writeFileSync(leftOutPath, `${JSON.stringify(leftOut, null, 2)}\n`)
  writeFileSync(repeatingPath, `${JSON.stringify(repeating, null, 2)}\n`)
}
