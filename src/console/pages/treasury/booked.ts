/** What banks have booked of movements, by what the movements show: in each direction what went, and what came back. */
import type { BankStatementLine, Break, ExternalAccount, Movement } from "../../../client/generated/resources.ts"
import { dayOf } from "../../parts/day.ts"
import { resourceOf } from "../resource-of.ts"

const paid = new Set<string>(["success", "returned"])
const received = new Set<string>(["received", "processing", "success", "confirmed", "returned"])

type Side = Pick<Break, "currency" | "direction">

/**
 * The amount that a bank must have booked of a movement in this direction, by the movement's status. `null`: nothing in this currency, or
 * nothing yet.
 */
export const expectedBookingOf = (one: Movement, { currency, direction }: Side): string | null => {
  const isPayin = one.type === "onramp" || one.type === "deposit"
  // What came back is another booking, in the other direction.
  const isBack = isPayin !== (direction === "credit")
  if (isBack ? one.status !== "returned" : !(isPayin ? received : paid).has(one.status)) return null
  if (isPayin) return one.source_currency === currency ? one.source_amount : null
  return one.destination_currency === currency ? (one.received_amount ?? one.destination_amount) : null
}

export interface WithoutLine {
  readonly id: string
  readonly amount: string
  readonly movement: Movement
}

/** The bookings of movements in this direction that no line is matched with. */
export const withoutLine = (
  movements: ReadonlyArray<Movement>,
  lines: ReadonlyArray<BankStatementLine>,
  of: Side
): ReadonlyArray<WithoutLine> => {
  const matched = new Set(
    // What is proposed for a line may be another's.
    lines.flatMap(({ direction, matches, status }) =>
      direction === of.direction && (status === "matched" || status === "explained")
        ? matches.map(({ resource_id }) => resource_id)
        : []
    )
  )
  // A movement that is made while pages are read moves the others on: two pages may have one.
  const free = new Map<string, WithoutLine>()
  for (const movement of movements) {
    const [id, amount] = [resourceOf(movement), expectedBookingOf(movement, of)]
    if (amount !== null && !matched.has(id)) free.set(id, { id, amount, movement })
  }
  return [...free.values()]
}

/** A booking that no statement has yet. `amount` is signed: money in is more, money out less. */
export interface Outstanding extends WithoutLine {
  readonly currency: string
  readonly direction: "credit" | "debit"
}

/**
 * What these movements have and no line is at the end of a day. What was made before the account's first day is in its opening balance. Of a
 * movement that was returned, what went and what came back are two, each until a line is it.
 */
export const outstandingOf = (
  { currency, opening, time_zone, uses }: Pick<ExternalAccount, "currency" | "opening" | "time_zone" | "uses">,
  movements: ReadonlyArray<Movement>,
  lines: ReadonlyArray<BankStatementLine>,
  date: string
): ReadonlyArray<Outstanding> => {
  const made = movements.flatMap((one): ReadonlyArray<Movement> => {
    const day = dayOf(Date.parse(one.created_at), time_zone)
    if (day < opening.date || day > date) return []
    // What comes back after the day had gone then.
    const isLater = one.status === "returned" && dayOf(Date.parse(one.updated_at), time_zone) > date
    return [isLater ? { ...one, status: "success" } : one]
  })
  const rows = (direction: "credit" | "debit"): ReadonlyArray<Outstanding> =>
    withoutLine(made, lines, { currency, direction }).map((one) => ({
      ...one,
      currency,
      direction,
      amount: direction === "debit" ? `-${one.amount}` : one.amount
    }))
  return [...(uses.includes("payouts") ? rows("debit") : []), ...(uses.includes("payins") ? rows("credit") : [])]
}
