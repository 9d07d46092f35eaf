/** The laws of the desk (decisions.md 18), of a picture: what it says otherwise than the oracle, as sentences. */
import { type History, type Item, itemsOf, type Picture, type SeenBreak, type SeenLine } from "./desk.ts"
import { decimal } from "./files.ts"
import { dayOf, expect, instantOf, settingsOf } from "./oracle.ts"

/** The breaks that a day's `unexplained` is the sum of: what the books have and no statement has is outstanding. */
const isOfStatements = ({ kind, lines }: SeenBreak): boolean =>
  kind !== "missing_on_statement" && !(lines.length > 0 && lines.every(({ status }) => status === "withdrawn"))

const keyOf = ({
  account,
  amount,
  day,
  direction
}: Pick<SeenLine, "account" | "day" | "direction" | "amount">): string =>
  dayOf(account, `${day} ${direction} ${amount}`)
const shown = (key: string): string => {
  const [day, direction, amount] = key.split(" ")
  return `${day} ${direction} ${decimal(BigInt(amount!))}`
}

const isAccounted = ({ status }: SeenLine): boolean => status === "matched" || status === "explained"
const isLive = ({ status }: SeenLine): boolean => status !== "withdrawn"

const total = (values: Iterable<bigint>): bigint => [...values].reduce((sum, one) => sum + one, 0n)

const amountOf = (one: Pick<SeenBreak, "amount" | "direction">): bigint =>
  one.amount === null ? 0n : one.direction === "debit" ? -one.amount : one.amount

/** What a break says of each day: of its lines' days, or of the first day of the later of its statements. */
const sharesOf = (
  one: SeenBreak,
  dayOfStatement: (label: string) => string | undefined
): ReadonlyArray<readonly [day: string | undefined, amount: bigint]> => {
  if (one.lines.length < 2) {
    const last = one.statements
      .map(dayOfStatement)
      .filter((day) => day !== undefined)
      .toSorted()
      .at(-1)
    return [[one.lines[0]?.accounted ?? last, amountOf(one)]]
  }
  // Of lines that pay one thing, all but the first are too many.
  const lines = one.lines.toSorted((a, b) => (a.accounted < b.accounted ? -1 : 1))
  const rest = total(lines.slice(1).map(amountOf)) === amountOf(one) ? lines.slice(1) : lines
  return rest.map((line) => [line.accounted, amountOf(line)])
}

export const breaches = (
  history: History,
  picture: Picture,
  order: ReadonlyArray<Item> = itemsOf(history)
): ReadonlyArray<string> => {
  const expected = expect(history, order)
  const found: Array<string> = []
  const say = (law: string, sentence: string) => found.push(`${law}: ${sentence}`)

  // 18.2 Whole.
  for (const { label, lines, replaces } of expected.statements) {
    const seen = picture.statements.find((one) => one.label === label)
    if (seen === undefined) {
      say("whole", `statement ${label} is not there`)
      continue
    }
    if (seen.lines !== lines) say("whole", `statement ${label} has ${seen.lines} lines; its file has ${lines}`)
    const shared = seen.shared.reduce((sum, one) => sum + one.lines, 0)
    if (seen.own === undefined || seen.own + shared !== lines)
      say("whole", `statement ${label} says ${seen.own} own and ${shared} shared lines of ${lines}`)
    if (replaces !== undefined && replaces !== seen.warnings.includes("replaced"))
      say(
        "replaced",
        `statement ${label} ${replaces ? "replaces another, without" : "replaces none, with"} the warning`
      )
  }
  const own = picture.statements.reduce((sum, one) => sum + (one.own ?? 0), 0)
  if (own !== picture.lines.length)
    say("whole", `the statements have ${own} lines of their own, and the account has ${picture.lines.length}`)

  // 18.3 A day is what its statement says.
  const keys = new Set([...expected.groups.map(({ key }) => key), ...picture.lines.map(keyOf)])
  for (const key of keys) {
    const group = expected.groups.find((one) => one.key === key)
    const lines = picture.lines.filter((one) => keyOf(one) === key)
    const live = lines.filter(isLive)
    if (live.length !== (group?.live ?? 0))
      say("day", `${shown(key)} is in the books ${live.length} times, not ${group?.live ?? 0}`)
    if (lines.length - live.length !== (group?.withdrawn ?? 0))
      say("withdrawn", `${shown(key)} is withdrawn ${lines.length - live.length} times, not ${group?.withdrawn ?? 0}`)
    const accounted = live.filter(isAccounted).length
    const due = expected.accounted.get(key) ?? 0
    if (accounted !== due) say("match", `${shown(key)} is accounted for ${accounted} times, not ${due}`)
  }

  // 16.5, 18.6: which line a movement is.
  for (const { label } of history.movements) {
    const lines = picture.lines.filter(
      (one) => isLive(one) && isAccounted(one) && one.matches.some(({ movement }) => movement === label)
    )
    const days = lines.map(({ account, day }) => dayOf(account, day)).join()
    const day = expected.matched.get(label) ?? ""
    if (days !== day) say("match", `${label} is the line of "${days}", not of "${day}"`)
  }
  for (const line of picture.lines.filter((one) => !isLive(one)))
    if (line.matches.some(() => line.status === "matched")) say("withdrawn", `${shown(keyOf(line))} is matched`)

  // 18.4 Nothing is dropped in silence.
  const dayOfStatement = (label: string): string | undefined => {
    const [upload, n] = label.split(".")
    const sheet = history.uploads.find((one) => one.label === upload)?.sheets[Number(n) - 1]
    if (sheet === undefined) return undefined
    const states = sheet.format.startsWith("camt") ? [sheet.from] : sheet.format === "csv" ? [] : [sheet.to]
    return [...states, ...sheet.entries.map(({ day }) => day)].toSorted()[0]
  }
  const differences = picture.breaks.filter(
    (one) => (one.kind === "gap" || one.kind === "balance_differs") && amountOf(one) !== 0n
  )
  for (const one of expected.differences) {
    const those = differences.filter(
      (seen) =>
        seen.kind === one.kind &&
        seen.account === one.account &&
        amountOf(seen) === one.amount &&
        seen.statements.some((label) => one.statements.includes(label))
    )
    if (those.length !== 1)
      say(
        "gap",
        `${those.length} breaks say that ${one.statements.join("/")} opens with ${decimal(one.amount)} more (${one.kind})`
      )
  }
  for (const seen of differences)
    if (!expected.differences.some((one) => one.kind === seen.kind && one.amount === amountOf(seen)))
      say("gap", `${seen.kind} of ${decimal(amountOf(seen))} over ${seen.statements.join()} is none`)
  for (const [day, closing] of expected.closings) {
    const seen = picture.days.find((one) => dayOf(one.account, one.day) === day)
    if (seen !== undefined && seen.statement_closing !== closing)
      say("closing", `${day} ends with ${decimal(seen.statement_closing ?? 0n)}, not ${decimal(closing)}`)
  }
  const shares = picture.breaks
    .filter(isOfStatements)
    .flatMap((one) =>
      sharesOf(one, dayOfStatement).map(
        ([day, amount]) => [day === undefined ? undefined : dayOf(one.account, day), amount] as const
      )
    )
  for (const seen of picture.days)
    if (seen.reconciled !== seen.unexplained)
      say(
        "unexplained",
        `the reconciliation of ${seen.day} says ${decimal(seen.reconciled)}, its close ${decimal(seen.unexplained)}`
      )
  const isSingle = (day: string): boolean => !expected.floating.has(day)
  const single = picture.days.map(({ account, day }) => dayOf(account, day)).filter(isSingle)
  for (const days of [...single.map((day) => new Set([day])), expected.floating]) {
    const name = [...days].join(" and ")
    const seen = total(
      picture.days.filter(({ account, day }) => days.has(dayOf(account, day))).map(({ unexplained }) => unexplained)
    )
    const due = total([...days].map((day) => expected.unexplained.get(day) ?? 0n))
    if (seen !== due) say("unexplained", `${name} has ${decimal(seen)} unexplained, not ${decimal(due)}`)
    const open = total(shares.filter(([day]) => day !== undefined && days.has(day)).map(([, amount]) => amount))
    if (open !== seen)
      say("unexplained", `the open breaks of ${name} sum to ${decimal(open)}, its close says ${decimal(seen)}`)
  }
  // What nothing accounts for has one break, unless a person dismissed it.
  for (const line of picture.lines.filter((one) => isLive(one) && !isAccounted(one))) {
    const about = picture.breaks.filter((one) => one.lines.includes(line))
    if (about.length > 1 || (about.length === 0 && !expected.dismissed.has(keyOf(line))))
      say("break", `${shown(keyOf(line))} is open and in ${about.length} breaks`)
    const kinds = expected.kinds.get(keyOf(line))
    for (const { kind } of about)
      if (kinds !== undefined && !kinds.has(kind))
        say("kind", `${shown(keyOf(line))} is ${kind}, not ${[...kinds].join(" or ")}`)
  }
  for (const one of picture.breaks)
    if (
      one.lines.length > 0 &&
      one.kind !== "missing_on_statement" &&
      one.lines.every((line) => isLive(line) && isAccounted(line))
    )
      say("break", `${one.kind} is open, and its lines are accounted for`)

  // 18.7 What no statement has in time, and what an interim report alone has.
  const missing = new Set(
    picture.breaks.filter(({ kind }) => kind === "missing_on_statement").flatMap(({ movements }) => movements)
  )
  for (const label of expected.overdue)
    if (!missing.has(label) && !expected.perhaps.has(label)) say("missing", `${label} is overdue, without a break`)
  for (const label of missing)
    if (label !== "by hand" && !expected.overdue.has(label) && !expected.unsaid.has(label))
      say("missing", `${label} is not overdue, and has a break`)
  for (const label of expected.unsaid)
    if (
      !picture.breaks.some(
        ({ candidates, lines, movements }) =>
          movements.includes(label) ||
          candidates.includes(label) ||
          lines.some((line) => line.matches.some(({ movement }) => movement === label))
      )
    )
      say("withdrawn", `${label} was on an interim report alone, without a break`)

  // A break is since its money moved: a line's since its day began in the account's zone, one of several lines since one of their days;
  // where a bank is a day ahead of it, since the break came, which is once the files do and before that day begins.
  const zones = settingsOf(history).map(({ zone }) => zone)
  for (const one of picture.breaks) {
    const moved = history.movements.find(({ label }) => label === one.movements[0])
    const isMissing = one.kind === "missing_on_statement"
    const due = isMissing
      ? moved?.reported === "at once" && one.lines.length === 0
        ? [Date.parse(moved.at)]
        : []
      : one.lines.map(({ day }) => instantOf(zones[one.account]!, day, 0))
    const [since, now] = [Date.parse(one.since), Date.parse(history.now)]
    if (due.length > 0 && !due.some((at) => Math.min(at, now) <= since && since <= at))
      say(
        "since",
        `${one.kind} of ${decimal(one.amount ?? 0n)} is since ${one.since}, not ${new Date(due[0]!).toISOString()}`
      )
  }
  return found
}
