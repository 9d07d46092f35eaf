/** What makes a statement whole, whatever its format (STATEMENT-2). */
import { formatUnits, type Units, parseDecimal } from "./decimal.ts"
import {
  type BankStatement,
  type BankStatementLine,
  type StatementBalance,
  type StatementWarning,
  UnreadableStatement
} from "./statement.ts"

export interface PlacedBalance {
  readonly date: string
  readonly units: Units
  readonly place: string
}

export const toBalance = (balance: PlacedBalance | null): StatementBalance | null =>
  balance === null ? null : { date: balance.date, amount: formatUnits(balance.units) }

/** Signs an amount as a line changes the balance: a debit is below zero. */
export const applySign = (direction: BankStatementLine["direction"], units: Units): Units =>
  direction === "credit" ? units : -units

/** A statement as a reader has collected it. `from` and `to` are what the file itself names as its days. */
export interface StatementDraft extends Omit<BankStatement, "opening_balance" | "closing_balance"> {
  readonly opening: PlacedBalance | null
  readonly closing: PlacedBalance | null
  /** Credits less debits of `lines`. */
  readonly net: Units
  /** Whether the file says itself that nothing was booked, where balances do not. */
  readonly saysEmpty: boolean
}

/** Refuses a statement whose opening balance + credits − debits is not its closing balance. */
export const checkClosing = (opening: PlacedBalance, net: Units, closing: PlacedBalance): void => {
  const reached = opening.units + net
  if (reached === closing.units) return
  throw new UnreadableStatement(
    closing.place,
    `a closing balance of ${formatUnits(closing.units)}`,
    `${formatUnits(reached)} (the opening balance of ${formatUnits(opening.units)} and the entries, ${formatUnits(net)})`
  )
}

const pickEarlier = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other < one) ? other : one
const pickLater = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one

/**
 * Completes a statement and checks that it is whole. Errors: `UnreadableStatement` where opening and entries do not make the closing
 * balance, and where nothing was read and nothing in the file says that nothing was booked.
 */
export const completeStatement = ({
  opening,
  closing,
  net,
  place,
  saysEmpty,
  ...draft
}: StatementDraft): BankStatement => {
  if (opening !== null && closing !== null) checkClosing(opening, net, closing)
  const isHeld = opening !== null && closing !== null
  if (draft.lines.length === 0 && draft.pending.length === 0 && !isHeld && !saysEmpty)
    throw new UnreadableStatement(place, "no entry", "entries, or an opening and a closing balance that are equal")
  const warnings: Array<StatementWarning> = [...draft.warnings]
  if (!isHeld && !warnings.some(({ code }) => code === "no_balances")) {
    const missing = opening === null ? (closing === null ? "opening and no closing" : "opening") : "closing"
    const isEmpty = draft.lines.length === 0
    warnings.push({
      code: "no_balances",
      message: `The statement has no ${missing} balance${isEmpty ? " and no booked entry: it has no line." : ", so that nothing holds its lines."}`,
      place
    })
  }
  // The days that a statement speaks of (STATEMENT-16): those that the file names, else those of its entries up
  // to its closing balance. The date of an opening balance is none of them: it is that of the day before, or of
  // the export.
  const { from, lines, to } = draft
  let [first, last]: [string | null, string | null] = [null, null]
  for (const { booked_on } of lines) [first, last] = [pickEarlier(first, booked_on), pickLater(last, booked_on)]
  const end = to ?? (closing?.date || last)
  return {
    ...draft,
    ...{ from: from ?? pickEarlier(first, end), to: end },
    opening_balance: toBalance(opening),
    closing_balance: toBalance(closing),
    warnings,
    place
  }
}

export const isSameAccount = (one: BankStatement, other: BankStatement): boolean =>
  one.currency === other.currency &&
  one.account.identifiers.some(({ value }) => other.account.identifiers.some((each) => each.value === value))

/** Appends members to a list in place. Copying it for each page of a statement would be quadratic. */
const appendTo = <A>(list: ReadonlyArray<A>, more: ReadonlyArray<A>): ReadonlyArray<A> => {
  for (const one of more) (list as Array<A>).push(one)
  return list
}

/**
 * Joins two pages of one statement. It appends to the lists of the first page, which are not copied, because a statement may have thousands
 * of pages. Errors: `UnreadableStatement` where the second does not open with the closing balance of the first, and where both do not reach
 * the closing balance together.
 */
export const joinPages = (first: BankStatement, second: BankStatement, place: string): BankStatement => {
  const [{ opening_balance, closing_balance: before }, { opening_balance: after, closing_balance }] = [first, second]
  if (before !== null && after !== null && before.amount !== after.amount)
    throw new UnreadableStatement(
      place,
      `a page that opens with ${after.amount}`,
      `${before.amount}, with which the page before closes`
    )
  const [lines, pending] = [appendTo(first.lines, second.lines), appendTo(first.pending, second.pending)]
  const isHeld = opening_balance !== null && closing_balance !== null
  if (isHeld) {
    // The pages so far lead to the balance before this one, where there is one.
    const [opening, closing] = [before ?? opening_balance, closing_balance].map((each) => {
      const negative = each.amount.startsWith("-")
      const units = parseDecimal(each.amount.slice(negative ? 1 : 0)) ?? 0n
      return {
        date: each.date,
        units: negative ? -units : units,
        place
      }
    })
    checkClosing(
      opening!,
      (before === null ? lines : second.lines).reduce(
        (sum, { amount, direction }) => sum + applySign(direction, parseDecimal(amount) ?? 0n),
        0n
      ),
      closing!
    )
  }
  const warnings = appendTo(first.warnings, second.warnings)
  return {
    ...first,
    from: pickEarlier(first.from, second.from),
    to: pickLater(first.to, second.to),
    made_at: pickLater(first.made_at, second.made_at),
    opening_balance,
    closing_balance,
    lines,
    pending,
    warnings: isHeld ? warnings.filter(({ code }) => code !== "no_balances") : warnings
  }
}
