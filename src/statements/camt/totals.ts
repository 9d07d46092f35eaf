/** Checks the totals that a camt statement states against its entries (STATEMENT-14). */
import { formatUnits, type Units } from "../decimal.ts"
import { type BankStatementLine, type StatementWarning, UnreadableStatement } from "../statement.ts"
import { quote } from "../text.ts"
import { findElement, type Element, describePlace } from "./element.ts"
import { readDirection, parseSignedDecimal } from "./values.ts"

/** Entries of one direction: how many, of how many transactions, and their sum. */
interface Side {
  readonly entries: number
  readonly lines: number
  readonly units: Units
}
type Sides = Readonly<Record<BankStatementLine["direction"], Side>>

/** Banks sum all entries, or those that are booked. */
export interface EntrySums {
  readonly all: Sides
  readonly booked: Sides
}

const nothing: Side = { entries: 0, lines: 0, units: 0n }
const none: Sides = { credit: nothing, debit: nothing }
export const noEntries: EntrySums = { all: none, booked: none }

const addSides = (a: Side, b: Side): Side => ({
  entries: a.entries + b.entries,
  lines: a.lines + b.lines,
  units: a.units + b.units
})
const addDirections = (a: Sides, b: Sides): Sides => ({
  credit: addSides(a.credit, b.credit),
  debit: addSides(a.debit, b.debit)
})
export const addEntrySums = (a: EntrySums, b: EntrySums): EntrySums => ({
  all: addDirections(a.all, b.all),
  booked: addDirections(a.booked, b.booked)
})

/** Makes the sums of one entry. */
export const toEntrySums = (
  direction: BankStatementLine["direction"],
  units: Units,
  lines: number,
  isBooked: boolean
): EntrySums => {
  const all: Sides = { ...none, [direction]: { entries: 1, lines, units } }
  return { all, booked: isBooked ? all : none }
}

const toAbsolute = (units: Units): Units => (units < 0n ? -units : units)
const toNet = ({ credit, debit }: Sides): Units => credit.units - debit.units

/** What a total may be. Its kind says its sign: banks write sums of debits with a minus or without, and the net for the sum of all. */
interface Total {
  readonly name: string
  readonly of: (sides: Sides) => Side
  readonly sumsOf: (sides: Sides) => ReadonlyArray<Units>
}

const totals: ReadonlyArray<Total> = [
  {
    name: "TtlNtries",
    of: ({ credit, debit }) => addSides(credit, debit),
    sumsOf: (sides) => [sides.credit.units + sides.debit.units, toNet(sides), toAbsolute(toNet(sides))]
  },
  { name: "TtlCdtNtries", of: ({ credit }) => credit, sumsOf: ({ credit }) => [credit.units] },
  { name: "TtlDbtNtries", of: ({ debit }) => debit, sumsOf: ({ debit }) => [debit.units, -debit.units] }
]

/** Compares a total with the sums that it may be: a page may sum itself, or the statement. Errors: `UnreadableStatement`. */
const checkSum = (element: Element, meant: ReadonlyArray<Sides>, sumsOf: Total["sumsOf"]): void => {
  const units = parseSignedDecimal(element)
  const sums = meant.flatMap(sumsOf)
  if (!sums.includes(units))
    throw new UnreadableStatement(
      describePlace(element),
      `a total of ${formatUnits(units)}`,
      `${formatUnits(sums[0]!)}, the sum of the entries`
    )
}

/** Compares the stated net total. Its sign stands beside it, where it has one. */
const checkNet = (summary: Element, meant: ReadonlyArray<Sides>): void => {
  const total = findElement(summary, "TtlNtries")
  const net = findElement(total, "TtlNetNtry") ?? total
  const amount = findElement(net, "TtlNetNtryAmt") ?? (net === total ? undefined : findElement(net, "Amt"))
  if (net === undefined || amount === undefined) return
  const sign = findElement(net, "CdtDbtInd") === undefined ? undefined : readDirection(net)
  checkSum(amount, meant, (sides) => {
    const units = toNet(sides)
    if (sign === "credit") return [units]
    return sign === "debit" ? [-units, ...(units < 0n ? [units] : [])] : [toAbsolute(units), units]
  })
}

/**
 * Compares the stated totals of a statement or page with `meant`, the sums that they can be of. Returns the wrong counts, if balances
 * confirm the entries. Errors: `UnreadableStatement` for a wrong total, and for a wrong count that nothing else confirms.
 */
export const checkTotals = (
  statement: Element,
  meant: ReadonlyArray<EntrySums>,
  isHeld: boolean
): ReadonlyArray<StatementWarning> => {
  const summary = findElement(statement, "TxsSummry")
  if (summary === undefined) return []
  const sides = meant.flatMap(({ all, booked }) => [all, booked])
  const warnings: Array<StatementWarning> = []
  for (const { name, of, sumsOf } of totals) {
    const sum = findElement(summary, `${name}/Sum`)
    if (sum !== undefined) checkSum(sum, sides, sumsOf)
    const count = findElement(summary, `${name}/NbOfNtries`)
    if (count === undefined) continue
    const text = count.text.trim()
    const counts = sides.map(of)
    if (counts.some(({ entries, lines }) => text === String(entries) || text === String(lines))) continue
    const found = `a count of ${quote(text)}`
    if (!isHeld)
      throw new UnreadableStatement(describePlace(count), found, `${counts[0]!.entries}, as many as its entries`)
    const message = `The statement has ${counts[0]!.entries} entries and counts ${quote(text)}.`
    warnings.push({ code: "line_count", message, place: describePlace(count) })
  }
  checkNet(summary, sides)
  return warnings
}
