/**
 * Plays histories and prints what the engine says otherwise than it must.
 *
 *     node test/property/desk/run.ts --examples [TEXT]     the named histories, in every order
 *     node test/property/desk/run.ts --seeds 1-200         drawn histories; of a failure, the smallest that shrinking finds
 *
 * `--property` is `oracle` (default) or another of `properties.ts`, and `--kind` is `drawn` (default) or another of `histories.ts`.
 * `--laws day,match` shows what the oracle says of some laws alone: `whole`, `replaced`, `day`, `withdrawn`, `match`, `gap`,
 * `unexplained`, `break`, `kind`, `missing`, `since`. `--plain` does not shrink.
 * `--without late,acts,patches` leaves out late reports, what people do, or what they change of settings, to look behind what they show.
 */
import { parseArgs } from "node:util"
import fc from "fast-check"
import { type History, type Item, itemsOf, ownersOf, play, textOf } from "./desk.ts"
import { examples } from "./examples.ts"
import { decimal } from "./files.ts"
import { type Drawn, histories } from "./histories.ts"
import { breaches } from "./laws.ts"
import { everyOrder } from "./orders.ts"
import { properties } from "./properties.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: "boolean" },
    seeds: { type: "string" },
    property: { type: "string" },
    kind: { type: "string", default: "drawn" },
    plain: { type: "boolean" },
    without: { type: "string" },
    laws: { type: "string" }
  }
})
const { kind } = values
const [which = ""] = positionals
const laws = values.laws?.split(",")
const isAsked = (breach: string): boolean => laws === undefined || laws.includes(breach.split(":")[0]!)
const log = (text: string) => void process.stdout.write(`${text}\n`)

const orderShown = ({ uploads }: History, order: ReadonlyArray<Item>): string =>
  order.map((item) => (item.startsWith("upload") ? uploads[Number(item.split(" ")[1])]!.label : item)).join(" ")

const historyShown = ({
  acts,
  movements,
  now,
  opening,
  other,
  patches = [],
  uploads,
  zone
}: History): ReadonlyArray<string> => [
  `account opens on ${opening.date} with ${decimal(opening.balance)}, in ${zone}; files come at ${now}`,
  ...(other === undefined ? [] : [`the other opens with ${decimal(other.opening.balance)}, in ${other.zone}`]),
  ...patches.map(
    ({ account, opening, status, uses, zone }) =>
      `account ${account} gets ${status ?? zone ?? uses?.join() ?? decimal(opening!.balance)}`
  ),
  ...movements.map(
    (one) => `${one.label}: ${one.kind} of ${decimal(one.amount)} at ${one.at}, reported ${one.reported}`
  ),
  ...uploads.flatMap(({ after, label, sheets }) =>
    sheets.flatMap(({ account, closing, entries, format, from, number, opening: opens, to }, n) => [
      [
        `${label}.${n + 1}${account === 1 ? " of the other" : ""}: ${format} ${number ?? "without number"}, ${from} to ${to}`,
        ...(opens === null || closing === null ? [] : [`${decimal(opens)} to ${decimal(closing)}`]),
        ...(after === undefined ? [] : [`after ${after.join()}`])
      ].join(", "),
      ...entries.map(
        (one) =>
          `  ${one.day} ${one.direction} ${decimal(one.amount)} //${one.reference} "${one.text}"${one.parts === undefined ? "" : ` of ${one.parts.map((part) => `${decimal(part.amount)} "${part.text}"`).join(" + ")}`}`
      )
    ])
  ),
  ...acts.map(
    ({ action, movement = "", on }) => `${action} ${on.day} ${on.direction} ${decimal(on.amount)} ${movement}`
  )
]

const left = new Set(values.without?.split(","))

/** A drawn history without what is left out. */
const lessened = (drawn: Drawn): Drawn => {
  const { acts, movements, patches = [] } = drawn.history
  const history: History = {
    ...drawn.history,
    acts: left.has("acts") ? [] : acts,
    patches: left.has("patches") ? [] : patches,
    movements: movements.map((one) =>
      left.has("late") && one.reported === "late" ? { ...one, reported: "at once" } : one
    )
  }
  const items = new Set(itemsOf(history))
  return { ...drawn, history, order: drawn.order.filter((item) => items.has(item)) }
}

const indented = (title: string, lines: ReadonlyArray<string>) => log([title, ...lines].join("\n  "))

const playExamples = async (): Promise<number> => {
  let failed = 0
  for (const { history, name } of examples.filter((one) => one.name.includes(which))) {
    const seen = new Map<string, Array<string>>()
    for (const order of everyOrder(history)) {
      const picture = await play(history, order)
      const key = breaches(history, picture, order).filter(isAsked).join("\n  ")
      seen.set(key, [...(seen.get(key) ?? []), orderShown(history, order)])
      if (which !== "" && order.join() === itemsOf(history).join())
        indented("the engine says:", [...textOf(picture), ...ownersOf(picture)])
    }
    const isRight = seen.size === 1 && seen.has("")
    if (!isRight) failed++
    log(`${isRight ? "ok" : "FAILS"}: ${name}`)
    if (isRight) continue
    for (const [found, orders] of seen) {
      const more = orders.length > 3 ? ` and ${orders.length - 3} more` : ""
      indented(` in ${orders.slice(0, 3).join(", ")}${more}:`, [found === "" ? "ok" : found])
    }
  }
  return failed
}

const playSeeds = async (from: number, to: number): Promise<number> => {
  const name = (values.property ?? "oracle") as keyof typeof properties
  const property = fc.asyncProperty(histories[kind as keyof typeof histories].map(lessened), async (drawn) => {
    const found = (await properties[name](drawn)).filter((one) => name !== "oracle" || isAsked(one))
    if (found.length > 0) throw new Error(found.join("\n"))
  })
  let failed = 0
  for (let seed = from; seed <= to; seed++) {
    const endOnFailure = values.plain === true
    const details = await fc.check(property, {
      seed,
      numRuns: 1,
      endOnFailure,
      plugins: [fc.interruptAfterTimeLimit(60_000)]
    })
    if (!details.failed) continue
    failed++
    if (details.counterexample === null) {
      log(`seed ${seed} fails: it takes more than a minute`)
      continue
    }
    const [{ history, order }] = details.counterexample as unknown as [Drawn]
    indented(`seed ${seed} fails:`, historyShown(history))
    log(`in the order ${orderShown(history, order)}`)
    const picture = await play(history, order)
    indented("the engine says:", [...textOf(picture), ...ownersOf(picture)])
    indented("which is wrong:", `${(details.errorInstance as Error).message}\n`.split("\n"))
  }
  log(`${failed} of ${to - from + 1} seeds fail`)
  return failed
}

const [from = 1, to = from] = (values.seeds ?? "")
  .split("-")
  .filter((text) => text !== "")
  .map(Number)
const failed =
  (values.examples === true ? await playExamples() : 0) + (values.seeds === undefined ? 0 : await playSeeds(from, to))
process.exitCode = failed === 0 ? 0 : 1
