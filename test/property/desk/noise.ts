/** What has nothing to do with a history: its amounts and its texts, on days before it, in sums that are nothing. */
import { daysOf, type History, type Movement, type Picture, type SeenLine, type Upload } from "./desk.ts"
import { dayAfter, type Entry, type Sheet } from "./files.ts"

const [first, last] = ["2026-10-25", "2026-11-25"] as const
const days = Array.from({ length: 32 }, (_, n) => dayAfter(first, n))

/** A statement of `rows` bookings in the month before, nameless debits on each of its days, interim reports of its last ones, and movements. */
export const noisy = (history: History, rows: number): History => {
  const entries = history.uploads.flatMap(({ sheets }) => sheets.flatMap((sheet) => sheet.entries))
  const amounts = [...new Set([...entries, ...history.movements].map(({ amount }) => amount))]
  const rowOf = (n: number): Entry => ({
    day: days[Math.floor((n / rows) * days.length)]!,
    direction: n % 2 === 0 ? "debit" : "credit",
    amount: amounts[Math.floor(n / 2) % amounts.length] ?? 100n,
    reference: "POS",
    end_to_end: null,
    name: "Chidi",
    text: "PAY OK"
  })
  const { balance } = history.opening
  const statement: Sheet = {
    format: "mt940",
    number: null,
    made: null,
    from: first,
    to: last,
    opening: balance,
    closing: balance,
    entries: Array.from({ length: rows }, (_, n) => rowOf(n))
  }
  const reports = days.slice(-6).flatMap((day): ReadonlyArray<Sheet> => {
    const some = statement.entries.filter((one) => one.day === day).slice(0, 2)
    const report = { ...statement, format: "mt942", opening: null, closing: null, from: day, to: day } as const
    return some.length === 0 ? [] : [{ ...report, entries: some }]
  })
  const uploads = [statement, ...reports].map((sheet, n): Upload => ({ label: `N${n + 1}`, sheets: [sheet] }))
  const movements = amounts.flatMap(
    (amount, n): ReadonlyArray<Movement> =>
      Array.from({ length: Math.ceil(rows / 20 / amounts.length) }, (_, m) => ({
        label: `N${n * 1000 + m}`,
        kind: "entry",
        at: `${days[(7 * m + n) % days.length]!}T11:00:00.000Z`,
        amount,
        reference: null,
        provider_reference: null,
        reported: "at once"
      }))
  )
  return {
    ...history,
    closes: daysOf(history),
    opening: { ...history.opening, date: "2026-10-01" },
    movements: [...history.movements, ...movements],
    uploads: [...history.uploads, ...uploads]
  }
}

const isAccounted = ({ status }: SeenLine): boolean => status === "matched" || status === "explained"

/** The picture without what {@link noisy} adds, and without candidates: of its amounts, some are near in time. */
export const withoutNoise = (picture: Picture): Picture => {
  const isNoise = (label: string): boolean => label.startsWith("N")
  return {
    lines: picture.lines
      .filter(({ day }) => day > last)
      .map((one) => ({
        ...one,
        status: one.status === "proposed" ? "unmatched" : one.status,
        matches: isAccounted(one) ? one.matches : []
      })),
    statements: picture.statements.filter(({ label }) => !isNoise(label)),
    breaks: picture.breaks
      .filter(
        ({ lines, movements }) =>
          !movements.some(isNoise) && (lines.length === 0 || lines.some(({ day }) => day > last))
      )
      .map((one) => ({ ...one, candidates: [] })),
    days: picture.days.filter(({ day }) => day > last)
  }
}
